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
        (void)madvise(block, rounded, MADV_HUGEPAGE); /* a wish: no matter if it is refused */
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
