/* The table of marching cubes [Lorensen 1987], derived from one rule for the faces of a cell, so that
   cells agree on the face they share whatever lies beside it [Montani 1994]:

   on each face, every run of neighbouring corners inside is cut off by one segment. Where two opposite
   corners are inside, that is two segments, which keep the water apart.

   Going round each face counter-clockwise as seen from outside the cell, a segment leads from the edge
   on which the round enters the water to the edge on which it leaves. An edge is entered on one of its
   two faces and left on the other, so that the segments form closed loops, all with the air on the same
   side. Each loop is cut into triangles.

   The mesh is manifold if no triangle of this cell has an edge inside a face where the neighbouring
   cell has one too: a chord that joins two edges of one face is avoided. There is a way without
   such chords in all 256 cases; cut_loop asserts it. */
#include <string.h>

#include "core/error.h"
#include "filters/surface/surface.h"

enum { EDGES = 12, NO_EDGE = 255 };

uint32_t surface_edge_corner(uint32_t edge)
{
    uint32_t k = edge & 3;
    switch (edge >> 2) {
    case 0: return (k & 1) << 1 | (k >> 1) << 2;
    case 1: return (k & 1) | (k >> 1) << 2;
    default: return k;
    }
}

/* The edge between two corners that differ in one bit. */
static uint32_t edge_between(uint32_t a, uint32_t b)
{
    uint32_t bit = a ^ b, axis = bit == 1 ? 0 : bit == 2 ? 1 : 2;
    for (uint32_t k = 0; k < 4; k++)
        if (surface_edge_corner(4 * axis + k) == (a & b))
            return 4 * axis + k;
    return NO_EDGE;
}

/* Corners of a face, counter-clockwise as seen from outside the cell. */
static void face_corners(int axis, int side, uint32_t corners[4])
{
    uint32_t u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3, base = (uint32_t)side << axis;
    corners[0] = base;
    corners[side == 1 ? 1 : 3] = base | u;
    corners[2] = base | u | v;
    corners[side == 1 ? 3 : 1] = base | v;
}

/* next[e]: the edge to which the segment that begins at e leads; NO_EDGE: e is not crossed. */
static void find_segments(uint32_t inside, uint8_t next[EDGES])
{
    memset(next, NO_EDGE, EDGES);
    for (int face = 0; face < 6; face++) {
        uint32_t corner[4];
        face_corners(face / 2, face % 2, corner);
        for (int k = 0; k < 4; k++) {
            uint32_t before = corner[(k + 3) % 4];
            if ((inside >> before & 1) != 0 || (inside >> corner[k] & 1) == 0)
                continue;
            int last = k; /* of the run that begins at k */
            while ((inside >> corner[(last + 1) % 4] & 1) != 0)
                last++;
            next[edge_between(before, corner[k])] =
                (uint8_t)edge_between(corner[last % 4], corner[(last + 1) % 4]);
        }
    }
}

/* Bits of the two faces on which an edge lies. */
static uint32_t faces_of(uint32_t edge)
{
    uint32_t corner = surface_edge_corner(edge), faces = 0;
    for (uint32_t axis = 0; axis < 3; axis++)
        if (axis != edge >> 2)
            faces |= 1u << (2 * axis + (corner >> axis & 1));
    return faces;
}

static void add_triangles(const uint8_t *loop, uint8_t split[EDGES][EDGES], int i, int j,
                          SurfaceCase *out)
{
    if (j - i < 2)
        return;
    int k = split[i][j];
    SL_ASSERT(out->triangle_count < SURFACE_MAX_TRIANGLES);
    uint8_t *edges = out->edges[out->triangle_count++];
    edges[0] = loop[i];
    edges[1] = loop[k];
    edges[2] = loop[j];
    add_triangles(loop, split, i, k, out);
    add_triangles(loop, split, k, j, out);
}

/* The triangulation with the fewest chords in faces, by intervals: cost[i][j] is that of the polygon
   i … j. */
static void cut_loop(const uint8_t *loop, int count, SurfaceCase *out)
{
    uint8_t cost[EDGES][EDGES], split[EDGES][EDGES];
    memset(cost, 0, sizeof cost);
    memset(split, 0, sizeof split);
    for (int length = 2; length < count; length++)
        for (int i = 0; i + length < count; i++) {
            int j = i + length;
            bool chord = length < count - 1;
            bool in_face = chord && (faces_of(loop[i]) & faces_of(loop[j])) != 0;
            cost[i][j] = UINT8_MAX;
            for (int k = i + 1; k < j; k++) {
                uint8_t sum = (uint8_t)(cost[i][k] + cost[k][j] + in_face);
                if (sum < cost[i][j]) {
                    cost[i][j] = sum;
                    split[i][j] = (uint8_t)k;
                }
            }
        }
    SL_ASSERT(cost[0][count - 1] == 0);
    add_triangles(loop, split, 0, count - 1, out);
}

void surface_cubes_derive(SurfaceCase cases[256])
{
    for (uint32_t inside = 0; inside < 256; inside++) {
        uint8_t next[EDGES], loop[EDGES];
        cases[inside].triangle_count = 0;
        find_segments(inside, next);
        for (int first = 0; first < EDGES; first++) {
            int count = 0;
            for (uint8_t edge = (uint8_t)first; next[edge] != NO_EDGE;) {
                loop[count++] = edge;
                uint8_t to = next[edge];
                next[edge] = NO_EDGE;
                edge = to;
            }
            if (count > 0)
                cut_loop(loop, count, &cases[inside]);
        }
    }
}
