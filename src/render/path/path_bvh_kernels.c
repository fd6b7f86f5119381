/* Rays through the tree of bvh.h. Boxes: eight slabs tests at once. Triangles: the test of [Woop 2013],
   eight at once; its edge functions have no fused multiply-add, so that the edge of two triangles
   gives both the same value and no ray passes between them. */
#include "core/simd.h"
#include "render/path/bvh.h"

typedef struct Walk {
    F8 origin[3], inverse[3];
    int near[3], far[3]; /* rows of SlBvhNode.bounds */
    /* Triangles: axes with the largest component of the direction last, and the shear. */
    int kx, ky, kz;
    float sx, sy, sz;
    float o[3];
    const SlRay *ray;
    uint32_t mask;
} Walk;

typedef struct Entry {
    uint32_t child;
    float t;
} Entry;

static void start(Walk *w, const SlRay *ray, uint32_t mask)
{
    const float *o = &ray->origin.x, *d = &ray->direction.x;
    w->ray = ray;
    w->mask = mask;
    for (int k = 0; k < 3; k++) {
        float inverse = 1 / (fabsf(d[k]) > 1e-18f ? d[k] : copysignf(1e-18f, d[k]));
        w->origin[k] = f8(o[k]);
        w->inverse[k] = f8(inverse);
        w->near[k] = inverse >= 0 ? k : k + 3;
        w->far[k] = inverse >= 0 ? k + 3 : k;
        w->o[k] = o[k];
    }
    float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]);
    w->kz = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    w->kx = (w->kz + 1) % 3;
    w->ky = (w->kx + 1) % 3;
    if (d[w->kz] < 0) { /* keeps the orientation */
        int swap = w->kx;
        w->kx = w->ky;
        w->ky = swap;
    }
    w->sx = d[w->kx] / d[w->kz];
    w->sy = d[w->ky] / d[w->kz];
    w->sz = 1 / d[w->kz];
}

/* Children whose box the ray meets before t_max: one bit each, and where it enters. */
SL_INLINE uint32_t meet(const Walk *w, const SlBvhNode *node, float t_max, F8 *enter)
{
    F8 low = f8(0), high = f8(t_max);
    for (int k = 0; k < 3; k++) {
        F8 a = (f8_load(node->bounds[w->near[k]]) - w->origin[k]) * w->inverse[k];
        F8 b = (f8_load(node->bounds[w->far[k]]) - w->origin[k]) * w->inverse[k];
        low = f8_max(a, low);
        high = f8_min(b, high);
    }
    *enter = low;
    return i8_bits(low <= high * f8(1.0000004f));
}

typedef struct Lanes {
    F8 t, u, v;
    uint32_t hits;
} Lanes;

SL_INLINE F8 coordinate(const float *at, const float *motion, float time)
{
    return motion == NULL ? f8_load(at) : f8_fma(f8(time), f8_load(motion), f8_load(at));
}

SL_INLINE Lanes triangles(const Walk *w, const SlBvhBlock *b, const SlBvhMotion *m, float t_max)
{
    F8 x[3], y[3], z[3];
    const float time = w->ray->time;
#define ROW_(k) (b->at[k]), (m != NULL ? m->at[k] : NULL), time
    for (int k = 0; k < 3; k++) {
        F8 across = coordinate(ROW_(3 * k + w->kz)) - f8(w->o[w->kz]);
        x[k] = coordinate(ROW_(3 * k + w->kx)) - f8(w->o[w->kx]) - f8(w->sx) * across;
        y[k] = coordinate(ROW_(3 * k + w->ky)) - f8(w->o[w->ky]) - f8(w->sy) * across;
        z[k] = f8(w->sz) * across;
    }
#undef ROW_
    F8 e0 = x[2] * y[1] - y[2] * x[1];
    F8 e1 = x[0] * y[2] - y[0] * x[2];
    F8 e2 = x[1] * y[0] - y[1] * x[0];
    F8 zero = f8(0), det = e0 + e1 + e2;
    F8 inverse = f8(1) / det;
    F8 t = (e0 * z[0] + e1 * z[1] + e2 * z[2]) * inverse;
    I8 inside = ((e0 >= zero) & (e1 >= zero) & (e2 >= zero)) |
                ((e0 <= zero) & (e1 <= zero) & (e2 <= zero));
    I8 valid = (I8)((u8_load(b->mask) & u8(w->mask)) != u8(0));
    I8 hit = inside & (det != zero) & (t > zero) & (t <= f8(t_max)) & valid;
    return (Lanes){t, e1 * inverse, e2 * inverse, i8_bits(hit)};
}

