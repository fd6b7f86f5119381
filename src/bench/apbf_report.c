/* What bench apbf says of a scene: Table 1's columns beside ours, what caps the gain, density,
   energy and momentum; and the same frame by frame as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/apbf.h"
#include "core/error.h"
#include "core/file.h"

double apbf_loop_ms(const ApbfSample *sample)
{
    return sample->loop_ms;
}
double apbf_whole_ms(const ApbfSample *sample)
{
    return sample->whole_ms;
}
static double fixed_ms(const ApbfSample *sample)
{
    return sample->whole_ms - sample->loop_ms;
}

double apbf_median(const ApbfRun *run, const ApbfRun *over, ApbfValue value)
{
    double *values = malloc(run->count * sizeof *values);
    if (values == NULL)
        return NAN;
    for (size_t f = 0; f < run->count; f++)
        values[f] = value(&run->sample[f]) / (over != NULL ? value(&over->sample[f]) : 1);
    double result = bench_median(values, run->count);
    free(values);
    return result;
}

/* Levels, densities and energies are the same in every execution: the first counts. */
static double mean_level(const ApbfMeasure *m, const ApbfRun *run)
{
    double sum = 0;
    for (size_t f = 0; f < m->frames; f++)
        sum += run->sample[f].level;
    return sum / (double)m->frames;
}

static double deviation_percent(const ApbfMeasure *m, ApbfKind kind, size_t frame)
{
    return 100 * (m->run[kind].sample[frame].density / m->run[APBF_MAX].sample[frame].density - 1);
}

static double released_energy(const ApbfMeasure *m)
{
    return m->developed.first_potential - m->run[APBF_MAX].potential_min;
}

double apbf_iteration_ns(const ApbfMeasure *m)
{
    return 1e6 * apbf_median(&m->run[APBF_MAX], NULL, apbf_loop_ms) /
           ((double)m->particles * m->steps * m->scene->max_iterations);
}

static double pass_ns(const ApbfSample *sample)
{
    return sample->pass_ns;
}

/* The loop at the highest level against bench passes, frame beside sample. */
static void report_passes(Bench *bench, const ApbfMeasure *m)
{
    const ApbfRun *full = &m->run[APBF_MAX];
    double *ratios = malloc(full->count * sizeof *ratios), per_particle = 1e6;
    per_particle /= (double)m->particles * m->steps * m->scene->max_iterations;
    for (size_t f = 0; ratios != NULL && f < full->count; f++)
        ratios[f] = full->sample[f].loop_ms * per_particle / full->sample[f].pass_ns;
    bench_report(bench, apbf_median(full, NULL, pass_ns), "ns", "%s.passes_ns", m->scene->name);
    bench_report(bench, ratios != NULL ? bench_median(ratios, full->count) : NAN, "times",
                 "%s.iteration_over_passes", m->scene->name);
    free(ratios);
}

static void report_gain(Bench *bench, const ApbfMeasure *m, ApbfKind kind)
{
    const char *scene = m->scene->name, *name = apbf_kind_names[kind];
    const ApbfRun *full = &m->run[APBF_MAX], *run = &m->run[kind];
    double fixed = apbf_median(full, NULL, fixed_ms);
    double per_iteration = apbf_median(full, NULL, apbf_loop_ms) / m->scene->max_iterations;
    double bound = (fixed + m->scene->max_iterations * per_iteration) /
                       (fixed + mean_level(m, run) * per_iteration) - 1;
    bench_report(bench, 100 * (apbf_median(full, run, apbf_loop_ms) - 1), "%", "%s.%s.loop_gain_percent",
                 scene, name);
    bench_report(bench, 100 * (apbf_median(full, run, apbf_whole_ms) - 1), "%", "%s.%s.whole_gain_percent",
                 scene, name);
    bench_report(bench, 100 * bound, "%", "%s.%s.gain_bound_percent", scene, name);
    bench_report(bench,
                 100.0 * m->scene->gtx680_ms[APBF_MAX] / m->scene->gtx680_ms[kind] - 100, "%",
                 "%s.%s.paper_gtx680_gain_percent", scene, name);
    bench_report(bench,
                 100.0 * m->scene->hd7850_ms[APBF_MAX] / m->scene->hd7850_ms[kind] - 100, "%",
                 "%s.%s.paper_hd7850_gain_percent", scene, name);
}

static void report_quality(Bench *bench, const ApbfMeasure *m, ApbfKind kind)
{
    const char *scene = m->scene->name, *name = apbf_kind_names[kind];
    const ApbfRun *run = &m->run[kind];
    double off = 0, p99 = 0, percent = 100 / released_energy(m);
    for (size_t f = 0; f < m->frames; f++) {
        off = fmax(off, fabs(deviation_percent(m, kind, f)));
        p99 = fmax(p99, run->sample[f].density_p99);
    }
    double rise = percent * run->energy_rise, usual = percent * m->run[APBF_MAX].energy_rise;
    if (kind != APBF_MAX)
        bench_report(bench, off, "%", "%s.%s.density_off_percent", scene, name);
    bench_report(bench, p99, "", "%s.%s.density_p99", scene, name);
    bench_report(bench, rise, "%", "%s.%s.energy_rise_percent", scene, name);
    if (kind == APBF_DTC || kind == APBF_DTVS)
        bench_report(bench, rise - 1.1 * usual, "%", "%s.%s.energy_over_percent", scene, name);
    bench_report(bench, 100 * run->drift, "%", "%s.%s.momentum_drift_percent", scene, name);
    if (run->hits > 0) {
        bench_report(bench, (double)run->hits, "", "%s.%s.first_hits", scene, name);
        bench_report(bench, (double)run->low_hits, "", "%s.%s.first_hits_low", scene, name);
    }
}

