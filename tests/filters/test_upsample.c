/* upsample: points follow rigid and affine motions, stay with their half of a torn block, keep totals, and
   have the same bits for any number of threads and after a stop. */
#include "core/hash.h"
#include "filters/upsample_snow.h"

/* --- Motions --- */

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

/* Points of the particles at the torn faces that stand out into the gap by a tenth more than their reach. `far`
   becomes the largest distance of a point from the nearest particle of its half, in spacings. */
static size_t count_in_gap(const Snow *s, const SlSystemView *points, bool fixed, double frame,
                           double *far)
{
    const float *x = data_of(points, "position"), *offset = data_of(points, "offset");
    const uint32_t *particle = data_of(points, "particle");
    size_t count = 0;
    *far = 0;
    for (size_t p = 0; p < points->particle_count; p++) {
        size_t own = index_of(particle[p]);
        int half = s->half[own];
        float rest[3];
        double at[3], material[3], nearest = INFINITY;
        sl_upsample_rest(particle[p], (uint32_t)(p % POINTS), rest);
        for (size_t a = 0; a < 3; a++)
            at[a] = (double)x[3 * p + a] +
                    (fixed ? 0.5 * SPACING * (double)rest[a] - (double)offset[3 * p + a] : 0);
        undo_tear(at, half, frame, material);
        double out = (half == 1 ? 1 : -1) * (s->rest[own][0] - material[0]);
        count += fabs(s->rest[own][0]) < 0.75 * SPACING && out > 0.55 * SPACING;
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
    double far = 0, not_used;
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
        /* the slowest opening looks like stretch within a frame */
        assert_true(own <= (k == 0 ? 2 : 0));
        assert_true(fixed > 5); /* the halves have turned by 40 degrees, the copies have not */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_begin_at_rest),
        cmocka_unit_test(points_follow_rigid_motion),
        cmocka_unit_test(points_follow_shear),
        cmocka_unit_test(points_stay_with_their_half),
        cmocka_unit_test(totals_are_kept),
        cmocka_unit_test(bits_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
