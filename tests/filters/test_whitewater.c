/* Whitewater: what emits and what does not, how spray, foam and bubbles move and end, the same bits for any
   number of threads and after a stop, and the rule of emission at two resolutions. */
#include "core/hash.h"
#include "filters/filter.h"
#include "support/dam.h"

typedef struct Water {
    float *x, *v; /* 3 each */
    uint32_t *id;
    size_t count, room;
    float spacing;
    SlBox domain;
    SlVec3 gravity;
    SlFieldView fields[3];
    SlSystemView system;
    SlFrameView frame;
} Water;

static const SlBox open_box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};

static Water new_water(float spacing, SlBox domain)
{
    return (Water){.spacing = spacing, .domain = domain, .gravity = {0, -10, 0}};
}

static void add(Water *w, float x, float y, float z)
{
    if (w->count == w->room) {
        w->room = 2 * w->room + 64;
        w->x = realloc(w->x, 3 * w->room * sizeof(float));
        w->v = realloc(w->v, 3 * w->room * sizeof(float));
        w->id = realloc(w->id, w->room * sizeof(uint32_t));
    }
    const float position[3] = {x, y, z}, still[3] = {0, 0, 0};
    memcpy(w->x + 3 * w->count, position, sizeof position);
    memcpy(w->v + 3 * w->count, still, sizeof still);
    w->id[w->count] = (uint32_t)w->count;
    w->count++;
}

/* A block of nx × ny × nz particles from a corner on. */
static void add_block(Water *w, SlVec3 corner, int nx, int ny, int nz)
{
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++)
                add(w, corner.x + w->spacing * ((float)x + 0.5f),
                    corner.y + w->spacing * ((float)y + 0.5f),
                    corner.z + w->spacing * ((float)z + 0.5f));
}

static void free_water(Water *w)
{
    free(w->x);
    free(w->v);
    free(w->id);
}

/* The view of frame number `frame` at 1/50 s per frame; of water 1 m deep. */
static const SlFrameView *view_of(Water *w, uint64_t frame)
{
    size_t n = w->count;
    w->fields[0] = (SlFieldView){"id", "", "", SL_FIELD_U32, w->id, n, 4};
    w->fields[1] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, w->x, n, 12};
    w->fields[2] = (SlFieldView){"velocity", "m/s", "", SL_FIELD_F32X3, w->v, n, 12};
    w->system = (SlSystemView){.name = "water", .solver = "pbf", .particle_count = n,
                               .spacing = w->spacing,
                               .volume = w->spacing * w->spacing * w->spacing,
                               .material = sl_default_material(SL_MATERIAL_WATER),
                               .fields = w->fields, .field_count = 3};
    const float absorption[3] = {1.98f, 0.34f, 0.20f};
    memcpy(w->system.material.absorption, absorption, sizeof absorption);
    w->frame = (SlFrameView){.frame = frame, .time = 0.02 * (double)frame, .frame_time = 0.02,
                             .domain = w->domain, .gravity = w->gravity, .systems = &w->system,
                             .system_count = 1};
    return &w->frame;
}

/* --- The filter --- */

static const SlTable *table_of(void)
{
    size_t count;
    const SlTable *const *tables = sl_filter_tables(&count);
    return sl_table_named(tables, count, "whitewater");
}

typedef struct Setting {
    const char *name;
    double value;
} Setting;

static SlFilter *new_filter(SlContext *context, const Setting *settings, size_t count)
{
    SlParamValue values[64];
    SlFilter *filter;
    sl_table_defaults(table_of(), values);
    for (size_t k = 0; k < count; k++)
        assert_ok(sl_table_set_number(table_of(), values, settings[k].name, settings[k].value,
                                      &test_error));
    assert_ok(sl_filter_create(context, "whitewater", values, &filter, &test_error));
    return filter;
}

static const SlSystemView *apply(SlFilter *filter, const SlFrameView *frame)
{
    const SlFrameView *output;
    assert_ok(sl_filter_apply(filter, frame, &output, &test_error));
    assert_int_equal(output->system_count, frame->system_count + 1);
    const SlSystemView *system = &output->systems[frame->system_count];
    assert_string_equal(system->name, "whitewater");
    assert_string_equal(system->solver, "whitewater");
    assert_int_equal(system->field_count, 6);
    return system;
}

