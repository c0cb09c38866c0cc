#include "convert/tangents.h"

#include "base/map.h"
#include "base/math.h"
#include "convert/split.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// A corner is face * 3 + 0..2; edge k of a face leads from its corner k to the next. Points are vertices that agree in
// position, normal and texture coordinates, named by the first of them.

enum { NO_CORNER = -1, LONGEST_PROBE = 256, MOST_COMPARED = 64 };

typedef struct vector {
    double x, y, z;
} vector;

typedef struct face {
    sn_vec3 along, up;  // where u and v grow, unit length or 0
    bool is_collapsed;  // two corners in one place: it takes what its neighbours have
    bool is_free;       // texture coordinates say nothing: it joins any group and adds nothing
    bool is_straight;   // texture not mirrored
} face;

// The directions of a face in the plane of the corner's normal.
typedef struct flat_face {
    sn_vec3 along, up;
    bool is_free;
} flat_face;

typedef struct surface {
    const sn_mesh *mesh;
    const sn_vec2 *uvs;
    sni_arena *scratch;
    uint32_t face_count;
    uint32_t *points;  // of each vertex
    face *faces;
    bool has_collapsed;   // faces
    int32_t *neighbors;   // the corner that leads the other way across each edge, NO_CORNER
    uint8_t *is_grouped;  // each corner
    uint32_t *members;    // corners of the newest group
    uint32_t member_count;
    vector shares[MOST_COMPARED];  // of the members in their tangent
    // Where there are collapsed faces, of each point: the first corner of a sound face + 1, and its tangent.
    uint32_t *first_corners;
    sn_vec4 *first_tangents;
    // Vertices as they are handed out: those of the mesh, then copies.
    sn_vec4 *tangents;  // of the mesh's own vertices; w is 0 where there is none yet
    uint32_t *copies;   // the newest copy of each, 0: none
    uint32_t *indices;  // NULL: no copies yet, the mesh's own
    sni_list sources;   // uint32_t
    sni_list copied;    // sn_vec4
} surface;

static vector vector_of(sn_vec3 v) { return (vector){ v.x, v.y, v.z }; }

static double dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static vector add_scaled(vector a, vector b, double s)
{
    return (vector){ a.x + b.x * s, a.y + b.y * s, a.z + b.z * s };
}

// Unit length, or 0 where there is hardly any.
static vector unit_or_zero(vector v)
{
    double length = sqrt(dot(v, v));
    if (!(length > FLT_MIN)) return (vector){ 0, 0, 0 };
    return (vector){ v.x / length, v.y / length, v.z / length };
}

static vector flattened(vector v, vector normal) { return add_scaled(v, normal, -dot(normal, v)); }

// Models are the same on every machine, so loading uses no library function but the square root. The angle is that of
// the nearest of 17 known ones, plus a rest below 1/31 for which the series needs four terms: errors are below 1e-13.
static double arc_tangent(double y, double x)
{
    static const double known[17] = { 0.0,
                                      0.06241880999595735,
                                      0.12435499454676144,
                                      0.18534794999569476,
                                      0.24497866312686414,
                                      0.3028848683749714,
                                      0.35877067027057225,
                                      0.4124104415973873,
                                      0.4636476090008061,
                                      0.5123894603107377,
                                      0.5585993153435624,
                                      0.6022873461349642,
                                      0.6435011087932844,
                                      0.6823165548747481,
                                      0.7188299996216245,
                                      0.7531512809621944,
                                      0.7853981633974483 };
    // Without jumps: no processor could predict them.
    static const double start[2] = { 0.0, 1.57079632679489661923 }, sign[2] = { 1.0, -1.0 };
    bool is_steep = y > x;
    double above = y < x ? y : x, below = y > x ? y : x;
    if (!(below > 0.0)) return 0.0;
    int nearest = (int)(above / below * 16.0 + 0.5);
    double t = nearest / 16.0, rest = (above - t * below) / (below + t * above), square = rest * rest;
    double angle = known[nearest] + rest * (1.0 - square * (1.0 / 3 - square * (1.0 / 5 - square * (1.0 / 7))));
    return start[is_steep] + sign[is_steep] * angle;
}

