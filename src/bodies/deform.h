/* Deforming bodies as keyframed level sets [Stomakhin 2013 section 8]: a distance field per
   key, blended along the motion of the surface between two keys.

       phi(x, g) = (1 - g) phi_k(x - g w) + g phi_k+1(x + (1 - g) w)
       v_co(x, g) = (1 - g) v_k + g v_k+1

   with g in [0, 1] from key k to key k + 1, w the displacement of the surface between them and v_k its
   velocity at a key. Where all keys have the same triangles, w and v are those of the closest point
   of the surface; else a point of one surface moves to the closest point of the next.

   The paper takes the velocity at x for the displacement. That fails for a limb that moves by more
   than its thickness between two keys; so w is sampled once more where the first w leads, and it is
   the displacement over the whole interval, not the velocity times its length: vertices move straight
   from key to key, in the field as in the picture. `printed` is the paper's blend. */
#ifndef BODIES_DEFORM_H
#define BODIES_DEFORM_H

#include "geometry/sdf/sdf.h"

typedef struct SlDeformKey {
    SlMesh mesh;
    SlSdf field; /* zeros until sl_deform_build */
} SlDeformKey;

/* How the surface nearest to a node of a key's field moves. */
typedef struct SlDeformFlow {
    SlVec3 way;      /* m, from the lower key to the upper one */
    SlVec3 velocity; /* m/s, at this key */
} SlDeformFlow;

/* One of the two keys about now. */
typedef struct SlDeformEnd {
    const SlSdf *field;
    SlDeformFlow *flow; /* as the field's grid.values */
    SlDeformFlow mean;  /* where the field has no nodes */
} SlDeformEnd;

typedef struct SlDeform {
    SlContext *context;
    SlDeformKey *keys;
    size_t key_count;
    double rate;      /* keys per second */
    bool loop;        /* after the last key comes the first; else the last one stays */
    bool printed;     /* blended as printed: along the velocity at the point itself */
    bool same;        /* every key has the same triangles */
    float longest;    /* m: the longest way of a vertex between two keys */
    SlMesh drawn;     /* blended vertices; triangles are the first key's. Empty if not `same` */
    SlDeformEnd ends[2];
    size_t flow_room; /* nodes in each end's flow; 0 until sl_deform_build */
    size_t low, high; /* keys that the flows are of */
    float fraction;   /* g */
    bool moving;      /* false: only ends[0].field counts */
} SlDeform;

/* Takes the meshes over, also when it fails. rate in (0, 1e6]. */
SlStatus sl_deform_create(SlContext *context, SlMesh *meshes, size_t count, double rate, bool loop,
                          SlDeform **deform, SlError *error);
/* Makes the fields of all keys, then seeks time 0. The band is widened by half the longest way.
   What is left of settings and cache_folder is as for sl_sdf_load_or_build. */
SlStatus sl_deform_build(SlDeform *deform, const SlSdfSettings *settings, const char *cache_folder,
                         SlError *error);
void sl_deform_destroy(SlDeform *deform);

/* Settings as sl_deform_build uses them. */
SlSdfSettings sl_deform_settings(const SlDeform *deform, const SlSdfSettings *settings);
/* Makes `time` (s) the time of queries. Allocates nothing; the same bits for any threads. */
void sl_deform_seek(SlDeform *deform, double time);
/* Of the surface at the time sought, and a little more. */
SlBox sl_deform_bounds(const SlDeform *deform);
/* For drawing: vertices blended, or the nearest key. Valid until the next call. */
SlMesh *sl_deform_mesh_at(SlDeform *deform, double time);

/* As sl_sdf_distance_within, at the time sought; `velocity` (m/s) is that of the surface near the
   point. Neither pointer may be NULL. */
float sl_deform_distance(const SlDeform *deform, SlVec3 point, float reach, SlVec3 *gradient,
                         SlVec3 *velocity);

#endif
