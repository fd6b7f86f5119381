/* Runs a benchmark between two measurements of the machine and compares it with its limits. */
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

/* The machine the limits were set on: 2 threads of multiply-adds. */
static const double reference_gflops = 205;

typedef struct Machine {
    double gflops, gbps;
} Machine;

typedef struct Limit {
    char name[96];
    double value, limit;
    bool more, ok;
} Limit;

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
    sl_program_file("../bench/limits.csv", path, size);
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

/* Reads the limits of this benchmark and judges its results. A limit without a result is missed,
   unless a quick run or one scene left it out. Returns the number of limits, -1 for a bad file. */
static long judge(const Bench *bench, double factor, Limit *limits)
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
        Limit *entry = &limits[count++];
        snprintf(entry->name, sizeof entry->name, "%s", name);
        entry->value = value;
        entry->limit = limit;
        entry->more = more;
        entry->ok = more ? value >= limit : value <= limit;
        if (count == BENCH_MAX_RESULTS)
            break;
    }
    fclose(file);
    return count;
}

static void print_json(FILE *file, const Bench *bench, const Machine machine[2], double factor,
                       const Limit *limits, long limit_count)
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
    fprintf(file, "\n  ],\n  \"limits\": [");
    for (long k = 0; k < limit_count; k++)
        fprintf(file,
                "%s\n    {\"name\": \"%s\", \"value\": %.9g, \"limit\": %.9g, \"better\": \"%s\", "
                "\"ok\": %s}",
                k > 0 ? "," : "", limits[k].name, limits[k].value, limits[k].limit,
                limits[k].more ? "more" : "less", limits[k].ok ? "true" : "false");
    fprintf(file, "\n  ]\n}\n");
}

static SlStatus write_json(SlFileWriter *writer, const Bench *bench, const Machine machine[2],
                           double factor, const Limit *limits, long limit_count, SlError *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (file != NULL)
        print_json(file, bench, machine, factor, limits, limit_count);
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

const BenchKind *const *bench_kinds(size_t *count)
{
    *count = KINDS;
    return kinds;
}

static size_t print_limits(const Limit *limits, long count, double factor)
{
    size_t missed = 0;
    printf("limits (times scaled by %.3f where the limit says so):\n", factor);
    for (long k = 0; k < count; k++) {
        printf("  %-44s %10.4g %s %g  %s\n", limits[k].name, limits[k].value,
               limits[k].more ? ">=" : "<=", limits[k].limit, limits[k].ok ? "ok" : "MISSED");
        missed += !limits[k].ok;
    }
    return missed;
}

static SlStatus measure(const BenchKind *kind, Bench *bench, Machine machine[2], SlError *error)
{
    printf("%s: %s\n", kind->name, kind->summary);
    SlStatus status = measure_machine(bench->threads, &machine[0], error);
    if (status == SL_OK)
        status = kind->run(bench, error);
    if (status == SL_OK)
        status = measure_machine(bench->threads, &machine[1], error);
    return status;
}

SlStatus bench_run(const BenchKind *kind, Bench *bench, const char *json, size_t *missed,
                   SlError *error)
{
    Limit *limits = calloc(BENCH_MAX_RESULTS, sizeof *limits);
    Machine machine[2];
    if (limits == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the limits");
    bench->name = kind->name;
    bench->threads = 2;
    /* Opened first: minutes of measuring are not spent on a file that cannot be written. */
    SlFileLayer layer = sl_file_layer_real();
    SlFileWriter writer;
    SlStatus status = json != NULL ? sl_file_begin(&layer, json, &writer, error) : SL_OK;
    bool opened = json != NULL && status == SL_OK;
    if (status == SL_OK)
        status = measure(kind, bench, machine, error);
    double factor = 1;
    long count = -1;
    if (status == SL_OK) {
        factor = 0.5 * (machine[0].gflops + machine[1].gflops) / reference_gflops;
        factor = fmin(fmax(factor, 0.8), 1.25);
        count = judge(bench, factor, limits);
        if (count < 0)
            status = sl_error_set(error, SL_ERROR_IO, "bench/limits.csv: cannot be read");
        else
            *missed = print_limits(limits, count, factor);
    }
    if (opened && status == SL_OK)
        status = write_json(&writer, bench, machine, factor, limits, count, error);
    else if (opened)
        sl_file_abandon(&writer);
    free(limits);
    return status;
}
