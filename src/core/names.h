/* What a message about an unknown name ends with. */
#ifndef CORE_NAMES_H
#define CORE_NAMES_H

#include "sleet/params.h"

enum { SL_NAME_HINT = 320 };

/* Writes "; did you mean "x"?" where one of the names is near, else "; there are: a, b, c", cut with
   "…" where the list is too long. `name` may be NULL. Returns `hint`. */
const char *sl_name_hint(const char *name, const char *const *names, size_t count,
                         char hint[SL_NAME_HINT]);
/* Of the rows of a table, and of tables by their names. */
const char *sl_row_hint(const char *name, const SlTable *table, char hint[SL_NAME_HINT]);
const char *sl_table_hint(const char *name, const SlTable *const *tables, size_t count,
                          char hint[SL_NAME_HINT]);

#endif
