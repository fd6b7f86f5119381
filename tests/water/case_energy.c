/* The energy of a scene file at a coarser spacing, with the step and iteration counts left to the
   solver. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "water/cases.h"

typedef struct Energy {
    bool begun;
    double g, mgd;                        /* m/s²; J: m g d of all particles */
    double min, potential, fall, max_speed; /* J; m/s */
    double rise, ratio, excess;           /* J; over the fall so far; over the threshold */
    double rise_time;
} Energy;

/* Threshold: 0.1 % of the largest fall of the potential so far, at least 1e-4 m g d a particle. */
static void note_energy(Energy *e, double kinetic, double potential, double time)
{
    double total = kinetic + potential;
    if (!e->begun) {
        e->begun = true;
        e->min = total;
        e->potential = potential;
    }
    e->min = fmin(e->min, total);
    e->fall = fmax(e->fall, e->potential - potential);
    double rise = total - e->min;
    if (rise > e->rise) {
        e->rise = rise;
        e->rise_time = time;
    }
    if (e->fall > 0)
        e->ratio = fmax(e->ratio, rise / fmax(e->fall, e->mgd));
    e->excess = fmax(e->excess, rise / fmax(1e-3 * e->fall, 1e-4 * e->mgd));
}

/* From 0.1 s on a second account, without the kick of the start. */
static void energy_step(WaterRun *run, const SlStepStats *stats)
{
    Energy *e = run->user, *late = e + 1;
    double potential = stats->total_energy - stats->kinetic_energy;
    note_energy(e, stats->kinetic_energy, potential, stats->time);
    if (stats->time > 0.1)
        note_energy(late, stats->kinetic_energy, potential, stats->time);
    e->max_speed = fmax(e->max_speed, stats->max_speed);
}

static bool energy_on_step(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    WaterRun *run = user;
    run->steps++;
    energy_step(run, stats);
    return true;
}

/* --- the scene's parameters, changed -------------------------------------------------------- */

/* The end of a JSON value that begins at `text`. */
static const char *value_end(const char *text)
{
    int depth = 0;
    bool quoted = false;
    for (; *text != 0; text++) {
        if (quoted) {
            if (*text == '\\' && text[1] != 0)
                text++;
            else if (*text == '"')
                quoted = false;
            continue;
        }
        if (*text == '"')
            quoted = true;
        else if (*text == '{' || *text == '[')
            depth++;
        else if ((*text == '}' || *text == ']') && depth-- == 0)
            return text;
        else if (*text == ',' && depth == 0)
            return text;
    }
    return text;
}

static bool listed(const char *list, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, key, length) == 0 && (at[length] == ',' || at[length] == 0))
            return true;
    }
    return false;
}

/* A preset of another solver is none of this one's. */
static bool takes(const SlTable *table, const char *key, const char *value)
{
    const SlParamRow *row = table != NULL ? sl_table_find(table, key) : NULL;
    char name[64] = "";
    if (row == NULL || strcmp(key, "preset") != 0)
        return row != NULL;
    sscanf(value, " \"%63[^\"]", name);
    return strstr(row->choices, name) != NULL;
}

/* Copies the object of parameters without those dropped or unknown to the solver, the spacing
   multiplied; adds those of the request. */
static void change_parameters(const WaterRun *run, const char *object, char *out, size_t size)
{
    size_t count;
    const SlTable *const *tables = sl_solver_tables(&count);
    const SlTable *table = sl_table_named(tables, count, run->solver);
    const char *drop = water_option_text(run, "drop", "steps,iterations,max_iterations,step_control");
    double factor = water_option(run, "factor", 2);
    size_t used = (size_t)snprintf(out, size, "{");
    for (const char *at = object + 1; (at = strchr(at, '"')) != NULL;) {
        char key[64];
        const char *close = strchr(at + 1, '"'), *value = strchr(close, ':') + 1;
        const char *end = value_end(value);
        snprintf(key, sizeof key, "%.*s", (int)(close - at - 1), at + 1);
        at = end;
        if (!takes(table, key, value) || listed(drop, key))
            continue;
        if (strcmp(key, "spacing") == 0)
            used += (size_t)snprintf(out + used, size - used, "%s\"spacing\": %.9g",
                                     used > 1 ? ", " : "", factor * atof(value));
        else
            used += (size_t)snprintf(out + used, size - used, "%s\"%s\": %.*s",
                                     used > 1 ? ", " : "", key, (int)(end - value), value);
    }
    for (size_t k = 0; k < run->parameter_count; k++) {
        const char *equals = strchr(run->parameters[k], '=');
        char *rest = NULL;
        if (equals == NULL)
            continue;
        bool number = (strtod(equals + 1, &rest), *rest == 0);
        used += (size_t)snprintf(out + used, size - used, "%s\"%.*s\": %s%s%s",
                                 used > 1 ? ", " : "", (int)(equals - run->parameters[k]),
                                 run->parameters[k], number ? "" : "\"", equals + 1,
                                 number ? "" : "\"");
    }
    snprintf(out + used, size - used, "}");
}

