/* sleet bench: measures this machine and Sleet on it. */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "cli/cli.h"

enum { O_QUICK, O_JSON, O_SCENE, O_PAPER, O_EXECUTIONS, O_OUTPUT, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_QUICK] = {"quick", 'q', NULL, "fewer sizes and repeats; limits not measured are left out"},
    [O_JSON] = {"json", 'j', "FILE", "also write results and limits as JSON"},
    [O_SCENE] = {"scene", 0, "NAME", "apbf, chebyshev: only that one of its scenes"},
    [O_PAPER] = {"paper", 0, NULL, "apbf: as many steps as the paper, 1000"},
    [O_EXECUTIONS] = {"executions", 0, "N", "apbf: measure N times, 1 to 100 (default: 1)"},
    [O_OUTPUT] = {"output", 'o', "DIR", "apbf: also write a CSV per scene, a row per frame"},
};

/* Options that only benchmarks with scenes take; -1, or an exit code. */
static int read_options(const BenchKind *kind, const CliInput *input, Bench *bench)
{
    uint64_t executions = 1;
    for (int k = O_SCENE; k < O_COUNT; k++)
        if (input->value[k] != NULL && !(k == O_SCENE ? kind->has_scenes : kind->has_paper))
            return cli_usage_error("bench", "%s takes no --%s", kind->name, options[k].name);
    if (input->value[O_EXECUTIONS] != NULL &&
        !cli_integer(&cli_bench_command, "executions", input->value[O_EXECUTIONS], 1, 100,
                   &executions))
        return EXIT_USAGE;
    if (input->value[O_QUICK] != NULL && input->value[O_PAPER] != NULL)
        return cli_usage_error("bench", "--quick and --paper exclude each other");
    bench->quick = input->value[O_QUICK] != NULL;
    bench->paper = input->value[O_PAPER] != NULL;
    bench->executions = (uint32_t)executions;
    bench->scene = input->value[O_SCENE];
    bench->folder = input->value[O_OUTPUT];
    return -1;
}

static int run_bench(const BenchKind *kind, const CliInput *input)
{
    Bench *bench = calloc(1, sizeof *bench);
    SlError error = {SL_OK, ""};
    size_t missed = 0;
    if (bench == NULL)
        return EXIT_MEMORY;
    int code = read_options(kind, input, bench);
    if (code < 0) {
        SlStatus status = bench_run(kind, bench, input->value[O_JSON], &missed, &error);
        code = status != SL_OK ? cli_fail(&error) : missed > 0 ? EXIT_MISSED : EXIT_DONE;
    }
    free(bench);
    return code;
}

static int bench(int count, char **words)
{
    CliInput input;
    int code = cli_parse(&cli_bench_command, count, words, &input);
    if (code >= 0)
        return code;
    size_t kind_count;
    const BenchKind *const *kinds = bench_kinds(&kind_count);
    if (input.word_count == 0) {
        for (size_t k = 0; k < kind_count; k++)
            printf("%-10s %s\n", kinds[k]->name, kinds[k]->summary);
        return EXIT_DONE;
    }
    const char *names[32];
    for (size_t k = 0; k < kind_count && k < 32; k++) {
        names[k] = kinds[k]->name;
        if (strcmp(input.words[0], kinds[k]->name) == 0)
            return run_bench(kinds[k], &input);
    }
    const char *near = sl_nearest_name(input.words[0], names, kind_count);
    return cli_usage_error("bench", "there is no benchmark \"%.40s\"%s%s%s", input.words[0],
                           near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                           near != NULL ? "\"?" : "");
}

const CliCommand cli_bench_command = {
    .name = "bench",
    .arguments = "[NAME] [options]",
    .summary = "measure this machine and Sleet on it, against the limits in bench/limits.csv",
    .examples = "  sleet bench\n  sleet bench passes --quick\n  sleet bench passes --json p.json\n"
                "  sleet bench apbf --scene dam -o out/apbf\n"
                "  sleet bench apbf --paper --executions 3\n",
    .options = options,
    .option_count = O_COUNT,
    .run = bench,
};
