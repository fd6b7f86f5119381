/* Triangles into a tile's depth, id and normal, or into a tile of the light's picture.

   With a corner as H = (x w, y w, w), where (x, y) is its place in the picture and w its depth, the
   weights of the three corners in a pixel d = (x, y, 1) are e_k = (H_k+1 × H_k+2) · d / det: plane
   functions of the pixel, valid also for a triangle that passes behind the eye [Olano 1997], so
   no triangle is clipped at the near plane. 1 / depth is their sum, and a normal, whose length
   does not matter, is the sum of theirs. The light's picture has w = 1 and its depth is linear.

   Everything is set up in double from the tile's corner: a triangle that is a part of a pixel keeps
   its digits, and tiles of a big one agree. */
#include "core/simd.h"
#include "render/splats/splats_lanes.h"

#define SLACK (-1.0f / 8192) /* pixels beyond an edge: no cracks between neighbours */

/* A function c[0] x + c[1] y + c[2] of pixels from the tile's corner. */
typedef struct Plane {
    float c[3];
} Plane;

typedef struct Triangle {
    Plane edge[3]; /* pixels to the inside */
    Plane value;   /* 1 / depth, or depth for the light */
    Plane normal[3];
    float low, high; /* of the value, at the corners: slivers must not reach beyond */
    float limit;     /* a greater value is too near to be seen */
    bool front;      /* its outer side is seen */
    uint32_t id;
} Triangle;