static void report_kind(Bench *bench, const ApbfMeasure *m, ApbfKind kind)
{
    const char *scene = m->scene->name, *name = apbf_kind_names[kind];
    const ApbfRun *run = &m->run[kind];
    double level = mean_level(m, run), loop = apbf_median(run, NULL, apbf_loop_ms);
    bench_report(bench, apbf_median(run, NULL, apbf_whole_ms), "ms", "%s.%s.frame_ms", scene, name);
    bench_report(bench, m->scene->gtx680_ms[kind], "ms", "%s.%s.paper_gtx680_ms", scene, name);
    bench_report(bench, m->scene->hd7850_ms[kind], "ms", "%s.%s.paper_hd7850_ms", scene, name);
    bench_report(bench, level, "", "%s.%s.mean_level", scene, name);
    bench_report(bench, apbf_median(run, NULL, fixed_ms), "ms", "%s.%s.fixed_ms", scene, name);
    bench_report(bench, loop / level, "ms", "%s.%s.per_iteration_ms", scene, name);
    if (kind == APBF_MAX)
        bench_report(bench, apbf_iteration_ns(m), "ns", "%s.%s.iteration_ns", scene, name);
    if (kind == APBF_DTC || kind == APBF_DTVS)
        report_gain(bench, m, kind);
    report_quality(bench, m, kind);
}

static double mean_compression(const ApbfMeasure *m, ApbfKind kind)
{
    double sum = 0, count = 0;
    for (size_t f = 0; f < m->frames; f++)
        if (m->run[kind].sample[f].compression >= 0) {
            sum += m->run[kind].sample[f].compression;
            count++;
        }
    return sum / count;
}

static void report_realtime(Bench *bench, const ApbfMeasure *m)
{
    const ApbfRun *run = &m->run[APBF_REALTIME];
    double full = mean_compression(m, APBF_MAX), own = mean_compression(m, APBF_REALTIME);
    bench_report(bench, apbf_median(run, NULL, apbf_whole_ms), "ms", "realtime.frame_ms");
    bench_report(bench, apbf_median(run, NULL, apbf_loop_ms), "ms", "realtime.loop_ms");
    bench_report(bench, mean_level(m, run), "", "realtime.mean_level");
    bench_report(bench, 100 * own, "%", "realtime.compression_percent");
    bench_report(bench, 100 * full, "%", "realtime.pbf_max_compression_percent");
    bench_report(bench, own / full, "", "realtime.compression_ratio");
    bench_report(bench, 100 / released_energy(m) * run->energy_rise, "%",
                 "realtime.energy_rise_percent");
}

void apbf_report(Bench *bench, const ApbfMeasure *m)
{
    for (int k = 0; k < APBF_PAPER_KINDS; k++)
        report_kind(bench, m, (ApbfKind)k);
    if (m->passes != NULL)
        report_passes(bench, m);
    if (m->run[APBF_REALTIME].count > 0)
        report_realtime(bench, m);
}

/* --- Frame by frame --- */

static void print_rows(FILE *file, const ApbfMeasure *m)
{
    static const char *const columns[] = {"density", "deviation_percent", "density_p99",
                                          "mean_level", "energy_J", "frame_ms", "loop_ms"};
    fprintf(file, "frame");
    for (int k = 0; k < APBF_KINDS; k++)
        for (size_t c = 0; m->run[k].count > 0 && c < sizeof columns / sizeof *columns; c++)
            fprintf(file, ",%s.%s", apbf_kind_names[k], columns[c]);
    fprintf(file, "\n");
    uint64_t first = sl_world_view(m->developed.world)->frame;
    for (size_t f = 0; f < m->frames; f++) {
        fprintf(file, "%zu", (size_t)first + f + 1);
        for (int k = 0; k < APBF_KINDS; k++) {
            const ApbfSample *s = &m->run[k].sample[f];
            if (m->run[k].count > 0)
                fprintf(file, ",%.7f,%.5f,%.5f,%.4f,%.9g,%.3f,%.3f", s->density,
                        deviation_percent(m, (ApbfKind)k, f), s->density_p99, s->level, s->energy,
                        s->whole_ms, s->loop_ms);
        }
        fprintf(file, "\n");
    }
}

SlStatus apbf_write_csv(const ApbfMeasure *m, const char *folder, SlError *error)
{
    char path[900], *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    SlStatus status;
    snprintf(path, sizeof path, "%.800s/%s.csv", folder, m->scene->name);
    if (file != NULL)
        print_rows(file, m);
    if (file == NULL || fclose(file) != 0) {
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory for %.300s", path);
    } else {
        SlFileLayer layer = sl_file_layer_real();
        status = sl_file_write(&layer, path, text, bytes, error);
    }
    free(text);
    return status;
}
