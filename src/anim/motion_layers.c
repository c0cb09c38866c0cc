// Mixing clips and poses by weight.
#include "anim/motion.h"
#include "base/math.h"

#include <string.h>

// Layers of either kind.
typedef struct mix {
    const sn_motion_layer *clips;
    const sn_blend_layer *poses;
    uint32_t count;
    bool has_masks;
} mix;

static float weight_of(const mix *m, uint32_t layer)
{
    bool is_additive = m->clips ? m->clips[layer].is_additive : m->poses[layer].is_additive;
    float weight = m->clips ? m->clips[layer].weight : m->poses[layer].weight;
    return !is_additive && weight > 0.0f ? weight : 0.0f;
}

static const float *mask_of(const mix *m, uint32_t layer)
{
    return m->clips ? m->clips[layer].mask : m->poses[layer].mask;
}

static float factor_of(const mix *m, uint32_t layer, int32_t node)
{
    const float *mask = mask_of(m, layer);
    return weight_of(m, layer) * (mask && node >= 0 ? mask[node] : 1.0f);
}

static mix mix_of(const sn_motion_layer *clips, const sn_blend_layer *poses, uint32_t count)
{
    mix m = { clips, poses, count, false };
    for (uint32_t i = 0; i < count; i++)
        if (weight_of(&m, i) > 0.0f && mask_of(&m, i)) m.has_masks = true;
    return m;
}

// How much of a layer is mixed into what the layers before it gave, and whether it has more weight than any of them.
typedef struct share {
    float part;
    bool is_largest;
} share;

static share share_of(const mix *m, uint32_t layer, int32_t node)
{
    float own = factor_of(m, layer, node), before = 0.0f, largest = 0.0f;
    for (uint32_t i = 0; i < layer; i++) {
        float factor = factor_of(m, i, node);
        before += factor;
        if (factor > largest) largest = factor;
    }
    share out = { own > 0.0f ? own / (before + own) : 0.0f, own > largest };
    return out;
}

static void mix_floats(float *to, const float *from, uint32_t count, float part)
{
    for (uint32_t i = 0; i < count; i++) to[i] = part < 1.0f ? sni_lerp(to[i], from[i], part) : from[i];
}

// All but nodes. `to` is at rest before the first layer.
static void mix_others(const mix *m, uint32_t layer, sn_pose *to, const sn_pose *from)
{
    const sn_model *model = to->model;
    if (to->others_are_rest && from->others_are_rest) return;
    to->others_are_rest = false;
    for (uint32_t i = 0; i < model->part_count; i++) {
        share s = share_of(m, layer, model->parts[i].node);
        if (s.part <= 0.0f) continue;
        size_t start = to->morph_starts[i];
        mix_floats(&to->part_colors[i].x, &from->part_colors[i].x, 4, s.part);
        mix_floats(to->morphs + start, from->morphs + start, sni_morph_count(model, &model->parts[i]), s.part);
        if (s.is_largest) to->part_is_shown[i] = from->part_is_shown[i];
    }
    for (uint32_t i = 0; i < model->light_count; i++) {
        share s = share_of(m, layer, model->lights[i].node);
        if (s.part <= 0.0f) continue;
        mix_floats(&to->lights[i].color.x, &from->lights[i].color.x, 3, s.part);
        mix_floats(&to->lights[i].intensity, &from->lights[i].intensity, 1, s.part);
    }
    for (uint32_t i = 0; i < model->camera_count; i++) {
        share s = share_of(m, layer, model->cameras[i].node);
        if (s.part > 0.0f) mix_floats(&to->fovs[i], &from->fovs[i], 1, s.part);
    }
    share whole = share_of(m, layer, -1);
    for (uint32_t i = 0; i < model->material_count && whole.part > 0.0f; i++)
        for (size_t k = to->layer_starts[i]; k < to->layer_starts[i] + model->materials[i].layer_count; k++) {
            sn_layer_state *a = &to->layers[k];
            const sn_layer_state *b = &from->layers[k];
            mix_floats(&a->color.x, &b->color.x, 4, whole.part);
            mix_floats(&a->emissive.x, &b->emissive.x, 3, whole.part);
            mix_floats(&a->uv.offset.x, &b->uv.offset.x, 2, whole.part);
            mix_floats(&a->uv.rotation, &b->uv.rotation, 1, whole.part);
            mix_floats(&a->uv.scale.x, &b->uv.scale.x, 2, whole.part);
            if (whole.is_largest) a->image = b->image;
        }
}

