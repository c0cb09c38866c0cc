// Names beside their joints, none over another, over a panel or over a label.
#include "render/render.h"

enum { MAX_BOXES = 512, MAX_LETTERS = 40 };

typedef struct box {
    float left, top, right, bottom;
} box;
typedef struct places {
    box boxes[MAX_BOXES];
    uint32_t count;
} places;

static bool is_free(const places *taken, box b)
{
    for (uint32_t i = 0; i < taken->count; i++) {
        const box *other = &taken->boxes[i];
        if (b.left < other->right && b.right > other->left && b.top < other->bottom && b.bottom > other->top)
            return false;
    }
    return taken->count < MAX_BOXES;
}

// Names that lie under something are not read. Of rectangles only panels count: small ones are marks.
static void take_places(places *taken, const sni_sketch *sketch, const sn_frame *frame)
{
    const float panel = 2000;
    for (uint32_t i = 0; i < frame->rect_count && taken->count < MAX_BOXES / 4; i++) {
        const sn_rect *r = &frame->rects[i];
        if (r->width * r->height > panel)
            taken->boxes[taken->count++] = (box){ r->x, r->y, r->x + r->width, r->y + r->height };
    }
    for (uint32_t i = 0; i < frame->label_count && taken->count < MAX_BOXES / 2; i++) {
        const sn_label *l = &frame->labels[i];
        float wide = sn_label_width(sketch->renderer, l->text, l->size);
        float left = l->x - (l->align == SN_ALIGN_LEFT ? 0 : l->align == SN_ALIGN_CENTER ? wide / 2 : wide);
        box b = { left, l->y - l->size * 1.2f, left + wide, l->y + l->size * 0.4f };
        if (wide > 0 && is_free(taken, b)) taken->boxes[taken->count++] = b;
    }
}

// To the right of its joint, to the left, or a line above or below; where none of these is free it is left out.
static bool find_place(places *taken, const sni_sketch *sketch, sn_label *label, sn_vec2 at)
{
    const float room = label->size * 0.4f, high = label->size + 2 * room, gap = 6 * sketch->scale;
    const float wide = sn_label_width(sketch->renderer, label->text, label->size) + 2 * room;
    const sn_vec2 shifts[] = { { gap, 0 },    { -gap - wide, 0 },     { gap, -high },
                               { gap, high }, { -gap - wide, -high }, { -gap - wide, high } };
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        box b = { at.x + shifts[i].x, at.y + shifts[i].y - high / 2, at.x + shifts[i].x + wide,
                  at.y + shifts[i].y + high / 2 };
        if (b.left < 0 || b.top < 0 || b.right > sketch->width || b.bottom > sketch->height || !is_free(taken, b))
            continue;
        label->x = b.left + room;
        label->y = b.bottom - room;
        taken->boxes[taken->count++] = b;
        return true;
    }
    return false;
}

// The beginning of a long name, whole characters of it.
static void shorten(const char *name, char out[MAX_LETTERS * 4 + 4])
{
    size_t size = 0;
    for (int letters = 0; name[size]; size++) {
        if (((uint8_t)name[size] & 0xc0) != 0x80 && letters++ == MAX_LETTERS) break;
        if (size == MAX_LETTERS * 4) break;
        out[size] = name[size];
    }
    memcpy(out + size, "...", name[size] ? 4 : 0);
    if (!name[size]) out[size] = 0;
}

// On a plate each, so that it is read on light models too.
static void sketch_name(sni_sketch *sketch, places *taken, const char *name, sn_vec2 at)
{
    static const sn_vec4 plate_color = { 0.07f, 0.08f, 0.1f, 0.5f };
    char text[MAX_LETTERS * 4 + 4];
    sn_label label = { .text = text, .size = 7.5f * sketch->scale, .color = { 1, 1, 1, 1 } };
    shorten(name, text);
    if (!find_place(taken, sketch, &label, at)) return;
    const box *b = &taken->boxes[taken->count - 1];
    sni_sketch_rect(sketch, &(sn_rect){ b->left, b->top, b->right - b->left, b->bottom - b->top, plate_color });
    sni_label_sketch(sketch, &label);
}

void sni_names_sketch(sni_sketch *sketch, const sn_frame *frame)
{
    places taken = { .count = 0 };
    take_places(&taken, sketch, frame);
    for (uint32_t a = 0; a < frame->actor_count; a++) {
        const sn_actor *actor = &frame->actors[a];
        const sn_model *model = actor->drawable->model;
        bool only_joints = sni_has_joints(model);
        for (int32_t i = 0; i < (int32_t)model->node_count; i++) {
            sn_vec2 at;
            if ((only_joints && !sni_is_joint(model, i)) || !model->nodes[i].name[0]) continue;
            if (sni_sketch_place(sketch, sni_actor_place(actor, i), &at))
                sketch_name(sketch, &taken, model->nodes[i].name, at);
        }
    }
}
