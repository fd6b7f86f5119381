/* Draws a scene of the comparison with another renderer (peer_mitsuba.py) by the path tracer's own
   calls: plates, spheres, a mesh and a volume from a raw grid, lit by a lamp, a sun and a uniform sky.

     path_peer SCENE OUTPUT [threads]
     path_peer grid FRAME OUTPUT CELL

   SCENE is a text file, one thing a line:

     size WIDTH HEIGHT                  samples N                  seed N
     camera EYE TARGET FOV              sky RGB                    lamp PLACE TARGET SIDE RGB
     sun DIRECTION RGB ANGLE            towards it, irradiance of a surface that faces it, half of its width
     diffuse RGB                        the material of what follows
     coated RGB ROUGHNESS INDEX
     glass INDEX ABSORPTION
     plate CORNER SIDE SIDE             sphere CENTER RADIUS
     mesh FILE VERTICES TRIANGLES       floats of positions, then uint32 of vertices; no smooth normals
     volume FILE NX NY NZ ORIGIN CELL EXTINCTION ALBEDO G [majorant]     floats, x fastest
     similarity N                       of the volume, before it
     intersector bvh|embree

   OUTPUT: floats, WIDTH × HEIGHT × 3 means, then as many variances of these means. Prints the seconds
   that sampling took.

   grid: relative extinction of the snow of a stored frame, as pictures have it, at the nodes of a lattice:
   floats as for `volume`; prints their numbers along x, y, z and the first node's place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/timer.h"
#include "math/camera.h"
#include "render/path/integrate.h"
#include "render/renderer.h"
#include "sleet/frame.h"

enum { MAX_THINGS = 64, MAX_ROWS = 160, ROUNDS = 8 };

typedef struct Peer {
    SlContext *context;
    SlArena arena;
    uint32_t width, height, samples, seed;
    SlCamera camera;
    SlVec3 sky;
    SlColliderView colliders[MAX_THINGS];
    float corners[MAX_THINGS][12];
    size_t collider_count;
    SlMaterial material;
    SlSurfaceView surface; /* of a mesh */
    uint32_t similarity;
    SlVolume *volume;
    SlSun sun;
    SlPathScene scene;
    const SlIntersectorKind *intersector;
    SlCameraFrame frame;
    SlMedia media;
    float *mean, *variance;
} Peer;

static SlError problem;

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "path_peer: %s %s\n", what, detail);
    exit(1);
}

static void check(SlStatus status)
{
    if (status != SL_OK)
        fail("failed:", problem.text);
}

static SlVec3 vector(const double *n)
{
    return sl_vec3((float)n[0], (float)n[1], (float)n[2]);
}

static void add_plate(Peer *peer, const double *n)
{
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    SlVec3 corner = vector(n), a = vector(n + 3), b = vector(n + 6);
    SlVec3 p[4] = {corner, sl_add(corner, a), sl_add(sl_add(corner, a), b), sl_add(corner, b)};
    size_t k = peer->collider_count++;
    memcpy(peer->corners[k], p, sizeof p);
    peer->colliders[k] = (SlColliderView){
        .name = "",
        .kind = SL_COLLIDER_MESH,
        .mesh = {.positions = peer->corners[k], .vertex_count = 4, .triangles = triangles,
                 .triangle_count = 2},
        .pose = {.rotation = {0, 0, 0, 1}},
        .material = peer->material};
}

static void add_sphere(Peer *peer, const double *n)
{
    SlShape shape = sl_default_shape(SL_SHAPE_SPHERE);
    shape.center = vector(n);
    shape.radius = (float)n[3];
    peer->colliders[peer->collider_count++] = (SlColliderView){
        .name = "", .kind = SL_COLLIDER_SHAPE, .shape = shape, .material = peer->material};
}

static void *read_file(FILE *file, const char *path, size_t bytes)
{
    void *data = malloc(bytes);
    if (data == NULL || fread(data, 1, bytes, file) != bytes)
        fail("cannot read", path);
    return data;
}

