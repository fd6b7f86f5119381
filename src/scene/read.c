/* A scene from a file, with the solvers this library has. */
#include <stdio.h>

#include "core/context.h"
#include "scene/scene.h"

enum { OPTIONS_COOKIE = 0x51EE7C05 };

SlSceneOptions sl_default_scene_options(void)
{
    return (SlSceneOptions){.cookie = OPTIONS_COOKIE};
}

SlStatus sl_scene_read(SlContext *context, const char *path, const SlSceneOptions *options,
                       SlScene **scene, SlError *error)
{
    *scene = NULL;
    if (options->cookie != OPTIONS_COOKIE)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "scene options not made by sl_default_scene_options");
    char *text;
    size_t bytes;
    SlStatus status = sl_file_read(&context->memory, path, SL_JSON_BYTES, &text, &bytes, error);
    if (status != SL_OK)
        return status;
    SlSceneTables tables = {.render = options->render_table};
    tables.solvers = sl_solver_tables(&tables.solver_count);
    status = sl_scene_parse(&context->memory, path, text, bytes, options->overrides,
                            options->override_count, &tables, scene, error);
    sl_free(&context->memory, text, bytes + 1);
    if (status == SL_OK && options->cache_folder != NULL)
        snprintf((*scene)->cache_folder, sizeof (*scene)->cache_folder, "%s",
                 options->cache_folder);
    return status;
}
