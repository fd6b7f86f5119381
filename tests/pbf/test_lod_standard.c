/* Level of detail: what must not change, what must be seen, and what a camera may do. */
#include "solvers/pbf/lod/lod.h"
#include "solvers/pbf/pbf.h"
#include "support/boundary_worlds.h"
#include "world/world.h"

typedef struct LodSetting {
    const char *lod, *finished, *blend;
    uint32_t threads, least, most;
    size_t cameras;
    SlVec3 eye;
} LodSetting;

static SlWorld *dam(const LodSetting *s)
{
    DamSetting setting = {.threads = s->threads != 0 ? s->threads : 2, .nx = 24, .ny = 20, .nz = 12,
                          .iterations = s->most};
    SlWorld *world = dam_create(&setting);
    SlCamera cameras[2] = {sl_default_camera(), sl_default_camera()};
    cameras[0].eye = s->eye;
    cameras[0].target = (SlVec3){2, 0.5f, 0.6f};
    cameras[1].eye = (SlVec3){-4, 5, -6};
    cameras[1].target = (SlVec3){2, 0.5f, 0.6f};
    cameras[1].weight = 0.5f;
    assert_ok(sl_world_set_cameras(world, cameras, s->cameras, &test_error));
    assert_ok(sl_system_set_text(world, first_system(world), "lod", s->lod, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "lod_min", s->least, &test_error));
    if (s->finished != NULL)
        assert_ok(sl_system_set_text(world, first_system(world), "lod_finished", s->finished, &test_error));
    if (s->blend != NULL)
        assert_ok(sl_system_set_text(world, first_system(world), "lod_blend", s->blend, &test_error));
    return world;
}

static const LodSetting usual = {.lod = "dtvs", .least = 3, .most = 6, .cameras = 1, .eye = {6, 4, 7}};

/* Positions only: the level is a state field of its own. */
static uint64_t hash_positions(SlWorld *world)
{
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < x.count; i++) {
        SlVec3 p = particle_at(&x, i);
        uint32_t bits[3];
        memcpy(bits, &p, sizeof bits);
        for (int k = 0; k < 3; k++)
            hash = (hash ^ bits[k]) * 1099511628211u;
    }
    return hash;
}

/* Minimum = maximum gives position based fluids, bit for bit; so does seeing all from nearby. */
static void equal_levels_are_pbf(void **state)
{
    (void)state;
    LodSetting none = usual;
    none.lod = "none";
    SlWorld *plain = dam(&none);
    dam_advance(plain, 20);
    static const char *const models[] = {"dtc", "dtvs"};
    static const char *const finished[] = {"zero", "halo", "stale"};
    for (int m = 0; m < 2; m++)
        for (int f = 0; f < 3; f++) {
            LodSetting s = usual;
            s.lod = models[m];
            s.finished = finished[f];
            s.least = s.most;
            SlWorld *world = dam(&s);
            dam_advance(world, 20);
            assert_true(hash_positions(world) == hash_positions(plain));
            sl_world_destroy(world);
            s.least = 2; /* all particles within the nearest distance: every level is the highest */
            s.lod = "dtc";
            world = dam(&s);
            assert_ok(sl_system_set_number(world, first_system(world), "lod_near", 1000, &test_error));
            assert_ok(sl_system_set_number(world, first_system(world), "lod_far", 2000, &test_error));
            dam_advance(world, 20);
            assert_true(hash_positions(world) == hash_positions(plain));
            sl_world_destroy(world);
        }
    sl_world_destroy(plain);
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 5};
    static const char *const blends[] = {"max", "mean", "weighted"};
    for (int m = 0; m < 6; m++) {
        uint64_t hash[4];
        for (int k = 0; k < 4; k++) {
            LodSetting s = usual;
            s.lod = m % 2 == 0 ? "dtc" : "dtvs";
            s.finished = m < 4 ? "zero" : "halo";
            s.blend = blends[m / 2];
            s.cameras = 2;
            s.threads = threads[k];
            SlWorld *world = dam(&s);
            dam_advance(world, 15);
            hash[k] = sl_world_hash(world);
            sl_world_destroy(world);
        }
        assert_true(hash[0] == hash[1] && hash[0] == hash[2] && hash[0] == hash[3]);
    }
}