/* As the surface of a liquid; normals of no length are those of the triangles. */
static void add_mesh(Peer *peer, const char *path, const double *n)
{
    if (peer->surface.positions != NULL)
        fail("only one mesh:", path);
    size_t vertices = (size_t)n[0], triangles = (size_t)n[1];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail("cannot read", path);
    float *still = calloc(3 * vertices, sizeof *still);
    if (still == NULL)
        fail("no memory", "");
    peer->surface = (SlSurfaceView){.system = "",
                                    .positions = read_file(file, path, 3 * vertices * sizeof(float)),
                                    .normals = still,
                                    .velocities = still,
                                    .vertex_count = vertices,
                                    .triangles = read_file(file, path, 3 * triangles * sizeof(uint32_t)),
                                    .triangle_count = triangles,
                                    .material = peer->material};
    fclose(file);
}

static void add_volume(Peer *peer, const char *path, const double *n, bool one_majorant)
{
    SlVolumeLattice lattice = {.count = {(uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]},
                               .origin = vector(n + 3), .cell = (float)n[6]};
    size_t count = (size_t)lattice.count[0] * lattice.count[1] * lattice.count[2];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail("cannot read", path);
    float *density = read_file(file, path, count * sizeof *density);
    fclose(file);
    lattice.density = density;
    SlVolumeSettings settings = sl_volume_default_settings();
    settings.extinction = (float)n[7];
    settings.albedo = vector(n + 8);
    settings.g = (float)n[11];
    settings.glints = 0;
    settings.similarity = peer->similarity;
    settings.supervoxels = !one_majorant;
    check(sl_volume_create_lattice(peer->context, &lattice, &settings, &peer->volume, &problem));
    free(density);
}

/* One line of the scene; the word first, then numbers. */
static void read_line(Peer *peer, char *line)
{
    char *word = strtok(line, " \n"), *text, *file = NULL;
    double n[16] = {0};
    bool majorant = false;
    size_t count = 0;
    while (word != NULL && (text = strtok(NULL, " \n")) != NULL && count < 16) {
        char *end;
        n[count] = strtod(text, &end);
        if (*end == '\0')
            count++;
        else if (strcmp(text, "majorant") == 0)
            majorant = true;
        else
            file = text;
    }
    if (word == NULL)
        return;
    if (peer->collider_count == MAX_THINGS)
        fail("too many things:", word);
    if (strcmp(word, "size") == 0) {
        peer->width = (uint32_t)n[0];
        peer->height = (uint32_t)n[1];
    } else if (strcmp(word, "samples") == 0)
        peer->samples = (uint32_t)n[0];
    else if (strcmp(word, "seed") == 0)
        peer->seed = (uint32_t)n[0];
    else if (strcmp(word, "camera") == 0) {
        peer->camera.eye = vector(n);
        peer->camera.target = vector(n + 3);
        peer->camera.fov = (float)n[6];
    } else if (strcmp(word, "sky") == 0)
        peer->sky = vector(n);
    else if (strcmp(word, "lamp") == 0) {
        const float size[2] = {(float)n[6], (float)n[6]};
        sl_lamps_add(&peer->scene.lamps, vector(n), vector(n + 3), size, vector(n + 7));
    } else if (strcmp(word, "sun") == 0)
        peer->sun = sl_sun_make(sl_unit(vector(n)), vector(n + 3), (float)n[6]);
    else if (strcmp(word, "similarity") == 0)
        peer->similarity = (uint32_t)n[0];
    else if (strcmp(word, "mesh") == 0 && file != NULL)
        add_mesh(peer, file, n);
    else if (strcmp(word, "diffuse") == 0)
        peer->material = (SlMaterial){SL_MATERIAL_SOLID, vector(n), 1, 1.5f, {0, 0, 0}};
    else if (strcmp(word, "coated") == 0)
        peer->material = (SlMaterial){SL_MATERIAL_SOLID, vector(n), (float)n[3], (float)n[4], {0}};
    else if (strcmp(word, "glass") == 0)
        peer->material = (SlMaterial){SL_MATERIAL_GLASS, {1, 1, 1}, 0, (float)n[0],
                                      {(float)n[1], (float)n[2], (float)n[3]}};
    else if (strcmp(word, "plate") == 0)
        add_plate(peer, n);
    else if (strcmp(word, "sphere") == 0)
        add_sphere(peer, n);
    else if (strcmp(word, "volume") == 0 && file != NULL)
        add_volume(peer, file, n, majorant);
    else if (strcmp(word, "intersector") == 0 && file != NULL)
        peer->intersector = strcmp(file, "bvh") == 0 ? &sl_intersector_bvh : sl_intersector_embree();
    else
        fail("unknown line:", word);
}

