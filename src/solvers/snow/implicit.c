/* The semi-implicit solve by conjugate residuals [Stomakhin 2013, section 6.1]. The inner product
   is weighted by mass: only there the operator of eq. 9 is symmetric; with the Euclidean one the
   number of iterations rises more than tenfold. Sums are in double, a partial per block, folded in
   order. */
#include "solvers/snow/implicit.h"

#include <math.h>
#include <string.h>

#include "solvers/snow/nodes.h"

/* A residual below this fraction of the velocities' norm is rounding. */
static const double rounding = 1e-7;

typedef struct Node {
    float v[4];
} Node;

typedef struct Job {
    const SlSnowPass *pass;
    SlSnowLayer cleared; /* of clear_block */
    float alpha, beta;
    double *partials; /* [touched block][LANES] */
} Job;

enum { LANES = 2 };

static Node *nodes_of(const Job *j, SlSnowLayer layer, size_t block)
{
    return (Node *)(void *)(j->pass->blocks->layer[layer] + block * SL_SNOW_BLOCK_FLOATS);
}

/* Removes from v what the contact constrains: all, or the component along the normal. */
static void project(const Node *contact, float v[3])
{
    SlSnowContactKind kind = sl_snow_contact_kind(contact->v[3]);
    if (kind == SL_CONTACT_ALL) {
        v[0] = v[1] = v[2] = 0;
    } else if (kind == SL_CONTACT_NORMAL) {
        float along = v[0] * contact->v[0] + v[1] * contact->v[1] + v[2] * contact->v[2];
        for (int a = 0; a < 3; a++)
            v[a] -= along * contact->v[a];
    }
}

static double mass_dot(const Node *mass, const Node *a, const Node *b)
{
    return (double)mass->v[3] *
           ((double)a->v[0] * (double)b->v[0] + (double)a->v[1] * (double)b->v[1] +
            (double)a->v[2] * (double)b->v[2]);
}

static void clear_block(const Job *j, size_t b)
{
    memset(nodes_of(j, j->cleared, b), 0, SL_SNOW_BLOCK_FLOATS * sizeof(float));
}

/* The first residual r = -P M^-1 beta dt² H v*, from the sums in SL_A_RESIDUAL, which is also the
   first direction. P projects onto what contacts leave free. */
