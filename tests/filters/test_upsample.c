/* upsample: points follow rigid and affine motions, stay with their half of a torn block, keep totals, and
   have the same bits for any number of threads and after a stop; particles that come and go; bad input. */
#include "core/hash.h"
#include "core/random.h"
#include "filters/filter.h"
#include "filters/upsample/upsample.h"
#include "support/test.h"

enum { MAX_PARTICLES = 1024, POINTS = 8 };
#define SPACING 0.02
#define PI 3.14159265358979323846

/* Where a material point of that half is in a frame; or the inverse. */
typedef void (*Motion)(const double rest[3], int half, double frame, double x[3]);

typedef struct Snow {
    size_t count;
    Motion motion;
    double rest[MAX_PARTICLES][3]; /* m, by index, which is (id - 5) / 3 */
    int half[MAX_PARTICLES];
    /* in the order of the frame */
    float x[MAX_PARTICLES][3], v[MAX_PARTICLES][3], volume[MAX_PARTICLES], plastic[MAX_PARTICLES];
    uint32_t id[MAX_PARTICLES];
    SlFieldView fields[5];
    SlSystemView systems[2];
    SlFrameView frame;
} Snow;

static double unit(uint64_t counter, uint64_t stream)
{
    return (double)sl_random_unit(sl_random(5, counter, stream).value[0]);
}

/* A block of jittered particles around the origin; halves are left and right of x = 0. */
static Snow *new_block(int nx, int ny, int nz, Motion motion)
{
    Snow *s = calloc(1, sizeof *s);
    assert_true(nx * ny * nz <= MAX_PARTICLES);
    s->motion = motion;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                const int at[3] = {x, y, z}, size[3] = {nx, ny, nz};
                for (int a = 0; a < 3; a++)
                    s->rest[s->count][a] =
                        SPACING * (at[a] - 0.5 * (size[a] - 1) +
                                   0.4 * (unit(s->count, (uint64_t)a) - 0.5));
                s->half[s->count++] = 2 * x >= nx;
            }
    return s;
}

static size_t index_of(uint32_t id)
{
    return (id - 5) / 3;
}

/* The frame; the order of particles changes with it, as a solver's does. */
static const SlFrameView *view_of(Snow *s, uint64_t frame)
{
    size_t n = s->count;
    for (size_t i = 0; i < n; i++) {
        size_t from = frame % 2 == 1 ? n - 1 - i : (i + 7 * frame) % n;
        double before[3], after[3], x[3];
        s->motion(s->rest[from], s->half[from], (double)frame, x);
        s->motion(s->rest[from], s->half[from], (double)frame - 1e-3, before);
        s->motion(s->rest[from], s->half[from], (double)frame + 1e-3, after);
        for (int a = 0; a < 3; a++) {
            s->x[i][a] = (float)x[a];
            s->v[i][a] = (float)((after[a] - before[a]) / 2e-3 * 50);
        }
        s->id[i] = (uint32_t)(3 * from + 5);
        s->volume[i] = (float)(pow(SPACING, 3) * (0.8 + 0.4 * unit(from, 9)));
        s->plastic[i] = (float)unit(from, 10);
    }
    s->fields[0] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, s->x, n, 12};
    s->fields[1] = (SlFieldView){"id", "", "", SL_FIELD_U32, s->id, n, 4};
    s->fields[2] = (SlFieldView){"velocity", "m/s", "", SL_FIELD_F32X3, s->v, n, 12};
    s->fields[3] = (SlFieldView){"volume", "m^3", "", SL_FIELD_F32, s->volume, n, 4};
    s->fields[4] = (SlFieldView){"plastic", "", "", SL_FIELD_F32, s->plastic, n, 4};
    s->systems[0] = (SlSystemView){.name = "water", .solver = "pbf", .particle_count = n,
                                   .spacing = (float)SPACING, .mass = 1,
                                   .material = sl_default_material(SL_MATERIAL_WATER),
                                   .fields = s->fields, .field_count = 5};
    s->systems[1] = s->systems[0];
    s->systems[1].name = "snow";
    s->systems[1].solver = "snow";
    s->systems[1].mass = 0.003f;
    s->systems[1].material = sl_default_material(SL_MATERIAL_SNOW);
    s->frame = (SlFrameView){.frame = frame, .time = 0.02 * (double)frame, .frame_time = 0.02,
                             .systems = s->systems, .system_count = 2};
    return &s->frame;
}

