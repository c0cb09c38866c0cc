// Keys of the viewer.
#include "keys.h"

#include <stddef.h>

#include "sinew/render.h"

// clang-format off
const cli_key_row cli_keys[] = {
    { { 0 }, NULL, "Time", CLI_DO_NOTHING, 0, NULL },
    { { ' ' }, "Space", "play or pause", CLI_DO_PLAY, 0, NULL },
    { { CLI_KEY_RIGHT, '.' }, "Right", "next frame", CLI_DO_STEP, 1, NULL },
    { { CLI_KEY_LEFT, ',' }, "Left", "previous frame", CLI_DO_STEP, -1, NULL },
    { { CLI_KEY_HOME }, "Home", "first frame", CLI_DO_SEEK_ENDS, 0, NULL },
    { { CLI_KEY_END }, "End", "last frame", CLI_DO_SEEK_ENDS, 1, NULL },
    { { CLI_KEY_DOWN }, "Down", "next clip", CLI_DO_NEXT_CLIP, 1, NULL },
    { { CLI_KEY_UP }, "Up", "previous clip", CLI_DO_NEXT_CLIP, -1, NULL },
    { { '+', '=' }, "+", "faster", CLI_DO_CHANGE_SPEED, 1, NULL },
    { { '-' }, "-", "slower", CLI_DO_CHANGE_SPEED, -1, NULL },
    { { CLI_KEY_BACKSPACE }, "Backspace", "normal speed", CLI_DO_NORMAL_SPEED, 0, NULL },
    { { 'O' }, "O", "repeat, once, ping-pong", CLI_DO_NEXT_LOOP, 0, NULL },
    { { 0 }, NULL, "Files", CLI_DO_NOTHING, 0, NULL },
    { { CLI_KEY_PAGE_DOWN, ']' }, "Page Down", "next file", CLI_DO_NEXT_FILE, 1, NULL },
    { { CLI_KEY_PAGE_UP, '[' }, "Page Up", "previous file", CLI_DO_NEXT_FILE, -1, NULL },
    { { CLI_KEY_ENTER }, "Enter", "list of files; type to search", CLI_DO_BROWSE, 0, NULL },
    { { 'R', CLI_KEY_F5 }, "R", "reload the file", CLI_DO_RELOAD, 0, NULL },
    { { 'P' }, "P", "save a picture of the model", CLI_DO_SAVE, 0, NULL },
    { { CLI_KEY_F12 }, "F12", "save a picture of the window", CLI_DO_SAVE, 1, NULL },
    { { 0 }, NULL, "Camera", CLI_DO_NOTHING, 0, NULL },
    { { 0 }, "Left drag", "rotate", CLI_DO_NOTHING, 0, NULL },
    { { 0 }, "Right drag", "pan", CLI_DO_NOTHING, 0, NULL },
    { { 0 }, "Wheel", "zoom", CLI_DO_NOTHING, 0, NULL },
    { { 0 }, "Click", "select a bone", CLI_DO_NOTHING, 0, NULL },
    { { '1' }, "1", "three-quarter view", CLI_DO_VIEW, 1, NULL },
    { { '2' }, "2", "front", CLI_DO_VIEW, 2, NULL },
    { { '3' }, "3", "back", CLI_DO_VIEW, 3, NULL },
    { { '4' }, "4", "left", CLI_DO_VIEW, 4, NULL },
    { { '5' }, "5", "right", CLI_DO_VIEW, 5, NULL },
    { { '6' }, "6", "top", CLI_DO_VIEW, 6, NULL },
    { { '7' }, "7", "bottom", CLI_DO_VIEW, 7, NULL },
    { { 'F' }, "F", "frame the complete clip", CLI_DO_FRAME, 0, NULL },
    { { 'C' }, "C", "next camera of the model", CLI_DO_NEXT_CAMERA, 0, NULL },
    { { 0 }, NULL, "Show", CLI_DO_NOTHING, 0, NULL },
    { { 'B' }, "B", "bones", CLI_DO_TOGGLE_SHOW, SN_SHOW_SKELETON, NULL },
    { { 'N' }, "N", "bone names", CLI_DO_TOGGLE_SHOW, SN_SHOW_NAMES, NULL },
    { { 'A' }, "A", "bone axes", CLI_DO_TOGGLE_SHOW, SN_SHOW_AXES, NULL },
    { { 'E' }, "E", "weights of the selected bone", CLI_DO_TOGGLE_SHOW, SN_SHOW_WEIGHTS, "weights" },
    { { 'M' }, "M", "attachments", CLI_DO_TOGGLE_SHOW, SN_SHOW_ATTACHMENTS, NULL },
    { { 'W' }, "W", "wireframe", CLI_DO_TOGGLE_SHOW, SN_SHOW_WIREFRAME, "wireframe" },
    { { 'V' }, "V", "normals", CLI_DO_TOGGLE_SHOW, SN_SHOW_NORMALS, NULL },
    { { 'X' }, "X", "bounding box and sphere", CLI_DO_TOGGLE_SHOW, SN_SHOW_BOUNDS, NULL },
    { { 'G' }, "G", "ground", CLI_DO_TOGGLE_SHOW, SN_SHOW_GRID, NULL },
    { { 'D' }, "D", "shadows", CLI_DO_TOGGLE_SHOW, SN_SHOW_SHADOW, NULL },
    { { 'T' }, "T", "without textures", CLI_DO_TOGGLE_SHOW, SN_SHOW_UNTEXTURED, "no textures" },
    { { 'L' }, "L", "lights of the model", CLI_DO_TOGGLE_SHOW, SN_SHOW_LIGHTS, "lights of the model" },
    { { 0 }, NULL, "Window", CLI_DO_NOTHING, 0, NULL },
    { { CLI_KEY_TAB }, "Tab", "node tree", CLI_DO_TOGGLE_PANEL, CLI_PANEL_TREE, NULL },
    { { 'K' }, "K", "clip list", CLI_DO_TOGGLE_PANEL, CLI_PANEL_CLIPS, NULL },
    { { 'J' }, "J", "timeline", CLI_DO_TOGGLE_PANEL, CLI_PANEL_TIMELINE, NULL },
    { { 'I' }, "I", "model information", CLI_DO_TOGGLE_PANEL, CLI_PANEL_INFORMATION, NULL },
    { { 'S' }, "S", "findings", CLI_DO_TOGGLE_PANEL, CLI_PANEL_FINDINGS, NULL },
    { { CLI_KEY_F11 }, "F11", "full screen", CLI_DO_FULL_SCREEN, 0, NULL },
    { { 'H', CLI_KEY_F1 }, "H", "this help", CLI_DO_HELP, 0, NULL },
    { { CLI_KEY_ESCAPE }, "Escape", "clear the selection, then quit", CLI_DO_ESCAPE, 0, NULL },
    { { 'Q' }, "Q", "quit", CLI_DO_QUIT, 0, NULL },
};
// clang-format on

const uint32_t cli_key_count = sizeof cli_keys / sizeof *cli_keys;

const cli_key_row *cli_key_find(int32_t key)
{
    for (uint32_t i = 0; i < cli_key_count; i++)
        if (key && (cli_keys[i].keys[0] == key || cli_keys[i].keys[1] == key)) return &cli_keys[i];
    return NULL;
}
