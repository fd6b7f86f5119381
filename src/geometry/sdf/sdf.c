/* Evaluates a distance field: sharp cells exactly, the band by trilinear interpolation, what is
   far from the distance at block centres. */
#include "geometry/sdf/sdf.h"

#include <string.h>

#include "core/hash.h"

SlSdfSettings sl_default_sdf_settings(double cell)
{
    return (SlSdfSettings){.cell = cell, .band = 3, .hollow = false};
}

void sl_sdf_destroy(SlSdf *sdf)
{
    if (sdf->context == NULL)
        return;
    SlMemory *memory = &sdf->context->memory;
    size_t items = sdf->sharp_start != NULL ? sdf->sharp_start[sdf->sharp_count] : 0;
    sl_free(memory, sdf->far, sl_sdf_block_total(sdf) * sizeof *sdf->far);
    sl_free(memory, sdf->codes, sl_sdf_code_bytes(sdf));
    sl_free(memory, sdf->fine_values,
            (size_t)sdf->fine_count * SL_BLOCK_STRIDE * sizeof *sdf->fine_values);
    sl_free(memory, sdf->tree, sdf->tree_count * sizeof *sdf->tree);
    sl_free(memory, sdf->nearest,
            (size_t)sdf->grid.count * SL_BLOCK_STRIDE * sizeof *sdf->nearest);
    sl_free(memory, sdf->sharp_items, items * sizeof *sdf->sharp_items);
    sl_free(memory, sdf->sharp_start, ((size_t)sdf->sharp_count + 1) * sizeof *sdf->sharp_start);
    sl_free(memory, sdf->triangles, sdf->triangle_count * sizeof *sdf->triangles);
    sl_block_grid_destroy(&sdf->grid);
    memset(sdf, 0, sizeof *sdf);
}

/* Value and gradient of the trilinear interpolant at (u, v, w) in [0, 1]^3 of a cell whose lowest
   node is n[0]. */
static float interpolate(const float *n, float u, float v, float w, float cell, SlVec3 *gradient)
{
    enum { Y = SL_BLOCK_NODES, Z = SL_BLOCK_NODES * SL_BLOCK_NODES };
    float x00 = n[1] - n[0], x10 = n[Y + 1] - n[Y], x01 = n[Z + 1] - n[Z],
          x11 = n[Z + Y + 1] - n[Z + Y];
    float a00 = n[0] + u * x00, a10 = n[Y] + u * x10, a01 = n[Z] + u * x01,
          a11 = n[Z + Y] + u * x11;
    float b0 = a00 + v * (a10 - a00), b1 = a01 + v * (a11 - a01);
    float slope0 = x00 + v * (x10 - x00), slope1 = x01 + v * (x11 - x01);
    gradient->x = (slope0 + w * (slope1 - slope0)) / cell;
    gradient->y = ((a10 - a00) + w * ((a11 - a01) - (a10 - a00))) / cell;
    gradient->z = (b1 - b0) / cell;
    return b0 + w * (b1 - b0);
}

/* No surface lies between a point and a node if the balls of their distances overlap; then they
   have one sign. 0 if no corner of the cell can tell. The nearest corner is asked first: across a
   hole of an open mesh two corners may disagree. */
static float sign_by_corners(const float *n, float u, float v, float w, float cell, float distance)
{
    float nearest = INFINITY, sign = 0;
    for (int k = 0; k < 8; k++) {
        int i = k & 1, j = k >> 1 & 1, l = k >> 2;
        float value = n[sl_block_node(i, j, l)];
        float x = u - (float)i, y = v - (float)j, z = w - (float)l;
        float away = cell * sqrtf(x * x + y * y + z * z);
        if (away < nearest && away * 1.0001f < fabsf(value) + distance) {
            nearest = away;
            sign = value < 0 ? -1.0f : 1.0f;
        }
    }
    return sign;
}

typedef struct Nearest {
    uint32_t triangle;
    double distance2, height; /* height of the point above the triangle's plane */
    SlD3 away, normal;
    double reach; /* farther triangles are of no interest */
    double tie;   /* m^2: distances this near to each other are one */
} Nearest;

/* Takes the triangle if it is nearer than the best so far. Of triangles that share the nearest
   point, the one whose plane is farthest from the point knows the side: the others may be seen
   edge-on or from behind the crease. */
