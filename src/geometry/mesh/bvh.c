/* Builds the tree top down by binned surface-area splits [Wald 2007]. One thread: a million triangles take about a second,
   less than what is then asked of the tree, and the tree does not depend on threads. */
#include "geometry/mesh/bvh.h"

#include <string.h>

enum { LEAF = 4, BINS = 16, SAH_DEPTH = 40, MAX_DEPTH = 96 };

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

/* The last bin of the left half, where area times count of both halves is smallest. */
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
    Task stack[MAX_DEPTH];
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

/* --- Nearest point, and all triangles near a point, by depth-first walks of the tree. --- */

static bool closest_in_leaf(const SlBvh *bvh, const SlBvhNode *leaf, SlD3 p, SlBvhHit *hit)
{
    bool found = false;
    for (uint32_t place = leaf->first; place < leaf->first + leaf->count; place++) {
        SlTriangle t = sl_bvh_triangle(bvh, place);
        SlD3 point = sl_triangle_nearest(&t, p), away = sl_d3_sub(p, point);
        double d2 = sl_d3_dot(away, away);
        if (d2 <= hit->distance2) {
            if (d2 < hit->distance2 || !found)
                *hit = (SlBvhHit){place, d2, point};
            found = true;
        }
    }
    return found;
}

double sl_bvh_distance_to(const SlBvh *bvh, uint32_t place, SlD3 point)
{
    SlTriangle t = sl_bvh_triangle(bvh, place);
    return sl_d3_length(sl_d3_sub(point, sl_triangle_nearest(&t, point)));
}

bool sl_bvh_closest(const SlBvh *bvh, SlD3 point, double radius, SlBvhHit *hit)
{
    struct {
        uint32_t node;
        double distance2;
    } stack[SL_BVH_STACK];
    uint32_t depth = 0;
    bool found = false;
    hit->distance2 = radius * radius;
    if (bvh->node_count > 0) {
        stack[depth].node = 0;
        stack[depth++].distance2 = sl_bvh_box_distance2(&bvh->nodes[0], point);
    }
    while (depth > 0) {
        depth--;
        if (stack[depth].distance2 > hit->distance2)
            continue;
        const SlBvhNode *node = &bvh->nodes[stack[depth].node];
        if (node->count > 0) {
            found |= closest_in_leaf(bvh, node, point, hit);
            continue;
        }
        /* The nearer child goes on top: what it finds may spare the other. */
        double left = sl_bvh_box_distance2(&bvh->nodes[node->first], point);
        double right = sl_bvh_box_distance2(&bvh->nodes[node->first + 1], point);
        uint32_t left_on_top = left <= right;
        stack[depth].node = node->first + left_on_top;
        stack[depth++].distance2 = left_on_top ? right : left;
        stack[depth].node = node->first + !left_on_top;
        stack[depth++].distance2 = left_on_top ? left : right;
    }
    return found;
}

size_t sl_bvh_within(const SlBvh *bvh, SlD3 point, double radius, uint32_t *places, size_t room)
{
    uint32_t stack[SL_BVH_STACK], depth = 0;
    size_t count = 0;
    double radius2 = radius * radius;
    if (bvh->node_count > 0)
        stack[depth++] = 0;
    while (depth > 0) {
        const SlBvhNode *node = &bvh->nodes[stack[--depth]];
        if (sl_bvh_box_distance2(node, point) > radius2)
            continue;
        if (node->count == 0) {
            stack[depth++] = node->first + 1;
            stack[depth++] = node->first;
            continue;
        }
        for (uint32_t place = node->first; place < node->first + node->count; place++) {
            SlTriangle t = sl_bvh_triangle(bvh, place);
            SlD3 away = sl_d3_sub(point, sl_triangle_nearest(&t, point));
            if (sl_d3_dot(away, away) > radius2)
                continue;
            if (count < room)
                places[count] = place;
            count++;
        }
    }
    return count;
}

/* --- Generalised winding number by the tree [Barill 2018]: a node seen from farther than beta times its radius is
   its dipole and the term after it; nearer leaves are summed exactly by solid angles. --- */

/* beta of the paper, which recommends 2 with this order of expansion. */
#define ACCURACY 2.0
#define FOUR_PI 12.566370614359172

enum { STACK = 128 };

/* Sums of one subtree about the origin of the mesh's coordinates. */
typedef struct Sums {
    double area, first[3], normal[3];
} Sums;

static void triangle_sums(const SlTriangle *t, SlD3 *center, SlD3 *normal, double *area)
{
    SlD3 area2 = sl_triangle_area2(t);
    *area = 0.5 * sl_d3_length(area2);
    *normal = sl_d3(0.5 * area2.x, 0.5 * area2.y, 0.5 * area2.z);
    *center = sl_d3((t->a.x + t->b.x + t->c.x) / 3, (t->a.y + t->b.y + t->c.y) / 3,
                    (t->a.z + t->b.z + t->c.z) / 3);
}

/* spread += offset normal^T. */
static void add_outer(double *spread, SlD3 offset, SlD3 normal)
{
    const double o[3] = {offset.x, offset.y, offset.z}, n[3] = {normal.x, normal.y, normal.z};
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            spread[3 * a + b] += o[a] * n[b];
}

/* The farthest corner of the node's box: an upper bound of the triangles' radius. */
static double box_radius(const SlBvhNode *node, SlD3 c)
{
    SlD3 far = {fmax(c.x - (double)node->min[0], (double)node->max[0] - c.x),
                fmax(c.y - (double)node->min[1], (double)node->max[1] - c.y),
                fmax(c.z - (double)node->min[2], (double)node->max[2] - c.z)};
    return sl_d3_length(far);
}