static const float *floats(const SlSystemView *system, const char *name)
{
    SlFieldView field = sl_view_field(system, name);
    assert_non_null(field.data);
    return field.data;
}

static const uint32_t *phases(const SlSystemView *system)
{
    return sl_view_field(system, "phase").data;
}

/* One diffuse particle as the last output. */
typedef struct Seed {
    float x[3], v[3], radius, lifetime;
    uint32_t id, phase;
    SlFieldView fields[6];
    SlSystemView system;
    SlFrameView frame;
} Seed;

static const SlFrameView *seed_view(Seed *s, uint64_t frame)
{
    s->fields[0] = (SlFieldView){"id", "", "", SL_FIELD_U32, &s->id, 1, 4};
    s->fields[1] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, s->x, 1, 12};
    s->fields[2] = (SlFieldView){"velocity", "m/s", "", SL_FIELD_F32X3, s->v, 1, 12};
    s->fields[3] = (SlFieldView){"phase", "", "", SL_FIELD_U32, &s->phase, 1, 4};
    s->fields[4] = (SlFieldView){"radius", "m", "", SL_FIELD_F32, &s->radius, 1, 4};
    s->fields[5] = (SlFieldView){"lifetime", "s", "", SL_FIELD_F32, &s->lifetime, 1, 4};
    s->system = (SlSystemView){.name = "whitewater", .solver = "whitewater", .particle_count = 1,
                               .spacing = 0.01f, .fields = s->fields, .field_count = 6};
    s->frame = (SlFrameView){.frame = frame, .time = 0.02 * (double)frame, .frame_time = 0.02,
                             .systems = &s->system, .system_count = 1};
    return &s->frame;
}

/* --- What emits --- */

static void still_water_emits_nothing(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, NULL, 0);
    Water w = new_water(0.1f, (SlBox){{0, 0, 0}, {2, 2, 2}});
    add_block(&w, (SlVec3){0, 0, 0}, 20, 10, 20);
    for (uint64_t k = 0; k < 3; k++)
        assert_int_equal(apply(filter, view_of(&w, k))->particle_count, 0);
    free_water(&w);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
}

/* A drop that falls: all velocities are the same, however fast. */
static void falling_drop_emits_nothing(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, NULL, 0);
    Water w = new_water(0.1f, open_box);
    for (int z = -6; z <= 6; z++)
        for (int y = -6; y <= 6; y++)
            for (int x = -6; x <= 6; x++)
                if (x * x + y * y + z * z <= 36)
                    add(&w, 0.1f * (float)x, 5 + 0.1f * (float)y, 0.1f * (float)z);
    for (uint64_t k = 0; k < 5; k++) {
        for (size_t i = 0; i < w.count; i++) {
            w.v[3 * i] = 3;
            w.v[3 * i + 1] = -8 - 0.2f * (float)k;
            w.x[3 * i] += 0.06f;
            w.x[3 * i + 1] -= 0.16f;
        }
        assert_int_equal(apply(filter, view_of(&w, k))->particle_count, 0);
    }
    free_water(&w);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
}

/* Two blocks that meet with full energy and a relative velocity that is the same in units of √(g s). */
static void add_impact(Water *w, int n)
{
    float speed = 5 * sqrtf(10 * w->spacing);
    add_block(w, (SlVec3){0, 0, 0}, n, n, n);
    size_t half = w->count;
    add_block(w, (SlVec3){((float)n + 0.5f) * w->spacing, 0, 0}, n, n, n); /* air between them */
    for (size_t i = 0; i < w->count; i++) {
        w->v[3 * i] = i < half ? speed : -speed;
        w->v[3 * i + 1] = 5;
    }
}

