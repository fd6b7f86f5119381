/* Fields on disk: read back as written; whatever is wrong with a file, the field is built anew. */
#include "core/hash.h"
#include "geometry/sdf/sdf.h"
#include "geometry/test_sdf_meshes.h"

static char folder[512], last_log[512];

static void keep_log(void *user, SlLogLevel level, const char *text)
{
    (void)user;
    (void)level;
    snprintf(last_log, sizeof last_log, "%s", text);
}

static SlContext *logging_context(void)
{
    SlContext *context = test_context(2);
    context->hooks.log = keep_log;
    last_log[0] = '\0';
    return context;
}

static uint64_t hash_of(SlContext *context, const SlMesh *mesh, bool hollow)
{
    SlSdf sdf;
    SlSdfSettings s = sl_default_sdf_settings(0.08);
    s.hollow = hollow;
    assert_ok(sl_sdf_load_or_build(context, mesh, &s, folder, &sdf, &test_error));
    uint64_t hash = sl_sdf_hash(&sdf);
    for (uint64_t k = 0; k < 200; k++) /* whatever was read, asking it is safe */
        sl_sdf_distance(&sdf, random_point(k, 0.5f), NULL);
    sl_sdf_destroy(&sdf);
    return hash;
}

/* Gives a changed file the checksum it should have: of the head (8 bytes of checksum at 16 taken as
   0), then part by part. Sizes are those of the undamaged field. */
static void mend_checksum(char *data, const SlSdf *sdf)
{
    size_t blocks = sdf->grid.count;
    size_t parts[11] = {88,
                        blocks * sizeof(SlBlockCoord),
                        blocks * SL_BLOCK_STRIDE * sizeof(float),
                        sl_sdf_block_total(sdf) * sizeof(float),
                        sl_sdf_code_bytes(sdf),
                        (sdf->sharp_count + 1) * sizeof(uint32_t),
                        sdf->sharp_start[sdf->sharp_count] * sizeof(uint32_t),
                        sdf->triangle_count * sizeof(SlSdfTriangle),
                        sdf->fine_count * SL_BLOCK_STRIDE * sizeof(float),
                        sdf->tree_count * sizeof(SlBvhNode), 0};
    uint64_t sum = 0;
    memset(data + 16, 0, sizeof sum);
    const char *at = data;
    for (int k = 0; k < 11; at += parts[k], k++)
        sum = sl_hash(at, parts[k], sum);
    memcpy(data + 16, &sum, sizeof sum);
}

/* The only file of the folder. */
static void only_file(char *path, size_t size)
{
    char command[700];
    snprintf(command, sizeof command, "ls %s/*", folder);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    assert_non_null(fgets(path, (int)size, list));
    path[strcspn(path, "\n")] = '\0';
    char more[512];
    assert_null(fgets(more, sizeof more, list));
    pclose(list);
}

