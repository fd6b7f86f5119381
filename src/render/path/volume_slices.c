/* Snow while the shutter is open (volume.h). The mean density of that time is not what a camera sees: a chunk
   that is opaque at any density would grow by its whole way and keep a hard edge, where it should cover each
   place for a part of the time. So the time is divided, each part has a volume of its own, and a path sees that
   of its time: edges rise over the way of the chunk, shadows and solids included. Within a slice points are
   spread along their way (volume_points.c), so that single crumbs are streaks and not rows of dots.

   Rejected: one volume that is looked up at the place where snow was at the frame's time, by a grid of
   velocities. It needs a velocity where there is no snow yet, and tears where two velocities meet. */
#include "render/path/volume_grid.h"

enum { CHUNK = SL_REDUCE_CHUNK };

/* Spacings that snow moves within a slice: less than the softness of an edge. */
#define SLICE_WAY 0.5f
/* One particle in so many may move further: it is a streak. */
#define FAST_ONES 1000
/* Particles of all slices together: 265 bytes of volume each in a heap of crumbs, 0.6 GiB. */
#define MAX_SLICE_PARTICLES 2400000u

typedef struct Counting {
    SlFieldView velocity;
    float limit;       /* m/s */
    size_t *faster;    /* per chunk */
} Counting;

static void faster_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Counting *c = argument;
    c->faster[chunk] = 0;
    for (size_t i = begin; i < end; i++)
        c->faster[chunk] += sl_length(sl_volume_particle_velocity(&c->velocity, i)) > c->limit;
}

static SlStatus count_slices(SlContext *context, const SlSystemView *system, const SlVolumeSettings *s,
                             uint32_t *count, SlError *error)
{
    Counting c = {.velocity = sl_view_field(system, "velocity")};
    size_t n = system->particle_count, chunks = sl_chunk_count(n, CHUNK);
    float length = s->close - s->open, spacing = sl_volume_spacing(system);
    /* Points of upsampled snow are nearer to each other than its particles. */
    double particles = (double)n * pow((double)(system->spacing / spacing), 3);
    *count = 1;
    if (!(length > 0) || n == 0 || c.velocity.data == NULL || c.velocity.type != SL_FIELD_F32X3 ||
        c.velocity.count < n)
        return SL_OK;
    SlArenaMark mark = sl_arena_mark(&context->arena);
    c.faster = SL_PUSH(&context->arena, size_t, chunks);
    if (c.faster == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the motion of %zu particles", n);
    for (bool enough = false; !enough && *count < SL_VOLUME_SLICES; *count *= enough ? 1 : 2) {
        size_t faster = 0;
        c.limit = SLICE_WAY * spacing * (float)*count / length;
        sl_parallel_for(context->pool, n, CHUNK, faster_chunk, &c);
        for (size_t k = 0; k < chunks; k++)
            faster += c.faster[k];
        enough = faster <= n / FAST_ONES || 2 * *count * particles > MAX_SLICE_PARTICLES;
    }
    sl_arena_release(&context->arena, mark);
    return SL_OK;
}

SlStatus sl_volume_slices_create(SlContext *context, const SlSystemView *system,
                                 const SlVolumeSettings *settings, SlVolumeSlices *slices, SlError *error)
{
    uint32_t count;
    *slices = (SlVolumeSlices){.count = 0};
    SlStatus status = count_slices(context, system, settings, &count, error);
    for (uint32_t k = 0; k < count && status == SL_OK; k++) {
        SlVolumeSettings part = *settings;
        float length = settings->close - settings->open;
        if (count > 1) {
            part.open = settings->open + length * (float)k / (float)count;
            part.close = settings->open + length * (float)(k + 1) / (float)count;
        }
        status = sl_volume_create(context, system, &part, &slices->slice[k], error);
        slices->count += status == SL_OK;
    }
    if (status != SL_OK)
        sl_volume_slices_destroy(slices);
    return status;
}

void sl_volume_slices_destroy(SlVolumeSlices *slices)
{
    for (uint32_t k = 0; k < slices->count; k++)
        sl_volume_destroy(slices->slice[k]);
    slices->count = 0;
}
