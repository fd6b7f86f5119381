/* The sun's disc, lamps, and the surroundings as a picture that is looked up and sampled (lights.h). */
#include "render/path/lights.h"

#include <math.h>
#include <string.h>

#include "render/path/bsdf.h"
#include "render/path/phase.h"
#include "sleet/render.h"

enum { SKY_WIDTH = 1024, SKY_HEIGHT = 512, MAX_COLUMNS = 512 };

SlSun sl_sun_make(SlVec3 direction, SlVec3 irradiance, float half_angle_degrees)
{
    double half = (double)half_angle_degrees * 3.14159265358979 / 180;
    double lost = 2 * sin(half / 2) * sin(half / 2); /* 1 - cos */
    SlSun sun = {.direction = direction, .irradiance = irradiance};
    sun.cosine = (float)(1 - lost);
    sun.density = (float)(1 / (2 * 3.14159265358979 * lost));
    sun.radiance = sl_scale(irradiance, sun.density);
    return sun;
}

SlVec3 sl_sun_sample(const SlSun *sun, SlPathSampler *sampler)
{
    float u = sl_path_even(sampler), turn = sl_path_even(sampler);
    return sl_unit(sl_direction_around(sun->direction, 1 - u * (1 - sun->cosine), turn));
}

/* --- Lamps. --- */

/* Up to a factor that is the same for all. */
static float lamp_power(const SlLamp *lamp)
{
    return lamp->area * (lamp->light.x + lamp->light.y + lamp->light.z);
}

void sl_lamps_add(SlLamps *lamps, SlVec3 place, SlVec3 target, const float size[2], SlVec3 light)
{
    SlVec3 normal = sl_unit(sl_sub(target, place));
    SlVec3 up = fabsf(normal.y) < 0.9f ? sl_vec3(0, 1, 0) : sl_vec3(1, 0, 0);
    SlVec3 across = sl_unit(sl_cross(up, normal));
    SlVec3 a = sl_scale(across, size[0]), b = sl_scale(sl_cross(normal, across), size[1]);
    SlLamp lamp = {.corner = sl_sub(place, sl_scale(sl_add(a, b), 0.5f)), .side = {a, b},
                   .normal = normal, .light = light, .area = size[0] * size[1]};
    if (!(lamp_power(&lamp) > 0) || lamps->count == SL_MAX_LAMPS)
        return;
    lamps->lamp[lamps->count++] = lamp;
    float sum = 0;
    for (uint32_t k = 0; k < lamps->count; k++)
        sum += lamp_power(&lamps->lamp[k]);
    for (uint32_t k = 0; k < lamps->count; k++)
        lamps->lamp[k].chance = lamp_power(&lamps->lamp[k]) / sum;
}

/* The number that chooses the lamp is stretched and used again, so that points stay even. */
const SlLamp *sl_lamps_sample(const SlLamps *lamps, SlPathSampler *sampler, SlVec3 *point)
{
    float a = sl_path_even(sampler), b = sl_path_even(sampler);
    uint32_t k = 0;
    while (k + 1 < lamps->count && a >= lamps->lamp[k].chance)
        a -= lamps->lamp[k++].chance;
    const SlLamp *lamp = &lamps->lamp[k];
    a = fminf(a / lamp->chance, 0.9999999f);
    *point = sl_add(lamp->corner, sl_add(sl_scale(lamp->side[0], a), sl_scale(lamp->side[1], b)));
    return lamp;
}

float sl_lamp_density(const SlLamp *lamp, SlVec3 in, float t)
{
    float cosine = -sl_dot(lamp->normal, in);
    return cosine > 0 ? lamp->chance * t * t / (cosine * lamp->area) : 0;
}

/* --- Directions and places of the picture. --- */

static void place(SlVec3 d, float *u, float *v)
{
    *u = atan2f(d.z, d.x) * (0.5f / SL_PI);
    *u -= floorf(*u);
    *v = acosf(fminf(fmaxf(d.y, -1), 1)) / SL_PI;
}

