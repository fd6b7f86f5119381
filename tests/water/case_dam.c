/* The dam break of scenes/dam_break.json: energy, front, run-up, rim and wall layer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "water/cases.h"

typedef struct Dam {
    double width, height, depth; /* m, of the domain */
    double offset;               /* m, along x and z */
    double first, max_gain, min; /* J */
    double released, potential;
    /* m: 99.9 % quantile of height of all particles in the last frame (on the scene's own 4 steps of 5
       iterations this gives the 5.4 m that the issue states); of those within d of the far wall, the
       largest of all frames (6.5 m there). */
    double run_up, wall_run_up;
    double hit; /* s: when the front reached the far wall */
    double next_front;
    double compression;
    WaterMean mean_compression;
    bool curve;
    int noted; /* moments for rim and wall layer that are done */
} Dam;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Farthest particle with at least 8 neighbours within 2 d, plus d/2: spray does not count. */
static double front_of(const WaterParticles *p, const WaterGrid *grid, double d)
{
    double front = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->x[i][0] + d / 2 > front && water_grid_count(grid, p->x[i], 2 * d, 9) >= 9)
            front = p->x[i][0] + d / 2;
    return front;
}

/* The 99.9 % quantile of the height of the particles beyond x = `from`. */
static double high_of(const WaterParticles *p, double from)
{
    double *heights = calloc(p->count + 1, sizeof(double)), result = 0;
    size_t count = 0;
    if (heights == NULL)
        abort();
    for (size_t i = 0; i < p->count; i++)
        if (p->x[i][0] > from)
            heights[count++] = p->x[i][1];
    qsort(heights, count, sizeof(double), compare);
    if (count > 0)
        result = heights[(size_t)(0.999 * (double)(count - 1))];
    free(heights);
    return result;
}

/* Mean over columns of width d along z, at x within the range, of the highest particle. Neighbours are
   not counted: a single layer that hangs on the wall is what the rim consists of. */
static double surface_at(const Dam *dam, const WaterParticles *p, const double range[2], double d)
{
    int columns = (int)(dam->depth / d + 0.5), found = 0;
    double *top = calloc((size_t)columns + 1, sizeof(double)), sum = 0;
    if (top == NULL)
        abort();
    for (size_t i = 0; i < p->count; i++) {
        int k = (int)(p->x[i][2] / d);
        if (p->x[i][0] >= range[0] && p->x[i][0] < range[1] && k >= 0 && k < columns)
            top[k] = fmax(top[k], p->x[i][1]);
    }
    for (int k = 0; k < columns; k++) {
        sum += top[k];
        found += top[k] > 0;
    }
    free(top);
    return found > 0 ? sum / found : 0;
}

/* Rim in d, and the vertical speed of the layer within 0.75 d of the back wall over that at 2 to 4
   d, both above half of the local height. */
static void note_back_wall(WaterRun *run, const Dam *dam, const WaterParticles *p)
{
    double d = run->d, time = sl_world_time(run->world);
    double wall = surface_at(dam, p, (double[2]){0, d}, d);
    double beside = surface_at(dam, p, (double[2]){4.5 * d, 5.5 * d}, d);
    double speed[2] = {0, 0}, count[2] = {0, 0};
    for (size_t i = 0; i < p->count; i++) {
        double x = p->x[i][0];
        int k = x < 0.75 * d ? 0 : x >= 2 * d && x < 4 * d ? 1 : -1;
        if (k < 0 || p->x[i][1] < beside / 2)
            continue;
        speed[k] += p->v[i][1];
        count[k]++;
    }
    double layer = speed[0] / fmax(count[0], 1), water = speed[1] / fmax(count[1], 1);
    water_note(run, (wall - beside) / d, "rim_%.4g", time);
    water_note(run, layer / water, "layer_%.4g", time);
    water_note(run, water, "speed_%.4g", time);
}

