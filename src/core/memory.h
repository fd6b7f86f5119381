/* The allocator of a context: counted, 64-byte aligned, sizes known on release. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include <stdatomic.h>

#include "sleet/base.h"

enum { SL_ALIGNMENT = 64 };

typedef struct SlMemory {
    SlAllocator hooks;
    _Atomic uint64_t allocations;
    _Atomic uint64_t bytes_held;
} SlMemory;

void sl_memory_init(SlMemory *memory, const SlAllocator *hooks);
/* NULL when there is no memory, or for 0 bytes. Contents are undefined. */
void *sl_alloc(SlMemory *memory, size_t bytes);
/* count × size with the product checked; zeroed. */
void *sl_alloc_zero(SlMemory *memory, size_t count, size_t size);
void sl_free(SlMemory *memory, void *block, size_t bytes);
/* Grows an array, keeping `used` bytes; on NULL the old one is unchanged. */
void *sl_regrow(SlMemory *memory, void *block, size_t old_bytes, size_t new_bytes, size_t used);

/* --- An arena: scratch memory of one step, draw or write. Pushed by the thread that runs it, before a
   parallel loop; released all at once by the next reset, or by marks. Reset and release join the pieces that they
   empty into one, so that later rounds of the same size allocate nothing. --- */

enum { SL_ARENA_PIECES = 64 };

typedef struct SlArena {
    SlMemory *memory;
    struct {
        char *base;
        size_t size, used;
    } pieces[SL_ARENA_PIECES];
    uint32_t piece_count;
    size_t high_water; /* maximum of in_use between two resets */
    size_t in_use;
} SlArena;

void sl_arena_init(SlArena *arena, SlMemory *memory);
void sl_arena_free(SlArena *arena);
/* 64-byte aligned, contents undefined; NULL when memory is out. Zero bytes give a valid pointer. */
void *sl_arena_push(SlArena *arena, size_t bytes);
/* Releases everything pushed; the memory is kept for later pushes. */
void sl_arena_reset(SlArena *arena);

/* A position in the arena: a function that needs scratch only until it returns takes a mark first
   and releases it at the end. */
typedef struct SlArenaMark {
    uint32_t piece_count;
    size_t used, in_use;
} SlArenaMark;

SlArenaMark sl_arena_mark(const SlArena *arena);
/* Releases what was pushed since the mark; its memory may be given back. */
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
