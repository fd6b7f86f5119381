/* The stages of surface sampling, in the order sample.c runs them. All scratch is in one arena of
   the call's own; a stage returns false when memory is out. */
#ifndef GEOMETRY_SAMPLING_PARTS_H
#define GEOMETRY_SAMPLING_PARTS_H

#include "geometry/sampling/sample.h"

enum {
    SL_SAMPLE_AXIS_BITS = 21, /* cells along an axis; three axes make one 63-bit key */
    SL_SAMPLE_MARGIN = 3,     /* cells below the lowest, so that neighbours' keys never wrap */
    SL_SAMPLE_ROWS = 25,      /* rows of cells along z in the 5 x 5 x 5 around a cell */
    SL_SAMPLE_MAX = 1 << 29  /* candidates, so that a row fits 32 bits */
};

/* Candidates to choose from. */
typedef struct SlSampleCandidates {
    size_t count;
    SlVec3 *positions;
    uint32_t *triangles;
} SlSampleCandidates;

/* How many candidates each triangle has. */
typedef struct SlSamplePlan {
    SlVec3 *normals;   /* unit, per triangle */
    double *areas;     /* m²; 0 for a triangle that is none */
    uint64_t *starts;  /* first candidate of a triangle; triangle_count + 1 of them */
    uint32_t *strips;  /* of these, how many are set along the triangle's length */
    double total_area; /* m² */
    uint64_t count;    /* of all candidates */
    SlBox bounds;      /* of triangles with area */
} SlSamplePlan;

/* Occupied cells in order of key, their candidates side by side. */
typedef struct SlSampleCells {
    size_t count;
    uint64_t *keys;   /* x, y, z cell coordinates, x highest */
    uint32_t *starts; /* first candidate; count + 1 of them */
    uint32_t *rows;   /* SL_SAMPLE_ROWS per cell, middle first: first cell << 3 | how many */
} SlSampleCells;

typedef struct SlSampling {
    SlContext *context;
    const SlMesh *mesh;
    SlArena *arena;
    SlSampleMetric metric;
    float radius;
    uint64_t seed;
    SlSamplePlan plan;
    SlSampleCandidates candidates;
    SlSampleCells cells;
    uint32_t *samples; /* per cell: its accepted candidate, or SL_SAMPLE_NONE */
} SlSampling;

#define SL_SAMPLE_NONE UINT32_MAX

/* One side of a cell. Its diagonal is a hair below the radius, so a cell never holds two. */
static inline double sl_sample_cell_size(float radius)
{
    return (double)radius * (0.57735026918962576 * (1 - 1e-6));
}

bool sl_sample_plan(SlSampling *sampling);
bool sl_sample_candidates(SlSampling *sampling);
/* Sorts candidates by cell, shuffles those of one cell, finds the rows around each cell. */
bool sl_sample_cells(SlSampling *sampling);
/* Bytes that candidates, cells and their sorting take at most. */
double sl_sample_bytes(double candidates, double triangles);
bool sl_sample_choose(SlSampling *sampling);

#endif
