/* Vertices and triangles of the surface. A vertex lies on an edge of the lattice and belongs to the block
   of the edge's lower node. Vertices are numbered by block, node and axis; a block stores one bit per
   edge, and a vertex is found by counting bits. */
#include <string.h>

#include "filters/surface/surface.h"

enum { SIDE = SURFACE_BLOCK + 1, LOCAL_NODES = SIDE * SIDE * SIDE, BLOCK_CHUNK = 8 };

typedef struct BlockMesh {
    uint64_t crossed[SURFACE_EDGE_WORDS]; /* bit 3 node + axis */
    uint16_t before[SURFACE_EDGE_WORDS];  /* bits in the words before */
    uint32_t vertex_count, triangle_count, first_vertex, first_triangle;
} BlockMesh;

typedef struct Extract {
    const SurfaceLattice *lattice;
    const SurfaceBlocks *blocks;
    const SurfaceCase *cases;
    BlockMesh *block_meshes;
    SurfaceMesh *mesh; /* NULL: count only */
    float iso;
} Extract;

/* A block's nodes and those of the next layer, from the seven blocks behind it. */
typedef struct Local {
    int32_t first[3];  /* index of node (0, 0, 0) */
    uint32_t near[8];  /* blocks, by the bits of their offset; SL_NO_BLOCK: none */
    float values[LOCAL_NODES];
} Local;

static uint32_t state_of(const SurfaceBlocks *blocks, uint32_t block)
{
    return block == SL_NO_BLOCK ? SURFACE_AIR : blocks->field_of[block];
}

/* False: no cell of the block can be crossed. */
static bool find_near(const Extract *p, uint32_t block, Local *local)
{
    SlBlockCoord at = p->blocks->set.keys[block];
    bool same = true, walls = false;
    uint32_t own = state_of(p->blocks, block);
    for (uint32_t k = 0; k < 8; k++) {
        SlBlockCoord other = {at.x + (int32_t)(k & 1), at.y + (int32_t)(k >> 1 & 1),
                              at.z + (int32_t)(k >> 2)};
        local->near[k] = surface_set_find(&p->blocks->set, other);
        same = same && state_of(p->blocks, local->near[k]) == own;
    }
    const int32_t *coord = &at.x;
    for (int k = 0; k < 3; k++) {
        local->first[k] = coord[k] * SURFACE_BLOCK;
        walls |= local->first[k] < p->lattice->low[k] ||
                 local->first[k] + SURFACE_BLOCK > p->lattice->high[k];
    }
    return !(same && (own == SURFACE_AIR || (own == SURFACE_DEEP && !walls)));
}

static bool is_beyond_wall(const SurfaceLattice *lattice, int axis, int32_t node)
{
    return node < lattice->low[axis] || node > lattice->high[axis];
}

static void load_values(const Extract *p, Local *local)
{
    float *to = local->values;
    for (int z = 0; z < SIDE; z++)
        for (int y = 0; y < SIDE; y++) {
            bool beyond = is_beyond_wall(p->lattice, 2, local->first[2] + z) ||
                          is_beyond_wall(p->lattice, 1, local->first[1] + y);
            uint32_t side = (uint32_t)(y >> 3) << 1 | (uint32_t)(z >> 3) << 2;
            uint32_t row = (uint32_t)SURFACE_BLOCK * ((uint32_t)(y & 7) + 8 * (uint32_t)(z & 7));
            for (int x = 0; x < SIDE; x++, to++) {
                uint32_t state = state_of(p->blocks, local->near[side | (uint32_t)(x >> 3)]);
                if (beyond || is_beyond_wall(p->lattice, 0, local->first[0] + x))
                    *to = 0;
                else if (state >= SURFACE_AIR)
                    *to = state == SURFACE_DEEP ? 1 : 0;
                else
                    *to = p->blocks->fields[(size_t)state * SURFACE_BLOCK_NODES + row +
                                            (uint32_t)(x & 7)];
            }
        }
}

static const int step[3] = {1, SIDE, SIDE * SIDE};

/* Bits of the corners inside. */
static uint32_t case_of(const Extract *p, const float *corner)
{
    uint32_t inside = 0;
    for (uint32_t c = 0; c < 8; c++) {
        uint32_t offset = (c & 1) + (c >> 1 & 1) * SIDE + (c >> 2) * SIDE * SIDE;
        inside |= (uint32_t)(corner[offset] > p->iso) << c;
    }
    return inside;
}

