/* Sleet: what particle systems and colliders are made of, for renderers and exporters. The simulation
   does not read materials. */
#ifndef SLEET_MATERIAL_H
#define SLEET_MATERIAL_H

#include "sleet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SlMaterialKind {
    SL_MATERIAL_WATER,  /* a clear liquid: refracts and absorbs */
    SL_MATERIAL_SNOW,   /* scatters, without a sharp reflection */
    SL_MATERIAL_GROUND, /* the ground and the walls of the domain */
    SL_MATERIAL_SOLID,  /* an opaque body */
    SL_MATERIAL_GLASS,  /* a clear body: refracts and absorbs */
    SL_MATERIAL_FOAM,   /* spray, foam and bubbles: scatters */
    SL_MATERIAL_KIND_COUNT
} SlMaterialKind;

typedef struct SlMaterial {
    SlMaterialKind kind;
    SlVec3 color;              /* reflectance, linear RGB (not sRGB), each [0, 1]; of a clear material:
                                  its colour where a renderer draws it opaque */
    float roughness;           /* of the surface, [0, 1]; 0: a mirror, 1: matt */
    float index_of_refraction; /* [1, 4] */
    float absorption[3];       /* 1/m, of red, green and blue light within a clear material, up to 1e6.
                                  Below 0: (1.98, 0.34, 0.20) / H, where H (m) is the vertical extent
                                  of the system's particles at the start of the world. A shallow and a
                                  deep scene then have the same tint. A system without particles at
                                  the start, and a collider, has the height of the domain for H, or
                                  1 m where that is infinite. */
} SlMaterial;

/* The material of that kind that systems, colliders and the domain have unless one is set:

     kind    color               roughness  index_of_refraction  absorption
     water   0.010 0.119 0.477   0          1.333                -1 (from the depth)
     snow    0.88  0.90  0.93    1          1.31                 0
     ground  0.205 0.243 0.296   0.9        1.5                  0
     solid   0.604 0.539 0.448   0.5        1.5                  0
     glass   0.9   0.9   0.9     0          1.5                  0
     foam    0.95  0.95  0.95    1          1.333                0

   An unknown kind gives that of a solid. */
SL_API SlMaterial sl_default_material(SlMaterialKind kind);
/* "water", "snow", …; "unknown" for a kind that there is not. */
SL_API const char *sl_material_kind_name(SlMaterialKind kind);

#ifdef __cplusplus
}
#endif
#endif
