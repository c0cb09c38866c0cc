// Letters from fonts, each drawn once per size into a texture that all labels take them from.
#include "render/render.h"

enum { SIDE = 1024, SLOTS = 2048, MOST_LETTERS = SLOTS * 3 / 4 };

static const float largest = 32;  // beyond that the picture of a letter is stretched

// Where a letter lies in the texture, and from the place it is written at. A code of 0 is a free slot.
typedef struct slot {
    uint32_t code;
    float size;
    uint16_t x, y, width, height;
    int16_t left, top;
} slot;

struct sni_letters {
    sni_typeface *face;
    GLuint texture;
    uint32_t count, x, y, row_height;  // of letters; where the next one goes
    bool is_full;
    sni_letter_picture picture;
    slot slots[SLOTS];
};

typedef struct vertex {
    float x, y;
    uint16_t u, v;
    uint8_t rgba[4];
} vertex;

// The fonts are looked for once.
static sni_letters *letters_of(sn_renderer *renderer)
{
    if (renderer->letters || renderer->has_no_letters) return renderer->letters;
    sni_typeface *face = sni_typeface_open(&renderer->heap, renderer->opts.fonts);
    sni_letters *letters = face ? sni_heap_alloc(&renderer->heap, sizeof *letters) : NULL;
    if (letters) {
        memset(letters, 0, sizeof *letters);
        letters->face = face;
    } else {
        sni_typeface_close(face, &renderer->heap);
    }
    renderer->letters = letters;
    renderer->has_no_letters = !letters && !sni_failed(&renderer->diag);
    return letters;
}

void sni_letters_free(sn_renderer *renderer)
{
    sni_letters *letters = renderer->letters;
    if (!letters) return;
    sni_typeface_close(letters->face, &renderer->heap);
    sni_heap_free(&renderer->heap, letters, sizeof *letters);
    renderer->letters = NULL;
}

void sni_letters_free_texture(sn_renderer *renderer)
{
    if (renderer->letters) glDeleteTextures(1, &renderer->letters->texture);
}

bool sni_letter_find(sn_renderer *renderer, uint32_t code, sni_letter_shape *shape)
{
    sni_letters *letters = renderer && code > 0 ? letters_of(renderer) : NULL;
    return letters && sni_typeface_find(letters->face, code, shape);
}

static bool find_room(sni_letters *letters, uint32_t width, uint32_t height, slot *s)
{
    if (letters->x + width + 1 > SIDE) letters->x = 0, letters->y += letters->row_height, letters->row_height = 0;
    if (letters->y + height + 1 > SIDE || letters->count == MOST_LETTERS) return false;
    s->x = (uint16_t)letters->x, s->y = (uint16_t)letters->y, s->width = (uint16_t)width, s->height = (uint16_t)height;
    letters->x += width + 1;
    if (letters->row_height < height + 1) letters->row_height = height + 1;
    letters->count++;
    return true;
}