/* A brute depth image: no particle that is seen first anywhere has less than the highest level. */
static void what_is_seen_first_gets_max(void **state)
{
    (void)state;
    SlWorld *world = dam(&usual);
    dam_advance(world, 30);
    SlSystem *system = &world->systems[0]->base;
    uint32_t *level = system->particles.data[SL_F_LEVEL];
    const float *x = sl_f32x4(&system->particles, SL_F_POSITION);
    SlLodSettings settings = {.kind = SL_LOD_DTVS, .min_level = 3, .max_level = 6, .spacing = 0.1};
    sl_arena_reset(&system->arena);
    assert_ok(sl_lod_assign(system, &settings, x, level, &test_error));
    enum { W = 320, H = 180 };
    static float depth[W * H];
    static uint32_t seen[W * H];
    SlCameraFrame frame = sl_camera_frame(&world->cameras[0], W, H);
    for (int p = 0; p < W * H; p++) {
        depth[p] = 1e30f;
        seen[p] = UINT32_MAX;
    }
    for (size_t i = 0; i < system->particles.count; i++) {
        SlVec3 v = sl_camera_to_view(&frame, (SlVec3){x[4 * i], x[4 * i + 1], x[4 * i + 2]});
        double scale = (double)frame.focal / (double)v.z, r = fmax(0.05 * scale, 0.71);
        double cx = (double)frame.center_x + scale * (double)v.x;
        double cy = (double)frame.center_y - scale * (double)v.y;
        for (int py = 0; py < H; py++)
            for (int px = (int)(cx - r - 1); px <= (int)(cx + r + 1); px++) {
                double dx = (px + 0.5 - cx) / r, dy = (py + 0.5 - cy) / r;
                double rest = 1 - dx * dx - dy * dy;
                if (px < 0 || px >= W || rest < 0)
                    continue;
                float z = (float)((double)v.z - 0.05 * sqrt(rest));
                if (z < depth[py * W + px] - 1e-5f) {
                    depth[py * W + px] = z;
                    seen[py * W + px] = (uint32_t)i;
                }
            }
    }
    size_t first = 0, low = 0;
    for (int p = 0; p < W * H; p++)
        if (seen[p] != UINT32_MAX) {
            first++;
            low += level[seen[p]] < 6;
        }
    size_t least = 0;
    for (size_t i = 0; i < system->particles.count; i++) {
        assert_true(level[i] >= 3 && level[i] <= 6);
        least += level[i] == 3;
    }
    printf("%zu pixels with water, %zu seen first below the highest level; %zu of %zu at the lowest\n",
           first, low, least, system->particles.count);
    assert_true(first > 1000);
    /* Rounding at the rim of a sphere may see another by a hair. */
    assert_true(low * 500 <= first);
    assert_true(least > system->particles.count / 4);
    sl_world_destroy(world);
}

/* Inside, behind, looking away, moving: nothing breaks; no camera is an error that says so. */
static void cameras_of_all_kinds(void **state)
{
    (void)state;
    static const SlVec3 eyes[] = {{1, 0.5f, 0.6f}, {-5, 1, 0.6f}, {2.2f, 0.5f, 0.6f}, {900, 500, 900}};
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 4; k++) {
            LodSetting s = usual;
            s.lod = m == 0 ? "dtc" : "dtvs";
            s.eye = eyes[k];
            SlWorld *world = dam(&s);
            for (int frame = 0; frame < 10; frame++) {
                SlCamera camera = sl_default_camera();
                camera.eye = (SlVec3){eyes[k].x, eyes[k].y, eyes[k].z + 0.1f * (float)frame};
                camera.target = k == 3 ? (SlVec3){1800, 1000, 1800} : (SlVec3){2, 0.5f, 0.7f};
                assert_ok(sl_world_set_cameras(world, &camera, 1, &test_error));
                dam_advance(world, 1);
            }
            const SlStepStats *stats = &world->systems[0]->base.stats;
            assert_true(stats->mean_iterations >= 3 && stats->mean_iterations <= 6);
            if (m == 1 && k == 3) /* it looks away */
                assert_near(stats->mean_iterations, 3, 0);
            sl_world_destroy(world);
        }
    LodSetting blind = usual;
    blind.cameras = 0;
    SlWorld *world = dam(&blind);
    assert_int_equal(sl_world_step(world, 1.0 / 60, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "camera"));
    sl_world_destroy(world);
}

