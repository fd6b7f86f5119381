/* sleet bench: runs a benchmark between two measurements of the machine, and judges it. */
#include "bench/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"
#include "core/error.h"
#include "bench/peak.h"

static const BenchKind *const kinds[] = {&bench_passes, &bench_render, &bench_store,
                                         &bench_fields, &bench_apbf,   &bench_choices,
                                         &bench_snow,   &bench_chebyshev};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The machine the bars were set on: 2 threads of multiply-adds. */
static const double reference_gflops = 205;

typedef struct Machine {
    double gflops, gbps;
} Machine;

typedef struct Bar {
    char name[96];
    double value, limit;
    bool more, ok;
} Bar;

/* NULL where there is no more room. */
static const BenchResult *keep(Bench *bench, double value, const char *unit, const char *format,
                               va_list arguments)
{
    if (bench->result_count == BENCH_MAX_RESULTS)
        return NULL;
    BenchResult *result = &bench->results[bench->result_count++];
    int length = snprintf(result->name, sizeof result->name, "%s.", bench->name);
    vsnprintf(result->name + length, sizeof result->name - (size_t)length, format, arguments);
    result->value = value;
    result->unit = unit;
    return result;
}

void bench_report(Bench *bench, double value, const char *unit, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const BenchResult *result = keep(bench, value, unit, format, arguments);
    va_end(arguments);
    if (result != NULL)
        printf("  %-44s %10.4g %s\n", result->name, value, unit);
    fflush(stdout);
}

void bench_keep(Bench *bench, double value, const char *unit, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    keep(bench, value, unit, format, arguments);
    va_end(arguments);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double bench_low(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 10];
}

double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

SlStatus bench_own_context(SlWorldDef *def, uint32_t threads, SlError *error)
{
    SlContextDef context = sl_default_context_def();
    context.threads = threads;
    def->own_context = true;
    return sl_context_create(&context, &def->context, error);
}

static SlStatus measure_machine(uint32_t threads, Machine *machine, SlError *error)
{
    SlContext *context;
    SlContextDef def = sl_default_context_def();
    def.threads = threads;
    SlStatus status = sl_context_create(&def, &context, error);
    if (status != SL_OK)
        return status;
    machine->gflops = sl_peak_gflops(context);
    machine->gbps = sl_peak_read_gbps(context);
    printf("  machine: %.1f GFLOP/s (%s, %u threads), %.1f GB/s read\n", machine->gflops,
           sl_context_isa_name(context), threads, machine->gbps);
    sl_context_destroy(context);
    return SL_OK;
}

static FILE *open_limits(char *path, size_t size)
{
    cli_beside_program(path, size, "../bench/limits.csv");
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        snprintf(path, size, "bench/limits.csv");
        file = fopen(path, "r");
    }
    return file;
}

static const BenchResult *find_result(const Bench *bench, const char *name)
{
    for (size_t k = 0; k < bench->result_count; k++)
        if (strcmp(bench->results[k].name, name) == 0)
            return &bench->results[k];
    return NULL;
}

/* Reads the limits of this benchmark and judges its results. A bar without a result is missed,
   unless a quick run or one scene left it out. Returns the number of bars, -1 for a bad file. */
