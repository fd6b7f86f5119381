/* What the sub-commands have in common: options, exit codes, messages, progress and signals. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdio.h>

#include "sleet/sleet.h"

/* Exit codes, as `sleet --help` and the README list them. */
enum {
    EXIT_DONE = 0,
    EXIT_MISSED = 1,      /* a benchmark missed its limit */
    EXIT_USAGE = 2,       /* bad command line */
    EXIT_INPUT = 3,       /* bad scene or input file */
    EXIT_MEMORY = 4,      /* not enough memory */
    EXIT_FILES = 5,       /* a file or folder cannot be read or written, or holds results that
                             would be lost */
    EXIT_NUMBERS = 6,     /* the simulation diverged */
    EXIT_UNSUPPORTED = 7, /* a part that is not on this machine */
    EXIT_RESUMABLE = 75,  /* stopped with a checkpoint: run --resume continues */
    EXIT_STOPPED = 130    /* Ctrl-C; everything written is valid */
};
int cli_exit_code(SlStatus status);
/* Fills `error` and returns `status`. */
SlStatus cli_error(SlError *error, SlStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints "sleet: message" and returns the exit code. */
int cli_fail(const SlError *error);
int cli_usage_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- options ------------------------------------------------------------------------------- */
typedef struct CliOption {
    const char *name;    /* without the dashes */
    char letter;         /* 0: none */
    const char *value;   /* what it takes, e.g. "DIR"; NULL: a flag */
    const char *meaning; /* lines end in "\n", the last one does not */
    bool repeats;
    bool optional; /* the value may be left out; it stands behind "=" */
} CliOption;

typedef struct CliCommand {
    const char *name, *arguments, *summary, *examples;
    const CliOption *options;
    size_t option_count;
    int (*run)(int count, char **words); /* words after the command's name */
} CliCommand;

enum { CLI_MAX_WORDS = 16, CLI_MAX_OPTIONS = 24, CLI_MAX_SETS = 64, CLI_MORE_SETS = 16, CLI_MAX_BYTES = 800 };

typedef struct CliInput {
    const char *words[CLI_MAX_WORDS]; /* what is not an option */
    size_t word_count;
    const char *value[CLI_MAX_OPTIONS]; /* by place in the command's table; "" for a set flag */
    SlSceneOverride sets[CLI_MAX_SETS + CLI_MORE_SETS]; /* of --set, and what other options or a demo set */
    size_t set_count;
    char *set_storage[CLI_MAX_SETS + CLI_MORE_SETS];
} CliInput;

/* -1: the line is right; otherwise the exit code (help was asked for, or the line is wrong). */
int cli_parse(const CliCommand *command, int count, char **words, CliInput *input);
/* Adds the "path=value" of a --set; -1, or an exit code. */
int cli_add_set(const CliCommand *command, const char *text, CliInput *input);
void cli_input_free(CliInput *input);
/* An integer from low to high; false after an error message. */
bool cli_integer(const CliCommand *command, const char *option, const char *text, uint64_t low,
               uint64_t high, uint64_t *value);
/* A number above `low` and at most `high`; false after an error message. */
bool cli_number(const CliCommand *command, const char *option, const char *text, double low,
                double high);
/* "K" or "A-B"; open end "A-" is UINT64_MAX. */
bool cli_range(const CliCommand *command, const char *text, uint64_t *first, uint64_t *last);
/* The number of --threads; good if it was not given (NULL). */
bool cli_threads(const CliCommand *command, const char *text);

extern const CliCommand cli_run_command, cli_render_command, cli_info_command, cli_params_command,
    cli_bench_command, cli_demo_command, cli_verify_command, cli_estimate_command,
    cli_compare_command, cli_tune_command, cli_mesh_command, cli_filter_command,
    cli_measure_command;

/* --- progress, log and signals ------------------------------------------------------------- */
typedef struct CliProgress {
    bool quiet, terminal;
    const char *what;
    uint64_t total;
    uint64_t first; /* done before this process began */
    double started, last_shown;
    int last_tenth;
    uint64_t done;          /* as last shown */
    double picture_started; /* when its first part was reported; 0: none was */
    /* the filter that is applied to the frames before the next one, which has a bar of its own */
    char stage[32];
    double stage_started, stage_first; /* s, 0: there is none; fraction that was reported first */
    int stage_tenth;
} CliProgress;

void cli_progress_begin(CliProgress *progress, const char *what, uint64_t total, bool quiet);
void cli_progress_show(CliProgress *progress, uint64_t done, const char *more);
void cli_progress_end(CliProgress *progress);
/* From here on the library's reports are shown: those of a picture being drawn move the bar between two frames,
   those of a filter that is applied to the frames before are a bar with its name. NULL: no more. The work
   stops where Ctrl-C came. */
void cli_progress_watch(CliProgress *progress);
/* Removes the bar so that a message can be printed; the next show draws it again. */
void cli_progress_clear(void);

/* Which of the library's messages are printed on standard error; true, for quiet, is none of them. */
typedef enum CliLog { CLI_LOG_ALL, CLI_LOG_NOTHING, CLI_LOG_WARNINGS } CliLog;
SlHooks cli_hooks(CliLog log);
/* Ctrl-C and SIGTERM set a flag instead of ending the process. */
void cli_catch_interrupts(void);
bool cli_interrupted(void);
/* SIGHUP (a closed terminal) and SIGPIPE (a closed pipe) set it too, unless they are ignored. */
void cli_catch_hangups(void);
/* SIGUSR1 sets another flag; asking for it clears it. */
void cli_catch_checkpoint_request(void);
bool cli_checkpoint_requested(void);
/* For a world's on_step: ends the run after the step in which Ctrl-C came. */
bool cli_continue_step(void *user, SlSystemId system, const SlStepStats *stats);

/* --- contexts, scenes, paths --------------------------------------------------------------- */
SlStatus cli_context(const char *threads, CliLog log, SlContext **context, SlError *error);
/* Reads a scene with the tables of all renderers, and --set / --seed applied. */
SlStatus cli_scene(SlContext *context, const char *path, const CliInput *input, SlScene **scene,
                   SlError *error);
/* Some frames of a run folder, ascending. */
typedef struct CliFrames {
    const uint64_t *numbers; /* the folder's */
    size_t count;            /* at least 1 */
} CliFrames;
/* Those from first to last; `source` is what the user called the folder, for messages. */
SlStatus cli_frames(const SlRunFolder *folder, const char *source, uint64_t first, uint64_t last,
                    CliFrames *frames, SlError *error);
/* A damaged frame among others is left out: one line with the error, and `more` of what follows from it. */
void cli_damaged_frame(const SlError *error, const char *more);
/* The last line of a command that left out so many frames; returns its exit code. */
int cli_damaged_frames(uint64_t count);
/* The place of the camera called name among the scene's (NULL: the first). */
SlStatus cli_camera(const SlScene *scene, const char *name, size_t *index, SlError *error);
/* FOLDER/frame_NNNNNN.png */
void cli_picture_path(char *path, size_t size, const char *folder, uint64_t frame);
/* A pattern has "%d" or "%0Nd" where the frame's number goes. */
bool cli_has_number(const char *pattern);
void cli_numbered_path(char *path, size_t size, const char *pattern, uint64_t frame);
/* The file name without folder and ending. */
void cli_stem(char *stem, size_t size, const char *path);

#endif
