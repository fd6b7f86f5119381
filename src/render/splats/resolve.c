/* What is made after the last pass: the domain's edges over the picture, and the planes of a target.

   Edges are thin lines: coverage from the distance to the line, times the fraction of the pixel's
   samples that are behind it.

   The plane "color" is the mean of a pixel's samples, without the edges. The others are those of its
   first sample: a mean of depths or normals over an edge is on neither side. In the transparent style
   particles leave a depth where they cover half of the light behind them; normal and albedo are those
   of solids. */
#include <string.h>

#include "core/context.h"
#include "render/splats/splats.h"

/* --- Edges. --- */

#define HALF_WIDTH 0.6f /* pixels */
#define STRENGTH 0.55f

typedef struct End {
    float x, y, inverse_z; /* pixels; 1/z is linear along a line on screen */
} End;

static End project(const SlCameraFrame *c, SlVec3 v)
{
    return (End){c->center_x + c->focal * v.x / v.z, c->center_y - c->focal * v.y / v.z, 1 / v.z};
}

/* The part in front of the camera; false if there is none. */
static bool clip_near(SlVec3 *a, SlVec3 *b, float near)
{
    if (a->z < near && b->z < near)
        return false;
    SlVec3 *behind = a->z < near ? a : b->z < near ? b : NULL;
    if (behind != NULL) {
        float t = (near - a->z) / (b->z - a->z);
        *behind = sl_add(*a, sl_scale(sl_sub(*b, *a), t));
        behind->z = near;
    }
    return true;
}

static float visible_part(const SlSplatFrame *frame, uint32_t x, uint32_t y, float z)
{
    size_t tile = (size_t)(y / SL_TILE) * frame->tiles_x + x / SL_TILE;
    size_t at = (size_t)(y % SL_TILE) * SL_TILE_STRIDE + x % SL_TILE;
    uint32_t seen = 0;
    for (uint32_t s = 0; s < frame->samples; s++)
        seen += z < frame->z[sl_tile_plane(frame, tile, s) + at];
    return (float)seen / (float)frame->samples;
}

static void draw_pixel(const SlSplatFrame *frame, int x, int y, End a, End b)
{
    float dx = b.x - a.x, dy = b.y - a.y, px = (float)x + 0.5f - a.x, py = (float)y + 0.5f - a.y;
    float t = fminf(fmaxf((px * dx + py * dy) / (dx * dx + dy * dy), 0), 1);
    float away = hypotf(px - t * dx, py - t * dy);
    float cover = fminf(fmaxf(HALF_WIDTH + 0.5f - away, 0), 1);
    if (cover <= 0)
        return;
    float z = 1 / (a.inverse_z + t * (b.inverse_z - a.inverse_z));
    cover *= STRENGTH * visible_part(frame, (uint32_t)x, (uint32_t)y, 0.9995f * z);
    uint8_t *pixel = frame->pixels + 3 * ((size_t)y * frame->width + (size_t)x);
    for (int k = 0; k < 3; k++)
        pixel[k] = (uint8_t)((float)pixel[k] + cover * (235 - (float)pixel[k]) + 0.5f);
}

/* Walks along the longer side, a few pixels across. */
static void draw_line(const SlSplatFrame *frame, End a, End b)
{
    bool steep = fabsf(b.y - a.y) > fabsf(b.x - a.x);
    float a_main = steep ? a.y : a.x, b_main = steep ? b.y : b.x;
    float a_side = steep ? a.x : a.y, b_side = steep ? b.x : b.y;
    float length = b_main - a_main;
    if (!(fabsf(length) > 1e-3f) || !isfinite(length))
        return;
    int mains = (int)(steep ? frame->height : frame->width);
    int sides = (int)(steep ? frame->width : frame->height);
    int from = (int)fmaxf(fminf(a_main, b_main) - 1, 0);
    int to = (int)fminf(fmaxf(a_main, b_main) + 1, (float)mains - 1);
    for (int m = from; m <= to; m++) {
        float t = fminf(fmaxf(((float)m + 0.5f - a_main) / length, 0), 1);
        float side = a_side + t * (b_side - a_side);
        if (!(side > -4 && side < (float)sides + 4))
            continue;
        for (int s = (int)side - 2; s <= (int)side + 2; s++)
            if (s >= 0 && s < sides)
                draw_pixel(frame, steep ? s : m, steep ? m : s, a, b);
    }
}

