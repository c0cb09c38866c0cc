#include "render/render.h"

bool sni_table_fits(const sn_renderer *renderer, uint64_t count)
{
    return count <= (uint64_t)renderer->max_side << SNI_TABLE_BITS;
}

// Whole rows from the array itself, and the rest of the last row by itself: no copy is needed.
GLuint sni_table_create(sn_renderer *renderer, GLenum inner, GLenum outer, size_t texel_bytes, const void *texels,
                        uint64_t count)
{
    GLuint texture;
    GLsizei rows = (GLsizei)(count >> SNI_TABLE_BITS), rest = (GLsizei)(count & (SNI_TABLE_WIDTH - 1));
    if (!sni_table_fits(renderer, count)) return 0;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    GLsizei width = rows > 0 ? SNI_TABLE_WIDTH : rest;
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)inner, width, rows + (rest > 0), 0, outer, GL_FLOAT, NULL);
    if (rows > 0) glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SNI_TABLE_WIDTH, rows, outer, GL_FLOAT, texels);
    const uint8_t *last = (const uint8_t *)texels + ((size_t)rows << SNI_TABLE_BITS) * texel_bytes;
    if (rest > 0) glTexSubImage2D(GL_TEXTURE_2D, 0, 0, rows, rest, 1, outer, GL_FLOAT, last);
    return texture;
}