/* Figure 6: a particle 0.3 d inside an obstacle. */
static double speed_gained(uint32_t stabilise, SlVec3 velocity)
{
    DamSetting setting = {.threads = 1, .nx = 1, .ny = 1, .nz = 1, .domain = {4, 4, 4},
                          .no_gravity = true, .offset = {1.95f, 2.45f, 1.95f}};
    SlWorld *world = dam_create(&setting);
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.radius = 1;
    /* The particle is kept half a spacing and a little from the surface: that is the obstacle. */
    ball.center = (SlVec3){2, 1.5f, 2};
    double keep = 0.5 + 0.05 * (double)sl_contact_fraction(0);
    ball.center.y = (float)(2.5 - 1 + (0.3 - keep) * 0.1);
    SlColliderId id;
    SlMotionDef motion = sl_default_motion_def();
    motion.velocity = velocity;
    assert_ok(sl_world_add_collider(world, &ball, &id, &test_error));
    assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "stabilise", stabilise, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "steps", 1, &test_error));
    assert_ok(sl_system_set_text(world, first_system(world), "boundary", "contact", &test_error));
    dam_advance(world, 1);
    SlFieldView v = sl_system_field(world, first_system(world), "velocity");
    double speed = (double)sl_length(particle_at(&v, 0)) * (1.0 / 60) / 0.1;
    sl_world_destroy(world);
    return speed;
}

static void figure_6(void **state)
{
    (void)state;
    double with = speed_gained(1, (SlVec3){0, 0, 0}), without = speed_gained(0, (SlVec3){0, 0, 0});
    printf("0.3 d inside: leaves with %.3f d/dt, without pre-stabilisation %.3f d/dt\n", with, without);
    assert_less(with, 0.1);
    assert_less(0.2, without);
    /* A body that moves still hands its speed on: 0.5 m/s are 0.083 d a step. */
    double moving = speed_gained(1, (SlVec3){0, 0.5f, 0});
    printf("a body that rises at 0.083 d/dt: %.3f d/dt\n", moving);
    assert_near(moving, 0.0833, 1e-3);
}

/* Sets gathered into full groups are the masked ones, bit for bit, with sampled walls too. */
static void gathered_is_masked(void **state)
{
    (void)state;
    static const char *const sets[] = {"gathered", "masked"}, *const boundaries[] = {"walls", "particles"};
    static const char *const models[] = {"dtc", "dtvs"};
    for (int m = 0; m < 2; m++)
        for (int b = 0; b < 2; b++) {
            uint64_t hash[2];
            for (int k = 0; k < 2; k++) {
                LodSetting setting = usual;
                setting.lod = models[m];
                SlWorld *world = dam(&setting);
                assert_ok(sl_system_set_text(world, first_system(world), "lod_sets", sets[k], &test_error));
                assert_ok(sl_system_set_text(world, first_system(world), "boundary", boundaries[b], &test_error));
                /* sets serve several steps where lists do */
                assert_ok(sl_system_set_number(world, first_system(world), "skin", 0.05, &test_error));
                assert_ok(sl_system_set_number(world, first_system(world), "max_stale_fraction", 1, &test_error));
                dam_advance(world, 12);
                hash[k] = sl_world_hash(world);
                sl_world_destroy(world);
            }
            assert_true(hash[0] == hash[1]);
        }
}

