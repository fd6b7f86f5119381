/* Sharp cells. At a crease of the field (an edge of the mesh, or the middle between two walls)
   trilinear interpolation errs by up to half a cell, however small the cells are. The gradients at
   a cell's nodes show it: their tangent planes miss each other. Such a cell keeps every triangle
   that is nearest to some point of it, found by a bound that loses none, and is evaluated exactly.
   Where those are too many, the mesh is finer than the cells. A cell at the surface then gets a fine
   block, with cells a fourth as long. Those of its cells that are still sharp, and crowded cells
   away from the surface, ask the tree of all triangles: they lie in the middle between walls, where
   hundreds of triangles are equally near and few particles come. Finer grids alone were rejected: at a plain crease a few triangles do for a
   thousand values. */
#include "geometry/sdf/build.h"

#include <string.h>

/* Largest disagreement at the cell's centre, in its own lengths, that is left to interpolation;
   more in fine blocks, for what counts is the length of the field's cells. */
static const float smooth = 0.1f, smooth_fine = 0.25f;

/* Crowded cells whose centre is farther from the surface than this, in cells, ask the tree. */
static const double fine_reach = 1.2;

/* MAX_KEPT triangles a cell, from at most MAX_NEAR within reach; cells handled at a time. */
enum { MAX_KEPT = 64, MAX_NEAR = 256, BATCH = 8192, NEAR_CROWD = 1000, FAR_CROWD };

typedef struct Candidates {
    const SlSdfBuild *build;
    const SlSdfLayer *layer;
    const uint32_t *cells;       /* block of the layer * 64 + cell */
    uint32_t (*kept)[MAX_KEPT]; /* places in the tree */
    uint32_t *counts;            /* above MAX_KEPT: crowded, NEAR_CROWD or FAR_CROWD */
} Candidates;

/* Lists that grow. */
typedef struct Lists {
    uint32_t *starts, *items;
    size_t start_room, item_room;
} Lists;

static void cell_corner(uint32_t cell, int *x, int *y, int *z)
{
    *x = (int)(cell % SL_BLOCK_CELLS);
    *y = (int)(cell / SL_BLOCK_CELLS % SL_BLOCK_CELLS);
    *z = (int)(cell / (SL_BLOCK_CELLS * SL_BLOCK_CELLS) % SL_BLOCK_CELLS);
}

static bool is_sharp(const SlSdfLayer *layer, size_t block, uint32_t cell)
{
    const float *values = layer->values + block * SL_BLOCK_STRIDE;
    const SlVec3 *normals = layer->normals + block * SL_BLOCK_STRIDE;
    float h = (float)layer->cell, plane[8], mean = 0, worst = 0;
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
    return worst > (layer->fine ? smooth_fine : smooth) * h;
}

static void flag_cells(void *argument, size_t begin, size_t end, size_t chunk)
{
    SlSdfLayer *layer = argument;
    (void)chunk;
    for (size_t block = begin; block < end; block++)
        for (uint32_t cell = 0; cell < SL_BLOCK_CELL_COUNT; cell++)
            layer->codes[block * SL_BLOCK_CELL_COUNT + cell] =
                is_sharp(layer, block, cell) ? SL_SDF_TREE : 0;
}

/* Drops triangles that are nearest nowhere in the cell. In an eighth of the cell about s with
   half-diagonal r, a triangle can only be nearest if dist(s, t) <= dist(s) + 2 r. */
static uint32_t prune(const SlBvh *bvh, SlD3 center, double h, uint32_t *near, uint32_t count)
{
    double distance[MAX_NEAR], slack = 0.25 * h * 2 * 1.7320508075688772 * 1.0001;
    bool keep[MAX_NEAR] = {false};
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
    const SlSdfLayer *layer = c->layer;
    const SlBvh *bvh = c->build->bvh;
    double h = layer->cell;
    (void)chunk;
    for (size_t k = begin; k < end; k++) {
        uint32_t near[MAX_NEAR], block = c->cells[k] / SL_BLOCK_CELL_COUNT;
        int x, y, z;
        cell_corner(c->cells[k] % SL_BLOCK_CELL_COUNT, &x, &y, &z);
        SlD3 low = layer->corners[block];
        SlD3 center = {low.x + h * (x + 0.5), low.y + h * (y + 0.5), low.z + h * (z + 0.5)};
        SlBvhHit hit;
        const float *values = layer->values + (size_t)block * SL_BLOCK_STRIDE;
        double corner = fabs((double)values[sl_block_node(x, y, z)]);
        bool found = sl_bvh_closest(bvh, center, 1.0001 * (corner + 0.8661 * h) + 1e-150, &hit);
        SL_ASSERT(found);
        double reach = sqrt(hit.distance2) + 1.7321 * h;
        size_t count = sl_bvh_within(bvh, center, reach, near, MAX_NEAR);
        uint32_t kept = MAX_KEPT + 1;
        if (count <= MAX_NEAR)
            kept = prune(bvh, center, h, near, (uint32_t)count);
        if (kept <= MAX_KEPT)
            memcpy(c->kept[k], near, kept * sizeof *near);
        else
            kept = hit.distance2 < fine_reach * fine_reach * h * h ? NEAR_CROWD : FAR_CROWD;
        c->counts[k] = kept;
    }
}

