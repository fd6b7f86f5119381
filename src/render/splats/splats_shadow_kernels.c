/* Spheres into a tile of the light's picture: depth only, parallel rays. */
#include "core/simd.h"
#include "render/splats/splats_lanes.h"

static void shadow_splats(const SlSplatFrame *frame, size_t tile, float *z)
{
    const SlShadow *shadow = &frame->shadow;
    int left = (int)(tile % shadow->tiles) * SL_TILE, top = (int)(tile / shadow->tiles) * SL_TILE;
    F8 texel = f8(shadow->texel);
    for (size_t k = frame->light_bins.start[tile]; k < frame->light_bins.start[tile + 1]; k++) {
        uint32_t self = frame->light_bins.item[k];
        const float *c = frame->light_record + 4 * (size_t)self;
        SlRect r = within_tile(frame->light_rect[self], left, top);
        F8 center = f8(c[2]), first = f8((float)left + 0.5f - c[0]) + lane_numbers();
        for (int y = r.y0; y <= r.y1; y++) {
            float dy = ((float)(top + y) + 0.5f - c[1]) * shadow->texel;
            F8 rest = f8(c[3] * c[3] - dy * dy);
            for (int x = r.x0; x <= r.x1; x += 8) {
                F8 dx = (first + f8((float)x)) * texel, inside = rest - dx * dx;
                float *at = z + y * SL_TILE_STRIDE + x;
                F8 old = f8_load(at), hit = center - f8_sqrt(f8_max(inside, f8(0)));
                f8_store(at, f8_select((inside > f8(0)) & (hit < old), hit, old));
            }
        }
    }
}

SL_KERNEL_TABLE(SlShadowKernels, sl_shadow_kernels) = {shadow_splats};
