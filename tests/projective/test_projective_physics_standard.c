/* Projective fluids against laws and an experiment: compression of a column under its weight, the
   front of [Martin 1952], energy. */
#include "projective/projective_worlds.h"
#include "support/martin_moyce.h"

typedef struct Watch {
    SlStepStats last;
    double min_energy, max_rise, first_potential, min_potential, max_speed;
    uint64_t steps;
} Watch;

static bool watch(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    Watch *w = user;
    double potential = stats->total_energy - stats->kinetic_energy;
    if (w->steps++ == 0) {
        w->min_energy = stats->total_energy;
        w->first_potential = w->min_potential = potential;
    }
    w->min_energy = fmin(w->min_energy, stats->total_energy);
    w->max_rise = fmax(w->max_rise, stats->total_energy - w->min_energy);
    w->min_potential = fmin(w->min_potential, potential);
    w->max_speed = fmax(w->max_speed, stats->max_speed);
    w->last = *stats;
    return true;
}

/* Sum over k of |grad_k C_i|² and the slope of an SPH gradient, as measured around particle i. */
typedef struct Around {
    double squares, slope;
} Around;

static Around measure_around(const SlFieldView *x, size_t i, double d)
{
    const char *data = x->data;
    const float *a = (const float *)(data + i * x->stride);
    double support = 2 * d, volume = d * d * d / sl_lattice_sums(SL_KERNEL_CUBIC, 2).density;
    double sum[3] = {0, 0, 0};
    Around around = {0, 0};
    for (size_t j = 0; j < x->count; j++) {
        const float *b = (const float *)(data + j * x->stride);
        double u[3] = {(double)(a[0] - b[0]), (double)(a[1] - b[1]), (double)(a[2] - b[2])};
        double r = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        if (j == i || r >= support)
            continue;
        double slope = volume * sl_kernel_slope(SL_KERNEL_CUBIC, r, support);
        for (int k = 0; k < 3; k++)
            sum[k] += slope * u[k];
        around.squares += slope * slope * r * r;
        around.slope -= slope * u[1] * u[1]; /* gradient of y: 1 if the kernel sums were exact */
    }
    around.squares += sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
    return around;
}

/* Target: without count relaxation, iterated to 1e-5 d: compression is linear in depth, with the slope that
   weight, stiffness and the measured sum of |grad C|² predict, within 5 %. At rest a particle is in
   equilibrium: kappa sum_c lambda_c grad_i C_c = dt² g; with lambda = -C / S and C linear in depth that
   is (kappa / S) dC/dz × (the kernel's own slope) = dt² g. The step drops out: kappa has its
   square. */
static void hydrostatic_law(void **state)
{
    (void)state;
    double d = 0.05, stiffness = 4e5, height = 40 * d;
    Watch w = {0};
    PfWorld setting = {.threads = 2,
                       .spacing = d,
                       .domain = {0.5f, 4, 0.5f},
                       .nx = 10,
                       .ny = 40,
                       .nz = 10,
                       .frame_time = 0.02,
                       .on_step = watch,
                       .user = &w,
                       .settings = {{"steps", 4, NULL},
                                    {"stiffness", stiffness, NULL},
                                    {"count_relaxation", 0, NULL},
                                    {"stop_move", 1e-5, NULL},
                                    {"max_iterations", 3000, NULL},
                                    {"xsph", 0.2, NULL},
                                    {"relaxation", 1, NULL},
                                    {"damping", 1e-6, NULL}}};
    SlWorld *world = pf_create(&setting);
    pf_advance(world, 150);
    SlFieldView x = sl_system_field(world, first_system(world), "position"),
                density = sl_system_field(world, first_system(world), "density_ratio");
    /* Least squares of compression over height, by the particles between the layers at floor and
     * top. */
    double n = 0, sy = 0, sc = 0, syy = 0, syc = 0, squares = 0, slopes = 0, sampled = 0, scc = 0;
    for (size_t i = 0; i < x.count; i++) {
        const float *a = (const float *)((const char *)x.data + i * x.stride);
        double y = (double)a[1], c = (double)((const float *)density.data)[i] - 1;
        if (y < 4 * d || y > height - 8 * d)
            continue;
        n++;
        sy += y;
        sc += c;
        syy += y * y;
        syc += y * c;
        scc += c * c;
        bool inside = (double)a[0] > 2 * d && (double)a[0] < 0.5 - 2 * d && (double)a[2] > 2 * d &&
                      (double)a[2] < 0.5 - 2 * d;
        if (inside && i % 5 == 0) {
            Around around = measure_around(&x, i, d);
            squares += around.squares;
            slopes += around.slope;
            sampled++;
        }
    }
    double slope = -(n * syc - sy * sc) / (n * syy - sy * sy);
    double linear = pow(n * syc - sy * sc, 2) / ((n * syy - sy * sy) * (n * scc - sc * sc));
    double mass = 1000 * d * d * d, weight = stiffness * d;
    double predicted = mass * 9.81 * (squares / sampled) / (weight * (slopes / sampled));
    print_message(
        "hydrostatics: %.5f per m, predicted %.5f (S %.4f / d², kernel slope %.4f), r² %.4f, "
        "speed %.4f m/s\n",
        slope, predicted, squares / sampled * d * d, slopes / sampled, linear, w.last.max_speed);
    assert_near(slope / predicted, 1, 0.05);
    assert_true(linear > 0.9);
    sl_world_destroy(world);
}