SL_INLINE Lanes balls(const Walk *w, const SlBvhBlock *b, const SlBvhMotion *m, float t_max)
{
    F8 c[3], along = f8(0), off = f8(0);
    const float *d = &w->ray->direction.x;
    for (int k = 0; k < 3; k++) {
        c[k] = coordinate(b->at[k], m != NULL ? m->at[k] : NULL, w->ray->time) - w->origin[k];
        along = f8_fma(c[k], f8(d[k]), along);
    }
    for (int k = 0; k < 3; k++) {
        F8 across = f8_fnma(along, f8(d[k]), c[k]);
        off = f8_fma(across, across, off);
    }
    F8 r = f8_load(b->at[3]), square = r * r - off;
    F8 half = f8_sqrt(f8_max(square, f8(0)));
    F8 first = along - half, second = along + half;
    F8 t = f8_select(first > f8(0), first, second);
    I8 valid = (I8)((u8_load(b->mask) & u8(w->mask)) != u8(0));
    I8 hit = (square >= f8(0)) & (t > f8(0)) & (t <= f8(t_max)) & valid;
    return (Lanes){t, f8(0), f8(0), i8_bits(hit)};
}

SL_INLINE Lanes block_hits(const Walk *w, const SlBvh *bvh, size_t block, float t_max)
{
    const SlBvhMotion *motion = bvh->motion != NULL ? bvh->motion + block : NULL;
    const SlBvhBlock *b = bvh->blocks + block;
    return b->spheres ? balls(w, b, motion, t_max) : triangles(w, b, motion, t_max);
}

static void take_nearest(const Walk *w, const SlBvh *bvh, uint32_t child, SlHit *hit)
{
    size_t first = (child & ~SL_BVH_LEAF) >> 2, count = (child & 3) + 1;
    for (size_t block = first; block < first + count; block++) {
        Lanes lanes = block_hits(w, bvh, block, hit->t);
        for (uint32_t bits = lanes.hits; bits != 0; bits &= bits - 1) {
            int k = __builtin_ctz(bits);
            float t = lanes.t[k];
            uint32_t id = bvh->blocks[block].id[k];
            if (t < hit->t || (t == hit->t && id < hit->primitive))
                *hit = (SlHit){t, lanes.u[k], lanes.v[k], id};
        }
    }
}

/* Pushes the children that were met, the nearest last. */
SL_INLINE int push(Entry *stack, int top, const SlBvhNode *node, uint32_t bits, F8 enter)
{
    int base = top;
    for (; bits != 0; bits &= bits - 1) {
        int k = __builtin_ctz(bits);
        Entry entry = {node->child[k], enter[k]};
        int at = top++;
        while (at > base && stack[at - 1].t < entry.t) {
            stack[at] = stack[at - 1];
            at--;
        }
        stack[at] = entry;
    }
    return top;
}

static bool closest(const SlBvh *bvh, const SlRay *ray, uint32_t mask, SlHit *hit)
{
    Walk w;
    Entry stack[SL_BVH_STACK];
    int top = 0;
    *hit = (SlHit){ray->t_max, 0, 0, SL_NO_PRIMITIVE};
    if (bvh->empty)
        return false;
    start(&w, ray, mask);
    stack[top++] = (Entry){0, 0};
    while (top > 0) {
        Entry entry = stack[--top];
        if (entry.t > hit->t)
            continue;
        if (entry.child & SL_BVH_LEAF) {
            take_nearest(&w, bvh, entry.child, hit);
            continue;
        }
        F8 enter;
        const SlBvhNode *node = bvh->nodes + entry.child;
        uint32_t bits = meet(&w, node, hit->t, &enter);
        top = push(stack, top, node, bits, enter);
    }
    return hit->primitive != SL_NO_PRIMITIVE;
}

static bool occluded(const SlBvh *bvh, const SlRay *ray, uint32_t mask)
{
    Walk w;
    uint32_t stack[SL_BVH_STACK];
    int top = 0;
    if (bvh->empty)
        return false;
    start(&w, ray, mask);
    stack[top++] = 0;
    while (top > 0) {
        uint32_t child = stack[--top];
        if (child & SL_BVH_LEAF) {
            size_t first = (child & ~SL_BVH_LEAF) >> 2, count = (child & 3) + 1;
            for (size_t block = first; block < first + count; block++)
                if (block_hits(&w, bvh, block, ray->t_max).hits != 0)
                    return true;
            continue;
        }
        F8 enter;
        const SlBvhNode *node = bvh->nodes + child;
        for (uint32_t bits = meet(&w, node, ray->t_max, &enter); bits != 0; bits &= bits - 1)
            stack[top++] = node->child[__builtin_ctz(bits)];
    }
    return false;
}

SL_KERNEL_TABLE(SlBvhKernels, sl_bvh_kernels) = {closest, occluded};