static inline void consider(const SlSdf *sdf, uint32_t number, SlD3 p, Nearest *best)
{
    const SlSdfTriangle *kept = &sdf->triangles[number];
    double x = p.x - (double)kept->center[0], y = p.y - (double)kept->center[1],
           z = p.z - (double)kept->center[2], most = best->reach + (double)kept->radius;
    if (x * x + y * y + z * z > most * most)
        return;
    SlTriangle t = sl_triangle_from(kept->corners);
    SlD3 away = sl_d3_sub(p, sl_triangle_nearest(&t, p));
    double d2 = sl_d3_dot(away, away), limit = best->distance2 * (1 + 1e-9) + best->tie;
    if (d2 > limit)
        return;
    SlD3 normal = sl_d3_unit(sl_triangle_area2(&t));
    double height = sl_d3_dot(away, normal);
    bool nearer = d2 < best->distance2 * (1 - 1e-9) - best->tie;
    if (nearer || fabs(height) > fabs(best->height)) {
        best->triangle = number;
        best->distance2 = d2 < best->distance2 ? d2 : best->distance2;
        best->height = height;
        best->away = away;
        best->normal = normal;
        best->reach = 1.000001 * sqrt(best->distance2 * (1 + 1e-9) + best->tie);
    }
}

static void nearest_in_list(const SlSdf *sdf, uint32_t cell, SlD3 p, Nearest *best)
{
    for (uint32_t k = sdf->sharp_start[cell]; k < sdf->sharp_start[cell + 1]; k++)
        consider(sdf, sdf->sharp_items[k], p, best);
}

/* Depth first, the nearer child first. */
static void nearest_in_tree(const SlSdf *sdf, SlD3 p, Nearest *best)
{
    struct {
        uint32_t node;
        double distance2;
    } stack[SL_BVH_STACK];
    uint32_t depth = 1;
    stack[0].node = 0;
    stack[0].distance2 = 0;
    while (depth > 0) {
        depth--;
        if (stack[depth].distance2 > best->reach * best->reach)
            continue;
        const SlBvhNode *node = &sdf->tree[stack[depth].node];
        for (uint32_t k = 0; k < node->count; k++)
            consider(sdf, node->first + k, p, best);
        if (node->count > 0)
            continue;
        double left = sl_bvh_box_distance2(&sdf->tree[node->first], p);
        double right = sl_bvh_box_distance2(&sdf->tree[node->first + 1], p);
        uint32_t left_on_top = left <= right;
        stack[depth].node = node->first + left_on_top;
        stack[depth++].distance2 = left_on_top ? right : left;
        stack[depth].node = node->first + !left_on_top;
        stack[depth++].distance2 = left_on_top ? left : right;
    }
}

/* The surface is no farther than by way of any corner of the cell. */
static double reach_by_corners(const float *n, const float *f, float length)
{
    float least = INFINITY;
    for (int k = 0; k < 8; k++) {
        int i = k & 1, j = k >> 1 & 1, l = k >> 2;
        float x = f[0] - (float)i, y = f[1] - (float)j, z = f[2] - (float)l;
        float way = fabsf(n[sl_block_node(i, j, l)]) + length * sqrtf(x * x + y * y + z * z);
        least = way < least ? way : least;
    }
    return 1.0001 * (double)least + 1e-3 * (double)length;
}

/* Distances change no faster than places: the least the distance times `side` can be. A little
   less, for the corners' places are rounded. */
static float min_by_corners(const float *n, const float *f, float length, float side)
{
    float most = -INFINITY;
    for (int k = 0; k < 8; k++) {
        int i = k & 1, j = k >> 1 & 1, l = k >> 2;
        float x = f[0] - (float)i, y = f[1] - (float)j, z = f[2] - (float)l;
        float least = side * n[sl_block_node(i, j, l)] - length * sqrtf(x * x + y * y + z * z);
        most = least > most ? least : most;
    }
    return most - 1e-3f * length;
}

/* In a cell with that code, of that length, whose lowest node is n[0]. */
static float sharp_distance(const SlSdf *sdf, uint32_t code, const float *n, SlVec3 point,
                            const float *f, float length, SlVec3 *gradient)
{
    SlD3 p = sl_d3_from(point);
    Nearest near = {.distance2 = INFINITY,
                    .reach = reach_by_corners(n, f, length),
                    .tie = 1e-10 * (double)sdf->cell * (double)sdf->cell};
    if (code == SL_SDF_TREE)
        nearest_in_tree(sdf, p, &near);
    else
        nearest_in_list(sdf, code - 1, p, &near);
    float distance = (float)sqrt(near.distance2);
    const SlSdfTriangle *t = &sdf->triangles[near.triangle];
    float sign = sign_by_corners(n, f[0], f[1], f[2], length, distance);
    if (sign == 0)
        sign = near.height < 0 ? t->behind : t->front;
    if (distance > 1e-4f * sdf->cell) {
        *gradient = sl_scale(sl_d3_float(near.away), sign / distance);
    } else { /* on the surface: out of the face, as seen from this side */
        *gradient = sl_scale(sl_d3_float(near.normal), near.height < 0 ? -sign : sign);
        if (sl_dot(*gradient, *gradient) < 0.5f)
            *gradient = sl_vec3(0, 1, 0);
    }
    return sign * distance;
}

