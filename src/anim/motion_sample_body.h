// Sampling: the kernel that interpolates between keys. Included by motion_kernels_body.h.

// The weights of slerp as polynomials. With y = cos(angle) - 1 the weight of the later key,
// sin(u * angle) / sin(angle), is u * (1 + c1 y + c2 y^2 + ...), where each coefficient is the one before times
// (u^2 - i^2) / (i (2 i + 1)): the hypergeometric series. The weight of the earlier key is the same for 1 - u. All keys
// of a frame have the same u, so coefficients are computed once per frame.
typedef struct slerp_series {
    float from[9], to[9];
} slerp_series;

SNI_INLINE void fill_series(slerp_series *series, float u, int degree)
{
    float v = 1.0f - u, uu = u * u, vv = v * v;
    series->from[0] = v, series->to[0] = u;
    for (int i = 1; i <= degree; i++) {
        float over = 1.0f / (float)(i * (2 * i + 1)), square = (float)(i * i);
        series->from[i] = series->from[i - 1] * ((vv - square) * over);
        series->to[i] = series->to[i - 1] * ((uu - square) * over);
    }
}

SNI_INLINE void slerp_weights(const slerp_series *series, int degree, v8 y, v8 *wa, v8 *wb)
{
    *wa = v8_set1(series->from[degree]), *wb = v8_set1(series->to[degree]);
    for (int i = degree - 1; i >= 0; i--) {
        *wa = v8_fma(*wa, y, v8_set1(series->from[i]));
        *wb = v8_fma(*wb, y, v8_set1(series->to[i]));
    }
}

SNI_INLINE void sample_slerp(const uint8_t *from, const uint8_t *to, uint32_t count, const uint32_t *places,
                             float *locals, const slerp_series *series, int degree)
{
    for (uint32_t i = 0; i < count; i++, from += 128, to += 128) {
        v8 a[4], b[4], wa, wb;
        float *out = locals + places[i];
        load4(a, (const float *)(const void *)from);
        load4(b, (const float *)(const void *)to);
        slerp_weights(series, degree, dot4(a, b, v8_set1(-1.0f)), &wa, &wb);
        for (int k = 0; k < 4; k++) v8_store(out + k * SNI_LANES, v8_fma(b[k], wb, v8_mul(a[k], wa)));
    }
}

// The length of a mix of unit vectors is sqrt(1 - s) with s = 2 u (1 - u) (1 - cos(angle)): for small angles the first
// terms of its series do, and need no square root.
SNI_INLINE void sample_nlerp_small(const uint8_t *from, const uint8_t *to, uint32_t count, const uint32_t *places,
                                   float *locals, float u)
{
    v8 wa = v8_set1(1.0f - u), wb = v8_set1(u), one = v8_set1(1.0f);
    float s = -u * (1.0f - u);
    v8 c1 = v8_set1(s), c2 = v8_set1(1.5f * s * s);
    for (uint32_t i = 0; i < count; i++, from += 128, to += 128) {
        v8 a[4], b[4];
        float *out = locals + places[i];
        load4(a, (const float *)(const void *)from);
        load4(b, (const float *)(const void *)to);
        v8 y = dot4(a, b, v8_set1(-1.0f)), factor = v8_fma(v8_fma(c2, y, c1), y, one);
        v8 fa = v8_mul(factor, wa), fb = v8_mul(factor, wb);
        for (int k = 0; k < 4; k++) v8_store(out + k * SNI_LANES, v8_fma(b[k], fb, v8_mul(a[k], fa)));
    }
}

SNI_INLINE void sample_nlerp(const uint8_t *from, const uint8_t *to, uint32_t count, const uint32_t *places,
                             float *locals, float u)
{
    v8 wa = v8_set1(1.0f - u), wb = v8_set1(u);
    for (uint32_t i = 0; i < count; i++, from += 128, to += 128) {
        v8 a[4], b[4];
        load4(a, (const float *)(const void *)from);
        load4(b, (const float *)(const void *)to);
        for (int k = 0; k < 4; k++) a[k] = v8_fma(b[k], wb, v8_mul(a[k], wa));
        store_unit(locals + places[i], a);
    }
}