/* --- first pass: bits and counts --- */

static void count_block(const Extract *p, const Local *local, BlockMesh *own)
{
    for (int z = 0; z < SURFACE_BLOCK; z++)
        for (int y = 0; y < SURFACE_BLOCK; y++)
            for (int x = 0; x < SURFACE_BLOCK; x++) {
                const float *at = local->values + x + SIDE * (y + SIDE * z);
                uint32_t inside = case_of(p, at);
                if (inside == 0 || inside == 255)
                    continue;
                own->triangle_count += p->cases[inside].triangle_count;
                uint32_t node = (uint32_t)(x + SURFACE_BLOCK * (y + SURFACE_BLOCK * z));
                for (uint32_t axis = 0; axis < 3; axis++) {
                    uint32_t bit = 3 * node + axis;
                    uint64_t crossed = ((inside ^ inside >> (1u << axis)) & 1) != 0;
                    own->crossed[bit / 64] |= crossed << bit % 64;
                }
            }
    for (int w = 0; w < SURFACE_EDGE_WORDS; w++) {
        own->before[w] = (uint16_t)own->vertex_count;
        own->vertex_count += (uint32_t)__builtin_popcountll(own->crossed[w]);
    }
}

static void count_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Extract *p = argument;
    Local local;
    for (size_t b = begin; b < end; b++) {
        memset(&p->block_meshes[b], 0, sizeof p->block_meshes[b]);
        if (!find_near(p, (uint32_t)b, &local))
            continue;
        load_values(p, &local);
        count_block(p, &local, &p->block_meshes[b]);
    }
}

/* --- second pass --- */

/* Whether a solid decides the value at a node. */
static bool is_cut(const Extract *p, const Local *local, const int node[3])
{
    if (p->blocks->cut_bits == NULL)
        return false;
    uint32_t side = 0, at = 0;
    for (int k = 0; k < 3; k++) {
        side |= (uint32_t)(node[k] >> 3) << k;
        at |= (uint32_t)(node[k] & 7) << 3 * k;
    }
    uint32_t field = state_of(p->blocks, local->near[side]);
    return field < SURFACE_AIR &&
           (p->blocks->cut_bits[(size_t)field * SURFACE_CUT_WORDS + at / 64] >> at % 64 & 1) != 0;
}

/* The vertex on the edge from a node along an axis. */
static void place_vertex(const Extract *p, const Local *local, const int node[3], int axis,
                         uint32_t vertex)
{
    const SurfaceLattice *lattice = p->lattice;
    int at = node[0] + SIDE * (node[1] + SIDE * node[2]);
    float a = local->values[at], b = local->values[at + step[axis]];
    /* Not nearer to a node than this: no triangle is without area. */
    float t = (p->iso - a) / (b - a);
    t = t < 0.02f ? 0.02f : t > 0.98f ? 0.98f : t;
    float *x = p->mesh->positions + 3 * (size_t)vertex;
    uint8_t fixed = 0;
    for (int k = 0; k < 3; k++) {
        int32_t index = local->first[k] + node[k];
        x[k] = surface_node(lattice, k, index);
        if (k != axis && (index == lattice->low[k] || index == lattice->high[k]))
            fixed |= (uint8_t)(1 << k);
    }
    int32_t index = local->first[axis] + node[axis];
    if (is_beyond_wall(lattice, axis, index) || is_beyond_wall(lattice, axis, index + 1)) {
        x[axis] = lattice->end[index < lattice->low[axis] ? 0 : 1][axis];
        fixed |= (uint8_t)(1 << axis | SURFACE_IN_WALL);
    } else {
        x[axis] += t * lattice->cell[axis];
        int air = a > p->iso ? 1 : 0; /* which end of the edge */
        const int other[3] = {node[0] + air * (axis == 0), node[1] + air * (axis == 1),
                              node[2] + air * (axis == 2)};
        if (is_cut(p, local, other))
            fixed = SURFACE_FIXED | SURFACE_IN_WALL | SURFACE_IN_SOLID;
    }
    p->mesh->fixed[vertex] = fixed;
}

static void place_vertices(const Extract *p, const Local *local, const BlockMesh *own)
{
    uint32_t vertex = own->first_vertex;
    for (uint32_t w = 0; w < SURFACE_EDGE_WORDS; w++)
        for (uint64_t bits = own->crossed[w]; bits != 0; bits &= bits - 1) {
            uint32_t bit = 64 * w + (uint32_t)__builtin_ctzll(bits), n = bit / 3;
            const int node[3] = {(int)(n & 7), (int)(n >> 3 & 7), (int)(n >> 6)};
            place_vertex(p, local, node, (int)(bit % 3), vertex++);
        }
}

