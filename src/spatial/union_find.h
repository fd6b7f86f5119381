/* Disjoint sets in an array: parent[i] is i for a root, else an element nearer to the root. The root of a set is
   its smallest element, whatever the order of the unions. */
#ifndef SPATIAL_UNION_FIND_H
#define SPATIAL_UNION_FIND_H

#include <stdint.h>

/* With path halving. */
static inline uint32_t sl_find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static inline void sl_unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = sl_find_root(parent, a);
    b = sl_find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif
