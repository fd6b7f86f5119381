/* What every exporter must do, and PLY files read back. */
#include <sys/stat.h>
#include <unistd.h>

#include "io/export/exporter.h"
#include "support/dam.h"

static char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

/* An empty frame, a frame with particles, a path that cannot be written, a name that is none. */
static void exporters_conform(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "export");
    DamSetting setting = {.threads = 1, .nx = 3, .ny = 3, .nz = 3};
    SlWorld *world = dam_create(&setting);
    dam_advance(world, 1);
    SlContext *context = sl_world_context(world);
    SlFilter *filter;
    const SlFrameView *view; /* with particles and their surface */
    assert_ok(sl_filter_create(context, "surface", NULL, &filter, &test_error));
    assert_ok(sl_filter_apply(filter, sl_world_view(world), &view, &test_error));
    size_t count;
    const SlTable *const *tables = sl_exporter_tables(&count);
    assert_int_equal(count, sl_exporter_count);
    for (size_t k = 0; k < count; k++) {
        const char *name = tables[k]->name;
        assert_string_equal(tables[k]->kind, "exporter");
        assert_true(sl_exporter_ending(name)[0] == '.');
        snprintf(path, sizeof path, "%s/a%s", folder, sl_exporter_ending(name));
        SlFrameView empty = {.frame = 0};
        assert_ok(sl_export_frame(context, name, NULL, path, &empty, &test_error));
        struct stat before, after;
        assert_int_equal(stat(path, &before), 0);
        assert_ok(sl_export_frame(context, name, NULL, path, view, &test_error));
        assert_int_equal(stat(path, &after), 0);
        assert_true(after.st_size > before.st_size);
        snprintf(path, sizeof path, "%s/nowhere/a%s", folder, sl_exporter_ending(name));
        assert_int_equal(
            sl_export_frame(context, name, NULL, path, sl_world_view(world), &test_error),
            SL_ERROR_IO);
    }
    sl_filter_destroy(filter);
    assert_null(sl_exporter_ending("none"));
    assert_int_equal(
        sl_export_frame(context, "none", NULL, path, sl_world_view(world), &test_error),
        SL_ERROR_ARGUMENT);
    sl_world_destroy(world);
}

/* Every particle's numbers come back, by the properties that the header names. */
static void ply_comes_back(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "export_ply");
    snprintf(path, sizeof path, "%s/a.ply", folder);
    DamSetting setting = {.threads = 1, .nx = 15, .ny = 15, .nz = 15}; /* more than one buffer */
    SlWorld *world = dam_create(&setting);
    dam_advance(world, 2);
    const SlFrameView *view = sl_world_view(world);
    assert_ok(sl_export_frame(sl_world_context(world), "ply", NULL, path, view, &test_error));
    size_t size;
    char *bytes = read_text(path, &size);
    const char *end = "end_header\n", *head_end = strstr(bytes, end);
    assert_non_null(head_end);
    assert_true(strncmp(bytes, "ply\nformat binary_little_endian 1.0\n", 36) == 0);
    assert_non_null(strstr(bytes, "element vertex 3375\n"));
    const char *const expected = "property float x\nproperty float y\nproperty float z\n"
                                 "property uint id\n"
                                 "property float vx\nproperty float vy\nproperty float vz\n"
                                 "property float density_ratio\nproperty uint system\nend_header\n";
    assert_non_null(strstr(bytes, expected));
    const char *data = head_end + strlen(end);
    assert_int_equal(size - (size_t)(data - bytes), 3375 * 36);
    const SlSystemView *system = &view->systems[0];
    const char *const names[4] = {"position", "id", "velocity", "density_ratio"};
    for (size_t i = 0; i < 3375; i++, data += 36) {
        size_t at = 0;
        for (int k = 0; k < 4; k++) {
            SlFieldView field = sl_view_field(system, names[k]);
            size_t part = 4 * sl_field_lanes(field.type);
            assert_memory_equal(data + at, (const char *)field.data + i * field.stride, part);
            at += part;
        }
    }
    free(bytes);
    sl_world_destroy(world);
}

/* Both formats of a surface are read as a closed mesh of the same volume. */
static void surfaces_come_back(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "export_surface");
    DamSetting setting = {.threads = 1, .nx = 12, .ny = 12, .nz = 12};
    SlWorld *world = dam_create(&setting);
    dam_advance(world, 1);
    SlContext *context = sl_world_context(world);
    SlFilter *filter;
    const SlFrameView *view;
    assert_ok(sl_filter_create(context, "surface", NULL, &filter, &test_error));
    assert_ok(sl_filter_apply(filter, sl_world_view(world), &view, &test_error));
    const char *const names[2] = {"surface_ply", "surface_obj"};
    for (int k = 0; k < 2; k++) {
        SlMeshReport report;
        snprintf(path, sizeof path, "%s/a%s", folder, sl_exporter_ending(names[k]));
        assert_ok(sl_export_frame(context, names[k], NULL, path, view, &test_error));
        assert_ok(sl_mesh_file_report(context, path, &report, &test_error));
        assert_true(report.closed);
        assert_int_equal(report.vertices, view->surfaces[0].vertex_count);
        assert_int_equal(report.triangles, view->surfaces[0].triangle_count);
        assert_near(report.volume / (1728 * 0.001), 1, 0.02);
    }
    sl_filter_destroy(filter);
    sl_world_destroy(world);
}

static ssize_t full_disk(void *user, int descriptor, const void *data, size_t bytes)
{
    (void)user, (void)descriptor, (void)data, (void)bytes;
    return 0;
}

static void failures_leave_nothing(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "export_full");
    snprintf(path, sizeof path, "%s/a.ply", folder);
    DamSetting setting = {.threads = 1, .nx = 3, .ny = 3, .nz = 3};
    SlWorld *world = dam_create(&setting);
    dam_advance(world, 1);
    SlContext *context = sl_world_context(world);
    SlParamValue other = {.text = "snow"};
    assert_int_equal(
        sl_export_frame(context, "ply", &other, path, sl_world_view(world), &test_error),
        SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "snow"));
    context->file_layer.write = full_disk;
    assert_int_equal(
        sl_export_frame(context, "ply", NULL, path, sl_world_view(world), &test_error),
        SL_ERROR_IO);
    struct stat status_of_file;
    assert_int_not_equal(stat(path, &status_of_file), 0);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exporters_conform),
        cmocka_unit_test(ply_comes_back),
        cmocka_unit_test(surfaces_come_back),
        cmocka_unit_test(failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