typedef struct Sides {
    const SlSdfBuild *build;
    const uint32_t *places; /* of the field's triangles in the tree */
} Sides;

/* A ball about the middle, as floats. */
static void find_ball(const SlTriangle *t, SlD3 middle, SlSdfTriangle *kept)
{
    SlVec3 center = sl_d3_float(middle);
    double radius = 0;
    const SlD3 corners[3] = {t->a, t->b, t->c};
    for (int k = 0; k < 3; k++)
        radius = fmax(radius, sl_d3_length(sl_d3_sub(corners[k], sl_d3_from(center))));
    memcpy(kept->center, &center, sizeof center);
    kept->radius = (float)(1.00001 * radius);
}

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
        find_ball(&t, middle, &sdf->triangles[k]);
        sdf->triangles[k].front = front > 0.5 ? -1.0f : 1.0f;
        sdf->triangles[k].behind = behind > 0.5 ? -1.0f : 1.0f;
    }
}

/* Room for `needed` numbers, `used` of them kept. */
static bool make_room(SlMemory *memory, uint32_t **array, size_t *room, size_t used, size_t needed)
{
    if (needed <= *room)
        return true;
    size_t more = 2 * *room + needed;
    uint32_t *grown = needed > UINT32_MAX ? NULL
                                          : sl_regrow(memory, *array, *room * sizeof **array,
                                                      more * sizeof **array, used * sizeof **array);
    if (grown == NULL)
        return false;
    *array = grown;
    *room = more;
    return true;
}

/* Appends a batch's lists; crowded cells ask for a fine block or the tree. False when memory is
   out. */
static bool append(SlSdf *sdf, const Candidates *c, size_t cells, Lists *lists)
{
    SlMemory *memory = &sdf->context->memory;
    for (size_t k = 0; k < cells; k++) {
        uint32_t *code = &c->layer->codes[c->cells[k]], used = lists->starts[sdf->sharp_count];
        if (c->counts[k] > MAX_KEPT) {
            *code = c->counts[k] == NEAR_CROWD ? SL_SDF_FINE : SL_SDF_TREE;
            continue;
        }
        if (!make_room(memory, &lists->items, &lists->item_room, used,
                       (size_t)used + MAX_KEPT) ||
            !make_room(memory, &lists->starts, &lists->start_room, (size_t)sdf->sharp_count + 1,
                       (size_t)sdf->sharp_count + 2))
            return false;
        memcpy(lists->items + used, c->kept[k], c->counts[k] * sizeof *lists->items);
        lists->starts[++sdf->sharp_count] = used + c->counts[k];
        *code = sdf->sharp_count;
    }
    return true;
}

/* Lists of all flagged cells of a layer. `cells` has room for a batch. */
static bool collect(const SlSdfBuild *b, uint32_t *cells, Candidates *c, Lists *lists)
{
    size_t total = c->layer->block_count * SL_BLOCK_CELL_COUNT, waiting = 0;
    for (size_t k = 0; k < total; k++) {
        if (c->layer->codes[k] != 0)
            cells[waiting++] = (uint32_t)k;
        if (waiting == BATCH || (k + 1 == total && waiting > 0)) {
            sl_parallel_for(b->context->pool, waiting, 64, find_candidates, c);
            if (!append(b->sdf, c, waiting, lists))
                return false;
            waiting = 0;
        }
    }
    return true;
}

