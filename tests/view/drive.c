// Drives the window in tests: keys, mouse and drops through X11.
//
//     drive wait                        until the window exists and has the keyboard focus
//     drive key h space Page_Down       names of X11 keys
//     drive move X Y, down N, up N, wheel N, click X Y, drag BUTTON X Y X Y
//     drive drop PATH...                like a file manager; waits until the window has accepted it
//     drive size W H                    waits until the window has that size
//     drive title TEXT                  waits until the title contains TEXT
//
// Each command waits for its effect, never for a fixed time. Exit code 1: timed out; the message names what was
// expected.
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATIENCE_MS = 60000, STEP_MS = 5 };

typedef struct hand {
    Display *display;
    Window root, target;
} hand;

static void rest(void)
{
    const struct timespec step = { 0, STEP_MS * 1000000L };
    nanosleep(&step, NULL);
}

static int give_up(const char *what)
{
    fprintf(stderr, "drive: waited in vain for %s\n", what);
    exit(1);
}

// A window may be destroyed during a call. The failed call is enough; ignore the X11 error.
static int ignore(Display *display, XErrorEvent *event)
{
    (void)display, (void)event;
    return 0;
}

static bool holds_title(const hand *h, Window window, const char *part)
{
    Atom utf8 = XInternAtom(h->display, "UTF8_STRING", False), name = XInternAtom(h->display, "_NET_WM_NAME", False),
         type;
    int format;
    unsigned long count, after;
    unsigned char *text = NULL;
    if (XGetWindowProperty(h->display, window, name, 0, 256, False, utf8, &type, &format, &count, &after, &text) !=
        Success)
        return false;
    bool holds = text && strstr((const char *)text, part);
    if (text) XFree(text);
    return holds;
}

static Window find_window(const hand *h)
{
    Window root, parent, *windows = NULL, found = None;
    unsigned count = 0;
    if (!XQueryTree(h->display, h->root, &root, &parent, &windows, &count)) return None;
    for (unsigned i = 0; i < count && found == None; i++) {
        XWindowAttributes look;
        bool is_seen = XGetWindowAttributes(h->display, windows[i], &look) && look.map_state == IsViewable;
        if (is_seen && holds_title(h, windows[i], "sinew")) found = windows[i];
    }
    if (windows) XFree(windows);
    return found;
}

static void find(hand *h)
{
    for (int waited = 0; (h->target = find_window(h)) == None; waited += STEP_MS) {
        if (waited > PATIENCE_MS) give_up("the window");
        rest();
    }
    XSetInputFocus(h->display, h->target, RevertToParent, CurrentTime);
    XSync(h->display, False);
}

static void type_key(const hand *h, const char *name)
{
    KeySym symbol = XStringToKeysym(name);
    KeyCode code = symbol == NoSymbol ? 0 : XKeysymToKeycode(h->display, symbol);
    if (code == 0) give_up(name);
    XTestFakeKeyEvent(h->display, code, True, 2);  // 2 ms apart: simultaneous presses count once
    XTestFakeKeyEvent(h->display, code, False, 2);
    XSync(h->display, False);
}

static void move_to(const hand *h, int x, int y)
{
    int root_x, root_y;
    Window child;
    XTranslateCoordinates(h->display, h->target, h->root, x, y, &root_x, &root_y, &child);
    XTestFakeMotionEvent(h->display, -1, root_x, root_y, CurrentTime);
    XSync(h->display, False);
}

static void press(const hand *h, unsigned button, bool is_down)
{
    XTestFakeButtonEvent(h->display, button, is_down, CurrentTime);
    XSync(h->display, False);
}

static void resize(const hand *h, int width, int height)
{
    XResizeWindow(h->display, h->target, (unsigned)width, (unsigned)height);
    XWindowAttributes look;
    for (int waited = 0;; waited += STEP_MS) {
        XSync(h->display, False);
        if (XGetWindowAttributes(h->display, h->target, &look) && look.width == width && look.height == height) return;
        if (waited > PATIENCE_MS) give_up("the size");
        rest();
    }
}

// The source side of XDND version 5.
typedef struct drag {
    const hand *h;
    Window source;
    char *uris;
} drag;

static Atom atom(const drag *d, const char *name) { return XInternAtom(d->h->display, name, False); }

static void tell(const drag *d, const char *message, long a, long b, long c, long e)
{
    XEvent event = { .xclient = { .type = ClientMessage,
                                  .display = d->h->display,
                                  .window = d->h->target,
                                  .message_type = atom(d, message),
                                  .format = 32,
                                  .data.l = { (long)d->source, a, b, c, e } } };
    XSendEvent(d->h->display, d->h->target, False, NoEventMask, &event);
    XFlush(d->h->display);
}

static void answer(const drag *d, const XSelectionRequestEvent *asked)
{
    XChangeProperty(d->h->display, asked->requestor, asked->property, asked->target, 8, PropModeReplace,
                    (const unsigned char *)d->uris, (int)strlen(d->uris));
    XEvent event = { .xselection = { .type = SelectionNotify,
                                     .display = d->h->display,
                                     .requestor = asked->requestor,
                                     .selection = asked->selection,
                                     .target = asked->target,
                                     .property = asked->property,
                                     .time = asked->time } };
    XSendEvent(d->h->display, asked->requestor, False, NoEventMask, &event);
    XFlush(d->h->display);
}

