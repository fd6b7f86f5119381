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

/* x y z, normal and velocity of each vertex, and the triangles, bit by bit. */
static void check_surface_ply(const char *path, const SlSurfaceView *surface)
{
    size_t size;
    char *bytes = read_text(path, &size), head[600];
    snprintf(head, sizeof head,
             "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n"
             "property float nx\nproperty float ny\nproperty float nz\n"
             "property float vx\nproperty float vy\nproperty float vz\n"
             "element face %zu\nproperty list uchar uint vertex_indices\nend_header\n",
             surface->vertex_count, surface->triangle_count);
    const char *data = strstr(bytes, head);
    assert_non_null(data);
    data += strlen(head);
    assert_int_equal(size - (size_t)(data - bytes),
                     36 * surface->vertex_count + 13 * surface->triangle_count);
    for (size_t i = 0; i < surface->vertex_count; i++, data += 36) {
        assert_memory_equal(data, surface->positions + 3 * i, 12);
        assert_memory_equal(data + 12, surface->normals + 3 * i, 12);
        assert_memory_equal(data + 24, surface->velocities + 3 * i, 12);
    }
    for (size_t t = 0; t < surface->triangle_count; t++, data += 13) {
        assert_int_equal(data[0], 3);
        assert_memory_equal(data + 1, surface->triangles + 3 * t, 12);
    }
    free(bytes);
}

static void check_numbers(const char *line, const char *key, const float *wanted, double error)
{
    float x[3];
    size_t length = strlen(key);
    assert_true(strncmp(line, key, length) == 0);
    assert_int_equal(sscanf(line + length, " %f %f %f", &x[0], &x[1], &x[2]), 3);
    for (int k = 0; k < 3; k++)
        assert_near(x[k], wanted[k], error * (fabs(wanted[k]) + 1e-3));
}

/* The same from text: positions have nine digits, normals and velocities six. */
static void check_surface_obj(const char *path, const SlSurfaceView *surface)
{
    size_t size, vertices = 0, triangles = 0;
    char *bytes = read_text(path, &size), *rest = NULL;
    for (char *line = strtok_r(bytes, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        size_t a[3], n[3];
        if (strncmp(line, "v ", 2) == 0) {
            assert_true(vertices < surface->vertex_count);
            size_t i = vertices++;
            check_numbers(line, "v ", surface->positions + 3 * i, 0);
            check_numbers(strtok_r(NULL, "\n", &rest), "vn ", surface->normals + 3 * i, 1e-5);
            check_numbers(strtok_r(NULL, "\n", &rest), "# velocity ", surface->velocities + 3 * i,
                          1e-5);
        } else if (sscanf(line, "f %zu//%zu %zu//%zu %zu//%zu", &a[0], &n[0], &a[1], &n[1], &a[2],
                          &n[2]) == 6) {
            assert_true(triangles < surface->triangle_count);
            for (size_t k = 0; k < 3; k++) {
                assert_int_equal(a[k], surface->triangles[3 * triangles + k] + 1);
                assert_int_equal(n[k], a[k]);
            }
            triangles++;
        }
    }
    assert_int_equal(vertices, surface->vertex_count);
    assert_int_equal(triangles, surface->triangle_count);
    free(bytes);
}

/* Normals have length 1 and velocities are those of falling water: the files hold numbers worth reading. */
static void check_surface(const SlSurfaceView *surface)
{
    float fastest = 0;
    for (size_t i = 0; i < surface->vertex_count; i++) {
        const float *n = surface->normals + 3 * i, *v = surface->velocities + 3 * i;
        assert_near(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-4);
        fastest = fmaxf(fastest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    assert_true(fastest > 0.01f);
}

/* Both formats of a surface are read as a closed mesh of the same volume, and have the vertices' values. */
static void surfaces_come_back(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "export_surface");
    DamSetting setting = {.threads = 1, .nx = 12, .ny = 12, .nz = 12};
    SlWorld *world = dam_create(&setting);
    dam_advance(world, 4);
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
        assert_near(report.volume / (1728 * 0.001), 1, 0.03);
        (k == 0 ? check_surface_ply : check_surface_obj)(path, &view->surfaces[0]);
    }
    check_surface(&view->surfaces[0]);
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
