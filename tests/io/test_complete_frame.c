/* A frame holds everything needed to draw: a picture from a folder that was moved away from its scene
   and meshes is the live picture, bit for bit. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/hash.h"
#include "io/container.h"
#include "io/records.h"
#include "support/dam.h"
#include "support/sphere_mesh.h"

enum { FRAMES = 3, KEYS = 3, WIDTH = 160, HEIGHT = 120, MAX_ROWS = 64 };

static SphereKeys keys;

/* A ball that the program moves, a mesh that it moves, a deforming mesh, water, two cameras. */
typedef struct Bath {
    SlWorld *world;
    SlColliderId ball, mesh, deforming;
} Bath;

static Bath make_bath(const char *mesh_path)
{
    DamSetting setting = {.threads = 2, .nx = 6, .ny = 5, .nz = 6, .domain = {3, 2, 2}};
    Bath bath = {.world = dam_create(&setting)};
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){1.2f, 0.5f, 1};
    ball.radius = 0.25f;
    assert_ok(sl_world_add_collider(bath.world, &ball, &bath.ball, &test_error));
    SlMeshColliderDef mesh = sl_default_mesh_collider_def();
    mesh.path = mesh_path;
    mesh.scale = 0.3f;
    mesh.position = (SlVec3){2, 0.6f, 0.6f};
    assert_ok(sl_world_add_mesh_collider(bath.world, &mesh, &bath.mesh, &test_error));
    SlMeshColliderDef deforming = sl_default_mesh_collider_def();
    deforming.paths = keys.paths;
    deforming.path_count = KEYS;
    deforming.rate = 40;
    deforming.position = (SlVec3){2.2f, 1, 1.5f};
    assert_ok(sl_world_add_mesh_collider(bath.world, &deforming, &bath.deforming, &test_error));
    assert_ok(sl_collider_set_name(bath.world, bath.mesh, "rock", &test_error));
    SlMaterial glass = sl_default_material(SL_MATERIAL_GLASS);
    glass.color = (SlVec3){0.1f, 0.2f, 0.9f};
    assert_ok(sl_collider_set_material(bath.world, bath.mesh, &glass, &test_error));
    SlCamera cameras[2] = {sl_default_camera(), sl_default_camera()};
    snprintf(cameras[0].name, sizeof cameras[0].name, "front");
    snprintf(cameras[1].name, sizeof cameras[1].name, "above");
    cameras[0].eye = (SlVec3){1.5f, 1.6f, 6};
    cameras[0].target = cameras[1].target = (SlVec3){1.5f, 0.6f, 1};
    cameras[1].eye = (SlVec3){3, 5, 3};
    cameras[1].weight = 0;
    assert_ok(sl_world_set_cameras(bath.world, cameras, 2, &test_error));
    return bath;
}

static void move_bodies(const Bath *bath, int frame)
{
    float half = 0.1f * (float)frame;
    SlPose pose = {.rotation = {sinf(half), 0, 0, cosf(half)}};
    const SlColliderId ids[2] = {bath->ball, bath->mesh};
    for (int k = 0; k < 2; k++) {
        SlPose now;
        assert_ok(sl_collider_pose(bath->world, ids[k], &now, &test_error));
        pose.position = (SlVec3){now.position.x - 0.03f, now.position.y, now.position.z};
        assert_ok(sl_collider_set_target(bath->world, ids[k], pose, &test_error));
    }
}

static SlRenderer *make_renderer(SlContext *context)
{
    size_t count;
    const SlTable *table = sl_renderer_tables(&count)[0];
    SlParamValue values[MAX_ROWS];
    assert_true(table->row_count <= MAX_ROWS);
    for (size_t k = 0; k < table->row_count; k++)
        values[k] = table->rows[k].value;
    const char *const names[2] = {"width", "height"};
    const double sizes[2] = {WIDTH, HEIGHT};
    for (int k = 0; k < 2; k++) {
        const SlParamRow *row = sl_table_find(table, names[k]);
        assert_ok(sl_param_set_number(row, sizes[k], &values[row - table->rows], &test_error));
    }
    SlRenderer *renderer;
    assert_ok(sl_renderer_create(context, table->name, values, &renderer, &test_error));
    return renderer;
}

static uint64_t picture(SlRenderer *renderer, const SlFrameView *view, const char *camera)
{
    const SlImage *image;
    assert_non_null(sl_view_camera(view, camera));
    assert_ok(sl_renderer_draw(renderer, view, sl_view_camera(view, camera), &image, &test_error));
    return sl_hash(image->pixels, (size_t)3 * image->width * image->height, 0);
}

static void frame_path(char *path, size_t size, const char *folder, int frame)
{
    snprintf(path, size, "%s/frame_%06d.slf", folder, frame);
}

static size_t count_files(const char *folder)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

/* The run; live pictures of every frame. Afterwards the meshes it was made of are gone, and the
   folder has another name. */
