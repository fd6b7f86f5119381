#include "cli/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/context.h"
#include "core/timer.h"
#include "world/world.h"

/* The lock is on the folder itself: nothing to leave behind, and the kernel lifts it whatever ends
   the process. */
SlStatus cli_folder_take(const char *folder, int *lock, SlError *error)
{
    SlStatus status = sl_folder_make(folder, error);
    if (status != SL_OK)
        return status;
    *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return sl_error_set(error, SL_ERROR_IO,
                            "%.300s: another run is writing there; stop it or choose another "
                            "folder with -o",
                            folder);
    return SL_OK; /* a file system without locks: go on without */
}

void cli_folder_sweep(const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        size_t length = strlen(name);
        bool ours = strncmp(name, "frame_", 6) == 0 || strncmp(name, "checkpoint_", 11) == 0 ||
                    strncmp(name, "scene.json.", 11) == 0 || strncmp(name, "stats.csv.", 10) == 0;
        if (ours && length > 5 && strcmp(name + length - 5, ".part") == 0)
            (void)unlinkat(dirfd(directory), name, 0);
    }
    closedir(directory);
}

long cli_folder_remove_after(const char *folder, const char *prefix, const char *end,
                             int64_t last)
{
    uint64_t *numbers;
    long count = cli_list_numbers(folder, prefix, end, &numbers), removed = 0;
    for (long k = 0; k < count; k++) {
        char path[1024];
        if (last >= 0 && numbers[k] <= (uint64_t)last)
            continue;
        snprintf(path, sizeof path, "%s/%s_%06llu%s", folder, prefix,
                 (unsigned long long)numbers[k], end);
        removed += unlink(path) == 0;
    }
    free(numbers);
    return removed;
}

void cli_checkpoint_path(char *path, size_t size, const char *folder, uint64_t frame)
{
    snprintf(path, size, "%s/checkpoint_%06llu.slc", folder, (unsigned long long)frame);
}

void cli_checkpoints_prune(const char *folder)
{
    uint64_t *numbers;
    long count = cli_list_numbers(folder, "checkpoint", ".slc", &numbers);
    for (long k = 0; k < count - 2; k++) {
        char path[1024];
        cli_checkpoint_path(path, sizeof path, folder, numbers[k]);
        unlink(path);
    }
    free(numbers);
}

/* Stopped between two steps after its frame: beyond the end of a run that ends with that frame. */
static bool is_beyond(const SlStateView *state, uint64_t end)
{
    const SlStateItem *item = sl_state_find(state, state->system_count, "interval");
    SlInterval interval;
    if (state->frame != end || item == NULL || item->element_bytes != sizeof interval ||
        item->count != 1)
        return false;
    memcpy(&interval, item->data, sizeof interval);
    return interval.open != 0;
}

/* SL_ERROR_CANCELLED: whole, but beyond the end. */
static SlStatus restore_from(const char *path, SlWorld *world, uint64_t end, SlError *error)
{
    SlCheckpoint *checkpoint;
    SlStatus status = sl_checkpoint_read(sl_world_context(world), path, &checkpoint, error);
    if (status != SL_OK)
        return status;
    SlError inner;
    if (is_beyond(sl_checkpoint_state(checkpoint), end)) {
        sl_checkpoint_destroy(checkpoint);
        return SL_ERROR_CANCELLED;
    }
    status = sl_world_restore(world, sl_checkpoint_state(checkpoint), &inner);
    sl_checkpoint_destroy(checkpoint);
    /* A whole file with a state that does not fit is the scene's matter: no older one is tried. */
    if (status == SL_ERROR_PARSE)
        status = inner.status = SL_ERROR_ARGUMENT;
    return status == SL_OK ? SL_OK
                           : sl_error_set(error, status, "%.300s: %.180s", path, inner.text);
}

static SlStatus missing(const char *folder, uint64_t frame, const uint64_t *numbers, long count,
                        SlError *error)
{
    char list[200] = "none";
    size_t length = 0;
    for (long k = 0; k < count && length < sizeof list - 30; k++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%llu",
                                   k > 0 ? ", " : "", (unsigned long long)numbers[k]);
    return sl_error_set(error, SL_ERROR_ARGUMENT,
                        "%.200s: has no checkpoint of frame %llu; there are: %s", folder,
                        (unsigned long long)frame, list);
}

SlStatus cli_checkpoints_resume(const char *folder, SlWorld *world, uint64_t most, bool exact,
                                bool quiet, int64_t *frame, SlError *error)
{
    uint64_t *numbers;
    long count = cli_list_numbers(folder, "checkpoint", ".slc", &numbers), found = 0;
    SlStatus status = SL_OK;
    *frame = -1;
    for (long k = count; *frame < 0 && k-- > 0 && status == SL_OK;) {
        char path[1024];
        if (exact ? numbers[k] != most : numbers[k] > most)
            continue;
        found++;
        cli_checkpoint_path(path, sizeof path, folder, numbers[k]);
        status = restore_from(path, world, exact ? UINT64_MAX : most, error);
        if (status == SL_OK)
            *frame = (int64_t)numbers[k];
        if (status == SL_ERROR_CANCELLED)
            status = SL_OK;
        if (status == SL_ERROR_PARSE && !exact) {
            if (!quiet)
                fprintf(stderr, "warning: %s; it is removed\n", error->text);
            unlink(path);
            status = SL_OK;
        }
    }
    if (exact && found == 0)
        status = missing(folder, most, numbers, count, error);
    free(numbers);
    return status;
}

bool cli_rhythm_read(const CliCommand *command, const char *text, CliRhythm *rhythm)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
    *rhythm = (CliRhythm){.last = sl_seconds()};
    if (strcmp(text, "off") == 0)
        return true;
    char *end;
    double number = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : -1;
    if (number > 0 && number <= 1e9) {
        for (size_t k = 0; k < sizeof units / sizeof units[0]; k++)
            if (strcmp(end, units[k].unit) == 0)
                rhythm->seconds = number * units[k].seconds;
        if (*end == '\0' && number == (double)(uint64_t)number)
            rhythm->frames = (uint64_t)number;
    }
    if (rhythm->seconds > 0 || rhythm->frames > 0)
        return true;
    cli_usage_error(command->name,
                    "--checkpoint-every takes frames (10), a time (30s, 5min, 2h) or off, not "
                    "\"%.40s\"",
                    text);
    return false;
}

bool cli_rhythm_due(const CliRhythm *rhythm, uint64_t frame)
{
    if (rhythm->frames > 0)
        return frame % rhythm->frames == 0;
    return rhythm->seconds > 0 && sl_seconds() - rhythm->last >= rhythm->seconds;
}
