// The key table of the viewer. Help screen, man page and docs/view.md are made from it.
#ifndef CLI_VIEW_KEYS_H
#define CLI_VIEW_KEYS_H

#include <stdint.h>

// A key with a character is that character, letters in upper case; the others follow.
enum {
    CLI_KEY_LEFT = 256,
    CLI_KEY_RIGHT,
    CLI_KEY_UP,
    CLI_KEY_DOWN,
    CLI_KEY_HOME,
    CLI_KEY_END,
    CLI_KEY_PAGE_UP,
    CLI_KEY_PAGE_DOWN,
    CLI_KEY_TAB,
    CLI_KEY_ESCAPE,
    CLI_KEY_BACKSPACE,
    CLI_KEY_ENTER,
    CLI_KEY_F1,
    CLI_KEY_F5,
    CLI_KEY_F11,
    CLI_KEY_F12,
    CLI_KEY_OTHER
};

typedef enum cli_action {
    CLI_DO_NOTHING,
    CLI_DO_PLAY,
    CLI_DO_STEP,
    CLI_DO_SEEK_ENDS,
    CLI_DO_NEXT_CLIP,
    CLI_DO_CHANGE_SPEED,
    CLI_DO_NORMAL_SPEED,
    CLI_DO_NEXT_LOOP,
    CLI_DO_NEXT_FILE,
    CLI_DO_RELOAD,
    CLI_DO_BROWSE,
    CLI_DO_TOGGLE_SHOW,   // argument: sn_show
    CLI_DO_TOGGLE_PANEL,  // argument: cli_panel
    CLI_DO_VIEW,          // argument: number of the view, from 1
    CLI_DO_FRAME,
    CLI_DO_NEXT_CAMERA,
    CLI_DO_SAVE,  // argument: 1 with panels and texts, 0 without
    CLI_DO_FULL_SCREEN,
    CLI_DO_HELP,
    CLI_DO_ESCAPE,
    CLI_DO_QUIT
} cli_action;

typedef enum cli_panel {
    CLI_PANEL_TREE = 1 << 0,
    CLI_PANEL_CLIPS = 1 << 1,
    CLI_PANEL_TIMELINE = 1 << 2,
    CLI_PANEL_INFORMATION = 1 << 3,
    CLI_PANEL_FINDINGS = 1 << 4
} cli_panel;

typedef struct cli_key_row {
    int32_t keys[2];    // alternatives; none: a heading, or a mouse action
    const char *shown;  // "Left"; NULL: a heading
    const char *text;
    cli_action action;
    int32_t argument;
    const char *badge;  // what the window says while the toggle is on, because it hides or replaces something; or NULL
} cli_key_row;

extern const cli_key_row cli_keys[];
extern const uint32_t cli_key_count;

const cli_key_row *cli_key_find(int32_t key);  // NULL: it has no function

#endif
