/* Builds the tree of bvh.h: a binary tree by the surface area heuristic over 16 bins of each axis
   [Wald 2007], whose nodes are then joined to nodes with eight children. The range of a subtree's
   nodes follows from its number of primitives, so subtrees are built in parallel and the tree is the
   same for any number of threads. Moving primitives have the bounds of all their places. */
#include <math.h>
#include <string.h>

#include "render/path/bvh.h"

enum { BINS = 16, LEAF = 8, SPLITS = 40, TASKS = 256, SMALL = 2048 };

typedef struct Item { /* a primitive */
    float low[3];
    uint32_t id;
    float high[3];
    uint32_t group; /* triangles and spheres do not share a block */
} Item;

/* A range of items; a subtree of n items has its nodes in [k, k + 2 n - 1). */
typedef struct Binary {
    float low[3], high[3];
    uint32_t begin, count;
    uint32_t right; /* 0: a leaf; else the left child follows its parent */
} Binary;

typedef struct Task {
    uint32_t node, depth;
} Task;

typedef struct Build {
    const SlGeometry *geometry;
    Item *items;
    size_t count;
    Binary *binary;
    Task tasks[TASKS];
    uint32_t task_count;
    SlBvhNode *nodes;
    SlBvhBlock *blocks;
    SlBvhMotion *motion;
    uint32_t *leaves; /* node of the binary tree, by block: its first block only */
    size_t node_count, block_count;
} Build;

typedef struct State {
    SlContext *context;
    SlBvh bvh;
    const SlBvhKernels *kernels;
    SlArena arena;
} State;

/* --- Bounds of primitives. --- */

static void clear(float low[3], float high[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
}

static void grow(float low[3], float high[3], const float at_low[3], const float at_high[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = at_low[k] < low[k] ? at_low[k] : low[k];
        high[k] = at_high[k] > high[k] ? at_high[k] : high[k];
    }
}

static void bound_triangle(const SlGeometry *g, size_t triangle, Item *item)
{
    clear(item->low, item->high);
    for (int c = 0; c < 3; c++) {
        size_t at = 3 * (size_t)g->triangles[3 * triangle + (size_t)c];
        const float *p = g->positions + at;
        grow(item->low, item->high, p, p);
        if (g->motion != NULL) {
            const float *m = g->motion + at;
            float q[3] = {p[0] + m[0], p[1] + m[1], p[2] + m[2]};
            grow(item->low, item->high, q, q);
        }
    }
}

static void bound_sphere(const SlGeometry *g, size_t sphere, Item *item)
{
    const float *s = g->spheres + 4 * sphere;
    clear(item->low, item->high);
    for (int end = 0; end < 2; end++) {
        float low[3], high[3];
        for (int k = 0; k < 3; k++) {
            float move = end == 1 && g->sphere_motion != NULL ? g->sphere_motion[3 * sphere + (size_t)k] : 0;
            low[k] = s[k] + move - s[3];
            high[k] = s[k] + move + s[3];
        }
        grow(item->low, item->high, low, high);
    }
}

static void item_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Build *b = argument;
    const SlGeometry *g = b->geometry;
    for (size_t i = begin; i < end; i++) {
        Item *item = &b->items[i];
        bool sphere = i >= g->triangle_count;
        item->id = (uint32_t)i;
        item->group = sphere;
        if (sphere)
            bound_sphere(g, i - g->triangle_count, item);
        else
            bound_triangle(g, i, item);
        /* Rounding in the tests must not lose a hit at the very edge of a box. */
        for (int k = 0; k < 3; k++) {
            float slack = 4e-7f * fmaxf(fabsf(item->low[k]), fabsf(item->high[k])) + 1e-30f;
            item->low[k] -= slack;
            item->high[k] += slack;
        }
    }
}

/* --- The binary tree. --- */

typedef struct Bin {
    float low[3], high[3];
    uint32_t count;
} Bin;

static float half_area(const float low[3], const float high[3])
{
    float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x >= 0 ? x * y + y * z + z * x : 0;
}

static float center(const Item *item, int axis)
{
    return 0.5f * (item->low[axis] + item->high[axis]);
}

static int bin_of(float at, float low, float scale)
{
    int k = (int)((at - low) * scale);
    return k < 0 ? 0 : k >= BINS ? BINS - 1 : k;
}

typedef struct Split {
    int axis, bin; /* items of bins up to it go left */
    float low, scale, cost;
} Split;