static void read_scene(Peer *peer, const char *path)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail("cannot read", path);
    peer->camera = sl_default_camera();
    peer->sun = sl_sun_make(sl_vec3(0, 1, 0), sl_vec3(0, 0, 0), 0.3f);
    while (fgets(line, sizeof line, file) != NULL)
        read_line(peer, line);
    fclose(file);
    if (peer->width == 0 || peer->samples == 0)
        fail("incomplete scene", path);
}

static void build(Peer *peer)
{
    SlParamValue values[MAX_ROWS];
    SL_ASSERT(sl_path_table.row_count <= MAX_ROWS);
    sl_table_defaults(&sl_path_table, values);
    check(sl_table_set_number(&sl_path_table, values, "ground", 0, &problem));
    SlFrameView view = {.domain = {{-2, -2, -2}, {2, 2, 2}}, .gravity = {0, -9.81f, 0},
                        .domain_material = sl_default_material(SL_MATERIAL_GROUND),
                        .colliders = peer->colliders, .collider_count = peer->collider_count,
                        .surfaces = &peer->surface, .surface_count = peer->surface.triangle_count > 0};
    SlRenderJob job = sl_default_render_job(&view);
    job.camera = &peer->camera;
    SlRenderStage stage = sl_stage_make(&view, values);
    stage.spacing = 1e-6f; /* no drops that would be drawn smaller */
    SlVolumeSettings volume = sl_volume_default_settings();
    SlSceneInput input = {.job = &job, .stage = &stage, .volume = &volume,
                          .intersector = peer->intersector, .tint = 1, .foam = 1,
                          .ground = SL_PATTERN_NONE};
    SlPathScene *scene = &peer->scene;
    check(sl_path_scene_build(peer->context, &peer->arena, &input, scene, &problem));
    SlSkySettings sky = {.kind = SL_SKY_UNIFORM, .horizon = peer->sky, .zenith = peer->sky,
                         .scale = 1, .to_sun = {0, 1, 0}, .turbidity = 3};
    check(sl_surroundings_sky(peer->context, &peer->arena, &sky, &scene->sky, &problem));
    scene->sun = peer->sun;
    scene->settings = (SlPathSettings){.samples = peer->samples, .seed = peer->seed,
                                       .max_bounces = 1000, .max_scatterings = 100000,
                                       .sun_through = SL_SUN_TRACED};
    if (peer->volume != NULL)
        scene->volumes[scene->volume_count++] = (SlVolumeSlices){{peer->volume}, 1};
    peer->frame = sl_camera_frame(&peer->camera, peer->width, peer->height);
    peer->media = sl_media_at(scene, peer->camera.eye);
}

static SlVec3 draw_sample(const Peer *peer, uint32_t x, uint32_t y, uint32_t sample, uint32_t seed)
{
    const SlCameraFrame *c = &peer->frame;
    SlPathSampler sampler = sl_path_sampler_even((uint64_t)y * peer->width + x, sample, seed);
    float a = sl_path_even(&sampler), b = sl_path_even(&sampler);
    float right = ((float)x + a - c->center_x) / c->focal;
    float up = (c->center_y - (float)y - b) / c->focal;
    SlVec3 d = sl_add(c->forward, sl_add(sl_scale(c->right, right), sl_scale(c->up, up)));
    SlRay ray = {.origin = c->eye, .direction = sl_unit(d), .t_max = INFINITY};
    return sl_path_trace(&peer->scene, &ray, &peer->media, &sampler).light;
}

