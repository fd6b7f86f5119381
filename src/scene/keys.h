/* Objects described by rows: which keys one may have, of which type, in which range. Leaves use
   the same parameter rows as solvers and renderers, so there is one check for all of them. */
#ifndef SCENE_KEYS_H
#define SCENE_KEYS_H

#include "scene/json.h"
#include "sleet/params.h"

typedef enum SlKeyShape { SL_KEY_LEAF, SL_KEY_OBJECT, SL_KEY_ARRAY } SlKeyShape;

typedef struct SlKeyRow {
    SlParamRow row; /* of an array, only `name`, and `minimum`, `maximum` of its count */
    SlKeyShape shape;
    bool required;
} SlKeyRow;

/* What is read for a key: a leaf's value (the default where it is not given) and its node (NULL
   where it is not given). */
typedef struct SlKeyValue {
    const SlJsonNode *node;
    SlParamValue value;
} SlKeyValue;

/* Rows of leaves, arrays and objects, so that a table is read as one. */
#define SL_KEY_NUMBER_ROW(name_, default_, min_, max_, unit_)                                   \
    {.row = {.name = (name_), .type = SL_PARAM_NUMBER, .value = {.number = {default_}},            \
             .minimum = (min_), .maximum = (max_), .unit = (unit_)}}
#define SL_KEY_BOOL_ROW(name_)                                                                     \
    {.row = {.name = (name_), .type = SL_PARAM_BOOL, .maximum = 1, .unit = ""}}
#define SL_KEY_WHOLE_ROW(name_, default_, min_, max_)                                           \
    {.row = {.name = (name_), .type = SL_PARAM_INTEGER, .value = {.number = {default_}},           \
             .minimum = (min_), .maximum = (max_), .unit = ""}}
#define SL_KEY_VEC3_ROW(name_, x_, y_, z_, max_, unit_, required_)                                \
    {.row = {.name = (name_), .type = SL_PARAM_VEC3, .value = {.number = {x_, y_, z_}},            \
             .minimum = -(max_), .maximum = (max_), .unit = (unit_)},                            \
     .required = (required_)}
#define SL_KEY_TEXT_ROW(name_, default_, required_)                                                \
    {.row = {.name = (name_), .type = SL_PARAM_TEXT, .value = {.text = default_}, .unit = ""},     \
     .required = (required_)}
#define SL_KEY_OBJECT_ROW(name_, required_)                                                        \
    {.row = {.name = (name_), .unit = ""}, .shape = SL_KEY_OBJECT, .required = (required_)}
#define SL_KEY_ARRAY_ROW(name_, min_, max_, required_)                                          \
    {.row = {.name = (name_), .minimum = (min_), .maximum = (max_), .unit = ""},                \
     .shape = SL_KEY_ARRAY, .required = (required_)}

/* Reads every key of `object` into values[row]; `what` names the object in messages ("a block").
   Unknown, missing and wrong keys are reported with their place. */
SlStatus sl_keys_read(const SlJson *json, const SlJsonNode *object, const char *what,
                      const SlKeyRow *rows, size_t row_count, SlKeyValue *values, SlError *error);
/* One leaf against its row. */
SlStatus sl_keys_read_leaf(const SlJson *json, const SlJsonNode *node, const SlParamRow *row,
                           SlParamValue *value, SlError *error);
/* An object whose keys are a table's rows; values[row] hold the defaults on entry. */
SlStatus sl_keys_read_table(const SlJson *json, const SlJsonNode *object, const SlTable *table,
                            SlParamValue *values, SlError *error);

/* The same where the object has one key more, which is not read. */
SlStatus sl_keys_read_table_but(const SlJson *json, const SlJsonNode *object, const SlTable *table,
                                const char *but, SlParamValue *values, SlError *error);
/* An object whose keys are rows of several tables; each table that has a key takes its value. */
SlStatus sl_keys_read_tables(const SlJson *json, const SlJsonNode *object,
                             const SlTable *const *tables, size_t count,
                             SlParamValue *const *values, SlError *error);

/* "found text "abc", an object is needed" */
SlStatus sl_keys_wrong_type(const SlJson *json, const SlJsonNode *node, const char *needed,
                            SlError *error);
/* A text that should be one of the names: the nearest of them, and all. */
SlStatus sl_keys_unknown_name(const SlJson *json, const SlJsonNode *node, const char *what,
                              const char *const *names, size_t count, SlError *error);

SlVec3 sl_keys_vec3(const SlKeyValue *value);
/* Where the key stands, or the object that lacks it. */
SlJsonPlace sl_keys_place(const SlKeyValue *value, const SlJsonNode *object);

#endif
