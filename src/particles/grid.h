/* Cells over a bounded box, as wide as the search radius, numbered with x fastest: the three cells
   of a row of neighbours are one run of sorted particles. A particle outside the box counts as in
   the nearest cell; pairs within the radius stay in adjacent cells. */
#ifndef PARTICLES_GRID_H
#define PARTICLES_GRID_H

#include "particles/particles.h"

typedef struct SlCellGrid {
    SlContext *context;
    SlVec3 origin;
    float inverse_cell;
    uint32_t size[3];
    uint32_t cell_count;
    uint32_t *start; /* [cell_count + 1]: places in sorted order */
} SlCellGrid;

/* Cells for that box and width; 0 if there would be 2^32 or more. */
uint64_t sl_grid_cells(SlBox box, double cell);
SlStatus sl_grid_create(SlContext *context, SlBox box, float cell, SlCellGrid *grid,
                        SlError *error);
void sl_grid_destroy(SlCellGrid *grid);

/* Sorts the particle set by the cells of `records` (float4, one per particle; a SORT field), and
   sets grid->start. False when the arena has no memory. */
bool sl_grid_sort(SlCellGrid *grid, SlParticles *particles, const float *records);

#endif
