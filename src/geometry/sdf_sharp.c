/* Sharp cells. At a crease of the field (an edge of the mesh, or the middle between two walls)
   trilinear interpolation errs by up to half a cell, however small the cells are. The gradients at
   a cell's nodes show it: their tangent planes miss each other. Such a cell keeps every triangle
   that is nearest to some point of it, found by a bound that loses none, and is evaluated exactly.
   Finer grids near creases were rejected: for a twentieth of a cell they need a thousand values per
   cell where a dozen triangles do. */
#include "geometry/sdf_build.h"

#include <string.h>

/* Largest disagreement at the cell's centre, in cells, that is left to interpolation. */
#define SMOOTH 0.1f

/* MOST_KEPT triangles a cell, from at most MOST_NEAR within reach; cells handled at a time. */
enum { MOST_KEPT = 128, MOST_NEAR = 512, BATCH = 8192 };

typedef struct Candidates {
    const SlSdfBuild *build;
    const uint32_t *cells;         /* block * 64 + cell */
    uint32_t (*kept)[MOST_KEPT];   /* places in the tree */
    uint32_t *counts;              /* above MOST_KEPT: crowded */
} Candidates;

static void cell_corner(uint32_t cell, int *x, int *y, int *z)
{
    *x = (int)(cell % SL_BLOCK_CELLS);
    *y = (int)(cell / SL_BLOCK_CELLS % SL_BLOCK_CELLS);
    *z = (int)(cell / (SL_BLOCK_CELLS * SL_BLOCK_CELLS) % SL_BLOCK_CELLS);
}

static bool is_sharp(const SlSdfBuild *b, size_t block, uint32_t cell)
{
    const float *values = b->sdf->grid.values + block * SL_BLOCK_STRIDE;
    const SlVec3 *normals = b->normals + block * SL_BLOCK_STRIDE;
    float h = b->sdf->cell, plane[8], mean = 0, worst = 0;
    int x, y, z;
    cell_corner(cell, &x, &y, &z);
    for (int k = 0; k < 8; k++) {
        int i = k & 1, j = k >> 1 & 1, l = k >> 2;
        uint32_t node = sl_block_node(x + i, y + j, z + l);
        SlVec3 to_center = {h * (0.5f - (float)i), h * (0.5f - (float)j), h * (0.5f - (float)l)};
        plane[k] = values[node] + sl_dot(normals[node], to_center);
        mean += 0.125f * values[node];
    }
    for (int k = 0; k < 8; k++)
        worst = fmaxf(worst, fabsf(plane[k] - mean));
    return worst > SMOOTH * h;
}

static void flag_cells(void *argument, size_t begin, size_t end, size_t chunk)
{
    const SlSdfBuild *b = argument;
    (void)chunk;
    for (size_t block = begin; block < end; block++)
        for (uint32_t cell = 0; cell < SL_BLOCK_CELL_COUNT; cell++)
            b->sdf->sharp[block * SL_BLOCK_CELL_COUNT + cell] = is_sharp(b, block, cell);
}

/* Drops triangles that are nearest nowhere in the cell. In an eighth of the cell about s with
   half-diagonal r, a triangle can only be nearest if dist(s, t) <= dist(s) + 2 r. */
static uint32_t prune(const SlBvh *bvh, SlD3 center, double h, uint32_t *near, uint32_t count)
{
    double distance[MOST_NEAR], slack = 0.25 * h * 2 * 1.7320508075688772 * 1.0001;
    bool keep[MOST_NEAR] = {false};
    for (int k = 0; k < 8; k++) {
        SlD3 s = {center.x + h * ((k & 1) - 0.5) / 2, center.y + h * ((k >> 1 & 1) - 0.5) / 2,
                  center.z + h * ((k >> 2) - 0.5) / 2};
        double least = INFINITY;
        for (uint32_t c = 0; c < count; c++) {
            SlTriangle t = sl_bvh_triangle(bvh, near[c]);
            distance[c] = sl_d3_length(sl_d3_sub(s, sl_triangle_nearest(&t, s)));
            least = fmin(least, distance[c]);
        }
        for (uint32_t c = 0; c < count; c++)
            keep[c] |= distance[c] <= least + slack;
    }
    uint32_t kept = 0;
    for (uint32_t c = 0; c < count; c++)
        if (keep[c])
            near[kept++] = near[c];
    return kept;
}

