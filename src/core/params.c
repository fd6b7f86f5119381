/* Parameter rows: checked setting, printing, the nearest name for a misspelt one, values by name. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "sleet/params.h"

static SlStatus check_range(const SlParamRow *row, double number, SlError *error)
{
    /* Written so that NaN fails too. */
    if (!(number >= row->minimum && number <= row->maximum))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s is %g; it may be from %g to %g%s%s",
                            row->name, number, row->minimum, row->maximum,
                            row->unit[0] != '\0' ? " " : "", row->unit);
    return SL_OK;
}

static SlStatus wrong_type(const SlParamRow *row, const char *found, SlError *error)
{
    static const char *const wanted[] = {"a number",    "an integer",  "true or false",
                                         "one of",      "text",            "three numbers"};
    return sl_error_set(error, SL_ERROR_ARGUMENT, "%s takes %s%s%s, not %s", row->name,
                        wanted[row->type], row->type == SL_PARAM_CHOICE ? " " : "",
                        row->type == SL_PARAM_CHOICE ? row->choices : "", found);
}

SlStatus sl_param_set_number(const SlParamRow *row, double number, SlParamValue *value,
                             SlError *error)
{
    if (row->type == SL_PARAM_CHOICE || row->type == SL_PARAM_TEXT || row->type == SL_PARAM_VEC3)
        return wrong_type(row, "a number", error);
    if (row->type != SL_PARAM_NUMBER && isfinite(number) && number != floor(number))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s takes an integer, not %g", row->name,
                            number);
    SlStatus status = check_range(row, number, error);
    if (status == SL_OK)
        value->number[0] = number;
    return status;
}