/* Not a number gives `low`: a wrong point must not become a wrong address. */
static float clamp(float x, float low, float high)
{
    return x > low ? (x < high ? x : high) : low;
}

static const float *far_at(const SlSdf *sdf, int32_t x, int32_t y, int32_t z)
{
    return sdf->far + ((size_t)z * (size_t)sdf->size[1] + (size_t)y) * (size_t)sdf->size[0] + x;
}

/* Difference of neighbours along one axis, one-sided at the box. */
static float far_slope(const SlSdf *sdf, const int32_t *block, int axis)
{
    int32_t low[3] = {block[0], block[1], block[2]}, high[3] = {block[0], block[1], block[2]};
    low[axis] -= block[axis] > 0;
    high[axis] += block[axis] + 1 < sdf->size[axis];
    int32_t steps = high[axis] - low[axis];
    float rise = *far_at(sdf, high[0], high[1], high[2]) - *far_at(sdf, low[0], low[1], low[2]);
    return steps > 0 ? rise / (float)steps : 0;
}

/* Within the box but not in the band: the distance at the block's centre less the way to it. */
static float far_distance(const SlSdf *sdf, const int32_t *block, const float *q, SlVec3 *gradient)
{
    float center = *far_at(sdf, block[0], block[1], block[2]), away2 = 0;
    for (int k = 0; k < 3; k++) {
        float x = q[k] - (float)SL_BLOCK_CELLS * ((float)block[k] + 0.5f);
        away2 += x * x;
    }
    float least = fmaxf(fabsf(center) - sdf->cell * sqrtf(away2), sdf->band * sdf->cell);
    *gradient = sl_unit(sl_vec3(far_slope(sdf, block, 0), far_slope(sdf, block, 1),
                                far_slope(sdf, block, 2)));
    return copysignf(least, center);
}

static uint32_t cell_number(const int32_t *local)
{
    return (uint32_t)(local[0] + SL_BLOCK_CELLS * (local[1] + SL_BLOCK_CELLS * local[2]));
}

/* The cell at q, in cells from the origin, inside the box; its block's coordinates too. */
static bool find_cell(const SlSdf *sdf, const float *q, int32_t *block, SlSdfCell *cell)
{
    for (int k = 0; k < 3; k++) {
        int32_t most = SL_BLOCK_CELLS * sdf->size[k] - 1, at = (int32_t)q[k];
        at = at > most ? most : at;
        block[k] = at / SL_BLOCK_CELLS;
        cell->local[k] = at % SL_BLOCK_CELLS;
        cell->f[k] = q[k] - (float)at;
    }
    cell->block =
        sl_block_grid_find(&sdf->grid, (SlBlockCoord){block[0], block[1], block[2]});
    return cell->block != SL_NO_BLOCK;
}

bool sl_sdf_find_cell(const SlSdf *sdf, SlVec3 point, SlSdfCell *cell)
{
    SlVec3 p = sl_sub(point, sdf->origin);
    float q[3] = {p.x / sdf->cell, p.y / sdf->cell, p.z / sdf->cell};
    int32_t block[3];
    for (int k = 0; k < 3; k++)
        if (!(q[k] >= 0 && q[k] <= (float)(SL_BLOCK_CELLS * sdf->size[k])))
            return false;
    return find_cell(sdf, q, block, cell);
}

/* At q, in cells from the origin, inside the box. */
static float distance_inside(const SlSdf *sdf, SlVec3 point, const float *q, float reach,
                             SlVec3 *gradient)
{
    int32_t block[3];
    SlSdfCell cell;
    if (!find_cell(sdf, q, block, &cell))
        return far_distance(sdf, block, q, gradient);
    int32_t *local = cell.local;
    float *f = cell.f;
    uint32_t found = cell.block;
    const float *values = sdf->grid.values + (size_t)found * SL_BLOCK_STRIDE;
    const uint32_t *codes = sdf->codes + (size_t)found * SL_BLOCK_CELL_COUNT;
    uint32_t code = codes[cell_number(local)];
    float length = sdf->cell;
    if ((code & SL_SDF_FINE) != 0) {
        uint32_t fine = code & ~SL_SDF_FINE;
        values = sdf->fine_values + (size_t)fine * SL_BLOCK_STRIDE;
        codes = sdf->codes + ((size_t)sdf->grid.count + fine) * SL_BLOCK_CELL_COUNT;
        length *= 1.0f / SL_BLOCK_CELLS;
        for (int k = 0; k < 3; k++) {
            f[k] *= SL_BLOCK_CELLS;
            local[k] = (int32_t)f[k];
            local[k] = local[k] > SL_BLOCK_CELLS - 1 ? SL_BLOCK_CELLS - 1 : local[k];
            f[k] -= (float)local[k];
        }
        code = codes[cell_number(local)];
    }
    const float *n = values + sl_block_node(local[0], local[1], local[2]);
    if (code == 0)
        return interpolate(n, f[0], f[1], f[2], length, gradient);
    float least = min_by_corners(n, f, length, sdf->side);
    if (!(least > reach))
        return sharp_distance(sdf, code, n, point, f, length, gradient);
    interpolate(n, f[0], f[1], f[2], length, gradient);
    return sdf->side * least;
}

