// The view command and its window: passes GLFW's events to the viewer and shows the viewer's frames.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

static const double frame_seconds = 1.0 / 60, idle_seconds = 0.1;

typedef struct cli_window {
    GLFWwindow *glfw;
    cli_view *view;
    cli_settings *settings;
    bool is_full_screen;
    char title[CLI_MESSAGE_BYTES];
} cli_window;

bool cli_has_display(void) { return glfwInit(); }

static cli_window *window_of(GLFWwindow *glfw) { return glfwGetWindowUserPointer(glfw); }

// clang-format off
static const struct { int glfw; int32_t key; } special_keys[] = {
    { GLFW_KEY_LEFT, CLI_KEY_LEFT }, { GLFW_KEY_RIGHT, CLI_KEY_RIGHT },
    { GLFW_KEY_UP, CLI_KEY_UP }, { GLFW_KEY_DOWN, CLI_KEY_DOWN },
    { GLFW_KEY_HOME, CLI_KEY_HOME }, { GLFW_KEY_END, CLI_KEY_END },
    { GLFW_KEY_PAGE_UP, CLI_KEY_PAGE_UP }, { GLFW_KEY_PAGE_DOWN, CLI_KEY_PAGE_DOWN },
    { GLFW_KEY_TAB, CLI_KEY_TAB }, { GLFW_KEY_ESCAPE, CLI_KEY_ESCAPE },
    { GLFW_KEY_BACKSPACE, CLI_KEY_BACKSPACE }, { GLFW_KEY_ENTER, CLI_KEY_ENTER },
    { GLFW_KEY_KP_ENTER, CLI_KEY_ENTER }, { GLFW_KEY_F1, CLI_KEY_F1 },
    { GLFW_KEY_F5, CLI_KEY_F5 }, { GLFW_KEY_F11, CLI_KEY_F11 },
    { GLFW_KEY_F12, CLI_KEY_F12 }, { GLFW_KEY_SPACE, ' ' },
};
// clang-format on

// By the character on the key in the current layout; if that has no function, by its position on a US keyboard.
static int32_t key_of(int glfw, int scancode)
{
    for (size_t i = 0; i < sizeof special_keys / sizeof *special_keys; i++)
        if (special_keys[i].glfw == glfw) return special_keys[i].key;
    const char *name = glfwGetKeyName(glfw, scancode);
    int32_t key = name && name[0] > 0 && name[1] == 0 ? name[0] : CLI_KEY_OTHER;
    if (key >= 'a' && key <= 'z') key += 'A' - 'a';
    return cli_key_find(key) || glfw > '~' ? key : glfw;
}

static bool is_modifier(int glfw) { return glfw >= GLFW_KEY_LEFT_SHIFT && glfw <= GLFW_KEY_RIGHT_SUPER; }

static void on_key(GLFWwindow *glfw, int key, int scancode, int action, int modifiers)
{
    const int foreign = GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;
    if (action == GLFW_RELEASE || is_modifier(key) || (modifiers & foreign)) return;
    cli_view_key(window_of(glfw)->view, key_of(key, scancode));
}

static void on_character(GLFWwindow *glfw, unsigned code) { cli_view_character(window_of(glfw)->view, code); }

// Converts window coordinates to units of the viewer.
static void on_move(GLFWwindow *glfw, double x, double y)
{
    cli_view *view = window_of(glfw)->view;
    int width, height;
    glfwGetWindowSize(glfw, &width, &height);
    if (width <= 0 || height <= 0) return;
    cli_view_move(view, (sn_vec2){ (float)x * view->width / (float)width, (float)y * view->height / (float)height });
}

static void on_button(GLFWwindow *glfw, int button, int action, int modifiers)
{
    cli_view *view = window_of(glfw)->view;
    if (action == GLFW_PRESS) cli_view_press(view, button == GLFW_MOUSE_BUTTON_LEFT && !(modifiers & GLFW_MOD_SHIFT));
    else cli_view_release(view);
}

static void on_scroll(GLFWwindow *glfw, double x, double y)
{
    (void)x;
    cli_view_scroll(window_of(glfw)->view, (float)y);
}

static void fit(const cli_window *window)
{
    int width, height;
    float scale, ignored;
    glfwGetFramebufferSize(window->glfw, &width, &height);
    glfwGetWindowContentScale(window->glfw, &scale, &ignored);
    if (!(scale >= 0.5f && scale <= 8)) scale = 1;
    if (width > 0 && height > 0) cli_view_resize(window->view, (float)width / scale, (float)height / scale, scale);
}

static void on_resize(GLFWwindow *glfw, int width, int height)
{
    (void)width, (void)height;
    fit(window_of(glfw));
}

