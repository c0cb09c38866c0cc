// view: a window of models. All but view_window.c knows no windows: keys, mouse and drops come in, a frame goes out.
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "render.h"
#include "view_keys.h"
#include "view_state.h"

typedef struct cli_box {
    float x, y, width, height;
} cli_box;

static inline bool cli_box_holds(cli_box box, sn_vec2 at)
{
    return at.x >= box.x && at.y >= box.y && at.x < box.x + box.width && at.y < box.y + box.height;
}

// view_canvas.c: rectangles and texts of one frame. Its units are pixels of a screen of usual density.
typedef struct cli_canvas {
    sni_arena *arena;            // the frame's
    sn_renderer *renderer;       // whose letters they are
    float width, height, scale;  // scale: pixels per unit
    sni_list rects, labels;      // sn_rect, sn_label
} cli_canvas;

enum { CLI_TEXT_SIZE = 8, CLI_ROW_HEIGHT = 17 };

extern const sn_vec4 cli_ink, cli_faint_ink, cli_bright_ink, cli_red_ink, cli_paper, cli_marked_paper;

void cli_canvas_rect(cli_canvas *canvas, cli_box box, sn_vec4 color);
float cli_canvas_width(const cli_canvas *canvas, const char *text);  // of a text of the usual size
void cli_canvas_text(cli_canvas *canvas, const char *text, float x, float y, float size, sn_align align, sn_vec4 color);
// One line, cut with "..." where it is wider than `width`.
void cli_canvas_line(cli_canvas *canvas, const char *text, float x, float y, float width, sn_vec4 color);
float cli_canvas_lines(cli_canvas *canvas, const char *text, cli_box box,
                       sn_vec4 color);  // broken between words; answers their height

// A panel of rows under a title, of which `first` is the topmost.
typedef struct cli_rows {
    cli_box box;
    uint32_t first, count;
} cli_rows;

uint32_t cli_rows_shown(const cli_rows *rows);
int32_t cli_rows_at(const cli_rows *rows, sn_vec2 at);  // -1: none there
void cli_rows_scroll(cli_rows *rows, int64_t by);
void cli_rows_reveal(cli_rows *rows, uint32_t row);
void cli_rows_frame(const cli_rows *rows, cli_canvas *canvas, const char *title);
float cli_rows_line(const cli_rows *rows, cli_canvas *canvas, uint32_t row,
                    bool is_chosen);  // its paper; answers the base line

// view_tree.c: the nodes, from the roots down, those below folded ones left out.
typedef struct cli_outline {
    const sn_model *model;
    int32_t *order, *depth;  // nodes as the tree lists them; depth by node
    uint32_t *end;           // by node: where in the order its last descendant is, and one on
    uint32_t *place;         // by node: where in the order it is
    bool *is_folded;         // by node
    int32_t *rows;           // nodes that are to be seen
    uint32_t row_count;
} cli_outline;

bool cli_outline_make(cli_outline *tree, const sn_model *model, sni_arena *arena);  // false: no memory
void cli_outline_fold(cli_outline *tree, int32_t node, bool is_folded);
uint32_t cli_outline_reveal(cli_outline *tree, int32_t node);  // unfolds what is above it; answers its row
float cli_outline_name_x(const cli_outline *tree,
                         int32_t node);  // where its name begins in the panel; left of it is the sign to fold it
static inline bool cli_outline_has_below(const cli_outline *tree, int32_t node)
{
    return tree->end[node] > tree->place[node] + 1;
}

// view_files.c: the models that can be stepped through.
typedef struct cli_files {
    sni_list list;  // cli_input
    uint32_t at;
    sni_list opened;  // sn_archive *: those that were not on the command line
} cli_files;

// What paths mean: a file is shown among the models of its folder, a folder stands for all below it. False: error says
// why.
bool cli_files_take(cli_files *files, cli_sources *sources, char *const *paths, int count, sni_arena *arena,
                    sn_error *error);
void cli_files_close(cli_files *files);
static inline const cli_input *cli_files_now(const cli_files *files)
{
    return files->at < files->list.count ? &((const cli_input *)files->list.items)[files->at] : NULL;
}

// The files that a model was read from, and when they last changed.
typedef struct cli_watch {
    sni_arena *arena;
    sni_list files;
} cli_watch;
void cli_watch_add(void *watch, const char *path);
bool cli_watch_changed(cli_watch *watch);  // since it was last asked; what is away meanwhile has not changed

// view_exhibit.c: one model on show.
typedef struct cli_exhibit {
    cli_job job;
    cli_input input;
    sn_drawable *drawable;
    sn_pose *pose;
    sn_bounds stage;
    cli_outline tree;
    uint64_t vertex_count, triangle_count, joint_count;
} cli_exhibit;

// False: error says why, and there is nothing to close. `watch` is told of the files that were read, also then.
bool cli_exhibit_open(cli_exhibit *exhibit, cli_sources *sources, sn_renderer *renderer, const cli_input *input,
                      cli_watch *watch, sn_error *error);
void cli_exhibit_close(cli_exhibit *exhibit);