static SlVec3 direction_at(float u, float v)
{
    float theta = v * SL_PI, phi = 2 * SL_PI * u, sine = sinf(theta);
    return sl_vec3(sine * cosf(phi), cosf(theta), sine * sinf(phi));
}

static SlVec3 texel(const SlSurroundings *s, uint32_t x, uint32_t y)
{
    const float *p = s->light + 3 * ((size_t)y * s->width + x);
    return sl_vec3(p[0], p[1], p[2]);
}

SlVec3 sl_surroundings_light(const SlSurroundings *s, SlVec3 d)
{
    float u, v;
    if (s->uniform)
        return texel(s, 0, 0);
    place(d, &u, &v);
    float x = u * (float)s->width - 0.5f, y = v * (float)s->height - 0.5f;
    float fx = floorf(x), fy = floorf(y), a = x - fx, b = y - fy;
    uint32_t x0 = (uint32_t)((int)fx + (int)s->width) % s->width, x1 = (x0 + 1) % s->width;
    int last = (int)s->height - 1, iy = (int)fy;
    uint32_t y0 = (uint32_t)(iy < 0 ? 0 : iy > last ? last : iy);
    uint32_t y1 = (uint32_t)(iy + 1 > last ? last : iy + 1);
    SlVec3 top = sl_add(sl_scale(texel(s, x0, y0), 1 - a), sl_scale(texel(s, x1, y0), a));
    SlVec3 low = sl_add(sl_scale(texel(s, x0, y1), 1 - a), sl_scale(texel(s, x1, y1), a));
    return sl_add(sl_scale(top, 1 - b), sl_scale(low, b));
}

/* --- Sampling. --- */

/* The place in a cumulative sum of `count` steps whose last is u of the total; *within is the rest of
   the step, [0, 1). */
