/* Blends by the polynomial smooth minimum (Quilez, "smooth minimum", quadratic form):
   with t = max(k - |a - b|, 0) / k, smin = min(a, b) - k t^2 / 4. Its gradient is the mix of the
   two with weights t/2 and 1 - t/2, so it is continuous. Subtraction is intersection with the
   complement, intersection the union of complements turned inside out. */
#include "geometry/blend.h"

#include <string.h>

#include "core/error.h"

typedef struct Value {
    float distance;
    SlVec3 gradient;
} Value;

void sl_blend_init(SlBlend *blend)
{
    memset(blend, 0, sizeof *blend);
}

bool sl_blend_stretched(SlBlend *blend, SlShape shape, SlVec3 stretch, const char **reason)
{
    if (!sl_shape_prepare(&shape, reason))
        return false;
    if (!(sl_finite(stretch) && stretch.x > 0 && stretch.y > 0 && stretch.z > 0))
        *reason = "stretch must be above 0";
    else if (blend->count == SL_BLEND_MAX)
        *reason = "too many parts in a blend";
    else if (blend->depth == SL_BLEND_DEPTH)
        *reason = "too many parts wait to be joined";
    else
        blend->nodes[blend->count++] =
            (SlBlendNode){.kind = SL_BLEND_LEAF, .shape = shape, .stretch = stretch};
    blend->depth += *reason == NULL;
    return *reason == NULL;
}

bool sl_blend_shape(SlBlend *blend, SlShape shape, const char **reason)
{
    return sl_blend_stretched(blend, shape, sl_vec3(1, 1, 1), reason);
}

bool sl_blend_join(SlBlend *blend, SlBlendKind kind, float radius, const char **reason)
{
    uint32_t needed = kind == SL_BLEND_ROUND ? 1 : 2;
    *reason = NULL;
    if (kind == SL_BLEND_LEAF || (unsigned)kind > SL_BLEND_ROUND)
        *reason = "unknown kind of blend";
    else if (!(radius >= 0 && isfinite(radius)))
        *reason = "the radius of a blend must be 0 or more";
    else if (blend->depth < needed)
        *reason = "a blend needs parts before it";
    else if (blend->count == SL_BLEND_MAX)
        *reason = "too many parts in a blend";
    else
        blend->nodes[blend->count++] = (SlBlendNode){.kind = kind, .radius = radius};
    if (*reason == NULL)
        blend->depth -= needed - 1;
    return *reason == NULL;
}

/* In the unstretched space lengths are shorter by at most the least stretch. */
static Value leaf_value(const SlBlendNode *node, SlVec3 point)
{
    Value v;
    SlVec3 s = node->stretch, c = node->shape.center, q = sl_sub(point, c);
    float least = s.x < s.y ? s.x : s.y;
    least = s.z < least ? s.z : least;
    SlVec3 p = sl_add(c, sl_vec3(q.x / s.x, q.y / s.y, q.z / s.z));
    v.distance = least * sl_shape_distance(&node->shape, p, &v.gradient);
    v.gradient = sl_vec3(least * v.gradient.x / s.x, least * v.gradient.y / s.y,
                         least * v.gradient.z / s.z);
    return v;
}

static Value smooth_min(Value a, Value b, float k)
{
    Value low = b.distance < a.distance ? b : a, high = b.distance < a.distance ? a : b;
    float apart = high.distance - low.distance;
    if (apart >= k)
        return low;
    float t = (k - apart) / k, weight = 0.5f * t;
    low.distance -= 0.25f * k * t * t;
    low.gradient = sl_add(sl_scale(low.gradient, 1 - weight), sl_scale(high.gradient, weight));
    return low;
}

static Value turned(Value v)
{
    return (Value){-v.distance, sl_scale(v.gradient, -1)};
}

static Value joined(const SlBlendNode *node, Value a, Value b)
{
    switch (node->kind) {
    case SL_BLEND_SUBTRACT: return turned(smooth_min(turned(a), b, node->radius));
    case SL_BLEND_INTERSECT: return turned(smooth_min(turned(a), turned(b), node->radius));
    default: return smooth_min(a, b, node->radius);
    }
}