static void find_split(const Build *b, const Binary *node, int axis, const float bounds[2], Split *best)
{
    Bin bins[BINS];
    float scale = BINS / (bounds[1] - bounds[0]) * 0.9999f;
    if (!(bounds[1] > bounds[0]) || !isfinite(scale))
        return;
    for (int k = 0; k < BINS; k++) {
        clear(bins[k].low, bins[k].high);
        bins[k].count = 0;
    }
    for (uint32_t i = node->begin; i < node->begin + node->count; i++) {
        const Item *item = &b->items[i];
        Bin *bin = &bins[bin_of(center(item, axis), bounds[0], scale)];
        grow(bin->low, bin->high, item->low, item->high);
        bin->count++;
    }
    float right_cost[BINS], low[3], high[3];
    uint32_t count = 0;
    clear(low, high);
    for (int k = BINS - 1; k > 0; k--) {
        grow(low, high, bins[k].low, bins[k].high);
        count += bins[k].count;
        right_cost[k] = half_area(low, high) * (float)count;
    }
    clear(low, high);
    count = 0;
    for (int k = 0; k < BINS - 1; k++) {
        grow(low, high, bins[k].low, bins[k].high);
        count += bins[k].count;
        float cost = half_area(low, high) * (float)count + right_cost[k + 1];
        if (count > 0 && count < node->count && cost < best->cost)
            *best = (Split){axis, k, bounds[0], scale, cost};
    }
}

/* Left items first; their number. Without a split (all centres are equal) half go to each side. */
static uint32_t divide(Build *b, const Binary *node, const Split *split)
{
    Item *items = b->items + node->begin;
    if (split->cost == INFINITY)
        return node->count / 2;
    uint32_t left = 0, right = node->count;
    while (left < right) {
        if (bin_of(center(&items[left], split->axis), split->low, split->scale) <= split->bin) {
            left++;
        } else {
            Item swap = items[left];
            items[left] = items[--right];
            items[right] = swap;
        }
    }
    return left;
}

static void bound_node(const Build *b, Binary *node, float centers[3][2])
{
    clear(node->low, node->high);
    for (int k = 0; k < 3; k++) {
        centers[k][0] = INFINITY;
        centers[k][1] = -INFINITY;
    }
    for (uint32_t i = node->begin; i < node->begin + node->count; i++) {
        const Item *item = &b->items[i];
        grow(node->low, node->high, item->low, item->high);
        for (int k = 0; k < 3; k++) {
            float c = center(item, k);
            centers[k][0] = c < centers[k][0] ? c : centers[k][0];
            centers[k][1] = c > centers[k][1] ? c : centers[k][1];
        }
    }
}

/* Divides a node whose range is set; false: it is a leaf. */
static bool divide_node(Build *b, uint32_t index, uint32_t depth)
{
    Binary *node = &b->binary[index];
    float centers[3][2];
    bound_node(b, node, centers);
    node->right = 0;
    if (node->count <= LEAF)
        return false;
    Split split = {.cost = INFINITY};
    for (int axis = 0; axis < 3 && depth < SPLITS; axis++)
        find_split(b, node, axis, centers[axis], &split);
    uint32_t left = divide(b, node, &split);
    node->right = index + 2 * left;
    b->binary[index + 1] = (Binary){.begin = node->begin, .count = left};
    b->binary[node->right] = (Binary){.begin = node->begin + left, .count = node->count - left};
    return true;
}

static void build_below(Build *b, uint32_t node, uint32_t depth)
{
    if (!divide_node(b, node, depth))
        return;
    build_below(b, node + 1, depth + 1);
    build_below(b, b->binary[node].right, depth + 1);
}

/* Divides large nodes at once and leaves the subtrees to tasks. */
static void plan(Build *b, uint32_t node, uint32_t depth)
{
    const Binary *at = &b->binary[node];
    if (depth > 12 || b->task_count >= TASKS - 16 || at->count <= SMALL ||
        at->count <= b->count / 32) {
        if (b->task_count < TASKS)
            b->tasks[b->task_count++] = (Task){node, depth};
        else
            build_below(b, node, depth);
        return;
    }
    divide_node(b, node, depth);
    plan(b, node + 1, depth + 1);
    plan(b, b->binary[node].right, depth + 1);
}

static void task_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)end;
    (void)chunk;
    Build *b = argument;
    build_below(b, b->tasks[begin].node, b->tasks[begin].depth);
}

/* --- Eight children per node. --- */

