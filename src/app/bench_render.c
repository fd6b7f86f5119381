/* bench render: a 720p frame of a 216,000-particle dam break by the splat renderer. */
#include <string.h>

#include "app/bench.h"

enum { MOST_REPEATS = 41 };

static SlStatus measure(Bench *bench, SlWorld *world, const char *style, SlError *error)
{
    size_t tables;
    const SlTable *table = sl_renderer_tables(&tables)[0];
    SlParamValue values[64];
    if (table->row_count > 64)
        return SL_ERROR_ARGUMENT;
    for (size_t k = 0; k < table->row_count; k++)
        values[k] = table->rows[k].value;
    const SlParamRow *row = sl_table_find(table, "style");
    SlStatus status = sl_param_set_text(row, style, &values[row - table->rows], error);
    SlRenderer *renderer = NULL;
    if (status == SL_OK)
        status = sl_renderer_create(sl_world_context(world), "splats", values, &renderer, error);
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){26, 10, 22};
    camera.target = (SlVec3){7.5f, 2.5f, 3};
    double ms[MOST_REPEATS];
    size_t rounds = bench->quick ? 7 : 25;
    for (size_t k = 0; status == SL_OK && k < rounds; k++) {
        const SlImage *image;
        status = sl_renderer_draw(renderer, sl_world_view(world), &camera, &image, error);
        ms[k] = sl_renderer_last_ms(renderer);
    }
    if (status == SL_OK)
        bench_report(bench, bench_low(ms, rounds), "ms", "splats_216k.%s_ms", style);
    sl_renderer_destroy(renderer);
    return status;
}

static SlStatus run(Bench *bench, SlError *error)
{
    SlWorld *world = NULL;
    SlStatus status = bench_dam(bench->threads, 60, "cubic", bench->quick ? 24 : 80, &world, error);
    if (status == SL_OK)
        status = measure(bench, world, "opaque", error);
    if (status == SL_OK)
        status = measure(bench, world, "transparent", error);
    sl_world_destroy(world);
    return status;
}

const BenchKind bench_render = {"render", "a 1280 x 720 frame of 216,000 splats, shadows included",
                                run};