/* Target: energy never rises by more than 0.2 % of what was released. */
static void energy_never_rises(void **state)
{
    (void)state;
    const char *boundaries[2] = {"walls", "particles"};
    for (int k = 0; k < 2; k++) {
        Watch w = {0};
        PfWorld setting = {.threads = 2,
                           .spacing = 0.05,
                           .domain = {3, 2.5f, 0.8f},
                           .nx = 20,
                           .ny = 25,
                           .nz = 16,
                           .frame_time = 0.02,
                           .on_step = watch,
                           .user = &w,
                           .settings = {{"steps", 4, NULL}, {"boundary", 0, boundaries[k]}}};
        SlWorld *world = pf_create(&setting);
        pf_advance(world, 100);
        double released = w.first_potential - w.min_potential;
        print_message("energy (%s): largest rise %.4f %% of the released, top speed %.1f m/s\n",
                      boundaries[k], 100 * w.max_rise / released, w.max_speed);
        assert_less(w.max_rise / released, 0.002);
        assert_less(w.max_speed, 20);
        sl_world_destroy(world);
    }
}

/* The front over time, frame by frame: T and Z of Martin & Moyce. */
enum { MAX_FRAMES = 200 };
typedef struct Front {
    double T[MAX_FRAMES], Z[MAX_FRAMES];
    size_t count;
} Front;

static void run_front(float friction, Front *front)
{
    double d = 0.05, width = 2, g = (double)9.81f; /* column 40 x 80 d */
    PfWorld setting = {.threads = 2,
                       .spacing = d,
                       .domain = {10.5f, 6, 0.3f},
                       .nx = 40,
                       .ny = 80,
                       .nz = 6,
                       .friction = friction,
                       .frame_time = 0.02,
                       .settings = {{"steps", 4, NULL}, {"boundary", 0, "particles"}}};
    SlWorld *world = pf_create(&setting);
    *front = (Front){.Z = {1}, .count = 1};
    while (front->T[front->count - 1] < front_T[FRONT_POINTS - 1]) {
        assert_true(front->count < MAX_FRAMES);
        pf_advance(world, 1);
        front->T[front->count] = sl_world_time(world) * sqrt(2 * g / width);
        front->Z[front->count++] = front_of(world, d) / width;
    }
    sl_world_destroy(world);
}

/* Mean deviation from the experiment with its clock shifted by `delay`. */
static double front_deviation(const Front *front, double delay)
{
    double sum = 0;
    for (int k = 0; k < FRONT_POINTS; k++) {
        double T = fmax(front_T[k] - delay, 0);
        size_t f = 1;
        while (front->T[f] < T)
            f++;
        double fraction = (T - front->T[f - 1]) / (front->T[f] - front->T[f - 1]);
        sum += fabs((front->Z[f - 1] + fraction * (front->Z[f] - front->Z[f - 1])) / front_Z[k] - 1);
    }
    return sum / FRONT_POINTS;
}

/* Target: within 10 % in the mean, on a floor with a little friction. Without friction the front
   starts sooner than behind the gate of the experiment and stays ahead by that delay: apart from it
   the curve is within a few percent. */
static void martin_moyce_front(void **state)
{
    (void)state;
    Front rough, smooth;
    run_front(0.1f, &rough);
    run_front(0, &smooth);
    print_message(
        "Martin & Moyce: friction 0.1 %.2f %%; none %.2f %%, started 0.28 later %.2f %%\n",
        100 * front_deviation(&rough, 0), 100 * front_deviation(&smooth, 0),
        100 * front_deviation(&smooth, 0.28));
    assert_less(front_deviation(&rough, 0), 0.10);
    assert_less(front_deviation(&smooth, 0), 0.16);
    assert_less(front_deviation(&smooth, 0.28), 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hydrostatic_law),
        cmocka_unit_test(energy_never_rises),
        cmocka_unit_test(martin_moyce_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