/* --- Motions --- */

static void rotate(const double r[3], double angle, double x[3])
{
    /* about the axis (2, 3, 6) / 7 [Rodrigues] */
    const double k[3] = {2.0 / 7, 3.0 / 7, 6.0 / 7};
    double c = cos(angle), s = sin(angle), along = k[0] * r[0] + k[1] * r[1] + k[2] * r[2];
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, d = (a + 2) % 3;
        x[a] = c * r[a] + s * (k[b] * r[d] - k[d] * r[b]) + (1 - c) * along * k[a];
    }
}

/* 8 degrees and 0.9 spacings a frame. */
static void rigid(const double rest[3], int half, double frame, double x[3])
{
    (void)half;
    rotate(rest, frame * 8 * PI / 180, x);
    x[0] += 0.9 * SPACING * frame;
    x[1] -= 0.5 * SPACING * frame;
}

static void undo_rigid(const double x[3], int half, double frame, double rest[3])
{
    (void)half;
    const double moved[3] = {x[0] - 0.9 * SPACING * frame, x[1] + 0.5 * SPACING * frame, x[2]};
    rotate(moved, -frame * 8 * PI / 180, rest);
}

/* Shear that turns: 1.3 % a frame, up to stretches of 1.37 and 0.73 in frame 50. */
static void shear(const double rest[3], int half, double frame, double x[3])
{
    (void)half;
    const double sheared[3] = {rest[0] + 0.013 * frame * rest[1], rest[1], rest[2]};
    rotate(sheared, frame * 2 * PI / 180, x);
}

/* From frame 10 on the halves leave each other, by tear_speed spacings a frame each, and rotate in opposite
   directions about z, by one degree a frame. */
static double tear_speed = 0.1;

static void tear(const double rest[3], int half, double frame, double x[3])
{
    double since = frame > 10 ? frame - 10 : 0, side = half == 1 ? 1 : -1;
    double center = side * 3 * SPACING, angle = side * since * PI / 180;
    double u = rest[0] - center, c = cos(angle), s = sin(angle);
    x[0] = center + side * tear_speed * SPACING * since + c * u - s * rest[1];
    x[1] = s * u + c * rest[1];
    x[2] = rest[2];
}

static void undo_tear(const double x[3], int half, double frame, double rest[3])
{
    double since = frame > 10 ? frame - 10 : 0, side = half == 1 ? 1 : -1;
    double center = side * 3 * SPACING, angle = side * since * PI / 180;
    double u = x[0] - center - side * tear_speed * SPACING * since, c = cos(angle), s = sin(angle);
    rest[0] = center + c * u + s * x[1];
    rest[1] = -s * u + c * x[1];
    rest[2] = x[2];
}

static void still(const double rest[3], int half, double frame, double x[3])
{
    (void)half;
    (void)frame;
    memcpy(x, rest, 3 * sizeof *x);
}

/* --- The filter --- */

static SlFilter *new_filter(SlContext *context, double points, double reach)
{
    size_t count;
    const SlTable *const *tables = sl_filter_tables(&count);
    const SlTable *table = sl_table_named(tables, count, "upsample");
    SlParamValue values[16];
    SlFilter *filter;
    sl_table_defaults(table, values);
    assert_ok(sl_table_set_number(table, values, "points", points, &test_error));
    assert_ok(sl_table_set_number(table, values, "reach", reach, &test_error));
    assert_ok(sl_filter_create(context, "upsample", values, &filter, &test_error));
    return filter;
}

static const SlFrameView *apply(SlFilter *filter, const SlFrameView *frame)
{
    const SlFrameView *output;
    assert_ok(sl_filter_apply(filter, frame, &output, &test_error));
    assert_int_equal(output->system_count, frame->system_count);
    return output;
}