void sl_splats_edges(const SlSplatFrame *frame, const SlRenderStage *stage)
{
    const SlCameraFrame *camera = &frame->camera;
    const SlBox *box = &stage->edges;
    float near = 1e-3f * stage->diagonal;
    for (int corner = 0; corner < 8; corner++)
        for (int axis = 0; axis < 3; axis++) {
            if (corner & 1 << axis)
                continue;
            int other = corner | 1 << axis;
            SlVec3 p = {corner & 1 ? box->max.x : box->min.x, corner & 2 ? box->max.y : box->min.y,
                        corner & 4 ? box->max.z : box->min.z};
            SlVec3 q = {other & 1 ? box->max.x : box->min.x, other & 2 ? box->max.y : box->min.y,
                        other & 4 ? box->max.z : box->min.z};
            if (!sl_finite(p) || !sl_finite(q)) /* of an open side */
                continue;
            SlVec3 a = sl_camera_to_view(camera, p), b = sl_camera_to_view(camera, q);
            if (clip_near(&a, &b, near))
                draw_line(frame, project(camera, a), project(camera, b));
        }
}

/* --- Planes. --- */

typedef struct Resolve {
    const SlSplatFrame *frame;
    float *color, *depth, *normal, *albedo; /* NULL: not in the target */
} Resolve;

/* Ten bits a component, view space (pack_normal in splats_lanes.h), to world space. */
static SlVec3 unpack_normal(const SlCameraFrame *c, uint32_t packed)
{
    float v[3];
    for (uint32_t k = 0; k < 3; k++)
        v[k] = ((float)(packed >> 10 * k & 1023) - 511.5f) / 511.5f;
    SlVec3 n = sl_add(sl_add(sl_scale(c->right, v[0]), sl_scale(c->up, v[1])),
                      sl_scale(c->forward, v[2]));
    return sl_unit(n);
}

static void store(float *out, SlVec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static void resolve_rows(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Resolve *r = argument;
    const SlSplatFrame *f = r->frame;
    for (size_t y = begin; y < end; y++)
        for (size_t x = 0; x < f->width; x++) {
            size_t tile = y / SL_TILE * f->tiles_x + x / SL_TILE, out = y * f->width + x;
            size_t at = sl_tile_plane(f, tile, 0) + y % SL_TILE * SL_TILE_STRIDE + x % SL_TILE;
            bool hit = f->normal[at] >> 30 != 0;
            if (r->depth != NULL)
                r->depth[out] = f->z[at] < SL_DEPTH_NONE ? f->z[at] : INFINITY;
            if (r->normal != NULL)
                store(r->normal + 3 * out,
                      hit ? unpack_normal(&f->camera, f->normal[at]) : sl_vec3(0, 0, 0));
            if (r->albedo != NULL)
                store(r->albedo + 3 * out, hit ? sl_color_unpack(f->id[at]) : sl_vec3(0, 0, 0));
        }
    if (r->color != NULL)
        memcpy(r->color + 3 * begin * f->width, f->light + 3 * begin * f->width,
               3 * (end - begin) * f->width * sizeof(float));
}

void sl_splats_resolve(SlContext *context, const SlSplatFrame *frame, SlTarget *target)
{
    Resolve resolve = {frame, sl_target_plane(target, "color"), sl_target_plane(target, "depth"),
                       sl_target_plane(target, "normal"), sl_target_plane(target, "albedo")};
    sl_parallel_for(context->pool, frame->height, 16, resolve_rows, &resolve);
}
