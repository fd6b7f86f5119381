#include "support/world.h"

SlWorldDef test_world_def(uint32_t threads, SlVec3 min, SlVec3 max)
{
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, threads, SL_ISA_AUTO);
    def.domain = (SlBox){min, max};
    return def;
}

/* One word NAME=VALUE. */
static void set_parameter(SlWorld *world, SlSystemId id, char *word)
{
    char *value = strchr(word, '='), *end;
    if (value == NULL)
        fail_msg("a parameter is NAME=VALUE, not \"%s\"", word);
    *value++ = '\0';
    double number = strtod(value, &end);
    if (*value != '\0' && *end == '\0')
        assert_ok(sl_system_set_number(world, id, word, number, &test_error));
    else if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
        assert_ok(sl_system_set_number(world, id, word, value[0] == 't', &test_error));
    else
        assert_ok(sl_system_set_text(world, id, word, value, &test_error));
}

void test_set_parameters(SlWorld *world, SlSystemId id, const char *parameters)
{
    char words[512], *rest = words, *word;
    int length = snprintf(words, sizeof words, "%s", parameters != NULL ? parameters : "");
    assert_in_range(length, 0, sizeof words - 1);
    while ((word = strsep(&rest, " ")) != NULL)
        if (word[0] != '\0')
            set_parameter(world, id, word);
}

SlSystemId test_add_system(SlWorld *world, const char *solver, const char *name,
                           const char *parameters)
{
    SlSystemDef def = sl_default_system_def(solver);
    SlSystemId id;
    if (name != NULL)
        def.name = name;
    assert_ok(sl_world_add_system(world, &def, &id, &test_error));
    test_set_parameters(world, id, parameters);
    return id;
}

SlWorld *test_world(const SlWorldDef *def, const char *solver, const char *parameters,
                    SlSystemId *id)
{
    SlWorld *world;
    assert_ok(sl_world_create(def, &world, &test_error));
    SlSystemId made = test_add_system(world, solver, NULL, parameters);
    if (id != NULL)
        *id = made;
    return world;
}

void test_add_block(SlWorld *world, SlSystemId id, SlVec3 min, SlVec3 max)
{
    SlBlock block = {.min = min, .max = max};
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
}