static void write_run(const char *folder, uint64_t live[FRAMES])
{
    char mesh_path[600], before[600], path[800], command[2000];
    snprintf(before, sizeof before, "%s_before", folder);
    snprintf(command, sizeof command, "rm -rf %s && mkdir -p %s && rm -rf %s", before, before,
             folder);
    assert_int_equal(system(command), 0);
    sphere_mesh_write(mesh_path, sizeof mesh_path, 3);
    sphere_keys_write(&keys, KEYS, "complete-keys", 0.2f, 0.05f, 0.02f);
    Bath bath = make_bath(mesh_path);
    SlContext *context = sl_world_context(bath.world);
    SlRenderer *renderer = make_renderer(context);
    SlWriterDef def = sl_default_writer_def();
    SlWriter *writer;
    assert_ok(sl_writer_create(context, &def, &writer, &test_error));
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame > 0) {
            move_bodies(&bath, frame);
            dam_advance(bath.world, 1);
        }
        const SlFrameView *view = sl_world_view(bath.world);
        live[frame] = picture(renderer, view, "above");
        assert_true(frame == 0 || live[frame] != live[frame - 1]);
        frame_path(path, sizeof path, before, frame);
        assert_ok(sl_writer_frame(writer, path, view, &test_error));
    }
    assert_ok(sl_writer_wait(writer, &test_error));
    sl_writer_destroy(writer);
    sl_renderer_destroy(renderer);
    sl_world_destroy(bath.world);
    for (int k = 0; k < KEYS; k++)
        assert_int_equal(unlink(keys.paths[k]), 0);
    assert_int_equal(rename(before, folder), 0);
}

static void moved_folder_draws_the_same(void **state)
{
    (void)state;
    char folder[512], path[600], meshes[600];
    uint64_t live[FRAMES];
    test_folder(folder, sizeof folder, "complete");
    snprintf(meshes, sizeof meshes, "%s/meshes", folder);
    write_run(folder, live);
    assert_int_equal(count_files(meshes), 2); /* one mesh, and the deforming one's triangles */
    SlContext *context = test_context(1);
    SlRenderer *renderer = make_renderer(context);
    SlFrameReaderDef def = sl_default_frame_reader_def();
    SlFrameReader *reader;
    assert_ok(sl_frame_reader_create(context, &def, &reader, &test_error));
    SlFrame *frames[FRAMES];
    for (int frame = 0; frame < FRAMES; frame++) {
        frame_path(path, sizeof path, folder, frame);
        assert_ok(sl_frame_reader_read(reader, path, &frames[frame], &test_error));
        assert_true(picture(renderer, sl_frame_view(frames[frame]), "above") == live[frame]);
        assert_true(picture(renderer, sl_frame_view(frames[frame]), "front") != live[frame]);
    }
    const SlColliderView *first = sl_view_collider(sl_frame_view(frames[0]), "rock");
    const SlColliderView *last = sl_view_collider(sl_frame_view(frames[2]), "rock");
    assert_true(first->mesh.positions == last->mesh.positions); /* in memory once */
    assert_near(last->pose.position.x, first->pose.position.x, 0.5);
    assert_true(last->pose.position.x != first->pose.position.x);
    assert_int_equal(first->material.kind, SL_MATERIAL_GLASS);
    assert_true(first->material.color.z == 0.9f);
    sl_frame_reader_destroy(reader); /* frames keep their meshes */
    assert_true(picture(renderer, sl_frame_view(frames[1]), "above") == live[1]);
    for (int frame = 0; frame < FRAMES; frame++)
        sl_frame_destroy(frames[frame]);
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

/* A mesh file of the run. */
static void find_mesh(const char *folder, char *path, size_t size)
{
    char meshes[600];
    snprintf(meshes, sizeof meshes, "%s/meshes", folder);
    DIR *dir = opendir(meshes);
    assert_non_null(dir);
    path[0] = '\0';
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strlen(entry->d_name) == strlen(".slm") + 32)
            snprintf(path, size, "%s/%s", meshes, entry->d_name);
    closedir(dir);
    assert_true(path[0] != '\0');
}

static void missing_and_damaged_meshes_are_named(void **state)
{
    (void)state;
    char folder[512], path[600], mesh[1000], hidden[1020];
    uint64_t live[FRAMES];
    test_folder(folder, sizeof folder, "missing");
    write_run(folder, live);
    SlContext *context = test_context(1);
    frame_path(path, sizeof path, folder, 1);
    find_mesh(folder, mesh, sizeof mesh);
    snprintf(hidden, sizeof hidden, "%s.away", mesh);
    assert_int_equal(rename(mesh, hidden), 0);
    SlFrame *frame;
    assert_int_equal(sl_frame_read(context, path, &frame, &test_error), SL_ERROR_IO);
    assert_null(frame);
    char hash[33];
    snprintf(hash, sizeof hash, "%.32s", strrchr(mesh, '/') + 1);
    assert_non_null(strstr(test_error.text, hash));
    assert_non_null(strstr(test_error.text, "/meshes"));
    /* Without its meshes it is read all the same. */
    SlFrameReaderDef def = sl_default_frame_reader_def();
    def.without_meshes = true;
    SlFrameReader *reader;
    assert_ok(sl_frame_reader_create(context, &def, &reader, &test_error));
    assert_ok(sl_frame_reader_read(reader, path, &frame, &test_error));
    const SlColliderView *rock = sl_view_collider(sl_frame_view(frame), "rock");
    assert_null(rock->mesh.positions);
    assert_true(rock->mesh.hash[0] != 0);
    sl_frame_destroy(frame);
    sl_frame_reader_destroy(reader);
    /* Another mesh under its name is not it. */
    char other[1000];
    find_mesh(folder, other, sizeof other);
    assert_string_not_equal(other, mesh);
    assert_int_equal(link(other, mesh), 0);
    assert_int_equal(sl_frame_read(context, path, &frame, &test_error), SL_ERROR_PARSE);
    assert_non_null(strstr(test_error.text, "hash of its content"));
    sl_context_destroy(context);
}