static void emission_follows_the_area(void **state)
{
    (void)state;
    double counts[2];
    for (int fine = 0; fine < 2; fine++) {
        int n = fine ? 24 : 12;
        SlContext *context = test_context(2);
        SlFilter *filter = new_filter(context, NULL, 0);
        Water w = new_water(1.2f / (float)n, open_box);
        add_impact(&w, n);
        size_t count = 0;
        for (uint64_t k = 0; k < 10; k++) { /* each by itself: only new ones */
            sl_filter_reset(filter);
            count += apply(filter, view_of(&w, k))->particle_count;
        }
        counts[fine] = (double)count;
        free_water(&w);
        sl_filter_destroy(filter);
        sl_context_destroy(context);
    }
    assert_true(counts[0] > 1000);
    assert_near(counts[1] / counts[0], 1, 0.15);
}

/* Two systems of water that meet emit as one does; snow and unknown names do not. */
static void systems_emit_together(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, NULL, 0);
    Water both = new_water(0.1f, open_box);
    add_impact(&both, 12);
    size_t whole = apply(filter, view_of(&both, 1))->particle_count;
    SlFieldView fields[2][3];
    SlSystemView systems[2];
    for (int s = 0; s < 2; s++) {
        size_t half = both.count / 2;
        systems[s] = both.system;
        systems[s].name = s == 0 ? "left" : "right";
        systems[s].particle_count = half;
        systems[s].fields = fields[s];
        for (int k = 0; k < 3; k++) {
            fields[s][k] = both.fields[k];
            fields[s][k].count = half;
            fields[s][k].data = (const char *)both.fields[k].data +
                                (s == 0 ? 0 : half * both.fields[k].stride);
        }
    }
    SlFrameView frame = both.frame;
    frame.systems = systems;
    frame.system_count = 2;
    sl_filter_reset(filter);
    double parts = (double)apply(filter, &frame)->particle_count;
    assert_true(whole > 100);
    assert_near(parts / (double)whole, 1, 0.1); /* ids and so random numbers differ */
    systems[0].material = systems[1].material = sl_default_material(SL_MATERIAL_SNOW);
    sl_filter_reset(filter);
    assert_int_equal(apply(filter, &frame)->particle_count, 0);
    sl_filter_destroy(filter);
    SlParamValue values[64];
    const SlFrameView *output;
    sl_table_defaults(table_of(), values);
    assert_ok(sl_table_set_text(table_of(), values, "system", "oil", &test_error));
    assert_ok(sl_filter_create(context, "whitewater", values, &filter, &test_error));
    assert_int_equal(sl_filter_apply(filter, &frame, &output, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "oil"));
    free_water(&both);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
}

static void limit_is_kept(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    const Setting limit = {"max_particles", 500};
    SlFilter *filter = new_filter(context, &limit, 1);
    Water w = new_water(0.1f, open_box);
    add_impact(&w, 12);
    size_t at_end = 0, left = 0;
    for (uint64_t k = 0; k < 20; k++) {
        const SlSystemView *system = apply(filter, view_of(&w, k));
        assert_true(system->particle_count <= 500);
        at_end = system->particle_count;
        /* Emission is thinned everywhere: the first and the last part of z get some. */
        const float *x = floats(system, "position");
        left = 0;
        for (size_t i = 0; i < at_end; i++)
            left += x[3 * i + 2] < 0.6f;
    }
    assert_true(at_end > 400);
    assert_true(left > at_end / 4 && left < at_end * 3 / 4);
    free_water(&w);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
}

static void sizes_vary_by_ten(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, NULL, 0);
    Water w = new_water(0.1f, open_box);
    add_impact(&w, 16);
    const SlSystemView *system = apply(filter, view_of(&w, 7));
    const float *r = floats(system, "radius");
    const uint32_t *id = sl_view_field(system, "id").data;
    double least = 1, most = 0, square = 0;
    assert_true(system->particle_count > 500);
    for (size_t i = 0; i < system->particle_count; i++) {
        least = fmin(least, (double)r[i]);
        most = fmax(most, (double)r[i]);
        square += (double)r[i] * (double)r[i];
        assert_int_equal(id[i], i);
    }
    assert_true(most / least > 8 && most / least <= 10.001);
    double size = table_of()->rows[11].value.number[0];
    assert_string_equal(table_of()->rows[11].name, "size");
    assert_near(sqrt(square / (double)system->particle_count) / size, 1, 0.1);
    free_water(&w);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
}

