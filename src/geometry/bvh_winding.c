/* Generalised winding number by the tree (Barill, Dickson, Schmidt, Levin, Jacobson 2018, "Fast
   winding numbers for soups and clouds"): a node seen from farther than beta times its radius is
   its dipole and the term after it; nearer leaves are summed exactly by solid angles. */
#include "geometry/bvh.h"

#include <string.h>

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
