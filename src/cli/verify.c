/* sleet verify: reads every frame and checkpoint of a run folder in full, and reports which are
   damaged or missing. */
#include <stdlib.h>

#include "cli/cli.h"

static void print_fault(void *user, const char *message)
{
    (void)user;
    printf("%s\n", message);
}

static int verify_folder(SlContext *context, const char *path)
{
    SlRunFolder *folder = NULL;
    SlRunVerification v;
    SlError error;
    size_t frames = 0, checkpoints = 0;
    SlStatus status = sl_run_folder_open(context, path, &folder, &error);
    if (status == SL_OK) {
        (void)sl_run_folder_frames(folder, &frames);
        (void)sl_run_folder_checkpoints(folder, &checkpoints);
        if (frames + checkpoints == 0)
            status = cli_error(&error, SL_ERROR_IO, "%.300s: holds no frames", path);
    }
    if (status == SL_OK)
        status = sl_run_folder_verify(folder, print_fault, NULL, &v, &error);
    sl_run_folder_close(folder);
    if (status != SL_OK)
        return cli_fail(&error);
    printf("%zu frames intact, %zu damaged, %zu missing; %zu checkpoints intact, %zu damaged\n",
           v.frames_intact, v.frames_damaged, v.frames_missing, v.checkpoints_intact,
           v.checkpoints_damaged);
    return v.frames_damaged + v.frames_missing + v.checkpoints_damaged > 0 ? EXIT_INPUT : EXIT_DONE;
}

enum { O_THREADS, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_THREADS] = {"threads", 't', "N", "threads (default: one per processor)"},
};

static int verify(int count, char **words)
{
    CliInput input;
    SlContext *context;
    SlError error;
    int code = cli_parse(&cli_verify_command, count, words, &input);
    if (code < 0 && input.word_count != 1)
        code = cli_usage_error("verify", "one run folder is needed");
    if (code < 0 && !cli_threads(&cli_verify_command, input.value[O_THREADS]))
        code = EXIT_USAGE;
    if (code < 0 && cli_context(input.value[O_THREADS], true, &context, &error) != SL_OK)
        code = cli_fail(&error);
    if (code < 0) {
        code = verify_folder(context, input.words[0]);
        sl_context_destroy(context);
    }
    cli_input_free(&input);
    return code;
}

const CliCommand cli_verify_command = {
    .name = "verify",
    .arguments = "DIR [options]",
    .summary = "check every byte of the frames and checkpoints in a run folder",
    .examples = "  sleet verify out/dam\n",
    .options = options,
    .option_count = O_COUNT,
    .run = verify,
};
