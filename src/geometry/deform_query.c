/* Asking a deforming body: the equations are at the head of geometry/deform.h. */
#include "geometry/deform.h"

static SlVec3 blend(SlVec3 a, SlVec3 b, float s)
{
    return sl_add(sl_scale(a, 1 - s), sl_scale(b, s));
}

/* What the surface near a point does, interpolated from the nodes of the point's cell. */
static SlDeformFlow flow_at(const SlDeformEnd *end, SlVec3 point)
{
    SlSdfCell cell;
    if (!sl_sdf_find_cell(end->field, point, &cell))
        return end->mean;
    const SlDeformFlow *n = end->flow + (size_t)cell.block * SL_BLOCK_STRIDE +
                            sl_block_node(cell.local[0], cell.local[1], cell.local[2]);
    SlDeformFlow sum = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 8; k++) {
        int i = k & 1, j = k >> 1 & 1, l = k >> 2;
        float u = i != 0 ? cell.f[0] : 1 - cell.f[0], v = j != 0 ? cell.f[1] : 1 - cell.f[1],
              w = l != 0 ? cell.f[2] : 1 - cell.f[2], share = u * v * w;
        const SlDeformFlow *node = n + sl_block_node(i, j, l);
        sum.way = sl_add(sum.way, sl_scale(node->way, share));
        sum.velocity = sl_add(sum.velocity, sl_scale(node->velocity, share));
    }
    return sum;
}

float sl_deform_distance(const SlDeform *d, SlVec3 point, float reach, SlVec3 *gradient,
                         SlVec3 *velocity)
{
    *velocity = sl_vec3(0, 0, 0);
    if (!d->moving)
        return sl_sdf_distance_within(d->ends[0].field, point, reach, gradient);
    const SlDeformEnd *low = &d->ends[0], *high = &d->ends[1];
    float s = d->share;
    SlDeformFlow a = flow_at(low, point), b = flow_at(high, point);
    SlVec3 way = blend(a.way, b.way, s);
    a = flow_at(low, sl_sub(point, sl_scale(way, s)));
    b = flow_at(high, sl_add(point, sl_scale(way, 1 - s)));
    way = blend(a.way, b.way, s);
    SlVec3 was = sl_sub(point, sl_scale(way, s)), will_be = sl_add(point, sl_scale(way, 1 - s));
    SlVec3 g, h;
    float from = sl_sdf_distance_within(low->field, was, reach, &g);
    /* The blend is beyond reach for sure only if both are; if one is not, both must be exact. */
    float to = sl_sdf_distance_within(high->field, will_be, from > reach ? reach : INFINITY, &h);
    if (from > reach && !(to > reach))
        from = sl_sdf_distance(low->field, was, &g);
    *gradient = blend(g, h, s);
    *velocity = blend(a.velocity, b.velocity, s);
    return (1 - s) * from + s * to;
}
