/* Builds a distance field: the tree, distance and sign at every block's centre, the blocks that
   the band touches, distance and sign at their nodes, the sharp cells. Distance is to the closest
   point; its sign is by generalised winding number, inside where it is above one half
   [Jacobson 2013], so the mesh need not be closed. */
#include "geometry/sdf/build.h"

#include <stdlib.h>
#include <string.h>

/* Blocks of the box: 2^24 are 1024^3 cells. */
#define MAX_BLOCKS ((double)(1 << 24))
/* Half the diagonal of a block, in cells. */
#define BLOCK_RADIUS (0.5 * SL_BLOCK_CELLS * 1.7320508075688772)

static SlBox bounds_of(const SlMesh *mesh)
{
    SlBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            SlVec3 p = sl_mesh_corner(mesh, t, k);
            box.min = sl_vec3(fminf(box.min.x, p.x), fminf(box.min.y, p.y), fminf(box.min.z, p.z));
            box.max = sl_vec3(fmaxf(box.max.x, p.x), fmaxf(box.max.y, p.y), fmaxf(box.max.z, p.z));
        }
    return box;
}

/* Blocks along an axis: the mesh, and the band and a cell on either side. */
static double blocks_along(float low, float high, const SlSdfSettings *s)
{
    double cells = ((double)high - (double)low) / s->cell + 2 * (s->band + 1);
    return floor(cells / SL_BLOCK_CELLS) + 1;
}

SlStatus sl_sdf_check(const SlMesh *mesh, const SlSdfSettings *s, SlError *error)
{
    if (!(s->cell > 0 && isfinite(s->cell) && (float)s->cell > 0))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "distance field: cell is %g; it must be > 0",
                            s->cell);
    if (!(s->band >= 1 && s->band <= 32))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "distance field: band is %g cells; it may be from 1 to 32", s->band);
    if (mesh->triangle_count == 0)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "distance field: the mesh has no triangles; it needs one at least");
    SlBox box = bounds_of(mesh);
    double x = blocks_along(box.min.x, box.max.x, s), y = blocks_along(box.min.y, box.max.y, s),
           z = blocks_along(box.min.z, box.max.z, s);
    if (!(x * y * z <= MAX_BLOCKS))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "distance field: %.0f x %.0f x %.0f cells of %g m are too many; "
                            "%.0f in all are allowed: take larger cells",
                            4 * x, 4 * y, 4 * z, s->cell, 64 * MAX_BLOCKS);
    return SL_OK;
}

uint64_t sl_sdf_guess_bytes(const SlMesh *mesh, const SlSdfSettings *s)
{
    double area = 0, h2 = s->cell * s->cell;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        SlVec3 a = sl_mesh_corner(mesh, t, 0);
        SlVec3 u = sl_sub(sl_mesh_corner(mesh, t, 1), a), v = sl_sub(sl_mesh_corner(mesh, t, 2), a);
        area += 0.5 * (double)sl_length(sl_cross(u, v));
    }
    SlBox box = bounds_of(mesh);
    double total = blocks_along(box.min.x, box.max.x, s) * blocks_along(box.min.y, box.max.y, s) *
                   blocks_along(box.min.z, box.max.z, s);
    /* Blocks reach as far as the band and their own radius on either side. */
    double side = SL_BLOCK_CELLS * SL_BLOCK_CELLS * h2;
    double blocks = fmin(8 + area / side * 2 * (s->band + BLOCK_RADIUS) / SL_BLOCK_CELLS, total);
    double nodes = SL_BLOCK_STRIDE * (s->keep_nearest ? 8.0 : 4.0);
    /* Lists and fine blocks grow with the triangles in a cell's face, up to a fine block for some
       cells; measured on the squirrel, the bunny and the walker. */
    double crowd = area > 0 ? (double)mesh->triangle_count * h2 / area : 0;
    double cell = 4 + fmin(40 * crowd, 400);
    double bytes = blocks * (nodes + 32 + SL_BLOCK_CELL_COUNT * cell) + 4 * total +
                   (double)mesh->triangle_count * (sizeof(SlSdfTriangle) + sizeof(SlBvhNode));
    return bytes < 1e18 ? (uint64_t)bytes : (uint64_t)1e18;
}

