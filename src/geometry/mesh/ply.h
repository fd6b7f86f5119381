/* The head of a PLY file: which elements follow, and what of each. */
#ifndef GEOMETRY_MESH_PLY_H
#define GEOMETRY_MESH_PLY_H

#include "core/memory.h"
#include "geometry/mesh/text.h"

typedef enum SlPlyCoding { SL_PLY_ASCII, SL_PLY_LITTLE_ENDIAN, SL_PLY_BIG_ENDIAN } SlPlyCoding;

typedef enum SlPlyType {
    SL_PLY_NONE,
    SL_PLY_INT8,
    SL_PLY_UINT8,
    SL_PLY_INT16,
    SL_PLY_UINT16,
    SL_PLY_INT32,
    SL_PLY_UINT32,
    SL_PLY_FLOAT32,
    SL_PLY_FLOAT64
} SlPlyType;

/* What a property is to us. */
typedef enum SlPlyRole {
    SL_PLY_X, /* Y and Z follow: a role is a place in a position */
    SL_PLY_Y,
    SL_PLY_Z,
    SL_PLY_CORNERS,
    SL_PLY_PASSED_OVER
} SlPlyRole;

typedef struct SlPlyProperty {
    uint8_t type;       /* SlPlyType, of a list's items if it is one */
    uint8_t count_type; /* SlPlyType of a list's length; SL_PLY_NONE: a single value */
    uint8_t role;       /* SlPlyRole */
} SlPlyProperty;

typedef enum SlPlyElementKind { SL_PLY_OTHERS, SL_PLY_VERTICES, SL_PLY_FACES } SlPlyElementKind;

typedef struct SlPlyElement {
    SlMeshWord name; /* in the file's bytes */
    size_t count, line;
    size_t first_property, property_count;
    size_t min_bytes; /* one of them takes at least that many in the file */
    SlPlyElementKind kind;
    uint32_t roles; /* bit per role that a property has */
} SlPlyElement;

typedef struct SlPly {
    SlMemory *memory;
    SlPlyCoding coding;
    SlPlyElement *elements;
    SlPlyProperty *properties;
    size_t element_count, element_room, property_count, property_room;
    size_t vertex_count;
} SlPly;

/* Leaves the cursor at the first byte after the head. All counts are below what the rest of the
   file can hold. To be freed even after a failure. */
SlStatus sl_ply_head_read(SlPly *ply, SlMemory *memory, SlMeshText *text, SlError *error);
void sl_ply_head_free(SlPly *ply);
/* Bytes of a value in a binary file. */
size_t sl_ply_type_size(SlPlyType type);

#endif
