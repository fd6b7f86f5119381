/* Triangles of analytic solids, for those who need a surface to walk on: sampling, exporting. */
#ifndef GEOMETRY_SHAPE_MESH_H
#define GEOMETRY_SHAPE_MESH_H

#include "geometry/mesh/mesh.h"
#include "sleet/shape.h"

/* The directions of the shape's own x, y (its axis) and z; orthonormal, turned as the shape is. */
void sl_shape_frame(const SlShape *shape, SlVec3 frame[3]);

/* A closed mesh of a sphere, box, cylinder or cone in the shape's own frame, centre at the origin;
   round parts are cut into edges of about `edge` metres. */
SlStatus sl_shape_mesh(SlContext *context, const SlShape *shape, float edge, SlMesh *mesh,
                       SlError *error);
/* An axis-aligned box, counter-clockwise from outside. */
SlStatus sl_box_mesh(SlContext *context, SlBox box, SlMesh *mesh, SlError *error);
/* The part of a plane inside the box, as a fan; no triangles where they do not meet. */
SlStatus sl_plane_mesh(SlContext *context, SlVec3 center, SlVec3 normal, SlBox box, SlMesh *mesh,
                       SlError *error);

#endif
