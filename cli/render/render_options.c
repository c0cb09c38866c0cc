// Reads the options of render and view.
#include "render.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

enum { SIDE_MAX = CLI_PICTURE_SIDE_MAX, SHOWN_BYTES = 64 };
enum { APNG_RATE = 30, GIF_RATE = 25 };  // GIF delays are hundredths of a second; 1/25 is exact

static const float degree = 0.01745329252f;

static bool reject(const char *option, const char *expected, const char *value)
{
    char shown[SHOWN_BYTES];
    sni_text_printable(value, shown, sizeof shown);
    cli_complain("'--%s' needs %s, not '%s'", option, expected, shown);
    return false;
}

static const char *read_side(const char *text, uint32_t *side)
{
    *side = 0;
    while (*text >= '0' && *text <= '9' && *side <= SIDE_MAX) *side = *side * 10 + (uint32_t)(*text++ - '0');
    return text;
}

static bool read_size(const char *text, cli_render_options *options)
{
    options->width = options->height = options->is_sheet ? 160 : 512;
    if (!text) return true;
    const char *rest = read_side(text, &options->width);
    options->height = options->width;
    if (*rest == 'x' || *rest == 'X') rest = read_side(rest + 1, &options->height);
    bool is_good = *rest == 0 && options->width > 0 && options->width <= SIDE_MAX && options->height > 0 &&
                   options->height <= SIDE_MAX;
    return is_good || reject("size", "a size in pixels such as 640x480, at most 16384x16384", text);
}

const cli_view_preset cli_presets[CLI_PRESETS] = {
    { "front", 0, 0 },   { "back", 180, 0 }, { "left", 90, 0 },
    { "right", -90, 0 }, { "top", 0, 90 },   { "bottom", 0, -90 },
};

static bool read_angles(const char *text, cli_render_options *options)
{
    char yaw[SHOWN_BYTES];
    const char *comma = strchr(text, ',');
    size_t size = comma ? (size_t)(comma - text) : SHOWN_BYTES;
    if (size >= sizeof yaw) return false;
    memcpy(yaw, text, size);
    yaw[size] = 0;
    return cli_parse_float(yaw, &options->yaw) && cli_parse_float(comma + 1, &options->pitch) &&
           fabsf(options->pitch) <= 90 && fabsf(options->yaw) <= 3600;
}

static bool read_view(const char *text, cli_render_options *options)
{
    options->yaw = SN_VIEW_YAW;
    options->pitch = SN_VIEW_PITCH;
    if (!text || strcmp(text, "threequarter") == 0) return true;
    bool is_good = false;
    for (size_t i = 0; i < CLI_PRESETS && !is_good; i++) {
        is_good = strcmp(text, cli_presets[i].name) == 0;
        options->yaw = cli_presets[i].yaw;
        options->pitch = cli_presets[i].pitch;
    }
    if (!is_good && !read_angles(text, options))
        return reject("view", "front, back, left, right, top, bottom, threequarter, or yaw,pitch in degrees", text);
    options->yaw *= degree;
    options->pitch *= degree;
    return true;
}

// "#rgb", "#rrggbb" or "#rrggbbaa". The '#' is optional, because it starts a comment in shells.
static bool read_hex(const char *text, sn_vec4 *color)
{
    float parts[4] = { 0, 0, 0, 1 };
    if (*text == '#') text++;
    size_t size = strlen(text), width = size == 3 ? 1 : 2;
    if (size != 3 && size != 6 && size != 8) return false;
    for (size_t i = 0; i < size / width; i++) {
        int high = sni_hex_digit(text[i * width]), low = sni_hex_digit(text[i * width + width - 1]);
        if (high < 0 || low < 0) return false;
        parts[i] = (float)(high * 16 + low) / 255.0f;
    }
    *color = (sn_vec4){ parts[0], parts[1], parts[2], parts[3] };
    return true;
}

static const struct {
    const char *name;
    sn_vec4 color;
} colors[] = {
    { "transparent", { 0, 0, 0, 0 } },   { "black", { 0, 0, 0, 1 } },         { "white", { 1, 1, 1, 1 } },
    { "grey", { 0.5f, 0.5f, 0.5f, 1 } }, { "gray", { 0.5f, 0.5f, 0.5f, 1 } },
};

static bool read_background(const char *text, cli_render_options *options)
{
    options->background = (sn_vec4){ 0.19f, 0.21f, 0.24f, 1 };
    if (!text) return true;
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++) {
        if (strcmp(text, colors[i].name) != 0) continue;
        options->background = colors[i].color;
        return true;
    }
    return read_hex(text, &options->background) ||
           reject("background", "transparent, black, white, grey or a hex colour such as 30a0ff", text);
}

// clang-format off
static const struct { cli_option option; uint32_t show; } toggles[] = {
    { CLI_OPTION_NO_TEXTURE, SN_SHOW_UNTEXTURED }, { CLI_OPTION_WIRE, SN_SHOW_WIREFRAME },
    { CLI_OPTION_GRID, SN_SHOW_GRID }, { CLI_OPTION_SHADOW, SN_SHOW_SHADOW },
    { CLI_OPTION_SKELETON, SN_SHOW_SKELETON }, { CLI_OPTION_NAMES, SN_SHOW_NAMES },
    { CLI_OPTION_AXES, SN_SHOW_AXES }, { CLI_OPTION_ATTACHMENTS, SN_SHOW_ATTACHMENTS },
    { CLI_OPTION_BOUNDS, SN_SHOW_BOUNDS }, { CLI_OPTION_NORMALS, SN_SHOW_NORMALS },
    { CLI_OPTION_WEIGHTS, SN_SHOW_WEIGHTS }, { CLI_OPTION_LIGHTS, SN_SHOW_LIGHTS },
};
// clang-format on

static bool writes(const cli_args *args, cli_option option, const char *ending)
{
    const char *output = args->values[CLI_OPTION_OUTPUT];
    return cli_has(args, option) || (output && cli_has_ending(output, ending));
}

bool cli_writes_gif(const cli_args *args) { return writes(args, CLI_OPTION_GIF, "gif"); }
bool cli_writes_apng(const cli_args *args) { return writes(args, CLI_OPTION_APNG, "apng"); }

bool cli_render_options_read(const cli_args *args, cli_render_options *options)
{
    *options = (cli_render_options){ .is_sheet = cli_has(args, CLI_OPTION_SHEET), .is_gif = cli_writes_gif(args) };
    if (cli_writes_apng(args)) options->animation_rate = APNG_RATE;
    if (options->is_gif) options->animation_rate = GIF_RATE;
    for (size_t i = 0; i < sizeof toggles / sizeof *toggles; i++)
        if (cli_has(args, toggles[i].option)) options->show |= toggles[i].show;
    return read_size(args->values[CLI_OPTION_SIZE], options) && read_view(args->values[CLI_OPTION_VIEW], options) &&
           read_background(args->values[CLI_OPTION_BACKGROUND], options) &&
           cli_read_number(args, CLI_OPTION_LOD, 0, 255, 0, &options->lod) &&
           cli_read_number(args, CLI_OPTION_FRAMES, 1, CLI_ANIMATION_MAX, options->is_sheet ? 6 : 0,
                           &options->frames) &&
           cli_read_number(args, CLI_OPTION_MAX_SECONDS, 1, 1000000, 0, &options->max_seconds) &&
           cli_read_number(args, CLI_OPTION_TURNTABLE, 1, CLI_ANIMATION_MAX, 0, &options->turns);
}