static void lay_out(SlSdf *sdf, const SlBox *box, const SlSdfSettings *s)
{
    float pad = (float)((s->band + 1) * s->cell);
    sdf->cell = (float)s->cell;
    sdf->band = (float)s->band;
    sdf->side = s->hollow ? -1.0f : 1.0f;
    sdf->origin = sl_sub(box->min, sl_vec3(pad, pad, pad));
    sdf->size[0] = (int32_t)blocks_along(box->min.x, box->max.x, s);
    sdf->size[1] = (int32_t)blocks_along(box->min.y, box->max.y, s);
    sdf->size[2] = (int32_t)blocks_along(box->min.z, box->max.z, s);
}

/* In a closed mesh two points have one sign if the balls of their distances overlap, for then no
   surface is between them; that spares most winding numbers. In an open one the sign changes in its
   holes too, and each point is asked for its own. */
SlD3 sl_sdf_walk_to(const SlSdfBuild *b, SlSdfWalk *walk, SlD3 p)
{
    double reach = walk->begun ? sl_bvh_distance_to(b->bvh, walk->hit.place, p) : INFINITY;
    bool found = sl_bvh_closest(b->bvh, p, reach * (1 + 1e-12) + 1e-150, &walk->hit);
    SL_ASSERT(found);
    double distance = sqrt(walk->hit.distance2), step = sl_d3_length(sl_d3_sub(p, walk->point));
    bool same = b->closed && walk->begun && 0.9999 * (distance + walk->distance) > step;
    if (!same)
        walk->sign = sl_bvh_winding(b->bvh, p) > 0.5 ? -1 : 1;
    walk->begun = true;
    walk->point = p;
    walk->distance = distance;
    if (distance > 1e-5 * (double)b->sdf->cell) {
        SlD3 away = sl_d3_sub(p, walk->hit.point);
        double scale = walk->sign / distance;
        return sl_d3(scale * away.x, scale * away.y, scale * away.z);
    }
    SlTriangle t = sl_bvh_triangle(b->bvh, walk->hit.place);
    return sl_d3_unit(sl_triangle_area2(&t));
}

/* Rows of block centres along x. */
static void fill_far_rows(void *argument, size_t begin, size_t end, size_t chunk)
{
    const SlSdfBuild *b = argument;
    SlSdf *sdf = b->sdf;
    (void)chunk;
    for (size_t row = begin; row < end; row++) {
        SlBlockCoord at = {0, (int32_t)(row % (size_t)sdf->size[1]),
                           (int32_t)(row / (size_t)sdf->size[1])};
        SlSdfWalk walk = {0};
        for (at.x = 0; at.x < sdf->size[0]; at.x++) {
            sl_sdf_walk_to(b, &walk, sl_sdf_node(sdf, at, 2, 2, 2));
            sdf->far[row * (size_t)sdf->size[0] + (size_t)at.x] =
                (float)(walk.sign * walk.distance);
        }
    }
}

