/* What the cases share: requests, worlds, particles, neighbour counts, figures. */
#include "water/cases.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- requests ------------------------------------------------------------------------------- */

static void split_request(WaterRun *run, const char *request)
{
    snprintf(run->text, sizeof run->text, "%s", request);
    bool parameters = false;
    char *rest = NULL;
    for (char *word = strtok_r(run->text, " \t\n", &rest); word != NULL;
         word = strtok_r(NULL, " \t\n", &rest)) {
        if (run->name == NULL)
            run->name = word;
        else if (strcmp(word, "--") == 0)
            parameters = true;
        else if (parameters && run->parameter_count < WATER_MAX_WORDS)
            run->parameters[run->parameter_count++] = word;
        else if (run->option_count < WATER_MAX_WORDS)
            run->options[run->option_count++] = word;
    }
}

const char *water_option_text(const WaterRun *run, const char *name, const char *otherwise)
{
    size_t length = strlen(name);
    for (size_t k = 0; k < run->option_count; k++) {
        const char *word = run->options[k];
        if (strncmp(word, name, length) != 0)
            continue;
        if (word[length] == '=')
            return word + length + 1;
        if (word[length] == 0)
            return "1";
    }
    return otherwise;
}

double water_option(const WaterRun *run, const char *name, double otherwise)
{
    const char *text = water_option_text(run, name, NULL);
    return text != NULL ? atof(text) : otherwise;
}

/* --- figures -------------------------------------------------------------------------------- */

void water_note(WaterRun *run, double value, const char *format, ...)
{
    WaterResult *result = run->result;
    if (result->count == WATER_MAX_FIGURES)
        return;
    WaterFigure *figure = &result->figures[result->count++];
    va_list list;
    va_start(list, format);
    vsnprintf(figure->name, sizeof figure->name, format, list);
    va_end(list);
    figure->value = value;
}

double water_figure(const WaterResult *result, const char *name)
{
    for (size_t k = 0; k < result->count; k++)
        if (strcmp(result->figures[k].name, name) == 0)
            return result->figures[k].value;
    return NAN;
}

void water_print(const WaterResult *result)
{
    for (size_t k = 0; k < result->count; k++)
        printf("%s%s=%.6g", k > 0 ? " " : "", result->figures[k].name, result->figures[k].value);
    if (result->error.status != SL_OK)
        printf(" error=\"%s\"", result->error.text);
    printf("\n");
}

/* --- the run -------------------------------------------------------------------------------- */

bool water_check(WaterRun *run, SlStatus status)
{
    if (status != SL_OK && run->status == SL_OK) {
        run->status = status;
        run->result->error.status = status;
    }
    return run->status == SL_OK;
}

static bool step_done(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    WaterRun *run = user;
    run->steps++;
    run->time = stats->time;
    if (run->on_step != NULL)
        run->on_step(run, stats);
    return true;
}

bool water_has_parameter(const WaterRun *run, const char *name)
{
    SlParamValue value;
    return sl_system_get(run->world, run->system, name, &value, NULL) == SL_OK;
}

bool water_set(WaterRun *run, const char *name, const char *value)
{
    char *end;
    double number = strtod(value, &end);
    if (end != value && *end == 0)
        return water_check(run, sl_system_set_number(run->world, run->system, name, number,
                                                     &run->result->error));
    return water_check(run, sl_system_set_text(run->world, run->system, name, value,
                                               &run->result->error));
}

static bool set_parameters(WaterRun *run)
{
    static const char *const shortcuts[] = {"boundary", "preset"};
    for (size_t k = 0; k < sizeof shortcuts / sizeof shortcuts[0]; k++) {
        const char *value = water_option_text(run, shortcuts[k], NULL);
        if (value != NULL)
            water_set(run, shortcuts[k], value);
    }
    for (size_t k = 0; k < run->parameter_count; k++) {
        char name[64] = "";
        const char *equals = strchr(run->parameters[k], '=');
        if (equals == NULL)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - run->parameters[k]), run->parameters[k]);
        water_set(run, name, equals + 1);
    }
    return run->status == SL_OK;
}

static bool open_context(WaterRun *run)
{
    SlContextDef def = sl_default_context_def();
    def.threads = (uint32_t)water_option(run, "threads", 1);
    return water_check(run, sl_context_create(&def, &run->context, &run->result->error));
}

