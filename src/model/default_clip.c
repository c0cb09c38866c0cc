// The clip that a viewer plays when nobody chose one.
#include <string.h>

#include "sinew/sinew.h"

enum { WORD_BYTES = 32, WORDS_MAX = 15 };

// Words for standing still, best first. Warcraft III: Stand, and Portrait in portrait models. Level-5 names are
// Japanese.
static const char *const still_words[] = { "stand", "idle", "standing", "wait", "portrait", "立ち", "待機", "待ち" };
// Generals and Battle for Middle-earth abbreviate: AIRNGR_STA, GUMAARMS_IDLA.
static const char *const w3d_words[] = { "sta", "stna", "std", "ida", "idla" };

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || ((uint8_t)c & 0x80); }

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// The next word in lower case; "IdleLoop" is two words, digits separate. False past the last.
static bool next_word(const char **name, char word[WORD_BYTES])
{
    const char *at = *name;
    size_t size = 0;
    while (*at && !is_letter(*at)) at++;
    for (; is_letter(*at) && size + 1 < WORD_BYTES; at++) {
        bool is_next = size > 0 && is_upper(*at) && !is_upper(at[-1]);
        if (is_next) break;
        word[size++] = is_upper(*at) ? (char)(*at + 32) : *at;
    }
    word[size] = 0;
    *name = at;
    return size > 0;
}

static int find_word(const char *word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0) return i;
    return -1;
}

// How far a name is from "stand": few other words first, then the better word. -1: it says nothing of standing still.
static int distance_of(const char *name, bool is_w3d)
{
    enum { STILL = sizeof still_words / sizeof *still_words, W3D = sizeof w3d_words / sizeof *w3d_words };
    char word[WORD_BYTES];
    int best = -1, count = 0;
    for (; count < WORDS_MAX && next_word(&name, word); count++) {
        int found = find_word(word, still_words, STILL);
        if (found < 0 && is_w3d) found = find_word(word, w3d_words, W3D);
        if (found >= 0 && (best < 0 || found < best)) best = found;
    }
    return best < 0 ? -1 : (count - 1) * 16 + best;
}

int32_t sn_model_default_clip(const sn_model *model)
{
    int32_t best = -1;
    int nearest = 0;
    bool is_w3d = strcmp(model->format, "w3d") == 0;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        int distance = distance_of(model->clips[i].name, is_w3d);
        if (distance >= 0 && (best < 0 || distance < nearest)) best = (int32_t)i, nearest = distance;
    }
    for (uint32_t i = 0; best < 0 && i < model->clip_count; i++)
        if (model->clips[i].loops) best = (int32_t)i;
    return best;
}
