#include "core/names.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAMES = 128 };

/* The names that fit, then "…". */
static void list_names(const char *const *names, size_t count, char *text, size_t size)
{
    static const char more[] = ", …";
    size_t used = (size_t)snprintf(text, size, "; there are: ");
    for (size_t k = 0; k < count; k++) {
        const char *separator = k > 0 ? ", " : "";
        size_t rest = k + 1 < count ? sizeof more : 1;
        if (used + strlen(separator) + strlen(names[k]) + rest > size) {
            snprintf(text + used, size - used, "%s", more);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", separator, names[k]);
    }
}

const char *sl_name_hint(const char *name, const char *const *names, size_t count,
                         char hint[SL_NAME_HINT])
{
    const char *near = name != NULL ? sl_nearest_name(name, names, count) : NULL;
    hint[0] = '\0';
    if (near != NULL)
        snprintf(hint, SL_NAME_HINT, "; did you mean \"%.60s\"?", near);
    else if (count > 0)
        list_names(names, count, hint, SL_NAME_HINT);
    return hint;
}

const char *sl_row_hint(const char *name, const SlTable *table, char hint[SL_NAME_HINT])
{
    const char *names[MAX_NAMES];
    size_t count = 0;
    for (; count < table->row_count && count < MAX_NAMES; count++)
        names[count] = table->rows[count].name;
    return sl_name_hint(name, names, count, hint);
}

const char *sl_table_hint(const char *name, const SlTable *const *tables, size_t count,
                          char hint[SL_NAME_HINT])
{
    const char *names[MAX_NAMES];
    size_t used = 0;
    for (; used < count && used < MAX_NAMES; used++)
        names[used] = tables[used]->name;
    return sl_name_hint(name, names, used, hint);
}
