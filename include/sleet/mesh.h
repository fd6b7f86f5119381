/* Sleet: solid things made of triangles. */
#ifndef SLEET_MESH_H
#define SLEET_MESH_H

#include "sleet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A mesh read from a file becomes a signed distance field, open or closed, so it collides like any
   other solid. Several files are the keys of a body that changes its form: the fields of two keys
   are blended along the motion of the surface between them. Where all files have the same triangles
   (a mesh with moving vertices) every point keeps its place on the surface; else a point goes to the
   nearest one of the next key. Keys should be so dense that the surface moves by a few cells from
   one to the next. */
typedef struct SlMeshColliderDef {
    uint32_t cookie, size; /* set by sl_default_mesh_collider_def */
    const char *path; /* OBJ, PLY or STL; NULL where there are paths */
    const char *const *paths; /* keys, in order of time; default none */
    size_t path_count;        /* 0, or 1 to 10,000 */
    double rate;      /* keys per second, (0, 1e6]; the first is at the world's start; default 25 */
    bool loop;        /* after the last key comes the first; else the last one stays; default false */
    float scale;      /* metres per unit of the file; default 1 */
    SlVec3 rotation;      /* rad: axis × angle, about the file's origin */
    SlVec3 position;  /* m: where the file's origin goes */
    double cell;      /* m, of the field's grid; 0: the smallest spacing among the systems */
    bool hollow;      /* a container: the fluid is inside, all outside of the mesh is solid */
    float friction;   /* Coulomb, [0, 10] */
    bool sticky;      /* snow that touches it stays; default false */
    const char *cache_folder; /* where fields are kept from run to run; NULL: nowhere */
} SlMeshColliderDef;

SL_API SlMeshColliderDef sl_default_mesh_collider_def(void);

#ifdef __cplusplus
}
#endif
#endif
