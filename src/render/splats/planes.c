/* The planes of a target from what the passes left: the plane "color" is the mean of a pixel's samples
   (without the domain's edges), the others are those of its first sample, because a mean of depths or
   normals over an edge lies on neither side. In the transparent style particles leave a depth, where
   half of the light behind them is covered; normal and albedo are those of solids. */
#include <string.h>

#include "core/context.h"
#include "render/splats/splats.h"

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