SNI_INLINE void sample_lerp(const uint8_t *from, const uint8_t *to, uint32_t count, const uint32_t *places,
                            float *locals, float u)
{
    v8 wa = v8_set1(1.0f - u), wb = v8_set1(u);
    for (uint32_t i = 0; i < count; i++, from += 96, to += 96) {
        const float *a = (const float *)(const void *)from, *b = (const float *)(const void *)to;
        float *out = locals + places[i];
        for (int k = 0; k < 3 * SNI_LANES; k += SNI_LANES)
            v8_store(out + k, v8_fma(v8_load(b + k), wb, v8_mul(v8_load(a + k), wa)));
    }
}

SNI_INLINE v8 polynomial(const float *rows, v8 u)
{
    v8 sum = v8_load(rows + 3 * SNI_LANES);
    for (int i = 2; i >= 0; i--) sum = v8_fma(sum, u, v8_load(rows + i * SNI_LANES));
    return sum;
}

static SNI_NOINLINE void sample_cubic(const uint8_t *from, uint32_t count, const uint32_t *places, float *locals,
                                      float u)
{
    v8 at = v8_set1(u);
    for (uint32_t i = 0; i < count; i++, from += 12 * 32) {
        const float *rows = (const float *)(const void *)from;
        float *out = locals + places[i];
        for (int k = 0; k < 3; k++) v8_store(out + k * SNI_LANES, polynomial(rows + k * 4 * SNI_LANES, at));
    }
}

static SNI_NOINLINE void sample_cubic_rotation(const uint8_t *from, uint32_t count, const uint32_t *places,
                                               float *locals, float u)
{
    v8 at = v8_set1(u), q[4];
    for (uint32_t i = 0; i < count; i++, from += 16 * 32) {
        const float *rows = (const float *)(const void *)from;
        for (int k = 0; k < 4; k++) q[k] = polynomial(rows + k * 4 * SNI_LANES, at);
        store_unit(locals + places[i], q);
    }
}

static SNI_NOINLINE void sample_squad(const uint8_t *from, uint32_t count, const uint32_t *places, float *locals,
                                      float u)
{
    for (uint32_t i = 0; i < count; i++, from += SNI_SQUAD_ROWS * 32) {
        const float *rows = (const float *)(const void *)from;
        v8 q[4][4], outer[4], inner[4], out[4], one = v8_set1(1.0f);
        for (int k = 0; k < 4; k++) load4(q[k], rows + k * 4 * SNI_LANES);
        v8 at = v8_fma(v8_set1(u), v8_load(rows + 17 * SNI_LANES), v8_load(rows + 16 * SNI_LANES));
        arc(outer, q[0], q[1], at);
        arc(inner, q[2], q[3], at);
        arc(out, outer, inner, v8_mul(v8_add(at, at), v8_sub(one, at)));
        store_unit(locals + places[i], out);
    }
}

static SNI_NOINLINE void sample_step(const uint8_t *from, uint32_t count, const uint32_t *places, float *locals,
                                     uint32_t rows)
{
    for (uint32_t i = 0; i < count; i++, from += rows * 32) memcpy(locals + places[i], from, rows * 32);
}

static SNI_NOINLINE void sample_lerp_i16(const uint8_t *from, const uint8_t *to, uint32_t count, const uint32_t *places,
                                         const float *ranges, float *locals, float u)
{
    v8 wa = v8_set1(1.0f - u), wb = v8_set1(u);
    for (uint32_t i = 0; i < count; i++, from += 48, to += 48, ranges += SNI_RANGE_FLOATS) {
        const int16_t *a = (const int16_t *)(const void *)from, *b = (const int16_t *)(const void *)to;
        float *out = locals + places[i];
        for (int k = 0; k < 3 * SNI_LANES; k += SNI_LANES) {
            v8 mixed = v8_fma(v8_load_i16(b + k), wb, v8_mul(v8_load_i16(a + k), wa));
            v8_store(out + k, v8_fma(mixed, v8_load(ranges + k), v8_load(ranges + 3 * SNI_LANES + k)));
        }
    }
}