bool water_open(WaterRun *run, SlBox domain, SlVec3 gravity)
{
    if (!open_context(run))
        return false;
    SlWorldDef def = sl_default_world_def();
    def.context = run->context;
    def.domain = domain;
    def.gravity = gravity;
    def.frame_time = 1 / run->fps;
    def.energy_limit = water_option(run, "energy_limit", def.energy_limit);
    def.on_step = step_done;
    def.on_step_user = run;
    SlError *error = &run->result->error;
    SlSystemDef system = sl_default_system_def(run->solver);
    if (!water_check(run, sl_world_create(&def, &run->world, error)) ||
        !water_check(run, sl_world_add_system(run->world, &system, &run->system, error)) ||
        !water_check(run, sl_system_set_number(run->world, run->system, "spacing", run->d, error)))
        return false;
    return water_set(run, "forces", "all") && set_parameters(run);
}

bool water_block(WaterRun *run, SlVec3 min, SlVec3 max, SlVec3 velocity)
{
    SlBlock block = {.min = min, .max = max, .velocity = velocity};
    return water_check(run, sl_system_add_block(run->world, run->system, &block,
                                                &run->result->error));
}

bool water_start(WaterRun *run)
{
    return run->status == SL_OK &&
           water_check(run, sl_world_start(run->world, &run->result->error));
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool water_advance(WaterRun *run, double time)
{
    while (run->status == SL_OK && sl_world_time(run->world) < time - 0.5 / run->fps) {
        double start = now();
        SlStatus status = sl_world_advance_frame(run->world, &run->result->error);
        run->seconds += now() - start;
        run->frames++;
        if (water_check(run, status) && run->on_frame != NULL)
            run->on_frame(run);
    }
    return run->status == SL_OK;
}

void water_close(WaterRun *run)
{
    if (run->world != NULL && run->frames > 0) {
        water_note(run, sl_world_time(run->world), "time");
        water_note(run, (double)sl_system_particle_count(run->world, run->system), "particles");
        water_note(run, (double)run->steps / (double)run->frames, "steps_per_frame");
        water_note(run, run->seconds, "seconds");
        water_note(run, (double)(sl_world_hash(run->world) >> 32), "hash");
    }
    sl_world_destroy(run->world);
    if (run->context != NULL)
        sl_context_destroy(run->context);
    run->world = NULL;
    run->context = NULL;
    run->steps = run->frames = 0;
    run->seconds = run->time = 0;
}

bool water_run(const char *request, WaterResult *result)
{
    memset(result, 0, sizeof *result);
    WaterRun *run = calloc(1, sizeof *run);
    if (run == NULL)
        abort();
    run->result = result;
    split_request(run, request);
    run->solver = water_option_text(run, "solver", "pbf");
    run->fps = water_option(run, "fps", 60);
    run->d = water_option(run, "d", 0.1);
    const WaterCase *found = water_cases;
    while (found->name != NULL && (run->name == NULL || strcmp(found->name, run->name) != 0))
        found++;
    if (found->name == NULL) {
        result->error.status = SL_ERROR_ARGUMENT;
        snprintf(result->error.text, sizeof result->error.text, "no case '%s'",
                 run->name != NULL ? run->name : "");
    } else {
        found->run(run);
        water_close(run);
    }
    free(run);
    return result->error.status == SL_OK;
}

bool water_runf(WaterResult *result, const char *format, ...)
{
    char request[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(request, sizeof request, format, list);
    va_end(list);
    return water_run(request, result);
}

/* --- particles ------------------------------------------------------------------------------ */

static const void *element(const SlFieldView *field, size_t i)
{
    return (const char *)field->data + i * field->stride;
}

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL)
        abort();
    return memory;
}

WaterParticles water_particles(WaterRun *run)
{
    const SlFrameView *view = sl_world_view(run->world);
    const SlSystemView *system = &view->systems[sl_system_index(run->world, run->system)];
    SlFieldView x = sl_view_field(system, "position"), v = sl_view_field(system, "velocity");
    SlFieldView density = sl_view_field(system, "density_ratio"), id = sl_view_field(system, "id");
    size_t n = system->particle_count;
    WaterParticles p = {.count = n, .x = take(n, sizeof *p.x), .v = take(n, sizeof *p.v),
                        .density = take(n, sizeof(double)), .mass = take(n, sizeof(double)),
                        .id = take(n, sizeof(uint32_t))};
    for (size_t i = 0; i < n; i++) {
        const float *xi = element(&x, i), *vi = element(&v, i);
        for (int k = 0; k < 3; k++) {
            p.x[i][k] = (double)xi[k];
            p.v[i][k] = (double)vi[k];
        }
        p.density[i] = density.data != NULL ? (double)*(const float *)element(&density, i) : 1;
        p.id[i] = id.data != NULL ? *(const uint32_t *)element(&id, i) : (uint32_t)i;
        p.mass[i] = (double)sl_view_mass(system, i);
        p.total_mass += p.mass[i];
    }
    return p;
}

void water_particles_free(WaterParticles *p)
{
    free(p->x);
    free(p->v);
    free(p->density);
    free(p->mass);
    free(p->id);
    *p = (WaterParticles){0};
}