static void dam_step(WaterRun *run, const SlStepStats *stats)
{
    Dam *dam = run->user;
    double potential = stats->total_energy - stats->kinetic_energy;
    dam->min = fmin(dam->min, stats->total_energy);
    dam->released = fmax(dam->released, dam->potential - potential);
    dam->max_gain = fmax(dam->max_gain, stats->total_energy - dam->min);
    dam->compression = stats->mean_compression;
    water_mean_add(&dam->mean_compression, stats->dt, stats->mean_compression);
}

static WaterParticles dam_particles(WaterRun *run)
{
    const Dam *dam = run->user;
    WaterParticles p = water_particles(run);
    for (size_t i = 0; i < p.count && dam->offset != 0; i++) {
        p.x[i][0] -= dam->offset;
        p.x[i][2] -= dam->offset;
    }
    return p;
}

static void dam_frame(WaterRun *run)
{
    static const double moments[] = {1.25, 1.5, 1.75, 2};
    Dam *dam = run->user;
    double time = sl_world_time(run->world), d = run->d, half = 0.5 / run->fps;
    double scale = sqrt(dam->width / 16); /* times of a smaller dam, by Froude */
    WaterParticles p = dam_particles(run);
    dam->run_up = high_of(&p, -1e30);
    dam->wall_run_up = fmax(dam->wall_run_up, high_of(&p, dam->width - d));
    bool front = dam->hit == 0 && time > dam->next_front - half;
    bool back = dam->noted < 4 && time > moments[dam->noted] * scale - half;
    if (front || back) {
        WaterGrid grid = water_grid_make((const double(*)[3])p.x, p.count, 2 * d);
        double x = front ? front_of(&p, &grid, d) : 0;
        if (front && x > dam->width - 1.5 * d) {
            dam->hit = time;
        } else if (front) {
            if (dam->curve || fabs(time - round(time / 0.2) * 0.2) < half)
                water_note(run, x, "front_%.3g", dam->next_front);
            dam->next_front += 0.1;
        }
        if (back) {
            note_back_wall(run, dam, &p);
            dam->noted++;
        }
        water_grid_free(&grid);
    }
    water_particles_free(&p);
}

void water_case_dam(WaterRun *run)
{
    double size = water_option_text(run, "small", NULL) != NULL ? 0.5 : 1;
    size = water_option(run, "size", size);
    Dam dam = {.width = 16 * size, .height = 8 * size, .depth = 5.2 * size, .next_front = 0.1,
               .offset = water_option(run, "offset", 0),
               .curve = water_option_text(run, "curve", NULL) != NULL};
    float o = (float)dam.offset;
    SlBox domain = {{o, 0, o}, {o + (float)dam.width, (float)dam.height, o + (float)dam.depth}};
    SlVec3 low = {o, 0, o}, high = {o + (float)(6.4 * size), (float)(3.2 * size), domain.max.z};
    run->user = &dam;
    if (!water_open(run, domain, (SlVec3){0, -9.81f, 0}) ||
        !water_block(run, low, high, (SlVec3){0, 0, 0}) || !water_start(run))
        return;
    WaterParticles p = dam_particles(run);
    dam.potential = water_potential(&p, (double)9.81f);
    dam.first = dam.min = dam.potential + water_kinetic(&p);
    water_particles_free(&p);
    run->on_step = dam_step;
    run->on_frame = dam_frame;
    bool good = water_advance(run, water_option(run, "time", 2 * sqrt(size)));
    p = dam_particles(run);
    water_note(run, (water_kinetic(&p) + water_potential(&p, (double)9.81f)) / dam.first, "energy");
    water_particles_free(&p);
    water_note(run, dam.max_gain / dam.first, "gain");
    water_note(run, dam.max_gain / fmax(dam.released, 1e-30), "gain_of_released");
    if (good) {
        water_note(run, dam.run_up / size, "run_up");
        water_note(run, dam.wall_run_up / size, "wall_run_up");
    }
    water_note(run, dam.hit, "hit");
    water_note(run, dam.compression, "compression");
    water_note(run, water_mean_of(&dam.mean_compression), "mean_compression");
}