SlStatus sl_param_set_text(const SlParamRow *row, const char *text, SlParamValue *value,
                           SlError *error)
{
    if (row->type == SL_PARAM_TEXT) {
        if (strlen(text) >= sizeof value->text)
            return sl_error_set(error, SL_ERROR_ARGUMENT, "%s: \"%.20s…\" is longer than %zu bytes",
                                row->name, text, sizeof value->text - 1);
        memcpy(value->text, text, strlen(text) + 1);
        return SL_OK;
    }
    if (row->type != SL_PARAM_CHOICE)
        return wrong_type(row, "text", error);
    const char *at = row->choices;
    for (int index = 0;; index++) {
        size_t length = strcspn(at, "|");
        if (strlen(text) == length && strncmp(at, text, length) == 0) {
            value->number[0] = index;
            return SL_OK;
        }
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    return sl_error_set(error, SL_ERROR_ARGUMENT, "%s is \"%.40s\"; it may be %s", row->name, text,
                        row->choices);
}

SlStatus sl_param_set_vec3(const SlParamRow *row, const double numbers[3], SlParamValue *value,
                           SlError *error)
{
    if (row->type != SL_PARAM_VEC3)
        return wrong_type(row, "three numbers", error);
    for (int k = 0; k < 3; k++) {
        SlStatus status = check_range(row, numbers[k], error);
        if (status != SL_OK)
            return status;
    }
    memcpy(value->number, numbers, sizeof value->number);
    return SL_OK;
}

const SlParamRow *sl_table_find(const SlTable *table, const char *name)
{
    for (size_t k = 0; name != NULL && k < table->row_count; k++)
        if (strcmp(table->rows[k].name, name) == 0)
            return &table->rows[k];
    return NULL;
}

void sl_param_print(const SlParamRow *row, const SlParamValue *value, char *text, size_t text_size)
{
    switch (row->type) {
    case SL_PARAM_INTEGER: snprintf(text, text_size, "%.0f", value->number[0]); break;
    case SL_PARAM_NUMBER: snprintf(text, text_size, "%g", value->number[0]); break;
    case SL_PARAM_BOOL:
        snprintf(text, text_size, "%s", value->number[0] != 0 ? "true" : "false");
        break;
    case SL_PARAM_TEXT: snprintf(text, text_size, "%s", value->text); break;
    case SL_PARAM_VEC3:
        snprintf(text, text_size, "[%g, %g, %g]", value->number[0], value->number[1],
                 value->number[2]);
        break;
    case SL_PARAM_CHOICE: {
        const char *at = row->choices;
        for (int index = (int)value->number[0]; index > 0; index--)
            at += strcspn(at, "|") + 1;
        snprintf(text, text_size, "%.*s", (int)strcspn(at, "|"), at);
        break;
    }
    }
}

/* Letters to insert, delete, replace or swap with the next (optimal string alignment). */
static size_t edit_distance(const char *a, const char *b)
{
    enum { MAX = 48 };
    size_t la = strlen(a), lb = strlen(b);
    if (la > MAX || lb > MAX)
        return SIZE_MAX; /* too long to be near any */
    size_t row[3][MAX + 1];
    for (size_t j = 0; j <= lb; j++)
        row[1][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *now = row[(i + 1) % 3], *before = row[i % 3], *two_back = row[(i + 2) % 3];
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two_back[j - 2] + 1 < best)
                best = two_back[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[(la + 1) % 3][lb];
}

const char *sl_nearest_name(const char *name, const char *const *candidates, size_t count)
{
    const char *nearest = NULL, *begun = NULL;            /* the shortest that begins so */
    size_t length = strlen(name), limit = length / 3 + 2; /* larger distances are no help */
    for (size_t k = 0; k < count; k++) {
        size_t distance = edit_distance(name, candidates[k]);
        if (length >= 2 && strncmp(name, candidates[k], length) == 0 &&
            (begun == NULL || strlen(candidates[k]) < strlen(begun)))
            begun = candidates[k];
        if (distance < limit) {
            limit = distance;
            nearest = candidates[k];
        }
    }
    return begun != NULL ? begun : nearest;
}

SlStatus sl_table_check(const SlTable *table, const SlParamValue *values, SlError *error)
{
    for (size_t k = 0; k < table->row_count; k++) {
        const SlParamRow *row = &table->rows[k];
        size_t lanes = row->type == SL_PARAM_VEC3 ? 3 : row->type == SL_PARAM_TEXT ? 0 : 1;
        for (size_t i = 0; i < lanes; i++)
            if (!(values[k].number[i] >= row->minimum && values[k].number[i] <= row->maximum))
                return sl_error_set(error, SL_ERROR_ARGUMENT,
                                    "%s: %s is %g; it may be from %g to %g", table->name,
                                    row->name, values[k].number[i], row->minimum, row->maximum);
        if (row->type == SL_PARAM_TEXT && memchr(values[k].text, 0, sizeof values[k].text) == NULL)
            return sl_error_set(error, SL_ERROR_ARGUMENT, "%s: %s is not terminated by a 0", table->name,
                                row->name);
    }
    return SL_OK;
}

/* --- Values by name --- */

const SlTable *sl_table_named(const SlTable *const *tables, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(tables[k]->name, name) == 0)
            return tables[k];
    return NULL;
}

void sl_table_defaults(const SlTable *table, SlParamValue *values)
{
    for (size_t k = 0; k < table->row_count; k++)
        values[k] = table->rows[k].value;
}

/* The value of the row of that name; NULL after an error message. */
static SlParamValue *find_value(const SlTable *table, SlParamValue *values, const char *name,
                                const SlParamRow **row, SlError *error)
{
    enum { MAX = 128 };
    const char *names[MAX];
    size_t count = table->row_count < MAX ? table->row_count : MAX;
    *row = sl_table_find(table, name);
    if (*row != NULL)
        return &values[*row - table->rows];
    for (size_t k = 0; k < count; k++)
        names[k] = table->rows[k].name;
    const char *near = sl_nearest_name(name, names, count);
    (void)sl_error_set(error, SL_ERROR_ARGUMENT, "%s has no parameter \"%.40s\"%s%s%s", table->name,
                       name, near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                       near != NULL ? "\"?" : "");
    return NULL;
}

SlStatus sl_table_set_number(const SlTable *table, SlParamValue *values, const char *name,
                             double value, SlError *error)
{
    const SlParamRow *row;
    SlParamValue *at = find_value(table, values, name, &row, error);
    return at == NULL ? SL_ERROR_ARGUMENT : sl_param_set_number(row, value, at, error);
}

SlStatus sl_table_set_text(const SlTable *table, SlParamValue *values, const char *name,
                           const char *value, SlError *error)
{
    const SlParamRow *row;
    SlParamValue *at = find_value(table, values, name, &row, error);
    return at == NULL ? SL_ERROR_ARGUMENT : sl_param_set_text(row, value, at, error);
}

SlStatus sl_table_set_vec3(const SlTable *table, SlParamValue *values, const char *name,
                           const double value[3], SlError *error)
{
    const SlParamRow *row;
    SlParamValue *at = find_value(table, values, name, &row, error);
    return at == NULL ? SL_ERROR_ARGUMENT : sl_param_set_vec3(row, value, at, error);
}