static SlStatus make_grid(SlSdfBuild *b, SlError *error)
{
    SlSdf *sdf = b->sdf;
    size_t total = sl_sdf_block_total(sdf);
    SlMemory *memory = &b->context->memory;
    SlBlockCoord *coords = sl_alloc(memory, total * sizeof *coords);
    if (coords == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu blocks", total);
    float reach = sdf->cell * (sdf->band + (float)BLOCK_RADIUS) * 1.0001f;
    uint32_t count = 0;
    size_t at = 0;
    for (int32_t z = 0; z < sdf->size[2]; z++)
        for (int32_t y = 0; y < sdf->size[1]; y++)
            for (int32_t x = 0; x < sdf->size[0]; x++, at++)
                if (fabsf(sdf->far[at]) <= reach)
                    coords[count++] = (SlBlockCoord){x, y, z};
    SlStatus status = sl_block_grid_create(b->context, coords, count, &sdf->grid, error);
    sl_free(memory, coords, total * sizeof *coords);
    return status;
}

/* Distance, sign, gradient and nearest triangle at one node. */
static void fill_node(const SlSdfBuild *b, SlSdfWalk *walk, uint32_t block, int x, int y, int z)
{
    const SlSdf *sdf = b->sdf;
    size_t at = (size_t)block * SL_BLOCK_STRIDE + sl_block_node(x, y, z);
    SlD3 normal = sl_sdf_walk_to(b, walk, sl_sdf_node(sdf, sdf->grid.coords[block], x, y, z));
    sdf->grid.values[at] = (float)(walk->sign * walk->distance);
    b->normals[at] = sl_d3_float(normal);
    if (sdf->nearest != NULL)
        sdf->nearest[at] = b->bvh->order[walk->hit.place];
}

/* The 64 nodes a block owns, to and fro, so that each is a neighbour of the last. */
static void fill_blocks(void *argument, size_t begin, size_t end, size_t chunk)
{
    const SlSdfBuild *b = argument;
    const int last = SL_BLOCK_CELLS - 1;
    (void)chunk;
    for (size_t block = begin; block < end; block++) {
        SlSdfWalk walk = {0};
        for (int z = 0; z < SL_BLOCK_CELLS; z++)
            for (int j = 0; j < SL_BLOCK_CELLS; j++)
                for (int i = 0; i < SL_BLOCK_CELLS; i++) {
                    int y = (z & 1) != 0 ? last - j : j, x = ((j + z) & 1) != 0 ? last - i : i;
                    fill_node(b, &walk, (uint32_t)block, x, y, z);
                }
    }
}

/* Nodes on the upper faces: copies of the neighbour's, or our own where there is no neighbour. */
static void fill_seams(void *argument, size_t begin, size_t end, size_t chunk)
{
    const SlSdfBuild *b = argument;
    SlSdf *sdf = b->sdf;
    const int last = SL_BLOCK_CELLS;
    (void)chunk;
    for (size_t block = begin; block < end; block++) {
        SlBlockCoord c = sdf->grid.coords[block];
        SlSdfWalk walk = {0};
        for (int k = 0; k < SL_BLOCK_NODE_COUNT; k++) {
            int x = k % SL_BLOCK_NODES, y = k / SL_BLOCK_NODES % SL_BLOCK_NODES,
                z = k / (SL_BLOCK_NODES * SL_BLOCK_NODES);
            if (x < last && y < last && z < last)
                continue;
            SlBlockCoord owner = {c.x + (x == last), c.y + (y == last), c.z + (z == last)};
            uint32_t found = sl_block_grid_find(&sdf->grid, owner);
            if (found == SL_NO_BLOCK) {
                fill_node(b, &walk, (uint32_t)block, x, y, z);
                continue;
            }
            size_t from = (size_t)found * SL_BLOCK_STRIDE + sl_block_node(x % last, y % last,
                                                                          z % last);
            size_t to = block * SL_BLOCK_STRIDE + (size_t)k;
            sdf->grid.values[to] = sdf->grid.values[from];
            b->normals[to] = b->normals[from];
            if (sdf->nearest != NULL)
                sdf->nearest[to] = sdf->nearest[from];
        }
    }
}

/* Judges the cells of the filled grid; corners are those of its blocks. */
static SlStatus sharpen(SlSdfBuild *b, SlError *error)
{
    SlSdf *sdf = b->sdf;
    SlMemory *memory = &b->context->memory;
    size_t blocks = sdf->grid.count, bytes = blocks * sizeof(SlD3);
    SlD3 *corners = sl_alloc(memory, bytes);
    sdf->codes = sl_alloc_zero(memory, 1, sl_sdf_code_bytes(sdf));
    if (corners == NULL || sdf->codes == NULL || blocks * SL_BLOCK_CELL_COUNT >= SL_SDF_TREE) {
        sl_free(memory, corners, bytes);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the cells of %zu blocks",
                            blocks);
    }
    for (size_t k = 0; k < blocks; k++)
        corners[k] = sl_sdf_node(sdf, sdf->grid.coords[k], 0, 0, 0);
    SlSdfLayer layer = {.cell = (double)sdf->cell, .block_count = blocks, .corners = corners,
                        .values = sdf->grid.values, .normals = b->normals, .codes = sdf->codes};
    SlStatus status = sl_sdf_build_sharp(b, &layer, error);
    sl_free(memory, corners, bytes);
    return status;
}

