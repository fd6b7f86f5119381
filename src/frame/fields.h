/* The particle field table. A field is one row: allocation, sorting, hashing, frames, views and
   checkpoints follow from it. User attributes are rows made by a program before the start. */
#ifndef FRAME_FIELDS_H
#define FRAME_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "sleet/view.h"

typedef enum SlStorage {
    SL_STORE_U32,
    SL_STORE_F32,
    SL_STORE_F32X4 /* 3 lanes of meaning; the fourth belongs to the running solver */
} SlStorage;

enum {
    SL_FIELD_STATE = 1,  /* later steps depend on it: hashed and checkpointed */
    SL_FIELD_EXPORT = 2, /* in frames and views */
    SL_FIELD_SORT = 4,   /* permuted when particles are reordered */
    SL_FIELD_DERIVED = 8, /* in frames and views, computed from other fields when a view is made */
    SL_FIELD_WRITE = 16  /* a program may write it between steps */
};

/*      enumerator  storage  name         unit     flags                     meaning */
#define SL_FIELD_TABLE(ROW)                                                                        \
    ROW(ID,        U32,   "id",        "",      STATE | EXPORT | SORT, "unique number")    \
    ROW(POSITION,  F32X4, "position",  "m",     STATE | EXPORT | SORT | WRITE, "position")         \
    ROW(VELOCITY,  F32X4, "velocity",  "m/s",   STATE | EXPORT | SORT | WRITE, "velocity")         \
    ROW(PREDICTED, F32X4, "predicted", "m",     SORT,  "position predicted from velocity and gravity")    \
    ROW(REFERENCE, F32X4, "reference", "m",     STATE | SORT, "position when the neighbour list was made")   \
    ROW(DENSITY,   F32,   "density_ratio", "", EXPORT, "density over rest density, after the step") \
    ROW(PRESSURE,  F32,   "pressure",  "m^2/s^2", STATE | SORT, "pressure over density, remembered") \
    ROW(LEVEL,     U32,   "level",     "",      STATE | EXPORT | SORT, "density iterations of the particle") \
    ROW(FLUID,     U32,   "fluid",     "",      STATE | EXPORT | SORT, "index of its fluid")   \
    ROW(VARIATION, F32,   "variation", "",      STATE | EXPORT | SORT,                             \
        "deviation from the mean, -1 to 1")                                           \
    ROW(ANCHOR,    F32X4, "anchor",    "m",     STATE | SORT, "point that it is attached to")      \
    ROW(FRACTION,  F32X4, "fraction",  "cells", STATE | SORT, "position within its cell") \
    ROW(STRETCH,   F32X4, "stretch",   "",      STATE | SORT, "elastic strain: xx, yy, zz")        \
    ROW(SHEAR,     F32X4, "shear",     "",      STATE | SORT, "elastic strain: yz, zx, xy")        \
    ROW(SLOPE_X,   F32X4, "slope_x",   "1/s",   STATE | SORT, "change of velocity along x")        \
    ROW(SLOPE_Y,   F32X4, "slope_y",   "1/s",   STATE | SORT, "change of velocity along y")        \
    ROW(SLOPE_Z,   F32X4, "slope_z",   "1/s",   STATE | SORT, "change of velocity along z")        \
    ROW(PLASTIC,   F32,   "plastic",   "",      STATE | EXPORT | SORT,                             \
        "volume kept by plastic flow: below 1 packed, above 1 torn")                               \
    ROW(VOLUME,    F32,   "volume",    "m^3",   STATE | EXPORT | SORT,                             \
        "volume before any deformation")                                                           \
    ROW(MASS,      F32,   "mass",      "kg",    DERIVED, "mass, where particles differ")

#define SL_FIELD_ENUMERATOR_(name, ...) SL_F_##name,
typedef enum SlFieldId { SL_FIELD_TABLE(SL_FIELD_ENUMERATOR_) SL_F_COUNT } SlFieldId;
#undef SL_FIELD_ENUMERATOR_

typedef struct SlFieldRow {
    const char *name, *unit, *meaning;
    SlStorage storage;
    uint32_t flags;
} SlFieldRow;

extern const SlFieldRow sl_field_rows[SL_F_COUNT];

/* Fields of the system that the filter "whitewater" makes, in the order of its view. Not in the table
   above: no solver has them, and a program may give an attribute one of these names. */
enum { SL_WHITEWATER_ID, SL_WHITEWATER_POSITION, SL_WHITEWATER_VELOCITY, SL_WHITEWATER_PHASE,
       SL_WHITEWATER_RADIUS, SL_WHITEWATER_LIFETIME, SL_WHITEWATER_FIELDS };
extern const SlFieldView sl_whitewater_fields[SL_WHITEWATER_FIELDS]; /* without data */

/* Bytes of one element as stored. */
size_t sl_storage_bytes(SlStorage storage);
/* The type that programs and files see, and back. */
SlFieldType sl_storage_type(SlStorage storage);
SlStorage sl_type_storage(SlFieldType type);

/* --- User attributes: fields that a program adds to a system. --- */

enum { SL_MAX_ATTRIBUTES = 16, SL_MAX_FIELDS = SL_F_COUNT + SL_MAX_ATTRIBUTES };
enum { SL_ATTRIBUTE_NAME = 24 };

typedef struct SlAttribute {
    SlFieldRow row; /* its name is `name`: an attribute stays where it was made */
    char name[SL_ATTRIBUTE_NAME];
    char state_name[SL_ATTRIBUTE_NAME + 8]; /* in checkpoints: "user.NAME" */
    uint32_t initial[4]; /* of a new particle, as stored */
} SlAttribute;

typedef struct SlAttributes {
    SlAttribute item[SL_MAX_ATTRIBUTES];
    uint32_t count;
} SlAttributes;

/* Adds an attribute; `initial` is one element of the type, NULL: zero. NULL, or why it is refused. */
const char *sl_attributes_add(SlAttributes *attributes, const char *name, SlFieldType type,
                              const void *initial);

#define SL_FIELD_BIT(id) (1u << SL_F_##id)

#endif
