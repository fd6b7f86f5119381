#include "run/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static SlStatus cannot_write(const SlRunStats *stats, SlError *error)
{
    return sl_error_set(error, SL_ERROR_IO, "%.300s: cannot be written: %s", stats->path,
                        strerror(errno));
}

SlStatus sl_run_stats_open(SlRunStats *stats, const char *folder, SlError *error)
{
    sl_run_file_path(stats->path, folder, "stats.csv");
    stats->file = fopen(stats->path, "w");
    if (stats->file == NULL)
        return cannot_write(stats, error);
    stats->has_head = false;
    stats->skip = 0;
    return SL_OK;
}

/* Six columns per body, named after it; what would break a CSV file becomes "_". */
static void write_body_head(SlRunStats *stats, const SlBodyForce *body)
{
    static const char *const columns[6] = {"force_x_N",   "force_y_N",   "force_z_N",
                                           "torque_x_Nm", "torque_y_Nm", "torque_z_Nm"};
    char name[64];
    snprintf(name, sizeof name, "%s", body->name);
    for (char *c = name; *c != '\0'; c++)
        if (*c == ',' || *c == '"' || (unsigned char)*c < ' ')
            *c = '_';
    for (int k = 0; k < 6; k++)
        fprintf(stats->file, ",%s.%s", name, columns[k]);
}

/* The columns; which bodies there are is known with the first row. */
static void write_head(SlRunStats *stats, const SlStepStats *s)
{
    stats->has_head = true;
    fprintf(stats->file, "system,step,time_s,dt_s,particles,iterations,mean_iterations,"
                         "inner_iterations,stop,rho");
    for (int k = 0; k < SL_STAGE_COUNT; k++)
        fprintf(stats->file, ",%s_ms", sl_stage_name((SlStage)k));
    fprintf(stats->file, ",mean_compression,max_compression,kinetic_energy_J,total_energy_J,"
                         "max_speed_m_per_s");
    for (size_t k = 0; s != NULL && k < s->body_count; k++)
        write_body_head(stats, &s->bodies[k]);
    fputc('\n', stats->file);
}

bool sl_run_stats_add(SlRunStats *stats, const char *system, const SlStepStats *s)
{
    if (stats->skip > 0) {
        stats->skip--;
        return true;
    }
    if (!stats->has_head)
        write_head(stats, s);
    fprintf(stats->file, "%s,%llu,%.9g,%.9g,%llu,%u,%.4f,%u,%s,%.6g", system,
            (unsigned long long)s->step, s->time, s->dt, (unsigned long long)s->particles, s->iterations,
            s->mean_iterations, s->inner_iterations, sl_stop_name(s->stop), s->rho);
    for (int k = 0; k < SL_STAGE_COUNT; k++)
        fprintf(stats->file, ",%.4f", s->stage_ms[k]);
    fprintf(stats->file, ",%.6g,%.6g,%.9g,%.9g,%.6g", s->mean_compression, s->max_compression,
            s->kinetic_energy, s->total_energy, s->max_speed);
    for (size_t k = 0; k < s->body_count; k++) {
        const SlBodyForce *b = &s->bodies[k];
        fprintf(stats->file, ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g", b->force[0], b->force[1],
                b->force[2], b->torque[0], b->torque[1], b->torque[2]);
    }
    fputc('\n', stats->file);
    return fflush(stats->file) == 0; /* complete rows survive a kill */
}

SlStatus sl_run_stats_close(SlRunStats *stats, SlError *error)
{
    if (stats->file == NULL)
        return SL_OK;
    if (!stats->has_head)
        write_head(stats, NULL);
    bool failed = ferror(stats->file) != 0;
    failed = fclose(stats->file) != 0 || failed;
    stats->file = NULL;
    if (failed)
        return sl_error_set(error, SL_ERROR_IO, "%.300s: could not be written in full",
                            stats->path);
    return SL_OK;
}

SlStatus sl_run_stats_sync(SlRunStats *stats, SlError *error)
{
    if (fflush(stats->file) != 0 || fsync(fileno(stats->file)) != 0)
        return cannot_write(stats, error);
    return SL_OK;
}

/* Steps that the state has done of the system in that row; 0 if no system has that name. */
static uint64_t steps_of(const SlStateView *state, const char *row, size_t name_length)
{
    for (uint32_t s = 0; s < state->system_count; s++) {
        const SlStateItem *name = sl_state_find(state, s, "name");
        if (name->count == name_length && memcmp(name->data, row, name_length) == 0) {
            uint64_t steps;
            memcpy(&steps, sl_state_find(state, s, "steps")->data, sizeof steps);
            return steps;
        }
    }
    return 0;
}

/* Moves the rows to keep to the front of the text; returns their length. *later counts the rows of
   steps after the state's. */
static size_t select_rows(char *text, size_t bytes, const SlStateView *state, bool keep_later,
                          uint64_t *later)
{
    char *line_end = memchr(text, '\n', bytes);
    size_t kept = line_end != NULL ? (size_t)(line_end - text) + 1 : 0, at = kept;
    *later = 0;
    while (at < bytes && (line_end = memchr(text + at, '\n', bytes - at)) != NULL) {
        size_t length = (size_t)(line_end - (text + at)) + 1;
        const char *comma = memchr(text + at, ',', length);
        bool is_later =
            comma == NULL || strtoull(comma + 1, NULL, 10) >
                                 steps_of(state, text + at, (size_t)(comma - (text + at)));
        *later += is_later;
        if (keep_later || !is_later) {
            memmove(text + kept, text + at, length);
            kept += length;
        }
        at += length;
    }
    return kept;
}

SlStatus sl_run_stats_continue(SlRunStats *stats, SlContext *context, const char *folder,
                               const SlStateView *state, bool keep_later, SlError *error)
{
    char *text;
    size_t bytes;
    sl_run_file_path(stats->path, folder, "stats.csv");
    if (access(stats->path, F_OK) != 0)
        return sl_run_stats_open(stats, folder, error);
    SlStatus status =
        sl_file_read(&context->memory, stats->path, (uint64_t)1 << 40, &text, &bytes, error);
    if (status != SL_OK)
        return status;
    uint64_t later;
    size_t kept = select_rows(text, bytes, state, keep_later, &later);
    stats->has_head = kept > 0;
    stats->skip = keep_later ? later : 0;
    if (kept != bytes)
        status = sl_file_write(&context->file_layer, stats->path, text, kept, error);
    sl_free(&context->memory, text, bytes + 1);
    if (status == SL_OK && (stats->file = fopen(stats->path, "a")) == NULL)
        status = cannot_write(stats, error);
    return status;
}