// What is remembered from one time to the next. view_memory.c
typedef struct cli_memory {
    int32_t x, y;
    bool has_place, is_first_time;
    uint32_t width, height, show, panels;
    cli_loop loop;
} cli_memory;

void cli_memory_parse(cli_memory *memory, const char *text,
                      size_t size);  // what it does not understand it leaves alone
void cli_memory_format(const cli_memory *memory, sni_writer *out);
void cli_memory_load(cli_memory *memory);  // what is not remembered stays as it is
bool cli_memory_save(const cli_memory *memory, sn_error *error);

typedef enum cli_grip { CLI_GRIP_NONE, CLI_GRIP_TURN, CLI_GRIP_PAN, CLI_GRIP_TIME } cli_grip;

enum { CLI_NOTE_BYTES = 192 };

typedef struct cli_view {
    cli_sources *sources;
    cli_look look;  // as the command line asks
    sn_renderer *renderer;
    sni_diag diag;
    sni_heap heap;
    sni_arena arena, frame_arena, watch_arena;  // files; texts of one frame
    cli_watch watch;
    cli_files files;
    cli_exhibit slots[2], *shown;  // NULL: nothing is shown
    cli_player player;
    cli_ticks ticks;
    cli_orbit orbit;
    int32_t camera;         // of the file; -1: the orbit
    int32_t node;           // the chosen one; -1: none
    uint32_t show, panels;  // sn_show, cli_panel
    cli_rows tree_rows, clip_rows;
    float width, height, scale;  // of the window, in units; pixels per unit
    float seconds_per_frame;
    double now;
    bool is_framed;  // the eye sees all of the model, and shall when the room for it changes
    bool is_help_shown, needs_drawing, wants_end, wants_full_screen;
    sn_error error;  // stays until it was read; status SN_OK: none
    char error_title[CLI_NOTE_BYTES];
    char note[CLI_NOTE_BYTES];
    double note_until;
    cli_grip grip;
    sn_vec2 mouse, pressed_at;
    bool was_dragged;
    double watched_at;            // when the files were last looked at
    void (*present)(void *user);  // puts a frame on the screen at once; may be NULL
    void *present_user;
} cli_view;

// view_window.c. Shows the view until its user has enough; an exit code, failures are told.
int cli_window_run(cli_view *view, cli_memory *memory);

// view_show.c: what is shown, and changes of that.
void cli_view_init(cli_view *view, cli_sources *sources, const cli_look *look, const cli_memory *memory);
void cli_view_start(cli_view *view);  // with a renderer; loads the first file
void cli_view_close(cli_view *view);  // what was made with the renderer
void cli_view_free(cli_view *view);
void cli_view_load(cli_view *view, bool is_again);  // the file of the list; again: eye, clip and choice stay
void cli_view_step_file(cli_view *view, int by);
void cli_view_drop(cli_view *view, char *const *paths, int count);
void cli_view_take_clip(cli_view *view, int32_t clip);
void cli_view_choose(cli_view *view, int32_t node);
void cli_view_look(cli_view *view, float yaw, float pitch);  // at all of the clip
void cli_view_note(cli_view *view, const char *format, ...) SNI_PRINTF(2, 3);
void cli_view_fail(cli_view *view, const char *title, const sn_error *error);
void cli_view_tick(cli_view *view, double now);  // time goes on
sn_eye cli_view_eye(const cli_view *view);
static inline bool cli_view_moves(const cli_view *view)
{
    return view->shown && view->player.is_playing && view->player.clip >= 0;
}
static inline const sn_model *cli_view_model(const cli_view *view)
{
    return view->shown ? view->shown->job.model : NULL;
}

// view_act.c: what the user does.
void cli_view_resize(cli_view *view, float width, float height, float scale);
void cli_view_key(cli_view *view, int32_t key);
void cli_view_move(cli_view *view, sn_vec2 to);
void cli_view_press(cli_view *view, bool is_left);
void cli_view_release(cli_view *view);
void cli_view_scroll(cli_view *view, float steps);

// view_layout.c: where things are. Boxes without width are not shown.
typedef struct cli_layout {
    cli_box tree, clips, timeline, rail, free;
} cli_layout;
cli_layout cli_layout_of(const cli_view *view);

// view_draw.c: the model as it is now, and the eye that sees it; then the frame, with or without panels and texts.
sn_eye cli_view_pose(const cli_view *view);
sn_status cli_view_draw(cli_view *view, bool is_bare, sn_error *error);
void cli_view_save_picture(cli_view *view, bool is_bare);

// view_hud.c, view_timeline.c, view_tree.c
void cli_draw_facts(const cli_view *view, cli_canvas *canvas, const cli_layout *layout);
void cli_draw_help(cli_canvas *canvas);
void cli_draw_error(const cli_view *view, cli_canvas *canvas);
void cli_draw_timeline(const cli_view *view, cli_canvas *canvas, const cli_layout *layout);
void cli_draw_tree(const cli_view *view, cli_canvas *canvas);
void cli_draw_clips(const cli_view *view, cli_canvas *canvas);

#endif