static const void *data_of(const SlSystemView *system, const char *name)
{
    SlFieldView field = sl_view_field(system, name);
    assert_non_null(field.data);
    assert_int_equal(field.count, system->particle_count);
    return field.data;
}

/* --- Motions that are known --- */

/* Material coordinates of all points, by id. */
typedef struct Marks {
    double at[MAX_PARTICLES * POINTS][3];
} Marks;

static size_t mark_of(uint32_t id)
{
    return index_of(id / POINTS) * POINTS + id % POINTS;
}

static void take_marks(const Snow *s, const SlSystemView *points, Motion undo, double frame, Marks *marks)
{
    const float *x = data_of(points, "position");
    const uint32_t *id = data_of(points, "id");
    for (size_t p = 0; p < points->particle_count; p++) {
        const double at[3] = {(double)x[3 * p], (double)x[3 * p + 1], (double)x[3 * p + 2]};
        undo(at, s->half[index_of(id[p] / POINTS)], frame, marks->at[mark_of(id[p])]);
    }
}

static double distance(const float a[3], const double b[3])
{
    double d[3] = {(double)a[0] - b[0], (double)a[1] - b[1], (double)a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* The largest distance, in spacings, of a point from where the motion takes its mark. */
static double deviation(const Snow *s, const SlSystemView *points, double frame, const Marks *marks)
{
    const float *x = data_of(points, "position");
    const uint32_t *id = data_of(points, "id");
    double worst = 0, expected[3];
    for (size_t p = 0; p < points->particle_count; p++) {
        s->motion(marks->at[mark_of(id[p])], s->half[index_of(id[p] / POINTS)], frame, expected);
        worst = fmax(worst, distance(x + 3 * p, expected) / SPACING);
    }
    return worst;
}

/* The same for velocities relative to the mean of a particle's points, in spacings per frame. */
static double velocity_deviation(const Snow *s, const SlSystemView *points, double frame, const Marks *marks)
{
    const float *v = data_of(points, "velocity");
    const uint32_t *id = data_of(points, "id");
    double worst = 0;
    for (size_t p = 0; p < points->particle_count; p += POINTS)
        for (int a = 0; a < 3; a++) {
            double exact[POINTS], mean = 0, own = 0;
            for (size_t k = 0; k < POINTS; k++) {
                double before[3], after[3];
                const double *mark = marks->at[mark_of(id[p + k])];
                s->motion(mark, 0, frame - 1e-3, before);
                s->motion(mark, 0, frame + 1e-3, after);
                exact[k] = (after[a] - before[a]) / 2e-3 / SPACING;
                mean += exact[k] / POINTS;
                own += (double)v[3 * (p + k) + (size_t)a] / 50 / SPACING / POINTS;
            }
            for (size_t k = 0; k < POINTS; k++)
                worst = fmax(worst, fabs((double)v[3 * (p + k) + (size_t)a] / 50 / SPACING - own -
                                         (exact[k] - mean)));
        }
    return worst;
}

/* Applies frames first, first + step, … last, and returns the deviation in the last. */
static double follow(Snow *s, Motion undo, int first, int last, int step, double *velocity)
{
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, POINTS, 0.65);
    Marks *marks = calloc(1, sizeof *marks);
    double worst = 0;
    for (int frame = first; frame <= last; frame += step) {
        const SlSystemView *points = &apply(filter, view_of(s, (uint64_t)frame))->systems[1];
        assert_int_equal(points->particle_count, s->count * POINTS);
        if (frame == first)
            take_marks(s, points, undo, frame, marks);
        worst = deviation(s, points, frame, marks);
        *velocity = velocity_deviation(s, points, frame, marks);
    }
    free(marks);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
    return worst;
}

static void points_follow_rigid_motion(void **state)
{
    (void)state;
    double velocity;
    Snow *s = new_block(8, 7, 6, rigid);
    assert_less(follow(s, undo_rigid, 0, 50, 1, &velocity), 2e-3);
    assert_less(velocity, 1e-3); /* of 0.16 spacings per frame */
    /* from the middle of a run, and with frames left out */
    assert_less(follow(s, undo_rigid, 23, 73, 1, &velocity), 2e-3);
    assert_less(follow(s, undo_rigid, 0, 50, 5, &velocity), 2e-3);
    free(s);
}

static void points_follow_shear(void **state)
{
    (void)state;
    double velocity;
    Snow *s = new_block(8, 7, 6, shear);
    assert_less(follow(s, still, 0, 50, 1, &velocity), 5e-3);
    assert_less(velocity, 1e-3);
    assert_less(follow(s, still, 0, 50, 5, &velocity), 5e-3);
    free(s);
}

/* The first frame has the points at rest, also in the middle of a run. */
static void points_begin_at_rest(void **state)
{
    (void)state;
    Snow *s = new_block(4, 4, 4, rigid);
    SlContext *context = test_context(1);
    SlFilter *filter = new_filter(context, POINTS, 0.5);
    const SlSystemView *points = &apply(filter, view_of(s, 9))->systems[1];
    const float *x = data_of(points, "position"), *offset = data_of(points, "offset");
    const uint32_t *particle = data_of(points, "particle");
    for (size_t p = 0; p < points->particle_count; p++) {
        float rest[3];
        sl_upsample_rest(particle[p], (uint32_t)(p % POINTS), rest);
        assert_int_equal(particle[p], s->id[p / POINTS]);
        for (size_t a = 0; a < 3; a++) {
            assert_true(fabsf(rest[a]) <= 1);
            assert_near((double)offset[3 * p + a], 0.5 * SPACING * (double)rest[a], 1e-8);
            assert_near((double)(x[3 * p + a] - s->x[p / POINTS][a]), (double)offset[3 * p + a], 1e-7);
        }
    }
    sl_filter_destroy(filter);
    sl_context_destroy(context);
    free(s);
}

/* --- Fracture --- */

/* Points beyond the torn face of their half by more than their reach: in the gap. `far` becomes the largest
   distance of a point from the nearest particle of its half, in spacings. */
static size_t count_in_gap(const Snow *s, const SlSystemView *points, bool fixed, double frame,
                           double *far)
{
    const float *x = data_of(points, "position"), *offset = data_of(points, "offset");
    const uint32_t *particle = data_of(points, "particle");
    double face = INFINITY; /* of the particles' centers, towards x = 0 */
    size_t count = 0;
    *far = 0;
    for (size_t i = 0; i < s->count; i++)
        face = fmin(face, fabs(s->rest[i][0]));
    for (size_t p = 0; p < points->particle_count; p++) {
        int half = s->half[index_of(particle[p])];
        float rest[3];
        double at[3], material[3], nearest = INFINITY;
        sl_upsample_rest(particle[p], (uint32_t)(p % POINTS), rest);
        for (size_t a = 0; a < 3; a++)
            at[a] = (double)x[3 * p + a] +
                    (fixed ? 0.5 * SPACING * (double)rest[a] - (double)offset[3 * p + a] : 0);
        undo_tear(at, half, frame, material);
        count += (half == 1 ? 1 : -1) * material[0] < face - 0.52 * SPACING;
        for (size_t i = 0; i < s->count; i++)
            if (s->half[index_of(s->id[i])] == half)
                nearest = fmin(nearest, distance(s->x[i], at));
        *far = fmax(*far, nearest / SPACING);
    }
    return count;
}

/* In the last of 50 frames: points in the gap, of the filter and of copies that are fixed to their particle. */
static void tear_apart(double speed, size_t *own, size_t *fixed)
{
    Snow *s = new_block(12, 6, 6, tear);
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, POINTS, 0.5);
    double far, not_used;
    tear_speed = speed;
    for (int frame = 0; frame <= 50; frame++) {
        const SlSystemView *points = &apply(filter, view_of(s, (uint64_t)frame))->systems[1];
        if (frame % 10 != 0)
            continue;
        *own = count_in_gap(s, points, false, frame, &far);
        *fixed = count_in_gap(s, points, true, frame, &not_used);
        assert_less(far, 1);
    }
    print_message("halves that part by %g spacings a frame: %zu points in the gap, %zu of fixed copies; at "
                  "most %.3f spacings from a particle\n", 2 * speed, *own, *fixed, far);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
    free(s);
}

