// Cameras: a place, a point to look at, a roll and an angle of view, each with keys of its own. They stand in the
// model, not below the node that carries their tracks, so each has a node by itself.
#include <math.h>

#include "base/math.h"
#include "format/level5/level5_build.h"

enum { PLACE, AIM, ROLL, FOV };

static const double RADIANS = 3.14159265358979323846 / 180.0;
static const float NEAREST = 0.1f, WIDEST = 179.0f, USUAL = 45.0f;

float level5_fov_of(float degrees)
{
    bool is_angle = degrees > 0.0f && degrees <= WIDEST;
    return (float)((is_angle ? degrees : USUAL) * RADIANS);
}

// By series, for the C library's own differ from machine to machine. |x| is at most half a turn.
static double sine_of(double x)
{
    double term = x, sum = x;
    for (int n = 1; n < 14; n++) {
        term *= -x * x / ((2.0 * n) * (2.0 * n + 1.0));
        sum += term;
    }
    return sum;
}

static sn_quat roll_by(float degrees)
{
    double half = fmod(degrees, 360.0) * RADIANS / 2.0, sine = sine_of(half),
           cosine = sine_of(90.0 * RADIANS - fabs(half));
    return sni_quat(0, 0, (float)sine, (float)cosine);
}

static void sample_or(const level5_timeline *line, int32_t curve, double frame, float *out, float fallback)
{
    for (int i = 0; i < 3; i++) out[i] = fallback;
    if (curve >= 0) level5_sample(&level5_items(level5_curve, line->curves)[curve], frame, out);
}

// Looks along -Z of its node, with Y up.
sn_trs level5_camera_at(const level5_timeline *line, uint32_t bone, double frame)
{
    const int32_t *curves = line->moves[bone].camera;
    float place[3], aim[3], roll[3];
    sample_or(line, curves[PLACE], frame, place, 0.0f);
    sample_or(line, curves[AIM], frame, aim, 0.0f);
    sample_or(line, curves[ROLL], frame, roll, 0.0f);
    sn_vec3 at = sni_vec3(place[0], place[1], place[2]), up = sni_vec3(0, 1, 0);
    sn_vec3 back = sni_unit(sni_sub(at, sni_vec3(aim[0], aim[1], aim[2])), sni_vec3(0, 0, 1));
    sn_vec3 right = sni_unit(sni_cross(up, back), sni_vec3(1, 0, 0));
    sn_mat34 axes = { 0 };
    sni_mat34_set_column(&axes, 0, right);
    sni_mat34_set_column(&axes, 1, sni_cross(back, right));
    sni_mat34_set_column(&axes, 2, back);
    sn_trs trs = { at, sni_mat34_rotation(&axes), { 1, 1, 1 } };
    trs.rotation = sni_quat_unit(sni_quat_mul(trs.rotation, roll_by(roll[0])));
    return trs;
}

static bool has_camera(const level5_timeline *line, uint32_t bone)
{
    const int32_t *curves = line->moves[bone].camera;
    return curves[PLACE] >= 0 || curves[AIM] >= 0 || curves[ROLL] >= 0 || curves[FOV] >= 0;
}

static bool add_camera(level5_builder *b, const level5_timeline *line, uint32_t bone)
{
    sn_node *node = sni_push(&b->load->keep, &b->nodes, sn_node);
    sn_camera *camera = node ? sni_push(&b->load->keep, &b->cameras, sn_camera) : NULL;
    float fov[3];
    if (!camera) return false;
    const char *name = level5_clean(b, b->bones[bone].source->name);
    sample_or(line, line->moves[bone].camera[FOV], line->first, fov, USUAL);
    *node = (sn_node){ .name = name, .parent = -1, .id = -1, .rest = level5_camera_at(line, bone, line->first) };
    *camera = (sn_camera){ .name = name,
                           .node = (int32_t)b->nodes.count - 1,
                           .is_perspective = true,
                           .fov_y = level5_fov_of(fov[0]),
                           .near_plane = NEAREST };
    b->bones[bone].camera = (int32_t)b->cameras.count - 1;
    return true;
}

bool level5_build_cameras(level5_builder *b)
{
    const level5_motion *motions = b->motions.items;
    for (uint32_t i = 0; i < b->motions.count; i++)
        for (uint32_t bone = 0; motions[i].timeline && bone < b->bone_count; bone++)
            if (b->bones[bone].camera < 0 && has_camera(motions[i].timeline, bone) &&
                !add_camera(b, motions[i].timeline, bone))
                return false;
    return true;
}