static void find_candidates(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Candidates *c = argument;
    const SlSdf *sdf = c->build->sdf;
    const SlBvh *bvh = c->build->bvh;
    double h = (double)sdf->cell;
    (void)chunk;
    for (size_t k = begin; k < end; k++) {
        uint32_t near[MOST_NEAR], block = c->cells[k] / SL_BLOCK_CELL_COUNT;
        int x, y, z;
        cell_corner(c->cells[k] % SL_BLOCK_CELL_COUNT, &x, &y, &z);
        SlD3 center = sl_sdf_node(sdf, sdf->grid.coords[block], x + 0.5, y + 0.5, z + 0.5);
        SlBvhHit hit;
        const float *values = sdf->grid.values + (size_t)block * SL_BLOCK_STRIDE;
        double corner = fabs((double)values[sl_block_node(x, y, z)]);
        bool found = sl_bvh_closest(bvh, center, 1.0001 * (corner + 0.8661 * h), &hit);
        SL_ASSERT(found);
        double reach = sqrt(hit.distance2) + 1.7321 * h;
        size_t count = sl_bvh_within(bvh, center, reach, near, MOST_NEAR);
        uint32_t kept = MOST_KEPT + 1;
        if (count <= MOST_NEAR)
            kept = prune(bvh, center, h, near, (uint32_t)count);
        c->counts[k] = kept;
        if (kept <= MOST_KEPT)
            memcpy(c->kept[k], near, kept * sizeof *near);
    }
}

typedef struct Sides {
    const SlSdfBuild *build;
    const uint32_t *places; /* of the field's triangles in the tree */
} Sides;

/* A little off the face's middle, on either side. */
static void find_sides(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Sides *s = argument;
    const SlBvh *bvh = s->build->bvh;
    SlSdf *sdf = s->build->sdf;
    double off = 1e-3 * (double)sdf->cell;
    (void)chunk;
    for (size_t k = begin; k < end; k++) {
        SlTriangle t = sl_bvh_triangle(bvh, s->places[k]);
        SlD3 normal = sl_d3_unit(sl_triangle_area2(&t));
        SlD3 middle = {(t.a.x + t.b.x + t.c.x) / 3, (t.a.y + t.b.y + t.c.y) / 3,
                       (t.a.z + t.b.z + t.c.z) / 3};
        double front = sl_bvh_winding(bvh, sl_d3_along(middle, off, normal));
        double behind = sl_bvh_winding(bvh, sl_d3_along(middle, -off, normal));
        memcpy(sdf->triangles[k].corners, bvh->corners + 9 * (size_t)s->places[k],
               sizeof sdf->triangles[k].corners);
        sdf->triangles[k].front = front > 0.5 ? -1.0f : 1.0f;
        sdf->triangles[k].behind = behind > 0.5 ? -1.0f : 1.0f;
    }
}

/* Appends a batch's lists; crowded cells become smooth. False when memory is out. */
static bool append(SlSdf *sdf, const Candidates *c, size_t cells, uint32_t **items, size_t *room)
{
    SlMemory *memory = &sdf->context->memory;
    for (size_t k = 0; k < cells; k++) {
        uint32_t *number = &sdf->sharp[c->cells[k]], used = sdf->sharp_start[sdf->sharp_count];
        *number = 0;
        if (c->counts[k] > MOST_KEPT) {
            sdf->crowded_count++;
            continue;
        }
        if ((size_t)used + MOST_KEPT > *room) {
            size_t more = 2 * *room + BATCH;
            uint32_t *grown = more > UINT32_MAX ? NULL
                                                : sl_regrow(memory, *items, *room * sizeof **items,
                                                            more * sizeof **items,
                                                            used * sizeof **items);
            if (grown == NULL)
                return false;
            *items = grown;
            *room = more;
        }
        memcpy(*items + used, c->kept[k], c->counts[k] * sizeof **items);
        sdf->sharp_start[++sdf->sharp_count] = used + c->counts[k];
        *number = sdf->sharp_count;
    }
    return true;
}

/* Numbers the triangles that are in some list, in tree order, and rewrites the lists by number. */
static bool keep_triangles(SlSdfBuild *b, uint32_t *items, size_t count)
{
    SlSdf *sdf = b->sdf;
    SlMemory *memory = &b->context->memory;
    size_t all = b->bvh->triangle_count, bytes = all * sizeof(uint32_t);
    uint32_t *number = sl_alloc_zero(memory, all, sizeof *number);
    uint32_t *places = sl_alloc(memory, bytes), used = 0;
    bool room = number != NULL && places != NULL;
    for (size_t k = 0; room && k < count; k++)
        number[items[k]] = 1;
    for (size_t place = 0; room && place < all; place++)
        if (number[place] != 0) {
            places[used] = (uint32_t)place;
            number[place] = used++;
        }
    for (size_t k = 0; room && k < count; k++)
        items[k] = number[items[k]];
    sdf->triangles = room ? sl_alloc(memory, used * sizeof *sdf->triangles) : NULL;
    if (used > 0 && sdf->triangles != NULL) {
        sdf->triangle_count = used;
        Sides sides = {b, places};
        sl_parallel_for(b->context->pool, used, 64, find_sides, &sides);
    }
    sl_free(memory, number, bytes);
    sl_free(memory, places, bytes);
    return room && (used == 0 || sdf->triangles != NULL);
}

