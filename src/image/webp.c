// WebP, through libwebp where the build found it: a file of its own, like the other codecs. Its memory does not come
// from the user's allocator, but what it takes for pixels counts against the same limit.
#include "image/image.h"

#ifdef SINEW_HAS_WEBP
#    include <webp/decode.h>

enum { MACROBLOCK = 256, BITS_PER_BYTE = 8, LIBRARY_BYTES_PER_PIXEL = 6, LIBRARY_BYTES = 1 << 20 };

// A macroblock of lossy WebP takes more than a bit: its modes are coded with fixed probabilities. Lossless WebP may
// take none at all for a single colour: only limits bound its size.
static bool fits(sni_decode *decode, const WebPBitstreamFeatures *features, size_t size)
{
    uint64_t pixels = (uint64_t)features->width * (uint64_t)features->height;
    if (!sni_decode_fits(decode, (uint64_t)features->width, (uint64_t)features->height)) return false;
    if (features->has_animation) return sni_fail(decode->diag, SN_ERR_UNSUPPORTED, 0, "an animated WebP");
    if (features->format == 1 && pixels / MACROBLOCK / BITS_PER_BYTE > size)
        return sni_fail(decode->diag, SN_ERR_TRUNCATED, 0, "WebP: %d x %d pixels in %zu bytes", features->width,
                        features->height, size);
    uint64_t left = decode->heap->limit - decode->heap->used;
    if (left / 4 >= pixels && left - pixels * 4 >= pixels * LIBRARY_BYTES_PER_PIXEL + LIBRARY_BYTES) return true;
    return sni_fail(decode->diag, SN_ERR_LIMIT, 0, "WebP: it needs more memory than the limit");
}

bool sni_webp_decode(sni_decode *decode)
{
    const uint8_t *data = decode->in.start;
    size_t size = (size_t)(decode->in.end - data);
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return false;
    VP8StatusCode status = WebPGetFeatures(data, size, &config.input);
    if (status == VP8_STATUS_OK) {
        if (!fits(decode, &config.input, size)) return false;
        if (!sni_decode_begin(decode, (uint64_t)config.input.width, (uint64_t)config.input.height)) return false;
        config.output.colorspace = MODE_RGBA;
        config.output.is_external_memory = 1;
        config.output.u.RGBA.rgba = decode->pixels->rgba;
        config.output.u.RGBA.stride = config.input.width * 4;
        config.output.u.RGBA.size = (size_t)config.input.width * (size_t)config.input.height * 4;
        status = WebPDecode(data, size, &config);
    }
    if (status == VP8_STATUS_OK) return true;
    return sni_fail(decode->diag,
                    status == VP8_STATUS_OUT_OF_MEMORY                                       ? SN_ERR_MEMORY
                    : status == VP8_STATUS_NOT_ENOUGH_DATA || status == VP8_STATUS_SUSPENDED ? SN_ERR_TRUNCATED
                    : status == VP8_STATUS_UNSUPPORTED_FEATURE                               ? SN_ERR_UNSUPPORTED
                                                                                             : SN_ERR_CORRUPT,
                    0, "libwebp cannot decode it (%d)", (int)status);
}

#elif defined(__EMSCRIPTEN__)

#    include <emscripten.h>

// Browsers decode WebP, but not while C code waits. The page decodes a model's images when it knows them, and keeps the
// pixels in Module.decodedImages, by size and FNV-1a hash: web/page/worker.js. Without `out` the sides are looked up.
// clang-format off
EM_JS(int, sni_webp_find_decoded, (const uint8_t *data, size_t size, uint32_t *sides, uint8_t *out), {
    const table = Module["decodedImages"];
    if (!table) return 0;
    let hash = 0x811c9dc5;
    for (let i = data; i < data + size; i++) hash = Math.imul(hash ^ HEAPU8[i], 0x01000193);
    const image = table.get(size + ":" + (hash >>> 0));
    if (!image) return 0;
    HEAPU32[sides >> 2] = image.width;
    HEAPU32[(sides >> 2) + 1] = image.height;
    if (out) HEAPU8.set(image.rgba, out);
    return 1;
});
// clang-format on

bool sni_webp_decode(sni_decode *decode)
{
    const uint8_t *data = decode->in.start;
    const size_t size = (size_t)(decode->in.end - data);
    uint32_t sides[2];
    if (!sni_webp_find_decoded(data, size, sides, NULL))
        return sni_fail(decode->diag, SN_ERR_UNSUPPORTED, 0, "WebP is decoded by the browser, which did not do so");
    if (!sni_decode_begin(decode, sides[0], sides[1])) return false;
    sni_webp_find_decoded(data, size, sides, decode->pixels->rgba);
    return true;
}

#else

bool sni_webp_decode(sni_decode *decode)
{
    return sni_fail(decode->diag, SN_ERR_UNSUPPORTED, 0, "WebP is not read by this build of sinew (it needs libwebp)");
}

#endif
