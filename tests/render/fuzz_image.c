/* libFuzzer target: any bytes as an EXR or PNG file of light (sl_float_image_read). An image that is
   read has finite light from 0 to 65504; a refusal has its message; nothing is left in memory; and a
   short file gets little memory: deflate makes at most 1032 bytes from one.
   clang -fsanitize=fuzzer,address,undefined */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/context.h"
#include "core/error.h"
#include "sleet/sleet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The most bytes of floats and bytes for one byte of a PNG file of 1 bit per pixel. */
enum { MAX_GROWTH = 8 * 1040 * (3 * 4 + 3) };

static SlContext *context;
static char path[64];
static int file;
static size_t held, max_held;

static void *count_alloc(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    held += bytes;
    max_held = held > max_held ? held : max_held;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void count_release(void *user, void *memory, size_t bytes)
{
    (void)user;
    held -= bytes;
    free(memory);
}

static void set_up(void)
{
    SlContextDef def = sl_default_context_def();
    def.threads = 1;
    def.allocator = (SlAllocator){count_alloc, count_release, NULL};
    SL_ASSERT(sl_context_create(&def, &context, NULL) == SL_OK);
    file = memfd_create("image", MFD_CLOEXEC);
    SL_ASSERT(file >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (context == NULL)
        set_up();
    SL_ASSERT(ftruncate(file, 0) == 0);
    SL_ASSERT(size == 0 || pwrite(file, data, size, 0) == (ssize_t)size);
    SlFloatImage image;
    SlError error = {SL_OK, ""};
    size_t before = max_held = held;
    SlStatus status = sl_float_image_read(context, path, &image, &error);
    SL_ASSERT(max_held - before <= (size + 16) * MAX_GROWTH);
    SL_ASSERT((status == SL_OK) == (image.pixels != NULL));
    SL_ASSERT(status == SL_OK || (error.status == status && strstr(error.text, path) != NULL));
    size_t count = status == SL_OK ? 3 * (size_t)image.width * image.height : 0;
    for (size_t k = 0; k < count; k++)
        SL_ASSERT(image.pixels[k] >= 0 && image.pixels[k] <= 65504);
    sl_float_image_destroy(context, &image);
    SL_ASSERT(held == before);
    return 0;
}