static void points_stay_with_their_half(void **state)
{
    (void)state;
    size_t own, fixed;
    const double speeds[] = {0.01, 0.05, 0.1, 2};
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
        tear_apart(speeds[k], &own, &fixed);
        assert_int_equal(own, 0);
        assert_true(fixed > 0); /* the halves have turned by 40 degrees, the copies have not */
    }
    tear_speed = 0.1;
}

/* --- Totals, bits --- */

static void totals_are_kept(void **state)
{
    (void)state;
    Snow *s = new_block(7, 6, 5, rigid);
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, 11, 0.65);
    const SlFrameView *output = NULL;
    for (uint64_t frame = 0; frame < 3; frame++)
        output = apply(filter, view_of(s, frame));
    const SlSystemView *from = &s->systems[1], *to = &output->systems[1];
    assert_int_equal(to->particle_count, 11 * from->particle_count);
    assert_near((double)to->spacing * cbrt(11), SPACING, 1e-8);
    double mass[2] = {0, 0}, volume[2] = {0, 0}, momentum[2][3] = {{0}};
    for (int which = 0; which < 2; which++) {
        const SlSystemView *system = which == 0 ? from : to;
        const float *v = data_of(system, "velocity");
        for (size_t i = 0; i < system->particle_count; i++) {
            mass[which] += (double)sl_view_mass(system, i);
            volume[which] += (double)sl_view_volume(system, i);
            for (size_t a = 0; a < 3; a++)
                momentum[which][a] += (double)(sl_view_mass(system, i) * v[3 * i + a]);
        }
    }
    assert_near(mass[1] / mass[0], 1, 1e-6);
    assert_near(volume[1] / volume[0], 1, 1e-6);
    for (int a = 0; a < 3; a++)
        assert_near(momentum[1][a], momentum[0][a], 1e-5 * mass[0]);
    /* other fields are repeated, ids are unique, other systems as they were */
    const float *plastic = data_of(to, "plastic");
    const uint32_t *id = data_of(to, "id");
    for (size_t p = 0; p < to->particle_count; p++) {
        assert_true(plastic[p] == s->plastic[p / 11]);
        assert_int_equal(id[p], s->id[p / 11] * 11 + p % 11);
    }
    assert_int_equal(to->field_count, 7); /* id, particle, position, offset, velocity, volume, plastic */
    assert_int_equal(sl_upsample_points(to), 11);
    assert_ptr_equal(output->systems[0].fields, s->systems[0].fields);
    assert_int_equal(output->systems[0].particle_count, s->count);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
    free(s);
}