static bool read_scene(WaterRun *run, const char *path, const SlSceneOverride *overrides,
                       size_t count, SlScene **scene)
{
    SlSceneOptions options = sl_default_scene_options();
    options.overrides = overrides;
    options.override_count = count;
    return water_check(run, sl_scene_read(run->context, path, &options, scene, &run->result->error));
}

/* Reads the scene twice: as it is, for its parameters, and with them changed. */
static bool load(WaterRun *run, SlScene **scene)
{
    char path[1024], parameters[2048] = "{}", rate[32];
    const char *folder = getenv("SLEET_SOURCE"), *name = water_option_text(run, "scene", NULL);
    if (name == NULL)
        name = "scenes/dam_break_small.json";
    snprintf(path, sizeof path, "%s%s%s", name[0] != '/' && folder != NULL ? folder : "",
             name[0] != '/' && folder != NULL ? "/" : "", name);
    SlContextDef def = sl_default_context_def();
    def.threads = (uint32_t)water_option(run, "threads", 1);
    SlScene *as_is;
    if (!water_check(run, sl_context_create(&def, &run->context, &run->result->error)) ||
        !read_scene(run, path, NULL, 0, &as_is))
        return false;
    const char *found = strstr(sl_scene_text(as_is), "\"parameters\"");
    const char *solver = strstr(sl_scene_text(as_is), "\"solver\"");
    char own[64] = "pbf";
    if (solver != NULL)
        sscanf(solver, "\"solver\" : \"%63[^\"]\"", own);
    if (solver != NULL && own[0] != 0)
        sscanf(solver, "\"solver\": \"%63[^\"]\"", own);
    static _Thread_local char kept[64];
    snprintf(kept, sizeof kept, "%s", own);
    run->solver = water_option_text(run, "solver", kept);
    if (found != NULL)
        change_parameters(run, strchr(found, '{'), parameters, sizeof parameters);
    sl_scene_destroy(as_is);
    snprintf(rate, sizeof rate, "%.9g", run->fps);
    SlSceneOverride overrides[] = {{"systems[0].parameters", parameters},
                                   {"systems[0].solver", run->solver},
                                   {"time.frame_rate", rate}};
    return read_scene(run, path, overrides, 3, scene);
}

void water_case_energy(WaterRun *run)
{
    SlScene *scene = NULL;
    if (!load(run, &scene))
        return;
    SlWorldDef def = sl_default_world_def();
    def.context = run->context;
    def.on_step = energy_on_step;
    def.on_step_user = run;
    bool built = water_check(run, sl_scene_build(scene, &def, &run->world, &run->result->error));
    sl_scene_destroy(scene);
    if (!built || !water_start(run))
        return;
    run->system = sl_world_system(run->world, 0);
    const SlFrameView *view = sl_world_view(run->world);
    run->d = (double)view->systems[0].spacing;
    Energy both[2] = {{.g = -(double)view->gravity.y}, {0}}, *e = both;
    WaterParticles p = water_particles(run);
    e->mgd = both[1].mgd = p.total_mass * e->g * run->d;
    note_energy(e, water_kinetic(&p), water_potential(&p, e->g), 0);
    water_particles_free(&p);
    run->user = both;
    water_advance(run, water_option(run, "time", 3));
    water_note(run, e->excess, "excess");
    water_note(run, both[1].excess, "late_excess");
    water_note(run, e->ratio, "rise_of_fall");
    water_note(run, e->rise / e->mgd, "rise_mgd");
    water_note(run, e->rise_time, "rise_time");
    water_note(run, e->fall / e->mgd, "fall_mgd");
    water_note(run, e->max_speed, "max_speed");
}
