/* Contexts, scenes, folders of frames and the CSV of statistics. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "core/error.h"

SlStatus app_context(const char *threads, bool quiet, SlContext **context, SlError *error)
{
    SlContextDef def = sl_default_context_def();
    def.hooks = app_hooks(quiet);
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

SlStatus app_scene(SlContext *context, const char *path, const AppInput *input, SlScene **scene,
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

SlStatus app_camera(const SlScene *scene, const char *name, const SlCamera **camera,
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

void app_frame_path(char *path, size_t size, const char *folder, uint64_t frame, const char *end)
{
    snprintf(path, size, "%s/frame_%06llu%s", folder, (unsigned long long)frame, end);
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

long app_list_frames(const char *folder, uint64_t **frames)
{
    *frames = NULL;
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return -1;
    size_t count = 0, room = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        unsigned long long number;
        int end = 0;
        char name[64];
        if (sscanf(entry->d_name, "frame_%llu.slf%n", &number, &end) != 1 || end == 0)
            continue;
        /* Only names that we would give: of "frame_7.slf" the path could not be made again. */
        snprintf(name, sizeof name, "frame_%06llu.slf", number);
        if (strcmp(entry->d_name, name) != 0)
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

void app_beside_program(char *path, size_t size, const char *relative)
{
    char program[700];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL)
        *slash = '\0';
    snprintf(path, size, "%s/%s", program, relative);
}

bool app_is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

void app_stem(char *stem, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(stem, size, "%s", slash != NULL ? slash + 1 : path);
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem)
        *dot = '\0';
}

SlStatus app_stats_open(AppStats *stats, const char *folder, SlError *error)
{
    stats->headed = false;
    snprintf(stats->path, sizeof stats->path, "%.1000s/stats.csv", folder);
    stats->file = fopen(stats->path, "w");
    if (stats->file == NULL)
        return sl_error_set(error, SL_ERROR_IO, "%.300s: cannot be written: %s", stats->path,
                            strerror(errno));
    return SL_OK;
}

/* Six columns per body, named after it; what would break a CSV file becomes "_". */
static void head_body(AppStats *stats, const SlBodyForce *body)
{
    static const char *const columns[6] = {"force_x_N",   "force_y_N",   "force_z_N",
                                           "torque_x_Nm", "torque_y_Nm", "torque_z_Nm"};
    char name[64];
    snprintf(name, sizeof name, "%s", body->name);
    for (char *c = name; *c != '\0'; c++)
        if (*c == ',' || *c == '"' || (unsigned char)*c < ' ')
            *c = '_';
    for (int k = 0; k < 6; k++)
        fprintf(stats->file, ",%s.%s", name, columns[k]);
}

/* The columns; which bodies there are is known with the first row. */
static void head(AppStats *stats, const SlStepStats *s)
{
    stats->headed = true;
    fprintf(stats->file, "system,step,time_s,dt_s,particles,iterations,mean_iterations");
    for (int k = 0; k < SL_STAGE_COUNT; k++)
        fprintf(stats->file, ",%s_ms", sl_stage_name((SlStage)k));
    fprintf(stats->file, ",mean_compression,max_compression,kinetic_energy_J,total_energy_J,"
                         "max_speed_m_per_s");
    for (size_t k = 0; s != NULL && k < s->body_count; k++)
        head_body(stats, &s->bodies[k]);
    fputc('\n', stats->file);
}

void app_stats_add(AppStats *stats, const char *system, const SlStepStats *s)
{
    if (!stats->headed)
        head(stats, s);
    fprintf(stats->file, "%s,%llu,%.9g,%.9g,%llu,%u,%.4f", system, (unsigned long long)s->step, s->time,
            s->dt, (unsigned long long)s->particles, s->iterations, s->mean_iterations);
    for (int k = 0; k < SL_STAGE_COUNT; k++)
        fprintf(stats->file, ",%.4f", s->stage_ms[k]);
    fprintf(stats->file, ",%.6g,%.6g,%.9g,%.9g,%.6g", s->mean_compression, s->max_compression,
            s->kinetic_energy, s->total_energy, s->max_speed);
    for (size_t k = 0; k < s->body_count; k++) {
        const SlBodyForce *b = &s->bodies[k];
        fprintf(stats->file, ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g", b->force[0], b->force[1],
                b->force[2], b->torque[0], b->torque[1], b->torque[2]);
    }
    fputc('\n', stats->file);
    fflush(stats->file); /* whole rows survive a kill */
}

SlStatus app_stats_close(AppStats *stats, SlError *error)
{
    if (stats->file == NULL)
        return SL_OK;
    if (!stats->headed)
        head(stats, NULL);
    bool failed = ferror(stats->file) != 0;
    failed = fclose(stats->file) != 0 || failed;
    stats->file = NULL;
    if (failed)
        return sl_error_set(error, SL_ERROR_IO, "%.300s: could not be written in full",
                            stats->path);
    return SL_OK;
}