static inline void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double size2(const double a[3])
{
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

/* The weighted sum of three numbers at the corners. */
static inline Plane sum_plane(double weight[3][3], double a, double b, double c)
{
    Plane plane;
    for (int i = 0; i < 3; i++)
        plane.c[i] = (float)(a * weight[0][i] + b * weight[1][i] + c * weight[2][i]);
    return plane;
}

/* Weights and edges; false for a triangle without area. *facing is the sign of its side. */
static bool set_edges(double h[3][3], double weight[3][3], Triangle *out, double *facing)
{
    for (int k = 0; k < 3; k++)
        cross(h[(k + 1) % 3], h[(k + 2) % 3], weight[k]);
    double det = h[0][0] * weight[0][0] + h[0][1] * weight[0][1] + h[0][2] * weight[0][2];
    if (!(det * det > 1e-24 * size2(h[0]) * size2(weight[0])))
        return false;
    *facing = det > 0 ? 1 : -1;
    double inverse = 1 / det;
    for (int k = 0; k < 3; k++) {
        double *w = weight[k];
        double slope = sqrt(w[0] * w[0] + w[1] * w[1]), rest = fabs(w[2]);
        double scale = *facing / (slope > 1e-9 * rest ? slope : rest);
        for (int i = 0; i < 3; i++) {
            out->edge[k].c[i] = (float)(w[i] * scale);
            w[i] *= inverse;
        }
    }
    return true;
}

static bool set_for_camera(const SlSplatFrame *frame, uint32_t t, int left, int top, Triangle *out)
{
    const SlTriangles *all = &frame->triangles;
    const SlCameraFrame *c = &frame->camera;
    double h[3][3], weight[3][3], s, near = SL_DEPTH_NONE, far = 0;
    for (size_t k = 0; k < 3; k++) {
        SlVec3 v = all->view[all->corner[3 * (size_t)t + k]];
        h[k][0] = (double)c->focal * v.x + ((double)c->center_x - left) * v.z;
        h[k][1] = ((double)c->center_y - top) * v.z - (double)c->focal * v.y;
        h[k][2] = v.z;
        near = v.z < near ? v.z : near;
        far = v.z > far ? v.z : far;
    }
    if (!set_edges(h, weight, out, &s))
        return false;
    bool cut = near < SL_NEAR;
    out->front = s < 0;
    out->value = sum_plane(weight, 1, 1, 1);
    out->low = (float)(1 / far);
    out->high = (float)(1 / (cut ? (double)SL_NEAR : near));
    out->id = all->id[t];
    out->limit = cut ? 1 / SL_NEAR : SL_DEPTH_NONE;
    /* The picture's y goes down: seen from its front a triangle has a determinant above 0. From
       behind the normal is flipped towards the eye. */
    const SlVec3 *n = all->normal + 3 * (size_t)t;
    if (frame->closed && !out->front) /* its normal is not seen */
        return true;
    out->normal[0] = sum_plane(weight, s * n[0].x, s * n[1].x, s * n[2].x);
    out->normal[1] = sum_plane(weight, s * n[0].y, s * n[1].y, s * n[2].y);
    out->normal[2] = sum_plane(weight, s * n[0].z, s * n[1].z, s * n[2].z);
    return true;
}

static bool set_for_light(const SlSplatFrame *frame, uint32_t t, int left, int top, Triangle *out)
{
    const SlTriangles *all = &frame->triangles;
    double h[3][3], weight[3][3], depth[3], s, near = SL_DEPTH_NONE, far = -SL_DEPTH_NONE;
    for (size_t k = 0; k < 3; k++) {
        SlVec3 v = all->light[all->corner[3 * (size_t)t + k]];
        h[k][0] = (double)v.x - left;
        h[k][1] = (double)v.y - top;
        h[k][2] = 1;
        depth[k] = v.z;
        near = v.z < near ? v.z : near; /* fmin is a call here, and a slow one between vectors */
        far = v.z > far ? v.z : far;
    }
    if (!set_edges(h, weight, out, &s))
        return false;
    out->value = sum_plane(weight, depth[0], depth[1], depth[2]);
    out->low = (float)near;
    out->high = (float)far;
    return true;
}

/* A plane along a row of pixels. */
typedef struct Row {
    F8 slope, start;
} Row;

SL_INLINE Row row_of(const Plane *plane, float y)
{
    return (Row){f8(plane->c[0]), f8(plane->c[1] * y + plane->c[2])};
}

SL_INLINE F8 at_x(Row row, F8 x)
{
    return f8_fma(row.slope, x, row.start);
}

SL_INLINE I8 inside(const Row edge[3], F8 x)
{
    return (at_x(edge[0], x) > f8(SLACK)) & (at_x(edge[1], x) > f8(SLACK)) &
           (at_x(edge[2], x) > f8(SLACK));
}

SL_INLINE U8 normal_at(const Triangle *triangle, F8 x, float y)
{
    F8x3 n = {at_x(row_of(&triangle->normal[0], y), x), at_x(row_of(&triangle->normal[1], y), x),
              at_x(row_of(&triangle->normal[2], y), x)};
    F8 length = f8_sqrt(f8_max(f8x3_dot(n, n), f8(1e-36f)));
    return pack_normal(scaled(n, f8(1) / length), SL_PIXEL_SOLID);
}

static void draw_plane(const SlSplatFrame *frame, const Triangle *triangle, SlRect r, size_t tile,
                       uint32_t sample)
{
    U8 self = u8(triangle->id);
    size_t plane = sl_tile_plane(frame, tile, sample), leave_at = tile * SL_TILE_SIZE;
    for (int y = r.y0; y <= r.y1; y++) {
        float py = (float)y + frame->offset_y[sample];
        Row edge[3] = {row_of(&triangle->edge[0], py), row_of(&triangle->edge[1], py),
                       row_of(&triangle->edge[2], py)};
        Row value = row_of(&triangle->value, py);
        for (int x = r.x0; x <= r.x1; x += 8) {
            F8 px = f8((float)x + frame->offset_x[sample]) + lane_numbers();
            I8 mask = inside(edge, px);
            if (i8_bits(mask) == 0)
                continue;
            size_t at = plane + (size_t)(y * SL_TILE_STRIDE + x);
            F8 w = at_x(value, px), old = f8_load(frame->z + at);
            mask &= w < f8(triangle->limit);
            w = f8_max(f8_min(w, f8(triangle->high)), f8(triangle->low));
            F8 z = f8(1) / w;
            if (frame->beyond != NULL)
                mask &= z > f8_load(frame->beyond + leave_at + (size_t)(y * SL_TILE_STRIDE + x));
            if (frame->leave != NULL && !triangle->front && sample == 0) {
                float *leave = frame->leave + leave_at + (size_t)(y * SL_TILE_STRIDE + x);
                F8 nearest = f8_load(leave);
                f8_store(leave, f8_select(mask & (z < nearest), z, nearest));
            }
            mask &= z < old;
            if (i8_bits(mask) == 0)
                continue;
            f8_store(frame->z + at, f8_select(mask, z, old));
            u8_store(frame->id + at, u8_select((U8)mask, self, u8_load(frame->id + at)));
            u8_store(frame->normal + at, u8_select((U8)mask, normal_at(triangle, px, py),
                                                   u8_load(frame->normal + at)));
        }
    }
}

/* A back side of a closed mesh seen from outside: only where rays leave it. */
static void draw_leave(const SlSplatFrame *frame, const Triangle *triangle, SlRect r, size_t tile)
{
    for (int y = r.y0; y <= r.y1; y++) {
        float py = (float)y + frame->offset_y[0];
        Row edge[3] = {row_of(&triangle->edge[0], py), row_of(&triangle->edge[1], py),
                       row_of(&triangle->edge[2], py)};
        Row value = row_of(&triangle->value, py);
        for (int x = r.x0; x <= r.x1; x += 8) {
            F8 px = f8((float)x + frame->offset_x[0]) + lane_numbers(), w = at_x(value, px);
            float *leave = frame->leave + tile * SL_TILE_SIZE + (size_t)(y * SL_TILE_STRIDE + x);
            I8 mask = inside(edge, px) & (w < f8(triangle->limit));
            w = f8_max(f8_min(w, f8(triangle->high)), f8(triangle->low));
            F8 nearest = f8_load(leave), z = f8(1) / w;
            f8_store(leave, f8_select(mask & (z < nearest), z, nearest));
        }
    }
}

/* The nearest depth of a tile of `beyond`: what ends before it is not drawn. */
static float min_beyond(const SlSplatFrame *frame, size_t tile)
{
    const float *beyond = frame->beyond + tile * SL_TILE_SIZE;
    F8 nearest = f8(SL_DEPTH_NONE);
    for (size_t k = 0; k < SL_TILE_SIZE; k += 8)
        nearest = f8_min(nearest, f8_load(beyond + k));
    return -f8_horizontal_max(-nearest);
}

static float farthest_corner(const SlTriangles *all, uint32_t t)
{
    const uint32_t *corner = all->corner + 3 * (size_t)t;
    float a = all->view[corner[0]].z, b = all->view[corner[1]].z, c = all->view[corner[2]].z;
    a = a > b ? a : b;
    return a > c ? a : c;
}

static void draw_meshes(const SlSplatFrame *frame, size_t tile)
{
    const float behind = frame->beyond != NULL ? min_beyond(frame, tile) : 0;
    const SlTriangles *all = &frame->triangles;
    int left = (int)(tile % frame->tiles_x) * SL_TILE, top = (int)(tile / frame->tiles_x) * SL_TILE;
    for (size_t k = all->bins.start[tile]; k < all->bins.start[tile + 1]; k++) {
        uint32_t self = all->bins.item[k];
        Triangle triangle;
        if (frame->beyond != NULL && farthest_corner(all, self) <= behind)
            continue;
        if (!set_for_camera(frame, self, left, top, &triangle) ||
            (frame->beyond != NULL && !triangle.front))
            continue;
        SlRect r = within_tile(all->rect[self], left, top);
        if (frame->closed && frame->leave != NULL && !triangle.front) {
            draw_leave(frame, &triangle, r, tile);
            continue;
        }
        for (uint32_t s = 0; s < frame->samples; s++)
            draw_plane(frame, &triangle, r, tile, s);
    }
}

static void shadow_triangle(const Triangle *triangle, SlRect r, float *z)
{
    for (int y = r.y0; y <= r.y1; y++) {
        float py = (float)y + 0.5f;
        Row edge[3] = {row_of(&triangle->edge[0], py), row_of(&triangle->edge[1], py),
                       row_of(&triangle->edge[2], py)};
        Row value = row_of(&triangle->value, py);
        for (int x = r.x0; x <= r.x1; x += 8) {
            F8 px = f8((float)x + 0.5f) + lane_numbers();
            float *at = z + y * SL_TILE_STRIDE + x;
            F8 hit = f8_max(f8_min(at_x(value, px), f8(triangle->high)), f8(triangle->low));
            F8 old = f8_load(at);
            f8_store(at, f8_select(inside(edge, px) & (hit < old), hit, old));
        }
    }
}

static void shadow_meshes(const SlSplatFrame *frame, size_t tile, float *z)
{
    const SlTriangles *all = &frame->triangles;
    uint32_t tiles = frame->shadow.tiles;
    int left = (int)(tile % tiles) * SL_TILE, top = (int)(tile / tiles) * SL_TILE;
    for (size_t k = all->light_bins.start[tile]; k < all->light_bins.start[tile + 1]; k++) {
        uint32_t self = all->light_bins.item[k];
        Triangle triangle;
        if (set_for_light(frame, self, left, top, &triangle))
            shadow_triangle(&triangle, within_tile(all->light_rect[self], left, top), z);
    }
}

SL_KERNEL_TABLE(SlMeshKernels, sl_mesh_kernels) = {draw_meshes, shadow_meshes};