float sl_sdf_distance(const SlSdf *sdf, SlVec3 point, SlVec3 *gradient)
{
    return sl_sdf_distance_within(sdf, point, INFINITY, gradient);
}

float sl_sdf_distance_within(const SlSdf *sdf, SlVec3 point, float reach, SlVec3 *gradient)
{
    SlVec3 unused, *g = gradient != NULL ? gradient : &unused;
    float h = sdf->cell, past2 = 0;
    SlVec3 p = sl_sub(point, sdf->origin);
    float q[3] = {p.x / h, p.y / h, p.z / h}, past[3];
    for (int k = 0; k < 3; k++) {
        float inside = clamp(q[k], 0, (float)(SL_BLOCK_CELLS * sdf->size[k]));
        past[k] = h * (q[k] - inside);
        past2 += past[k] * past[k];
        q[k] = inside;
    }
    SlVec3 in_box = {sdf->origin.x + h * q[0], sdf->origin.y + h * q[1], sdf->origin.z + h * q[2]};
    bool beyond = past2 > 0;
    float value = distance_inside(sdf, beyond ? in_box : point, q, beyond ? INFINITY : reach, g);
    if (beyond) {
        /* The box is convex and holds the mesh, so from its nearest point to any point of the mesh
           is at a right angle or more: distances add at least as Pythagoras has it. */
        float total = sqrtf(past2 + value * value);
        value = fabsf(value);
        *g = sl_unit(sl_vec3(past[0] + value * g->x, past[1] + value * g->y,
                             past[2] + value * g->z));
        value = total;
    }
    *g = sl_scale(*g, sdf->side);
    return sdf->side * value;
}

typedef struct Batch {
    const SlSdf *sdf;
    const float *points;
    float *distances, *gradients;
} Batch;

static void evaluate_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Batch *b = argument;
    (void)chunk;
    for (size_t k = begin; k < end; k++) {
        SlVec3 g, p = {b->points[3 * k], b->points[3 * k + 1], b->points[3 * k + 2]};
        b->distances[k] = sl_sdf_distance(b->sdf, p, &g);
        if (b->gradients != NULL)
            memcpy(b->gradients + 3 * k, &g, 3 * sizeof(float));
    }
}

void sl_sdf_distances(SlContext *context, const SlSdf *sdf, const float *points, size_t count,
                      float *distances, float *gradients)
{
    Batch batch = {sdf, points, distances, gradients};
    sl_parallel_for(context->pool, count, 1024, evaluate_chunk, &batch);
}

uint64_t sl_sdf_hash(const SlSdf *sdf)
{
    size_t blocks = sdf->grid.count, starts = (size_t)sdf->sharp_count + 1;
    float head[6] = {sdf->origin.x, sdf->origin.y, sdf->origin.z, sdf->cell, sdf->band, sdf->side};
    uint64_t h = sl_hash(head, sizeof head, 0);
    h = sl_hash(sdf->size, sizeof sdf->size, h);
    h = sl_hash(sdf->grid.coords, blocks * sizeof *sdf->grid.coords, h);
    h = sl_hash(sdf->grid.values, blocks * SL_BLOCK_STRIDE * sizeof(float), h);
    h = sl_hash(sdf->far, sl_sdf_block_total(sdf) * sizeof(float), h);
    h = sl_hash(sdf->codes, sl_sdf_code_bytes(sdf), h);
    h = sl_hash(sdf->fine_values, (size_t)sdf->fine_count * SL_BLOCK_STRIDE * sizeof(float), h);
    h = sl_hash(sdf->sharp_start, starts * sizeof *sdf->sharp_start, h);
    h = sl_hash(sdf->sharp_items, sdf->sharp_start[sdf->sharp_count] * sizeof *sdf->sharp_items, h);
    h = sl_hash(sdf->tree, sdf->tree_count * sizeof *sdf->tree, h);
    return sl_hash(sdf->triangles, sdf->triangle_count * sizeof *sdf->triangles, h);
}
