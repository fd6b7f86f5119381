/* Is a mesh closed? Edges are sorted by their two vertices; each must be walked as often one way as
   the other. Vertices are told apart by number: a mesh whose triangles share none counts as open,
   which costs time when its field is built, and nothing else. */
#include "geometry/sdf_build.h"

#include <stdlib.h>

typedef struct Edge {
    uint32_t low, high;
    int32_t turn; /* +1 from low to high, -1 back */
} Edge;

static int compare(const void *a, const void *b)
{
    const Edge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return p->high < q->high ? -1 : p->high > q->high;
}

static bool all_cancel(const Edge *edges, size_t count)
{
    int64_t sum = 0;
    for (size_t k = 0; k < count; k++) {
        bool next = k > 0 && compare(&edges[k - 1], &edges[k]) != 0;
        if (next && sum != 0)
            return false;
        sum += edges[k].turn;
    }
    return sum == 0;
}

bool sl_sdf_mesh_closed(SlContext *context, const SlMesh *mesh)
{
    size_t count = 0, bytes = 3 * mesh->triangle_count * sizeof(Edge);
    Edge *edges = sl_alloc(&context->memory, bytes);
    if (edges == NULL)
        return false;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            uint32_t a = mesh->triangles[3 * t + (size_t)k];
            uint32_t b = mesh->triangles[3 * t + (size_t)((k + 1) % 3)];
            if (a != b)
                edges[count++] = a < b ? (Edge){a, b, 1} : (Edge){b, a, -1};
        }
    qsort(edges, count, sizeof *edges, compare);
    bool closed = all_cancel(edges, count);
    sl_free(&context->memory, edges, bytes);
    return closed;
}
