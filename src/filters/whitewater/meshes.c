/* Colliders that are triangle meshes, as whitewater meets them: all their triangles in cells. A path that
   crosses a triangle ends before it. No distance and no inside is needed, so meshes may be open, and a frame's
   list is made in one pass over its triangles. */
#include <math.h>
#include <string.h>

#include "filters/whitewater/whitewater.h"
#include "math/vec3.h"

enum { MAX_CELLS_ALONG = 96 };

typedef struct Corners {
    SlVec3 at[3];
} Corners;

static bool is_usable(const SlColliderView *collider)
{
    return collider->kind == SL_COLLIDER_MESH && sl_view_vertices(collider) != NULL &&
           collider->mesh.triangles != NULL && collider->mesh.triangle_count > 0;
}

/* World space; false: a bad index, or a corner that is not a number. */
static bool corners_of(const SlColliderView *collider, const SlVec3 axes[3], size_t triangle,
                       Corners *corners)
{
    const float *vertices = sl_view_vertices(collider);
    float sum = 0;
    for (size_t k = 0; k < 3; k++) {
        uint32_t vertex = collider->mesh.triangles[3 * triangle + k];
        if (vertex >= collider->mesh.vertex_count)
            return false;
        const float *p = vertices + 3 * (size_t)vertex;
        SlVec3 w = sl_add(sl_add(collider->pose.position, sl_scale(axes[0], p[0])),
                          sl_add(sl_scale(axes[1], p[1]), sl_scale(axes[2], p[2])));
        corners->at[k] = w;
        sum += w.x + w.y + w.z;
    }
    return isfinite(sum);
}

/* --- Cells --- */

static SlBox box_of(const Corners *c)
{
    SlBox box = {c->at[0], c->at[0]};
    for (int k = 1; k < 3; k++)
        for (int a = 0; a < 3; a++) {
            float x = (&c->at[k].x)[a];
            (&box.min.x)[a] = fminf((&box.min.x)[a], x);
            (&box.max.x)[a] = fmaxf((&box.max.x)[a], x);
        }
    return box;
}

static uint32_t cell_along(const WaterMeshes *m, int axis, float x)
{
    float at = (x - (&m->bounds.min.x)[axis]) * m->inverse_cell;
    float last = (float)(m->size[axis] - 1);
    return (uint32_t)(at > 0 ? (at < last ? at : last) : 0);
}

/* Cells from low to high that a box has. */
static void cells_of(const WaterMeshes *m, const SlBox *box, uint32_t low[3], uint32_t high[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = cell_along(m, k, (&box->min.x)[k]);
        high[k] = cell_along(m, k, (&box->max.x)[k]);
    }
}

/* Counts triangles of cells in start[cell + 1], or lists them from start[cell + 1] on. */
static void visit(WaterMeshes *m, bool list)
{
    for (uint32_t t = 0; t < m->count; t++) {
        Corners corners;
        uint32_t low[3], high[3];
        memcpy(&corners, m->corner[t], sizeof corners);
        SlBox box = box_of(&corners);
        cells_of(m, &box, low, high);
        for (uint32_t z = low[2]; z <= high[2]; z++)
            for (uint32_t y = low[1]; y <= high[1]; y++)
                for (uint32_t x = low[0]; x <= high[0]; x++) {
                    size_t *next = m->start + ((size_t)z * m->size[1] + y) * m->size[0] + x + 1;
                    if (list)
                        m->item[*next] = t;
                    *next += 1;
                }
    }
}

/* start[c + 1] is where the list of cell c begins, and after listing where it ends. */
static bool make_cells(SlArena *arena, float spacing, WaterMeshes *m)
{
    const float *low = &m->bounds.min.x, *high = &m->bounds.max.x;
    float longest = fmaxf(high[0] - low[0], fmaxf(high[1] - low[1], high[2] - low[2]));
    float cell = fmaxf(2 * spacing, longest / MAX_CELLS_ALONG);
    m->inverse_cell = 1 / cell;
    for (int k = 0; k < 3; k++)
        m->size[k] = (uint32_t)((high[k] - low[k]) * m->inverse_cell) + 1;
    size_t cells = (size_t)m->size[0] * m->size[1] * m->size[2];
    m->start = SL_PUSH(arena, size_t, cells + 2);
    if (m->start == NULL)
        return false;
    memset(m->start, 0, (cells + 2) * sizeof *m->start);
    visit(m, false);
    size_t sum = 0;
    for (size_t c = 1; c < cells + 1; c++) {
        size_t own = m->start[c];
        m->start[c] = sum;
        sum += own;
    }
    m->item = SL_PUSH(arena, uint32_t, sum + 1);
    if (m->item == NULL)
        return false;
    visit(m, true);
    return true;
}

