/* Scratch memory of one step: pushed by the thread that runs the step, before a parallel loop;
   all of it goes at once at the head of the next. After a step that had to grow, the pieces
   become one, so that later steps of the same size allocate nothing. */
#ifndef CORE_ARENA_H
#define CORE_ARENA_H

#include "core/memory.h"

enum { SL_ARENA_PIECES = 64 };

typedef struct SlArena {
    SlMemory *memory;
    struct {
        char *base;
        size_t size, used;
    } pieces[SL_ARENA_PIECES];
    uint32_t piece_count;
    size_t high_water; /* most bytes ever in use between two resets */
    size_t in_use;
} SlArena;

void sl_arena_init(SlArena *arena, SlMemory *memory);
void sl_arena_free(SlArena *arena);
/* 64-byte aligned, contents undefined; NULL when memory is out. Zero bytes give a valid pointer. */
void *sl_arena_push(SlArena *arena, size_t bytes);
/* Forgets everything pushed; the memory stays. */
void sl_arena_reset(SlArena *arena);

/* A place to go back to: whoever needs scratch only until it returns takes a mark first, and what
   it pushed is free for the next pushes of the same step. */
typedef struct SlArenaMark {
    uint32_t piece_count;
    size_t used, in_use;
} SlArenaMark;

SlArenaMark sl_arena_mark(const SlArena *arena);
/* Forgets what was pushed since the mark. */
void sl_arena_release(SlArena *arena, SlArenaMark mark);

/* count × size with the product checked. */
static inline void *sl_arena_push_array(SlArena *arena, size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : sl_arena_push(arena, bytes);
}

#define SL_PUSH(arena, type, count)                                                                \
    ((type *)sl_arena_push_array((arena), (size_t)(count), sizeof(type)))

#endif