static vector cross(vector a, vector b)
{
    return (vector){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static bool is_short(vector v) { return !(dot(v, v) > (double)FLT_MIN * FLT_MIN); }

static uint32_t vertex_at(const surface *s, uint32_t corner) { return s->mesh->indices[corner]; }

static uint32_t point_at(const surface *s, uint32_t corner) { return s->points[vertex_at(s, corner)]; }

static uint32_t next_corner(uint32_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }

static uint32_t last_corner(uint32_t corner) { return corner % 3 == 0 ? corner + 2 : corner - 1; }

static bool same_place(sn_vec3 a, sn_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool same_point(const surface *s, uint32_t a, uint32_t b)
{
    const sn_mesh *mesh = s->mesh;
    return same_place(mesh->positions[a], mesh->positions[b]) && same_place(mesh->normals[a], mesh->normals[b]) &&
           s->uvs[a].x == s->uvs[b].x && s->uvs[a].y == s->uvs[b].y;
}

static uint64_t mix_float(uint64_t hash, float value)
{
    uint32_t bits;
    value += 0.0f;  // -0 is 0
    memcpy(&bits, &value, sizeof bits);
    return sni_hash_mix(hash, bits);
}

static uint64_t hash_of(const surface *s, uint32_t vertex)
{
    sn_vec3 p = s->mesh->positions[vertex], n = s->mesh->normals[vertex];
    sn_vec2 t = s->uvs[vertex];
    uint64_t hash = mix_float(mix_float(mix_float(0, p.x), p.y), p.z);
    return mix_float(mix_float(mix_float(mix_float(mix_float(hash, n.x), n.y), n.z), t.x), t.y);
}

// Vertices that are one point get one name. Files made to collide cost a bounded search and stay apart.
// A table of its own: with an sni_map tangents took 7 to 19 % longer.
static bool find_points(surface *s)
{
    uint64_t slots = 16;
    while (slots < (uint64_t)s->mesh->vertex_count * 2) slots *= 2;
    uint32_t *table = sni_new(s->scratch, uint32_t, slots);  // vertex + 1
    s->points = sni_new_raw(s->scratch, uint32_t, s->mesh->vertex_count);
    if (!table || !s->points) return false;
    for (uint32_t i = 0; i < s->mesh->vertex_count; i++) {
        uint64_t at = hash_of(s, i) & (slots - 1);
        int probes = 0;
        while (table[at] && !same_point(s, table[at] - 1, i) && probes++ < LONGEST_PROBE) at = (at + 1) & (slots - 1);
        if (!table[at]) table[at] = i + 1;
        s->points[i] = probes > LONGEST_PROBE ? i : table[at] - 1;
    }
    return true;
}

static bool is_collapsed(const surface *s, uint32_t corner)
{
    const sn_vec3 *p = s->mesh->positions;
    sn_vec3 a = p[vertex_at(s, corner)], b = p[vertex_at(s, corner + 1)], c = p[vertex_at(s, corner + 2)];
    return same_place(a, b) || same_place(b, c) || same_place(a, c);
}

static vector between(sn_vec3 from, sn_vec3 to)
{
    return (vector){ (double)to.x - from.x, (double)to.y - from.y, (double)to.z - from.z };
}

static sn_vec3 rounded(vector v) { return sni_vec3((float)v.x, (float)v.y, (float)v.z); }

// One corner of a face as origin, the edges from there to the others: in space d, in the texture (u, v).
typedef struct frame {
    vector d1, d2;
    double u1, v1, u2, v2;
} frame;

static frame frame_at(const surface *s, uint32_t corner)
{
    uint32_t i = vertex_at(s, corner), j = vertex_at(s, corner + 1), k = vertex_at(s, corner + 2);
    const sn_vec3 *p = s->mesh->positions;
    sn_vec2 a = s->uvs[i], b = s->uvs[j], c = s->uvs[k];
    return (frame){ between(p[i], p[j]), between(p[i], p[k]), (double)b.x - a.x,
                    (double)b.y - a.y,   (double)c.x - a.x,   (double)c.y - a.y };
}

// a * b - c * d as float arithmetic has it, where it has it. Whether a face is mirrored, or without texture, or a
// sliver that means nothing (the pole of many a sphere) is a matter of rounding, and defined with floats.
static double rounded_difference(double a, double b, double c, double d)
{
    float first = (float)a * (float)b, second = (float)c * (float)d, difference = first - second;
    return isfinite(difference) ? difference : a * b - c * d;
}

static vector combined(vector a, double s, vector b, double t)
{
    return (vector){ rounded_difference(a.x, s, b.x, t), rounded_difference(a.y, s, b.y, t),
                     rounded_difference(a.z, s, b.z, t) };
}

// Where on the face u grows, and where v does: what solves d = u * along + v * up for both edges, up to scale.
typedef struct directions {
    vector along, up;
    double area;  // in the texture
} directions;

static directions directions_at(const surface *s, uint32_t corner)
{
    frame edges = frame_at(s, corner);
    double area = rounded_difference(edges.u1, edges.v2, edges.v1, edges.u2), sign = area > 0.0 ? 1.0 : -1.0;
    return (directions){ combined(edges.d1, sign * edges.v2, edges.d2, sign * edges.v1),
                         combined(edges.d2, sign * edges.u1, edges.d1, sign * edges.u2), area };
}

static face face_at(const surface *s, uint32_t corner)
{
    directions d = directions_at(s, corner);
    face f = { .is_collapsed = is_collapsed(s, corner), .is_free = true, .is_straight = d.area > 0.0 };
    if (!(fabs(d.area) > FLT_MIN)) return f;
    vector along = unit_or_zero(d.along), up = unit_or_zero(d.up);
    f.along = rounded(along);
    f.up = rounded(up);
    f.is_free = dot(along, along) == 0.0 || dot(up, up) == 0.0;
    return f;
}

typedef struct edge {
    uint32_t high, corner;
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->corner > y->corner) - (x->corner < y->corner);
}

// Sorts the edges of one lower point: they come with rising corners, and are few.
static void sort_edges(edge *edges, uint32_t count)
{
    enum { FEW = 24 };
    if (count > FEW) {
        qsort(edges, count, sizeof *edges, compare_edges);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        edge moved = edges[i];
        uint32_t at = i;
        for (; at > 0 && edges[at - 1].high > moved.high; at--) edges[at] = edges[at - 1];
        edges[at] = moved;
    }
}

// All edges between two points: the first that leads one way meets the first that leads back, and so on.
static void pair_edges(surface *s, uint32_t low, const edge *edges, uint32_t count)
{
    uint32_t up = 0, down = 0;
    while (true) {
        while (up < count && point_at(s, edges[up].corner) != low) up++;
        while (down < count && point_at(s, edges[down].corner) == low) down++;
        if (up == count || down == count) return;
        s->neighbors[edges[up].corner] = (int32_t)edges[down].corner;
        s->neighbors[edges[down].corner] = (int32_t)edges[up].corner;
        up++, down++;
    }
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

static uint32_t larger(uint32_t a, uint32_t b) { return a < b ? b : a; }

// Edges go to their lower point by counting; those of one point are sorted.
static bool find_neighbors(surface *s)
{
    const uint32_t corners = s->face_count * 3, points = s->mesh->vertex_count;
    edge *edges = sni_new_raw(s->scratch, edge, corners);
    uint32_t *ends = sni_new(s->scratch, uint32_t, (uint64_t)points + 1);  // of the edges of each point
    s->neighbors = sni_new_raw(s->scratch, int32_t, corners);
    if (!edges || !ends || !s->neighbors) return false;
    for (uint32_t i = 0; i < corners; i++) s->neighbors[i] = NO_CORNER;
    for (uint32_t i = 0; i < corners; i += 3) {
        if (s->faces[i / 3].is_collapsed) continue;
        uint32_t a = point_at(s, i), b = point_at(s, i + 1), c = point_at(s, i + 2);
        ends[smaller(a, b) + 1]++, ends[smaller(b, c) + 1]++, ends[smaller(c, a) + 1]++;
    }
    for (uint32_t i = 0; i < points; i++) ends[i + 1] += ends[i];  // now where each begins
    for (uint32_t i = 0; i < corners; i += 3) {
        if (s->faces[i / 3].is_collapsed) continue;
        uint32_t a = point_at(s, i), b = point_at(s, i + 1), c = point_at(s, i + 2);
        edges[ends[smaller(a, b)]++] = (edge){ larger(a, b), i };
        edges[ends[smaller(b, c)]++] = (edge){ larger(b, c), i + 1 };
        edges[ends[smaller(c, a)]++] = (edge){ larger(c, a), i + 2 };
    }
    for (uint32_t low = 0, start = 0; low < points; start = ends[low++]) {
        sort_edges(edges + start, ends[low] - start);
        for (uint32_t from = start, to = start; from < ends[low]; from = to) {
            while (to < ends[low] && edges[to].high == edges[from].high) to++;
            pair_edges(s, low, edges + from, to - from);
        }
    }
    return true;
}

static void join_group(surface *s, uint32_t corner)
{
    s->is_grouped[corner] = 1;
    s->members[s->member_count++] = corner;
}

// A free face takes the side of the first group that reaches it.
static void try_corner(surface *s, uint32_t corner, bool is_straight)
{
    face *f = &s->faces[corner / 3];
    uint32_t first = corner / 3 * 3;
    if (s->is_grouped[corner]) return;
    bool is_alone = !s->is_grouped[first] && !s->is_grouped[first + 1] && !s->is_grouped[first + 2];
    if (f->is_free && is_alone) f->is_straight = is_straight;
    if (f->is_straight == is_straight) join_group(s, corner);
}

// All corners at one point that can be reached over edges without coming to a mirrored face. The edge from a corner
// leads back to it in the neighbour, where its other end is the corner at the point.
static void grow_group(surface *s, uint32_t corner)
{
    bool is_straight = s->faces[corner / 3].is_straight;
    s->member_count = 0;
    join_group(s, corner);
    for (uint32_t at = 0; at < s->member_count; at++) {
        uint32_t member = s->members[at];
        int32_t ahead = s->neighbors[member], behind = s->neighbors[last_corner(member)];
        if (ahead != NO_CORNER) try_corner(s, next_corner((uint32_t)ahead), is_straight);
        if (behind != NO_CORNER) try_corner(s, (uint32_t)behind, is_straight);
    }
}

// A face at one of its corners, seen along the normal. What is zero adds nothing.
typedef struct wedge {
    vector along;                // where u grows
    double along_square;         // of its length, never 0
    double sine_square, cosine;  // of the angle between the edges, both times the same factor
} wedge;

static wedge wedge_at(const surface *s, uint32_t corner, vector along, vector normal)
{
    const sn_vec3 *p = s->mesh->positions;
    sn_vec3 here = p[vertex_at(s, corner)];
    vector a = flattened(between(here, p[vertex_at(s, last_corner(corner))]), normal);
    vector b = flattened(between(here, p[vertex_at(s, next_corner(corner))]), normal);
    vector across = cross(a, b);
    wedge w = { along, dot(along, along), dot(across, across), dot(a, b) };
    if (is_short(along)) return (wedge){ .along_square = 1.0 };
    if (is_short(a) != is_short(b)) w.sine_square = 1.0, w.cosine = 0.0;  // no direction is at right angles to others
    if (is_short(a) && is_short(b)) w.sine_square = w.cosine = 0.0;
    return w;
}

// In its group's tangent: by the angle.
static vector share_of(const wedge *w)
{
    double angle = arc_tangent(sqrt(w->sine_square), fabs(w->cosine));
    if (w->cosine < 0.0) angle = 3.14159265358979323846 - angle;
    double scale = angle / sqrt(w->along_square);
    return (vector){ w->along.x * scale, w->along.y * scale, w->along.z * scale };
}

// Across any normal but one along X, as it is defined; never useless.
static sn_vec3 tangent_without_texture(sn_vec3 normal)
{
    return fabsf(normal.x) < 0.999f ? sni_vec3(1, 0, 0) : sni_vec3(0, 1, 0);
}

// MikkTSpace's sign is for textures that begin at the bottom: ours begin at the top.
static sn_vec4 tangent_of(const surface *s, uint32_t corner, vector sum)
{
    vector unit = unit_or_zero(sum);
    sn_vec3 t = sni_unit(rounded(unit), tangent_without_texture(s->mesh->normals[vertex_at(s, corner)]));
    return (sn_vec4){ t.x, t.y, t.z, s->faces[corner / 3].is_straight ? -1.0f : 1.0f };
}

static bool are_near(sn_vec4 a, sn_vec4 b)
{
    const float near = 1e-6f;
    return a.w == b.w && fabsf(a.x - b.x) <= near && fabsf(a.y - b.y) <= near && fabsf(a.z - b.z) <= near;
}

static bool copy_indices(surface *s)
{
    s->indices = sni_new_raw(s->scratch, uint32_t, s->mesh->index_count);
    if (s->indices) memcpy(s->indices, s->mesh->indices, s->mesh->index_count * sizeof *s->indices);
    return s->indices;
}

// Gives a corner its tangent. Groups come one after the other, so only the newest copy of a vertex can have the same.
static bool place(surface *s, uint32_t corner, sn_vec4 tangent)
{
    uint32_t vertex = vertex_at(s, corner), count = s->mesh->vertex_count, *copy = &s->copies[vertex];
    if (s->has_collapsed && s->first_corners[s->points[vertex]] == corner + 1)
        s->first_tangents[s->points[vertex]] = tangent;
    if (s->tangents[vertex].w == 0.0f) s->tangents[vertex] = tangent;
    if (are_near(s->tangents[vertex], tangent)) return true;
    if (*copy == 0 || !are_near(((const sn_vec4 *)s->copied.items)[*copy - count], tangent)) {
        uint32_t *source = sni_push(s->scratch, &s->sources, uint32_t);
        sn_vec4 *copied = sni_push(s->scratch, &s->copied, sn_vec4);
        if (!source || !copied || (!s->indices && !copy_indices(s))) return false;
        *source = vertex;
        *copied = tangent;
        *copy = count + s->sources.count - 1;
    }
    s->indices[corner] = *copy;
    return true;
}

static sn_vec3 unit_float(sn_vec3 v, sn_vec3 otherwise)
{
    float length = sqrtf(sni_dot(v, v));
    return length > FLT_MIN && length <= FLT_MAX ? sni_scale(v, 1.0f / length) : otherwise;
}

// `unit`: the same in double precision, for where floats are too small or too large.
static sn_vec3 flattened_float(vector v, sn_vec3 unit, sn_vec3 normal)
{
    sn_vec3 u = unit_float(rounded(v), unit), flat = sni_sub(u, sni_scale(normal, sni_dot(normal, u)));
    return unit_float(flat, flat);
}

static flat_face flat_face_at(const surface *s, uint32_t corner)
{
    const face *f = &s->faces[corner / 3];
    sn_vec3 normal = s->mesh->normals[vertex_at(s, corner)];
    if (f->is_free) return (flat_face){ .is_free = true };
    directions d = directions_at(s, corner / 3 * 3);
    return (flat_face){ flattened_float(d.along, f->along, normal), flattened_float(d.up, f->up, normal), false };
}

// Faces whose texture runs exactly opposite ways do not share a tangent: it would vanish. What is exact is a matter of
// rounding, so this too is done in float.
static bool are_opposite(const flat_face *a, const flat_face *b)
{
    if (a->is_free || b->is_free) return false;
    return !(sni_dot(a->along, b->along) > -1.0f) || !(sni_dot(a->up, b->up) > -1.0f);
}

static bool has_opposites(const flat_face *flat, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++)
            if (are_opposite(&flat[i], &flat[k])) return true;
    return false;
}

// Each member gets a tangent of its own, from those that are not opposite to it.
static bool place_apart(surface *s, const flat_face *flat)
{
    for (uint32_t i = 0; i < s->member_count; i++) {
        vector sum = { 0, 0, 0 };
        for (uint32_t k = 0; k < s->member_count; k++)
            if (!are_opposite(&flat[i], &flat[k])) sum = add_scaled(sum, s->shares[k], 1.0);
        if (!place(s, s->members[i], tangent_of(s, s->members[i], sum))) return false;
    }
    return true;
}

// Adds the shares of some members, in their order. In a loop of its own, so that the square roots and divisions of
// several members are under way at a time.
static vector add_shares(surface *s, const wedge *wedges, uint32_t count, vector sum)
{
    for (uint32_t i = 0; i < count; i++) {
        s->shares[i] = share_of(&wedges[i]);
        sum = add_scaled(sum, s->shares[i], 1.0);
    }
    return sum;
}

// The tangent of a group: those of its faces by the angles they have here. Directions within 41 degrees of the first
// one are not opposite to each other: most groups need no other comparison. Very large groups are not compared.
static bool place_group(surface *s)
{
    const double near = 0.75;
    const vector normal = vector_of(s->mesh->normals[vertex_at(s, s->members[0])]);  // the same at all members
    vector sum = { 0, 0, 0 }, first_along = sum, first_up = sum;
    bool is_first = true, may_be_opposite = false;
    wedge wedges[MOST_COMPARED];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->member_count; i++) {
        const face *f = &s->faces[s->members[i] / 3];
        if (count == MOST_COMPARED) sum = add_shares(s, wedges, count, sum), count = 0;
        wedges[count++] = (wedge){ .along_square = 1.0 };
        if (f->is_free) continue;
        vector along = flattened(vector_of(f->along), normal), up = flattened(vector_of(f->up), normal);
        if (is_first) first_along = along, first_up = up;
        is_first = false;
        may_be_opposite |= !(dot(along, first_along) > near) || !(dot(up, first_up) > near);
        wedges[count - 1] = wedge_at(s, s->members[i], along, normal);
    }
    sum = add_shares(s, wedges, count, sum);

    if (may_be_opposite && s->member_count <= MOST_COMPARED) {
        flat_face flat[MOST_COMPARED];
        for (uint32_t i = 0; i < s->member_count; i++) flat[i] = flat_face_at(s, s->members[i]);
        if (has_opposites(flat, s->member_count)) return place_apart(s, flat);
    }
    sn_vec4 shared = tangent_of(s, s->members[0], sum);
    for (uint32_t i = 0; i < s->member_count; i++)
        if (!place(s, s->members[i], shared)) return false;
    return true;
}

static bool place_groups(surface *s)
{
    uint32_t corners = s->face_count * 3, count = s->mesh->vertex_count;
    s->is_grouped = sni_new(s->scratch, uint8_t, corners);
    s->members = sni_new_raw(s->scratch, uint32_t, corners);
    s->tangents = sni_new(s->scratch, sn_vec4, count);
    s->copies = sni_new(s->scratch, uint32_t, count);
    if (!s->is_grouped || !s->members || !s->tangents || !s->copies) return false;
    for (uint32_t i = 0; i < corners; i++) {
        if (s->is_grouped[i] || s->faces[i / 3].is_free || s->faces[i / 3].is_collapsed) continue;
        grow_group(s, i);
        if (!place_group(s)) return false;
    }
    return true;
}

static sn_vec4 default_tangent(const surface *s, uint32_t vertex)
{
    sn_vec3 t = tangent_without_texture(s->mesh->normals[vertex]);
    return (sn_vec4){ t.x, t.y, t.z, 1.0f };
}

// Corners that no group has: of free faces, then of collapsed ones, which take the tangent of the first sound face at
// the same point.
static bool place_rest(surface *s)
{
    for (uint32_t i = 0; i < s->face_count * 3; i++) {
        if (s->is_grouped[i] || s->faces[i / 3].is_collapsed) continue;
        if (!place(s, i, default_tangent(s, vertex_at(s, i)))) return false;
    }
    for (uint32_t i = 0; s->has_collapsed && i < s->face_count * 3; i++) {
        if (!s->faces[i / 3].is_collapsed) continue;
        uint32_t point = point_at(s, i);
        sn_vec4 tangent = s->first_corners[point] ? s->first_tangents[point] : default_tangent(s, vertex_at(s, i));
        if (!place(s, i, tangent)) return false;
    }
    for (uint32_t i = 0; i < s->mesh->vertex_count; i++)
        if (s->tangents[i].w == 0.0f) s->tangents[i] = default_tangent(s, i);
    return true;
}

static bool finish(sni_arena *arena, const surface *s, sn_mesh *out)
{
    uint32_t more = s->sources.count, count = s->mesh->vertex_count;
    if (!sni_copy_vertices(arena, s->mesh, s->sources.items, more, out)) return false;
    sn_vec4 *tangents = sni_new_raw(arena, sn_vec4, (uint64_t)count + more);
    if (!tangents) return false;
    memcpy(tangents, s->tangents, count * sizeof *tangents);
    if (more > 0) memcpy(tangents + count, s->copied.items, more * sizeof *tangents);
    out->tangents = tangents;
    if (more == 0) return true;
    uint32_t *indices = sni_new_raw(arena, uint32_t, s->mesh->index_count);
    if (!indices) return false;
    memcpy(indices, s->indices, s->mesh->index_count * sizeof *indices);
    out->indices = indices;
    return true;
}

static bool find_faces(surface *s)
{
    s->faces = sni_new_raw(s->scratch, face, s->face_count);
    if (!s->faces) return false;
    for (uint32_t i = 0; i < s->face_count; i++) {
        s->faces[i] = face_at(s, i * 3);
        s->has_collapsed |= s->faces[i].is_collapsed;
    }
    return true;
}

static bool find_first_corners(surface *s)
{
    if (!s->has_collapsed) return true;
    s->first_corners = sni_new(s->scratch, uint32_t, s->mesh->vertex_count);
    s->first_tangents = sni_new_raw(s->scratch, sn_vec4, s->mesh->vertex_count);
    if (!s->first_corners || !s->first_tangents) return false;
    for (uint32_t i = 0; i < s->face_count * 3; i++) {
        uint32_t *first = &s->first_corners[point_at(s, i)];
        if (!s->faces[i / 3].is_collapsed && *first == 0) *first = i + 1;
    }
    return true;
}

bool sni_make_tangents(sni_arena *arena, const sn_mesh *mesh, uint32_t uv_set, sn_mesh *out)
{
    *out = *mesh;
    if (mesh->topology != SN_TRIANGLES || !mesh->normals || uv_set >= mesh->uv_count || !mesh->uvs[uv_set]) return true;
    sni_arena scratch;
    sni_arena_init(&scratch, arena->heap);
    surface s = { .mesh = mesh, .uvs = mesh->uvs[uv_set], .scratch = &scratch, .face_count = mesh->index_count / 3 };
    bool done = find_points(&s) && find_faces(&s) && find_first_corners(&s) && find_neighbors(&s) && place_groups(&s) &&
                place_rest(&s) && finish(arena, &s, out);
    sni_arena_free(&scratch);
    return done;
}
