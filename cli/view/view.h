// view: a window that shows models. Only window.c knows about windows: the rest gets keys, mouse and drops and returns
// a frame, so that it can be tested without a display.
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "camera.h"
#include "canvas.h"
#include "cli/render/render.h"
#include "keys.h"
#include "sinew/runtime.h"

// Playback. player.c

typedef enum cli_loop { CLI_LOOP_REPEAT, CLI_LOOP_ONCE, CLI_LOOP_PING_PONG, CLI_LOOP_COUNT } cli_loop;

extern const char *const cli_loop_names[CLI_LOOP_COUNT];

typedef struct cli_player {
    int32_t clip;          // -1: the rest pose
    float duration, rate;  // frames per second
    float seconds;         // 0 to duration, both included
    float clock;           // time for global tracks: what was played since the clip was set
    float speed;
    cli_loop loop;
    bool is_playing, is_reversed;  // reversed: the second half of ping-pong
} cli_player;

void cli_player_set_clip(cli_player *player, const sn_model *model, int32_t clip);  // keeps speed, loop and playing
void cli_player_advance(cli_player *player, float elapsed);
void cli_player_toggle(cli_player *player);  // a clip that has ended restarts
void cli_player_seek(cli_player *player, float seconds);
void cli_player_step(cli_player *player, int frames);         // to the next whole frame; stops playing
void cli_player_change_speed(cli_player *player, int steps);  // each step doubles or halves it, within limits
float cli_player_sample_time(const cli_player *player);       // just below the end, which would wrap to the start
uint32_t cli_player_frame(const cli_player *player);
uint32_t cli_player_last_frame(const cli_player *player);

// Where a clip has keys, in equal steps of its duration.
enum { CLI_TICKS = 1024, CLI_TICK_KEY = 1, CLI_TICK_SELECTED = 2 };
typedef struct cli_ticks {
    uint8_t at[CLI_TICKS + 1];
} cli_ticks;
void cli_ticks_make(cli_ticks *ticks, const sn_clip *clip, int32_t node);  // selected: keys of this node

// Panels. panels.c

// The node tree in depth-first order, without the children of folded nodes.
typedef struct cli_outline {
    const sn_model *model;
    int32_t *order, *depth;  // order: all nodes; depth: by node
    uint32_t *end;           // by node: position after its last descendant in the order
    uint32_t *place;         // by node: position in the order
    bool *is_folded;         // by node
    int32_t *rows;           // visible nodes
    uint32_t row_count;
} cli_outline;

bool cli_outline_make(cli_outline *tree, const sn_model *model, sni_arena *arena);  // false: out of memory
void cli_outline_fold(cli_outline *tree, int32_t node, bool is_folded);
uint32_t cli_outline_reveal(cli_outline *tree, int32_t node);     // unfolds its ancestors; returns its row
float cli_outline_name_x(const cli_outline *tree, int32_t node);  // left of it is the fold button
static inline bool cli_outline_has_children(const cli_outline *tree, int32_t node)
{
    return tree->end[node] > tree->place[node] + 1;
}

// Files. files.c

typedef struct cli_files {
    sni_list list;  // cli_input
    uint32_t at;
    sni_list opened;      // sn_archive *: archives that were not on the command line
    bool is_collection;   // a folder or an archive with several files
    uint32_t generation;  // changes with the list
} cli_files;

// A single file is listed with the models of its folder, or if it is a texture with the textures; a folder or an
// archive with all models in it, or if there are none with all textures. False: see error.
bool cli_files_take(cli_files *files, cli_session *session, char *const *paths, int count, sni_arena *arena,
                    sn_error *error);
void cli_files_close(cli_files *files);
static inline const cli_input *cli_files_now(const cli_files *files)
{
    return files->at < files->list.count ? &((const cli_input *)files->list.items)[files->at] : NULL;
}

// The files that a model was read from, with their modification times.
typedef struct cli_watch {
    sni_arena *arena;
    sni_list files;
} cli_watch;
void cli_watch_add(void *watch, const char *path);
bool cli_watch_changed(cli_watch *watch);  // since the last call; a missing file has not changed

// Settings that are kept between runs. settings.c

typedef struct cli_settings {
    int32_t x, y;
    bool has_position, is_first_run;
    uint32_t width, height, show, panels;
    cli_loop loop;
} cli_settings;

void cli_settings_parse(cli_settings *settings, const char *text, size_t size);  // ignores what it does not know
void cli_settings_format(const cli_settings *settings, sni_writer *out);
void cli_settings_load(cli_settings *settings);
bool cli_settings_save(const cli_settings *settings, sn_error *error);

// The viewer. view.c

typedef struct cli_loaded_model {
    cli_job job;
    cli_input input;
    sn_drawable *drawable;
    sn_motion *motion;  // NULL where there is no memory for it
    sn_pose *pose;
    sn_bounds scene;  // of the current clip
    cli_outline tree;
    uint64_t vertex_count, triangle_count, joint_count;
} cli_loaded_model;