double water_kinetic(const WaterParticles *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++)
        sum += 0.5 * p->mass[i] *
               (p->v[i][0] * p->v[i][0] + p->v[i][1] * p->v[i][1] + p->v[i][2] * p->v[i][2]);
    return sum;
}

double water_potential(const WaterParticles *p, double g)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++)
        sum += p->mass[i] * g * p->x[i][1];
    return sum;
}

double water_force(const SlStepStats *stats, const char *body, int component)
{
    for (size_t k = 0; k < stats->body_count; k++)
        if (stats->bodies[k].name != NULL && strcmp(stats->bodies[k].name, body) == 0)
            return stats->bodies[k].force[component];
    return 0;
}

/* --- neighbours ----------------------------------------------------------------------------- */

static uint32_t hash_cell(const WaterGrid *grid, int64_t i, int64_t j, int64_t k)
{
    uint64_t h = (uint64_t)i * 0x9E3779B97F4A7C15u ^ (uint64_t)j * 0xC2B2AE3D27D4EB4Fu ^
                 (uint64_t)k * 0x165667B19E3779F9u;
    return (uint32_t)(h >> 24) & grid->mask;
}

static int64_t cell_of(const WaterGrid *grid, double x)
{
    return (int64_t)floor(x / grid->cell);
}

WaterGrid water_grid_make(const double (*x)[3], size_t count, double cell)
{
    WaterGrid grid = {.x = x, .cell = cell, .mask = 1023};
    while (grid.mask < 2 * count)
        grid.mask = 2 * grid.mask + 1;
    grid.head = take((size_t)grid.mask + 1, sizeof(uint32_t));
    grid.next = take(count, sizeof(uint32_t));
    memset(grid.head, 0xff, ((size_t)grid.mask + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < count; i++) {
        uint32_t h = hash_cell(&grid, cell_of(&grid, x[i][0]), cell_of(&grid, x[i][1]),
                               cell_of(&grid, x[i][2]));
        grid.next[i] = grid.head[h];
        grid.head[h] = (uint32_t)i;
    }
    return grid;
}

void water_grid_free(WaterGrid *grid)
{
    free(grid->head);
    free(grid->next);
    *grid = (WaterGrid){0};
}

typedef struct Search {
    double r2;
    size_t found, limit;
    uint32_t nearest;
} Search;

/* Two cells may share a bucket: a point counts only from the cell that it is in. */
static void search_cell(const WaterGrid *grid, const double at[3], const int64_t c[3], Search *s)
{
    for (uint32_t j = grid->head[hash_cell(grid, c[0], c[1], c[2])]; j != UINT32_MAX;
         j = grid->next[j]) {
        const double *b = grid->x[j];
        double dx = b[0] - at[0], dy = b[1] - at[1], dz = b[2] - at[2];
        double r2 = dx * dx + dy * dy + dz * dz;
        if (r2 >= s->r2 || cell_of(grid, b[0]) != c[0] || cell_of(grid, b[1]) != c[1] ||
            cell_of(grid, b[2]) != c[2])
            continue;
        s->found++;
        if (s->limit == 0) {
            s->r2 = r2;
            s->nearest = j;
        } else if (s->found == s->limit) {
            return;
        }
    }
}

static Search search(const WaterGrid *grid, const double at[3], double radius, size_t limit)
{
    Search s = {.r2 = radius * radius, .limit = limit, .nearest = UINT32_MAX};
    int64_t low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = cell_of(grid, at[k] - radius);
        high[k] = cell_of(grid, at[k] + radius);
    }
    for (int64_t i = low[0]; i <= high[0]; i++)
        for (int64_t j = low[1]; j <= high[1]; j++)
            for (int64_t k = low[2]; k <= high[2]; k++) {
                search_cell(grid, at, (int64_t[3]){i, j, k}, &s);
                if (limit > 0 && s.found >= limit)
                    return s;
            }
    return s;
}

size_t water_grid_count(const WaterGrid *grid, const double at[3], double radius, size_t limit)
{
    return search(grid, at, radius, limit).found;
}

uint32_t water_grid_nearest(const WaterGrid *grid, const double at[3], double radius)
{
    return search(grid, at, radius, 0).nearest;
}

/* --- means ---------------------------------------------------------------------------------- */

void water_mean_add(WaterMean *mean, double weight, double value)
{
    mean->weight += weight;
    mean->sum += weight * value;
    mean->squares += weight * value * value;
}

double water_mean_of(const WaterMean *mean)
{
    return mean->weight > 0 ? mean->sum / mean->weight : 0;
}

double water_mean_deviation(const WaterMean *mean)
{
    double m = water_mean_of(mean);
    return mean->weight > 0 ? sqrt(fmax(mean->squares / mean->weight - m * m, 0)) : 0;
}