static SlStatus build(SlSdfBuild *b, const SlSdfSettings *settings, SlError *error)
{
    SlSdf *sdf = b->sdf;
    SlMemory *memory = &b->context->memory;
    SlPool *pool = b->context->pool;
    sdf->far = sl_alloc(memory, sl_sdf_block_total(sdf) * sizeof *sdf->far);
    if (sdf->far == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu blocks",
                            sl_sdf_block_total(sdf));
    sl_parallel_for(pool, (size_t)sdf->size[1] * (size_t)sdf->size[2], 4, fill_far_rows, b);
    SlStatus status = make_grid(b, error);
    if (status != SL_OK)
        return status;
    size_t nodes = (size_t)sdf->grid.count * SL_BLOCK_STRIDE, bytes = nodes * sizeof *b->normals;
    b->normals = sl_alloc(memory, bytes);
    if (settings->keep_nearest)
        sdf->nearest = sl_alloc_zero(memory, nodes, sizeof *sdf->nearest);
    if (b->normals == NULL || (settings->keep_nearest && sdf->nearest == NULL)) {
        sl_free(memory, b->normals, bytes);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the nodes of %u blocks",
                            sdf->grid.count);
    }
    SlLongLoop blocks = {sdf->grid.count, 8, fill_blocks, b, "distance field"};
    status = sl_run_long_loop(b->context, &blocks, error);
    if (status == SL_OK) {
        sl_parallel_for(pool, sdf->grid.count, 8, fill_seams, b);
        status = sharpen(b, error);
    }
    sl_free(memory, b->normals, bytes);
    return status;
}

SlStatus sl_sdf_create(SlContext *context, const SlMesh *mesh, const SlSdfSettings *settings,
                       SlSdf *sdf, SlError *error)
{
    memset(sdf, 0, sizeof *sdf);
    SlBvh bvh;
    SlStatus status = sl_bvh_create(context, mesh, &bvh, error);
    if (status != SL_OK)
        return status;
    status = sl_sdf_check(mesh, settings, error);
    if (status == SL_OK) {
        SlBox box = bounds_of(mesh);
        sdf->context = context;
        lay_out(sdf, &box, settings);
        SlSdfBuild b = {context, &bvh, sdf, sl_sdf_mesh_closed(context, mesh), NULL};
        status = build(&b, settings, error);
    }
    sl_bvh_destroy(&bvh);
    if (status != SL_OK)
        sl_sdf_destroy(sdf);
    return status;
}

/* --- Is a mesh closed? Edges are sorted by their two vertices; each must be walked as often one way as
   the other. Vertices are told apart by number: a mesh whose triangles share none counts as open,
   which costs time when its field is built, and nothing else. --- */

typedef struct Edge {
    uint32_t low, high;
    int32_t turn; /* +1 from low to high, -1 back */
} Edge;

static int compare(const void *a, const void *b)
{
    const Edge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return p->high < q->high ? -1 : p->high > q->high;
}

static bool all_cancel(const Edge *edges, size_t count)
{
    int64_t sum = 0;
    for (size_t k = 0; k < count; k++) {
        bool next = k > 0 && compare(&edges[k - 1], &edges[k]) != 0;
        if (next && sum != 0)
            return false;
        sum += edges[k].turn;
    }
    return sum == 0;
}

bool sl_sdf_mesh_closed(SlContext *context, const SlMesh *mesh)
{
    size_t count = 0, bytes = 3 * mesh->triangle_count * sizeof(Edge);
    Edge *edges = sl_alloc(&context->memory, bytes);
    if (edges == NULL)
        return false;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            uint32_t a = mesh->triangles[3 * t + (size_t)k];
            uint32_t b = mesh->triangles[3 * t + (size_t)((k + 1) % 3)];
            if (a != b)
                edges[count++] = a < b ? (Edge){a, b, 1} : (Edge){b, a, -1};
        }
    qsort(edges, count, sizeof *edges, compare);
    bool closed = all_cancel(edges, count);
    sl_free(&context->memory, edges, bytes);
    return closed;
}

/* --- Fine blocks: what a cell gets whose mesh is too fine for it. A fine block is a block like the
   others, 4 x 4 x 4 cells on 5 x 5 x 5 nodes, in the place of one cell. --- */

typedef struct Filling {
    const SlSdfBuild *build;
    const SlD3 *corners;
    float *values;
    SlVec3 *normals;
    double cell;
} Filling;

/* The nodes of fine blocks, to and fro, so that each is a neighbour of the last. */
static void fill_fine_blocks(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Filling *f = argument;
    const int last = SL_BLOCK_NODES - 1;
    (void)chunk;
    for (size_t block = begin; block < end; block++) {
        SlSdfWalk walk = {0};
        SlD3 low = f->corners[block];
        for (int k = 0; k < SL_BLOCK_NODE_COUNT; k++) {
            int z = k / (SL_BLOCK_NODES * SL_BLOCK_NODES), j = k / SL_BLOCK_NODES % SL_BLOCK_NODES,
                i = k % SL_BLOCK_NODES;
            int y = (z & 1) != 0 ? last - j : j, x = ((j + z) & 1) != 0 ? last - i : i;
            SlD3 p = {low.x + f->cell * x, low.y + f->cell * y, low.z + f->cell * z};
            SlD3 normal = sl_sdf_walk_to(f->build, &walk, p);
            size_t at = block * SL_BLOCK_STRIDE + sl_block_node(x, y, z);
            f->values[at] = (float)(walk.sign * walk.distance);
            f->normals[at] = sl_d3_float(normal);
        }
    }
}