static void few_particles_are_no_trouble(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, NULL, 0);
    Water none = new_water(0.1f, open_box), one = new_water(0.1f, open_box);
    SlFrameView empty = {.frame = 1, .time = 0.02};
    assert_int_equal(apply(filter, &empty)->particle_count, 0);
    assert_int_equal(apply(filter, view_of(&none, 2))->particle_count, 0);
    add(&one, 1, 2, 3);
    one.v[0] = 20;
    assert_int_equal(apply(filter, view_of(&one, 3))->particle_count, 0);
    one.v[1] = NAN;
    assert_int_equal(apply(filter, view_of(&one, 4))->particle_count, 0);
    one.x[1] = INFINITY;
    assert_int_equal(apply(filter, view_of(&one, 5))->particle_count, 0);
    one.frame.system_count = 0;
    assert_int_equal(apply(filter, &one.frame)->particle_count, 0);
    free_water(&none);
    free_water(&one);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
}

/* --- How they move --- */

static void spray_is_ballistic(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    const Setting drag = {"spray_drag", 0};
    SlFilter *filter = new_filter(context, &drag, 1);
    Water w = new_water(0.1f, open_box);
    add_block(&w, (SlVec3){0, 0, 0}, 5, 5, 5);
    Seed seed = {.x = {3, 5, 1}, .v = {2, 4, -1}, .radius = 0.001f, .lifetime = 9, .id = 41};
    sl_filter_continue(filter, seed_view(&seed, 0));
    const SlSystemView *system = NULL;
    for (uint64_t k = 1; k <= 25; k++) {
        system = apply(filter, view_of(&w, k));
        assert_int_equal(system->particle_count, 1);
        assert_int_equal(phases(system)[0], 0);
    }
    const float *x = floats(system, "position"), *v = floats(system, "velocity");
    double t = 0.5;
    assert_near((double)x[0], 3 + 2 * t, 1e-5);
    assert_near((double)x[1], 5 + 4 * t - 5 * t * t, 1e-5);
    assert_near((double)x[2], 1 - t, 1e-5);
    assert_near((double)v[1], 4 - 10 * t, 1e-5);
    assert_near((double)floats(system, "lifetime")[0], 9, 0);
    assert_int_equal(*(const uint32_t *)sl_view_field(system, "id").data, 41);
    free_water(&w);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
}

/* Spray falls on a dry floor and into a collider, and stays outside of both. */
static void spray_meets_solids(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    Water w = new_water(0.1f, (SlBox){{0, 0, 0}, {9, 9, 9}});
    add_block(&w, (SlVec3){0, 0, 0}, 3, 3, 3);
    SlColliderView box = {.name = "box", .shape = sl_default_shape(SL_SHAPE_BOX)};
    box.shape.center = (SlVec3){5, 0.5f, 5};
    for (int k = 0; k < 2; k++) {
        SlFilter *filter = new_filter(context, NULL, 0);
        Seed seed = {.x = {5, 2, k == 0 ? 5 : 7}, .v = {0, -2, 0}, .radius = 0.01f, .lifetime = 2};
        sl_filter_continue(filter, seed_view(&seed, 0));
        const SlSystemView *system = NULL;
        uint64_t frame = 0;
        do {
            SlFrameView view = *view_of(&w, ++frame);
            view.colliders = &box;
            view.collider_count = 1;
            system = apply(filter, &view);
            if (system->particle_count == 1)
                assert_true(floats(system, "position")[1] >= (k == 0 ? 1.009f : 0.009f));
        } while (system->particle_count == 1 && frame < 200);
        assert_int_equal(system->particle_count, 0); /* it dried up there */
        sl_filter_destroy(filter);
    }
    free_water(&w);
    sl_context_destroy(context);
}

