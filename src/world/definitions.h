/* Typed definitions of systems described by rows, so that one loop fills and applies them all. */
#ifndef WORLD_DEFINITIONS_H
#define WORLD_DEFINITIONS_H

#include "sleet/systems.h"

typedef enum SlMemberType { SL_MEMBER_NUMBER, SL_MEMBER_COUNT, SL_MEMBER_TEXT } SlMemberType;

/* A double, a uint32_t or a const char *; `name` is also the parameter's. */
typedef struct SlDefMember {
    const char *name;
    size_t offset;
    SlMemberType type;
} SlDefMember;

/* A typed definition begins with cookie, size and the system's name. */
typedef struct SlTypedDef {
    const char *solver;
    uint32_t cookie, size;
    const SlDefMember *members;
    size_t member_count;
} SlTypedDef;

enum { SL_TYPED_PBF, SL_TYPED_PROJECTIVE, SL_TYPED_SNOW, SL_TYPED_COUNT };
extern const SlTypedDef sl_typed_defs[SL_TYPED_COUNT];

#endif
