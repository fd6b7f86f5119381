#include "core/arena.h"

#include <string.h>

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
    return (SlArenaMark){count, count > 0 ? arena->pieces[count - 1].used : 0, arena->in_use};
}

void sl_arena_release(SlArena *arena, SlArenaMark mark)
{
    for (uint32_t k = mark.piece_count; k < arena->piece_count; k++)
        arena->pieces[k].used = 0;
    if (mark.piece_count > 0)
        arena->pieces[mark.piece_count - 1].used = mark.used;
    arena->in_use = mark.in_use;
}
