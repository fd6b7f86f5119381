/* libFuzzer target: any bytes as a checkpoint, once as they are and once with honest checksums. A
   state that is read is given to a world: that refuses it with a sentence or takes a step from it;
   nothing is left in memory. clang -fsanitize=fuzzer,address,undefined */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/context.h"
#include "io/fuzz_honest.h"
#include "sleet/sleet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static SlContext *context;
static char input_path[64];
static int input_file;

static void set_up(void)
{
    SlContextDef def = sl_default_context_def();
    def.threads = 1;
    SL_ASSERT(sl_context_create(&def, &context, NULL) == SL_OK);
    input_file = memfd_create("checkpoint", MFD_CLOEXEC);
    SL_ASSERT(input_file >= 0);
    snprintf(input_path, sizeof input_path, "/proc/self/fd/%d", input_file);
}

/* As the seeds were made: one system, a block of 64, an emitter. */
static SlWorld *make_world(void)
{
    SlWorldDef def = sl_default_world_def();
    def.context = context;
    def.domain.max = (SlVec3){1.2f, 0.8f, 0.4f};
    SlWorld *world;
    SlSystemDef system = sl_default_system_def("pbf");
    SlSystemId id;
    SlBlock block = {.max = {0.4f, 0.4f, 0.4f}};
    SlEmitterDef jet = sl_default_emitter_def(SL_EMITTER_BOX);
    jet.center = (SlVec3){0.9f, 0.6f, 0.2f};
    jet.up = (SlVec3){1, 0, 0};
    jet.width = jet.height = 0.2f;
    SL_ASSERT(sl_world_create(&def, &world, NULL) == SL_OK);
    SL_ASSERT(sl_world_add_system(world, &system, &id, NULL) == SL_OK);
    SL_ASSERT(sl_system_add_block(world, id, &block, NULL) == SL_OK);
    SL_ASSERT(sl_system_add_emitter(world, id, &jet, NULL, NULL) == SL_OK);
    return world;
}

static void use(const SlStateView *state)
{
    SlWorld *world = make_world();
    SlError error = {SL_OK, ""};
    SlStatus status = sl_world_restore(world, state, &error);
    if (status == SL_OK)
        status = sl_world_step(world, 0.01, &error);
    SL_ASSERT(status == SL_OK || (error.status == status && error.text[0] != '\0'));
    sl_world_destroy(world);
}

static void read_checkpoint(const char *bytes, size_t size)
{
    SL_ASSERT(ftruncate(input_file, 0) == 0);
    SL_ASSERT(pwrite(input_file, bytes, size, 0) == (ssize_t)size);
    SlCheckpoint *checkpoint;
    SlError error = {SL_OK, ""};
    uint64_t held = context->memory.bytes_held;
    SlStatus status = sl_checkpoint_read(context, input_path, &checkpoint, &error);
    SL_ASSERT((status == SL_OK) == (checkpoint != NULL));
    SL_ASSERT(status == SL_OK || (error.status == status && error.text[0] != '\0'));
    if (checkpoint != NULL) {
        uint64_t own = context->memory.bytes_held - held;
        use(sl_checkpoint_state(checkpoint));
        held = context->memory.bytes_held - own; /* the arena may have grown */
        sl_checkpoint_destroy(checkpoint);
    }
    SL_ASSERT(context->memory.bytes_held == held);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (context == NULL)
        set_up();
    char *bytes = malloc(size + 1);
    if (bytes == NULL)
        return 0;
    if (size > 0)
        memcpy(bytes, data, size);
    read_checkpoint(bytes, size);
    make_honest(bytes, size, SL_CONTAINER_CHECKPOINT);
    read_checkpoint(bytes, size);
    free(bytes);
    return 0;
}
