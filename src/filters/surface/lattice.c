/* The lattice of nodes and the images of particles behind walls. */
#include <math.h>
#include <string.h>

#include "filters/surface/surface.h"

/* Node 0 is the layer behind the low wall, so that the cells at the wall belong to the same blocks as
   those in front of it. */
static void fit_axis(float low, float high, float cell, int axis, SurfaceLattice *lattice)
{
    lattice->end[0][axis] = low;
    lattice->end[1][axis] = high;
    bool has_low = isfinite(low), has_high = isfinite(high);
    float width = cell, origin = 0;
    lattice->low[axis] = has_low ? 1 : INT32_MIN;
    lattice->high[axis] = INT32_MAX;
    if (has_low && has_high) {
        float cells = roundf((high - low) / cell);
        cells = cells > 1 ? cells : 1;
        width = (high - low) / (cells + 2 * SURFACE_WALL_GAP);
        lattice->high[axis] = 1 + (int32_t)cells;
    }
    if (has_low)
        origin = low + (SURFACE_WALL_GAP - 1) * width;
    else if (has_high)
        origin = high - SURFACE_WALL_GAP * width;
    if (has_high && !has_low)
        lattice->high[axis] = 0;
    lattice->origin[axis] = origin;
    lattice->cell[axis] = width;
    lattice->inverse_cell[axis] = 1 / width;
}

void surface_lattice_fit(SlBox domain, float cell, float sink, SurfaceLattice *lattice)
{
    const float *low = &domain.min.x, *high = &domain.max.x;
    for (int k = 0; k < 3; k++) {
        bool open = !(low[k] < high[k]); /* a view without a domain */
        lattice->wall[0][k] = open ? -INFINITY : low[k];
        lattice->wall[1][k] = open ? INFINITY : high[k];
        fit_axis(lattice->wall[0][k] - sink, lattice->wall[1][k] + sink, cell, k, lattice);
    }
}

static void add_image(SurfaceImages *images, int source, int axis, float plane)
{
    int to = images->count++;
    for (int k = 0; k < 3; k++)
        images->x[to][k] = images->x[source][k];
    images->x[to][axis] = 2 * plane - images->x[source][axis];
    images->flips[to] = images->flips[source] | (uint8_t)(1 << axis);
    images->solid[to] = images->solid[source];
}

/* At a corner the images of images fill the space behind it. */
static void add_wall_images(const SurfaceLattice *lattice, float depth, int seed,
                            SurfaceImages *images)
{
    const float x[3] = {images->x[seed][0], images->x[seed][1], images->x[seed][2]};
    bool near = false; /* most particles are not */
    for (int axis = 0; axis < 3; axis++)
        near |= x[axis] < lattice->wall[0][axis] + depth || x[axis] > lattice->wall[1][axis] - depth;
    for (int axis = 0; near && axis < 3; axis++) {
        int before = images->count;
        for (int side = 0; side < 2; side++) {
            float plane = lattice->wall[side][axis];
            float distance = side == 0 ? x[axis] - plane : plane - x[axis];
            if (!(distance >= 0 && distance < depth))
                continue;
            for (int k = seed; k < before; k++)
                add_image(images, k, axis, plane);
        }
    }
}

void surface_images(const SurfaceLattice *lattice, const SurfaceSolids *solids, uint32_t particle,
                    const float x[3], float depth, size_t *next, SurfaceImages *images)
{
    memcpy(images->x[0], x, 3 * sizeof *x);
    images->flips[0] = 0;
    images->solid[0] = UINT32_MAX;
    images->count = 1;
    add_wall_images(lattice, depth, 0, images);
    for (; solids->images != NULL && solids->images[*next].particle == particle; ++*next) {
        int seed = images->count++;
        memcpy(images->x[seed], solids->images[*next].x, 3 * sizeof *x);
        images->flips[seed] = 0;
        images->solid[seed] = (uint32_t)*next;
        add_wall_images(lattice, depth, seed, images);
    }
}
