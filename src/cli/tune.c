/* sleet tune: finds rho of Chebyshev's method for a scene [Wang 2015]; the search is bench/tune.c. */
#include <stdlib.h>

#include "bench/bench.h"
#include "cli/cli.h"

static SlStatus write_rho(SlContext *context, const char *path, double rho, SlError *error)
{
    char value[32];
    snprintf(value, sizeof value, "%.5f", rho);
    SlSceneOverride set = {"systems[0].parameters.rho", value};
    SlSceneOptions options = sl_default_scene_options();
    options.overrides = &set;
    options.override_count = 1;
    SlScene *scene;
    SlStatus status = sl_scene_read(context, path, &options, &scene, error);
    if (status != SL_OK)
        return status;
    status = sl_scene_write(context, scene, path, error);
    sl_scene_destroy(scene);
    return status;
}

enum { O_FROM, O_STEPS, O_WRITE, O_THREADS, O_SET, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_FROM] = {"from", 'f', "N", "steps before the search begins (40)"},
    [O_STEPS] = {"steps", 'n', "N", "steps of each short run (20)"},
    [O_WRITE] = {"write", 'w', NULL, "write the value into the scene file, which is formatted anew"},
    [O_THREADS] = {"threads", 't', "N", "threads (default: one per processor)"},
    [O_SET] = {"set", 's', "PATH=VALUE", "change any value of the scene; may be repeated", .repeats = true},
};

static uint32_t number(const char *text, uint32_t otherwise)
{
    return text != NULL ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

static int tune(int count, char **words)
{
    CliInput input;
    int code = cli_parse(&cli_tune_command, count, words, &input);
    if (code >= 0)
        return code;
    if (input.word_count != 1 || number(input.value[O_STEPS], 20) == 0) {
        cli_input_free(&input);
        return cli_usage_error("tune", "one scene, and steps of 1 or more");
    }
    SlError error = {SL_OK, ""};
    SlContextDef def = sl_default_context_def();
    def.threads = number(input.value[O_THREADS], 0);
    SlContext *context;
    double rho = 0;
    SlStatus status = sl_context_create(&def, &context, &error);
    if (status == SL_OK) {
        BenchTuneDef search = {.sets = input.sets,
                               .set_count = input.set_count,
                               .before = number(input.value[O_FROM], 40),
                               .steps = number(input.value[O_STEPS], 20)};
        status = bench_tune(context, input.words[0], &search, &rho, &error);
        if (status == SL_OK)
            printf("best: rho %.5f\n", rho);
        if (status == SL_OK && input.value[O_WRITE] != NULL) {
            status = write_rho(context, input.words[0], rho, &error);
            if (status == SL_OK)
                printf("written into %s\n", input.words[0]);
        }
        sl_context_destroy(context);
    }
    cli_input_free(&input);
    return status == SL_OK ? EXIT_DONE : cli_fail(&error);
}

const CliCommand cli_tune_command = {
    .name = "tune",
    .arguments = "SCENE [options]",
    .summary = "find rho of Chebyshev's method for a scene of projective fluids",
    .examples = "  sleet tune scenes/papers/chebyshev/dam_30k.json\n"
                "  sleet tune my.json --from 100 --steps 40 --write\n",
    .options = options,
    .option_count = O_COUNT,
    .run = tune,
};
