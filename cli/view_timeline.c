// The clip from its first frame to its last: where it has keys, where it is.
#include "view.h"

static const sn_vec4 rail_color = { 1, 1, 1, 0.16f }, past_color = { 0.45f, 0.65f, 0.95f, 0.55f },
                     key_color = { 0.75f, 0.8f, 0.86f, 0.75f }, chosen_color = { 1, 0.55f, 0.25f, 1 },
                     hand_color = { 1, 0.82f, 0.4f, 1 };

// At most one tick for each unit of the rail, the chosen node's over the others.
static void draw_ticks(const cli_view *view, cli_canvas *canvas, cli_box rail)
{
    for (int wanted = CLI_TICK_KEY; wanted <= CLI_TICK_CHOSEN; wanted <<= 1) {
        float last = -2;
        for (uint32_t i = 0; i <= CLI_TICKS; i++) {
            float x = rail.x + rail.width * (float)i / CLI_TICKS;
            if (!(view->ticks.at[i] & wanted) || x - last < 1.5f) continue;
            bool is_chosen = wanted == CLI_TICK_CHOSEN;
            cli_canvas_rect(canvas, (cli_box){ x - 0.5f, rail.y - (is_chosen ? 7 : 5), 1, is_chosen ? 6 : 4 },
                            is_chosen ? chosen_color : key_color);
            last = x;
        }
    }
}

static const char *describe(const cli_view *view, sni_arena *arena)
{
    const cli_player *player = &view->player;
    return cli_format(arena, "frame %u of %u    %.2f of %.2f s    %g fps", cli_player_frame(player),
                      cli_player_last_frame(player), (double)player->seconds, (double)player->duration,
                      (double)player->rate);
}

void cli_draw_timeline(const cli_view *view, cli_canvas *canvas, const cli_layout *layout)
{
    const cli_player *player = &view->player;
    cli_box box = layout->timeline, rail = layout->rail;
    float part = player->duration > 0 ? player->seconds / player->duration : 0, base = box.y + box.height - 11;
    cli_canvas_rect(canvas, box, cli_paper);
    cli_canvas_rect(canvas, rail, rail_color);
    cli_canvas_rect(canvas, (cli_box){ rail.x, rail.y, rail.width * part, rail.height }, past_color);
    draw_ticks(view, canvas, rail);
    cli_canvas_rect(canvas, (cli_box){ rail.x + rail.width * part - 1.5f, rail.y - 8, 3, rail.height + 11 },
                    hand_color);
    const char *state = player->is_playing ? "playing" : "paused";
    const char *pace = cli_format(canvas->arena, "%s    speed %g    %s", state, (double)player->speed,
                                  cli_loop_names[player->loop]);
    float wide = pace ? cli_canvas_width(canvas, pace) : 0;
    cli_canvas_line(canvas, describe(view, canvas->arena), rail.x, base, rail.width - wide - 16, cli_ink);
    cli_canvas_text(canvas, pace, rail.x + rail.width, base, CLI_TEXT_SIZE, SN_ALIGN_RIGHT, cli_ink);
}
