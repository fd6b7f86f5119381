/* Diffuse particles move with the water of this frame [Ihmsen 2012 section 3.3]:

     spray     dv/dt = g − k v                          in the air
     foam      dx/dt = ṽ                                on the surface
     bubbles   dv/dt = −b g + k_b (ṽ − v)               in the water

   with ṽ the kernel average of the water's velocity. Only this frame's water is known, while a particle
   comes from the last one: ṽ is taken where the particle will be, and the step is the trapezoidal rule of
   its own velocity and ṽ. It is exact in a uniform flow, however far that goes in a frame; sub-steps and
   one correction where ṽ differs much from the particle's velocity do the rest. To find ṽ is nearly all of
   the cost: particles that move less than a spacing in the frame look for it in every second one, bubbles in
   every third, in turn by their ids, and keep velocity and phase in between.

   What a particle is follows from the water around it: spray below 6 of the 33 neighbours within 2 s that
   a full neighbourhood has; foam up to where six tenths of it are water (20 neighbours), bubbles above. A
   count jumps by a fifth as a particle moves past a lattice of water, so that the second limit is one of
   smooth weights. Near solids as much less is full. */
#include <math.h>
#include <string.h>

#include "filters/whitewater/whitewater_kernels.h"

enum { ADVANCE_CHUNK = 512 };

static const float spray_below = 6 / WHITEWATER_FULL_COUNT; /* of `count` */
static const float foam_up_to = 0.6f;                       /* of `fullness` */
/* Foam floats where half of its neighbourhood is water, less a little: it is seen. */
static const float floating = 0.4f;
/* How fast the lifetime passes: spray only where it lies on a solid, foam as it is. Bubbles that
   nothing lets rise end as well. */
static const float resting_age = 4, bubble_age = 0.2f;
/* The last part of a lifetime (T) in which particles shrink. */
static const float fading = 0.3f;

bool whitewater_push(SlArena *arena, size_t count, Whitewater *p)
{
    /* Numbers change from frame to frame: with room to spare arenas seldom grow. */
    size_t room = (count / 16384 + 1) * 16384;
    *p = (Whitewater){.count = count,
                      .id = SL_PUSH(arena, uint32_t, room),
                      .phase = SL_PUSH(arena, uint32_t, room),
                      .position = SL_PUSH(arena, float, 3 * room),
                      .velocity = SL_PUSH(arena, float, 3 * room),
                      .radius = SL_PUSH(arena, float, room),
                      .lifetime = SL_PUSH(arena, float, room)};
    return p->id != NULL && p->phase != NULL && p->position != NULL && p->velocity != NULL &&
           p->radius != NULL && p->lifetime != NULL;
}

WaterProbe water_probe(SlContext *context, const WaterCloud *cloud, const WaterSolids *solids,
                       const float x[3])
{
    float sums[5];
    WaterProbe probe = {.count = 0};
    SL_KERNELS(context->isa, whitewater_kernels)->probe(cloud, x, sums);
    if (!(sums[1] > 0))
        return probe;
    float open = water_solids_open(solids, x, cloud->radius);
    probe.count = sums[0] / (WHITEWATER_FULL_COUNT * open);
    probe.fullness = sums[1] / (WHITEWATER_FULL_WEIGHT * open);
    for (int k = 0; k < 3; k++)
        probe.velocity[k] = sums[2 + k] / sums[1];
    return probe;
}

WhitewaterPhase whitewater_classify(const WaterProbe *water)
{
    return water->count < spray_below       ? WHITEWATER_SPRAY
           : water->fullness <= foam_up_to ? WHITEWATER_FOAM
                                            : WHITEWATER_BUBBLE;
}

typedef struct Advance {
    SlContext *context;
    const WhitewaterSettings *settings;
    const WaterCloud *cloud;
    const WaterSolids *solids;
    Whitewater *particles;
    float far[2][3]; /* particles beyond these bounds are gone */
} Advance;

/* One particle while it moves. */
typedef struct Mover {
    float x[3], v[3], radius, lifetime;
    WhitewaterPhase phase;
    float size;   /* radius over the mean */
    float period; /* frames from one look at the water to the next */
} Mover;

