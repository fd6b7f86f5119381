/* What the sub-commands share: options, exit codes, messages, progress, folders of frames. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

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
int cli_exit_code(SlStatus status);
/* Prints "sleet: sentence" and returns the exit code. */
int cli_fail(const SlError *error);
int cli_usage_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- options ------------------------------------------------------------------------------- */
typedef struct CliOption {
    const char *name;    /* without the dashes */
    char letter;         /* 0: none */
    const char *value;   /* what it takes, e.g. "DIR"; NULL: a flag */
    const char *meaning;
    bool repeats;
    bool optional; /* the value may be left out; it stands behind "=" */
} CliOption;

typedef struct CliCommand {
    const char *name, *arguments, *summary, *examples;
    const CliOption *options;
    size_t option_count;
    int (*run)(int count, char **words); /* words after the command's name */
} CliCommand;

enum { CLI_MAX_WORDS = 16, CLI_MAX_OPTIONS = 24, CLI_MAX_SETS = 64, CLI_MAX_BYTES = 800 };

typedef struct CliInput {
    const char *words[CLI_MAX_WORDS]; /* what is not an option */
    size_t word_count;
    const char *value[CLI_MAX_OPTIONS]; /* by place in the command's table; "" for a set flag */
    SlSceneOverride sets[CLI_MAX_SETS + 2]; /* of --set; room for what other options set */
    size_t set_count;
    char *set_storage[CLI_MAX_SETS + 2];
} CliInput;

/* -1: go on; otherwise the exit code (help was asked for, or the line is wrong). */
int cli_parse(const CliCommand *command, int count, char **words, CliInput *input);
/* Adds the "path=value" of a --set; -1, or an exit code. */
int cli_add_set(const CliCommand *command, const char *text, CliInput *input);
void cli_input_free(CliInput *input);
/* A whole number from low to high; false after an error message. */
bool cli_integer(const CliCommand *command, const char *option, const char *text, uint64_t low,
               uint64_t high, uint64_t *value);
/* "K" or "A-B"; open end "A-" is UINT64_MAX. */
bool cli_range(const CliCommand *command, const char *text, uint64_t *first, uint64_t *last);

extern const CliCommand cli_run_command, cli_render_command, cli_info_command, cli_params_command,
    cli_bench_command, cli_demo_command, cli_verify_command, cli_estimate_command,
    cli_compare_command, cli_tune_command;

/* --- talking ------------------------------------------------------------------------------- */
typedef struct CliProgress {
    bool quiet, terminal;
    const char *what;
    uint64_t total;
    uint64_t first; /* done before this process began */
    double started, last_shown;
    int last_tenth;
} CliProgress;

void cli_progress_begin(CliProgress *progress, const char *what, uint64_t total, bool quiet);
void cli_progress_show(CliProgress *progress, uint64_t done, const char *more);
void cli_progress_end(CliProgress *progress);
/* Removes the bar so that a message can be printed; the next show draws it again. */
void cli_progress_clear(void);

/* Hooks that print the library's words on standard error; nothing when quiet. */
SlHooks cli_hooks(bool quiet);
/* Ctrl-C and SIGTERM set a flag instead of ending the process. */
void cli_catch_interrupts(void);
bool cli_interrupted(void);
/* SIGUSR1 sets another; asking for it takes it back. */
void cli_catch_checkpoint_request(void);
bool cli_checkpoint_requested(void);
/* For a world's on_step: ends the run after the step in which Ctrl-C came. */
bool cli_continue_step(void *user, SlSystemId system, const SlStepStats *stats);

/* --- contexts, scenes, folders ------------------------------------------------------------- */
SlStatus cli_context(const char *threads, bool quiet, SlContext **context, SlError *error);
/* Reads a scene with the splat renderer's table, and --set / --seed applied. */
SlStatus cli_scene(SlContext *context, const char *path, const CliInput *input, SlScene **scene,
                   SlError *error);
/* The camera called name (NULL: the first). */
SlStatus cli_camera(const SlScene *scene, const char *name, const SlCamera **camera,
                    SlError *error);
void cli_frame_path(char *path, size_t size, const char *folder, uint64_t frame, const char *end);
/* Numbers of the frames in a folder, ascending; returns how many, -1 if it cannot be read. */
long cli_list_frames(const char *folder, uint64_t **frames);
/* Numbers of the files PREFIX_NNNNNNEND, the same way. */
long cli_list_numbers(const char *folder, const char *prefix, const char *end,
                      uint64_t **numbers);
bool cli_is_folder(const char *path);
/* A path relative to the folder of this program. */
void cli_beside_program(char *path, size_t size, const char *relative);
/* The file name without folder and ending. */
void cli_stem(char *stem, size_t size, const char *path);

/* A CSV of statistics, a row per step. */
typedef struct CliStats {
    FILE *file;
    char path[1024];
    bool headed;
} CliStats;
SlStatus cli_stats_open(CliStats *stats, const char *folder, SlError *error);
/* Goes on with the file of a run that is resumed: rows after the world's steps are dropped. */
SlStatus cli_stats_continue(CliStats *stats, SlContext *context, const char *folder,
                            SlWorld *world, SlError *error);
/* False: the row could not be written. */
bool cli_stats_add(CliStats *stats, const char *system, const SlStepStats *step);
/* Rows so far survive a power cut. */
SlStatus cli_stats_sync(CliStats *stats, SlError *error);
SlStatus cli_stats_close(CliStats *stats, SlError *error);

#endif