SNI_INLINE void sample_rotation_i16(const uint8_t *from, const uint8_t *to, uint32_t count, const uint32_t *places,
                                    float *locals, const slerp_series *series, int degree)
{
    v8 over = v8_set1(1.0f / (32767.0f * 32767.0f)), one = v8_set1(1.0f);
    for (uint32_t i = 0; i < count; i++, from += 64, to += 64) {
        v8 a[4], b[4], wa, wb;
        for (int k = 0; k < 4; k++) {
            a[k] = v8_load_i16((const int16_t *)(const void *)from + k * SNI_LANES);
            b[k] = v8_load_i16((const int16_t *)(const void *)to + k * SNI_LANES);
        }
        v8 y = v8_sub(v8_mul(dot4(a, b, v8_set1(0.0f)), over), one);
        slerp_weights(series, degree, y, &wa, &wb);
        for (int k = 0; k < 4; k++) a[k] = v8_fma(b[k], wb, v8_mul(a[k], wa));
        store_unit(locals + places[i], a);
    }
}

// All entries of a timeline.
SNI_INLINE void sample_frames(const sni_timeline *line, sni_frames at, float *locals)
{
    const uint8_t *from = at.from, *to = at.to;
    const uint32_t *places = line->places;
    slerp_series series;
    float u = at.u;
    for (uint32_t kinds = line->kinds; kinds; kinds &= kinds - 1) {
        uint32_t kind = (uint32_t)lowest_bit(kinds), count = line->counts[kind];
        switch (kind) {
        case SNI_LERP: sample_lerp(from, to, count, places, locals, u); break;
        case SNI_CUBIC: sample_cubic(from, count, places, locals, u); break;
        case SNI_SLERP_2:
            fill_series(&series, u, 2);
            sample_slerp(from, to, count, places, locals, &series, 2);
            break;
        case SNI_SLERP_4:
            fill_series(&series, u, 4);
            sample_slerp(from, to, count, places, locals, &series, 4);
            break;
        case SNI_SLERP_8:
            fill_series(&series, u, 8);
            sample_slerp(from, to, count, places, locals, &series, 8);
            break;
        case SNI_NLERP_2: sample_nlerp_small(from, to, count, places, locals, u); break;
        case SNI_NLERP: sample_nlerp(from, to, count, places, locals, u); break;
        case SNI_CUBIC_ROTATION: sample_cubic_rotation(from, count, places, locals, u); break;
        case SNI_SQUAD: sample_squad(from, count, places, locals, u); break;
        case SNI_STEP: sample_step(from, count, places, locals, 3); break;
        case SNI_STEP_ROTATION: sample_step(from, count, places, locals, 4); break;
        case SNI_LERP_I16: sample_lerp_i16(from, to, count, places, line->ranges, locals, u); break;
        case SNI_SLERP_I16:
            fill_series(&series, u, 8);
            sample_rotation_i16(from, to, count, places, locals, &series, 8);
            break;
        case SNI_NLERP_I16:
            fill_series(&series, u, 0);
            sample_rotation_i16(from, to, count, places, locals, &series, 0);
            break;
        default: return;  // there are no others
        }
        size_t size = (size_t)count * sni_kind_bytes(kind);
        from += size, to += size, places += count;
    }
}

// Entry by entry through a block of its own, of which only some lanes are taken.
static SNI_NOINLINE void sample_overlay(const sni_timeline *line, const sni_frames *at, float *locals)
{
    sni_frames rest = *at;
    uint32_t entry = 0, ranges = 0;
    for (uint32_t kind = 0; kind < SNI_KIND_COUNT; kind++) {
        for (uint32_t i = 0; i < line->counts[kind]; i++, entry++) {
            float rows[4 * SNI_LANES];
            uint32_t zero = 0, row_count = line->places[entry] % SNI_BLOCK_FLOATS == 3 * SNI_LANES ? 4 : 3;
            sni_timeline one = { .places = &zero, .kinds = 1u << kind };
            one.counts[kind] = 1;
            if (kind == SNI_LERP_I16) one.ranges = line->ranges + (size_t)SNI_RANGE_FLOATS * ranges++;
            sample_frames(&one, rest, rows);
            for (uint32_t k = 0; k < row_count * SNI_LANES; k++)
                if (line->lanes[entry] >> k % SNI_LANES & 1) locals[line->places[entry] + k] = rows[k];
            rest.from += sni_kind_bytes(kind), rest.to += sni_kind_bytes(kind);
        }
    }
}

