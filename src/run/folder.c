#include "run/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/context.h"

/* --- Names --- */

void sl_run_file_path(char path[SL_RUN_FILE_PATH], const char *folder, const char *name)
{
    snprintf(path, SL_RUN_FILE_PATH, "%s/%s", folder, name);
}

void sl_run_frame_path(char path[SL_RUN_FILE_PATH], const char *folder, uint64_t frame)
{
    snprintf(path, SL_RUN_FILE_PATH, "%s/frame_%06llu.slf", folder, (unsigned long long)frame);
}

void sl_run_checkpoint_path(char path[SL_RUN_FILE_PATH], const char *folder, uint64_t frame)
{
    snprintf(path, SL_RUN_FILE_PATH, "%s/checkpoint_%06llu.slc", folder,
             (unsigned long long)frame);
}

/* The number in a name that a run would give; "frame_7.slf" is not one. */
static bool read_number(const char *name, const char *prefix, const char *end, uint64_t *number)
{
    char again[128];
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return false;
    unsigned long long value = strtoull(name + length, NULL, 10);
    snprintf(again, sizeof again, "%s%06llu%s", prefix, value, end);
    *number = value;
    return strcmp(name, again) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* --- Listing --- */

static bool add_number(SlMemory *memory, SlRunNumbers *numbers, uint64_t number)
{
    if (numbers->count == numbers->room) {
        size_t room = numbers->room == 0 ? 256 : 2 * numbers->room;
        uint64_t *grown = sl_regrow(memory, numbers->at, numbers->room * sizeof *grown,
                                    room * sizeof *grown, numbers->count * sizeof *grown);
        if (grown == NULL)
            return false;
        numbers->at = grown;
        numbers->room = room;
    }
    numbers->at[numbers->count++] = number;
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void free_numbers(SlMemory *memory, SlRunNumbers *numbers)
{
    sl_free(memory, numbers->at, numbers->room * sizeof *numbers->at);
    *numbers = (SlRunNumbers){0};
}

static bool is_file(int folder, const struct dirent *entry)
{
    struct stat facts;
    if (entry->d_type == DT_REG)
        return true;
    return fstatat(folder, entry->d_name, &facts, 0) == 0 && S_ISREG(facts.st_mode);
}

static SlStatus list_files(SlRunFolder *folder, SlError *error)
{
    SlMemory *memory = &folder->context->memory;
    DIR *directory = opendir(folder->path);
    if (directory == NULL)
        return sl_error_set(error, SL_ERROR_IO, "%.300s: cannot be read: %s", folder->path,
                            strerror(errno));
    bool added = true;
    folder->frames.count = folder->checkpoints.count = 0;
    for (struct dirent *entry; added && (entry = readdir(directory)) != NULL;) {
        uint64_t number;
        if (read_number(entry->d_name, "frame_", ".slf", &number)) {
            if (is_file(dirfd(directory), entry))
                added = add_number(memory, &folder->frames, number);
        } else if (read_number(entry->d_name, "checkpoint_", ".slc", &number)) {
            if (is_file(dirfd(directory), entry))
                added = add_number(memory, &folder->checkpoints, number);
        }
    }
    closedir(directory);
    if (!added)
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to list it", folder->path);
    if (folder->frames.count > 0)
        qsort(folder->frames.at, folder->frames.count, sizeof(uint64_t), compare_numbers);
    if (folder->checkpoints.count > 0)
        qsort(folder->checkpoints.at, folder->checkpoints.count, sizeof(uint64_t),
              compare_numbers);
    return SL_OK;
}

SlStatus sl_run_folder_refresh(SlRunFolder *folder, SlError *error)
{
    SlStatus status = list_files(folder, error);
    if (status != SL_OK)
        return status;
    char path[SL_RUN_FILE_PATH];
    sl_run_file_path(path, folder->path, "run.json");
    sl_run_record_free(&folder->record);
    folder->has_record = false;
    if (access(path, F_OK) != 0)
        return SL_OK;
    SlError wrong;
    if (sl_run_record_read(&folder->record, path, &wrong) == SL_OK)
        folder->has_record = true;
    else
        sl_log(folder->context, SL_LOG_WARNING, "%s", wrong.text);
    return SL_OK;
}

SlStatus sl_run_folder_open(SlContext *context, const char *path, SlRunFolder **out, SlError *error)
{
    *out = NULL;
    if (strlen(path) >= SL_RUN_PATH)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%.200s…: a path of at most %d bytes is allowed",
                            path, SL_RUN_PATH - 1);
    SlRunFolder *folder = sl_alloc_zero(&context->memory, 1, sizeof *folder);
    if (folder == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to list it", path);
    folder->context = context;
    snprintf(folder->path, sizeof folder->path, "%s", path);
    sl_run_record_init(&folder->record, context);
    SlFrameReaderDef reader = sl_default_frame_reader_def();
    SlStatus status = sl_frame_reader_create(context, &reader, &folder->reader, error);
    if (status == SL_OK)
        status = sl_run_folder_refresh(folder, error);
    if (status != SL_OK) {
        sl_run_folder_close(folder);
        return status;
    }
    *out = folder;
    return SL_OK;
}

void sl_run_folder_close(SlRunFolder *folder)
{
    if (folder == NULL)
        return;
    SlMemory *memory = &folder->context->memory;
    free_numbers(memory, &folder->frames);
    free_numbers(memory, &folder->checkpoints);
    sl_run_record_free(&folder->record);
    sl_frame_reader_destroy(folder->reader);
    sl_free(memory, folder, sizeof *folder);
}

const uint64_t *sl_run_folder_frames(const SlRunFolder *folder, size_t *count)
{
    *count = folder->frames.count;
    return folder->frames.at;
}

const uint64_t *sl_run_folder_checkpoints(const SlRunFolder *folder, size_t *count)
{
    *count = folder->checkpoints.count;
    return folder->checkpoints.at;
}

const SlRunInfo *sl_run_folder_info(const SlRunFolder *folder)
{
    return folder->has_record ? &folder->record.info : NULL;
}

void sl_run_folder_frame_path(const SlRunFolder *folder, uint64_t frame, char *path, size_t size)
{
    char full[SL_RUN_FILE_PATH];
    sl_run_frame_path(full, folder->path, frame);
    snprintf(path, size, "%s", full);
}

void sl_run_folder_checkpoint_path(const SlRunFolder *folder, uint64_t frame, char *path,
                                   size_t size)
{
    char full[SL_RUN_FILE_PATH];
    sl_run_checkpoint_path(full, folder->path, frame);
    snprintf(path, size, "%s", full);
}

int64_t sl_run_last_number(const SlRunNumbers *numbers)
{
    return numbers->count > 0 ? (int64_t)numbers->at[numbers->count - 1] : -1;
}

/* Adds "a" or "a to b" to a list. */
static void add_range(char *text, size_t size, uint64_t first, uint64_t last)
{
    size_t length = strlen(text);
    if (length + 60 > size) { /* no room: the list ends in dots, once */
        if (length > 0 && length + 5 < size && text[length - 1] != '.')
            snprintf(text + length, size - length, " ...");
        return;
    }
    length += (size_t)snprintf(text + length, size - length, "%s%llu", length > 0 ? ", " : "",
                               (unsigned long long)first);
    if (last != first)
        snprintf(text + length, size - length, " to %llu", (unsigned long long)last);
}

size_t sl_run_missing_frames(const SlRunNumbers *frames, uint64_t every, uint64_t last, char *text,
                             size_t size)
{
    size_t missing = 0, k = 0;
    uint64_t next = 0; /* expected */
    text[0] = '\0';
    while (next <= last) {
        while (k < frames->count && frames->at[k] < next)
            k++;
        uint64_t there = k < frames->count ? frames->at[k] : UINT64_MAX;
        if (there == next) {
            next += every;
            continue;
        }
        uint64_t first = next;
        while (next <= last && next < there)
            next += every;
        missing += (size_t)((next - first) / every);
        add_range(text, size, first, next - every);
    }
    return missing;
}

/* --- Lock --- */

/* The lock is on the folder itself: nothing to leave behind, and the kernel lifts it whatever ends
   the process. A reader that looks for it holds a shared one for a moment, hence the few tries. */
SlStatus sl_run_lock_take(const char *folder, int *lock, SlError *error)
{
    SlStatus status = sl_folder_make(folder, error);
    if (status != SL_OK)
        return status;
    *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return sl_error_set(error, SL_ERROR_IO, "%.300s: cannot be opened: %s", folder,
                            strerror(errno));
    for (int k = 0; k < 5; k++) {
        const struct timespec pause = {.tv_nsec = 20000000};
        if (flock(*lock, LOCK_EX | LOCK_NB) == 0)
            return SL_OK;
        if (errno != EWOULDBLOCK)
            return SL_OK; /* a file system without locks */
        nanosleep(&pause, NULL);
    }
    close(*lock);
    *lock = -1;
    return sl_error_set(error, SL_ERROR_IO,
                        "%.300s: another run is writing there; stop it or choose another folder "
                        "with -o",
                        folder);
}

bool sl_run_folder_is_locked(const SlRunFolder *folder)
{
    int descriptor = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool locked = flock(descriptor, LOCK_SH | LOCK_NB) != 0;
    close(descriptor);
    return locked;
}

/* --- What runs wrote --- */

/* Calls `is_mine` for each name in the folder and removes the files it accepts. */
static void remove_files(const char *folder, bool (*is_mine)(const char *name))
{
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (is_mine(entry->d_name))
            (void)unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
}

static bool is_leftover(const char *name)
{
    bool mine = strncmp(name, "frame_", 6) == 0 || strncmp(name, "checkpoint_", 11) == 0 ||
                strncmp(name, "scene.json.", 11) == 0 || strncmp(name, "stats.csv.", 10) == 0 ||
                strncmp(name, "run.json.", 9) == 0;
    return mine && (ends_with(name, ".part") || ends_with(name, ".slf.again"));
}

static bool is_record(const char *name)
{
    return strcmp(name, "stats.csv") == 0 || strcmp(name, "run.json") == 0 ||
           (strncmp(name, "checkpoint_", 11) == 0 && ends_with(name, ".slc.damaged"));
}

/* Stored meshes are named by the 128-bit hash of their content. */
static bool begins_like_mesh(const char *name)
{
    return strspn(name, "0123456789abcdef") == 32 && strncmp(name + 32, ".slm", 4) == 0;
}

static bool is_stored_mesh(const char *name)
{
    return begins_like_mesh(name) && name[36] == '\0';
}

static bool is_mesh_leftover(const char *name)
{
    return begins_like_mesh(name) && ends_with(name, ".part");
}

void sl_run_sweep(const char *folder)
{
    char meshes[SL_RUN_FILE_PATH];
    sl_run_file_path(meshes, folder, "meshes");
    remove_files(folder, is_leftover);
    remove_files(meshes, is_mesh_leftover);
}

/* Folders of results: NAME-HASH with 16 hexadecimal digits. */
static bool is_filter_folder(const char *name)
{
    const char *dash = strrchr(name, '-');
    return dash != NULL && dash != name && strlen(dash + 1) == 16 &&
           strspn(dash + 1, "0123456789abcdef") == 16;
}

/* Removes stored results of filters after frame `last`, and folders that are empty then. */
static void remove_results(const char *folder, int64_t last)
{
    char filters[SL_RUN_FILE_PATH];
    sl_run_file_path(filters, folder, SL_RUN_FILTERS);
    DIR *all = opendir(filters);
    if (all == NULL)
        return;
    for (struct dirent *each; (each = readdir(all)) != NULL;) {
        int descriptor = is_filter_folder(each->d_name)
                             ? openat(dirfd(all), each->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                             : -1;
        DIR *results = descriptor >= 0 ? fdopendir(descriptor) : NULL;
        if (results == NULL) {
            if (descriptor >= 0)
                close(descriptor);
            continue;
        }
        for (struct dirent *entry; (entry = readdir(results)) != NULL;) {
            uint64_t number;
            bool result = read_number(entry->d_name, "frame_", ".slf", &number);
            if ((result && (int64_t)number > last) || is_leftover(entry->d_name))
                (void)unlinkat(dirfd(results), entry->d_name, 0);
        }
        closedir(results);
        (void)unlinkat(dirfd(all), each->d_name, AT_REMOVEDIR); /* only if nothing else is in it */
    }
    closedir(all);
    (void)rmdir(filters);
}

void sl_run_remove_records(const char *folder)
{
    char meshes[SL_RUN_FILE_PATH];
    sl_run_file_path(meshes, folder, "meshes");
    remove_results(folder, -1);
    remove_files(folder, is_record);
    remove_files(meshes, is_stored_mesh);
    (void)rmdir(meshes); /* only if nothing else is in it */
}

void sl_run_remove_after(const SlRunFolder *folder, int64_t last)
{
    char path[SL_RUN_FILE_PATH];
    remove_results(folder->path, last);
    for (size_t k = 0; k < folder->frames.count; k++)
        if ((int64_t)folder->frames.at[k] > last) {
            sl_run_frame_path(path, folder->path, folder->frames.at[k]);
            (void)unlink(path);
        }
    for (size_t k = 0; k < folder->checkpoints.count; k++)
        if ((int64_t)folder->checkpoints.at[k] > last) {
            sl_run_checkpoint_path(path, folder->path, folder->checkpoints.at[k]);
            (void)unlink(path);
        }
}

void sl_run_prune_checkpoints(SlRunFolder *folder, uint64_t frame)
{
    if (list_files(folder, NULL) != SL_OK)
        return;
    size_t count = 0;
    while (count < folder->checkpoints.count && folder->checkpoints.at[count] <= frame)
        count++;
    for (size_t k = 0; k + 2 < count; k++) {
        char path[SL_RUN_FILE_PATH];
        sl_run_checkpoint_path(path, folder->path, folder->checkpoints.at[k]);
        (void)unlink(path);
    }
}