static void test_round_trip(void **state)
{
    (void)state;
    char path[512];
    test_folder(folder, sizeof folder, "sdf-cache");
    SlContext *context = logging_context();
    SlMesh mesh = make_torus(context, 16, 8);
    uint64_t held = sl_context_bytes_held(context);
    uint64_t built = hash_of(context, &mesh, false);
    assert_true(hash_of(context, &mesh, false) == built);
    assert_true(hash_of(context, &mesh, true) != built); /* hollow, from the same file */
    only_file(path, sizeof path);
    assert_string_equal(last_log, "");
    mesh.positions[0] += 0.01f;
    assert_true(hash_of(context, &mesh, false) != built);
    assert_int_equal(sl_context_bytes_held(context), held);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

/* Bytes turned, and files cut short. */
static void test_damaged(void **state)
{
    (void)state;
    char path[512], *data;
    size_t bytes;
    test_folder(folder, sizeof folder, "sdf-damaged");
    SlContext *context = logging_context();
    SlMesh mesh = make_cube(context, 0.2f);
    uint64_t held = sl_context_bytes_held(context), built = hash_of(context, &mesh, false);
    only_file(path, sizeof path);
    assert_ok(sl_file_read(&context->memory, path, 1 << 28, &data, &bytes, &test_error));
    for (uint64_t k = 0; k < 60; k++) {
        SlRandom4 r = sl_random(5, k, 0);
        size_t at = k < 30 ? r.value[0] % 96 : r.value[0] % bytes;
        size_t length = k % 10 == 9 ? r.value[2] % bytes : bytes;
        char old = data[at];
        data[at] = (char)(data[at] ^ (1 + r.value[1] % 255));
        assert_ok(sl_file_write(&context->file_layer, path, data, length, &test_error));
        data[at] = old;
        last_log[0] = '\0';
        assert_true(hash_of(context, &mesh, false) == built);
        assert_non_null(strstr(last_log, "built anew"));
    }
    sl_free(&context->memory, data, bytes + 1);
    assert_int_equal(sl_context_bytes_held(context), held);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

/* Bytes turned under a checksum that fits: indices must be caught, other numbers may pass. */
static void test_forged(void **state)
{
    (void)state;
    char path[512], *data;
    size_t bytes, caught = 0;
    test_folder(folder, sizeof folder, "sdf-forged");
    SlContext *context = logging_context();
    SlMesh mesh = make_torus(context, 64, 32); /* finer than the cells: with fine blocks */
    uint64_t held = sl_context_bytes_held(context);
    hash_of(context, &mesh, false);
    only_file(path, sizeof path);
    SlSdf sdf;
    SlSdfSettings s = sl_default_sdf_settings(0.08);
    assert_ok(sl_sdf_load_or_build(context, &mesh, &s, folder, &sdf, &test_error));
    assert_ok(sl_file_read(&context->memory, path, 1 << 28, &data, &bytes, &test_error));
    assert_true(sdf.fine_count > 0 && sdf.tree_count > 0);
    uint64_t sum;
    memcpy(&sum, data + 16, sizeof sum);
    mend_checksum(data, &sdf);
    assert_memory_equal(data + 16, &sum, sizeof sum); /* this test knows the format */
    for (uint64_t k = 0; k < 100; k++) {
        SlRandom4 r = sl_random(6, k, 0);
        size_t tail = sdf.tree_count * sizeof(SlBvhNode); /* the tree is at the end */
        size_t at = k % 4 == 0 ? r.value[0] % bytes : bytes - 1 - r.value[0] % tail;
        at = k % 8 == 1 ? 24 + r.value[0] % 64 : at;
        char old = data[at];
        data[at] = (char)(data[at] ^ (1 + r.value[1] % 255));
        mend_checksum(data, &sdf);
        assert_ok(sl_file_write(&context->file_layer, path, data, bytes, &test_error));
        data[at] = old;
        last_log[0] = '\0';
        hash_of(context, &mesh, false);
        caught += strstr(last_log, "built anew") != NULL;
    }
    print_message("forged files: %zu of 100 caught\n", caught);
    assert_true(caught > 10);
    sl_free(&context->memory, data, bytes + 1);
    sl_sdf_destroy(&sdf);
    assert_int_equal(sl_context_bytes_held(context), held);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

static ssize_t failing_write(void *user, int descriptor, const void *data, size_t bytes)
{
    (void)user;
    (void)descriptor;
    (void)data;
    (void)bytes;
    return -1;
}

static void test_nowhere_to_write(void **state)
{
    (void)state;
    SlContext *context = logging_context();
    SlMesh mesh = make_cube(context, 0.2f);
    test_folder(folder, sizeof folder, "sdf-full");
    context->file_layer.write = failing_write;
    uint64_t built = hash_of(context, &mesh, false);
    assert_non_null(strstr(last_log, "not kept"));
    snprintf(folder, sizeof folder, "/dev/null/there");
    last_log[0] = '\0';
    assert_true(hash_of(context, &mesh, false) == built);
    assert_non_null(strstr(last_log, "not kept"));
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_forged),
        cmocka_unit_test(test_nowhere_to_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