/* The vertex on an edge of the cell at (x, y, z). */
static uint32_t vertex_on(const Extract *p, const Local *local, const int cell[3], uint32_t edge)
{
    uint32_t corner = surface_edge_corner(edge), node = 0, side = 0;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t index = (uint32_t)cell[k] + (corner >> k & 1);
        node |= (index & 7) << 3 * k;
        side |= index >> 3 << k;
    }
    const BlockMesh *owner = &p->block_meshes[local->near[side]];
    uint32_t bit = 3 * node + (edge >> 2), word = bit / 64;
    uint64_t below = owner->crossed[word] & ((UINT64_C(1) << bit % 64) - 1);
    return owner->first_vertex + owner->before[word] + (uint32_t)__builtin_popcountll(below);
}

static void emit_triangles(const Extract *p, const Local *local, const BlockMesh *own)
{
    uint32_t *out = p->mesh->triangles + 3 * (size_t)own->first_triangle;
    int cell[3];
    for (cell[2] = 0; cell[2] < SURFACE_BLOCK; cell[2]++)
        for (cell[1] = 0; cell[1] < SURFACE_BLOCK; cell[1]++)
            for (cell[0] = 0; cell[0] < SURFACE_BLOCK; cell[0]++) {
                const float *at = local->values + cell[0] + SIDE * (cell[1] + SIDE * cell[2]);
                const SurfaceCase *found = &p->cases[case_of(p, at)];
                for (int t = 0; t < found->triangle_count; t++)
                    for (int k = 0; k < 3; k++)
                        *out++ = vertex_on(p, local, cell, found->edges[t][k]);
            }
}

static void emit_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Extract *p = argument;
    Local local;
    for (size_t b = begin; b < end; b++) {
        const BlockMesh *own = &p->block_meshes[b];
        if (own->triangle_count == 0 && own->vertex_count == 0)
            continue;
        (void)find_near(p, (uint32_t)b, &local);
        load_values(p, &local);
        place_vertices(p, &local, own);
        emit_triangles(p, &local, own);
    }
}

static bool number_blocks(const Extract *p, SurfaceMesh *mesh)
{
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t b = 0; b < p->blocks->set.count; b++) {
        BlockMesh *own = &p->block_meshes[b];
        own->first_vertex = (uint32_t)vertices;
        own->first_triangle = (uint32_t)triangles;
        vertices += own->vertex_count;
        triangles += own->triangle_count;
        if (vertices > INT32_MAX || triangles > INT32_MAX)
            return false;
    }
    mesh->vertex_count = (uint32_t)vertices;
    mesh->triangle_count = (uint32_t)triangles;
    return true;
}

bool surface_extract(SlContext *context, SlArena *arena, const SurfaceLattice *lattice,
                     const SurfaceSettings *settings, const SurfaceBlocks *blocks,
                     SurfaceMesh *mesh)
{
    SurfaceCase cases[256];
    surface_cubes_derive(cases);
    SlArena *scratch = &context->arena;
    Extract p = {.lattice = lattice, .blocks = blocks, .cases = cases, .iso = settings->iso,
                 .block_meshes = SL_PUSH(scratch, BlockMesh, blocks->set.count)};
    if (p.block_meshes == NULL)
        return false;
    sl_parallel_for(context->pool, blocks->set.count, BLOCK_CHUNK, count_chunk, &p);
    if (!number_blocks(&p, mesh))
        return false;
    size_t n = 3 * (size_t)mesh->vertex_count;
    mesh->positions = SL_PUSH(arena, float, n);
    mesh->normals = SL_PUSH(arena, float, n);
    mesh->velocities = SL_PUSH(arena, float, n);
    mesh->triangles = SL_PUSH(arena, uint32_t, 3 * (size_t)mesh->triangle_count);
    mesh->fixed = SL_PUSH(scratch, uint8_t, mesh->vertex_count);
    if (mesh->positions == NULL || mesh->normals == NULL || mesh->velocities == NULL ||
        mesh->triangles == NULL || mesh->fixed == NULL)
        return false;
    p.mesh = mesh;
    sl_parallel_for(context->pool, blocks->set.count, BLOCK_CHUNK, emit_chunk, &p);
    return true;
}