/* The water where the particle will be when `rest` more seconds have passed after x. */
static WaterProbe look_ahead(const Advance *a, const float x[3], const float v[3], float rest)
{
    float at[3];
    for (int k = 0; k < 3; k++)
        at[k] = x[k] + rest * v[k];
    return water_probe(a->context, a->cloud, a->solids, at);
}

static void place(const Advance *a, Mover *m, const float to[3], float h)
{
    float from[3], end[3];
    memcpy(from, m->x, sizeof from);
    memcpy(end, to, sizeof end);
    bool touched = water_solids_collide(a->solids, from, end, m->v, m->radius);
    memcpy(m->x, end, sizeof end);
    if (m->phase == WHITEWATER_SPRAY)
        m->lifetime -= touched ? resting_age * h : 0;
    else
        m->lifetime -= m->phase == WHITEWATER_FOAM ? h : bubble_age * h;
}

/* Without a look at the water: spray falls, the others keep their velocity. Small drops are slowed more.
   The drag is implicit; without it the path is the parabola. */
static void coast(const Advance *a, Mover *m, float h)
{
    const WhitewaterSettings *s = a->settings;
    float to[3], slow = 1 / (1 + h * s->spray_drag / m->size);
    for (int k = 0; k < 3; k++) {
        float v = m->phase == WHITEWATER_SPRAY ? (m->v[k] + h * s->gravity[k]) * slow : m->v[k];
        to[k] = m->x[k] + 0.5f * h * (m->v[k] + v);
        m->v[k] = v;
    }
    place(a, m, to, h);
}

static void move_spray(const Advance *a, Mover *m, float h, float rest)
{
    coast(a, m, h);
    WaterProbe water = look_ahead(a, m->x, m->v, rest);
    m->phase = whitewater_classify(&water);
    if (m->phase != WHITEWATER_SPRAY)
        memcpy(m->v, water.velocity, sizeof m->v);
}

/* The water around the end of a step that begins at x with v; `to` is that end. */
static WaterProbe carry(const Advance *a, const Mover *m, float h, float rest, float to[3])
{
    for (int k = 0; k < 3; k++)
        to[k] = m->x[k] + h * m->v[k];
    WaterProbe water = look_ahead(a, to, m->v, rest);
    for (int round = 0; round < 2 && water.count > 0; round++) {
        float change = 0;
        for (int k = 0; k < 3; k++) {
            float end = m->x[k] + 0.5f * h * (m->v[k] + water.velocity[k]);
            change = fmaxf(change, fabsf(end - to[k]));
            to[k] = end;
        }
        if (round > 0 || change < 0.25f * a->cloud->spacing)
            break;
        WaterProbe again = look_ahead(a, to, water.velocity, rest);
        if (!(again.count > 0))
            break;
        water = again;
    }
    return water;
}

static void move_foam(const Advance *a, Mover *m, float h, float rest)
{
    const WhitewaterSettings *s = a->settings;
    float to[3];
    WaterProbe water = carry(a, m, h, rest, to);
    m->phase = whitewater_classify(&water);
    if (m->phase == WHITEWATER_SPRAY) { /* the water has left it */
        move_spray(a, m, h, rest);
        return;
    }
    float lift = (water.fullness - floating) * 5;
    lift = s->rise * (lift > 1 ? 1 : lift < -1 ? -1 : lift);
    for (int k = 0; k < 3; k++) {
        to[k] -= h * lift * s->gravity[k] / s->g;
        m->v[k] = water.velocity[k];
    }
    place(a, m, to, h);
}

static void move_bubble(const Advance *a, Mover *m, float h, float rest)
{
    const WhitewaterSettings *s = a->settings;
    float to[3];
    WaterProbe water = carry(a, m, h, rest, to);
    m->phase = whitewater_classify(&water);
    if (m->phase == WHITEWATER_SPRAY) {
        move_spray(a, m, h, rest);
        return;
    }
    /* Large bubbles rise faster; the drag is implicit. */
    float buoyancy = s->buoyancy * sqrtf(m->size), drag = s->bubble_drag;
    float since = h * m->period; /* it coasted since the last look */
    for (int k = 0; k < 3; k++) {
        float v = (m->v[k] + since * (drag * water.velocity[k] - buoyancy * s->gravity[k])) /
                  (1 + since * drag);
        to[k] = m->x[k] + 0.5f * h * (m->v[k] + v);
        m->v[k] = v;
    }
    place(a, m, to, h);
}

