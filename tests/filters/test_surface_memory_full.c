/* The surface of a pool of 16 million particles: the mesher's memory follows the surface, not the volume. */
#include <stdatomic.h>

#include "core/timer.h"
#include "support/test.h"

enum { SIDE = 400 };
static const float d = 0.1f;
static const double gib = 1024.0 * 1024 * 1024;

typedef struct Meter {
    _Atomic size_t held, peak;
} Meter;

static void *metered_alloc(void *user, size_t bytes, size_t alignment)
{
    Meter *meter = user;
    size_t held = atomic_fetch_add(&meter->held, bytes) + bytes;
    if (held > meter->peak)
        meter->peak = held;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void metered_release(void *user, void *memory, size_t bytes)
{
    atomic_fetch_sub(&((Meter *)user)->held, bytes);
    free(memory);
}

/* A small generator of its own, in [-0.5, 0.5). */
static float jitter(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f - 0.5f;
}

/* Bytes at the peak, without the particles. */
static double peak_of(int layers)
{
    size_t count = (size_t)SIDE * (size_t)layers * SIDE;
    float *x = malloc(3 * count * sizeof *x), *to = x;
    assert_non_null(x);
    uint32_t state = 5;
    for (int c = 0; c < SIDE; c++)
        for (int b = 0; b < layers; b++)
            for (int a = 0; a < SIDE; a++) {
                *to++ = d * ((float)a + 0.5f + 0.3f * jitter(&state));
                *to++ = d * ((float)b + 0.5f + 0.3f * jitter(&state));
                *to++ = d * ((float)c + 0.5f + 0.3f * jitter(&state));
            }
    SlFieldView position = {"position", "m", "", SL_FIELD_F32X3, x, count, 12};
    SlSystemView system = {.name = "water", .particle_count = count, .spacing = d,
                           .volume = d * d * d, .fields = &position, .field_count = 1};
    SlFrameView frame = {.domain = {{0, 0, 0}, {SIDE * d, SIDE * d, SIDE * d}},
                         .systems = &system, .system_count = 1};
    const SlFrameView *output;
    Meter meter = {0, 0};
    SlContextDef def = sl_default_context_def();
    def.threads = 2;
    def.allocator = (SlAllocator){metered_alloc, metered_release, &meter};
    SlContext *context;
    SlFilter *filter;
    assert_ok(sl_context_create(&def, &context, &test_error));
    assert_ok(sl_filter_create(context, "surface", NULL, &filter, &test_error));
    double began = sl_seconds();
    assert_ok(sl_filter_apply(filter, &frame, &output, &test_error));
    print_message("%zu particles: %.3f GiB, %.1f s, %zu triangles\n", count,
                  (double)meter.peak / gib, sl_seconds() - began,
                  output->surfaces->triangle_count);
    assert_true(output->surfaces->triangle_count > 8 * SIDE * SIDE);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
    assert_int_equal(meter.held, 0);
    free(x);
    return (double)meter.peak;
}

static void follows_the_surface(void **state)
{
    (void)state;
    double shallow = peak_of(25), deep = peak_of(100);
    assert_less(deep / gib, 4);
    /* Four times the particles, and walls four times as high: 1.6 times the surface. */
    assert_less(deep / shallow, 2.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_the_surface)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
