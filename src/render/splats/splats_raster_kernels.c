/* Spheres into a tile's depth and id, exactly: the ray through each sample is cut with the sphere.

   Splats come front to back, so most of a heap is never drawn: a splat behind the farthest depth of
   every 8 × 8 block it touches is skipped, and the tile ends when one lies behind all of them. */
#include "core/simd.h"
#include "render/splats/splats_lanes.h"

enum { BLOCK = 8, BLOCKS = SL_TILE / BLOCK, REFRESH = 24 /* splats drawn between two looks */ };

typedef struct Farthest {
    float block[BLOCKS][BLOCKS], all;
} Farthest;

static void look_for_farthest(const SlSplatFrame *frame, const float *z, Farthest *far)
{
    far->all = 0;
    for (int by = 0; by < BLOCKS; by++)
        for (int bx = 0; bx < BLOCKS; bx++) {
            F8 most = f8(0);
            for (uint32_t s = 0; s < frame->samples; s++)
                for (int y = 0; y < BLOCK; y++)
                    most = f8_max(most, f8_load(z + s * SL_TILE_SIZE +
                                                (by * BLOCK + y) * SL_TILE_STRIDE + bx * BLOCK));
            far->block[by][bx] = f8_horizontal_max(most);
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
    look_for_farthest(frame, z, &far);
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
            look_for_farthest(frame, z, &far);
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

/* Ids become albedos, and particles get their normals; solids and meshes have theirs. */
static bool resolve(const SlSplatFrame *frame, size_t tile)
{
    U8 count = u8((uint32_t)frame->count), nothing = count + u8(frame->solid_count);
    U8 flat = nothing - u8(frame->solid_count > 0 && frame->solids[frame->solid_count - 1].ground);
    U8 mesh = u8(sl_mesh_id(frame)), busy = u8(0);
    for (uint32_t s = 0; s < frame->samples; s++) {
        Slopes slopes = tile_slopes(frame, tile, s);
        size_t plane = sl_tile_plane(frame, tile, s);
        for (int y = 0; y < SL_TILE; y++)
            for (int x = 0; x < SL_TILE; x += 8) {
                size_t at = plane + (size_t)(y * SL_TILE_STRIDE + x);
                U8 id = u8_load(frame->id + at), particle = (U8)(id < count);
                busy |= (U8)(id < flat) | (U8)(id == mesh);
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

SL_KERNEL_TABLE(SlRasterKernels, sl_raster_kernels) = {raster_splats, resolve};