static void make_texture(sni_letters *letters)
{
    glGenTextures(1, &letters->texture);
    glBindTexture(GL_TEXTURE_2D, letters->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, SIDE, SIDE, 0, GL_RED, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
}

static void upload(sni_letters *letters, const slot *s)
{
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    if (letters->texture) glBindTexture(GL_TEXTURE_2D, letters->texture);
    else make_texture(letters);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, s->x, s->y, s->width, s->height, GL_RED, GL_UNSIGNED_BYTE,
                    letters->picture.shades);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

static slot *slot_of(sni_letters *letters, uint32_t code, float size)
{
    uint32_t at = (code * 2654435761u ^ (uint32_t)(size * 64)) % SLOTS;
    while (letters->slots[at].code != 0 && (letters->slots[at].code != code || letters->slots[at].size != size))
        at = (at + 1) % SLOTS;
    return &letters->slots[at];
}

// NULL: the texture is full; it is begun anew when what waits is drawn.
static const slot *draw_letter(sn_renderer *renderer, uint32_t code, const sni_letter_shape *shape, float size)
{
    sni_letters *letters = renderer->letters;
    slot *s = slot_of(letters, code, size);
    if (s->code != 0) return s;
    sni_letter_picture *picture = &letters->picture;
    if (!sni_typeface_draw(letters->face, shape, size, &renderer->heap, picture) || sni_failed(&renderer->diag))
        return NULL;
    slot made = { .code = code, .size = size, .left = (int16_t)picture->left, .top = (int16_t)picture->top };
    letters->is_full = !find_room(letters, (uint32_t)picture->width, (uint32_t)picture->height, &made);
    if (letters->is_full) return NULL;
    if (made.width > 0 && made.height > 0) upload(letters, &made);
    *s = made;
    return s;
}

static uint8_t byte_of(float part) { return (uint8_t)(fminf(fmaxf(part, 0), 1) * 255 + 0.5f); }

static void put_corner(const sni_sketch *sketch, float x, float y, uint32_t u, uint32_t v, sn_vec4 color)
{
    vertex corner = { x / sketch->width * 2 - 1,
                      1 - y / sketch->height * 2,
                      (uint16_t)u,
                      (uint16_t)v,
                      { byte_of(color.x), byte_of(color.y), byte_of(color.z), byte_of(color.w) } };
    sni_write_bytes(&sketch->renderer->letter_vertices, &corner, sizeof corner);
}

// On whole pixels, where it is sharp.
bool sni_letter_sketch(sni_sketch *sketch, uint32_t code, const sni_letter_shape *shape, sn_vec2 at, float size,
                       sn_vec4 color)
{
    static const int order[6] = { 0, 1, 2, 2, 1, 3 };
    float drawn = fminf(size, largest), stretch = size / drawn;
    if (!(size > 0)) return true;
    const slot *s = draw_letter(sketch->renderer, code, shape, drawn);
    if (!s) return false;
    float left = floorf(at.x + 0.5f) + (float)s->left * stretch, top = floorf(at.y + 0.5f) + (float)s->top * stretch;
    for (int i = 0; i < 6 && s->width > 0; i++) {
        uint32_t x = order[i] & 1 ? s->width : 0, y = order[i] & 2 ? s->height : 0;
        put_corner(sketch, left + (float)x * stretch, top + (float)y * stretch, s->x + x, s->y + y, color);
    }
    return true;
}

static void bind(sn_renderer *renderer)
{
    if (!renderer->letter_array) glGenVertexArrays(1, &renderer->letter_array);
    glBindVertexArray(renderer->letter_array);
    glBindBuffer(GL_ARRAY_BUFFER, renderer->sketch_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)renderer->letter_vertices.size, renderer->letter_vertices.data,
                 GL_STREAM_DRAW);
    glVertexAttribPointer(SNI_AT_POSITION, 2, GL_FLOAT, GL_FALSE, sizeof(vertex), NULL);
    glVertexAttribPointer(SNI_AT_UV, 2, GL_UNSIGNED_SHORT, GL_FALSE, sizeof(vertex), (const void *)offsetof(vertex, u));
    glVertexAttribPointer(SNI_AT_COLOR, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(vertex),
                          (const void *)offsetof(vertex, rgba));
    glEnableVertexAttribArray(SNI_AT_POSITION);
    glEnableVertexAttribArray(SNI_AT_UV);
    glEnableVertexAttribArray(SNI_AT_COLOR);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, renderer->letters->texture);
    glBindSampler(0, 0);
}

// What sni_sketch_end has set up serves here too.
bool sni_letters_draw(sn_renderer *renderer)
{
    size_t count = renderer->letter_vertices.size / sizeof(vertex);
    if (count > 0) {
        const sni_program *program = sni_program_for(renderer, SNI_SKETCH | SNI_COLOR_MAP);
        if (!program) return false;
        bind(renderer);
        glUseProgram(program->id);
        glDrawArrays(GL_TRIANGLES, 0, (GLsizei)count);
        renderer->letter_vertices.size = 0;
    }
    if (!renderer->letters || !renderer->letters->is_full) return true;
    memset(renderer->letters->slots, 0, sizeof renderer->letters->slots);
    renderer->letters->count = renderer->letters->x = renderer->letters->y = renderer->letters->row_height = 0;
    renderer->letters->is_full = false;
    return true;
}