/* A plate of two triangles stops spray from both sides, however fast it is and wherever the mesh stands. */
static void spray_meets_meshes(void **state)
{
    (void)state;
    static const float corners[] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1};
    static const uint32_t triangles[] = {0, 2, 1, 0, 3, 2};
    SlContext *context = test_context(1);
    Water w = new_water(0.1f, (SlBox){{0, 0, 0}, {9, 9, 9}});
    add_block(&w, (SlVec3){0, 0, 0}, 3, 3, 3);
    SlColliderView plate = {.name = "plate",
                            .kind = SL_COLLIDER_MESH,
                            .mesh = {.positions = corners, .vertex_count = 4, .triangles = triangles,
                                     .triangle_count = 2},
                            .pose = {{5, 3, 5}, {0, 0, 0, 1}}};
    const float speeds[] = {-2, -200, 60};
    for (int k = 0; k < 3; k++) {
        bool above = speeds[k] < 0;
        SlFilter *filter = new_filter(context, NULL, 0);
        Seed seed = {.x = {5.2f, above ? 4 : 2, 5.1f}, .v = {0, speeds[k], 0}, .radius = 0.01f,
                     .lifetime = 2};
        sl_filter_continue(filter, seed_view(&seed, 0));
        float nearest = 9;
        for (uint64_t frame = 1; frame <= 30; frame++) {
            SlFrameView view = *view_of(&w, frame);
            view.colliders = &plate;
            view.collider_count = 1;
            const SlSystemView *system = apply(filter, &view);
            if (system->particle_count == 0)
                break;
            float distance = (floats(system, "position")[1] - 3) * (above ? 1 : -1);
            assert_true(distance >= 0.0099f);
            nearest = distance < nearest ? distance : nearest;
        }
        assert_true(nearest < 0.2f); /* it came there */
        sl_filter_destroy(filter);
    }
    free_water(&w);
    sl_context_destroy(context);
}

/* A pool of still water 1 m deep with its surface at y = 1, and one particle put into it. */
static const SlSystemView *let_float(SlFilter *filter, Water *w, Seed *seed, uint64_t frames)
{
    const SlSystemView *system = NULL;
    sl_filter_continue(filter, seed_view(seed, 0));
    for (uint64_t k = 1; k <= frames; k++)
        system = apply(filter, view_of(w, k));
    return system;
}

static void foam_stays_and_ends(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, NULL, 0);
    Water w = new_water(0.1f, (SlBox){{0, 0, 0}, {2, 3, 2}});
    add_block(&w, (SlVec3){0, 0, 0}, 20, 10, 20);
    Seed seed = {.x = {0.83f, 1, 0.77f}, .radius = 0.001f, .lifetime = 1, .phase = 1};
    const SlSystemView *system = let_float(filter, &w, &seed, 40);
    assert_int_equal(system->particle_count, 1);
    const float *x = floats(system, "position");
    assert_int_equal(phases(system)[0], 1);
    assert_near((double)x[0], 0.83, 1e-5);
    assert_near((double)x[2], 0.77, 1e-5);
    assert_near((double)x[1], 1, 0.07);
    assert_near((double)floats(system, "lifetime")[0], 0.2, 1e-4);
    for (uint64_t k = 41; k <= 52; k++)
        system = apply(filter, view_of(&w, k));
    assert_int_equal(system->particle_count, 0);
    free_water(&w);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
}

/* In a uniform flow foam keeps its place relative to the water, also where that passes several spacings in a
   frame. */
static void foam_follows_the_flow(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    const Setting none = {"wave_crest", 0}; /* the block's sharp front would be one */
    SlFilter *filter = new_filter(context, &none, 1);
    Water w = new_water(0.1f, open_box);
    add_block(&w, (SlVec3){0, 0, 0}, 20, 10, 20);
    for (size_t i = 0; i < w.count; i++)
        w.v[3 * i] = 12;
    Seed seed = {.x = {1.03f, 1.01f, 0.97f}, .v = {12, 0, 0}, .radius = 0.001f, .lifetime = 9,
                 .phase = 1};
    sl_filter_continue(filter, seed_view(&seed, 0));
    const SlSystemView *system = NULL;
    for (uint64_t k = 1; k <= 20; k++) {
        for (size_t i = 0; i < w.count; i++)
            w.x[3 * i] += 12 * 0.02f;
        system = apply(filter, view_of(&w, k));
        assert_int_equal(system->particle_count, 1);
        assert_int_equal(phases(system)[0], 1);
    }
    assert_near((double)floats(system, "position")[0], 1.03 + 12 * 0.4, 1e-3);
    free_water(&w);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
}