bool water_meshes_create(SlContext *context, const SlFrameView *frame, float spacing,
                         WaterMeshes *meshes)
{
    size_t total = 0;
    *meshes = (WaterMeshes){.bounds = {{INFINITY, INFINITY, INFINITY},
                                       {-INFINITY, -INFINITY, -INFINITY}}};
    for (size_t c = 0; c < frame->collider_count; c++)
        total += is_usable(&frame->colliders[c]) ? frame->colliders[c].mesh.triangle_count : 0;
    if (total == 0 || total > UINT32_MAX)
        return true;
    meshes->corner = (float(*)[9])sl_arena_push_array(&context->arena, total, sizeof(float[9]));
    if (meshes->corner == NULL)
        return false;
    for (size_t c = 0; c < frame->collider_count; c++) {
        const SlColliderView *collider = &frame->colliders[c];
        SlVec3 axes[3];
        sl_view_axes(collider, axes);
        for (size_t t = 0; is_usable(collider) && t < collider->mesh.triangle_count; t++) {
            Corners corners;
            if (!corners_of(collider, axes, t, &corners))
                continue;
            SlBox box = box_of(&corners);
            for (int k = 0; k < 3; k++) {
                float *low = &meshes->bounds.min.x + k, *high = &meshes->bounds.max.x + k;
                *low = fminf(*low, (&box.min.x)[k]);
                *high = fmaxf(*high, (&box.max.x)[k]);
            }
            memcpy(meshes->corner[meshes->count++], &corners, sizeof corners);
        }
    }
    return meshes->count == 0 || make_cells(&context->arena, spacing, meshes);
}

/* --- Paths --- */

/* The part t of the path from `from` along `way` at which it crosses the triangle, from either side,
   by the test of Möller and Trumbore; `nearest` if later or never. */
static float crossing(const float corner[9], SlVec3 from, SlVec3 way, float nearest, SlVec3 *normal)
{
    SlVec3 a = {corner[0], corner[1], corner[2]};
    SlVec3 e1 = sl_sub(sl_vec3(corner[3], corner[4], corner[5]), a);
    SlVec3 e2 = sl_sub(sl_vec3(corner[6], corner[7], corner[8]), a);
    SlVec3 p = sl_cross(way, e2), s = sl_sub(from, a), q = sl_cross(s, e1);
    float det = sl_dot(e1, p);
    if (!(fabsf(det) > 0))
        return nearest;
    /* A little beyond the edges: no path passes between two triangles. */
    float u = sl_dot(s, p) / det, v = sl_dot(way, q) / det, t = sl_dot(e2, q) / det;
    if (!(u > -1e-4f && v > -1e-4f && u + v < 1.0002f && t >= 0 && t < nearest))
        return nearest;
    *normal = det > 0 ? sl_cross(e1, e2) : sl_cross(e2, e1); /* against the path */
    return t;
}

bool water_meshes_collide(const WaterMeshes *meshes, const float from[3], float to[3], float margin,
                          float normal[3])
{
    SlVec3 start = {from[0], from[1], from[2]}, way = sl_sub(sl_vec3(to[0], to[1], to[2]), start), n;
    float length = sl_length(way), t = 1;
    if (meshes->count == 0 || !(length > 0))
        return false;
    way = sl_scale(way, 1 + margin / length); /* it keeps its distance */
    SlVec3 end = sl_add(start, way);
    SlBox box = {{fminf(start.x, end.x), fminf(start.y, end.y), fminf(start.z, end.z)},
                 {fmaxf(start.x, end.x), fmaxf(start.y, end.y), fmaxf(start.z, end.z)}};
    uint32_t low[3], high[3];
    for (int k = 0; k < 3; k++)
        if ((&box.min.x)[k] > (&meshes->bounds.max.x)[k] ||
            (&box.max.x)[k] < (&meshes->bounds.min.x)[k])
            return false;
    cells_of(meshes, &box, low, high);
    for (uint32_t z = low[2]; z <= high[2]; z++)
        for (uint32_t y = low[1]; y <= high[1]; y++)
            for (uint32_t x = low[0]; x <= high[0]; x++) {
                size_t cell = ((size_t)z * meshes->size[1] + y) * meshes->size[0] + x;
                for (size_t k = meshes->start[cell]; k < meshes->start[cell + 1]; k++)
                    t = crossing(meshes->corner[meshes->item[k]], start, way, t, &n);
            }
    if (!(t < 1))
        return false;
    float size = sl_length(n);
    n = size > 0 ? sl_scale(n, 1 / size) : sl_scale(way, -1 / sl_length(way));
    for (int k = 0; k < 3; k++) {
        normal[k] = (&n.x)[k];
        to[k] = from[k] + t * (&way.x)[k] + margin * normal[k];
    }
    return true;
}