// Serves requests of the window until this message arrives.
static void await(const drag *d, const char *message)
{
    for (int waited = 0;; waited += STEP_MS) {
        while (XPending(d->h->display) > 0) {
            XEvent event;
            XNextEvent(d->h->display, &event);
            if (event.type == SelectionRequest) answer(d, &event.xselectionrequest);
            if (event.type == ClientMessage && event.xclient.message_type == atom(d, message)) return;
        }
        if (waited > PATIENCE_MS) give_up(message);
        rest();
    }
}

static char *uris_of(char **paths, int count)
{
    char full[PATH_MAX], *uris = calloc((size_t)count, PATH_MAX * 3 + 16),
                         *at = uris;  // an escaped character takes three bytes
    for (int i = 0; uris && i < count; i++) {
        if (!realpath(paths[i], full)) give_up(paths[i]);
        at += sprintf(at, "file://");
        for (const char *c = full; *c; c++)
            at += *c == ' ' || *c == '%' ? sprintf(at, "%%%02X", (unsigned)*c) : sprintf(at, "%c", *c);
        at += sprintf(at, "\r\n");
    }
    return uris;
}

static void drop(const hand *h, char **paths, int count)
{
    drag d = { h, XCreateSimpleWindow(h->display, h->root, 0, 0, 1, 1, 0, 0, 0), uris_of(paths, count) };
    int x, y;
    Window child;
    XTranslateCoordinates(h->display, h->target, h->root, 40, 40, &x, &y, &child);
    XSetSelectionOwner(h->display, atom(&d, "XdndSelection"), d.source, CurrentTime);
    tell(&d, "XdndEnter", 5L << 24, (long)atom(&d, "text/uri-list"), 0, 0);
    tell(&d, "XdndPosition", 0, (long)x << 16 | y, CurrentTime, (long)atom(&d, "XdndActionCopy"));
    await(&d, "XdndStatus");
    tell(&d, "XdndDrop", 0, CurrentTime, 0, 0);
    await(&d, "XdndFinished");
    free(d.uris);
}

static void await_title(const hand *h, const char *part)
{
    for (int waited = 0; !holds_title(h, h->target, part); waited += STEP_MS) {
        if (waited > PATIENCE_MS) give_up(part);
        rest();
    }
}

static void drag_mouse(const hand *h, unsigned button, int x0, int y0, int x1, int y1)
{
    enum { STEPS = 8 };
    move_to(h, x0, y0);
    press(h, button, true);
    for (int i = 1; i <= STEPS; i++) move_to(h, x0 + (x1 - x0) * i / STEPS, y0 + (y1 - y0) * i / STEPS);
    press(h, button, false);
}

static int obey(hand *h, const char *what, char **args, int count)
{
    int n[5] = { 0 };
    bool is_drop = strcmp(what, "drop") == 0, is_key = strcmp(what, "key") == 0, is_title = strcmp(what, "title") == 0;
    for (int i = 0; i < count && i < 5; i++) n[i] = atoi(args[i]);
    if (is_key)
        for (int i = 0; i < count; i++) type_key(h, args[i]);
    else if (is_drop) drop(h, args, count);
    else if (is_title && count == 1) await_title(h, args[0]);
    else if (strcmp(what, "move") == 0 && count == 2) move_to(h, n[0], n[1]);
    else if (strcmp(what, "down") == 0 && count == 1) press(h, (unsigned)n[0], true);
    else if (strcmp(what, "up") == 0 && count == 1) press(h, (unsigned)n[0], false);
    else if (strcmp(what, "click") == 0 && count == 2) drag_mouse(h, 1, n[0], n[1], n[0], n[1]);
    else if (strcmp(what, "drag") == 0 && count == 5) drag_mouse(h, (unsigned)n[0], n[1], n[2], n[3], n[4]);
    else if (strcmp(what, "wheel") == 0 && count == 1)
        for (int i = 0; i < abs(n[0]); i++) press(h, n[0] > 0 ? 4 : 5, true), press(h, n[0] > 0 ? 4 : 5, false);
    else if (strcmp(what, "size") == 0 && count == 2) resize(h, n[0], n[1]);
    else if (strcmp(what, "wait") != 0) return 2;
    return 0;
}

int main(int argc, char **argv)
{
    hand h = { .display = XOpenDisplay(NULL) };
    if (!h.display || argc < 2) {
        fprintf(stderr, "drive: %s\n", h.display ? "nothing to do" : "no display");
        return 2;
    }
    XSetErrorHandler(ignore);
    h.root = DefaultRootWindow(h.display);
    find(&h);
    int code = obey(&h, argv[1], argv + 2, argc - 2);
    XCloseDisplay(h.display);
    if (code) fprintf(stderr, "drive: '%s' is not understood\n", argv[1]);
    return code;
}
