/* Conjugate residuals in the inner product of masses: the operator of equation (9) is symmetric
   only there, and with the Euclidean one iterations rise more than tenfold. Sums are in double, a
   partial per block, folded in order. */
#include "solvers/snow/implicit.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "solvers/snow/grid.h"

/* Below this share of the velocities' norm a residual is rounding. */
static const double rounding = 1e-7;

typedef struct Node {
    float v[4];
} Node;

typedef struct Job {
    const SlSnowPass *pass;
    SlSnowHessian hessian;
    SlSnowLoop frames;
    const uint32_t *blocks;     /* of a colour */
    SlSnowLayer from, to;       /* of an application */
    float alpha, beta;
    double *partials;           /* per touched block and lane */
} Job;

enum { LANES = 2 };

static Node *nodes_of(const Job *j, SlSnowLayer layer, size_t block)
{
    return (Node *)(void *)(j->pass->blocks->layer[layer] + block * SL_SNOW_BLOCK_FLOATS);
}

/* Takes from v what collisions hold: all, or what is along the normal. */
static void project(const Node *held, float v[3])
{
    SlSnowHeld how = sl_snow_held_of(held->v[3]);
    if (how == SL_HELD_ALL) {
        v[0] = v[1] = v[2] = 0;
    } else if (how == SL_HELD_NORMAL) {
        float along = v[0] * held->v[0] + v[1] * held->v[1] + v[2] * held->v[2];
        for (int a = 0; a < 3; a++)
            v[a] -= along * held->v[a];
    }
}

static double mass_dot(const Node *mass, const Node *a, const Node *b)
{
    return (double)mass->v[3] * ((double)a->v[0] * (double)b->v[0] +
                                 (double)a->v[1] * (double)b->v[1] +
                                 (double)a->v[2] * (double)b->v[2]);
}

static void clear_block(const Job *j, size_t b)
{
    memset(nodes_of(j, j->to, b), 0, SL_SNOW_BLOCK_FLOATS * sizeof(float));
}

/* The first residual r = -P M^-1 beta dt² H v*, from the sums in A_RESIDUAL; it is the first
   direction as well. */
static void begin_block(const Job *j, size_t b)
{
    const Node *mass = nodes_of(j, SL_NODES, b), *held = nodes_of(j, SL_HELD, b);
    const Node *sum = nodes_of(j, SL_A_RESIDUAL, b);
    Node *r = nodes_of(j, SL_RESIDUAL, b), *p = nodes_of(j, SL_DIRECTION, b);
    double norm = 0, speed = 0;
    for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++) {
        float inverse = sl_snow_held_of(held[k].v[3]) == SL_HELD_ALL ? 0 : 1 / mass[k].v[3];
        for (int a = 0; a < 3; a++)
            r[k].v[a] = -sum[k].v[a] * inverse;
        project(&held[k], r[k].v);
        r[k].v[3] = 0;
        p[k] = r[k];
        norm += mass_dot(&mass[k], &r[k], &r[k]);
        speed += mass_dot(&mass[k], &mass[k], &mass[k]);
    }
    j->partials[LANES * b] = norm;
    j->partials[LANES * b + 1] = speed;
}

/* A r = r + P M^-1 sums; partials of <r, A r>. */
static void apply_block(const Job *j, size_t b)
{
    const Node *mass = nodes_of(j, SL_NODES, b), *held = nodes_of(j, SL_HELD, b);
    const Node *r = nodes_of(j, SL_RESIDUAL, b);
    Node *out = nodes_of(j, SL_A_RESIDUAL, b);
    double dot = 0;
    for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++) {
        float inverse = sl_snow_held_of(held[k].v[3]) == SL_HELD_ALL ? 0 : 1 / mass[k].v[3];
        for (int a = 0; a < 3; a++)
            out[k].v[a] *= inverse;
        project(&held[k], out[k].v);
        for (int a = 0; a < 3; a++)
            out[k].v[a] += r[k].v[a];
        dot += mass_dot(&mass[k], &r[k], &out[k]);
    }
    j->partials[LANES * b] = dot;
}

/* p = r + beta p, A p = A r + beta A p; partials of <A p, A p>. */
static void direct_block(const Job *j, size_t b)
{
    const Node *mass = nodes_of(j, SL_NODES, b), *r = nodes_of(j, SL_RESIDUAL, b);
    const Node *ar = nodes_of(j, SL_A_RESIDUAL, b);
    Node *p = nodes_of(j, SL_DIRECTION, b), *ap = nodes_of(j, SL_A_DIRECTION, b);
    double dot = 0;
    for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++) {
        for (int a = 0; a < 3; a++) {
            p[k].v[a] = j->beta == 0 ? r[k].v[a] : r[k].v[a] + j->beta * p[k].v[a];
            ap[k].v[a] = j->beta == 0 ? ar[k].v[a] : ar[k].v[a] + j->beta * ap[k].v[a];
        }
        dot += mass_dot(&mass[k], &ap[k], &ap[k]);
    }
    j->partials[LANES * b] = dot;
}

/* v += alpha p, r -= alpha A p, with FLIP the change too; partials of <r, r>. */
static void advance_block(const Job *j, size_t b)
{
    const Node *p = nodes_of(j, SL_DIRECTION, b), *ap = nodes_of(j, SL_A_DIRECTION, b);
    Node *x = nodes_of(j, SL_NODES, b), *r = nodes_of(j, SL_RESIDUAL, b);
    Node *change = j->pass->lattice.cubic ? nodes_of(j, SL_CHANGE, b) : NULL;
    double norm = 0;
    for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++) {
        for (int a = 0; a < 3; a++) {
            float step = j->alpha * p[k].v[a];
            x[k].v[a] += step;
            r[k].v[a] -= j->alpha * ap[k].v[a];
            if (change != NULL)
                change[k].v[a] += step;
        }
        norm += mass_dot(&x[k], &r[k], &r[k]);
    }
    j->partials[LANES * b] = norm;
}