static bool make_lists(SlSdfBuild *b, const SlSdfLayer *layer, Lists *lists)
{
    SlMemory *memory = &b->context->memory;
    uint32_t *cells = sl_alloc(memory, BATCH * sizeof *cells);
    Candidates c = {b, layer, cells, sl_alloc(memory, BATCH * sizeof *c.kept),
                    sl_alloc(memory, BATCH * sizeof *c.counts)};
    bool fine = cells != NULL && c.kept != NULL && c.counts != NULL && collect(b, cells, &c, lists);
    sl_free(memory, cells, BATCH * sizeof *cells);
    sl_free(memory, c.kept, BATCH * sizeof *c.kept);
    sl_free(memory, c.counts, BATCH * sizeof *c.counts);
    return fine;
}

static bool asks_tree(const SlSdf *sdf)
{
    for (size_t k = 0; k < sl_sdf_code_bytes(sdf) / sizeof *sdf->codes; k++)
        if (sdf->codes[k] == SL_SDF_TREE)
            return true;
    return false;
}

static bool keep_tree(SlSdfBuild *b)
{
    SlSdf *sdf = b->sdf;
    sdf->tree = sl_alloc(&b->context->memory, b->bvh->node_count * sizeof *sdf->tree);
    if (sdf->tree == NULL)
        return false;
    sdf->tree_count = (uint32_t)b->bvh->node_count;
    memcpy(sdf->tree, b->bvh->nodes, sdf->tree_count * sizeof *sdf->tree);
    return true;
}

/* Numbers the triangles that are in some list, in tree order, and rewrites the lists by number.
   With a tree all are kept, and a number is a place in the tree. */
static bool keep_triangles(SlSdfBuild *b, uint32_t *items, size_t count)
{
    SlSdf *sdf = b->sdf;
    SlMemory *memory = &b->context->memory;
    size_t all = b->bvh->triangle_count, bytes = all * sizeof(uint32_t);
    uint32_t *number = sl_alloc_zero(memory, all, sizeof *number);
    uint32_t *places = sl_alloc(memory, bytes), used = 0;
    bool tree = asks_tree(sdf), room = number != NULL && places != NULL && (!tree || keep_tree(b));
    for (size_t k = 0; room && k < count; k++)
        number[items[k]] = 1;
    for (size_t place = 0; room && place < all; place++)
        if (tree || number[place] != 0) {
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

/* Moves the lists into arrays of just their length: destroy frees by it. */
static bool settle(SlSdfBuild *b, const Lists *lists)
{
    SlSdf *sdf = b->sdf;
    SlMemory *memory = &b->context->memory;
    size_t starts = (size_t)sdf->sharp_count + 1, used = lists->starts[sdf->sharp_count];
    sdf->sharp_start = sl_alloc(memory, starts * sizeof *sdf->sharp_start);
    sdf->sharp_items = sl_alloc(memory, used * sizeof *sdf->sharp_items);
    if (sdf->sharp_start == NULL || (used > 0 && sdf->sharp_items == NULL)) {
        sl_free(memory, sdf->sharp_start, starts * sizeof *sdf->sharp_start);
        sl_free(memory, sdf->sharp_items, used * sizeof *sdf->sharp_items);
        sdf->sharp_start = sdf->sharp_items = NULL;
        return false;
    }
    memcpy(sdf->sharp_start, lists->starts, starts * sizeof *sdf->sharp_start);
    if (used > 0)
        memcpy(sdf->sharp_items, lists->items, used * sizeof *sdf->sharp_items);
    return keep_triangles(b, sdf->sharp_items, used);
}

SlStatus sl_sdf_build_sharp(SlSdfBuild *b, SlSdfLayer *coarse, SlError *error)
{
    SlSdf *sdf = b->sdf;
    SlMemory *memory = &b->context->memory;
    SlPool *pool = b->context->pool;
    Lists lists = {.starts = sl_alloc_zero(memory, BATCH, sizeof *lists.starts),
                   .start_room = BATCH};
    SlSdfLayer finer = {0};
    sl_parallel_for(pool, coarse->block_count, 64, flag_cells, coarse);
    bool fine = lists.starts != NULL && make_lists(b, coarse, &lists) &&
                sl_sdf_refine(b, coarse, &finer);
    if (fine)
        sl_parallel_for(pool, finer.block_count, 64, flag_cells, &finer);
    sl_sdf_layer_free(b, &finer);
    fine = fine && settle(b, &lists);
    sl_free(memory, lists.starts, lists.start_room * sizeof *lists.starts);
    sl_free(memory, lists.items, lists.item_room * sizeof *lists.items);
    if (!fine)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the sharp cells of %u blocks",
                            sdf->grid.count);
    return SL_OK;
}
