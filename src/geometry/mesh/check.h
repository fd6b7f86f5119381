/* What is wrong with a mesh, and its measures. */
#ifndef GEOMETRY_MESH_CHECK_H
#define GEOMETRY_MESH_CHECK_H

#include "geometry/mesh/mesh.h"
#include "sleet/mesh_report.h"

/* A face that names a vertex twice has no edges that count. Indices must be in range, as those of a
   mesh that was read are. Fails only where memory is out. */
SlStatus sl_mesh_check(const SlMesh *mesh, SlMeshReport *report, SlError *error);

#endif
