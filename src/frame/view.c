#include "frame/view.h"

#include <string.h>

SlFieldView sl_view_field(const SlSystemView *system, const char *name)
{
    for (size_t k = 0; k < system->field_count; k++)
        if (strcmp(system->fields[k].name, name) == 0)
            return system->fields[k];
    return (SlFieldView){.name = name, .unit = "", .meaning = ""};
}

uint32_t sl_field_lanes(SlFieldType type)
{
    return type == SL_FIELD_F32X3 ? 3 : 1;
}

const SlStateItem *sl_state_find(const SlStateView *state, uint32_t system, const char *name)
{
    for (size_t k = 0; k < state->item_count; k++)
        if (state->items[k].system == system && strcmp(state->items[k].name, name) == 0)
            return &state->items[k];
    return NULL;
}