static void on_refresh(GLFWwindow *glfw) { window_of(glfw)->view->needs_drawing = true; }

static void set_title(cli_window *window)
{
    const cli_input *input = cli_files_now(&window->view->files);
    char title[CLI_MESSAGE_BYTES];
    const char *name = input ? sni_last_name(input->name) : "drop a model here";
    if (window->view->browser.is_open) name = "files";
    snprintf(title, sizeof title, "%.*s - sinew", (int)cli_cut(name, 128), name);
    sni_text_clean_fixed(title, sizeof title);
    if (strcmp(title, window->title) == 0) return;
    snprintf(window->title, sizeof window->title, "%s", title);
    glfwSetWindowTitle(window->glfw, title);
}

static void on_drop(GLFWwindow *glfw, int count, const char **paths)
{
    cli_view_drop(window_of(glfw)->view, (char *const *)(uintptr_t)paths, count);
}

static void listen(cli_window *window)
{
    glfwSetWindowUserPointer(window->glfw, window);
    glfwSetKeyCallback(window->glfw, on_key);
    glfwSetCharCallback(window->glfw, on_character);
    glfwSetCursorPosCallback(window->glfw, on_move);
    glfwSetMouseButtonCallback(window->glfw, on_button);
    glfwSetScrollCallback(window->glfw, on_scroll);
    glfwSetFramebufferSizeCallback(window->glfw, on_resize);
    glfwSetWindowRefreshCallback(window->glfw, on_refresh);
    glfwSetDropCallback(window->glfw, on_drop);
}

static int fail_window(const char *what)
{
    const char *why = NULL;
    glfwGetError(&why);
    cli_complain("%s: %s; 'sinew render' works without a display", what, why ? why : "no display");
    return CLI_EXIT_NO_GRAPHICS;
}

// The stored position is used only if it is on a screen.
static bool is_on_screen(const cli_settings *settings)
{
    int count, x, y, width, height;
    GLFWmonitor **monitors = glfwGetMonitors(&count);
    for (int i = 0; i < count; i++) {
        glfwGetMonitorWorkarea(monitors[i], &x, &y, &width, &height);
        if (settings->x >= x - 8 && settings->y >= y - 8 && settings->x < x + width - 64 &&
            settings->y < y + height - 64)
            return true;
    }
    return false;
}

// OpenGL 3.3, else OpenGL ES 3.0.
static GLFWwindow *create_window(const cli_settings *settings, bool is_es)
{
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_CLIENT_API, is_es ? GLFW_OPENGL_ES_API : GLFW_OPENGL_API);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, is_es ? 0 : 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, is_es ? GLFW_OPENGL_ANY_PROFILE : GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, !is_es);
    return glfwCreateWindow((int)settings->width, (int)settings->height, "sinew", NULL, NULL);
}

