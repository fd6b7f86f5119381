/* Materials: the table of kinds, and checks. */
#ifndef FRAME_MATERIAL_H
#define FRAME_MATERIAL_H

#include "sleet/material.h"

/* The kind of that name; SL_MATERIAL_KIND_COUNT: there is none. */
SlMaterialKind sl_material_kind_find(const char *name);
/* NULL, or what is wrong: "roughness may be from 0 to 1". */
const char *sl_material_check(const SlMaterial *material);
/* The material with absorption of its own: components below 0 become those of water with `depth`
   metres, see SlMaterial. */
SlMaterial sl_material_resolve(const SlMaterial *material, double depth);

#endif
