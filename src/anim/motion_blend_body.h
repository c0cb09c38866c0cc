// Blending: means of poses, and differences on top of them. Included by motion_kernels_body.h.

enum { T_ROWS = 3, R_ROWS = 4 };

SNI_INLINE v8 block_weights(float weight, const float *mask, uint32_t first, uint32_t node_count)
{
    if (!mask) return v8_set1(weight);
    bool is_whole = first + SNI_LANES <= node_count;  // a mask ends with the last node
    return v8_mul(v8_set1(weight), is_whole ? v8_load(mask + first) : v8_load_some(mask + first, node_count - first));
}

// sum += weight * rotation, turned to the side of the sum.
SNI_INLINE void add_rotation(v8 sum[R_ROWS], const float *rows, v8 weight)
{
    v8 r[R_ROWS];
    load4(r, rows);
    v8 turned = v8_mul_sign(short_dot4(r, sum), weight);
    for (int k = 0; k < R_ROWS; k++) sum[k] = v8_fma(r[k], turned, sum[k]);
}

// The rows of translation and scale; the four between them are the rotation.
static const uint8_t vector_rows[6] = { 0, 1, 2, 7, 8, 9 };

// The mean of a block from sums. Lanes without weight are at rest.
SNI_INLINE void store_mean_vector(float *out, v8 sum, v8 weights, v8 over, const float *rest)
{
    v8_store(out, v8_select_greater(weights, v8_set1(0.0f), v8_mul(sum, over), v8_load(rest)));
}

SNI_INLINE void store_mean_rotation(float *out, v8 sum[R_ROWS], v8 weights, const float *rest)
{
    for (int k = 0; k < R_ROWS; k++)
        sum[k] = v8_select_greater(weights, v8_set1(0.0f), sum[k], v8_load(rest + k * SNI_LANES));
    store_unit(out, sum);
}

SNI_INLINE v8 mean_divisor(v8 weights)
{
    v8 zero = v8_set1(0.0f), one = v8_set1(1.0f);
    return v8_reciprocal(v8_select_greater(weights, zero, weights, one));
}

// What a blend needs of its sources in registers: stores to the result could change what pointers lead to.
typedef struct blend_inputs {
    const float *locals[SNI_BLEND_SOURCES];  // of the first block
    const float *masks[SNI_BLEND_SOURCES];
    float weights[SNI_BLEND_SOURCES];
} blend_inputs;

SNI_INLINE void fill_inputs(blend_inputs *in, const sni_blend_source *sources, uint32_t count, float factor)
{
    for (uint32_t i = 0; i < count; i++) {
        in->locals[i] = sni_trs8_floats(sources[i].locals);
        in->masks[i] = sources[i].mask;
        in->weights[i] = sources[i].weight * factor;
    }
}

// One block. may_rest: a node may have no weight at all, or hardly any: too little for the length of its rotation.
SNI_INLINE void blend_block(const float *const locals[], uint32_t count, const v8 *weight, bool may_rest, size_t at,
                            const float *still, float *out)
{
    size_t turn = at + T_ROWS * SNI_LANES;
    v8 weights = weight[0], rotation[R_ROWS];
    for (uint32_t i = 1; i < count; i++) weights = v8_add(weights, weight[i]);
    v8 over = may_rest ? mean_divisor(weights) : v8_reciprocal(weights);
    for (int k = 0; k < R_ROWS; k++) rotation[k] = v8_mul(v8_load(locals[0] + turn + k * SNI_LANES), weight[0]);
    for (uint32_t i = 1; i < count; i++) add_rotation(rotation, locals[i] + turn, weight[i]);
    for (int k = 0; k < 6; k++) {
        size_t row = at + vector_rows[k] * SNI_LANES;
        v8 sum = v8_mul(v8_load(locals[0] + row), weight[0]);
        for (uint32_t i = 1; i < count; i++) sum = v8_fma(v8_load(locals[i] + row), weight[i], sum);
        sum = v8_mul(sum, over);
        if (may_rest) sum = v8_select_greater(weights, v8_set1(0.0f), sum, v8_load(still + row));
        v8_store(out + row, sum);
    }
    for (int k = 0; k < R_ROWS && may_rest; k++) rotation[k] = v8_mul(rotation[k], over);
    if (may_rest) store_mean_rotation(out + turn, rotation, weights, still + turn);
    else store_unit(out + turn, rotation);
}

