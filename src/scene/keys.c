#include "scene/keys.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"

enum { MAX_NAMES = 256 };

SlVec3 sl_keys_vec3(const SlKeyValue *value)
{
    const double *n = value->value.number;
    return (SlVec3){(float)n[0], (float)n[1], (float)n[2]};
}

SlJsonPlace sl_keys_place(const SlKeyValue *value, const SlJsonNode *object)
{
    return value->node != NULL ? value->node->place : object->place;
}

/* The names joined as "a, b, c", cut with an ellipsis. */
static void list_names(const char *const *names, size_t count, char *text, size_t text_size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < count; k++) {
        size_t length = strlen(names[k]);
        if (used + length + 8 > text_size) {
            snprintf(text + used, text_size - used, ", …");
            return;
        }
        used += (size_t)snprintf(text + used, text_size - used, "%s%s", k > 0 ? ", " : "",
                                 names[k]);
    }
}

/* --- Leaves --- */

SlStatus sl_keys_wrong_type(const SlJson *json, const SlJsonNode *node, const char *needed,
                            SlError *error)
{
    char found[96];
    sl_json_describe(json, node, found, sizeof found);
    return sl_json_error(json, node->place, error, "found %s, %s is needed", found, needed);
}

/* A message of sl_param_set_* with the place in front. */
static SlStatus with_place(const SlJson *json, SlJsonPlace place, SlStatus status,
                           const SlError *inner, SlError *error)
{
    return status == SL_OK ? SL_OK : sl_json_error(json, place, error, "%s", inner->text);
}

static SlStatus read_vec3(const SlJson *json, const SlJsonNode *node, const SlParamRow *row,
                          SlParamValue *value, SlError *error)
{
    if (node->type != SL_JSON_ARRAY || node->count != 3)
        return sl_keys_wrong_type(json, node, "an array of three numbers [x, y, z]", error);
    /* Each as a number of its own, so that the place is the component's. */
    SlParamRow component = *row;
    component.type = SL_PARAM_NUMBER;
    const SlJsonNode *child = sl_json_first(json, node);
    for (int k = 0; k < 3; k++, child = sl_json_next(json, child)) {
        SlParamValue number;
        SlStatus status = sl_keys_read_leaf(json, child, &component, &number, error);
        if (status != SL_OK)
            return status;
        value->number[k] = number.number[0];
    }
    return SL_OK;
}

SlStatus sl_keys_unknown_name(const SlJson *json, const SlJsonNode *node, const char *what,
                              const char *const *names, size_t count, SlError *error)
{
    const char *name = sl_json_text(json, node), *nearest = sl_nearest_name(name, names, count);
    char quoted[SL_JSON_QUOTE], list[256];
    sl_json_quote(name, quoted);
    list_names(names, count, list, sizeof list);
    if (nearest != NULL)
        return sl_json_error(json, node->place, error,
                             "unknown %s %s; did you mean \"%s\"? It may be one of: %s", what,
                             quoted, nearest, list);
    return sl_json_error(json, node->place, error, "unknown %s %s; it may be one of: %s", what,
                         quoted, list);
}

static SlStatus read_choice(const SlJson *json, const SlJsonNode *node, const SlParamRow *row,
                            SlParamValue *value, SlError *error)
{
    if (sl_param_set_text(row, sl_json_text(json, node), value, NULL) == SL_OK)
        return SL_OK;
    enum { MAX = 32 };
    char choices[256];
    const char *names[MAX];
    size_t count = 0;
    snprintf(choices, sizeof choices, "%s", row->choices);
    for (char *rest = choices; rest != NULL && count < MAX;)
        names[count++] = strsep(&rest, "|");
    return sl_keys_unknown_name(json, node, row->name, names, count, error);
}

SlStatus sl_keys_read_leaf(const SlJson *json, const SlJsonNode *node, const SlParamRow *row,
                           SlParamValue *value, SlError *error)
{
    static const struct {
        SlJsonType type;
        const char *needed;
    } wanted[] = {
        [SL_PARAM_NUMBER] = {SL_JSON_NUMBER, "a number"},
        [SL_PARAM_INTEGER] = {SL_JSON_NUMBER, "an integer"},
        [SL_PARAM_BOOL] = {SL_JSON_BOOL, "true or false"},
        [SL_PARAM_CHOICE] = {SL_JSON_TEXT, "text"},
        [SL_PARAM_TEXT] = {SL_JSON_TEXT, "text"},
        [SL_PARAM_VEC3] = {SL_JSON_ARRAY, "an array of three numbers [x, y, z]"},
    };
    SlError inner;
    if (row->type == SL_PARAM_VEC3)
        return read_vec3(json, node, row, value, error);
    if (node->type != wanted[row->type].type)
        return sl_keys_wrong_type(json, node, wanted[row->type].needed, error);
    if (row->type == SL_PARAM_CHOICE)
        return read_choice(json, node, row, value, error);
    SlStatus status = row->type == SL_PARAM_TEXT
                          ? sl_param_set_text(row, sl_json_text(json, node), value, &inner)
                          : sl_param_set_number(row, node->number, value, &inner);
    return with_place(json, node->place, status, &inner, error);
}

/* --- Objects --- */

