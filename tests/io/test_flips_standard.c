/* 10,000 single flipped bits in frames and checkpoints: every one is found, and files beside the
   damaged one stay readable. */
#include "core/random.h"
#include "support/dam.h"

enum { FLIPS = 5000 };

static char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

typedef SlStatus (*Read)(SlContext *context, const char *path);

static SlStatus read_frame(SlContext *context, const char *path)
{
    SlFrame *frame;
    SlStatus status = sl_frame_read(context, path, &frame, &test_error);
    sl_frame_destroy(frame);
    return status;
}

static SlStatus read_checkpoint(SlContext *context, const char *path)
{
    SlCheckpoint *checkpoint;
    SlStatus status = sl_checkpoint_read(context, path, &checkpoint, &test_error);
    sl_checkpoint_destroy(checkpoint);
    return status;
}

static void flip(SlContext *context, const char *path, Read read, uint64_t seed)
{
    size_t size;
    char *bytes = read_bytes(path, &size);
    assert_ok(read(context, path));
    for (uint64_t k = 0; k < FLIPS; k++) {
        SlRandom4 r = sl_random(seed, k, 0);
        /* Half of them in the head, where all the decisions are. */
        size_t at = r.value[0] % (k % 2 == 0 || size < 2000 ? size : 2000);
        char before = bytes[at];
        bytes[at] = (char)(before ^ (1 << r.value[1] % 8));
        write_bytes(path, bytes, size);
        if (read(context, path) != SL_ERROR_PARSE)
            fail_msg("bit %u of byte %zu of %s went unseen", r.value[1] % 8, at, path);
        bytes[at] = before;
    }
    write_bytes(path, bytes, size);
    assert_ok(read(context, path));
    free(bytes);
}

static void every_flip_is_found(void **state)
{
    (void)state;
    char folder[500], frame[600], other[600], checkpoint[600];
    test_folder(folder, sizeof folder, "flips10k");
    snprintf(frame, sizeof frame, "%s/a.slf", folder);
    snprintf(other, sizeof other, "%s/b.slf", folder);
    snprintf(checkpoint, sizeof checkpoint, "%s/a.slc", folder);
    DamSetting setting = {.threads = 2, .nx = 12, .ny = 10, .nz = 9};
    SlWorld *world = dam_create(&setting);
    SlContext *context = sl_world_context(world);
    dam_advance(world, 3);
    const SlStateView *view;
    assert_ok(sl_world_state(world, &view, &test_error));
    assert_ok(sl_frame_write(context, frame, sl_world_view(world), &test_error));
    assert_ok(sl_frame_write(context, other, sl_world_view(world), &test_error));
    assert_ok(sl_checkpoint_write(context, checkpoint, view, &test_error));
    flip(context, frame, read_frame, 11);
    flip(context, checkpoint, read_checkpoint, 12);
    assert_ok(read_frame(context, other));
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_flip_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
