/* Contexts, scenes, cameras and paths. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

SlStatus cli_context(const char *threads, CliLog log, SlContext **context, SlError *error)
{
    SlContextDef def = sl_default_context_def();
    def.hooks = cli_hooks(log);
    if (threads != NULL)
        def.threads = (uint32_t)strtoul(threads, NULL, 10);
    return sl_context_create(&def, context, error);
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
    options.render_tables = sl_renderer_tables(&tables);
    options.render_table_count = tables;
    char cache[512];
    options.cache_folder = find_cache(cache, sizeof cache);
    return sl_scene_read(context, path, &options, scene, error);
}

SlStatus cli_frames(const SlRunFolder *folder, const char *source, uint64_t first, uint64_t last,
                    CliFrames *frames, SlError *error)
{
    size_t count;
    const uint64_t *all = sl_run_folder_frames(folder, &count);
    if (count == 0)
        return cli_error(error, SL_ERROR_IO,
                         "%.300s: holds no frames; sleet run SCENE -o DIR writes them", source);
    size_t begin = 0, end = count;
    while (begin < count && all[begin] < first)
        begin++;
    while (end > begin && all[end - 1] > last)
        end--;
    *frames = (CliFrames){all + begin, end - begin};
    if (begin == end)
        return cli_error(error, SL_ERROR_ARGUMENT, "%.300s: holds frames %llu to %llu only", source,
                         (unsigned long long)all[0], (unsigned long long)all[count - 1]);
    return SL_OK;
}

void cli_damaged_frame(const SlError *error, const char *more)
{
    cli_progress_clear();
    fprintf(stderr, "%s; this frame is left out%s\n", error->text, more);
}

int cli_damaged_frames(uint64_t count)
{
    cli_progress_clear();
    fprintf(stderr, "sleet: %llu damaged frames were left out; sleet verify lists them\n",
            (unsigned long long)count);
    return EXIT_INPUT;
}

SlStatus cli_camera(const SlScene *scene, const char *name, size_t *index, SlError *error)
{
    for (*index = 0; *index < sl_scene_camera_count(scene); ++*index)
        if (name == NULL || strcmp(sl_scene_camera(scene, *index)->name, name) == 0)
            return SL_OK;
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

/* Where the frame's number goes: "%d" or "%0Nd". NULL: nowhere, *digits is 0. */
static const char *find_number(const char *pattern, int *digits, size_t *length)
{
    for (const char *at = strchr(pattern, '%'); at != NULL; at = strchr(at + 1, '%')) {
        char *end;
        long wide = at[1] == '0' ? strtol(at + 1, &end, 10) : 0;
        if (at[1] != '0')
            end = (char *)at + 1;
        if (*end == 'd' && wide <= 20) {
            *digits = (int)wide;
            *length = (size_t)(end + 1 - at);
            return at;
        }
    }
    *digits = 0;
    *length = 0;
    return NULL;
}

bool cli_has_number(const char *pattern)
{
    int digits;
    size_t length;
    return find_number(pattern, &digits, &length) != NULL;
}

void cli_numbered_path(char *path, size_t size, const char *pattern, uint64_t frame)
{
    int digits;
    size_t length;
    const char *at = find_number(pattern, &digits, &length);
    if (at == NULL)
        snprintf(path, size, "%s", pattern);
    else
        snprintf(path, size, "%.*s%0*llu%s", (int)(at - pattern), pattern, digits,
                 (unsigned long long)frame, at + length);
}