static long judge(const Bench *bench, double factor, Bar *bars)
{
    char path[800], line[256];
    FILE *file = open_limits(path, sizeof path);
    if (file == NULL) {
        fprintf(stderr, "sleet: bench/limits.csv is neither beside the program nor here\n");
        return -1;
    }
    long count = 0;
    size_t prefix = strlen(bench->name);
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        char name[96], better[8];
        double limit;
        int issue, scaled;
        if (number == 1 || line[0] == '\n')
            continue;
        if (sscanf(line, "%95[^,],%lf,%7[^,],%d,%d", name, &limit, better, &issue, &scaled) != 5) {
            fprintf(stderr, "sleet: %s:%d: not name,limit,better,issue,scaled\n", path, number);
            count = -1;
            break;
        }
        if (strncmp(name, bench->name, prefix) != 0 || name[prefix] != '.')
            continue;
        const BenchResult *result = find_result(bench, name);
        if (result == NULL && (bench->quick || bench->scene != NULL))
            continue;
        bool more = strcmp(better, "more") == 0;
        double value = result == NULL ? (more ? -1e30 : 1e30)
                                      : result->value * (scaled ? (more ? 1 / factor : factor) : 1);
        if (!isfinite(value))
            value = more ? -1e30 : 1e30;
        Bar *bar = &bars[count++];
        snprintf(bar->name, sizeof bar->name, "%s", name);
        bar->value = value;
        bar->limit = limit;
        bar->more = more;
        bar->ok = more ? value >= limit : value <= limit;
        if (count == BENCH_MAX_RESULTS)
            break;
    }
    fclose(file);
    return count;
}

static void print_json(FILE *file, const Bench *bench, const Machine machine[2], double factor,
                       const Bar *bars, long bar_count)
{
    fprintf(file, "{\n  \"bench\": \"%s\",\n  \"quick\": %s,\n  \"version\": \"%s\",\n",
            bench->name, bench->quick ? "true" : "false", sl_version());
    fprintf(file, "  \"machine\": {\"gflops_before\": %.6g, \"gflops_after\": %.6g, "
                  "\"read_gbps_before\": %.6g, \"read_gbps_after\": %.6g, \"scale\": %.6g},\n",
            machine[0].gflops, machine[1].gflops, machine[0].gbps, machine[1].gbps, factor);
    fprintf(file, "  \"results\": [");
    for (size_t k = 0; k < bench->result_count; k++)
        fprintf(file, "%s\n    {\"name\": \"%s\", \"value\": %.9g, \"unit\": \"%s\"}",
                k > 0 ? "," : "", bench->results[k].name,
                isfinite(bench->results[k].value) ? bench->results[k].value : -1.0,
                bench->results[k].unit);
    fprintf(file, "\n  ],\n  \"bars\": [");
    for (long k = 0; k < bar_count; k++)
        fprintf(file,
                "%s\n    {\"name\": \"%s\", \"value\": %.9g, \"limit\": %.9g, \"better\": \"%s\", "
                "\"ok\": %s}",
                k > 0 ? "," : "", bars[k].name, bars[k].value, bars[k].limit,
                bars[k].more ? "more" : "less", bars[k].ok ? "true" : "false");
    fprintf(file, "\n  ]\n}\n");
}

static SlStatus write_json(SlFileWriter *writer, const Bench *bench, const Machine machine[2],
                           double factor, const Bar *bars, long bar_count, SlError *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (file != NULL)
        print_json(file, bench, machine, factor, bars, bar_count);
    SlStatus status;
    if (file == NULL || fclose(file) != 0) {
        sl_file_abandon(writer);
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory for the results");
    } else {
        status = sl_file_append(writer, text, bytes, error);
        if (status == SL_OK)
            status = sl_file_commit(writer, error);
    }
    free(text);
    return status;
}

enum { O_QUICK, O_JSON, O_SCENE, O_PAPER, O_EXECUTIONS, O_OUTPUT, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_QUICK] = {"quick", 'q', NULL, "fewer sizes and repeats; bars not measured are left out"},
    [O_JSON] = {"json", 'j', "FILE", "also write results and bars as JSON"},
    [O_SCENE] = {"scene", 0, "NAME", "apbf, chebyshev: only that one of its scenes"},
    [O_PAPER] = {"paper", 0, NULL, "apbf: as many steps as the paper, 1000"},
    [O_EXECUTIONS] = {"executions", 0, "N", "apbf: measure N times, 1 to 100 (default: 1)"},
    [O_OUTPUT] = {"output", 'o', "DIR", "apbf: also write a CSV per scene, a row per frame"},
};