// The flags of a block as one number.
static uint64_t flags_at(const uint8_t *flags, uint32_t block)
{
    uint64_t eight;
    memcpy(&eight, flags + (size_t)block * SNI_LANES, sizeof eight);
    return eight;
}

static const uint64_t all_shown = 0x0101010101010101u * SNI_NODE_SHOWN;
static const uint64_t all_replaced = 0x0101010101010101u * SNI_NODE_REPLACED;

// A node that any layer moved counts as moved, which matters to nodes with a matrix only.
static void mix_flags(const sn_motion *motion, const mix *m, uint32_t layer, uint8_t *to, const uint8_t *from)
{
    share whole = share_of(m, layer, -1);
    uint32_t node_count = motion->model->node_count;
    for (uint32_t first = 0; first < node_count; first += SNI_LANES) {
        uint64_t a = flags_at(to, first / SNI_LANES), b = flags_at(from, first / SNI_LANES);
        bool is_whole = !m->has_masks || (((a ^ b) & all_shown) == 0 && !motion->has_matrices);
        if (is_whole) {
            if (whole.is_largest) a = (a & ~all_shown) | (b & all_shown);
            a |= b & all_replaced;
            memcpy(to + first, &a, sizeof a);
            continue;
        }
        for (uint32_t i = first; i < node_count && i < first + SNI_LANES; i++) {
            share s = share_of(m, layer, (int32_t)i);
            if (s.part <= 0.0f) continue;
            if (s.is_largest) to[i] = (uint8_t)((to[i] & ~SNI_NODE_SHOWN) | (from[i] & SNI_NODE_SHOWN));
            to[i] |= from[i] & SNI_NODE_REPLACED;
        }
    }
}

static bool shows_same(const sn_motion *motion, const uint8_t *a, const uint8_t *b)
{
    uint64_t difference = 0;
    for (uint32_t i = 0; i < motion->block_count; i++) difference |= (flags_at(a, i) ^ flags_at(b, i)) & all_shown;
    return difference == 0;
}

static void add_flags(const sn_motion *motion, uint8_t *to, const uint8_t *from)
{
    for (uint32_t i = 0; i < motion->block_count * SNI_LANES; i++) to[i] |= from[i] & SNI_NODE_REPLACED;
}