static int open_window(cli_window *window)
{
    const cli_settings *settings = window->settings;
    window->glfw = create_window(settings, false);
    if (!window->glfw) window->glfw = create_window(settings, true);
    if (!window->glfw)
        return fail_window("cannot open a window (Debian and Ubuntu: apt-get install libgl1 libgl1-mesa-dri)");
    if (settings->has_position && is_on_screen(settings)) glfwSetWindowPos(window->glfw, settings->x, settings->y);
    glfwSetWindowSizeLimits(window->glfw, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwMakeContextCurrent(window->glfw);
    glfwSwapInterval(1);
    listen(window);
    return CLI_EXIT_OK;
}

static void store_settings(const cli_window *window)
{
    int width, height, x, y;
    cli_settings *settings = window->settings;
    if (!window->is_full_screen) {
        glfwGetWindowSize(window->glfw, &width, &height);
        glfwGetWindowPos(window->glfw, &x, &y);
        settings->width = (uint32_t)width, settings->height = (uint32_t)height;
        settings->x = x, settings->y = y;
        settings->has_position = true;
    }
    uint32_t asked = window->view->options.show;  // options of the command line are not stored
    settings->show = (window->view->show & ~asked) | (settings->show & asked);
    settings->panels = window->view->panels;
    settings->loop = window->view->player.loop;
}

static void set_full_screen(cli_window *window)
{
    if (window->is_full_screen == window->view->wants_full_screen) return;
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
    const cli_settings *settings = window->settings;
    if (!window->is_full_screen) store_settings(window);
    if (window->view->wants_full_screen && mode)
        glfwSetWindowMonitor(window->glfw, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    else
        glfwSetWindowMonitor(window->glfw, NULL, settings->x, settings->y, (int)settings->width, (int)settings->height,
                             GLFW_DONT_CARE);
    window->is_full_screen = window->view->wants_full_screen && mode;
    window->view->wants_full_screen = window->is_full_screen;
}

// A failure is shown like a bad file. If that cannot be drawn either, the window closes.
static int draw(cli_window *window)
{
    cli_view *view = window->view;
    sn_error error;
    view->needs_drawing = false;
    if (cli_view_draw(view, false, &error) != SN_OK) {
        cli_view_close(view);
        cli_view_show_error(view, "Cannot draw the model", &error);
        if (cli_view_draw(view, false, &error) != SN_OK) {
            cli_complain("%s", error.message);
            return CLI_EXIT_NO_GRAPHICS;
        }
    }
    sn_render_present(view->renderer, 0);
    glfwSwapBuffers(window->glfw);
    return CLI_EXIT_OK;
}

static void present(void *user) { draw(user); }

// While nothing moves it waits for events; while playing it waits until the next frame is due.
static int run(cli_window *window)
{
    cli_view *view = window->view;
    int code = CLI_EXIT_OK;
    while (code == CLI_EXIT_OK && !view->should_quit && !glfwWindowShouldClose(window->glfw)) {
        double begun = glfwGetTime();
        cli_view_tick(view, begun);
        if (view->needs_drawing) code = draw(window);
        double left = frame_seconds - (glfwGetTime() - begun);
        bool is_moving = view->needs_drawing || cli_view_is_playing(view);
        if (!is_moving) glfwWaitEventsTimeout(idle_seconds);
        else if (left > 0.001) glfwWaitEventsTimeout(left);
        else glfwPollEvents();
        set_full_screen(window);
        set_title(window);
    }
    store_settings(window);
    return code;
}

static void report(void *user, const sn_warning *warning) { cli_view_report_image(user, warning); }

static bool is_software(const sn_renderer *renderer)
{
    const char *name = sn_renderer_name(renderer);
    return strstr(name, "llvmpipe") || strstr(name, "softpipe") || strstr(name, "SwiftShader");
}

// Shadows take half of the frame time on a software driver: there they are off by default.
static int show(cli_window *window)
{
    sn_error error;
    cli_view *view = window->view;
    const sn_render_opts opts = { .use_current = true,
                                  .report = report,
                                  .fonts = getenv("SINEW_FONT"),
                                  .image_pixels = cli_session_image_pixels(view->session),
                                  .user = view };
    fit(window);
    view->renderer = sn_renderer_create(&opts, &error);
    if (!view->renderer) {
        cli_complain("%s", error.message);
        return CLI_EXIT_NO_GRAPHICS;
    }
    cli_pin_driver_threads(view->renderer);
    bool wants_shadows = view->options.show & SN_SHOW_SHADOW;
    if (window->settings->is_first_run && !wants_shadows && is_software(view->renderer))
        view->show &= ~(uint32_t)SN_SHOW_SHADOW;
    view->present = present;
    view->present_user = window;
    view->browser.thumbs.wake = glfwPostEmptyEvent;
    cli_view_start(view);
    int code = run(window);
    cli_thumbs_stop(&view->browser.thumbs);
    cli_view_close(view);
    sn_renderer_free(view->renderer);
    return code;
}

static int run_window(cli_view *view, cli_settings *settings)
{
    cli_window window = { .view = view, .settings = settings };
    if (!glfwInit()) return fail_window("cannot open a display");
    int code = open_window(&window);
    if (code == CLI_EXIT_OK) code = show(&window);
    if (window.glfw) glfwDestroyWindow(window.glfw);
    glfwTerminate();
    return code;
}

static const cli_settings defaults = {
    .width = 1024,
    .height = 680,
    .show = SN_SHOW_GRID | SN_SHOW_SHADOW,
    .panels = CLI_PANEL_TIMELINE | CLI_PANEL_INFORMATION,
};

int cli_run_view(cli_session *session, cli_out *out)
{
    const cli_args *args = session->args;
    cli_render_options options;
    cli_view view;
    sn_error error;
    cli_settings settings = defaults;
    (void)out;
    if (!cli_render_options_read(args, &options) || !cli_check_clip_time(args)) return CLI_EXIT_USAGE;
    cli_settings_load(&settings);
    if (cli_has(args, CLI_OPTION_SIZE)) settings.width = options.width, settings.height = options.height;
    cli_view_init(&view, session, &options, &settings);
    int code = run_window(&view, &settings);
    if (code == CLI_EXIT_OK && !cli_settings_save(&settings, &error))
        cli_complain("cannot save the window settings: %s", error.message);
    cli_view_free(&view);
    return code;
}