static SlStatus unknown_key(const SlJson *json, const SlJsonNode *member, const char *what,
                            const char *const *names, size_t count, SlError *error)
{
    const char *key = sl_json_key(json, member);
    char quoted[SL_JSON_QUOTE], list[320];
    const char *nearest = sl_nearest_name(key, names, count);
    sl_json_quote(key, quoted);
    if (nearest != NULL)
        return sl_json_error(json, member->key_place, error,
                             "unknown key %s; did you mean \"%s\"?", quoted, nearest);
    list_names(names, count, list, sizeof list);
    return sl_json_error(json, member->key_place, error, "unknown key %s; %s may have: %s", quoted,
                         what, list);
}

static SlStatus read_key(const SlJson *json, const SlJsonNode *node, const SlKeyRow *key,
                         SlKeyValue *value, SlError *error)
{
    value->node = node;
    if (key->shape == SL_KEY_LEAF)
        return sl_keys_read_leaf(json, node, &key->row, &value->value, error);
    if (key->shape == SL_KEY_OBJECT)
        return node->type == SL_JSON_OBJECT ? SL_OK
                                            : sl_keys_wrong_type(json, node, "an object", error);
    if (node->type != SL_JSON_ARRAY)
        return sl_keys_wrong_type(json, node, "an array", error);
    if (node->count < key->row.minimum || node->count > key->row.maximum)
        return sl_json_error(json, node->place, error, "%s has %u elements; it may have %g to %g",
                             key->row.name, node->count, key->row.minimum, key->row.maximum);
    return SL_OK;
}

SlStatus sl_keys_read(const SlJson *json, const SlJsonNode *object, const char *what,
                      const SlKeyRow *rows, size_t row_count, SlKeyValue *values, SlError *error)
{
    const char *names[MAX_NAMES];
    SL_ASSERT(row_count <= MAX_NAMES);
    if (object->type != SL_JSON_OBJECT)
        return sl_keys_wrong_type(json, object, "an object { … }", error);
    for (size_t k = 0; k < row_count; k++) {
        names[k] = rows[k].row.name;
        values[k] = (SlKeyValue){.value = rows[k].row.value};
    }
    for (const SlJsonNode *m = sl_json_first(json, object); m != NULL; m = sl_json_next(json, m)) {
        size_t k = 0;
        while (k < row_count && strcmp(names[k], sl_json_key(json, m)) != 0)
            k++;
        SlStatus status = k < row_count ? read_key(json, m, &rows[k], &values[k], error)
                                        : unknown_key(json, m, what, names, row_count, error);
        if (status != SL_OK)
            return status;
    }
    for (size_t k = 0; k < row_count; k++)
        if (rows[k].required && values[k].node == NULL)
            return sl_json_error(json, object->place, error, "%s needs the key \"%s\"", what,
                                 names[k]);
    return SL_OK;
}

SlStatus sl_keys_read_table(const SlJson *json, const SlJsonNode *object, const SlTable *table,
                            SlParamValue *values, SlError *error)
{
    return sl_keys_read_table_but(json, object, table, NULL, values, error);
}

SlStatus sl_keys_read_table_but(const SlJson *json, const SlJsonNode *object, const SlTable *table,
                                const char *but, SlParamValue *values, SlError *error)
{
    const char *names[MAX_NAMES];
    char what[96];
    SL_ASSERT(table->row_count <= MAX_NAMES);
    for (size_t k = 0; k < table->row_count; k++)
        names[k] = table->rows[k].name;
    snprintf(what, sizeof what, "the %s %s", table->kind, table->name);
    for (const SlJsonNode *m = sl_json_first(json, object); m != NULL; m = sl_json_next(json, m)) {
        const SlParamRow *row = sl_table_find(table, sl_json_key(json, m));
        if (but != NULL && strcmp(but, sl_json_key(json, m)) == 0)
            continue;
        if (row == NULL)
            return unknown_key(json, m, what, names, table->row_count, error);
        SlStatus status = sl_keys_read_leaf(json, m, row, &values[row - table->rows], error);
        if (status != SL_OK)
            return status;
    }
    return SL_OK;
}

SlStatus sl_keys_read_tables(const SlJson *json, const SlJsonNode *object,
                             const SlTable *const *tables, size_t count,
                             SlParamValue *const *values, SlError *error)
{
    const char *names[MAX_NAMES];
    size_t name_count = 0;
    for (size_t t = 0; t < count; t++)
        for (size_t k = 0; k < tables[t]->row_count; k++) {
            SL_ASSERT(name_count < MAX_NAMES);
            size_t n = 0;
            while (n < name_count && strcmp(names[n], tables[t]->rows[k].name) != 0)
                n++;
            names[n] = tables[t]->rows[k].name;
            name_count += n == name_count;
        }
    for (const SlJsonNode *m = sl_json_first(json, object); m != NULL; m = sl_json_next(json, m)) {
        bool known = false;
        for (size_t t = 0; t < count; t++) {
            const SlParamRow *row = sl_table_find(tables[t], sl_json_key(json, m));
            known |= row != NULL;
            SlStatus status = row == NULL ? SL_OK
                                          : sl_keys_read_leaf(json, m, row,
                                                              &values[t][row - tables[t]->rows], error);
            if (status != SL_OK)
                return status;
        }
        if (!known)
            return unknown_key(json, m, "the object", names, name_count, error);
    }
    return SL_OK;
}