/* Every byte of a mesh file is under a checksum: any single flipped bit is found. */
static void expect_flips_found(SlContext *context, const char *folder)
{
    char mesh[1000], path[600];
    find_mesh(folder, mesh, sizeof mesh);
    SlFrame *frame;
    frame_path(path, sizeof path, folder, 0);
    FILE *file = fopen(mesh, "r+b");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    for (long k = 0; k < 300; k++) {
        long at = k < 200 ? k * 3 % size : (k * 7919) % size;
        for (int turn = 0; turn < 2; turn++) { /* there and back */
            fseek(file, at, SEEK_SET);
            int byte = fgetc(file) ^ (1 << k % 8);
            fseek(file, at, SEEK_SET);
            fputc(byte, file);
            fflush(file);
            SlStatus status = sl_frame_read(context, path, &frame, &test_error);
            assert_int_equal(status, turn == 0 ? SL_ERROR_PARSE : SL_OK);
            sl_frame_destroy(frame);
        }
    }
    fclose(file);
}

/* A run with a mesh of its own in each of 100 frames: a reader does not keep them all. In memory, for
   the disk would take seconds. */
static void damaged_and_unused_meshes(void **state)
{
    (void)state;
    enum { COUNT = 100, VERTICES = 1000 };
    char folder[128], path[256], command[256];
    snprintf(folder, sizeof folder, "/dev/shm/sleet-meshes-%ld", (long)getpid());
    assert_int_equal(mkdir(folder, 0700), 0);
    static float positions[3 * VERTICES];
    static const uint32_t triangle[3] = {0, 1, 2};
    SlContext *context = test_context(1);
    SlWriterDef writing = sl_default_writer_def();
    SlWriter *writer;
    assert_ok(sl_writer_create(context, &writing, &writer, &test_error));
    SlColliderView collider = {.name = "body",
                               .kind = SL_COLLIDER_MESH,
                               .mesh = {.positions = positions,
                                        .vertex_count = VERTICES,
                                        .triangles = triangle,
                                        .triangle_count = 1},
                               .pose = {.rotation = {0, 0, 0, 1}},
                               .material = sl_default_material(SL_MATERIAL_SOLID)};
    SlFrameView view = {.domain = {{0, 0, 0}, {1, 1, 1}},
                        .domain_material = sl_default_material(SL_MATERIAL_GROUND),
                        .colliders = &collider,
                        .collider_count = 1};
    frame_path(path, sizeof path, folder, 0);
    assert_ok(sl_writer_frame(writer, path, &view, &test_error));
    assert_ok(sl_writer_wait(writer, &test_error));
    expect_flips_found(context, folder);
    for (int k = 0; k < COUNT; k++) {
        positions[0] = (float)k;
        frame_path(path, sizeof path, folder, k);
        assert_ok(sl_writer_frame(writer, path, &view, &test_error));
    }
    assert_ok(sl_writer_wait(writer, &test_error));
    sl_writer_destroy(writer);
    SlFrameReaderDef def = sl_default_frame_reader_def();
    SlFrameReader *reader;
    assert_ok(sl_frame_reader_create(context, &def, &reader, &test_error));
    SlFrame *first, *frame;
    frame_path(path, sizeof path, folder, 0);
    assert_ok(sl_frame_reader_read(reader, path, &first, &test_error));
    uint64_t held = sl_context_bytes_held(context), max_held = 0;
    for (int k = 0; k < COUNT; k++) {
        frame_path(path, sizeof path, folder, k);
        assert_ok(sl_frame_reader_read(reader, path, &frame, &test_error));
        assert_true(sl_frame_view(frame)->colliders[0].mesh.positions[0] == (float)k);
        sl_frame_destroy(frame);
        uint64_t now = sl_context_bytes_held(context) - held;
        max_held = now > max_held ? now : max_held;
    }
    assert_less((double)max_held, 70.0 * 12 * VERTICES);
    assert_true(sl_frame_view(first)->colliders[0].mesh.positions[0] == 0); /* still in use */
    sl_frame_reader_destroy(reader);
    sl_frame_destroy(first);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_folder_draws_the_same),
        cmocka_unit_test(missing_and_damaged_meshes_are_named),
        cmocka_unit_test(damaged_and_unused_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
