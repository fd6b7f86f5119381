/* Builds the tree top down by binned surface-area splits (Wald 2007, "On fast construction of
   SAH-based bounding volume hierarchies"). One thread: a million triangles take about a second,
   less than what is then asked of the tree, and the tree is the same for everyone. */
#include "geometry/bvh.h"

#include <string.h>

enum { LEAF = 4, BINS = 16, SAH_DEPTH = 40, MOST_DEPTH = 96 };

typedef struct Bounds {
    float min[3], max[3];
} Bounds;

typedef struct Builder {
    SlBvh *bvh;
    Bounds *boxes;     /* by mesh triangle */
    float (*middle)[3]; /* of the boxes */
} Builder;

/* Triangles [begin, end) of the order go under `node`. */
typedef struct Task {
    uint32_t node, begin, end, depth;
} Task;

static Bounds no_bounds(void)
{
    return (Bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void grow(Bounds *box, const float *min, const float *max)
{
    for (int k = 0; k < 3; k++) {
        box->min[k] = fminf(box->min[k], min[k]);
        box->max[k] = fmaxf(box->max[k], max[k]);
    }
}

static float half_area(const Bounds *box)
{
    float x = box->max[0] - box->min[0], y = box->max[1] - box->min[1],
          z = box->max[2] - box->min[2];
    return x < 0 ? 0 : x * y + y * z + z * x;
}

static int longest_axis(const Bounds *box)
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (box->max[k] - box->min[k] > box->max[axis] - box->min[axis])
            axis = k;
    return axis;
}

static int bin_of(float x, float low, float scale)
{
    int bin = (int)((x - low) * scale);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

/* The last bin of the left half, where area times count of both halves is least. */
static int cheapest_split(const Bounds *bins, const uint32_t *counts)
{
    float right_cost[BINS];
    Bounds right = no_bounds(), left = no_bounds();
    uint32_t right_count = 0, left_count = 0;
    for (int k = BINS - 1; k > 0; k--) {
        grow(&right, bins[k].min, bins[k].max);
        right_count += counts[k];
        right_cost[k] = half_area(&right) * (float)right_count;
    }
    int best = BINS / 2 - 1;
    float least = INFINITY;
    for (int k = 0; k + 1 < BINS; k++) {
        grow(&left, bins[k].min, bins[k].max);
        left_count += counts[k];
        float cost = half_area(&left) * (float)left_count + right_cost[k + 1];
        if (left_count > 0 && cost < least) {
            least = cost;
            best = k;
        }
    }
    return best;
}

/* Reorders [begin, end) and returns where the right half begins; `begin` or `end` if this way
   gives no split. */
static uint32_t split(Builder *b, uint32_t begin, uint32_t end, const Bounds *middles)
{
    uint32_t *order = b->bvh->order, counts[BINS] = {0};
    int axis = longest_axis(middles);
    float low = middles->min[axis], extent = middles->max[axis] - low;
    if (!(extent > 0))
        return begin;
    float scale = (float)BINS / extent;
    Bounds bins[BINS];
    for (int k = 0; k < BINS; k++)
        bins[k] = no_bounds();
    for (uint32_t k = begin; k < end; k++) {
        uint32_t t = order[k];
        int bin = bin_of(b->middle[t][axis], low, scale);
        counts[bin]++;
        grow(&bins[bin], b->boxes[t].min, b->boxes[t].max);
    }
    int last = cheapest_split(bins, counts);
    uint32_t left = begin, right = end;
    while (left < right) {
        uint32_t t = order[left];
        if (bin_of(b->middle[t][axis], low, scale) <= last) {
            left++;
        } else {
            order[left] = order[--right];
            order[right] = t;
        }
    }
    return left;
}

/* Gives the node its box, and two children if it is no leaf. */
static void build_node(Builder *b, Task task, Task *stack, uint32_t *depth)
{
    SlBvh *bvh = b->bvh;
    Bounds box = no_bounds(), middles = no_bounds();
    for (uint32_t k = task.begin; k < task.end; k++) {
        uint32_t t = bvh->order[k];
        grow(&box, b->boxes[t].min, b->boxes[t].max);
        grow(&middles, b->middle[t], b->middle[t]);
    }
    SlBvhNode *node = &bvh->nodes[task.node];
    memcpy(node->min, box.min, sizeof box.min);
    memcpy(node->max, box.max, sizeof box.max);
    uint32_t count = task.end - task.begin;
    if (count <= LEAF) {
        node->first = task.begin;
        node->count = count;
        return;
    }
    /* Halves by number bound the depth where areas would peel off a few at a time. */
    uint32_t middle = task.depth < SAH_DEPTH ? split(b, task.begin, task.end, &middles) : 0;
    if (middle <= task.begin || middle >= task.end)
        middle = task.begin + count / 2;
    node->first = (uint32_t)bvh->node_count;
    node->count = 0;
    bvh->node_count += 2;
    stack[(*depth)++] = (Task){node->first + 1, middle, task.end, task.depth + 1};
    stack[(*depth)++] = (Task){node->first, task.begin, middle, task.depth + 1};
}

static void build(Builder *b)
{
    Task stack[MOST_DEPTH];
    uint32_t depth = 0;
    if (b->bvh->triangle_count == 0)
        return;
    b->bvh->node_count = 1;
    stack[depth++] = (Task){0, 0, (uint32_t)b->bvh->triangle_count, 0};
    while (depth > 0) {
        Task task = stack[--depth];
        build_node(b, task, stack, &depth);
    }
}

static void measure(Builder *b, const SlMesh *mesh)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Bounds box = no_bounds();
        for (int k = 0; k < 3; k++) {
            SlVec3 v = sl_mesh_corner(mesh, t, k);
            float p[3] = {v.x, v.y, v.z};
            grow(&box, p, p);
        }
        b->boxes[t] = box;
        for (int k = 0; k < 3; k++)
            b->middle[t][k] = 0.5f * box.min[k] + 0.5f * box.max[k];
        b->bvh->order[t] = (uint32_t)t;
    }
}

