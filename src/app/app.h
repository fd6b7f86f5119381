/* What the sub-commands share: options, exit codes, messages, progress, folders of frames. */
#ifndef APP_APP_H
#define APP_APP_H

#include <stdio.h>

#include "sleet/sleet.h"

/* Exit codes, as `sleet --help` and the README list them. */
enum {
    EXIT_DONE = 0,
    EXIT_MISSED = 1,      /* a benchmark missed a bar */
    EXIT_USAGE = 2,       /* bad command line */
    EXIT_INPUT = 3,       /* bad scene or input file */
    EXIT_MEMORY = 4,      /* not enough memory */
    EXIT_FILES = 5,       /* a file or folder cannot be read or written */
    EXIT_NUMBERS = 6,     /* the simulation went wrong */
    EXIT_UNSUPPORTED = 7, /* a part that is not on this machine */
    EXIT_RESUMABLE = 75,  /* stopped with a checkpoint: --resume goes on */
    EXIT_STOPPED = 130    /* Ctrl-C; everything written is valid */
};
int app_exit_code(SlStatus status);
/* Prints "sleet: sentence" and returns the exit code. */
int app_fail(const SlError *error);
int app_usage_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- options ------------------------------------------------------------------------------- */
typedef struct AppOption {
    const char *name;    /* without the dashes */
    char letter;         /* 0: none */
    const char *value;   /* what it takes, e.g. "DIR"; NULL: a flag */
    const char *meaning;
    bool repeats;
    bool optional; /* the value may be left out; it stands behind "=" */
} AppOption;

typedef struct AppCommand {
    const char *name, *arguments, *summary, *examples;
    const AppOption *options;
    size_t option_count;
    int (*run)(int count, char **words); /* words after the command's name */
} AppCommand;

enum { APP_MOST_WORDS = 16, APP_MOST_OPTIONS = 24, APP_MOST_SETS = 64, APP_MOST_BYTES = 800 };

typedef struct AppInput {
    const char *words[APP_MOST_WORDS]; /* what is not an option */
    size_t word_count;
    const char *value[APP_MOST_OPTIONS]; /* by place in the command's table; "" for a set flag */
    SlSceneOverride sets[APP_MOST_SETS + 2]; /* of --set; room for what other options set */
    size_t set_count;
    char *set_storage[APP_MOST_SETS + 2];
} AppInput;

/* -1: go on; otherwise the exit code (help was asked for, or the line is wrong). */
int app_parse(const AppCommand *command, int count, char **words, AppInput *input);
/* Adds the "path=value" of a --set; -1, or an exit code. */
int app_add_set(const AppCommand *command, const char *text, AppInput *input);
void app_input_free(AppInput *input);
/* A whole number from low to high; false after an error message. */
bool app_whole(const AppCommand *command, const char *option, const char *text, uint64_t low,
               uint64_t high, uint64_t *value);
/* "K" or "A-B"; open end "A-" is UINT64_MAX. */
bool app_range(const AppCommand *command, const char *text, uint64_t *first, uint64_t *last);

extern const AppCommand app_run_command, app_render_command, app_info_command, app_params_command,
    app_bench_command, app_demo_command, app_verify_command, app_estimate_command,
    app_compare_command, app_tune_command;

/* --- talking ------------------------------------------------------------------------------- */
typedef struct AppProgress {
    bool quiet, terminal;
    const char *what;
    uint64_t total;
    uint64_t first; /* done before this process began */
    double started, last_shown;
    int last_tenth;
} AppProgress;

void app_progress_begin(AppProgress *progress, const char *what, uint64_t total, bool quiet);
void app_progress_show(AppProgress *progress, uint64_t done, const char *more);
void app_progress_end(AppProgress *progress);
/* Removes the bar so that a message can be printed; the next show draws it again. */
void app_progress_clear(void);

/* Hooks that print the library's words on standard error; nothing when quiet. */
SlHooks app_hooks(bool quiet);
/* Ctrl-C and SIGTERM set a flag instead of ending the process. */
void app_catch_interrupts(void);
bool app_interrupted(void);
/* SIGUSR1 sets another; asking for it takes it back. */
void app_catch_checkpoint_wish(void);
bool app_checkpoint_wished(void);
/* For a world's on_step: ends the run after the step in which Ctrl-C came. */
bool app_step_goes_on(void *user, SlSystemId system, const SlStepStats *stats);

/* --- contexts, scenes, folders ------------------------------------------------------------- */
SlStatus app_context(const char *threads, bool quiet, SlContext **context, SlError *error);
/* Reads a scene with the splat renderer's table, and --set / --seed applied. */
SlStatus app_scene(SlContext *context, const char *path, const AppInput *input, SlScene **scene,
                   SlError *error);
/* The camera called name (NULL: the first). */
SlStatus app_camera(const SlScene *scene, const char *name, const SlCamera **camera,
                    SlError *error);
void app_frame_path(char *path, size_t size, const char *folder, uint64_t frame, const char *end);
/* Numbers of the frames in a folder, ascending; returns how many, -1 if it cannot be read. */
long app_list_frames(const char *folder, uint64_t **frames);
/* Numbers of the files PREFIX_NNNNNNEND, the same way. */
long app_list_numbers(const char *folder, const char *prefix, const char *end,
                      uint64_t **numbers);
bool app_is_folder(const char *path);
/* A path relative to the folder of this program. */
void app_beside_program(char *path, size_t size, const char *relative);
/* The file name without folder and ending. */
void app_stem(char *stem, size_t size, const char *path);

/* A CSV of statistics, a row per step. */
typedef struct AppStats {
    FILE *file;
    char path[1024];
    bool headed;
} AppStats;
SlStatus app_stats_open(AppStats *stats, const char *folder, SlError *error);
/* Goes on with the file of a run that is resumed: rows after the world's steps are dropped. */
SlStatus app_stats_continue(AppStats *stats, SlContext *context, const char *folder,
                            SlWorld *world, SlError *error);
/* False: the row could not be written. */
bool app_stats_add(AppStats *stats, const char *system, const SlStepStats *step);
/* Rows so far survive a power cut. */
SlStatus app_stats_sync(AppStats *stats, SlError *error);
SlStatus app_stats_close(AppStats *stats, SlError *error);

#endif