/* Options that only benchmarks with scenes take; -1, or an exit code. */
static int read_wish(const BenchKind *kind, const CliInput *input, Bench *bench)
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
    const char *json = input->value[O_JSON];
    Bench *bench = calloc(1, sizeof *bench);
    Bar *bars = calloc(BENCH_MAX_RESULTS, sizeof *bars);
    Machine machine[2];
    SlError error = {SL_OK, ""};
    if (bench == NULL || bars == NULL) {
        free(bench);
        free(bars);
        return EXIT_MEMORY;
    }
    bench->name = kind->name;
    bench->threads = 2;
    int code = read_wish(kind, input, bench);
    if (code >= 0) {
        free(bench);
        free(bars);
        return code;
    }
    /* Opened first: minutes of measuring are not spent on a file that cannot be written. */
    SlFileLayer layer = sl_file_layer_real();
    SlFileWriter writer;
    if (json != NULL && sl_file_begin(&layer, json, &writer, &error) != SL_OK) {
        free(bench);
        free(bars);
        return cli_fail(&error);
    }
    printf("%s: %s\n", kind->name, kind->summary);
    SlStatus status = measure_machine(bench->threads, &machine[0], &error);
    if (status == SL_OK)
        status = kind->run(bench, &error);
    if (status == SL_OK)
        status = measure_machine(bench->threads, &machine[1], &error);
    code = status == SL_OK ? EXIT_DONE : cli_fail(&error);
    long count = -1;
    if (status == SL_OK) {
        double factor = 0.5 * (machine[0].gflops + machine[1].gflops) / reference_gflops;
        factor = fmin(fmax(factor, 0.8), 1.25);
        count = judge(bench, factor, bars);
        printf("bars (times scaled by %.3f where the bar says so):\n", factor);
        for (long k = 0; k < count; k++) {
            printf("  %-44s %10.4g %s %g  %s\n", bars[k].name, bars[k].value,
                   bars[k].more ? ">=" : "<=", bars[k].limit, bars[k].ok ? "ok" : "MISSED");
            if (!bars[k].ok)
                code = EXIT_MISSED;
        }
        if (count < 0)
            code = EXIT_FILES;
        if (json != NULL && count >= 0 &&
            write_json(&writer, bench, machine, factor, bars, count, &error) != SL_OK)
            code = cli_fail(&error);
    }
    if (json != NULL && count < 0)
        sl_file_abandon(&writer);
    free(bench);
    free(bars);
    return code;
}

static int bench(int count, char **words)
{
    CliInput input;
    int code = cli_parse(&cli_bench_command, count, words, &input);
    if (code >= 0)
        return code;
    if (input.word_count == 0) {
        for (int k = 0; k < KINDS; k++)
            printf("%-10s %s\n", kinds[k]->name, kinds[k]->summary);
        return EXIT_DONE;
    }
    const char *names[KINDS];
    for (int k = 0; k < KINDS; k++) {
        names[k] = kinds[k]->name;
        if (strcmp(input.words[0], kinds[k]->name) == 0)
            return run_bench(kinds[k], &input);
    }
    const char *near = sl_nearest_name(input.words[0], names, KINDS);
    return cli_usage_error("bench", "there is no benchmark \"%.40s\"%s%s%s", input.words[0],
                           near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                           near != NULL ? "\"?" : "");
}

const CliCommand cli_bench_command = {
    .name = "bench",
    .arguments = "[NAME] [options]",
    .summary = "measure this machine and Sleet on it, against the bars in bench/limits.csv",
    .examples = "  sleet bench\n  sleet bench passes --quick\n  sleet bench passes --json p.json\n"
                "  sleet bench apbf --scene dam -o out/apbf\n"
                "  sleet bench apbf --paper --executions 3\n",
    .options = options,
    .option_count = O_COUNT,
    .run = bench,
};
