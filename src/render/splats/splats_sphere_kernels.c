/* Particles as spheres: into the camera's picture and into the light's.

   Projection gives the exact bounds of a sphere in pixels. In a tile the ray through each sample is
   intersected with the sphere; the light's rays are parallel.

   Spheres come front to back, so most of a dense volume is never drawn: a sphere behind the farthest
   depth of every 8 × 8 block it touches is skipped, and the tile ends when one is behind all of them. */
#include "core/simd.h"
#include "render/splats/splats_lanes.h"

/* --- Projection. --- */

/* Integer pixels of bounds that are already within the picture. */
static void store_rects(SlRect *rect, I8 keep, F8 x0, F8 y0, F8 x1, F8 y1)
{
    I8 ix0 = i8_from_f8(x0), iy0 = i8_from_f8(y0), ix1 = i8_from_f8(x1), iy1 = i8_from_f8(y1);
    for (int k = 0; k < 8; k++)
        rect[k] = keep[k] ? (SlRect){(int16_t)ix0[k], (int16_t)iy0[k], (int16_t)ix1[k],
                                     (int16_t)iy1[k]}
                          : (SlRect){0, 0, -1, -1};
}

/* Slopes of the two tangents to a circle of radius r around (a, z), z > r. */
static inline void tangents(F8 a, F8 z, F8 r, F8 *low, F8 *high)
{
    F8 inverse = f8(1) / ((z - r) * (z + r));
    F8 root = r * f8_sqrt(f8_max(f8_fma(a, a, (z - r) * (z + r)), f8(0)));
    *low = (a * z - root) * inverse;
    *high = (a * z + root) * inverse;
}

static void project_camera(const SlSplatFrame *frame, size_t begin, size_t end)
{
    const SlCameraFrame *c = &frame->camera;
    F8 focal = f8(c->focal), cx = f8(c->center_x), cy = f8(c->center_y);
    F8 right = f8((float)frame->width - 1), bottom = f8((float)frame->height - 1);
    for (size_t i = begin; i < end; i += 8) {
        F8x4 w = f8x4_load(frame->world + 4 * i), v;
        F8x3 from = {w.x - f8(c->eye.x), w.y - f8(c->eye.y), w.z - f8(c->eye.z)};
        F8x3 axis[3] = {{f8(c->right.x), f8(c->right.y), f8(c->right.z)},
                        {f8(c->up.x), f8(c->up.y), f8(c->up.z)},
                        {f8(c->forward.x), f8(c->forward.y), f8(c->forward.z)}};
        v.x = f8x3_dot(from, axis[0]);
        v.y = f8x3_dot(from, axis[1]);
        v.z = f8x3_dot(from, axis[2]);
        /* A radius of at least 0.6 pixels: smaller particles would flicker between samples. */
        v.w = f8_max(f8(0.6f) * v.z / focal, w.w);
        f8x4_store(frame->record + 4 * i, v);
        /* A sphere that the camera's plane cuts is not drawn. */
        I8 keep = (v.z > v.w * f8(1.001f)) & (v.z < f8(1e15f));
        F8 x0, x1, y0, y1;
        tangents(v.x, v.z, v.w, &x0, &x1);
        tangents(v.y, v.z, v.w, &y0, &y1);
        F8 px0 = f8_fma(x0, focal, cx), px1 = f8_fma(x1, focal, cx);
        F8 py0 = cy - y1 * focal, py1 = cy - y0 * focal;
        keep &= (px1 > f8(0)) & (px0 < right + f8(1)) & (py1 > f8(0)) & (py0 < bottom + f8(1));
        store_rects(frame->rect + i, keep, f8_max(px0, f8(0)), f8_max(py0, f8(0)),
                    f8_min(px1, right), f8_min(py1, bottom));
        /* Bits of a positive float order as it does. */
        U8 key = (U8)f8_max(v.z - v.w, f8(0)) >> 7;
        u8_store(frame->key + i, (key & (U8)keep) | (u8(0xffffff) & ~(U8)keep));
    }
}

static void project_light(const SlSplatFrame *frame, size_t begin, size_t end)
{
    const SlShadow *s = &frame->shadow;
    F8 edge = f8((float)s->size - 1), scale = f8(1 / s->texel);
    for (size_t i = begin; i < end; i += 8) {
        F8x4 w = f8x4_load(frame->world + 4 * i), v;
        F8x3 p = {w.x, w.y, w.z};
        F8 *out[3] = {&v.x, &v.y, &v.z};
        for (int k = 0; k < 3; k++) {
            const float *row = s->world_row[k];
            *out[k] = f8x3_dot(p, (F8x3){f8(row[0]), f8(row[1]), f8(row[2])}) + f8(row[3]);
        }
        v.w = w.w;
        f8x4_store(frame->light_record + 4 * i, v);
        F8 r = f8_max(v.w * scale, f8(0.6f));
        I8 keep = (v.x + r > f8(0)) & (v.x - r < edge + f8(1)) & (v.y + r > f8(0)) &
                  (v.y - r < edge + f8(1)) & (f8_abs(v.z) < f8(1e15f));
        store_rects(frame->light_rect + i, keep, f8_max(v.x - r, f8(0)), f8_max(v.y - r, f8(0)),
                    f8_min(v.x + r, edge), f8_min(v.y + r, edge));
    }
}

/* --- The camera's picture. --- */

enum { BLOCK = 8, BLOCKS = SL_TILE / BLOCK, REFRESH = 24 /* spheres drawn between two updates of Farthest */ };

