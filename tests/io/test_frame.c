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
    assert_int_equal(back->collider_count, 1);
    assert_true(back->colliders[0].shape.radius == 0.25f && back->colliders[0].shape.kind == SL_SHAPE_SPHERE);
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

/* Puts checksums right after a change within `bytes`. */
static void make_consistent(char *bytes, size_t size)
{
    SlContainerHeader header;
    memcpy(&header, bytes, sizeof header);
    size_t directory = header.section_count * sizeof(SlSection);
    size_t table = (size_t)header.chunk_count * sizeof(SlChunk);
    char *at = bytes + sizeof header + directory;
    for (size_t k = 0; k < header.chunk_count; k++) {
        SlChunk chunk;
        memcpy(&chunk, at + k * sizeof chunk, sizeof chunk);
        assert_true(chunk.offset + chunk.stored_bytes <= size);
        chunk.checksum = sl_hash(bytes + chunk.offset, chunk.stored_bytes, 0);
        memcpy(at + k * sizeof chunk, &chunk, sizeof chunk);
    }
    uint64_t seed = sl_hash(&header, offsetof(SlContainerHeader, checksum), 0);
    seed = sl_hash(bytes + sizeof header, directory, seed);
    header.checksum = sl_hash(at, table, seed);
    memcpy(bytes, &header, sizeof header);
}

static void replace_text(char *bytes, size_t size, const char *text, const char *by)
{
    char *found = memmem(bytes, size, text, strlen(text) + 1);
    assert_non_null(found);
    memcpy(found, by, strlen(by) + 1);
}

/* Kinds are stored by name: one that a later Sleet has is refused with its name. */
static void unknown_kinds_are_named(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "unknown");
    snprintf(path, sizeof path, "%s/a.slf", folder);
    SlWorld *world = small_world();
    SlContext *context = sl_world_context(world);
    const char *const kinds[2][3] = {{"sphere", "torus", "torus"}, {"water", "lava", "lava"}};
    for (int k = 0; k < 2; k++) {
        assert_ok(sl_frame_write(context, path, sl_world_view(world), &test_error));
        size_t size;
        char *bytes = read_bytes(path, &size);
        replace_text(bytes, size, kinds[k][0], kinds[k][1]);
        make_consistent(bytes, size);
        write_bytes(path, bytes, size);
        SlFrame *frame;
        assert_int_equal(sl_frame_read(context, path, &frame, &test_error), SL_ERROR_UNSUPPORTED);
        assert_non_null(strstr(test_error.text, kinds[k][2]));
        free(bytes);
    }
    sl_world_destroy(world);
}

static void other_versions_are_named(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "version");
    snprintf(path, sizeof path, "%s/a.slf", folder);
    SlWorld *world = small_world();
    SlContext *context = sl_world_context(world);
    assert_ok(sl_frame_write(context, path, sl_world_view(world), &test_error));
    size_t size;
    char *bytes = read_bytes(path, &size);
    const uint32_t versions[3] = {2, 3, SL_CONTAINER_VERSION + 1};
    for (int k = 0; k < 3; k++) {
        memcpy(bytes + offsetof(SlContainerHeader, version), &versions[k], sizeof versions[k]);
        make_consistent(bytes, size);
        write_bytes(path, bytes, size);
        SlFrame *frame;
        assert_int_equal(sl_frame_read(context, path, &frame, &test_error), SL_ERROR_PARSE);
        char expected[32];
        snprintf(expected, sizeof expected, "version %u", versions[k]);
        assert_non_null(strstr(test_error.text, expected));
        assert_true((strstr(test_error.text, "older Sleet") != NULL) == (k < 2));
    }
    free(bytes);
    sl_world_destroy(world);
}