static uint64_t hash_of(const SlSystemView *system)
{
    uint64_t hash = system->particle_count;
    for (size_t f = 0; f < system->field_count; f++)
        hash = sl_hash(system->fields[f].data, system->fields[f].count * system->fields[f].stride, hash);
    return hash;
}

/* Threads 1, 2, 5; and a filter that continues another's output instead of its own. */
static void bits_are_the_same(void **state)
{
    (void)state;
    uint64_t hashes[4];
    const uint32_t threads[4] = {1, 2, 5, 2};
    Snow *s = new_block(12, 8, 8, tear);
    for (int round = 0; round < 4; round++) {
        SlContext *context = test_context(threads[round]);
        SlFilter *filter = new_filter(context, POINTS, 0.65), *other = NULL;
        const SlFrameView *output = NULL;
        for (uint64_t frame = 0; frame < 20; frame++) {
            if (round == 3 && frame == 13) { /* its output is valid until the second call after it */
                other = new_filter(context, POINTS, 0.65);
                sl_filter_continue(other, output);
            }
            output = apply(other != NULL ? other : filter, view_of(s, frame));
        }
        hashes[round] = hash_of(&output->systems[1]);
        sl_filter_destroy(filter);
        sl_filter_destroy(other);
        sl_context_destroy(context);
    }
    for (int round = 1; round < 4; round++)
        assert_true(hashes[round] == hashes[0]);
    free(s);
}