static void copy_corners(SlBvh *bvh, const SlMesh *mesh)
{
    for (size_t place = 0; place < bvh->triangle_count; place++)
        for (int k = 0; k < 3; k++) {
            SlVec3 v = sl_mesh_corner(mesh, bvh->order[place], k);
            float *to = bvh->corners + 9 * place + 3 * (size_t)k;
            to[0] = v.x;
            to[1] = v.y;
            to[2] = v.z;
        }
}

static SlStatus check_mesh(const SlMesh *mesh, SlError *error)
{
    for (size_t k = 0; k < 3 * mesh->triangle_count; k++) {
        uint32_t v = mesh->triangles[k];
        if (v >= mesh->vertex_count)
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "mesh: triangle %zu names vertex %u; there are %zu", k / 3, v,
                                mesh->vertex_count);
        if (!sl_finite(sl_mesh_vertex(mesh, v)))
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "mesh: vertex %u of triangle %zu is not finite", v, k / 3);
    }
    return SL_OK;
}

SlStatus sl_bvh_create(SlContext *context, const SlMesh *mesh, SlBvh *bvh, SlError *error)
{
    size_t n = mesh->triangle_count;
    memset(bvh, 0, sizeof *bvh);
    SlStatus status = check_mesh(mesh, error);
    if (status != SL_OK)
        return status;
    SlMemory *memory = &context->memory;
    bvh->context = context;
    bvh->triangle_count = n;
    bvh->node_room = 2 * n;
    bvh->nodes = sl_alloc(memory, bvh->node_room * sizeof *bvh->nodes);
    bvh->moments = sl_alloc(memory, bvh->node_room * sizeof *bvh->moments);
    bvh->order = sl_alloc(memory, n * sizeof *bvh->order);
    bvh->corners = sl_alloc(memory, n * 9 * sizeof(float));
    Builder b = {bvh, sl_alloc(memory, n * sizeof *b.boxes),
                 sl_alloc(memory, n * sizeof *b.middle)};
    bool room = n == 0 || (bvh->nodes != NULL && bvh->moments != NULL && bvh->order != NULL &&
                           bvh->corners != NULL && b.boxes != NULL && b.middle != NULL);
    if (room) {
        measure(&b, mesh);
        build(&b);
        copy_corners(bvh, mesh);
        sl_bvh_fill_moments(bvh);
    }
    sl_free(memory, b.boxes, n * sizeof *b.boxes);
    sl_free(memory, b.middle, n * sizeof *b.middle);
    if (room)
        return SL_OK;
    sl_bvh_destroy(bvh);
    return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a tree of %zu triangles", n);
}

void sl_bvh_destroy(SlBvh *bvh)
{
    if (bvh->context == NULL)
        return;
    SlMemory *memory = &bvh->context->memory;
    sl_free(memory, bvh->nodes, bvh->node_room * sizeof *bvh->nodes);
    sl_free(memory, bvh->moments, bvh->node_room * sizeof *bvh->moments);
    sl_free(memory, bvh->order, bvh->triangle_count * sizeof *bvh->order);
    sl_free(memory, bvh->corners, bvh->triangle_count * 9 * sizeof(float));
    memset(bvh, 0, sizeof *bvh);
}
