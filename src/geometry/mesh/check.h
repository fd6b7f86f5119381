/* What is wrong with a mesh, and its measures. */
#ifndef GEOMETRY_MESH_CHECK_H
#define GEOMETRY_MESH_CHECK_H

#include "geometry/mesh/mesh.h"

typedef struct SlMeshReport {
    size_t open_edges;         /* of one face only */
    size_t non_manifold_edges; /* of more than two faces */
    size_t flipped_edges;      /* of two faces that run along it the same way */
    size_t degenerate_faces;   /* a vertex twice, or no height above a float's rounding */
    size_t duplicate_faces;    /* faces beyond the first on the same three vertices, in any order */
    size_t components;         /* sets of faces joined by shared vertices */
    bool closed;               /* there are edges, and none is open, non-manifold or flipped */
    double area;               /* m^2 */
    double volume;             /* m^3, inside if the mesh is closed; negative if it is inside out */
    SlBox bounds;              /* of all vertices, used or not */
} SlMeshReport;

/* A face that names a vertex twice has no edges that count. Indices must be in range, as those of a
   mesh that was read are. Fails only where memory is out. */
SlStatus sl_mesh_check(const SlMesh *mesh, SlMeshReport *report, SlError *error);

#endif
