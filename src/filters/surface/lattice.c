/* The lattice of nodes and the images of particles behind walls. */
#include <math.h>

#include "filters/surface/surface.h"

/* Node 0 is the layer behind the low wall, so that the cells at the wall belong to the same blocks as
   those in front of it. */
static void fit_axis(float low, float high, float cell, int axis, SurfaceLattice *lattice)
{
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
    lattice->wall[0][axis] = low;
    lattice->wall[1][axis] = high;
}

void surface_lattice_fit(SlBox domain, float cell, SurfaceLattice *lattice)
{
    const float *low = &domain.min.x, *high = &domain.max.x;
    for (int k = 0; k < 3; k++) {
        bool open = !(low[k] < high[k]); /* a view without a domain */
        fit_axis(open ? -INFINITY : low[k], open ? INFINITY : high[k], cell, k, lattice);
    }
}

static void add_image(SurfaceImages *images, int source, int axis, float plane)
{
    int to = images->count++;
    for (int k = 0; k < 3; k++)
        images->x[to][k] = images->x[source][k];
    images->x[to][axis] = 2 * plane - images->x[source][axis];
    images->flips[to] = images->flips[source] | (uint8_t)(1 << axis);
}

/* At a corner the images of images fill the space behind it. */
void surface_images(const SurfaceLattice *lattice, const float x[3], float depth,
                    SurfaceImages *images)
{
    for (int k = 0; k < 3; k++)
        images->x[0][k] = x[k];
    images->flips[0] = 0;
    images->count = 1;
    for (int axis = 0; axis < 3; axis++) {
        int before = images->count;
        for (int side = 0; side < 2; side++) {
            float plane = lattice->wall[side][axis];
            float distance = side == 0 ? x[axis] - plane : plane - x[axis];
            for (int k = 0; distance >= 0 && distance < depth && k < before; k++)
                add_image(images, k, axis, plane);
        }
    }
}