// The weights of slerp where each lane has its own u.
SNI_INLINE void lane_slerp_weights(v8 u, int degree, v8 y, v8 *wa, v8 *wb)
{
    v8 v = v8_sub(v8_set1(1.0f), u), uu = v8_mul(u, u), vv = v8_mul(v, v), a = v, b = u, power_a = v, power_b = u;
    for (int i = 1; i <= degree; i++) {
        v8 factor = v8_mul(y, v8_set1(1.0f / (float)(i * (2 * i + 1)))), square = v8_set1((float)(i * i));
        power_a = v8_mul(power_a, v8_mul(factor, v8_sub(vv, square)));
        power_b = v8_mul(power_b, v8_mul(factor, v8_sub(uu, square)));
        a = v8_add(a, power_a), b = v8_add(b, power_b);
    }
    *wa = a, *wb = b;
}

SNI_INLINE v8 lane_polynomial(const v8 rows[4], v8 u)
{
    return v8_fma(v8_fma(v8_fma(rows[3], u, rows[2]), u, rows[1]), u, rows[0]);
}

// The time of each lane.
SNI_INLINE v8 lane_times(const sni_lane_entry *entry, float time, float clock)
{
    float times[SNI_LANES];
    if (!entry->has_periods) return v8_set1(time);
    for (int i = 0; i < SNI_LANES; i++) {
        float period = entry->tracks[i].period;
        times[i] = period > 0.0f ? sni_wrap_time(clock, period) : time;
    }
    return v8_load(times);
}

SNI_INLINE v8 share_between(v8 now, const float *since, const float *until)
{
    v8 from = v8_load(since);
    return v8_div(v8_sub(now, from), v8_sub(v8_load(until), from));
}

// Interpolates between keys: four rows of the earlier ones, four of the later ones.
SNI_INLINE void mix_lanes(uint32_t kind, const v8 *rows, v8 u, const float *ranges, float *out)
{
    v8 v = v8_sub(v8_set1(1.0f), u), over = v8_set1(1.0f / (32767.0f * 32767.0f)), q[4], wa = v, wb = u;
    v8 none = v8_set1(0.0f), least = v8_set1(-1.0f);
    switch (kind) {
    case SNI_STEP:
    case SNI_STEP_ROTATION:
        for (int k = 0; k < (kind == SNI_STEP ? 3 : 4); k++) v8_store(out + k * SNI_LANES, rows[k]);
        return;
    case SNI_LERP:
    case SNI_LERP_I16:
        for (int k = 0; k < 3; k++) {
            v8 mixed = v8_fma(rows[4 + k], u, v8_mul(rows[k], v));
            if (kind == SNI_LERP_I16)
                mixed = v8_fma(mixed, v8_load(ranges + k * SNI_LANES), v8_load(ranges + (3 + k) * SNI_LANES));
            v8_store(out + k * SNI_LANES, mixed);
        }
        return;
    case SNI_SLERP_2: lane_slerp_weights(u, 2, dot4(rows, rows + 4, least), &wa, &wb); break;
    case SNI_SLERP_4: lane_slerp_weights(u, 4, dot4(rows, rows + 4, least), &wa, &wb); break;
    case SNI_SLERP_8: lane_slerp_weights(u, 8, dot4(rows, rows + 4, least), &wa, &wb); break;
    case SNI_SLERP_I16: lane_slerp_weights(u, 8, v8_fma(dot4(rows, rows + 4, none), over, least), &wa, &wb); break;
    default: break;
    }
    for (int k = 0; k < 4; k++) q[k] = v8_fma(rows[4 + k], wb, v8_mul(rows[k], wa));
    if (kind >= SNI_SLERP_2 && kind <= SNI_SLERP_8)
        for (int k = 0; k < 4; k++) v8_store(out + k * SNI_LANES, q[k]);
    else store_unit(out, q);
}