static bool is_slow(const Advance *a, const Mover *m)
{
    float speed2 = m->v[0] * m->v[0] + m->v[1] * m->v[1] + m->v[2] * m->v[2];
    float far = a->settings->dt * a->settings->dt * speed2;
    return far < a->cloud->spacing * a->cloud->spacing;
}

static bool is_gone(const Advance *a, const Mover *m)
{
    if (!(m->lifetime > 0))
        return true;
    for (int k = 0; k < 3; k++)
        if (!(m->x[k] >= a->far[0][k] && m->x[k] <= a->far[1][k]) || !isfinite(m->v[k]))
            return true;
    return false;
}

static void advance_particle(const Advance *a, size_t i)
{
    static void (*const moves[])(const Advance *, Mover *, float, float) = {
        [WHITEWATER_SPRAY] = move_spray,
        [WHITEWATER_FOAM] = move_foam,
        [WHITEWATER_BUBBLE] = move_bubble,
    };
    const WhitewaterSettings *s = a->settings;
    Whitewater *p = a->particles;
    Mover m = {.radius = p->radius[i],
               .lifetime = p->lifetime[i],
               .phase = (WhitewaterPhase)p->phase[i],
               .size = p->radius[i] / s->size};
    memcpy(m.x, p->position + 3 * i, sizeof m.x);
    memcpy(m.v, p->velocity + 3 * i, sizeof m.v);
    float h = s->dt / (float)s->steps, before = m.lifetime;
    m.size = m.size > 0.05f ? m.size : 0.05f;
    uint64_t period = !is_slow(a, &m) ? 1 : m.phase == WHITEWATER_BUBBLE ? 3 : 2;
    bool coasts = (p->id[i] + s->frame) % period != 0;
    m.period = (float)period;
    if (coasts)
        coast(a, &m, s->dt);
    for (uint32_t step = 1; !coasts && step <= s->steps; step++)
        moves[m.phase](a, &m, h, (float)(s->steps - step) * h);
    /* The area shrinks with the time left. */
    float fade = fading * s->time;
    if (m.lifetime > 0 && m.lifetime < fade)
        m.radius *= sqrtf(m.lifetime / (before < fade ? before : fade));
    p->phase[i] = is_gone(a, &m) ? WHITEWATER_DEAD : m.phase;
    p->radius[i] = m.radius;
    p->lifetime[i] = m.lifetime;
    memcpy(p->position + 3 * i, m.x, sizeof m.x);
    memcpy(p->velocity + 3 * i, m.v, sizeof m.v);
}

static void advance_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    for (size_t i = begin; i < end; i++)
        advance_particle(argument, i);
}

void whitewater_advance(SlContext *context, const WhitewaterSettings *settings,
                        const WaterCloud *cloud, const WaterSolids *solids, Whitewater *particles)
{
    Advance a = {.context = context, .settings = settings, .cloud = cloud, .solids = solids,
                 .particles = particles};
    /* Spray that an open side let out is gone some depths away from walls and water. */
    const float *min = &solids->domain.min.x, *max = &solids->domain.max.x;
    for (int k = 0; k < 3; k++) {
        float low = isfinite(min[k]) && min[k] < cloud->low[k] ? min[k] : cloud->low[k];
        float high = isfinite(max[k]) && max[k] > cloud->high[k] ? max[k] : cloud->high[k];
        bool known = low <= high; /* else nothing is known of where the scene is */
        a.far[0][k] = known ? low - 10 * settings->depth : -INFINITY;
        a.far[1][k] = known ? high + 10 * settings->depth : INFINITY;
    }
    sl_parallel_for(context->pool, particles->count, ADVANCE_CHUNK, advance_chunk, &a);
}
