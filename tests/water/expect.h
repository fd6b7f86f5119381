/* Thresholds on the figures of cases: every figure is printed, and a test fails at its end, so that
   one run shows all that is missed. */
#ifndef TESTS_WATER_EXPECT_H
#define TESTS_WATER_EXPECT_H

#include "support/test.h"
#include "water/cases.h"
#include "water/open_thresholds.h"

/* Cases and figures outside of their thresholds since the test began. */
static int water_misses;
/* The case that ran last. */
static char water_request[2048];

static inline void water_expect_value(const char *name, double value, double low, double high)
{
    bool good = value >= low && value <= high;
    const OpenThreshold *open = open_threshold_of(water_request, name);
    bool known = !good && open != NULL && value >= open->low && value <= open->high;
    print_message("    %s %s = %.6g, allowed %.6g to %.6g\n", good ? "good" : known ? "OPEN" : "MISS",
                  name, value, low, high);
    if (known)
        print_message("         within %.6g to %.6g: %s\n", open->low, open->high, open->reason);
    if (good && open != NULL)
        print_message("         is in open_thresholds.h and holds\n");
    test_note_margin(__FILE__, __LINE__, name, value > 0 ? value : -value, value > 0 ? high : -low);
    water_misses += !good && !known;
}

static inline void water_expect(const WaterResult *result, const char *name, double low, double high)
{
    water_expect_value(name, water_figure(result, name), low, high);
}

/* Runs the case and prints its request and its cost; a case that fails is a miss. */
static inline bool water_expect_run(WaterResult *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline bool water_expect_run(WaterResult *result, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(water_request, sizeof water_request, format, list);
    va_end(list);
    bool good = water_run(water_request, result);
    print_message("  %s: %.3g steps a frame, %.3g s\n", water_request,
                  water_figure(result, "steps_per_frame"), water_figure(result, "seconds"));
    if (!good)
        print_message("    MISS %s\n", result->error.text);
    water_misses += !good;
    return good;
}

static inline void water_expect_all(void)
{
    int misses = water_misses;
    water_misses = 0;
    if (misses > 0)
        fail_msg("%d thresholds missed", misses);
}

#endif
