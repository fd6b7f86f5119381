/* Nearest point, and all triangles near a point, by depth-first walks of the tree. */
#include "geometry/bvh.h"

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
