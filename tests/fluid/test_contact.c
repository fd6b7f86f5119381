/* Contacts of eight at once against the plain distances, on both paths; friction; free flight. */
#include "core/random.h"
#include "solvers/pbf/pbf.h"
#include "geometry/shape.h"
#include "support/test.h"
#include "support/shapes.h"
#include "world/world.h"

static SlShape obstacle(SlShapeKind kind)
{
    SlShape shape = sl_default_shape(kind);
    shape.heights = test_heights();
    shape.columns = TEST_COLUMNS;
    shape.rows = TEST_ROWS;
    shape.center = (SlVec3){2, 1.2f, 2};
    shape.axis = (SlVec3){0.2f, 1, -0.3f};
    shape.radius = 0.9f;
    shape.height = 1.4f;
    shape.half = (SlVec3){0.5f, 0.8f, 0.6f};
    const char *reason;
    assert_true(sl_shape_prepare(&shape, &reason));
    return shape;
}

typedef struct Thrown {
    SlWorld *world;
    SlSystem *system;
    SlPbfPass pass;
} Thrown;

/* A block thrown through everything: its prediction goes through the contact kernel. */
static void throw_block(Thrown *t, SlIsa isa, const SlShape *shape, float domain_friction)
{
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, 1, isa);
    def.domain_friction = domain_friction;
    def.gravity = (SlVec3){0, 0, 0};
    SlSystemDef system = sl_default_system_def("pbf");
    SlSystemId id;
    SlBlock block = {.max = {4, 4, 4}};
    assert_ok(sl_world_create(&def, &t->world, &test_error));
    assert_ok(sl_world_add_system(t->world, &system, &id, &test_error));
    assert_ok(sl_system_set_number(t->world, id, "spacing", 0.2, &test_error));
    assert_ok(sl_system_set_text(t->world, id, "preset", "macklin2013", &test_error));
    assert_ok(sl_system_add_block(t->world, id, &block, &test_error));
    if (shape != NULL)
        assert_ok(sl_world_add_collider(t->world, shape, NULL, &test_error));
    assert_ok(sl_world_start(t->world, &test_error));
    t->system = &t->world->systems[0]->base;
    for (size_t i = 0; i < t->system->particles.count; i++) {
        SlRandom4 r = sl_random(9, i, 0);
        for (size_t k = 0; k < 3; k++)
            sl_f32x4(&t->system->particles, SL_F_VELOCITY)[4 * i + k] =
                60 * (sl_random_unit(r.value[k]) - 0.5f);
    }
    assert_ok(sl_pbf_prepare(t->system, 1.0 / 60, &t->pass, &test_error));
    sl_fluid_predict(t->system, &t->pass.fluid);
}

static SlVec3 at(const float *records, size_t i)
{
    return (SlVec3){records[4 * i], records[4 * i + 1], records[4 * i + 2]};
}

/* Without friction: solids push along their normal, then the walls clamp. */
static void kernel_equals_plain_distances(void **state)
{
    (void)state;
    SlIsa paths[2] = {SL_ISA_BASE, SL_ISA_AVX2};
    for (int p = 0; p < 2; p++)
        for (size_t kind = 0; kind < sl_shape_type_count; kind++) {
            SlShape shape = obstacle(sl_shape_types[kind]->kind);
            Thrown t;
            throw_block(&t, paths[p], &shape, 0);
            size_t touched = 0, wrong = 0;
            for (size_t i = 0; i < t.pass.fluid.particles.count; i++) {
                float keep = 0.1f + 0.01f * sl_contact_fraction(t.pass.fluid.particles.id[i]), edge = 4 - keep;
                SlVec3 n, q = sl_add(at(t.pass.fluid.particles.position, i),
                                     sl_scale(at(t.pass.fluid.particles.velocity, i), 1.0f / 60));
                float depth = keep - sl_shape_distance(&shape, q, &n);
                if (depth > 0) {
                    q = sl_add(q, sl_scale(n, depth));
                    touched++;
                }
                q = sl_vec3(fminf(fmaxf(q.x, keep), edge), fminf(fmaxf(q.y, keep), edge),
                            fminf(fmaxf(q.z, keep), edge));
                /* On an edge's kink the two may choose different faces: a handful at most. */
                wrong += sl_length(sl_sub(q, at(t.pass.fluid.particles.predicted, i))) > 2e-5f;
            }
            assert_true(touched > 100);
            assert_true(wrong <= 3);
            sl_world_destroy(t.world);
        }
}

/* Coulomb: sliding loses friction × depth of its way, and never turns round. */
static void friction_takes_from_the_way(void **state)
{
    (void)state;
    Thrown smooth, rough;
    throw_block(&smooth, SL_ISA_AUTO, NULL, 0);
    throw_block(&rough, SL_ISA_AUTO, NULL, 0.3f);
    size_t touched = 0;
    for (size_t i = 0; i < smooth.pass.fluid.particles.count; i++) {
        SlVec3 x = at(smooth.pass.fluid.particles.position, i), a = at(smooth.pass.fluid.particles.predicted, i);
        SlVec3 q = sl_add(x, sl_scale(at(smooth.pass.fluid.particles.velocity, i), 1.0f / 60));
        SlVec3 b = at(rough.pass.fluid.particles.predicted, i);
        bool only_floor = a.y != q.y && a.x == q.x && a.z == q.z;
        if (!only_floor)
            continue;
        touched++;
        float way = sqrtf(powf(a.x - x.x, 2) + powf(a.z - x.z, 2));
        float left = sqrtf(powf(b.x - x.x, 2) + powf(b.z - x.z, 2));
        float depth = fabsf(a.y - q.y);
        assert_near(left, fmaxf(way - 0.3f * depth, 0), 1e-5);
        assert_true(a.y == b.y);
    }
    assert_true(touched > 50);
    sl_world_destroy(smooth.world);
    sl_world_destroy(rough.world);
}

static void shares_are_spread(void **state)
{
    (void)state;
    double sum = 0;
    for (uint32_t id = 0; id < 10000; id++) {
        float share = sl_contact_fraction(id);
        assert_true(share >= 0 && share < 1);
        sum += (double)share;
    }
    assert_near(sum / 10000, 0.5, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_equals_plain_distances),
        cmocka_unit_test(friction_takes_from_the_way),
        cmocka_unit_test(shares_are_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