/* Numbers the fine blocks in the order of their cells, and says where they begin. */
static void place_blocks(const SlSdfLayer *layer, SlD3 *corners)
{
    uint32_t next = 0;
    for (size_t k = 0; k < layer->block_count * SL_BLOCK_CELL_COUNT; k++) {
        if (layer->codes[k] != SL_SDF_FINE)
            continue;
        SlD3 low = layer->corners[k / SL_BLOCK_CELL_COUNT];
        double h = layer->cell;
        size_t x = k % SL_BLOCK_CELLS, y = k / SL_BLOCK_CELLS % SL_BLOCK_CELLS,
               z = k / (SL_BLOCK_CELLS * SL_BLOCK_CELLS) % SL_BLOCK_CELLS;
        *corners++ = sl_d3(low.x + h * (double)x, low.y + h * (double)y, low.z + h * (double)z);
        layer->codes[k] = SL_SDF_FINE | next++;
    }
}

static size_t count_wanted(const SlSdfLayer *layer)
{
    size_t count = 0;
    for (size_t k = 0; k < layer->block_count * SL_BLOCK_CELL_COUNT; k++)
        count += layer->codes[k] == SL_SDF_FINE;
    return count;
}

/* Room for fine blocks in the field's arrays: both or neither, for destroy frees by one count. */
static bool grow_field(SlSdf *sdf, size_t count)
{
    SlMemory *memory = &sdf->context->memory;
    size_t blocks = sdf->grid.count, old_bytes = sl_sdf_code_bytes(sdf);
    const size_t code_bytes = SL_BLOCK_CELL_COUNT * sizeof(uint32_t);
    if ((blocks + count) * SL_BLOCK_CELL_COUNT >= SL_SDF_TREE)
        return false;
    sdf->fine_values = sl_alloc_zero(memory, count, SL_BLOCK_STRIDE * sizeof(float));
    uint32_t *codes = sl_alloc_zero(memory, blocks + count, code_bytes);
    if (sdf->fine_values == NULL || codes == NULL) {
        sl_free(memory, sdf->fine_values, count * SL_BLOCK_STRIDE * sizeof(float));
        sl_free(memory, codes, (blocks + count) * code_bytes);
        sdf->fine_values = NULL;
        return false;
    }
    memcpy(codes, sdf->codes, old_bytes);
    sl_free(memory, sdf->codes, old_bytes);
    sdf->codes = codes;
    sdf->fine_count = (uint32_t)count;
    return true;
}

bool sl_sdf_refine(SlSdfBuild *b, SlSdfLayer *layer, SlSdfLayer *finer)
{
    SlSdf *sdf = b->sdf;
    SlMemory *memory = &b->context->memory;
    size_t count = count_wanted(layer);
    *finer = (SlSdfLayer){.fine = true,
                          .cell = layer->cell / SL_BLOCK_CELLS,
                          .block_count = count};
    if (count == 0)
        return true;
    SlD3 *corners = sl_alloc(memory, count * sizeof *corners);
    SlVec3 *normals = sl_alloc(memory, count * SL_BLOCK_STRIDE * sizeof *normals);
    finer->corners = corners;
    finer->normals = normals;
    if (corners == NULL || normals == NULL || !grow_field(sdf, count))
        return false;
    layer->codes = sdf->codes; /* they moved */
    finer->values = sdf->fine_values;
    finer->codes = sdf->codes + (size_t)sdf->grid.count * SL_BLOCK_CELL_COUNT;
    place_blocks(layer, corners);
    Filling filling = {b, corners, sdf->fine_values, normals, finer->cell};
    sl_parallel_for(b->context->pool, count, 8, fill_fine_blocks, &filling);
    return true;
}

void sl_sdf_layer_free(SlSdfBuild *b, SlSdfLayer *layer)
{
    SlMemory *memory = &b->context->memory;
    sl_free(memory, layer->corners, layer->block_count * sizeof(SlD3));
    sl_free(memory, layer->normals,
            layer->block_count * SL_BLOCK_STRIDE * sizeof(SlVec3));
}
