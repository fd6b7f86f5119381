/* Frame files: round trip, atomic writing, and a reader that trusts nothing. */
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/random.h"
#include "io/container.h"
#include "support/dam.h"

static SlWorld *small_world(void)
{
    DamSetting setting = {.threads = 2, .nx = 7, .ny = 7, .nz = 7};
    SlWorld *world = dam_create(&setting);
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){1.5f, 0.2f, 0.3f};
    ball.radius = 0.25f;
    assert_ok(sl_world_add_collider(world, &ball, NULL, &test_error));
    dam_advance(world, 2);
    return world;
}

static void frame_comes_back(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "frame");
    snprintf(path, sizeof path, "%s/a.slf", folder);
    SlWorld *world = small_world();
    SlContext *context = sl_world_context(world);
    const SlFrameView *view = sl_world_view(world);
    assert_ok(sl_frame_write(context, path, view, &test_error));
    SlFrame *frame;
    assert_ok(sl_frame_read(context, path, &frame, &test_error));
    const SlFrameView *back = sl_frame_view(frame);
    assert_int_equal(back->frame, 2);
    assert_true(back->time == view->time);
    assert_memory_equal(&back->domain, &view->domain, sizeof view->domain);
    assert_int_equal(back->shape_count, 1);
    assert_true(back->shapes[0].radius == 0.25f && back->shapes[0].kind == SL_SHAPE_SPHERE);
    assert_int_equal(back->system_count, 1);
    const SlSystemView *a = &view->systems[0], *b = &back->systems[0];
    assert_string_equal(b->name, "pbf");
    assert_string_equal(b->solver, "pbf");
    assert_int_equal(b->particle_count, 343);
    assert_int_equal(b->field_count, a->field_count);
    for (size_t f = 0; f < a->field_count; f++) {
        SlFieldView x = a->fields[f], y = sl_view_field(b, x.name);
        assert_int_equal(y.type, x.type);
        assert_int_equal(y.count, x.count);
        for (size_t i = 0; i < x.count; i++)
            assert_memory_equal((const char *)x.data + i * x.stride,
                                (const char *)y.data + i * y.stride, 4 * sl_field_lanes(x.type));
    }
    sl_frame_destroy(frame);
    sl_world_destroy(world);
}

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

/* Every byte is under a checksum: any single flipped bit is found. */
static void flipped_bits_are_found(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "flips");
    snprintf(path, sizeof path, "%s/a.slf", folder);
    SlWorld *world = small_world();
    SlContext *context = test_context(1);
    assert_ok(sl_frame_write(context, path, sl_world_view(world), &test_error));
    size_t size;
    char *bytes = read_bytes(path, &size);
    for (uint64_t k = 0; k < 2000; k++) {
        SlRandom4 r = sl_random(1, k, 0);
        /* Half of them in the head, where all the decisions are. */
        size_t at = r.value[0] % (k % 2 == 0 ? size : 1000);
        bytes[at] = (char)(bytes[at] ^ (1 << r.value[1] % 8));
        write_bytes(path, bytes, size);
        SlFrame *frame;
        assert_int_equal(sl_frame_read(context, path, &frame, &test_error), SL_ERROR_PARSE);
        bytes[at] = (char)(bytes[at] ^ (1 << r.value[1] % 8));
    }
    free(bytes);
    sl_world_destroy(world);
    sl_context_destroy(context);
}

static void cut_files_are_refused(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "cut");
    snprintf(path, sizeof path, "%s/a.slf", folder);
    SlWorld *world = small_world();
    SlContext *context = test_context(1);
    assert_ok(sl_frame_write(context, path, sl_world_view(world), &test_error));
    size_t size;
    char *bytes = read_bytes(path, &size);
    for (size_t length = 0; length < size; length += length < 1500 ? 37 : 1999) {
        SlFrame *frame;
        write_bytes(path, bytes, length);
        assert_int_equal(sl_frame_read(context, path, &frame, &test_error), SL_ERROR_PARSE);
    }
    free(bytes);
    sl_world_destroy(world);
    sl_context_destroy(context);
}

/* A file with honest checksums and lying sizes. */
static void lies_are_refused(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "lies");
    snprintf(path, sizeof path, "%s/a.slf", folder);
    SlWorld *world = small_world();
    SlContext *context = test_context(1);
    assert_ok(sl_frame_write(context, path, sl_world_view(world), &test_error));
    size_t size;
    char *bytes = read_bytes(path, &size);
    for (uint64_t k = 0; k < 3000; k++) {
        char *lie = malloc(size);
        memcpy(lie, bytes, size);
        SlContainerHeader header;
        SlRandom4 r = sl_random(2, k, 0);
        memcpy(&header, lie, sizeof header);
        size_t directory = header.section_count * sizeof(SlSection);
        size_t table = header.chunk_count * sizeof(SlChunk);
        size_t head = sizeof header + directory + table;
        size_t at = 12 + r.value[0] % (head - 12);
        lie[at] = (char)(r.value[1] & (k % 3 == 0 ? 0xff : 0x07));
        memcpy(&header, lie, sizeof header);
        if (header.section_count * sizeof(SlSection) <= directory)
            directory = header.section_count * sizeof(SlSection);
        if (header.chunk_count * sizeof(SlChunk) <= table)
            table = header.chunk_count * sizeof(SlChunk);
        uint64_t seed = sl_hash(&header, offsetof(SlContainerHeader, checksum), 0);
        seed = sl_hash(lie + sizeof header, directory, seed);
        header.checksum = sl_hash(lie + sizeof header + directory, table, seed);
        memcpy(lie, &header, sizeof header);
        write_bytes(path, lie, size);
        SlFrame *frame;
        if (sl_frame_read(context, path, &frame, &test_error) == SL_OK) {
            const SlFrameView *view = sl_frame_view(frame);
            for (size_t s = 0; s < view->system_count; s++)
                assert_true(view->systems[s].particle_count <= size);
            sl_frame_destroy(frame);
        }
        free(lie);
    }
    free(bytes);
    sl_world_destroy(world);
    sl_context_destroy(context);
}

static ssize_t full_disk(void *user, int descriptor, const void *data, size_t bytes)
{
    size_t *room = user;
    if (*room == 0)
        return 0;
    size_t part = bytes < *room ? bytes : *room;
    *room -= part;
    return write(descriptor, data, part);
}

static void a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "full");
    snprintf(path, sizeof path, "%s/a.slf", folder);
    SlWorld *world = small_world();
    SlContext *context = sl_world_context(world);
    for (size_t room = 0; room < 7000; room += 591) {
        size_t left = room;
        context->file_layer.write = full_disk;
        context->file_layer.user = &left;
        assert_int_equal(sl_frame_write(context, path, sl_world_view(world), &test_error),
                         SL_ERROR_IO);
        struct stat facts;
        assert_int_not_equal(stat(path, &facts), 0);
    }
    sl_world_destroy(world);
}

static void missing_and_odd_paths(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlFrame *frame;
    assert_int_equal(sl_frame_read(context, "/nowhere/a.slf", &frame, &test_error), SL_ERROR_IO);
    assert_int_equal(sl_frame_read(context, "/tmp", &frame, &test_error), SL_ERROR_IO);
    assert_int_equal(sl_frame_read(context, "/dev/zero", &frame, &test_error), SL_ERROR_IO);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_comes_back),     cmocka_unit_test(flipped_bits_are_found),
        cmocka_unit_test(cut_files_are_refused), cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(a_full_disk_leaves_nothing), cmocka_unit_test(missing_and_odd_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