typedef enum cli_drag { CLI_DRAG_NONE, CLI_DRAG_ORBIT, CLI_DRAG_PAN, CLI_DRAG_TIME } cli_drag;

enum { CLI_MESSAGE_BYTES = 192, CLI_ERROR_BYTES = 768 };

// A texture that is shown instead of a model. texture.c
typedef struct cli_texture {
    cli_input input;
    sn_bytes bytes;
    sn_render_image *image;  // NULL: none is shown
    uint32_t mip, mip_count;
    uint32_t width, height, full_width, full_height;  // of the shown level, of the largest
    bool has_alpha;
    float zoom;   // units per texel of the largest level; 0: fits the window
    sn_vec2 pan;  // in units
} cli_texture;

bool cli_texture_open(cli_texture *texture, cli_session *session, sn_renderer *renderer, const cli_input *input,
                      sn_error *error);
void cli_texture_close(cli_texture *texture);

// Thumbnails. thumbs.c
enum { CLI_THUMB_SIDE = 128, CLI_THUMBS_MAX = 512, CLI_THUMB_REQUESTS = 48, CLI_THUMB_RESULTS = 8 };

typedef struct cli_thumb {
    bool is_used;
    uint32_t file;           // in the file list
    sn_render_image *image;  // NULL: see error
    char error[200];
    uint64_t shown_at;
} cli_thumb;

typedef struct cli_thumb_request {
    uint32_t file, generation, side;
    cli_input input;
} cli_thumb_request;

typedef struct cli_thumb_result {
    uint32_t file, generation;
    sn_pixels pixels;
    char error[200];
} cli_thumb_result;

typedef struct cli_thumbs {
    cli_session *session;
    void (*wake)(void);  // called by the worker when there is a result; may be NULL
    cli_thumb list[CLI_THUMBS_MAX];
    uint64_t clock;  // counts frames
    pthread_t worker;
    bool has_worker;
    atomic_bool is_stopping;
    pthread_mutex_t mutex;  // of all below
    pthread_cond_t changed;
    cli_thumb_request requests[CLI_THUMB_REQUESTS];
    cli_thumb_result results[CLI_THUMB_RESULTS];
    uint32_t request_count, result_count, in_work;  // in_work: a file; UINT32_MAX: none
} cli_thumbs;

void cli_thumbs_stop(cli_thumbs *thumbs);
void cli_thumbs_forget(cli_thumbs *thumbs);                                                  // all pictures
cli_thumb *cli_thumbs_find(cli_thumbs *thumbs, uint32_t file);                               // NULL: not yet
cli_thumb *cli_thumbs_place(cli_thumbs *thumbs, uint32_t file);                              // an empty one
void cli_thumbs_ask(cli_thumbs *thumbs, const cli_thumb_request *requests, uint32_t count);  // instead of before
bool cli_thumbs_collect(cli_thumbs *thumbs, sn_renderer *renderer, uint32_t generation);     // true: there were some

// The list of files as a grid of thumbnails. browser.c
enum { CLI_FILTER_BYTES = 96 };

typedef struct cli_browser {
    bool is_open;
    char filter[CLI_FILTER_BYTES];  // words that a name must have
    sni_arena arena;                // of the matches
    uint32_t *matches;              // files
    uint32_t match_count, selected, first_row, generation;
    double pressed_at;
    cli_thumbs thumbs;
} cli_browser;

typedef struct cli_view {
    cli_session *session;
    cli_render_options options;  // of the command line
    sn_renderer *renderer;
    sni_diag diag;
    sni_heap heap;
    sni_arena arena, frame_arena, watch_arena;  // arena: the file list; frame_arena: texts of one frame
    cli_watch watch;
    cli_files files;
    cli_loaded_model slots[2], *shown;  // shown: one of the slots, or NULL
    cli_texture texture;
    cli_browser browser;
    cli_player player;
    cli_ticks ticks;
    cli_orbit orbit;
    int32_t camera;         // of the model; -1: the orbit
    int32_t node;           // selected; -1: none
    uint32_t show, panels;  // sn_show, cli_panel
    cli_rows tree_rows, clip_rows, finding_rows;
    cli_box free;  // the area of the model when it was last framed
    // Findings as wrapped lines, made again when the model, the width or their number changes.
    sni_arena findings_arena;
    sni_list finding_lines;  // cli_line
    const sn_model *findings_model;
    float findings_width;
    uint32_t findings_shown;
    sni_list image_reports;      // sn_warning: images that cannot be shown
    uint32_t help_first;         // the topmost visible row of the help
    float width, height, scale;  // of the window in units; pixels per unit
    float seconds_per_frame;
    double now;
    bool is_framed;  // the orbit frames the clip, and must again when the free area changes
    bool is_help_shown, needs_drawing, should_quit, wants_full_screen;
    sn_error error;  // shown until a key is pressed; status SN_OK: none
    char error_title[CLI_MESSAGE_BYTES], error_text[CLI_ERROR_BYTES];
    char message[CLI_MESSAGE_BYTES];
    double message_until;
    cli_drag drag;
    sn_vec2 mouse, pressed_at;
    bool was_dragged;
    double watched_at;            // time of the last check for changed files
    void (*present)(void *user);  // draws a frame at once; may be NULL
    void *present_user;
} cli_view;