/* Frames do not touch the arena of the context, which steps use. */
static void writers_have_an_arena_of_their_own(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "arena");
    snprintf(path, sizeof path, "%s/a.slf", folder);
    SlWorld *world = small_world();
    SlContext *context = sl_world_context(world);
    const SlStateView *all;
    assert_ok(sl_world_state(world, &all, &test_error));
    sl_arena_reset(&context->arena);
    char *scratch = sl_arena_push(&context->arena, 4096);
    assert_non_null(scratch);
    memset(scratch, 0x5a, 4096);
    size_t in_use = context->arena.in_use;
    SlWriterDef def = sl_default_writer_def();
    SlWriter *one, *two;
    assert_ok(sl_writer_create(context, &def, &one, &test_error));
    assert_ok(sl_writer_create(context, &def, &two, &test_error));
    assert_ok(sl_writer_frame(one, path, sl_world_view(world), &test_error));
    assert_ok(sl_writer_checkpoint(two, path, all, &test_error));
    assert_ok(sl_writer_wait(one, &test_error));
    assert_ok(sl_writer_wait(two, &test_error));
    assert_int_equal(context->arena.in_use, in_use);
    for (int k = 0; k < 4096; k++)
        assert_int_equal(scratch[k], 0x5a);
    sl_writer_destroy(one);
    sl_writer_destroy(two);
    sl_world_destroy(world);
}

/* What filters make: surfaces come back as they were; broken ones are refused. */
static void surfaces_come_back(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "surfaces");
    snprintf(path, sizeof path, "%s/a.slf", folder);
    const float x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, n[12] = {1, 0, 0, 0, 1};
    const float v[12] = {0, 2};
    uint32_t triangles[6] = {0, 1, 2, 2, 1, 3};
    SlSurfaceView surfaces[2] = {{.system = "water", .positions = x, .normals = n, .velocities = v,
                                  .vertex_count = 4, .triangles = triangles, .triangle_count = 2,
                                  .material = sl_default_material(SL_MATERIAL_FOAM)},
                                 {.system = "oil", .positions = x, .normals = n, .velocities = v,
                                  .triangles = triangles,
                                  .material = sl_default_material(SL_MATERIAL_SOLID)}};
    SlFrameView view = {.frame = 5, .surfaces = surfaces, .surface_count = 2,
                        .domain_material = sl_default_material(SL_MATERIAL_GROUND)};
    SlContext *context = test_context(1);
    SlFrame *frame;
    assert_ok(sl_frame_write(context, path, &view, &test_error));
    assert_ok(sl_frame_read(context, path, &frame, &test_error));
    const SlFrameView *back = sl_frame_view(frame);
    assert_int_equal(back->surface_count, 2);
    const SlSurfaceView *water = sl_view_surface(back, "water"), *oil = sl_view_surface(back, "oil");
    assert_int_equal(water->vertex_count, 4);
    assert_int_equal(water->triangle_count, 2);
    assert_memory_equal(water->positions, x, sizeof x);
    assert_memory_equal(water->normals, n, sizeof n);
    assert_memory_equal(water->velocities, v, sizeof v);
    assert_memory_equal(water->triangles, triangles, sizeof triangles);
    assert_int_equal(water->material.kind, SL_MATERIAL_FOAM);
    assert_int_equal(oil->vertex_count + oil->triangle_count, 0);
    assert_non_null(oil->positions);
    sl_frame_destroy(frame);
    triangles[4] = 4;
    assert_ok(sl_frame_write(context, path, &view, &test_error));
    assert_int_equal(sl_frame_read(context, path, &frame, &test_error), SL_ERROR_PARSE);
    assert_non_null(strstr(test_error.text, "vertex"));
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
        struct stat status_of_file;
        assert_int_not_equal(stat(path, &status_of_file), 0);
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
        cmocka_unit_test(unknown_kinds_are_named), cmocka_unit_test(other_versions_are_named),
        cmocka_unit_test(writers_have_an_arena_of_their_own),
        cmocka_unit_test(surfaces_come_back),
        cmocka_unit_test(a_full_disk_leaves_nothing), cmocka_unit_test(missing_and_odd_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