SNI_INLINE void blend_masked(const sni_blend_source *sources, uint32_t count, bool may_rest, float factor,
                             const sni_trs8 *rest, uint32_t node_count, sni_trs8 *result)
{
    blend_inputs in;
    fill_inputs(&in, sources, count, factor);
    const float *still = sni_trs8_floats(rest);
    float *out = sni_trs8_floats(result);
    uint32_t first = 0;
    size_t at = 0;
    v8 weight[SNI_BLEND_SOURCES];
    for (; first + SNI_LANES <= node_count; first += SNI_LANES, at += SNI_BLOCK_FLOATS) {
        for (uint32_t i = 0; i < count; i++) {
            weight[i] = v8_set1(in.weights[i]);
            if (in.masks[i]) weight[i] = v8_mul(weight[i], v8_load(in.masks[i] + first));
        }
        blend_block(in.locals, count, weight, may_rest, at, still, out);
    }
    if (first == node_count) return;
    for (uint32_t i = 0; i < count; i++) weight[i] = block_weights(in.weights[i], in.masks[i], first, node_count);
    blend_block(in.locals, count, weight, may_rest, at, still, out);
}

// The same where no source has a mask: the weights are those of all nodes.
SNI_INLINE void blend_whole(const sni_blend_source *sources, uint32_t count, float factor, uint32_t block_count,
                            sni_trs8 *result)
{
    float *out = sni_trs8_floats(result);
    blend_inputs in;
    fill_inputs(&in, sources, count, factor);
    v8 weight[SNI_BLEND_SOURCES];
    for (uint32_t i = 0; i < count; i++) weight[i] = v8_set1(in.weights[i]);
    for (uint32_t block = 0; block < block_count; block++) {
        v8 rotation[R_ROWS];
        load4(rotation, in.locals[0] + T_ROWS * SNI_LANES);
        for (int k = 0; k < R_ROWS; k++) rotation[k] = v8_mul(rotation[k], weight[0]);
        for (uint32_t i = 1; i < count; i++) add_rotation(rotation, in.locals[i] + T_ROWS * SNI_LANES, weight[i]);
        for (int k = 0; k < 6; k++) {
            int row = vector_rows[k] * SNI_LANES;
            v8 sum = v8_mul(v8_load(in.locals[0] + row), weight[0]);
            for (uint32_t i = 1; i < count; i++) sum = v8_fma(v8_load(in.locals[i] + row), weight[i], sum);
            v8_store(out + row, sum);
        }
        store_unit(out + T_ROWS * SNI_LANES, rotation);
        for (uint32_t i = 0; i < count; i++) in.locals[i] += SNI_BLOCK_FLOATS;
        out += SNI_BLOCK_FLOATS;
    }
}

static void blend(const sni_blend_source *sources, uint32_t count, const sni_trs8 *rest, uint32_t node_count,
                  sni_trs8 *out)
{
    uint32_t block_count = sni_block_count(node_count);
    float total = 0.0f, everywhere = 0.0f;  // of all sources, of those without masks
    for (uint32_t i = 0; i < count; i++) {
        total += sources[i].weight;
        if (!sources[i].mask) everywhere += sources[i].weight;
    }
    float factor = 1.0f / total;
    if (count == 0) memcpy(out, rest, block_count * sizeof *out);
    else if (everywhere == total && count == 2) blend_whole(sources, 2, factor, block_count, out);
    else if (everywhere == total && count == 3) blend_whole(sources, 3, factor, block_count, out);
    else if (everywhere == total && count == 4) blend_whole(sources, 4, factor, block_count, out);
    else if (everywhere == total) blend_whole(sources, count, factor, block_count, out);
    else if (everywhere < 1e-9f * total) blend_masked(sources, count, true, factor, rest, node_count, out);
    else if (count == 2) blend_masked(sources, 2, false, factor, rest, node_count, out);
    else if (count == 3) blend_masked(sources, 3, false, factor, rest, node_count, out);
    else if (count == 4) blend_masked(sources, 4, false, factor, rest, node_count, out);
    else blend_masked(sources, count, false, factor, rest, node_count, out);
}