static void begin_block(const Job *j, size_t b)
{
    const Node *mass = nodes_of(j, SL_NODES, b), *contact = nodes_of(j, SL_CONTACT, b);
    const Node *sum = nodes_of(j, SL_A_RESIDUAL, b);
    Node *r = nodes_of(j, SL_RESIDUAL, b), *p = nodes_of(j, SL_DIRECTION, b);
    double norm = 0, speed = 0;
    for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++) {
        float inverse = sl_snow_contact_kind(contact[k].v[3]) == SL_CONTACT_ALL ? 0 : 1 / mass[k].v[3];
        for (int a = 0; a < 3; a++)
            r[k].v[a] = -sum[k].v[a] * inverse;
        project(&contact[k], r[k].v);
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
    const Node *mass = nodes_of(j, SL_NODES, b), *contact = nodes_of(j, SL_CONTACT, b);
    const Node *r = nodes_of(j, SL_RESIDUAL, b);
    Node *out = nodes_of(j, SL_A_RESIDUAL, b);
    double dot = 0;
    for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++) {
        float inverse = sl_snow_contact_kind(contact[k].v[3]) == SL_CONTACT_ALL ? 0 : 1 / mass[k].v[3];
        for (int a = 0; a < 3; a++)
            out[k].v[a] *= inverse;
        project(&contact[k], out[k].v);
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

/* v += alpha p, r -= alpha A p, and with FLIP v' - a v too; partials of <r, r>. */
static void advance_block(const Job *j, size_t b)
{
    const Node *p = nodes_of(j, SL_DIRECTION, b), *ap = nodes_of(j, SL_A_DIRECTION, b);
    Node *x = nodes_of(j, SL_NODES, b), *r = nodes_of(j, SL_RESIDUAL, b);
    Node *change = j->pass->lattice.cubic ? nodes_of(j, SL_IMPULSE, b) : NULL;
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

/* The impulse of a body on a node in contact is the constrained part of beta dt² H v', which is in
   SL_A_RESIDUAL. The body gets the opposite. */
static void react_block(const Job *j, size_t b)
{
    const SlSnowPass *p = j->pass;
    const Node *mass = nodes_of(j, SL_NODES, b), *contact = nodes_of(j, SL_CONTACT, b);
    const Node *sum = nodes_of(j, SL_A_RESIDUAL, b);
    double *sums = sl_snow_sums(p, p->node_forces, b / SL_SNOW_NODE_CHUNK);
    for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++) {
        if (sl_snow_contact_kind(contact[k].v[3]) == SL_CONTACT_NONE || sl_snow_is_light(p, mass[k].v))
            continue;
        Node free = sum[k];
        project(&contact[k], free.v);
        SlVec3 got = {free.v[0] - sum[k].v[0], free.v[1] - sum[k].v[1], free.v[2] - sum[k].v[2]};
        sl_snow_add_impulse(&p->contacts, sl_snow_contact_body(contact[k].v[3]),
                            sl_snow_node_position(p, p->blocks->coords[b], k), got, sums);
    }
}

typedef void (*Visit)(const Job *job, size_t block);

typedef struct NodeLoop {
    const Job *job;
    Visit visit;
} NodeLoop;

static void visit_blocks(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const NodeLoop *loop = data;
    for (size_t b = begin; b < end; b++)
        loop->visit(loop->job, b);
}

static void for_touched_blocks(const Job *j, Visit visit)
{
    const SlSnowBlocks *blocks = j->pass->blocks;
    NodeLoop loop = {j, visit};
    sl_loop_run(blocks->context->pool, blocks->touched, SL_SNOW_NODE_CHUNK, visit_blocks, &loop);
}

/* The same, and the sum of the first lane of the partials. */
static double sum_touched_blocks(const Job *j, Visit visit)
{
    for_touched_blocks(j, visit);
    return sl_fold_sum(j->partials, j->pass->blocks->touched, LANES, 0);
}

void sl_snow_principal_frames(const SlSnowPass *pass)
{
    SlContext *context = pass->blocks->context;
    SlSnowBlockLoop loop = {.pass = pass};
    sl_loop_run(context->pool, pass->blocks->occupied, SL_SNOW_BLOCK_CHUNK,
                SL_KERNELS(context->isa, sl_snow_implicit_kernels)->principal_frames, &loop);
}

void sl_snow_apply_hessian(const SlSnowPass *pass, SlSnowLayer from, SlSnowLayer to)
{
    const SlSnowImplicitKernels *kernels =
        SL_KERNELS(pass->blocks->context->isa, sl_snow_implicit_kernels);
    Job j = {.pass = pass, .cleared = to};
    for_touched_blocks(&j, clear_block);
    SlSnowBlockLoop loop = {.pass = pass, .from = from, .to = to};
    int transfer = pass->lattice.cubic ? SL_SNOW_FLIP : SL_SNOW_MLS;
    sl_snow_for_colours(&loop, kernels->apply_hessian[transfer]);
}

bool sl_snow_solve(SlSnowSolve *s)
{
    const SlSnowBlocks *blocks = s->pass->blocks;
    Job j = {.pass = s->pass, .partials = s->pass->solve_partials};
    s->iterations = 0;
    s->residual = 0;
    if (blocks->occupied == 0 || s->pass->implicit == 0)
        return true;
    sl_snow_principal_frames(s->pass);
    sl_snow_apply_hessian(s->pass, SL_NODES, SL_A_RESIDUAL);
    double first = sum_touched_blocks(&j, begin_block), norm = first, rho = 0;
    double speed2 = sl_fold_sum(j.partials, blocks->touched, LANES, 1);
    double target = fmax(s->tolerance * s->tolerance * first, rounding * rounding * speed2);
    while (norm > target && s->iterations < s->max_iterations) {
        sl_snow_apply_hessian(s->pass, SL_RESIDUAL, SL_A_RESIDUAL);
        double old = rho;
        rho = sum_touched_blocks(&j, apply_block);
        j.beta = s->iterations == 0 ? 0 : (float)(rho / old);
        double curvature = sum_touched_blocks(&j, direct_block);
        j.alpha = (float)(rho / curvature);
        if (!isfinite(j.alpha) || !isfinite(j.beta))
            break; /* an exact zero: this direction cannot reduce the residual */
        norm = sum_touched_blocks(&j, advance_block);
        s->iterations++;
    }
    s->residual = first > 0 ? sqrt(norm / first) : 0;
    bool converged = norm <= target;
    if (converged && s->pass->node_forces != NULL) {
        sl_snow_apply_hessian(s->pass, SL_NODES, SL_A_RESIDUAL);
        for_touched_blocks(&j, react_block);
    }
    return converged;
}
