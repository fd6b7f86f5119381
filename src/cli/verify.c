/* sleet verify: reads every frame and checkpoint of a folder in full and says which are not whole. */
#include <stdlib.h>
#include <string.h>

#include "cli/run_folder.h"
#include "core/error.h"

typedef struct Tally {
    long whole, broken;
} Tally;

static void note(Tally *tally, SlStatus status, const SlError *error)
{
    if (status == SL_OK) {
        tally->whole++;
        return;
    }
    tally->broken++;
    printf("%s\n", error->text);
}

static void verify_frame(SlContext *context, const char *path, uint64_t number, Tally *tally)
{
    SlFrame *frame;
    SlError error;
    SlStatus status = sl_frame_read(context, path, &frame, &error);
    if (status == SL_OK && sl_frame_view(frame)->frame != number)
        status = sl_error_set(&error, SL_ERROR_PARSE, "%.300s: is frame %llu", path,
                              (unsigned long long)sl_frame_view(frame)->frame);
    note(tally, status, &error);
    sl_frame_destroy(frame);
}

static void verify_checkpoint(SlContext *context, const char *path, uint64_t number, Tally *tally)
{
    SlCheckpoint *checkpoint;
    SlError error;
    SlStatus status = sl_checkpoint_read(context, path, &checkpoint, &error);
    if (status == SL_OK && sl_checkpoint_state(checkpoint)->frame != number)
        status = sl_error_set(&error, SL_ERROR_PARSE, "%.300s: is of frame %llu", path,
                              (unsigned long long)sl_checkpoint_state(checkpoint)->frame);
    note(tally, status, &error);
    sl_checkpoint_destroy(checkpoint);
}

static int verify_folder(SlContext *context, const char *folder)
{
    uint64_t *frames, *checkpoints;
    long frame_count = cli_list_frames(folder, &frames);
    long checkpoint_count = cli_list_numbers(folder, "checkpoint", ".slc", &checkpoints);
    SlError error;
    Tally frame_tally = {0}, checkpoint_tally = {0};
    char path[1024];
    int code = EXIT_DONE;
    if (frame_count < 0 || frame_count + checkpoint_count == 0) {
        sl_error_set(&error, SL_ERROR_IO, "%.300s: holds no frames", folder);
        code = cli_fail(&error);
    } else {
        for (long k = 0; k < frame_count; k++) {
            cli_frame_path(path, sizeof path, folder, frames[k], ".slf");
            verify_frame(context, path, frames[k], &frame_tally);
        }
        for (long k = 0; k < checkpoint_count; k++) {
            cli_checkpoint_path(path, sizeof path, folder, checkpoints[k]);
            verify_checkpoint(context, path, checkpoints[k], &checkpoint_tally);
        }
        printf("%ld frames whole, %ld not; %ld checkpoints whole, %ld not\n", frame_tally.whole,
               frame_tally.broken, checkpoint_tally.whole, checkpoint_tally.broken);
        code = frame_tally.broken + checkpoint_tally.broken > 0 ? EXIT_INPUT : EXIT_DONE;
    }
    free(frames);
    free(checkpoints);
    return code;
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
    uint64_t number;
    int code = cli_parse(&cli_verify_command, count, words, &input);
    if (code < 0 && input.word_count != 1)
        code = cli_usage_error("verify", "one folder of frames is needed");
    if (code < 0 && input.value[O_THREADS] != NULL &&
        !cli_integer(&cli_verify_command, "threads", input.value[O_THREADS], 1, 256, &number))
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
    .summary = "check every byte of the frames and checkpoints in a folder",
    .examples = "  sleet verify out/dam\n",
    .options = options,
    .option_count = O_COUNT,
    .run = verify,
};