static uint32_t emit_leaf(Build *b, uint32_t node)
{
    const Binary *leaf = &b->binary[node];
    uint32_t groups[2] = {0, 0};
    for (uint32_t i = leaf->begin; i < leaf->begin + leaf->count; i++)
        groups[b->items[i].group]++;
    uint32_t blocks = (groups[0] > 0) + (groups[1] > 0), first = (uint32_t)b->block_count;
    for (uint32_t k = 0; k < blocks; k++)
        b->leaves[b->block_count++] = k == 0 ? node : UINT32_MAX;
    return SL_BVH_LEAF | first << 2 | (blocks - 1);
}

static uint32_t emit(Build *b, uint32_t node)
{
    if (b->binary[node].right == 0)
        return emit_leaf(b, node);
    uint32_t child[SL_BVH_WIDTH] = {node + 1, b->binary[node].right}, count = 2;
    while (count < SL_BVH_WIDTH) { /* opens the largest */
        int widest = -1;
        float area = -1;
        for (uint32_t k = 0; k < count; k++) {
            const Binary *at = &b->binary[child[k]];
            float own = half_area(at->low, at->high);
            if (at->right != 0 && own > area) {
                area = own;
                widest = (int)k;
            }
        }
        if (widest < 0)
            break;
        uint32_t opened = child[widest];
        child[widest] = opened + 1;
        child[count++] = b->binary[opened].right;
    }
    uint32_t self = (uint32_t)b->node_count++;
    for (uint32_t k = 0; k < SL_BVH_WIDTH; k++) {
        for (int axis = 0; axis < 3; axis++) {
            b->nodes[self].bounds[axis][k] = k < count ? b->binary[child[k]].low[axis] : INFINITY;
            b->nodes[self].bounds[axis + 3][k] = k < count ? b->binary[child[k]].high[axis] : -INFINITY;
        }
        uint32_t below = k < count ? emit(b, child[k]) : SL_BVH_EMPTY;
        b->nodes[self].child[k] = below;
    }
    return self;
}

static void fill_lane(Build *b, size_t block, uint32_t lane, const Item *item)
{
    const SlGeometry *g = b->geometry;
    SlBvhBlock *out = &b->blocks[block];
    SlBvhMotion *move = b->motion != NULL ? &b->motion[block] : NULL;
    out->id[lane] = item->id;
    if (item->group == 1) {
        size_t sphere = item->id - g->triangle_count;
        for (size_t k = 0; k < 4; k++)
            out->at[k][lane] = g->spheres[4 * sphere + k];
        out->mask[lane] = g->sphere_class[sphere];
        for (size_t k = 0; k < 3 && move != NULL && g->sphere_motion != NULL; k++)
            move->at[k][lane] = g->sphere_motion[3 * sphere + k];
        return;
    }
    out->mask[lane] = g->triangle_class[item->id];
    for (size_t k = 0; k < 9; k++) {
        size_t at = 3 * (size_t)g->triangles[3 * (size_t)item->id + k / 3] + k % 3;
        out->at[k][lane] = g->positions[at];
        if (move != NULL && g->motion != NULL)
            move->at[k][lane] = g->motion[at];
    }
}

static void fill_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Build *b = argument;
    for (size_t first = begin; first < end; first++) {
        if (b->leaves[first] == UINT32_MAX)
            continue;
        const Binary *leaf = &b->binary[b->leaves[first]];
        size_t block = first;
        for (uint32_t group = 0; group < 2; group++) {
            uint32_t lane = 0;
            for (uint32_t i = leaf->begin; i < leaf->begin + leaf->count; i++) {
                if (b->items[i].group != group)
                    continue;
                if (lane == 0) {
                    memset(&b->blocks[block], 0, sizeof b->blocks[block]);
                    if (b->motion != NULL)
                        memset(&b->motion[block], 0, sizeof b->motion[block]);
                    b->blocks[block].spheres = group;
                }
                fill_lane(b, block, lane++, &b->items[i]);
            }
            block += lane > 0;
        }
    }
}

/* --- The intersector. --- */