/* --- Numbers of particles --- */

/* None, one, then all: new ones are at rest, the one that was there has not turned without neighbours. */
static void particles_come_and_go(void **state)
{
    (void)state;
    Snow *s = new_block(5, 5, 5, rigid);
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, POINTS, 0.65);
    const size_t counts[] = {0, 1, 1, 2, 125, 60, 125, 0, 125};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        s->count = counts[k];
        const SlSystemView *points = &apply(filter, view_of(s, k))->systems[1];
        assert_int_equal(points->particle_count, counts[k] * POINTS);
        if (counts[k] == 0)
            continue;
        const float *x = data_of(points, "position"), *offset = data_of(points, "offset");
        const uint32_t *particle = data_of(points, "particle");
        for (size_t p = 0; p < points->particle_count; p++) {
            float rest[3];
            sl_upsample_rest(particle[p], (uint32_t)(p % POINTS), rest);
            for (size_t a = 0; a < 3; a++) {
                assert_true(isfinite(x[3 * p + a]));
                if (k <= 3 || k == 8) /* one or two have no rotation; all new after none */
                    assert_near((double)offset[3 * p + a], 0.65 * SPACING * (double)rest[a], 1e-6);
            }
        }
    }
    sl_filter_destroy(filter);
    sl_context_destroy(context);
    free(s);
}

/* Particles that move at random, without anything that holds them together: offsets stay within limits. */
static void scatter(const double rest[3], int half, double frame, double x[3])
{
    (void)half;
    uint64_t seed = (uint64_t)(rest[0] * 1e9) * 31 + (uint64_t)(rest[1] * 1e9) * 17 +
                    (uint64_t)(rest[2] * 1e9);
    for (int a = 0; a < 3; a++)
        x[a] = rest[a] + 1.5 * SPACING * (unit(seed + (uint64_t)(frame * 100), (uint64_t)a) - 0.5);
}

static void offsets_stay_within_limits(void **state)
{
    (void)state;
    Snow *s = new_block(8, 8, 8, scatter);
    for (size_t i = 0; i < s->count; i++)
        for (int a = 0; a < 3; a++)
            s->rest[i][a] += 1; /* above 0, for the seed */
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, POINTS, 0.65);
    double longest = 0, shortest = INFINITY;
    for (uint64_t frame = 0; frame < 60; frame++) {
        const SlSystemView *points = &apply(filter, view_of(s, frame))->systems[1];
        const float *offset = data_of(points, "offset");
        const uint32_t *particle = data_of(points, "particle");
        for (size_t p = 0; p < points->particle_count; p++) {
            float rest[3];
            const double zero[3] = {0, 0, 0};
            sl_upsample_rest(particle[p], (uint32_t)(p % POINTS), rest);
            double ratio = distance(offset + 3 * p, zero) / (0.65 * SPACING * distance(rest, zero));
            longest = fmax(longest, ratio);
            shortest = fmin(shortest, ratio);
        }
    }
    assert_less(longest, 1.501);
    assert_less(-shortest, -0.599);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
    free(s);
}

/* --- Bad input --- */