/* Contradicting settings are refused at the start and while running; equal ones are not. */
static void contradictions_are_refused(void **state)
{
    (void)state;
    LodSetting s = usual;
    SlWorld *world = dam(&s);
    assert_ok(sl_system_set_number(world, first_system(world), "lod_near", 2, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "lod_far", 1, &test_error));
    assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "lod_near"));
    sl_world_destroy(world);
    s.least = 7; /* of 6 iterations */
    world = dam(&s);
    assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "lod_min"));
    sl_world_destroy(world);
    s.lod = "none"; /* then the lowest level has no meaning */
    world = dam(&s);
    assert_ok(sl_world_start(world, &test_error));
    sl_world_destroy(world);
}

/* Levels and iterations may change between frames; a contradiction leaves the value as it was. */
static void ranges_change_while_running(void **state)
{
    (void)state;
    SlWorld *world = dam(&usual);
    SlSystemId id = first_system(world);
    const SlStepStats *stats = &world->systems[0]->base.stats;
    dam_advance(world, 2);
    assert_int_equal(stats->iterations, 6);
    assert_ok(sl_system_set_number(world, id, "iterations", 9, &test_error));
    assert_ok(sl_system_set_number(world, id, "lod_min", 2, &test_error));
    dam_advance(world, 2);
    assert_int_equal(stats->iterations, 9);
    assert_ok(sl_system_set_number(world, id, "iterations", 4, &test_error));
    dam_advance(world, 2);
    assert_int_equal(stats->iterations, 4);
    assert_true(stats->mean_iterations >= 2 && stats->mean_iterations < 4);
    SlParamValue value;
    assert_int_equal(sl_system_set_number(world, id, "iterations", 1, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_ok(sl_system_get(world, id, "iterations", &value, &test_error));
    assert_near(value.number[0], 4, 0);
    sl_world_destroy(world);
}

/* Our own depth image, handed in as a host would, gives the same levels; one that shows a wall before
   the water gives the lowest. */
static void host_image_gives_the_same_levels(void **state)
{
    (void)state;
    enum { W = 320, H = 180 };
    static float pixels[W * H];
    SlWorld *world = dam(&usual);
    dam_advance(world, 30);
    SlSystem *system = &world->systems[0]->base;
    size_t count = system->particles.count;
    const float *x = sl_f32x4(&system->particles, SL_F_POSITION);
    SlLodSettings settings = {.kind = SL_LOD_DTVS, .min_level = 3, .max_level = 6, .spacing = 0.1};
    uint32_t *own = calloc(count + 8, sizeof *own), *host = calloc(count + 8, sizeof *host);
    sl_arena_reset(&system->arena);
    assert_ok(sl_lod_assign(system, &settings, x, own, &test_error));
    SlSpheres spheres = {x, count, 0.05f};
    SlDepthImage image;
    assert_true(sl_depth_draw(system->context, &system->arena, &world->cameras[0], &spheres, W, H,
                              &image));
    memcpy(pixels, image.depth, sizeof pixels);
    SlDepthView view = {world->cameras[0], W, H, pixels};
    assert_ok(sl_world_set_depth_image(world, 0, &view, &test_error));
    assert_ok(sl_lod_assign(system, &settings, x, host, &test_error));
    size_t highest = 0;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(host[i], own[i]);
        highest += own[i] == 6;
    }
    assert_true(highest > 500);
    for (size_t p = 0; p < (size_t)W * H; p++)
        pixels[p] = 0.5f;
    assert_ok(sl_lod_assign(system, &settings, x, host, &test_error));
    for (size_t i = 0; i < count; i++)
        assert_int_equal(host[i], 3);
    /* and in steps */
    dam_advance(world, 1);
    assert_near(system->stats.mean_iterations, 3, 0);
    assert_ok(sl_world_set_depth_image(world, 0, NULL, &test_error));
    dam_advance(world, 1);
    assert_true(system->stats.mean_iterations > 3.05);
    free(own);
    free(host);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gathered_is_masked),
        cmocka_unit_test(equal_levels_are_pbf),     cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(what_is_seen_first_gets_max), cmocka_unit_test(cameras_of_all_kinds),
        cmocka_unit_test(figure_6),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(ranges_change_while_running),
        cmocka_unit_test(host_image_gives_the_same_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