static SlStatus build(void *memory, SlContext *context, const SlGeometry *geometry, SlError *error)
{
    State *state = memory;
    size_t count = geometry->triangle_count + geometry->sphere_count;
    bool moves = geometry->motion != NULL || geometry->sphere_motion != NULL;
    state->context = context;
    state->kernels = SL_KERNELS(context->isa, sl_bvh_kernels);
    sl_arena_init(&state->arena, &context->memory);
    state->bvh.empty = count == 0;
    if (count == 0)
        return SL_OK;
    if (count > UINT32_MAX / 8)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%zu triangles and spheres; at most %u can be drawn",
                            count, UINT32_MAX / 8);
    SlArena scratch;
    sl_arena_init(&scratch, &context->memory);
    Build b = {.geometry = geometry, .count = count};
    b.items = SL_PUSH(&scratch, Item, count);
    b.binary = SL_PUSH(&scratch, Binary, 2 * count);
    b.leaves = SL_PUSH(&scratch, uint32_t, count + 1);
    bool ready = b.items != NULL && b.binary != NULL && b.leaves != NULL;
    if (ready) {
        sl_parallel_for(context->pool, count, SL_REDUCE_CHUNK, item_chunk, &b);
        b.binary[0] = (Binary){.begin = 0, .count = (uint32_t)count};
        plan(&b, 0, 0);
        sl_parallel_for(context->pool, b.task_count, 1, task_chunk, &b);
        size_t interior = 1, leaves = 0; /* of the binary tree */
        for (uint32_t stack[128] = {0}, top = 1; top > 0;) {
            uint32_t node = stack[--top];
            if (b.binary[node].right == 0) {
                leaves++;
                continue;
            }
            interior++;
            stack[top++] = node + 1;
            stack[top++] = b.binary[node].right;
        }
        b.nodes = SL_PUSH(&state->arena, SlBvhNode, interior);
        b.blocks = SL_PUSH(&state->arena, SlBvhBlock, 2 * leaves);
        b.motion = moves ? SL_PUSH(&state->arena, SlBvhMotion, 2 * leaves) : NULL;
        ready = b.nodes != NULL && b.blocks != NULL && (!moves || b.motion != NULL);
    }
    if (ready) {
        uint32_t root = emit(&b, 0);
        if (root & SL_BVH_LEAF) { /* a tree of one leaf */
            SlBvhNode *node = &b.nodes[b.node_count++];
            for (uint32_t k = 0; k < SL_BVH_WIDTH; k++) {
                for (int axis = 0; axis < 3; axis++) {
                    node->bounds[axis][k] = k == 0 ? b.binary[0].low[axis] : INFINITY;
                    node->bounds[axis + 3][k] = k == 0 ? b.binary[0].high[axis] : -INFINITY;
                }
                node->child[k] = k == 0 ? root : SL_BVH_EMPTY;
            }
        }
        sl_parallel_for(context->pool, b.block_count, 64, fill_chunk, &b);
        state->bvh.nodes = b.nodes;
        state->bvh.blocks = b.blocks;
        state->bvh.motion = b.motion;
        state->bvh.node_count = b.node_count;
        state->bvh.block_count = b.block_count;
    }
    sl_arena_free(&scratch);
    return ready ? SL_OK
                 : sl_error_set(error, SL_ERROR_MEMORY, "no memory for a tree of %zu primitives", count);
}

static void destroy(void *memory)
{
    State *state = memory;
    if (state->context != NULL)
        sl_arena_free(&state->arena);
}

static bool closest(const void *memory, const SlRay *ray, uint32_t mask, SlHit *hit)
{
    const State *state = memory;
    return state->kernels->closest(&state->bvh, ray, mask, hit);
}

static bool occluded(const void *memory, const SlRay *ray, uint32_t mask)
{
    const State *state = memory;
    return state->kernels->occluded(&state->bvh, ray, mask);
}

static const char *label(void)
{
    return "Sleet's tree";
}

const SlIntersectorKind sl_intersector_bvh = {
    .label = label,
    .state_bytes = sizeof(State),
    .build = build,
    .destroy = destroy,
    .closest = closest,
    .occluded = occluded,
};

SlStatus sl_intersector_create(SlContext *context, const SlIntersectorKind *kind,
                               const SlGeometry *geometry, SlIntersector *out, SlError *error)
{
    *out = (SlIntersector){.kind = kind, .context = context};
    out->state = sl_alloc_zero(&context->memory, 1, kind->state_bytes);
    if (out->state == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for rays");
    return kind->build(out->state, context, geometry, error);
}

void sl_intersector_destroy(SlIntersector *in)
{
    if (in->state == NULL)
        return;
    in->kind->destroy(in->state);
    sl_free(&in->context->memory, in->state, in->kind->state_bytes);
    in->state = NULL;
}
