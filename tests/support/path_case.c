#include "support/path_case.h"

void path_set(PathCase *c, const char *name, double value)
{
    assert_ok(sl_table_set_number(c->table, c->values, name, value, &test_error));
}

void path_set_text(PathCase *c, const char *name, const char *value)
{
    assert_ok(sl_table_set_text(c->table, c->values, name, value, &test_error));
}

void path_set_vec3(PathCase *c, const char *name, double x, double y, double z)
{
    const double value[3] = {x, y, z};
    assert_ok(sl_table_set_vec3(c->table, c->values, name, value, &test_error));
}

PathCase path_case(uint32_t width, uint32_t height, uint32_t samples)
{
    PathCase c = {.width = width, .height = height};
    size_t count;
    const SlTable *const *tables = sl_renderer_tables(&count);
    c.table = sl_table_named(tables, count, "path");
    assert_non_null(c.table);
    assert_true(c.table->row_count <= PATH_MAX_ROWS);
    sl_table_defaults(c.table, c.values);
    c.view = (SlFrameView){.domain = {{-1, -1, -1}, {1, 1, 1}},
                           .gravity = {0, -9.81f, 0},
                           .domain_material = sl_default_material(SL_MATERIAL_GROUND)};
    c.camera = sl_default_camera();
    c.camera.eye = (SlVec3){0, 0, 4};
    c.camera.target = (SlVec3){0, 0, 0};
    path_set(&c, "width", width);
    path_set(&c, "height", height);
    path_set(&c, "samples", samples);
    path_set(&c, "ground", 0);
    path_set(&c, "haze", 0);
    path_set(&c, "sun", 0);
    path_set(&c, "clamp", 0);
    path_set(&c, "exposure", 1);
    path_set(&c, "max_bounces", 64);
    path_set_text(&c, "sky", "uniform");
    path_set_text(&c, "denoise", "none");
    path_set_vec3(&c, "background_bottom", 1, 1, 1);
    return c;
}

SlMaterial path_material(SlMaterialKind kind, float color, float roughness)
{
    SlMaterial material = sl_default_material(kind);
    material.color = (SlVec3){color, color, color};
    material.roughness = roughness;
    memset(material.absorption, 0, sizeof material.absorption);
    return material;
}

void path_add_shape(PathCase *c, SlShape shape, SlMaterial material)
{
    assert_true(c->view.collider_count < PATH_MAX_COLLIDERS);
    c->colliders[c->view.collider_count++] =
        (SlColliderView){.name = "", .kind = SL_COLLIDER_SHAPE, .shape = shape, .material = material};
}

/* 24 vertices, so that the normals of the sides are exact. */
void path_add_water(PathCase *c, SlBox box, SlMaterial material)
{
    static float positions[72], normals[72], velocities[72];
    static uint32_t triangles[36];
    for (uint32_t side = 0; side < 6; side++) {
        uint32_t axis = side / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        bool high = side % 2 == 1;
        for (uint32_t k = 0; k < 4; k++) {
            const float *low = &box.min.x, *top = &box.max.x;
            float *p = positions + 3 * (4 * side + k), *n = normals + 3 * (4 * side + k);
            bool a = k == 1 || k == 2, b = k >= 2;
            p[axis] = high ? top[axis] : low[axis];
            p[u] = a ? top[u] : low[u];
            p[v] = b ? top[v] : low[v];
            n[axis] = high ? 1 : -1;
            n[u] = n[v] = 0;
        }
        const uint32_t order[6] = {0, high ? 1 : 2, high ? 2 : 1, 0, high ? 2 : 3, high ? 3 : 2};
        for (uint32_t k = 0; k < 6; k++)
            triangles[6 * side + k] = 4 * side + order[k];
    }
    c->surface = (SlSurfaceView){.system = "water", .positions = positions, .normals = normals,
                                 .velocities = velocities, .vertex_count = 24, .triangles = triangles,
                                 .triangle_count = 12, .material = material};
    c->view.surface_count = 1;
}

float *path_draw(const PathCase *given, uint32_t threads, const char *plane)
{
    PathCase c = *given;
    c.view.colliders = c.colliders;
    c.view.surfaces = c.view.surface_count > 0 ? &c.surface : NULL;
    SlContext *context = test_context(threads);
    SlRenderer *renderer;
    SlTarget *target;
    SlRenderJob job = sl_default_render_job(&c.view);
    job.camera = &c.camera;
    job.region = c.region;
    job.next = c.next;
    job.previous = c.previous;
    if (c.region.width > 0) {
        c.width = c.region.width;
        c.height = c.region.height;
    }
    job.planes = &plane;
    job.plane_count = 1;
    assert_ok(sl_renderer_create(context, "path", c.values, &renderer, &test_error));
    assert_ok(sl_target_create(context, c.width, c.height, &plane, 1, &target, &test_error));
    assert_ok(sl_render_begin(renderer, &job, &test_error));
    for (uint32_t remaining = 1; remaining > 0;)
        assert_ok(sl_render_accumulate(renderer, &remaining, &test_error));
    assert_ok(sl_render_resolve(renderer, target, &test_error));
    size_t channels = strcmp(plane, "depth") == 0 ? 1 : 3, count = channels * c.width * c.height;
    float *values = malloc(count * sizeof *values);
    memcpy(values, sl_target_plane(target, plane), count * sizeof *values);
    sl_target_destroy(target);
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
    return values;
}

double path_mean(const float *values, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += (double)values[k];
    return sum / (double)count;
}