static void assert_refused(SlFilter *filter, const SlFrameView *frame, const char *word)
{
    const SlFrameView *output;
    assert_int_equal(sl_filter_apply(filter, frame, &output, &test_error), SL_ERROR_ARGUMENT);
    assert_null(output);
    if (strstr(test_error.text, word) == NULL)
        fail_msg("\"%s\" does not contain \"%s\"", test_error.text, word);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    Snow *s = new_block(4, 4, 4, still);
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, POINTS, 0.65), *other = new_filter(context, 5, 0.65);
    const SlFrameView *frame = view_of(s, 0);
    SlSystemView *snow = &s->systems[1];
    s->fields[1].name = "number";
    assert_refused(filter, frame, "no field \"id\"");
    frame = view_of(s, 0);
    s->fields[0].name = "place";
    assert_refused(filter, frame, "no positions");
    frame = view_of(s, 0);
    snow->spacing = 0;
    assert_refused(filter, frame, "spacing");
    frame = view_of(s, 0);
    s->id[7] = s->id[40];
    assert_refused(filter, frame, "unique");
    frame = view_of(s, 0);
    s->x[9][1] = NAN;
    assert_refused(filter, frame, "finite");
    frame = view_of(s, 0);
    s->id[3] = UINT32_MAX / 2;
    assert_refused(filter, frame, "too large");
    /* an output of other settings, and frames that are no outputs */
    sl_filter_continue(filter, apply(other, view_of(s, 0)));
    assert_refused(filter, view_of(s, 1), "8 points");
    sl_filter_reset(filter);
    Snow *raw = new_block(4, 4, 4, still);
    sl_filter_continue(filter, view_of(raw, 0));
    assert_refused(filter, view_of(s, 1), "not as an output");
    sl_filter_reset(filter);
    apply(filter, view_of(s, 2)); /* and it still works */
    /* a frame that is earlier begins anew */
    const SlSystemView *points = &apply(filter, view_of(s, 1))->systems[1];
    assert_int_equal(points->particle_count, 64 * POINTS);
    sl_filter_destroy(filter);
    sl_filter_destroy(other);
    sl_context_destroy(context);
    free(raw);
    free(s);
}

/* Points are not multiplied again, and a frame without snow is left as it is. */
static void others_pass(void **state)
{
    (void)state;
    Snow *s = new_block(4, 4, 4, still);
    SlContext *context = test_context(1);
    SlFilter *filter = new_filter(context, POINTS, 0.65), *second = new_filter(context, 4, 0.65);
    const SlFrameView *output = apply(filter, view_of(s, 0)), *again = apply(second, output);
    assert_ptr_equal(again->systems[1].fields, output->systems[1].fields);
    SlFrameView water = *view_of(s, 1);
    water.system_count = 1;
    for (int k = 0; k < 2; k++) {
        water.time += 0.02;
        again = apply(second, &water);
        assert_ptr_equal(again->systems[0].fields, water.systems[0].fields);
    }
    sl_filter_destroy(filter);
    sl_filter_destroy(second);
    sl_context_destroy(context);
    free(s);
}

/* --- Matrices --- */

static void singular_values(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 200; n++) {
        double m[9], u[9], v[9], s[3], worst = 0;
        for (uint64_t k = 0; k < 9; k++)
            m[k] = unit(n, k) - 0.5;
        for (int k = 0; n % 4 == 1 && k < 3; k++) /* singular */
            m[6 + k] = n % 8 == 1 ? m[k] - 2 * m[3 + k] : 0;
        for (int k = 0; n % 4 == 2 && k < 9; k++) /* of rank 1, or 0 */
            m[k] = n % 8 == 2 ? m[k % 3] * (k / 3 - 0.5) : 0;
        upsample_svd(m, u, s, v);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                double sum = 0, uu = 0, vv = 0;
                for (int k = 0; k < 3; k++) {
                    sum += u[3 * r + k] * s[k] * v[3 * c + k];
                    uu += u[3 * k + r] * u[3 * k + c];
                    vv += v[3 * k + r] * v[3 * k + c];
                }
                worst = fmax(worst, fabs(sum - m[3 * r + c]));
                worst = fmax(worst, fmax(fabs(uu - (r == c)), fabs(vv - (r == c))));
            }
        assert_less(worst, 1e-12);
        assert_true(s[0] >= s[1] && s[1] >= fabs(s[2]));
        const double *const both[2] = {u, v};
        for (int k = 0; k < 2; k++) {
            const double *a = both[k];
            assert_near(a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
                            a[2] * (a[3] * a[7] - a[4] * a[6]), 1, 1e-12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_values),
        cmocka_unit_test(points_begin_at_rest),
        cmocka_unit_test(points_follow_rigid_motion),
        cmocka_unit_test(points_follow_shear),
        cmocka_unit_test(points_stay_with_their_half),
        cmocka_unit_test(totals_are_kept),
        cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(particles_come_and_go),
        cmocka_unit_test(offsets_stay_within_limits),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(others_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
