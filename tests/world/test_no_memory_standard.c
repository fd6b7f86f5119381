/* Every allocation of a small run failing once: an error with its sentence, nothing leaked, no
   crash. The run makes a world with emitters, a moving solid and a mesh, steps it, writes frames
   and a checkpoint, and goes on from that. */
#include <unistd.h>

#include "support/dam.h"
#include "support/sphere_mesh.h"

typedef struct Failing {
    uint64_t calls, fail_at; /* the call that fails; 0: none */
    int64_t blocks;
} Failing;

static void *failing_alloc(void *user, size_t bytes, size_t alignment)
{
    Failing *failing = user;
    if (__atomic_add_fetch(&failing->calls, 1, __ATOMIC_RELAXED) == failing->fail_at)
        return NULL;
    void *block = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (block != NULL)
        __atomic_add_fetch(&failing->blocks, 1, __ATOMIC_RELAXED);
    return block;
}

static void failing_release(void *user, void *memory, size_t bytes)
{
    (void)bytes;
    Failing *failing = user;
    if (memory != NULL)
        __atomic_sub_fetch(&failing->blocks, 1, __ATOMIC_RELAXED);
    free(memory);
}

static SlStatus build(SlContext *context, const char *mesh_path, SlWorld **world, SlError *error)
{
    SlWorldDef def = sl_default_world_def();
    def.context = context;
    def.domain.max = (SlVec3){2, 1.5f, 0.8f};
    SlSystemDef system = sl_default_system_def("pbf");
    SlSystemId id;
    SlColliderId collider;
    SlBlock block = {.max = {0.6f, 0.6f, 0.8f}};
    SlEmitterDef jet = sl_default_emitter_def(SL_EMITTER_DISK);
    jet.center = (SlVec3){1.5f, 1.2f, 0.4f};
    jet.radius = 0.2f;
    jet.speed = 4;
    SlMotionDef motion = sl_default_motion_def();
    motion.velocity = (SlVec3){0.1f, 0, 0};
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){1, 0.1f, 0.4f};
    ball.radius = 0.1f;
    SlMeshColliderDef mesh = sl_default_mesh_collider_def();
    mesh.path = mesh_path;
    mesh.scale = 0.15f;
    mesh.position = (SlVec3){1.7f, 0.2f, 0.4f};
    mesh.cell = 0.1;
    SlStatus status = sl_world_create(&def, world, error);
    if (status == SL_OK)
        status = sl_world_add_system(*world, &system, &id, error);
    if (status == SL_OK)
        status = sl_system_add_block(*world, id, &block, error);
    if (status == SL_OK)
        status = sl_system_add_emitter(*world, id, &jet, NULL, error);
    if (status == SL_OK)
        status = sl_world_add_collider(*world, &ball, &collider, error);
    if (status == SL_OK)
        status = sl_collider_set_motion(*world, collider, &motion, error);
    if (status == SL_OK)
        status = sl_world_add_mesh_collider(*world, &mesh, &collider, error);
    return status;
}

static SlStatus step_and_write(SlContext *context, SlWorld *world, const char *folder,
                               SlError *error)
{
    char path[600];
    SlWriterDef def = sl_default_writer_def();
    SlWriter *writer;
    SlStatus status = sl_writer_create(context, &def, &writer, error);
    for (int frame = 0; status == SL_OK && frame < 3; frame++) {
        snprintf(path, sizeof path, "%s/frame.slf", folder);
        status = sl_world_advance_frame(world, error);
        if (status == SL_OK)
            status = sl_writer_frame(writer, path, sl_world_view(world), error);
    }
    const SlStateView *state;
    snprintf(path, sizeof path, "%s/checkpoint.slc", folder);
    if (status == SL_OK)
        status = sl_world_state(world, &state, error);
    if (status == SL_OK)
        status = sl_writer_checkpoint(writer, path, state, error);
    if (status == SL_OK)
        status = sl_writer_wait(writer, error);
    sl_writer_destroy(writer);
    return status;
}

static SlStatus read_and_go_on(SlContext *context, SlWorld *world, const char *folder,
                               SlError *error)
{
    char path[600];
    SlFrame *frame;
    SlCheckpoint *checkpoint;
    snprintf(path, sizeof path, "%s/frame.slf", folder);
    SlStatus status = sl_frame_read(context, path, &frame, error);
    sl_frame_destroy(frame);
    if (status != SL_OK)
        return status;
    snprintf(path, sizeof path, "%s/checkpoint.slc", folder);
    status = sl_checkpoint_read(context, path, &checkpoint, error);
    if (status == SL_OK)
        status = sl_world_restore(world, sl_checkpoint_state(checkpoint), error);
    sl_checkpoint_destroy(checkpoint);
    return status == SL_OK ? sl_world_advance_frame(world, error) : status;
}

static SlStatus whole_run(Failing *failing, const char *folder, const char *mesh, SlError *error)
{
    SlContextDef def = sl_default_context_def();
    def.threads = 2;
    def.allocator = (SlAllocator){failing_alloc, failing_release, failing};
    SlContext *context = NULL;
    SlWorld *first = NULL, *second = NULL;
    SlStatus status = sl_context_create(&def, &context, error);
    if (status == SL_OK)
        status = build(context, mesh, &first, error);
    if (status == SL_OK)
        status = step_and_write(context, first, folder, error);
    sl_world_destroy(first);
    if (status == SL_OK)
        status = build(context, mesh, &second, error);
    if (status == SL_OK)
        status = read_and_go_on(context, second, folder, error);
    sl_world_destroy(second);
    sl_context_destroy(context);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char folder[512], mesh[600];
    test_folder(folder, sizeof folder, "memory");
    sphere_mesh_write(mesh, sizeof mesh, 1);
    Failing none = {0, 0, 0};
    assert_ok(whole_run(&none, folder, mesh, &test_error));
    assert_int_equal(none.blocks, 0);
    print_message("%llu allocations\n", (unsigned long long)none.calls);
    uint64_t refused = 0;
    for (uint64_t k = 1; k <= none.calls; k++) {
        Failing failing = {0, k, 0};
        test_error = (SlError){SL_OK, ""};
        SlStatus status = whole_run(&failing, folder, mesh, &test_error);
        if (status != SL_OK) {
            if (status != SL_ERROR_MEMORY || test_error.text[0] == '\0')
                fail_msg("allocation %llu: %s: \"%s\"", (unsigned long long)k,
                         sl_status_name(status), test_error.text);
            refused++;
        }
        if (failing.blocks != 0)
            fail_msg("allocation %llu: %lld blocks leaked", (unsigned long long)k,
                     (long long)failing.blocks);
    }
    /* A few are wishes: an arena made into one piece, a cache. */
    assert_true(refused > none.calls * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
