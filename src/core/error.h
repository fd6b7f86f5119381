/* Status with one sentence, and asserts for programmers' mistakes. */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include "sleet/base.h"

/* Fills `error` (may be NULL) and returns `status`, so that a failing call is one line. */
SlStatus sl_error_set(SlError *error, SlStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void sl_assert_failed(const char *condition, const char *file, int line);

/* Always on: a broken promise between rooms must not become a wrong picture. */
#define SL_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : sl_assert_failed(#condition, __FILE__, __LINE__))

#endif