typedef struct Farthest {
    float block[BLOCKS][BLOCKS], all;
} Farthest;

static void find_farthest(const SlSplatFrame *frame, const float *z, Farthest *far)
{
    far->all = 0;
    for (int by = 0; by < BLOCKS; by++)
        for (int bx = 0; bx < BLOCKS; bx++) {
            F8 far_z = f8(0);
            for (uint32_t s = 0; s < frame->samples; s++)
                for (int y = 0; y < BLOCK; y++)
                    far_z = f8_max(far_z, f8_load(z + s * SL_TILE_SIZE +
                                                  (by * BLOCK + y) * SL_TILE_STRIDE + bx * BLOCK));
            far->block[by][bx] = f8_horizontal_max(far_z);
            far->all = far->block[by][bx] > far->all ? far->block[by][bx] : far->all;
        }
}

static bool hidden(const Farthest *far, SlRect r, float front)
{
    for (int by = r.y0 / BLOCK; by <= r.y1 / BLOCK; by++)
        for (int bx = r.x0 / BLOCK; bx <= r.x1 / BLOCK; bx++)
            if (front < far->block[by][bx])
                return false;
    return true;
}

static inline void draw_plane(const float *c, Slopes slopes, SlRect r, uint32_t self, float *z,
                              uint32_t *id)
{
    for (int y = r.y0; y <= r.y1; y++) {
        SphereRow row = sphere_row(c, slopes_b(slopes, y));
        for (int x = r.x0; x <= r.x1; x += 8) {
            F8 inside, hit = sphere_hit(&row, slopes_a(slopes, x), &inside);
            int at = y * SL_TILE_STRIDE + x;
            F8 old = f8_load(z + at);
            I8 mask = (inside > f8(0)) & (hit < old);
            if (i8_bits(mask) == 0)
                continue;
            f8_store(z + at, f8_select(mask, hit, old));
            u8_store(id + at, u8_select((U8)mask, u8(self), u8_load(id + at)));
        }
    }
}

static void raster_splats(const SlSplatFrame *frame, size_t tile)
{
    size_t plane = sl_tile_plane(frame, tile, 0);
    float *z = frame->z + plane;
    uint32_t *id = frame->id + plane;
    int left = (int)(tile % frame->tiles_x) * SL_TILE, top = (int)(tile / frame->tiles_x) * SL_TILE;
    Slopes slopes[SL_SAMPLES_MAX];
    for (uint32_t s = 0; s < frame->samples; s++)
        slopes[s] = tile_slopes(frame, tile, s);
    Farthest far;
    find_farthest(frame, z, &far);
    int drawn = 0;
    for (size_t k = frame->bins.start[tile]; k < frame->bins.start[tile + 1]; k++) {
        uint32_t self = frame->bins.item[k];
        const float *c = frame->record + 4 * (size_t)self;
        float front = c[2] - c[3];
        if (front >= far.all)
            break;
        SlRect r = within_tile(frame->rect[self], left, top);
        if (hidden(&far, r, front))
            continue;
        for (uint32_t s = 0; s < frame->samples; s++)
            draw_plane(c, slopes[s], r, self, z + s * SL_TILE_SIZE, id + s * SL_TILE_SIZE);
        if (++drawn == REFRESH) {
            find_farthest(frame, z, &far);
            drawn = 0;
        }
    }
}

static U8 particle_normals(const SlSplatFrame *frame, U8 index, F8 a, float b, F8 z)
{
    uint32_t each[8];
    u8_store(each, index);
    F8x4 c = f8x4_gather(frame->record, each);
    F8x3 out = {f8_fma(a, z, -c.x), f8_fma(f8(b), z, -c.y), z - c.z};
    return pack_normal(scaled(out, f8(1) / c.w), SL_PIXEL_PARTICLE);
}

/* Ids become albedos, and particles get their normals; solids and meshes already have them. */
static bool resolve(const SlSplatFrame *frame, size_t tile)
{
    U8 count = u8((uint32_t)frame->count), nothing = count + u8(frame->solid_count);
    U8 flat = nothing - u8(frame->solid_count > 0 && frame->solids[frame->solid_count - 1].ground);
    U8 busy = u8(0);
    for (uint32_t s = 0; s < frame->samples; s++) {
        Slopes slopes = tile_slopes(frame, tile, s);
        size_t plane = sl_tile_plane(frame, tile, s);
        for (int y = 0; y < SL_TILE; y++)
            for (int x = 0; x < SL_TILE; x += 8) {
                size_t at = plane + (size_t)(y * SL_TILE_STRIDE + x);
                U8 id = u8_load(frame->id + at), particle = (U8)(id < count);
                busy |= (U8)(id < flat) | (U8)(id > nothing);
                U8 normal = u8_load(frame->normal + at) & (U8)(id != nothing);
                if (i8_bits((I8)particle) != 0)
                    normal = u8_select(particle,
                                       particle_normals(frame, id & particle, slopes_a(slopes, x),
                                                        slopes_b(slopes, y),
                                                        f8_load(frame->z + at)),
                                       normal);
                u8_store(frame->normal + at, normal);
                u8_store(frame->id + at, gather_u8(frame->color, id));
            }
    }
    return i8_bits((I8)busy) != 0;
}

/* --- The light's picture: depth only. --- */

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

SL_KERNEL_TABLE(SlSphereKernels, sl_sphere_kernels) = {project_camera, project_light, raster_splats,
                                                       resolve, shadow_splats};