static uint32_t find(const float *sum, uint32_t count, float u, float *within)
{
    float at = u * sum[count];
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (sum[middle + 1] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    float step = sum[low + 1] - sum[low];
    *within = step > 0 ? fminf((at - sum[low]) / step, 0.999999f) : 0.5f;
    return low;
}

static float density_at(const SlSurroundings *s, uint32_t x, uint32_t y, float v)
{
    const float *columns = s->column_sum + (size_t)y * (s->columns + 1);
    float row = (s->row_sum[y + 1] - s->row_sum[y]) / s->row_sum[s->rows];
    float column = (columns[x + 1] - columns[x]) / columns[s->columns];
    float sine = fmaxf(sinf(v * SL_PI), 1e-4f);
    return row * column * (float)s->rows * (float)s->columns / (2 * SL_PI * SL_PI * sine);
}

SlVec3 sl_surroundings_sample(const SlSurroundings *s, SlPathSampler *sampler, float *density)
{
    float dx, dy, u1 = sl_path_even(sampler), u2 = sl_path_even(sampler);
    uint32_t y = find(s->row_sum, s->rows, u1, &dy);
    uint32_t x = find(s->column_sum + (size_t)y * (s->columns + 1), s->columns, u2, &dx);
    float v = ((float)y + dy) / (float)s->rows;
    *density = density_at(s, x, y, v);
    return direction_at(((float)x + dx) / (float)s->columns, v);
}

float sl_surroundings_density(const SlSurroundings *s, SlVec3 d)
{
    float u, v;
    place(d, &u, &v);
    uint32_t x = (uint32_t)(u * (float)s->columns), y = (uint32_t)(v * (float)s->rows);
    x = x < s->columns ? x : s->columns - 1;
    y = y < s->rows ? y : s->rows - 1;
    return density_at(s, x, y, v);
}

/* Light of a cell of the coarser picture, a little of the mean added so that no direction is missed. */
static double cell_light(const SlSurroundings *s, uint32_t x, uint32_t y)
{
    uint32_t x0 = (uint32_t)((uint64_t)x * s->width / s->columns);
    uint32_t x1 = (uint32_t)((uint64_t)(x + 1) * s->width / s->columns);
    uint32_t y0 = (uint32_t)((uint64_t)y * s->height / s->rows);
    uint32_t y1 = (uint32_t)((uint64_t)(y + 1) * s->height / s->rows);
    double sum = 0;
    for (uint32_t j = y0; j < y1; j++)
        for (uint32_t i = x0; i < x1; i++)
            sum += (double)sl_luminance(texel(s, i, j));
    return sum / ((double)(x1 - x0) * (y1 - y0));
}

static SlStatus make_sums(SlArena *arena, SlSurroundings *s, SlError *error)
{
    s->columns = s->width < MAX_COLUMNS ? s->width : MAX_COLUMNS;
    s->rows = s->height < MAX_COLUMNS / 2 ? s->height : MAX_COLUMNS / 2;
    s->row_sum = SL_PUSH(arena, float, s->rows + 1);
    s->column_sum = SL_PUSH(arena, float, (size_t)s->rows * (s->columns + 1));
    if (s->row_sum == NULL || s->column_sum == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the sky");
    double mean = 0, weight = 0, max = 0;
    for (uint32_t y = 0; y < s->rows; y++) {
        double sine = sin(((double)y + 0.5) / s->rows * 3.14159265358979);
        float *columns = s->column_sum + (size_t)y * (s->columns + 1);
        for (uint32_t x = 0; x < s->columns; x++) {
            double light = cell_light(s, x, y);
            columns[x + 1] = (float)light;
            mean += light * sine;
            weight += sine;
            max = fmax(max, light);
        }
    }
    mean /= weight;
    s->peaked = max > 12 * mean;
    s->row_sum[0] = 0;
    double rows = 0;
    for (uint32_t y = 0; y < s->rows; y++) {
        double sine = sin(((double)y + 0.5) / s->rows * 3.14159265358979), sum = 0;
        float *columns = s->column_sum + (size_t)y * (s->columns + 1);
        columns[0] = 0;
        for (uint32_t x = 0; x < s->columns; x++) {
            sum += (double)columns[x + 1] + 0.02 * mean + 1e-12;
            columns[x + 1] = (float)sum;
        }
        rows += sum * sine;
        s->row_sum[y + 1] = (float)rows;
    }
    return SL_OK;
}

/* --- Pictures. --- */

typedef struct SkyJob {
    const SlSkySettings *sky;
    SlSurroundings *out;
} SkyJob;

static void sky_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SkyJob *job = argument;
    SlSurroundings *s = job->out;
    for (size_t y = begin; y < end; y++)
        for (uint32_t x = 0; x < s->width; x++) {
            SlVec3 d = direction_at(((float)x + 0.5f) / (float)s->width,
                                    ((float)y + 0.5f) / (float)s->height);
            SlVec3 light = sl_sky_light(job->sky, d);
            memcpy(s->light + 3 * (y * s->width + x), &light, sizeof light);
        }
}

SlStatus sl_surroundings_sky(SlContext *context, SlArena *arena, const SlSkySettings *sky,
                             SlSurroundings *out, SlError *error)
{
    bool uniform = sky->kind == SL_SKY_UNIFORM;
    *out = (SlSurroundings){.width = uniform ? 8 : SKY_WIDTH, .height = uniform ? 4 : SKY_HEIGHT,
                            .uniform = uniform};
    out->light = SL_PUSH(arena, float, 3 * (size_t)out->width * out->height);
    if (out->light == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the sky");
    SkyJob job = {sky, out};
    sl_parallel_for(context->pool, out->height, 4, sky_chunk, &job);
    return make_sums(arena, out, error);
}

SlStatus sl_surroundings_image(SlContext *context, SlArena *arena, const char *path, float scale,
                               SlSurroundings *out, SlError *error)
{
    SlFloatImage image = {0};
    SlStatus status = sl_float_image_read(context, path, &image, error);
    if (status != SL_OK)
        return status;
    size_t count = 3 * (size_t)image.width * image.height;
    *out = (SlSurroundings){.width = image.width, .height = image.height};
    out->light = SL_PUSH(arena, float, count);
    for (size_t k = 0; out->light != NULL && k < count; k++)
        out->light[k] = scale * image.pixels[k];
    sl_float_image_destroy(context, &image);
    if (out->light == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the image %s", path);
    return make_sums(arena, out, error);
}
