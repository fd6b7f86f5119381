/* Sleet: parameters as tables. A solver or renderer is described by rows; the JSON key, the range
   error, `sleet params`, the checkpoint entry and the doc page all come from the row. */
#ifndef SLEET_PARAMS_H
#define SLEET_PARAMS_H

#include "sleet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SlParamType {
    SL_PARAM_NUMBER,  /* a double in [minimum, maximum] */
    SL_PARAM_INTEGER, /* an integer in [minimum, maximum] */
    SL_PARAM_BOOL,    /* 0 or 1 */
    SL_PARAM_CHOICE,  /* one of `choices`; the value is its index */
    SL_PARAM_TEXT,    /* up to 255 bytes */
    SL_PARAM_VEC3     /* three numbers, each in [minimum, maximum] */
} SlParamType;

typedef struct SlParamValue {
    double number[3]; /* [0] for all but VEC3 and TEXT */
    char text[256];   /* TEXT only */
} SlParamValue;

typedef struct SlParamRow {
    const char *name; /* also the JSON key */
    SlParamType type;
    SlParamValue value;       /* the default */
    double minimum, maximum;  /* inclusive; of each component for VEC3 */
    const char *unit;         /* "" where there is none */
    const char *choices;      /* "cubic|wendland|poly6"; NULL unless CHOICE */
    const char *meaning;      /* one line */
    bool live;                /* may change while the world runs; default false */
} SlParamRow;

/* Values of several rows under one name. A table with presets has a choice row "preset" whose
   choices are their names in order; the first changes nothing. */
typedef struct SlPresetValue {
    const char *name; /* of a row that takes a number or a choice (by index); NULL ends the list */
    double value;
} SlPresetValue;

typedef struct SlPreset {
    const char *name, *meaning;
    const SlPresetValue *values; /* up to the one without a name */
} SlPreset;

/* What `sleet params` lists: everything that is chosen by name and set by rows. */
typedef struct SlTable {
    const char *name;
    const char *kind;     /* "solver", "renderer", … */
    const char *summary;  /* one line */
    const char *citation; /* where the method is described */
    const SlParamRow *rows;
    size_t row_count;
    const SlPreset *presets; /* NULL: none */
    size_t preset_count;
} SlTable;

/* Checks `value` against the row and stores it; the message says what is allowed. */
SL_API SlStatus sl_param_set_number(const SlParamRow *row, double number, SlParamValue *value,
                                    SlError *error);
SL_API SlStatus sl_param_set_text(const SlParamRow *row, const char *text, SlParamValue *value,
                                  SlError *error);
SL_API SlStatus sl_param_set_vec3(const SlParamRow *row, const double numbers[3],
                                  SlParamValue *value, SlError *error);
/* Checks one value per row, as calls do that take them from a program. */
SL_API SlStatus sl_table_check(const SlTable *table, const SlParamValue *values, SlError *error);
/* The row of that name, or NULL. */
SL_API const SlParamRow *sl_table_find(const SlTable *table, const char *name);
/* The table of that name in a list such as sl_renderer_tables gives, or NULL. */
SL_API const SlTable *sl_table_named(const SlTable *const *tables, size_t count, const char *name);

/* Values by name, for calls that take one value per row (renderers, filters, exporters). `values` is
   the caller's, with table->row_count elements. The setters check type and range; an unknown name is
   SL_ERROR_ARGUMENT with the nearest one in the message. After an error the values are as before. */
SL_API void sl_table_defaults(const SlTable *table, SlParamValue *values);
SL_API SlStatus sl_table_set_number(const SlTable *table, SlParamValue *values, const char *name,
                                    double value, SlError *error);
/* Texts and choices. */
SL_API SlStatus sl_table_set_text(const SlTable *table, SlParamValue *values, const char *name,
                                  const char *value, SlError *error);
SL_API SlStatus sl_table_set_vec3(const SlTable *table, SlParamValue *values, const char *name,
                                  const double value[3], SlError *error);

/* Writes a value as a person reads it ("0.7", "cubic", "[0, -9.81, 0]"). */
SL_API void sl_param_print(const SlParamRow *row, const SlParamValue *value, char *text,
                           size_t text_size);
/* The candidate nearest to `name` by edit distance, or NULL if none is near. */
SL_API const char *sl_nearest_name(const char *name, const char *const *candidates, size_t count);

/* Everything that can be chosen by name as a system's solver. */
SL_API const SlTable *const *sl_solver_tables(size_t *count);

#ifdef __cplusplus
}
#endif
#endif