static SlD3 center_of(const SlBvhNode *node, const Sums *s)
{
    if (s->area > 0)
        return sl_d3(s->first[0] / s->area, s->first[1] / s->area, s->first[2] / s->area);
    return sl_d3(0.5 * ((double)node->min[0] + (double)node->max[0]),
                 0.5 * ((double)node->min[1] + (double)node->max[1]),
                 0.5 * ((double)node->min[2] + (double)node->max[2]));
}

static Sums leaf_sums(const SlBvh *bvh, const SlBvhNode *leaf)
{
    Sums s = {0};
    for (uint32_t place = leaf->first; place < leaf->first + leaf->count; place++) {
        SlTriangle t = sl_bvh_triangle(bvh, place);
        SlD3 center, normal;
        double area;
        triangle_sums(&t, &center, &normal, &area);
        const double c[3] = {center.x, center.y, center.z}, n[3] = {normal.x, normal.y, normal.z};
        s.area += area;
        for (int k = 0; k < 3; k++) {
            s.first[k] += area * c[k];
            s.normal[k] += n[k];
        }
    }
    return s;
}

static void leaf_spread(const SlBvh *bvh, const SlBvhNode *leaf, SlD3 about, double *spread)
{
    for (uint32_t place = leaf->first; place < leaf->first + leaf->count; place++) {
        SlTriangle t = sl_bvh_triangle(bvh, place);
        SlD3 center, normal;
        double area;
        triangle_sums(&t, &center, &normal, &area);
        add_outer(spread, sl_d3_sub(center, about), normal);
    }
}

static void child_spread(const SlBvhMoments *child, SlD3 about, double *spread)
{
    SlD3 center = {(double)child->center[0], (double)child->center[1], (double)child->center[2]};
    SlD3 normal = {(double)child->normal[0], (double)child->normal[1], (double)child->normal[2]};
    add_outer(spread, sl_d3_sub(center, about), normal);
    for (int k = 0; k < 9; k++)
        spread[k] += (double)child->spread[k];
}

void sl_bvh_fill_moments(SlBvh *bvh)
{
    /* Children stand behind their parents, so backwards is bottom up. Until its parent has read
       it, `radius` holds the node's area. */
    for (size_t k = bvh->node_count; k-- > 0;) {
        const SlBvhNode *node = &bvh->nodes[k];
        SlBvhMoments *m = &bvh->moments[k];
        Sums s = {0};
        if (node->count > 0)
            s = leaf_sums(bvh, node);
        for (uint32_t side = 0; node->count == 0 && side < 2; side++) {
            const SlBvhMoments *child = &bvh->moments[node->first + side];
            s.area += (double)child->radius;
            for (int a = 0; a < 3; a++) {
                s.first[a] += (double)child->radius * (double)child->center[a];
                s.normal[a] += (double)child->normal[a];
            }
        }
        SlVec3 rounded = sl_d3_float(center_of(node, &s));
        SlD3 center = sl_d3_from(rounded);
        double spread[9] = {0};
        if (node->count > 0) {
            leaf_spread(bvh, node, center, spread);
        } else {
            child_spread(&bvh->moments[node->first], center, spread);
            child_spread(&bvh->moments[node->first + 1], center, spread);
        }
        memcpy(m->center, &rounded, sizeof m->center);
        m->radius = (float)s.area;
        for (int a = 0; a < 3; a++)
            m->normal[a] = (float)s.normal[a];
        for (int a = 0; a < 9; a++)
            m->spread[a] = (float)spread[a];
    }
    for (size_t k = 0; k < bvh->node_count; k++) {
        SlBvhMoments *m = &bvh->moments[k];
        SlD3 center = {(double)m->center[0], (double)m->center[1], (double)m->center[2]};
        m->radius = (float)box_radius(&bvh->nodes[k], center);
    }
}

/* Dipole n.d / |d|^3 and the next term of the Taylor series about the centre. */
static double far_angle(const SlBvhMoments *m, SlD3 d, double d2)
{
    double length = sqrt(d2), d3 = d2 * length;
    const float *s = m->spread;
    double dipole =
        (double)m->normal[0] * d.x + (double)m->normal[1] * d.y + (double)m->normal[2] * d.z;
    double trace = (double)s[0] + (double)s[4] + (double)s[8];
    double quadratic = d.x * ((double)s[0] * d.x + (double)s[1] * d.y + (double)s[2] * d.z) +
                       d.y * ((double)s[3] * d.x + (double)s[4] * d.y + (double)s[5] * d.z) +
                       d.z * ((double)s[6] * d.x + (double)s[7] * d.y + (double)s[8] * d.z);
    return (dipole + trace - 3 * quadratic / d2) / d3;
}

double sl_bvh_winding(const SlBvh *bvh, SlD3 point)
{
    uint32_t stack[STACK], depth = 0;
    double angle = 0;
    if (bvh->node_count > 0)
        stack[depth++] = 0;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        const SlBvhNode *node = &bvh->nodes[at];
        const SlBvhMoments *m = &bvh->moments[at];
        SlD3 d = {(double)m->center[0] - point.x, (double)m->center[1] - point.y,
                  (double)m->center[2] - point.z};
        double d2 = sl_d3_dot(d, d), reach = ACCURACY * (double)m->radius;
        if (d2 > reach * reach) {
            angle += far_angle(m, d, d2);
        } else if (node->count == 0) {
            stack[depth++] = node->first + 1;
            stack[depth++] = node->first;
        } else {
            for (uint32_t place = node->first; place < node->first + node->count; place++) {
                SlTriangle t = sl_bvh_triangle(bvh, place);
                angle += sl_triangle_solid_angle(&t, point);
            }
        }
    }
    return angle / FOUR_PI;
}
