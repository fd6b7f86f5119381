/* Attachment [Bouaziz 2014, section 5]: a particle placed below `attach_below` stays where it was
   placed. C and D select one particle; its projection is the anchor, whatever x is, so the energy
   is attach × spacing / 2 × |x - anchor|². */
#include "solvers/projective/parameters.h"
#include "solvers/projective/projective.h"
#include "solvers/projective/projective_lanes.h"

typedef struct Attachment {
    float kappa;
    uint32_t initial_count; /* particles with lower ids were placed at the start */
    const float *anchor;    /* SL_FAR: the particle is not attached */
} Attachment;

static double kappa(const SlSystem *system, double dt)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    return sl_param(system, SL_PROJECTIVE_PARAM_ATTACH) /
           sl_param(system, SL_FLUID_PARAM_REST_DENSITY) * dt * dt / (d * d);
}

/* The field "anchor" is state: it is saved with a checkpoint. */
static SlStatus start(SlSystem *system, SlError *error)
{
    (void)error;
    SlParticles *particles = &system->particles;
    const float *x = sl_f32x4(particles, SL_F_POSITION);
    float *anchor = sl_f32x4(particles, SL_F_ANCHOR);
    float below = (float)sl_param(system, SL_PROJECTIVE_PARAM_ATTACH_BELOW);
    for (size_t i = 0; i < particles->count; i++)
        for (size_t a = 0; a < 3; a++)
            anchor[4 * i + a] = x[4 * i + 1] < below ? x[4 * i + a] : SL_FAR;
    return SL_OK;
}

static bool prepare(SlSystem *system, SlProjectivePass *pass)
{
    const SlProjectiveState *state = system->state;
    Attachment *c = SL_PUSH(&system->arena, Attachment, 1);
    if (c == NULL)
        return false;
    *c = (Attachment){.kappa = (float)kappa(system, pass->dt),
                      .initial_count = state->initial_count,
                      .anchor = sl_f32x4(&system->particles, SL_F_ANCHOR)};
    pass->constraint_data[SL_CONSTRAINT_ATTACHMENT] = c;
    return true;
}

static void right_side(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectivePass *p = data;
    const Attachment *c = p->constraint_data[SL_CONSTRAINT_ATTACHMENT];
    for (size_t b = begin; b < end; b++) {
        F8x4 r = f8x4_load(p->residual + 32 * b), xi = f8x4_load(p->projected + 32 * b);
        F8x4 anchor = f8x4_load(c->anchor + 32 * b);
        I8 attached = (anchor.x < f8(0.5f * SL_FAR)) &
                      ((I8)u8_load(p->fluid.particles.id + 8 * b) < (int32_t)c->initial_count);
        F8 weight = f8_keep(attached, f8(c->kappa) * inverse_mass_ratio_of(&p->fluid.particles, b));
        F8x3 right =
            f8x3_fma(weight, (F8x3){anchor.x - xi.x, anchor.y - xi.y, anchor.z - xi.z}, xyz(r));
        f8x4_store(p->residual + 32 * b, (F8x4){right.x, right.y, right.z, r.w + weight});
    }
}

static double energy(const SlSystem *system, const SlProjectivePass *p, const double *x)
{
    (void)system;
    const Attachment *c = p->constraint_data[SL_CONSTRAINT_ATTACHMENT];
    const SlFluidParticles *particles = &p->fluid.particles;
    double sum = 0;
    for (size_t i = 0; i < particles->count; i++)
        for (size_t a = 0; a < 3; a++) {
            double apart = x[3 * i + a] - (double)c->anchor[4 * i + a];
            bool attached = particles->id[i] < c->initial_count &&
                            (double)c->anchor[4 * i] < 0.5 * (double)SL_FAR;
            sum += attached ? apart * apart / 2 : 0;
        }
    return (double)c->kappa * sum;
}

SL_KERNEL_TABLE(SlConstraint, sl_constraint_attachment) = {
    .name = "attachment",
    .summary = "a particle stays where it was placed",
    .citation = "[Bouaziz 2014, section 5]",
    .example = {{"attach", 1e6, NULL}, {"attach_below", 1.1, NULL}},
    .fields = SL_FIELD_BIT(ANCHOR),
    .kappa = kappa,
    .start = start,
    .prepare = prepare,
    .right_side = {right_side, right_side, right_side},
    .energy = energy,
};
