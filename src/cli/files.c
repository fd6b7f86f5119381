/* Contexts, scenes, folders of frames and the CSV of statistics. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/error.h"

SlStatus cli_context(const char *threads, bool quiet, SlContext **context, SlError *error)
{
    SlContextDef def = sl_default_context_def();
    def.hooks = cli_hooks(quiet);
    if (threads != NULL)
        def.threads = (uint32_t)strtoul(threads, NULL, 10);
    return sl_context_create(&def, context, error);
}

/* Where distance fields are kept from run to run: $XDG_CACHE_HOME/sleet or ~/.cache/sleet. */
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
    return sl_error_set(error, SL_ERROR_ARGUMENT,
                        "the scene has no camera \"%.40s\"; %s \"%.40s\"%s",
                        name != NULL ? name : "", near != NULL ? "did you mean" : "its first is",
                        near != NULL ? near : names[0], near != NULL ? "?" : "");
}

void cli_frame_path(char *path, size_t size, const char *folder, uint64_t frame, const char *end)
{
    snprintf(path, size, "%s/frame_%06llu%s", folder, (unsigned long long)frame, end);
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The number in a name that we would give: of "frame_7.slf" the path could not be made again. */
static bool number_in(const char *name, const char *prefix, const char *end, uint64_t *number)
{
    char again[128];
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0 || name[length] != '_')
        return false;
    unsigned long long value = strtoull(name + length + 1, NULL, 10);
    snprintf(again, sizeof again, "%s_%06llu%s", prefix, value, end);
    *number = value;
    return strcmp(name, again) == 0;
}

long cli_list_frames(const char *folder, uint64_t **frames)
{
    return cli_list_numbers(folder, "frame", ".slf", frames);
}

long cli_list_numbers(const char *folder, const char *prefix, const char *end, uint64_t **frames)
{
    *frames = NULL;
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return -1;
    size_t count = 0, room = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        uint64_t number;
        if (!number_in(entry->d_name, prefix, end, &number))
            continue;
        if (count == room) {
            room = room == 0 ? 256 : 2 * room;
            uint64_t *grown = realloc(*frames, room * sizeof *grown);
            if (grown == NULL)
                break;
            *frames = grown;
        }
        (*frames)[count++] = number;
    }
    closedir(directory);
    if (count > 0)
        qsort(*frames, count, sizeof **frames, compare_numbers);
    return (long)count;
}

void cli_beside_program(char *path, size_t size, const char *relative)
{
    char program[700];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL)
        *slash = '\0';
    snprintf(path, size, "%s/%s", program, relative);
}

bool cli_is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

void cli_stem(char *stem, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(stem, size, "%s", slash != NULL ? slash + 1 : path);
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem)
        *dot = '\0';
}
