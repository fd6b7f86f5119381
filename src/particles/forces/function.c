/* A program's own function. */
#include "particles/force_field.h"

static void add(const SlForceField *field, const SlForceBatch *batch)
{
    field->function(field->user, batch);
}

const SlForceKind sl_force_function = {
    .table = {.name = "function",
              .kind = "force field",
              .summary = "accelerations given by the program",
              .citation = ""},
    .add = add,
};
