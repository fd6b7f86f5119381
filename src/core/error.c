#include "core/error.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "config.h"

#undef sl_error_set /* the analyser's */

SlStatus sl_error_set(SlError *error, SlStatus status, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

/* The one process-wide setting: asserts may fire where no context is at hand. */
static _Atomic(SlAssertHandler) assert_handler;

void sl_set_assert_handler(SlAssertHandler handler)
{
    atomic_store(&assert_handler, handler);
}

void sl_assert_failed(const char *condition, const char *file, int line)
{
    SlAssertHandler handler = atomic_load(&assert_handler);
    if (handler != NULL) {
        handler(condition, file, line);
        return;
    }
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}

const char *sl_version(void)
{
    return SLEET_VERSION;
}

const char *sl_status_name(SlStatus status)
{
    switch (status) {
    case SL_OK: return "ok";
    case SL_ERROR_ARGUMENT: return "argument";
    case SL_ERROR_PARSE: return "parse";
    case SL_ERROR_MEMORY: return "memory";
    case SL_ERROR_IO: return "io";
    case SL_ERROR_NUMBERS: return "numbers";
    case SL_ERROR_UNSUPPORTED: return "unsupported";
    case SL_ERROR_CANCELLED: return "cancelled";
    case SL_ERROR_EXISTS: return "exists";
    }
    return "unknown";
}
