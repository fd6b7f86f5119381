/* Contexts, scenes, cameras and paths. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static SlStatus create(const char *threads, SlHooks hooks, SlContext **context, SlError *error)
{
    SlContextDef def = sl_default_context_def();
    def.hooks = hooks;
    if (threads != NULL)
        def.threads = (uint32_t)strtoul(threads, NULL, 10);
    return sl_context_create(&def, context, error);
}

SlStatus cli_context(const char *threads, bool quiet, SlContext **context, SlError *error)
{
    return create(threads, cli_hooks(quiet), context, error);
}

SlStatus cli_context_verbose(const char *threads, bool verbose, SlContext **context, SlError *error)
{
    return create(threads, verbose ? cli_hooks(false) : cli_warning_hooks(), context, error);
}

/* The cache of distance fields: $XDG_CACHE_HOME/sleet or ~/.cache/sleet. */
static const char *find_cache(char *path, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache != NULL && cache[0] == '/')
        snprintf(path, size, "%s/sleet", cache);
    else if (home != NULL && home[0] == '/')
        snprintf(path, size, "%s/.cache/sleet", home);
    else
        return NULL;
    return path;
}

SlStatus cli_scene(SlContext *context, const char *path, const CliInput *input, SlScene **scene,
                   SlError *error)
{
    size_t tables;
    SlSceneOptions options = sl_default_scene_options();
    options.overrides = input->sets;
    options.override_count = input->set_count;
    options.render_table = sl_renderer_tables(&tables)[0];
    char cache[512];
    options.cache_folder = find_cache(cache, sizeof cache);
    return sl_scene_read(context, path, &options, scene, error);
}

SlStatus cli_camera(const SlScene *scene, const char *name, const SlCamera **camera,
                    SlError *error)
{
    for (size_t k = 0; k < sl_scene_camera_count(scene); k++) {
        *camera = sl_scene_camera(scene, k);
        if (name == NULL || strcmp((*camera)->name, name) == 0)
            return SL_OK;
    }
    const char *names[256];
    size_t count = 0;
    while (count < sl_scene_camera_count(scene) && count < 256) {
        names[count] = sl_scene_camera(scene, count)->name;
        count++;
    }
    const char *near = name != NULL ? sl_nearest_name(name, names, count) : NULL;
    return cli_error(error, SL_ERROR_ARGUMENT,
                        "the scene has no camera \"%.40s\"; %s \"%.40s\"%s",
                        name != NULL ? name : "", near != NULL ? "did you mean" : "its first is",
                        near != NULL ? near : names[0], near != NULL ? "?" : "");
}

void cli_picture_path(char *path, size_t size, const char *folder, uint64_t frame)
{
    snprintf(path, size, "%s/frame_%06llu.png", folder, (unsigned long long)frame);
}

void cli_stem(char *stem, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(stem, size, "%s", slash != NULL ? slash + 1 : path);
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem)
        *dot = '\0';
}
