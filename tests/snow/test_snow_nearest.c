/* Distances of particles to surfaces, which the transfer to the grid writes eight particles at a time and
   with few queries, against a query for each particle and surface. */
#include "snow/snowballs.h"
#include "solvers/snow/nodes.h"
#include "support/sphere_mesh.h"
#include "support/world.h"

/* A ball of snow in a corner of the domain, between a ball of triangles and a tilted box. */
static SlWorld *surrounded(const char *parameters, float speed)
{
    static char path[700];
    if (path[0] == 0)
        sphere_mesh_write(path, sizeof path, 4);
    SlWorldDef def = test_world_def(2, (SlVec3){-1, -1, -1}, (SlVec3){1, 1, 1});
    SlSystemId id;
    SlWorld *world = test_world(&def, "snow", "spacing=0.02", &id);
    test_set_parameters(world, id, parameters);
    SlShape box = sl_default_shape(SL_SHAPE_BOX);
    box.center = (SlVec3){-0.5f, -0.95f, -0.8f};
    box.half = (SlVec3){0.2f, 0.1f, 0.3f};
    box.axis = sl_unit(sl_vec3(0.3f, 1, 0.2f));
    box.side = sl_unit(sl_cross(box.axis, sl_vec3(0, 0, 1)));
    SlMeshColliderDef mesh = sl_default_mesh_collider_def();
    mesh.path = path;
    mesh.scale = 0.15f;
    mesh.position = (SlVec3){-0.8f, -0.9f, -0.5f};
    assert_ok(sl_world_add_collider(world, &box, NULL, &test_error));
    assert_ok(sl_world_add_mesh_collider(world, &mesh, NULL, &test_error));
    Snowball ball;
    ball_shape(&ball, (SlVec3){-0.81f, -0.72f, -0.79f}, 0.18f);
    ball.fill.velocity = (SlVec3){-0.3f * speed, -speed, -0.2f * speed};
    assert_ok(sl_system_add_fill(world, id, &ball.fill, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    assert_ok(sl_world_step(world, 0.08, &test_error));
    return world;
}

static int32_t first_node(const SlSnowPass *p, size_t i, int axis)
{
    int32_t cell = sl_snow_cell(p->fields.position[4 * i + (size_t)axis], p->lattice.inverse_cell);
    bool before = p->lattice.cubic || p->fields.fraction[4 * i + (size_t)axis] < 0.5f;
    return cell - before;
}

static uint32_t find_block(const SlSnowBlocks *blocks, const int32_t node[3])
{
    for (uint32_t b = 0; b < blocks->touched; b++) {
        SlBlockCoord c = blocks->coords[b];
        if (c.x == node[0] >> 2 && c.y == node[1] >> 2 && c.z == node[2] >> 2)
            return b;
    }
    fail_msg("a kernel's node has no block");
    return 0;
}

/* The expected minima: [touched block][slot][node]. */
static void note(const SlSnowPass *p, size_t i, uint32_t surface, float distance, float *expected)
{
    const SlSnowBlocks *blocks = p->blocks;
    int nodes = p->lattice.cubic ? 4 : 3;
    int32_t base[3] = {first_node(p, i, 0), first_node(p, i, 1), first_node(p, i, 2)};
    for (int k = 0; k < nodes * nodes * nodes; k++) {
        int32_t at[3] = {base[0] + k / (nodes * nodes), base[1] + k / nodes % nodes,
                         base[2] + k % nodes};
        uint32_t b = find_block(blocks, at);
        int node = (at[0] & 3) * 16 + (at[1] & 3) * 4 + (at[2] & 3);
        for (uint32_t s = 0; s < p->slots[b].count && s < SL_SNOW_SLOTS; s++)
            if (p->slots[b].surfaces[s] == surface) {
                float *to = expected + ((size_t)b * SL_SNOW_SLOTS + s) * SL_SNOW_BLOCK_NODES + node;
                *to = fminf(*to, distance);
            }
    }
}

/* A particle that is not within reach cannot come to a surface by a move that needs no query. */
static void expect_free(const SlSnowPass *p, SlVec3 x, uint32_t surface)
{
    const SlSnowContacts *c = &p->contacts;
    float way = fmaxf(fminf(0.75f * c->margin, c->margin - c->field_error), 0);
    for (int k = 0; k < 6; k++) {
        SlVec3 end = x;
        (&end.x)[k / 2] += k % 2 == 0 ? way : -way;
        assert_true(sl_snow_distance(c, surface, end, c->touch) >= c->touch);
    }
}

static void expect_all(const SlSnowPass *p, size_t *close_count, size_t *noted)
{
    const SlSnowBlocks *blocks = p->blocks;
    const SlSnowContacts *c = &p->contacts;
    size_t size = (size_t)blocks->touched * SL_SNOW_SLOTS * SL_SNOW_BLOCK_NODES;
    float *expected = malloc(size * sizeof *expected), reach = c->touch + c->margin;
    assert_non_null(expected);
    for (size_t k = 0; k < size; k++)
        expected[k] = INFINITY;
    uint32_t surfaces = SL_SNOW_WALLS + (uint32_t)c->around->bodies->count - 1;
    for (uint32_t block = 0; block < blocks->occupied; block++)
        for (uint32_t entry = blocks->start[block]; entry < blocks->start[block + 1]; entry++) {
            size_t i = blocks->order != NULL ? blocks->order[entry] : entry;
            const float *at = p->fields.position + 4 * i;
            SlVec3 x = {at[0], at[1], at[2]};
            bool close = false;
            for (uint32_t surface = 0; surface < surfaces; surface++) {
                float distance = sl_snow_distance(c, surface, x, reach);
                close |= distance <= reach;
                if (distance <= reach)
                    note(p, i, surface, distance, expected);
                else
                    expect_free(p, x, surface);
            }
            uint32_t in_block = entry - blocks->start[block];
            uint8_t lanes = p->close[sl_snow_first_group(blocks, block) + in_block / 8];
            assert_int_equal(lanes >> in_block % 8 & 1, close);
            *close_count += close;
        }
    for (uint32_t b = 0; b < blocks->touched; b++)
        for (uint32_t s = 0; s < p->slots[b].count && s < SL_SNOW_SLOTS; s++)
            for (size_t node = 0; node < SL_SNOW_BLOCK_NODES; node++) {
                float want = expected[((size_t)b * SL_SNOW_SLOTS + s) * SL_SNOW_BLOCK_NODES + node];
                assert_true(sl_snow_nearest(blocks, b, s)[node] == want);
                *noted += want < INFINITY;
            }
    free(expected);
}

static void distances_are_those_of_queries(void **state)
{
    (void)state;
    static const char *const parameters[] = {"transfer=mls", "transfer=flip", "transfer=mls cell=1.5",
                                             "transfer=flip cell=1.2"};
    for (int k = 0; k < 4; k++) {
        SlWorld *world = surrounded(parameters[k], k % 2 == 0 ? 2.0f : 6.0f);
        SlSystem *system = ball_system(world);
        SlSnowPass p;
        assert_ok(sl_snow_begin(system, 1e-4, &p, &test_error));
        assert_ok(sl_snow_sort(system, &p, &test_error));
        sl_snow_particles_to_grid(system, &p);
        size_t close = 0, noted = 0;
        expect_all(&p, &close, &noted);
        print_message("%s: %zu of %zu particles close to a surface, distances at %zu nodes\n",
                      parameters[k], close, system->particles.count, noted);
        assert_in_range(close, 50, system->particles.count - 50);
        assert_true(noted > close);
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(distances_are_those_of_queries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