SNI_INLINE void sample_curves(uint32_t kind, const v8 *rows, v8 u, float *out)
{
    v8 q[4], outer[4], inner[4], one = v8_set1(1.0f);
    for (int k = 0; k < 4 && kind != SNI_SQUAD; k++)
        q[k] = lane_polynomial(rows + (k < 3 || kind != SNI_CUBIC ? k : 0) * 4, u);
    if (kind == SNI_CUBIC) {
        for (int k = 0; k < 3; k++) v8_store(out + k * SNI_LANES, q[k]);
        return;
    }
    if (kind == SNI_SQUAD) {
        v8 at = v8_fma(u, rows[17], rows[16]);
        arc(outer, rows, rows + 4, at);
        arc(inner, rows + 8, rows + 12, at);
        arc(q, outer, inner, v8_mul(v8_add(at, at), v8_sub(one, at)));
    }
    store_unit(out, q);
}

// Eight floats of each of eight keys.
SNI_INLINE void load_keys(v8 rows[8], const uint8_t *const keys[SNI_LANES], uint32_t start)
{
    for (int i = 0; i < SNI_LANES; i++) rows[i] = v8_load((const float *)(const void *)keys[i] + start);
    v8_transpose(rows);
}

// Four of each.
SNI_INLINE void load_keys4(v8 rows[4], const uint8_t *const keys[SNI_LANES], uint32_t start)
{
    for (int i = 0; i < 4; i++)
        rows[i] = v8_of(v4_load((const float *)(const void *)keys[i] + start),
                        v4_load((const float *)(const void *)keys[i + 4] + start));
    v8_transpose4(rows);
}

// All lanes from their keys. A cursor is where keys were found last: they mostly are there, or one further.
SNI_INLINE void sample_lanes_of(uint32_t kind, const sni_lane_entry *entry, v8 now, uint32_t *cursor, float *out)
{
    const sni_lane *lanes = entry->tracks;
    float times[SNI_LANES], since[SNI_LANES], until[SNI_LANES];
    uint32_t at[SNI_LANES];
    const uint8_t *keys[SNI_LANES];
    v8 rows[20];
    bool is_found = cursor != NULL;
    v8_store(times, now);
    if (is_found) {
        for (int i = 0; i < SNI_LANES; i++) {
            uint32_t last = lanes[i].key_count - 1, key = cursor[i] < last ? cursor[i] : last;
            key += lanes[i].times[key + 1] <= times[i];
            at[i] = key, since[i] = lanes[i].times[key], until[i] = lanes[i].times[key + 1];
        }
        is_found = v8_mask_greater(v8_load(since), now) == 0 && v8_mask_greater(v8_load(until), now) == 255;
    }
    for (int i = 0; i < SNI_LANES && !is_found; i++) {
        at[i] = sni_lane_find(&lanes[i], times[i]);
        since[i] = lanes[i].times[at[i]], until[i] = lanes[i].times[at[i] + 1];
    }
    if (cursor) memcpy(cursor, at, sizeof at);
    for (int i = 0; i < SNI_LANES; i++) {
        keys[i] = (const uint8_t *)lanes[i].values + (size_t)at[i] * sni_lane_bytes(kind);
        prefetch(keys[i] + 64);  // what playing on will need
    }
    v8 u = share_between(now, since, until);
    if (kind >= SNI_LERP_I16) {
        for (int i = 0; i < SNI_LANES; i++) rows[i] = v8_load_i16((const int16_t *)(const void *)keys[i]);
        v8_transpose(rows);
    } else {
        load_keys(rows, keys, 0);
    }
    if (kind == SNI_CUBIC) load_keys4(rows + 8, keys, 8);
    if (kind == SNI_CUBIC_ROTATION || kind == SNI_SQUAD) load_keys(rows + 8, keys, 8);
    if (kind == SNI_SQUAD) load_keys4(rows + 16, keys, 16);
    if (sni_is_curve(kind)) sample_curves(kind, rows, u, out);
    else mix_lanes(kind, rows, u, entry->ranges, out);
}

