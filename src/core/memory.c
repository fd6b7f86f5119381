#include "core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Large arrays ask for huge pages: gathers over a few megabytes otherwise miss the TLB, and
   prefetching stops at every small page. */
static void *default_alloc(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    const size_t huge_page = (size_t)2 << 20;
    bool large = bytes >= 2 * huge_page;
    if (large)
        alignment = huge_page;
    size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void *block = rounded < bytes ? NULL : aligned_alloc(alignment, rounded);
#ifdef MADV_HUGEPAGE
    if (block != NULL && large)
        (void)madvise(block, rounded, MADV_HUGEPAGE); /* a hint: refusal is no error */
#endif
    return block;
}

static void default_release(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(memory);
}

void sl_memory_init(SlMemory *memory, const SlAllocator *hooks)
{
    memory->hooks = hooks != NULL && hooks->alloc != NULL
                        ? *hooks
                        : (SlAllocator){default_alloc, default_release, NULL};
    atomic_init(&memory->allocations, 0);
    atomic_init(&memory->bytes_held, 0);
}

void *sl_alloc(SlMemory *memory, size_t bytes)
{
    if (bytes == 0)
        return NULL;
    void *block = memory->hooks.alloc(memory->hooks.user, bytes, SL_ALIGNMENT);
    if (block != NULL) {
        atomic_fetch_add(&memory->allocations, 1);
        atomic_fetch_add(&memory->bytes_held, bytes);
    }
    return block;
}

void *sl_alloc_zero(SlMemory *memory, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *block = sl_alloc(memory, bytes);
    if (block != NULL)
        memset(block, 0, bytes);
    return block;
}

void sl_free(SlMemory *memory, void *block, size_t bytes)
{
    if (block == NULL)
        return;
    atomic_fetch_sub(&memory->bytes_held, bytes);
    memory->hooks.release(memory->hooks.user, block, bytes);
}

void *sl_regrow(SlMemory *memory, void *block, size_t old_bytes, size_t new_bytes, size_t used)
{
    void *grown = sl_alloc(memory, new_bytes);
    if (grown == NULL)
        return NULL;
    if (used > 0)
        memcpy(grown, block, used);
    sl_free(memory, block, old_bytes);
    return grown;
}

void sl_arena_init(SlArena *arena, SlMemory *memory)
{
    memset(arena, 0, sizeof *arena);
    arena->memory = memory;
}

void sl_arena_free(SlArena *arena)
{
    for (uint32_t k = 0; k < arena->piece_count; k++)
        sl_free(arena->memory, arena->pieces[k].base, arena->pieces[k].size);
    arena->piece_count = 0;
    arena->in_use = 0;
}

static bool add_piece(SlArena *arena, size_t bytes)
{
    if (arena->piece_count == SL_ARENA_PIECES)
        return false;
    char *base = sl_alloc(arena->memory, bytes);
    if (base == NULL)
        return false;
    uint32_t k = arena->piece_count++;
    arena->pieces[k].base = base;
    arena->pieces[k].size = bytes;
    arena->pieces[k].used = 0;
    return true;
}

void *sl_arena_push(SlArena *arena, size_t bytes)
{
    size_t rounded = (bytes + SL_ALIGNMENT) / SL_ALIGNMENT * SL_ALIGNMENT;
    if (rounded < bytes)
        return NULL;
    uint32_t last = arena->piece_count;
    if (last == 0 || arena->pieces[last - 1].size - arena->pieces[last - 1].used < rounded) {
        size_t grow = arena->in_use / 2; /* few pieces even if pushes are many */
        if (!add_piece(arena, rounded > grow ? rounded : grow))
            return NULL;
        last = arena->piece_count;
    }
    char *block = arena->pieces[last - 1].base + arena->pieces[last - 1].used;
    arena->pieces[last - 1].used += rounded;
    arena->in_use += rounded;
    if (arena->in_use > arena->high_water)
        arena->high_water = arena->in_use;
    return block;
}

void sl_arena_reset(SlArena *arena)
{
    if (arena->piece_count > 1) {
        sl_arena_free(arena);
        /* One piece with a little slack; if it fails, pushes find out. */
        (void)add_piece(arena, (arena->high_water + arena->high_water / 16 + SL_ALIGNMENT) /
                                   SL_ALIGNMENT * SL_ALIGNMENT);
    }
    if (arena->piece_count == 1)
        arena->pieces[0].used = 0;
    arena->in_use = 0;
}

SlArenaMark sl_arena_mark(const SlArena *arena)
{
    uint32_t count = arena->piece_count;
    while (count > 0 && arena->pieces[count - 1].used == 0) /* empty after a release or a reset: part of the next round */
        count--;
    return (SlArenaMark){count, count > 0 ? arena->pieces[count - 1].used : 0, arena->in_use};
}

void sl_arena_release(SlArena *arena, SlArenaMark mark)
{
    if (arena->piece_count > mark.piece_count + 1) {
        /* One piece for all that came after the mark, so that the next round needs no further one. */
        size_t bytes = 0;
        for (uint32_t k = mark.piece_count; k < arena->piece_count; k++) {
            bytes += arena->pieces[k].size;
            sl_free(arena->memory, arena->pieces[k].base, arena->pieces[k].size);
        }
        arena->piece_count = mark.piece_count;
        (void)add_piece(arena, bytes); /* if it fails, pushes find out */
    } else if (arena->piece_count > mark.piece_count) {
        arena->pieces[arena->piece_count - 1].used = 0;
    }
    if (mark.piece_count > 0)
        arena->pieces[mark.piece_count - 1].used = mark.used;
    arena->in_use = mark.in_use;
}
