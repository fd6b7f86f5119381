/* Snow that moves as it is told, and the filter upsample on it: shared by its tests. */
#ifndef TESTS_FILTERS_UPSAMPLE_SNOW_H
#define TESTS_FILTERS_UPSAMPLE_SNOW_H

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

static inline double unit(uint64_t counter, uint64_t stream)
{
    return (double)sl_random_unit(sl_random(5, counter, stream).value[0]);
}

/* A block of jittered particles around the origin; halves are left and right of x = 0. */
static inline Snow *new_block(int nx, int ny, int nz, Motion motion)
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

static inline size_t index_of(uint32_t id)
{
    return (id - 5) / 3;
}

/* The frame; the order of particles changes with it, as a solver's does. */
static inline const SlFrameView *view_of(Snow *s, uint64_t frame)
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

static inline void rotate(const double r[3], double angle, double x[3])
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
static inline void rigid(const double rest[3], int half, double frame, double x[3])
{
    (void)half;
    rotate(rest, frame * 8 * PI / 180, x);
    x[0] += 0.9 * SPACING * frame;
    x[1] -= 0.5 * SPACING * frame;
}

static inline void still(const double rest[3], int half, double frame, double x[3])
{
    (void)half;
    (void)frame;
    memcpy(x, rest, 3 * sizeof *x);
}

/* --- The filter --- */

static inline SlFilter *new_filter(SlContext *context, double points, double reach)
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

static inline const SlFrameView *apply(SlFilter *filter, const SlFrameView *frame)
{
    const SlFrameView *output;
    assert_ok(sl_filter_apply(filter, frame, &output, &test_error));
    assert_int_equal(output->system_count, frame->system_count);
    return output;
}

static inline const void *data_of(const SlSystemView *system, const char *name)
{
    SlFieldView field = sl_view_field(system, name);
    assert_non_null(field.data);
    assert_int_equal(field.count, system->particle_count);
    return field.data;
}

static inline double distance(const float a[3], const double b[3])
{
    double d[3] = {(double)a[0] - b[0], (double)a[1] - b[1], (double)a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

#endif