/* Samples of a pixel are not independent of each other; rounds with different seeds are. */
static void draw_pixel(const Peer *peer, uint32_t x, uint32_t y)
{
    uint32_t rounds = peer->samples < ROUNDS ? peer->samples : ROUNDS, each = peer->samples / rounds;
    size_t pixel = (size_t)y * peer->width + x;
    double sum[3] = {0}, squares[3] = {0};
    for (uint32_t round = 0; round < rounds; round++) {
        double own[3] = {0};
        for (uint32_t s = 0; s < each; s++) {
            SlVec3 light = draw_sample(peer, x, y, s, peer->seed + 1000003 * round);
            own[0] += (double)light.x / each;
            own[1] += (double)light.y / each;
            own[2] += (double)light.z / each;
        }
        for (int k = 0; k < 3; k++) {
            sum[k] += own[k];
            squares[k] += own[k] * own[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        double mean = sum[k] / rounds;
        peer->mean[3 * pixel + k] = (float)mean;
        peer->variance[3 * pixel + k] =
            (float)(rounds > 1 ? fmax(squares[k] / rounds - mean * mean, 0) / (rounds - 1) : 0);
    }
}

static void draw_rows(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Peer *peer = argument;
    for (size_t y = begin; y < end; y++)
        for (uint32_t x = 0; x < peer->width; x++)
            draw_pixel(peer, x, (uint32_t)y);
}

/* Around the snow a layer of empty nodes, as both renderers end a lattice sharply. */
static void write_grid(SlContext *context, const char *path, const char *output, float cell)
{
    SlFrame *frame;
    SlVolume *volume;
    check(sl_frame_read(context, path, &frame, &problem));
    const SlFrameView *view = sl_frame_view(frame);
    SlVolumeSettings settings = sl_volume_default_settings();
    settings.floor = 0;
    if (view->system_count != 1)
        fail("not one system of snow:", path);
    check(sl_volume_create(context, &view->systems[0], &settings, &volume, &problem));
    SlBox box = sl_volume_bounds(volume);
    SlVec3 first = sl_sub(box.min, sl_vec3(cell, cell, cell)), size = sl_sub(box.max, first);
    const uint32_t count[3] = {(uint32_t)(size.x / cell) + 3, (uint32_t)(size.y / cell) + 3,
                               (uint32_t)(size.z / cell) + 3};
    FILE *file = fopen(output, "wb");
    if (file == NULL)
        fail("cannot write", output);
    for (uint32_t z = 0; z < count[2]; z++)
        for (uint32_t y = 0; y < count[1]; y++)
            for (uint32_t x = 0; x < count[0]; x++) {
                SlVec3 p = sl_add(first, sl_scale(sl_vec3((float)x, (float)y, (float)z), cell));
                float value = sl_volume_extinction(volume, p, 0) / settings.extinction;
                if (fwrite(&value, sizeof value, 1, file) != 1)
                    fail("cannot write", output);
            }
    if (fclose(file) != 0)
        fail("cannot write", output);
    printf("%u %u %u %.9g %.9g %.9g\n", count[0], count[1], count[2], (double)first.x, (double)first.y,
           (double)first.z);
    sl_volume_destroy(volume);
    sl_frame_destroy(frame);
}

int main(int count, char **words)
{
    static Peer peer;
    if (count < 3)
        fail("usage:", "path_peer SCENE OUTPUT [threads], path_peer grid FRAME OUTPUT CELL");
    bool grid = strcmp(words[1], "grid") == 0 && count == 5;
    SlContextDef def = sl_default_context_def();
    def.threads = count > 3 && !grid ? (uint32_t)strtoul(words[3], NULL, 10) : 0;
    check(sl_context_create(&def, &peer.context, &problem));
    if (grid) {
        write_grid(peer.context, words[2], words[3], (float)strtod(words[4], NULL));
        sl_context_destroy(peer.context);
        return 0;
    }
    sl_arena_init(&peer.arena, &peer.context->memory);
    read_scene(&peer, words[1]);
    build(&peer);
    size_t floats = 3 * (size_t)peer.width * peer.height;
    peer.mean = calloc(2 * floats, sizeof(float));
    if (peer.mean == NULL)
        fail("no memory", "");
    peer.variance = peer.mean + floats;
    double began = sl_seconds();
    sl_parallel_for(peer.context->pool, peer.height, 1, draw_rows, &peer);
    printf("%.4f\n", sl_seconds() - began);
    FILE *file = fopen(words[2], "wb");
    if (file == NULL || fwrite(peer.mean, sizeof(float), 2 * floats, file) != 2 * floats ||
        fclose(file) != 0)
        fail("cannot write", words[2]);
    free(peer.mean);
    free((void *)peer.surface.positions);
    free((void *)peer.surface.normals);
    free((void *)peer.surface.triangles);
    sl_path_scene_destroy(&peer.scene);
    sl_arena_free(&peer.arena);
    sl_context_destroy(peer.context);
    return 0;
}
