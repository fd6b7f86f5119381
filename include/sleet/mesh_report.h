/* Sleet: what a triangle mesh in a file holds, and what is wrong with it. */
#ifndef SLEET_MESH_REPORT_H
#define SLEET_MESH_REPORT_H

#include "sleet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SlMeshReport {
    size_t vertices, triangles;
    size_t open_edges;         /* of one face only */
    size_t non_manifold_edges; /* of more than two faces */
    size_t flipped_edges;      /* of two faces that run along it in the same direction */
    size_t degenerate_faces;   /* a vertex twice, or no height above a float's rounding */
    size_t duplicate_faces;    /* faces beyond the first on the same three vertices, in any order */
    size_t components;         /* sets of faces joined by common vertices */
    bool closed;               /* there are edges, and none is open, non-manifold or flipped */
    double area;               /* m² */
    double volume;             /* m³, inside if the mesh is closed; negative if it is inside out */
    SlBox bounds;              /* m, of all vertices, used or not */
} SlMeshReport;

/* True for a name that ends in .obj, .ply or .stl, in any case. */
SL_API bool sl_mesh_file_is_known(const char *path);
/* Reads a mesh of at most 4 GiB and reports on it. SL_ERROR_PARSE, with the place, for a file that is
   not OBJ, PLY or STL. */
SL_API SlStatus sl_mesh_file_report(SlContext *context, const char *path, SlMeshReport *report,
                                    SlError *error);

#ifdef __cplusplus
}
#endif
#endif