// Sets the keys of a lane.
SNI_INLINE void cache_key(const sni_lane_entry *entry, int i, uint32_t at, sni_lane_cache *cache)
{
    const sni_lane *lane = &entry->tracks[i];
    cache->at[i] = at;
    cache->since[i] = lane->times[at], cache->until[i] = lane->times[at + 1];
    if (entry->kind >= SNI_LERP_I16) {
        const int16_t *key = (const int16_t *)lane->values + (size_t)at * 4;
        for (int k = 0; k < 4; k++) cache->from[k][i] = key[k], cache->to[k][i] = key[4 + k];
    } else {
        const float *key = (const float *)lane->values + (size_t)at * 4;
        for (int k = 0; k < 4; k++) cache->from[k][i] = key[k], cache->to[k][i] = key[4 + k];
    }
}

// Looks for the keys of lanes that have left theirs.
static void find_left_keys(const sni_lane_entry *entry, v8 now, sni_lane_cache *cache)
{
    float times[SNI_LANES];
    unsigned left = v8_mask_greater(v8_load(cache->since), now) | (255u & ~v8_mask_greater(v8_load(cache->until), now));
    v8_store(times, now);
    for (; left; left &= left - 1) {
        int i = lowest_bit(left);
        const sni_lane *lane = &entry->tracks[i];
        uint32_t at = cache->at[i] + 1;
        if (!(cache->since[i] <= times[i]) || at >= lane->key_count || !(times[i] < lane->times[at + 1]))
            at = sni_lane_find(lane, times[i]);
        cache_key(entry, i, at, cache);
    }
}

// Brings a cache to a time. Playing forward needs only the events since the last sample.
static void update_keys(const sni_motion_clip *clip, float time, float clock, sni_key_cache *keys)
{
    const sni_lane_entry *entries = clip->lane_entries;
    const sni_key_event *events = clip->events;
    bool is_new = keys->keys_id != clip->keys_id;
    if (is_new) {
        for (uint32_t i = 0; i < clip->cached_count; i++)
            for (int k = 0; k < SNI_LANES; k++) keys->lanes[i].since[k] = keys->lanes[i].until[k] = INFINITY;
        keys->keys_id = clip->keys_id;
    }
    bool is_forward = events && !is_new && time >= keys->time;
    if (is_forward) {
        uint32_t next = keys->next_event;
        for (; next < clip->event_count && events[next].time <= time; next++) {
            const sni_key_event *event = &events[next];
            uint32_t i = event->lane % SNI_LANES;
            sni_lane_cache *cache = &keys->lanes[event->lane / SNI_LANES];
            cache->at[i]++;
            cache->since[i] = event->time, cache->until[i] = event->until;
            for (int k = 0; k < 4; k++) cache->from[k][i] = cache->to[k][i], cache->to[k][i] = event->to[k];
        }
        keys->next_event = next;
    } else if (events) {
        uint32_t low = 0, high = clip->event_count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (events[middle].time <= time) low = middle + 1;
            else high = middle;
        }
        keys->next_event = low;
    }
    for (uint32_t i = 0; i < clip->cached_count; i++)
        if (!sni_is_curve(entries[i].kind) && !(is_forward && sni_has_events(&entries[i])))
            find_left_keys(&entries[i], lane_times(&entries[i], time, clock), &keys->lanes[i]);
    keys->time = time;
}

SNI_INLINE void sample_cached_of(uint32_t kind, const sni_lane_entry *entry, v8 now, const sni_lane_cache *cache,
                                 float *out)
{
    v8 rows[8];
    load4(rows, cache->from[0]);
    load4(rows + 4, cache->to[0]);
    mix_lanes(kind, rows, share_between(now, cache->since, cache->until), entry->ranges, out);
}

