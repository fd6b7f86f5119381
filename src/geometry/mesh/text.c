#include "geometry/mesh/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

SlStatus sl_mesh_text_error(const SlMeshText *text, SlError *error, const char *format, ...)
{
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return sl_error_set(error, SL_ERROR_PARSE, "%.200s:%zu: %s", text->name, text->line, message);
}

char *sl_mesh_word_show(SlMeshWord word, char out[40])
{
    const size_t most = 32;
    size_t size = word.size < most ? word.size : most;
    for (size_t k = 0; k < size; k++)
        out[k] = word.at[k] > ' ' && word.at[k] < 127 ? word.at[k] : '?';
    strcpy(out + size, word.size > most ? "…" : "");
    return out;
}

bool sl_mesh_word_is(SlMeshWord word, const char *expected)
{
    return strlen(expected) == word.size && strncasecmp(word.at, expected, word.size) == 0;
}

/* How many bytes at p are a joint between two lines; 0: none. */
static size_t joint(const SlMeshText *text, const char *p)
{
    if (!text->continues || *p != '\\')
        return 0;
    if (text->end - p >= 2 && p[1] == '\n')
        return 2;
    return text->end - p >= 3 && p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool ends_word(const SlMeshText *text, const char *p)
{
    return p == text->end || *p == '\n' || is_blank(*p) || joint(text, p) > 0;
}

static void skip_blanks(SlMeshText *text)
{
    while (text->at < text->end) {
        size_t joined = joint(text, text->at);
        if (joined > 0)
            text->line++;
        else if (!is_blank(*text->at))
            return;
        text->at += joined > 0 ? joined : 1;
    }
}

bool sl_mesh_text_line_ended(SlMeshText *text)
{
    skip_blanks(text);
    return text->at == text->end || *text->at == '\n' || *text->at == text->comment;
}

void sl_mesh_text_next_line(SlMeshText *text)
{
    /* A comment ends with its line whatever its last byte is: people draw with backslashes. */
    bool comment = text->at < text->end && *text->at == text->comment;
    while (text->at < text->end) {
        const char *start = text->at;
        const char *newline = memchr(start, '\n', (size_t)(text->end - start));
        if (newline == NULL) {
            text->at = text->end;
            return;
        }
        text->at = newline + 1;
        text->line++;
        bool joined = (newline > start && joint(text, newline - 1) > 0) ||
                      (newline > start + 1 && joint(text, newline - 2) == 3);
        if (comment || !joined)
            return;
    }
}

bool sl_mesh_text_find_word(SlMeshText *text)
{
    while (sl_mesh_text_line_ended(text)) {
        if (text->at == text->end)
            return false;
        sl_mesh_text_next_line(text);
    }
    return true;
}

SlMeshWord sl_mesh_text_word(SlMeshText *text)
{
    SlMeshWord word = {text->at, 0};
    if (sl_mesh_text_line_ended(text))
        return word;
    word.at = text->at;
    while (!ends_word(text, text->at))
        text->at++;
    word.size = (size_t)(text->at - word.at);
    return word;
}

bool sl_mesh_text_integer(SlMeshText *text, char stop, int64_t *value)
{
    const int max_digits = 18; /* one more is met as a byte that ends no word */
    const char *p = text->at;
    bool negative = p < text->end && *p == '-';
    if (p < text->end && (*p == '-' || *p == '+'))
        p++;
    int64_t whole = 0;
    int digits = 0;
    for (; p < text->end && *p >= '0' && *p <= '9' && digits < max_digits; p++, digits++)
        whole = 10 * whole + (*p - '0');
    if (digits == 0 || !(ends_word(text, p) || *p == stop))
        return false;
    text->at = p;
    *value = negative ? -whole : whole;
    return true;
}

/* A decimal number as digits × 10^exponent: the first 19 significant digits are kept. */
typedef struct Decimal {
    uint64_t digits;
    int64_t exponent;
    int kept;
    bool any; /* a digit was seen */
} Decimal;

static const char *read_digits(const char *p, const char *end, bool fraction, Decimal *decimal)
{
    const int max_kept = 19; /* below 2^64 */
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        decimal->any = true;
        if (decimal->kept < max_kept) {
            decimal->digits = 10 * decimal->digits + (uint64_t)(*p - '0');
            decimal->kept += decimal->digits > 0;
            decimal->exponent -= fraction;
        } else {
            decimal->exponent += !fraction;
        }
    }
    return p;
}

/* NULL where the exponent has no digits. */
static const char *read_exponent(const char *p, const char *end, Decimal *decimal)
{
    const int64_t enough = 10000000000; /* above the digits of any file */
    if (p == end || (*p != 'e' && *p != 'E'))
        return p;
    p++;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || *p < '0' || *p > '9')
        return NULL;
    int64_t exponent = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if (exponent < enough)
            exponent = 10 * exponent + (*p - '0');
    decimal->exponent += negative ? -exponent : exponent;
    return p;
}

/* Up to 15 digits and exponents up to 22, which is what files hold, have one rounding here, that of
   a correctly rounded double; others a few, each of 2^-53. Then one more to float. */
static double decimal_value(const Decimal *decimal)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double value = (double)decimal->digits;
    int64_t exponent = decimal->exponent;
    if (decimal->digits == 0 || exponent < -400)
        return 0;
    if (exponent > 400)
        return INFINITY;
    for (; exponent > 22; exponent -= 22)
        value *= 1e22;
    for (; exponent < -22; exponent += 22)
        value /= 1e22;
    return exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
}

/* strtof is not used: it follows the locale's decimal point, and is several times slower. */
static bool read_number(SlMeshText *text, double *value)
{
    Decimal decimal = {0};
    const char *p = text->at, *end = text->end;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    p = read_digits(p, end, false, &decimal);
    if (p < end && *p == '.')
        p = read_digits(p + 1, end, true, &decimal);
    if (!decimal.any)
        return false;
    p = read_exponent(p, end, &decimal);
    if (p == NULL || !ends_word(text, p))
        return false;
    text->at = p;
    *value = negative ? -decimal_value(&decimal) : decimal_value(&decimal);
    return true;
}

SlStatus sl_mesh_text_coordinate(SlMeshText *text, const char *what, float *value, SlError *error)
{
    char shown[40];
    skip_blanks(text);
    const char *start = text->at;
    double number;
    if (read_number(text, &number)) {
        *value = (float)number;
        if (isfinite(*value))
            return SL_OK;
        SlMeshWord word = {start, (size_t)(text->at - start)};
        return sl_mesh_text_error(text, error, "%s: %s is beyond what a float holds, 3.4e38", what,
                                  sl_mesh_word_show(word, shown));
    }
    SlMeshWord word = sl_mesh_text_word(text);
    if (word.size == 0)
        return sl_mesh_text_error(text, error, "%s: the line ends where a number is due", what);
    return sl_mesh_text_error(text, error, "%s: \"%s\" is not a finite number", what,
                              sl_mesh_word_show(word, shown));
}

SlStatus sl_mesh_text_expect_end(SlMeshText *text, const char *after, SlError *error)
{
    char shown[40];
    if (sl_mesh_text_line_ended(text))
        return SL_OK;
    return sl_mesh_text_error(text, error, "\"%s\" after %s; the line should end there",
                              sl_mesh_word_show(sl_mesh_text_word(text), shown), after);
}