void sn_motion_sample_layers(const sn_motion *motion, sn_pose *pose, const sn_motion_layer *layers, uint32_t count,
                             float clock)
{
    mix m = mix_of(layers, NULL, count);
    uint32_t node_count = motion->model->node_count, used = 0, last = 0;
    sn_pose *layer = pose->layer;
    for (uint32_t i = 0; i < count; i++)
        if (weight_of(&m, i) > 0.0f) used++, last = i;
    if (used == 0) sn_motion_sample(motion, pose, -1, 0.0f, clock);
    else if (used == 1 && !m.has_masks) sn_motion_sample(motion, pose, layers[last].clip, layers[last].seconds, clock);
    else {
        bool was_rest = shows_same(motion, pose->node_flags, motion->rest.node_flags), is_first = true;
        memcpy(pose->node_flags, motion->rest.node_flags, (size_t)motion->block_count * SNI_LANES);
        sni_pose_reset_others(pose);
        for (uint32_t i = 0; i < count; i++) {
            float weight = weight_of(&m, i);
            if (weight <= 0.0f) continue;
            sn_motion_sample(motion, layer, layers[i].clip, layers[i].seconds, clock);
            sni_blend_source source = { layer->locals, layers[i].mask, weight };
            motion->kernels->blend_add(&source, is_first, node_count, pose->locals, pose->layer_weights);
            mix_flags(motion, &m, i, pose->node_flags, layer->node_flags);
            mix_others(&m, i, pose, layer);
            is_first = false;
        }
        motion->kernels->blend_end(pose->layer_weights, motion->rest.rest, node_count, pose->locals);
        if (!was_rest || !shows_same(motion, pose->node_flags, motion->rest.node_flags)) pose->shown_is_solved = false;
        pose->rest_id = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!layers[i].is_additive || !isfinite(layers[i].weight) || layers[i].weight == 0.0f) continue;
        const sni_motion_clip *clip = sni_motion_clip_at(motion, layers[i].clip);
        sn_motion_sample(motion, layer, layers[i].clip, layers[i].seconds, clock);
        sni_blend_source source = { layer->locals, layers[i].mask, layers[i].weight };
        motion->kernels->add(&source, clip->first, node_count, pose->locals);
        add_flags(motion, pose->node_flags, layer->node_flags);
        pose->rest_id = 0;
    }
}

// The mean of the locals, in the pose's own or, where there are many sources, in those of its layer. Returns where.
static sni_trs8 *blend_locals(const sn_motion *motion, sn_pose *pose, const mix *m, uint32_t used)
{
    uint32_t node_count = motion->model->node_count, at = 0;
    sni_blend_source sources[SNI_BLEND_SOURCES];
    for (uint32_t i = 0; i < m->count; i++) {
        float weight = weight_of(m, i);
        if (weight <= 0.0f) continue;
        sni_blend_source source = { m->poses[i].pose->locals, m->poses[i].mask, weight };
        if (used <= SNI_BLEND_SOURCES) sources[at] = source;
        else motion->kernels->blend_add(&source, at == 0, node_count, pose->layer->locals, pose->layer_weights);
        at++;
    }
    if (used <= SNI_BLEND_SOURCES) motion->kernels->blend(sources, used, motion->rest.rest, node_count, pose->locals);
    else motion->kernels->blend_end(pose->layer_weights, motion->rest.rest, node_count, pose->layer->locals);
    return used <= SNI_BLEND_SOURCES ? pose->locals : pose->layer->locals;
}

// Whether the flags of the result are those of the first source: all have the same, and no mask can bring a node back
// to rest in a way that shows.
static bool flags_agree(const sn_motion *motion, const mix *m, uint32_t first)
{
    const uint8_t *flags = m->poses[first].pose->node_flags;
    if (m->has_masks && (motion->has_matrices || !shows_same(motion, flags, motion->rest.node_flags))) return false;
    for (uint32_t i = first + 1; i < m->count; i++) {
        uint64_t difference = 0;
        if (weight_of(m, i) <= 0.0f) continue;
        for (uint32_t k = 0; k < motion->block_count; k++)
            difference |= flags_at(flags, k) ^ flags_at(m->poses[i].pose->node_flags, k);
        if (difference) return false;
    }
    return true;
}

// The usual case: only transforms differ. Returns whether it is that; else nothing was done.
static bool blend_only_locals(const sn_motion *motion, sn_pose *pose, const sn_blend_layer *layers, uint32_t count)
{
    sni_blend_source sources[SNI_BLEND_SOURCES];
    const sn_pose *first = NULL;
    uint32_t used = 0;
    bool has_masks = false;
    for (uint32_t i = 0; i < count; i++) {
        const sn_pose *from = layers[i].pose;
        if (layers[i].is_additive) return false;
        if (!(layers[i].weight > 0.0f)) continue;
        if (!first) first = from;
        if (used == SNI_BLEND_SOURCES || !from->others_are_rest || from->rest_id == 0 || from->flags_id == 0 ||
            from->flags_id != first->flags_id)
            return false;
        if (layers[i].mask) has_masks = true;
        sources[used++] = (sni_blend_source){ from->locals, layers[i].mask, layers[i].weight };
    }
    // A mask may bring a node back to rest.
    bool shows_rest = !motion->has_matrices && first && first->shown_id == motion->rest.shown_id;
    if (!first || !pose->others_are_rest || (has_masks && !shows_rest)) return false;
    if (pose != first) {
        if (!shows_same(motion, pose->node_flags, first->node_flags)) pose->shown_is_solved = false;
        memcpy(pose->node_flags, first->node_flags, (size_t)motion->block_count * SNI_LANES);
    }
    motion->kernels->blend(sources, used, motion->rest.rest, motion->model->node_count, pose->locals);
    pose->rest_id = 0;
    return true;
}

