/* What every test includes: cmocka, and small helpers. */
#ifndef TESTS_SUPPORT_TEST_H
#define TESTS_SUPPORT_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "sleet/sleet.h"

/* A context with that many threads; fails the test if there is none. */
SlContext *test_context(uint32_t threads);
/* SL_OK or fail with the message. */
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        SlStatus status_ = (call);                                                                 \
        if (status_ != SL_OK)                                                                      \
            fail_msg("%s: %s: %s", #call, sl_status_name(status_), test_error.text);               \
    } while (0)
extern SlError test_error; /* pass &test_error to calls inside assert_ok */

/* Ends the case as skipped; tools/test_report.py lists and counts the line printed. */
#define test_skip(reason)                                                                          \
    do {                                                                                           \
        print_message("SKIPPED: %s: %s\n", __func__, reason);                                      \
        skip();                                                                                    \
    } while (0)

/* With SLEET_TEST_MARGINS=FILE in the environment, what a bound was compared with is appended there:
   tools/test_margins.py lists bounds too far from what is seen to ever fail. */
void test_note_margin(const char *file, int line, const char *what, double seen, double bound);

#define assert_near(a, b, tolerance)                                                               \
    do {                                                                                           \
        double a_ = (a), b_ = (b), t_ = (tolerance);                                               \
        test_note_margin(__FILE__, __LINE__, #a, fabs(a_ - b_), t_);                               \
        if (!(fabs(a_ - b_) <= t_))                                                                \
            fail_msg("%s = %.9g, %s = %.9g, apart by %.3g > %.3g", #a, a_, #b, b_,                 \
                     fabs(a_ - b_), t_);                                                           \
    } while (0)
#define assert_less(a, b)                                                                          \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        test_note_margin(__FILE__, __LINE__, #a, a_, b_);                                          \
        if (!(a_ < b_))                                                                            \
            fail_msg("%s = %.9g is not below %s = %.9g", #a, a_, #b, b_);                          \
    } while (0)

/* A fresh folder under the build tree; removed by the caller or left for a look. */
void test_folder(char *path, size_t size, const char *name);

/* Gives the world a context of its own, destroyed with it. threads 0: one per processor. */
void test_own_context(SlWorldDef *def, uint32_t threads, SlIsa isa);
/* Of a world with one system. */
#define first_system(world) sl_world_system(world, 0)

#endif