/* What bodies must give so that held nodes keep v' is what the equation lacks there: the part of
   beta dt² H v', in A_RESIDUAL, that is along what they hold. They get the opposite. */
static void react_block(const Job *j, size_t b)
{
    const SlSnowPass *p = j->pass;
    const Node *mass = nodes_of(j, SL_NODES, b), *held = nodes_of(j, SL_HELD, b);
    const Node *sum = nodes_of(j, SL_A_RESIDUAL, b);
    double *sums = sl_snow_sums(p, p->node_forces, b / SL_SNOW_NODE_CHUNK);
    for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++) {
        if (sl_snow_held_of(held[k].v[3]) == SL_HELD_FREE || sl_snow_is_light(p, mass[k].v))
            continue;
        Node free = sum[k];
        project(&held[k], free.v);
        SlVec3 got = {free.v[0] - sum[k].v[0], free.v[1] - sum[k].v[1], free.v[2] - sum[k].v[2]};
        sl_snow_add_impulse(&p->contacts, sl_snow_holder_of(held[k].v[3]),
                            sl_snow_node_place(p, p->blocks->coords[b], k), got, sums);
    }
}

typedef struct Walk {
    const Job *job;
    void (*visit)(const Job *job, size_t block);
} Walk;

static void walk_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Walk *w = argument;
    for (size_t b = begin; b < end; b++)
        w->visit(w->job, b);
}

static void walk_nodes(const Job *j, void (*visit)(const Job *job, size_t block))
{
    const SlSnowBlocks *blocks = j->pass->blocks;
    Walk w = {j, visit};
    sl_parallel_for(blocks->context->pool, blocks->touched, SL_SNOW_NODE_CHUNK, walk_chunk, &w);
}

/* Over all nodes; the sum of the first lane. */
static double over_nodes(const Job *j, void (*visit)(const Job *job, size_t block))
{
    walk_nodes(j, visit);
    return sl_fold_sum(j->partials, j->pass->blocks->touched, LANES, 0);
}

static void hessian_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Job *j = argument;
    for (size_t k = begin; k < end; k++)
        j->hessian(j->pass, j->blocks[k], j->from, j->to);
}

static void frames_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Job *j = argument;
    for (size_t k = begin; k < end; k++)
        j->frames(j->pass, (uint32_t)k);
}

static Job job_of(const SlSnowPass *pass)
{
    const SlSnowKernels *kernels = SL_KERNELS(pass->blocks->context->isa, sl_snow_kernels);
    int transfer = pass->lattice.cubic ? SL_SNOW_FLIP : SL_SNOW_MLS;
    return (Job){.pass = pass,
                 .hessian = kernels->transfer[transfer].hessian,
                 .frames = kernels->principal_frames,
                 .partials = pass->solve_partials};
}

void sl_snow_principal_frames(const SlSnowPass *pass)
{
    Job j = job_of(pass);
    sl_parallel_for(pass->blocks->context->pool, pass->blocks->occupied, 2, frames_chunk, &j);
}

void sl_snow_apply_hessian(const SlSnowPass *pass, SlSnowLayer from, SlSnowLayer to)
{
    const SlSnowBlocks *blocks = pass->blocks;
    Job j = job_of(pass);
    j.from = from;
    j.to = to;
    walk_nodes(&j, clear_block);
    for (int colour = 0; colour < SL_SNOW_COLOURS; colour++) {
        uint32_t first = blocks->colour_start[colour];
        uint32_t count = blocks->colour_start[colour + 1] - first;
        if (count == 0) /* there may be no blocks at all */
            continue;
        j.blocks = blocks->by_colour + first;
        sl_parallel_for(blocks->context->pool, count, 2, hessian_chunk, &j);
    }
}

bool sl_snow_solve(SlSnowSolve *s)
{
    const SlSnowBlocks *blocks = s->pass->blocks;
    Job j = job_of(s->pass);
    s->iterations = 0;
    s->left = 0;
    if (blocks->occupied == 0 || s->pass->implicit == 0)
        return true;
    sl_snow_principal_frames(s->pass);
    sl_snow_apply_hessian(s->pass, SL_NODES, SL_A_RESIDUAL);
    double first = over_nodes(&j, begin_block), norm = first, rho = 0;
    double speed2 = sl_fold_sum(j.partials, blocks->touched, LANES, 1);
    double enough = fmax(s->tolerance * s->tolerance * first, rounding * rounding * speed2);
    while (norm > enough && s->iterations < s->max_iterations) {
        sl_snow_apply_hessian(s->pass, SL_RESIDUAL, SL_A_RESIDUAL);
        double old = rho;
        rho = over_nodes(&j, apply_block);
        j.beta = s->iterations == 0 ? 0 : (float)(rho / old);
        double curve = over_nodes(&j, direct_block);
        j.alpha = (float)(rho / curve);
        if (!isfinite(j.alpha) || !isfinite(j.beta))
            break; /* an exact zero: nothing more to find in this direction */
        norm = over_nodes(&j, advance_block);
        s->iterations++;
    }
    s->left = first > 0 ? sqrt(norm / first) : 0;
    if (norm <= enough && s->pass->node_forces != NULL) {
        sl_snow_apply_hessian(s->pass, SL_NODES, SL_A_RESIDUAL);
        walk_nodes(&j, react_block);
    }
    return norm <= enough;
}