void sn_motion_blend(const sn_motion *motion, sn_pose *pose, const sn_blend_layer *layers, uint32_t count)
{
    if (blend_only_locals(motion, pose, layers, count)) return;
    mix m = mix_of(NULL, layers, count);
    uint32_t node_count = motion->model->node_count, used = 0;
    size_t flag_count = (size_t)motion->block_count * SNI_LANES;
    sn_pose *layer = pose->layer;  // takes the result, as the pose may be a source
    bool has_own = false;          // the pose itself as an additive layer
    uint32_t first = count;
    for (uint32_t i = 0; i < count; i++) {
        if (layers[i].is_additive && layers[i].pose == pose) has_own = true;
        if (weight_of(&m, i) <= 0.0f) continue;
        if (first == count) first = i;
        used++;
    }
    bool is_simple = used > 0 && flags_agree(motion, &m, first), others_are_rest = true;
    for (uint32_t i = 0; i < count; i++)
        if (weight_of(&m, i) > 0.0f && !layers[i].pose->others_are_rest) others_are_rest = false;
    memcpy(layer->node_flags, is_simple ? layers[first].pose->node_flags : motion->rest.node_flags, flag_count);
    sni_pose_reset_others(layer);
    for (uint32_t i = 0; i < count; i++) {
        if (weight_of(&m, i) <= 0.0f) continue;
        if (!is_simple) mix_flags(motion, &m, i, layer->node_flags, layers[i].pose->node_flags);
        if (!others_are_rest) mix_others(&m, i, layer, layers[i].pose);
    }
    const sni_trs8 *own = pose->locals;  // as they were
    size_t local_size = (size_t)motion->block_count * sizeof *pose->locals;
    if (has_own && used <= SNI_BLEND_SOURCES) own = memcpy(layer->locals, pose->locals, local_size);
    sni_trs8 *mixed = blend_locals(motion, pose, &m, used);
    for (uint32_t i = 0; i < count; i++) {
        if (!layers[i].is_additive || !isfinite(layers[i].weight) || layers[i].weight == 0.0f) continue;
        sni_blend_source source = { layers[i].pose == pose ? own : layers[i].pose->locals, layers[i].mask,
                                    layers[i].weight };
        motion->kernels->add(&source, motion->rest.rest, node_count, mixed);
        add_flags(motion, layer->node_flags, layers[i].pose->node_flags);
    }
    if (mixed != pose->locals) memcpy(pose->locals, mixed, local_size);
    if (!shows_same(motion, pose->node_flags, layer->node_flags)) pose->shown_is_solved = false;
    if (!pose->others_are_rest || !layer->others_are_rest) sni_pose_copy_others(pose, layer);
    memcpy(pose->node_flags, layer->node_flags, flag_count);
    pose->rest_id = layer->rest_id = 0;
}

void sn_mask_set(const sn_model *model, float *mask, int32_t node, float factor)
{
    // Nodes below are marked by NaN, which no factor is, while looking for more.
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        bool is_below = node < 0 || (int32_t)i == node || (parent >= node && isnan(mask[parent]));
        if (is_below) mask[i] = NAN;
    }
    for (uint32_t i = 0; i < model->node_count; i++)
        if (isnan(mask[i])) mask[i] = factor;
}