/* Lists of all flagged cells. `cells` has room for a batch. */
static bool collect(SlSdfBuild *b, uint32_t *cells, Candidates *c, uint32_t **items, size_t *room)
{
    SlSdf *sdf = b->sdf;
    size_t total = (size_t)sdf->grid.count * SL_BLOCK_CELL_COUNT, waiting = 0;
    for (size_t k = 0; k < total; k++) {
        if (sdf->sharp[k] != 0)
            cells[waiting++] = (uint32_t)k;
        if (waiting == BATCH || (k + 1 == total && waiting > 0)) {
            sl_parallel_for(b->context->pool, waiting, 64, find_candidates, c);
            if (!append(sdf, c, waiting, items, room))
                return false;
            waiting = 0;
        }
    }
    return true;
}

static bool make_lists(SlSdfBuild *b, size_t flagged)
{
    SlSdf *sdf = b->sdf;
    SlMemory *memory = &b->context->memory;
    size_t starts = flagged + 1, room = 0;
    uint32_t *cells = sl_alloc(memory, BATCH * sizeof *cells), *items = NULL;
    uint32_t *start = sl_alloc_zero(memory, starts, sizeof *start);
    Candidates c = {b, cells, sl_alloc(memory, BATCH * sizeof *c.kept),
                    sl_alloc(memory, BATCH * sizeof *c.counts)};
    sdf->sharp_start = start;
    bool fine = cells != NULL && start != NULL && c.kept != NULL && c.counts != NULL &&
                collect(b, cells, &c, &items, &room);
    /* Exact sizes from here on: destroy frees by them. */
    uint32_t used = fine ? start[sdf->sharp_count] : 0;
    sdf->sharp_start = sl_alloc(memory, ((size_t)sdf->sharp_count + 1) * sizeof *start);
    sdf->sharp_items = sl_alloc(memory, used * sizeof *items);
    fine = fine && sdf->sharp_start != NULL && (used == 0 || sdf->sharp_items != NULL);
    if (fine) {
        memcpy(sdf->sharp_start, start, ((size_t)sdf->sharp_count + 1) * sizeof *start);
        if (used > 0)
            memcpy(sdf->sharp_items, items, used * sizeof *items);
        fine = keep_triangles(b, sdf->sharp_items, used);
    } else {
        if (sdf->sharp_start != NULL)
            memset(sdf->sharp_start, 0, ((size_t)sdf->sharp_count + 1) * sizeof *start);
        sl_free(memory, sdf->sharp_items, used * sizeof *items);
        sdf->sharp_items = NULL;
    }
    sl_free(memory, start, starts * sizeof *start);
    sl_free(memory, items, room * sizeof *items);
    sl_free(memory, cells, BATCH * sizeof *cells);
    sl_free(memory, c.kept, BATCH * sizeof *c.kept);
    sl_free(memory, c.counts, BATCH * sizeof *c.counts);
    return fine;
}

SlStatus sl_sdf_build_sharp(SlSdfBuild *b, SlError *error)
{
    SlSdf *sdf = b->sdf;
    size_t cells = (size_t)sdf->grid.count * SL_BLOCK_CELL_COUNT, flagged = 0;
    if (cells > UINT32_MAX)
        return sl_error_set(error, SL_ERROR_MEMORY, "distance field: %u blocks are too many",
                            sdf->grid.count);
    sdf->sharp = sl_alloc(&b->context->memory, cells * sizeof *sdf->sharp);
    bool fine = sdf->sharp != NULL;
    if (fine) {
        sl_parallel_for(b->context->pool, sdf->grid.count, 64, flag_cells, b);
        for (size_t k = 0; k < cells; k++)
            flagged += sdf->sharp[k];
        fine = make_lists(b, flagged);
    }
    if (!fine)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the sharp cells of %u blocks",
                            sdf->grid.count);
    return SL_OK;
}