static void bubbles_rise_and_become_foam(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, NULL, 0);
    Water w = new_water(0.1f, (SlBox){{0, 0, 0}, {2, 3, 2}});
    add_block(&w, (SlVec3){0, 0, 0}, 20, 10, 20);
    Seed seed = {.x = {1, 0.3f, 1}, .radius = 0.0018f, .lifetime = 9, .phase = 2};
    sl_filter_continue(filter, seed_view(&seed, 0));
    float height = seed.x[1];
    bool surfaced = false;
    for (uint64_t k = 1; k <= 200; k++) {
        const SlSystemView *system = apply(filter, view_of(&w, k));
        assert_int_equal(system->particle_count, 1);
        float y = floats(system, "position")[1];
        if (!surfaced)
            assert_true(k < 3 ? y >= height : y > height); /* it begins at rest */
        surfaced = phases(system)[0] == 1;
        height = y;
    }
    assert_true(surfaced);
    assert_near((double)height, 1, 0.07);
    free_water(&w);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
}

/* --- The same bits --- */

static uint64_t hash_of(const SlSystemView *system)
{
    uint64_t hash = system->particle_count;
    for (size_t f = 0; f < system->field_count; f++) {
        const SlFieldView *field = &system->fields[f];
        hash = sl_hash(field->data, field->count * field->stride, hash);
    }
    return hash;
}

/* Ten frames of a dam break that has begun. stop_at > 0: the output of that frame is written to a file, and a
   new filter continues from there. */
static uint64_t filter_dam(uint32_t threads, int stop_at, size_t *count)
{
    DamSetting setting = {.threads = threads, .nx = 12, .ny = 24, .nz = 12};
    const Setting often[] = {{"energy_min", 0}, {"energy_max", 0.05}, {"trapped_air_min", 0},
                             {"trapped_air_max", 0.5}, {"max_particles", 3000}};
    SlWorld *world = dam_create(&setting);
    SlContext *context = sl_world_context(world);
    SlFilter *filter = new_filter(context, often, 5);
    const SlFrameView *output = NULL;
    SlFrame *stored = NULL;
    char folder[400], path[512];
    test_folder(folder, sizeof folder, "whitewater");
    snprintf(path, sizeof path, "%s/frame_%u.slf", folder, threads);
    for (int k = 1; k <= 10; k++) {
        dam_advance(world, 3);
        assert_ok(sl_filter_apply(filter, sl_world_view(world), &output, &test_error));
        if (k != stop_at)
            continue;
        assert_ok(sl_frame_write(context, path, output, &test_error));
        assert_ok(sl_frame_read(context, path, &stored, &test_error));
        sl_filter_destroy(filter);
        filter = new_filter(context, often, 5);
        sl_filter_continue(filter, sl_frame_view(stored));
    }
    const SlSystemView *system = &output->systems[output->system_count - 1];
    uint64_t hash = hash_of(system);
    *count = system->particle_count;
    sl_frame_destroy(stored);
    sl_filter_destroy(filter);
    sl_world_destroy(world);
    return hash;
}

static void bits_do_not_depend_on_threads_or_stops(void **state)
{
    (void)state;
    size_t count, other;
    uint64_t hash = filter_dam(1, 0, &count);
    assert_true(count > 500);
    assert_true(filter_dam(2, 0, &other) == hash);
    assert_true(filter_dam(5, 0, &other) == hash);
    assert_true(filter_dam(2, 5, &other) == hash);
    assert_int_equal(count, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_water_emits_nothing),
        cmocka_unit_test(falling_drop_emits_nothing),
        cmocka_unit_test(emission_follows_the_area),
        cmocka_unit_test(systems_emit_together),
        cmocka_unit_test(limit_is_kept),
        cmocka_unit_test(sizes_vary_by_ten),
        cmocka_unit_test(few_particles_are_no_trouble),
        cmocka_unit_test(spray_is_ballistic),
        cmocka_unit_test(spray_meets_solids),
        cmocka_unit_test(spray_meets_meshes),
        cmocka_unit_test(foam_stays_and_ends),
        cmocka_unit_test(foam_follows_the_flow),
        cmocka_unit_test(bubbles_rise_and_become_foam),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