float sl_blend_distance(const SlBlend *blend, SlVec3 point, SlVec3 *gradient)
{
    Value stack[SL_BLEND_DEPTH];
    uint32_t depth = 0;
    SL_ASSERT(blend->depth == 1);
    for (uint32_t k = 0; k < blend->count; k++) {
        const SlBlendNode *node = &blend->nodes[k];
        if (node->kind == SL_BLEND_LEAF) {
            stack[depth++] = leaf_value(node, point);
        } else if (node->kind == SL_BLEND_ROUND) {
            stack[depth - 1].distance -= node->radius;
        } else {
            stack[depth - 2] = joined(node, stack[depth - 2], stack[depth - 1]);
            depth--;
        }
    }
    if (gradient != NULL)
        *gradient = stack[0].gradient;
    return stack[0].distance;
}

static SlBox grown(SlBox box, float by)
{
    SlVec3 r = {by, by, by};
    return (SlBox){sl_sub(box.min, r), sl_add(box.max, r)};
}

static SlBox leaf_bounds(const SlBlendNode *node)
{
    SlBox box = sl_shape_bounds(&node->shape);
    SlVec3 c = node->shape.center, s = node->stretch;
    SlVec3 low = sl_sub(box.min, c), high = sl_sub(box.max, c);
    return (SlBox){sl_add(c, sl_vec3(low.x * s.x, low.y * s.y, low.z * s.z)),
                   sl_add(c, sl_vec3(high.x * s.x, high.y * s.y, high.z * s.z))};
}

/* A smooth union bulges at the seam by at most a quarter of its radius in value; `ratio` is how
   much farther than its value a stretched leaf may be. */
static SlBox joined_bounds(const SlBlendNode *node, SlBox a, SlBox b, float ratio)
{
    SlBox box = a;
    if (node->kind == SL_BLEND_UNION) {
        box.min = sl_vec3(fminf(a.min.x, b.min.x), fminf(a.min.y, b.min.y),
                          fminf(a.min.z, b.min.z));
        box.max = sl_vec3(fmaxf(a.max.x, b.max.x), fmaxf(a.max.y, b.max.y),
                          fmaxf(a.max.z, b.max.z));
        return grown(box, 0.25f * ratio * node->radius);
    }
    if (node->kind == SL_BLEND_INTERSECT) {
        box.min = sl_vec3(fmaxf(a.min.x, b.min.x), fmaxf(a.min.y, b.min.y),
                          fmaxf(a.min.z, b.min.z));
        box.max = sl_vec3(fminf(a.max.x, b.max.x), fminf(a.max.y, b.max.y),
                          fminf(a.max.z, b.max.z));
    }
    return box;
}

static float stretch_ratio(const SlBlend *blend)
{
    float ratio = 1;
    for (uint32_t k = 0; k < blend->count; k++) {
        SlVec3 s = blend->nodes[k].stretch;
        if (blend->nodes[k].kind == SL_BLEND_LEAF)
            ratio = fmaxf(ratio, fmaxf(s.x, fmaxf(s.y, s.z)) / fminf(s.x, fminf(s.y, s.z)));
    }
    return ratio;
}

SlBox sl_blend_bounds(const SlBlend *blend)
{
    SlBox stack[SL_BLEND_DEPTH];
    uint32_t depth = 0;
    float ratio = stretch_ratio(blend);
    SL_ASSERT(blend->depth == 1);
    for (uint32_t k = 0; k < blend->count; k++) {
        const SlBlendNode *node = &blend->nodes[k];
        if (node->kind == SL_BLEND_LEAF) {
            stack[depth++] = leaf_bounds(node);
        } else if (node->kind == SL_BLEND_ROUND) {
            stack[depth - 1] = grown(stack[depth - 1], ratio * node->radius);
        } else {
            stack[depth - 2] = joined_bounds(node, stack[depth - 2], stack[depth - 1], ratio);
            depth--;
        }
    }
    return stack[0];
}