void cli_view_init(cli_view *view, cli_session *session, const cli_render_options *options,
                   const cli_settings *settings);
void cli_view_start(cli_view *view);  // loads the first file; the renderer must be set
void cli_view_close(cli_view *view);  // frees what was created with the renderer
void cli_view_free(cli_view *view);
void cli_view_load(cli_view *view, bool is_again);  // the current file; again: keeps camera, clip and selection
void cli_view_step_file(cli_view *view, int by);
void cli_view_drop(cli_view *view, char *const *paths, int count);
void cli_view_set_clip(cli_view *view, int32_t clip);
void cli_view_choose_clip(cli_view *view, int32_t clip);  // also frames it
void cli_view_select(cli_view *view, int32_t node);
void cli_view_frame_clip(cli_view *view, float yaw, float pitch);
void cli_view_message(cli_view *view, const char *format, ...) SNI_PRINTF(2, 3);
void cli_view_show_error(cli_view *view, const char *title, const sn_error *error);
void cli_view_place(cli_view *view);  // lays out the panels; frames the clip again when its area has changed
void cli_view_report_image(cli_view *view, const sn_warning *warning);
void cli_view_tick(cli_view *view, double now);
sn_render_camera cli_view_pose(const cli_view *view);  // poses the model for the current time; returns the camera
sn_status cli_view_draw(cli_view *view, bool is_bare, sn_error *error);  // bare: without panels and texts
void cli_view_save_picture(cli_view *view, bool is_bare);
static inline bool cli_view_is_playing(const cli_view *view)
{
    return view->shown && view->player.is_playing && view->player.clip >= 0 && !view->browser.is_open;
}
static inline const sn_model *cli_view_model(const cli_view *view)
{
    return view->shown ? view->shown->job.model : NULL;
}

// The areas of the window. A box without width is hidden. panels.c
typedef struct cli_layout {
    cli_box tree, clips, findings, timeline, rail, free;  // rail: the bar of the timeline
} cli_layout;
cli_layout cli_layout_of(const cli_view *view);
void cli_draw_panels(cli_view *view, cli_canvas *canvas);

// Texts over the picture. information.c
void cli_draw_information(const cli_view *view, cli_canvas *canvas, cli_box free);
void cli_draw_findings(const cli_view *view, cli_canvas *canvas);
void cli_draw_help(const cli_view *view, cli_canvas *canvas);
bool cli_help_scroll(cli_view *view, int64_t by);  // false: all of it is visible
void cli_draw_error(const cli_view *view, cli_canvas *canvas);
void cli_findings_update(cli_view *view);
uint32_t cli_finding_count(const cli_view *view);  // of the model and its images
// What is hidden or replaced: "no textures (T)".
enum { CLI_BADGES_MAX = 12 };
uint32_t cli_view_badges(const cli_view *view, sni_arena *arena, const char *badges[CLI_BADGES_MAX]);
const char *cli_key_state(const cli_view *view, const cli_key_row *row);  // "on", "off", "repeat"; NULL: no toggle
const char *cli_file_title(const cli_view *view, const char *file, sni_arena *arena);  // "arm.glb  (2 of 7)"

// A texture instead of the model. texture.c
void cli_texture_draw(const cli_view *view, cli_canvas *canvas, bool is_bare);
void cli_texture_fit(cli_view *view);
void cli_texture_scroll(cli_view *view, float steps);
void cli_texture_step_mip(cli_view *view, int by);
float cli_texture_zoom(const cli_view *view);
cli_box cli_texture_box(const cli_view *view);

// The list of files. browser.c
typedef struct cli_grid {
    uint32_t columns, rows;
    float left, width, height;  // of a cell
} cli_grid;
void cli_browser_open(cli_view *view);
void cli_browser_draw(cli_view *view, cli_canvas *canvas);
void cli_browser_tick(cli_view *view);
bool cli_browser_key(cli_view *view, int32_t key);  // false: it has its usual function
void cli_browser_character(cli_view *view, uint32_t code);
void cli_browser_press(cli_view *view);
void cli_browser_scroll(cli_view *view, float steps);
cli_grid cli_browser_grid(const cli_view *view);
uint32_t cli_browser_file(const cli_view *view);  // the selected one; UINT32_MAX: none

// User input. input.c
void cli_view_character(cli_view *view, uint32_t code);
void cli_view_resize(cli_view *view, float width, float height, float scale);
void cli_view_key(cli_view *view, int32_t key);
void cli_view_move(cli_view *view, sn_vec2 to);
void cli_view_press(cli_view *view, bool is_left);
void cli_view_release(cli_view *view);
void cli_view_scroll(cli_view *view, float steps);

#endif
