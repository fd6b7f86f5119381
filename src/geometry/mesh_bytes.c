#include "geometry/mesh_bytes.h"

#include <stdarg.h>
#include <stdio.h>

SlStatus sl_mesh_bytes_error(const char *name, size_t byte, SlError *error, const char *format, ...)
{
    char sentence[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return sl_error_set(error, SL_ERROR_PARSE, "%.170s: byte %zu: %s", name, byte, sentence);
}