// Calls a function that is made for each kind.
#define SNI_EACH_KIND(function, kind, ...)                                   \
    switch (kind) {                                                          \
    case SNI_LERP: function(SNI_LERP, __VA_ARGS__); break;                   \
    case SNI_SLERP_2: function(SNI_SLERP_2, __VA_ARGS__); break;             \
    case SNI_SLERP_4: function(SNI_SLERP_4, __VA_ARGS__); break;             \
    case SNI_SLERP_8: function(SNI_SLERP_8, __VA_ARGS__); break;             \
    case SNI_STEP: function(SNI_STEP, __VA_ARGS__); break;                   \
    case SNI_STEP_ROTATION: function(SNI_STEP_ROTATION, __VA_ARGS__); break; \
    case SNI_LERP_I16: function(SNI_LERP_I16, __VA_ARGS__); break;           \
    case SNI_SLERP_I16: function(SNI_SLERP_I16, __VA_ARGS__); break;         \
    case SNI_NLERP_I16: function(SNI_NLERP_I16, __VA_ARGS__); break;         \
    default: function(SNI_NLERP, __VA_ARGS__); break;                        \
    }

static void sample_lanes(const sni_lane_entry *entry, v8 now, uint32_t *cursor, float *out)
{
    switch (entry->kind) {
    case SNI_CUBIC: sample_lanes_of(SNI_CUBIC, entry, now, cursor, out); break;
    case SNI_CUBIC_ROTATION: sample_lanes_of(SNI_CUBIC_ROTATION, entry, now, cursor, out); break;
    case SNI_SQUAD: sample_lanes_of(SNI_SQUAD, entry, now, cursor, out); break;
    default: SNI_EACH_KIND(sample_lanes_of, entry->kind, entry, now, NULL, out)
    }
}

// All lane entries. The keys are updated before the first is used: a vector waits long for parts of it that were just
// stored.
static SNI_NOINLINE void sample_lane_entries(const sni_motion_clip *clip, float time, float clock, sni_key_cache *keys,
                                             float *locals)
{
    uint32_t cached_count = keys ? clip->cached_count : 0;
    if (keys) update_keys(clip, time, clock, keys);
    for (uint32_t i = 0; i < clip->lane_entry_count; i++) {
        const sni_lane_entry *entry = &clip->lane_entries[i];
        float *out = locals + entry->place, rows[4 * SNI_LANES];
        v8 now = lane_times(entry, time, clock);
        if (i < cached_count && !sni_is_curve(entry->kind)) {
            SNI_EACH_KIND(sample_cached_of, entry->kind, entry, now, &keys->lanes[i], out)
        } else if (entry->lanes == 255) {
            sample_lanes(entry, now, i < cached_count ? keys->lanes[i].at : NULL, out);
        } else {
            uint32_t count = entry->place % SNI_BLOCK_FLOATS == 3 * SNI_LANES ? 4 : 3;
            sample_lanes(entry, now, NULL, rows);
            for (uint32_t k = 0; k < count * SNI_LANES; k++)
                if (entry->lanes >> k % SNI_LANES & 1) out[k] = rows[k];
        }
    }
}

static void sample(const sni_motion_clip *clip, float time, float clock, sni_key_cache *keys, sni_trs8 *locals)
{
    uint32_t i = 0;
    float *out = sni_trs8_floats(locals);
    for (; i < clip->timeline_count && !clip->timelines[i].is_overlay; i++) {
        const sni_timeline *line = &clip->timelines[i];
        sni_frames at = sni_timeline_find(line, line->period > 0.0f ? sni_wrap_time(clock, line->period) : time);
        sample_frames(line, at, out);
    }
    if (clip->lane_entry_count) sample_lane_entries(clip, time, clock, keys, out);
    for (; i < clip->timeline_count; i++) {
        const sni_timeline *line = &clip->timelines[i];
        sni_frames at = sni_timeline_find(line, line->period > 0.0f ? sni_wrap_time(clock, line->period) : time);
        sample_overlay(line, &at, out);
    }
}