static void blend_add(const sni_blend_source *source, bool is_first, uint32_t node_count, sni_trs8 *sums,
                      float *weights)
{
    for (uint32_t first = 0; first < node_count; first += SNI_LANES) {
        const float *rows = source->locals[first / SNI_LANES].rows;
        float *to = sums[first / SNI_LANES].rows;
        v8 zero = v8_set1(0.0f), weight = block_weights(source->weight, source->mask, first, node_count),
           rotation[R_ROWS];
        v8_store(weights + first, is_first ? weight : v8_add(weight, v8_load(weights + first)));
        for (int k = 0; k < 6; k++) {
            int row = vector_rows[k] * SNI_LANES;
            v8_store(to + row, v8_fma(v8_load(rows + row), weight, is_first ? zero : v8_load(to + row)));
        }
        for (int k = 0; k < R_ROWS; k++) rotation[k] = is_first ? zero : v8_load(to + (T_ROWS + k) * SNI_LANES);
        add_rotation(rotation, rows + T_ROWS * SNI_LANES, weight);
        for (int k = 0; k < R_ROWS; k++) v8_store(to + (T_ROWS + k) * SNI_LANES, rotation[k]);
    }
}

static void blend_end(const float *weights, const sni_trs8 *rest, uint32_t node_count, sni_trs8 *sums)
{
    for (uint32_t first = 0; first < node_count; first += SNI_LANES) {
        const float *still = rest[first / SNI_LANES].rows;
        float *rows = sums[first / SNI_LANES].rows;
        v8 weight = v8_load(weights + first), over = mean_divisor(weight), rotation[R_ROWS];
        for (int k = 0; k < 6; k++) {
            int row = vector_rows[k] * SNI_LANES;
            store_mean_vector(rows + row, v8_load(rows + row), weight, over, still + row);
        }
        load4(rotation, rows + T_ROWS * SNI_LANES);
        store_mean_rotation(rows + T_ROWS * SNI_LANES, rotation, weight, still + T_ROWS * SNI_LANES);
    }
}

SNI_INLINE void quat_mul(v8 out[4], const v8 a[4], const v8 b[4])
{
    out[0] = v8_fma(a[3], b[0], v8_fma(a[0], b[3], v8_fma(a[1], b[2], v8_mul(v8_sub(v8_set1(0), a[2]), b[1]))));
    out[1] = v8_fma(a[3], b[1], v8_fma(a[1], b[3], v8_fma(a[2], b[0], v8_mul(v8_sub(v8_set1(0), a[0]), b[2]))));
    out[2] = v8_fma(a[3], b[2], v8_fma(a[2], b[3], v8_fma(a[0], b[1], v8_mul(v8_sub(v8_set1(0), a[1]), b[0]))));
    out[3] = v8_fnma(a[0], b[0], v8_fnma(a[1], b[1], v8_fnma(a[2], b[2], v8_mul(a[3], b[3]))));
}

static void add(const sni_blend_source *source, const sni_trs8 *reference, uint32_t node_count, sni_trs8 *locals)
{
    v8 zero = v8_set1(0.0f), one = v8_set1(1.0f);
    for (uint32_t first = 0; first < node_count; first += SNI_LANES) {
        const sni_trs8 *from = &reference[first / SNI_LANES], *to = &source->locals[first / SNI_LANES];
        sni_trs8 *out = &locals[first / SNI_LANES];
        v8 weight = block_weights(source->weight, source->mask, first, node_count), a[4], b[4], turn[4], mixed[4];
        for (int k = 0; k < 3; k++) {
            v8 moved = v8_sub(v8_load(to->t[k]), v8_load(from->t[k]));
            v8 grown = v8_sub(v8_load(to->s[k]), v8_load(from->s[k]));
            v8_store(out->t[k], v8_fma(moved, weight, v8_load(out->t[k])));
            v8_store(out->s[k], v8_fma(grown, weight, v8_load(out->s[k])));
        }
        load4(a, from->rows + T_ROWS * SNI_LANES);
        load4(b, to->rows + T_ROWS * SNI_LANES);
        for (int k = 0; k < 3; k++) a[k] = v8_sub(zero, a[k]);
        quat_mul(turn, a, b);  // from the first frame to this one, in the node's own axes
        v8 side = v8_mul_sign(turn[3], weight);
        for (int k = 0; k < 4; k++) turn[k] = v8_mul(turn[k], side);
        turn[3] = v8_add(turn[3], v8_sub(one, weight));
        load4(a, out->rows + T_ROWS * SNI_LANES);
        quat_mul(mixed, a, turn);
        store_unit(out->rows + T_ROWS * SNI_LANES, mixed);
    }
}
