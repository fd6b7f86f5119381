/* Status with a message, and asserts for programmers' mistakes. */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include "sleet/base.h"

/* Fills `error` (may be NULL) and returns `status`, so that a failing call is one line. */
SlStatus sl_error_set(SlError *error, SlStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__
/* Tells the analyser what it cannot see from another file: the status given is the one returned. */
#define sl_error_set(error, status, ...) (sl_error_set(error, status, __VA_ARGS__), (status))
#endif

void sl_assert_failed(const char *condition, const char *file, int line);

/* Always on: a violated contract between modules must not become a wrong result. */
#define SL_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : sl_assert_failed(#condition, __FILE__, __LINE__))

#endif
