#include "solvers/snow/grid.h"

#include <string.h>

#include "math/vec3.h"

/* Nodes lighter than this share of a particle's mass have no velocity: up to 1e-5 nothing is
   lost that shows, and momenta below a float's digits are not divided by masses like them. */
static const float min_mass = 1e-6f;

bool sl_snow_is_light(const SlSnowPass *p, const float *node)
{
    return !(node[3] > min_mass * p->mass);
}

SlVec3 sl_snow_node_place(const SlSnowPass *p, SlBlockCoord c, int k)
{
    float h = p->lattice.cell;
    return sl_vec3(h * (float)(4 * c.x + (k >> 4)), h * (float)(4 * c.y + (k >> 2 & 3)),
                   h * (float)(4 * c.z + (k & 3)));
}

/* Equation (10) with gravity: v* = v + dt (f / m + g). Explicit MLS scattered momentum and impulse
   as one. */
static SlVec3 starred_velocity(const SlSnowPass *p, const float *node, const float *impulse)
{
    float inverse = 1 / node[3];
    SlVec3 v = sl_scale(sl_vec3(node[0], node[1], node[2]), inverse);
    if (impulse != NULL)
        v = sl_add(v, sl_scale(sl_vec3(impulse[0], impulse[1], impulse[2]),
                               inverse * p->impulse_fraction));
    return sl_add(v, sl_scale(p->gravity, p->dt));
}

static float *layer_of(const SlSnowBlocks *blocks, SlSnowLayer layer, size_t block)
{
    return blocks->layer[layer] != NULL ? blocks->layer[layer] + block * SL_SNOW_BLOCK_FLOATS
                                        : NULL;
}

static void update_block(const SlSnowPass *p, size_t block, double *sums)
{
    const SlSnowBlocks *blocks = p->blocks;
    float h = p->lattice.cell;
    float *nodes = blocks->layer[SL_NODES] + block * SL_SNOW_BLOCK_FLOATS;
    float *second = layer_of(blocks, SL_CHANGE, block), *hold = layer_of(blocks, SL_HELD, block);
    SlBlockCoord c = blocks->coords[block];
    SlVec3 middle = sl_add(sl_snow_node_place(p, c, 0), sl_vec3(1.5f * h, 1.5f * h, 1.5f * h));
    SlSnowNear near;
    sl_snow_find_near(&p->contacts, middle, 1.6f * h, &near);
    for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++) {
        float *node = nodes + 4 * k, *other = second != NULL ? second + 4 * k : NULL;
        if (sl_snow_is_light(p, node)) {
            node[0] = node[1] = node[2] = 0;
            if (hold != NULL)
                hold[4 * k + 3] = SL_HELD_ALL;
            if (other != NULL)
                other[0] = other[1] = other[2] = 0;
            continue;
        }
        SlVec3 v = starred_velocity(p, node, other);
        SlSnowHold held = {.held = SL_HELD_FREE};
        if (near.count > 0)
            held = sl_snow_meet_node(&p->contacts, &near, sl_snow_node_place(p, c, k), node[3], &v,
                                     sums);
        if (hold != NULL) {
            memcpy(hold + 4 * k, &held.normal, sizeof held.normal);
            hold[4 * k + 3] = sl_snow_hold_code(&held);
        }
        if (other != NULL) {
            float kept = p->keep / node[3];
            other[0] = v.x - kept * node[0];
            other[1] = v.y - kept * node[1];
            other[2] = v.z - kept * node[2];
        }
        node[0] = v.x;
        node[1] = v.y;
        node[2] = v.z;
    }
}

static void update_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const SlSnowPass *p = *(const SlSnowPass *const *)argument;
    double *sums = sl_snow_sums(p, p->node_forces, chunk);
    if (sums != NULL)
        memset(sums, 0, p->body_count * SL_SNOW_FORCE_LANES * sizeof *sums);
    for (size_t block = begin; block < end; block++)
        update_block(p, block, sums);
}

void sl_snow_update_nodes(const SlSnowPass *pass)
{
    sl_parallel_for(pass->blocks->context->pool, pass->blocks->touched, SL_SNOW_NODE_CHUNK,
                    update_chunk, &pass);
}

/* Layers of equal size: from one to the other, all touched blocks. */
typedef struct Copy {
    const SlSnowBlocks *blocks;
    SlSnowLayer from[2], to[2];
} Copy;

static void copy_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Copy *copy = argument;
    for (int k = 0; k < 2; k++)
        memcpy(copy->blocks->layer[copy->to[k]] + begin * SL_SNOW_BLOCK_FLOATS,
               copy->blocks->layer[copy->from[k]] + begin * SL_SNOW_BLOCK_FLOATS,
               (end - begin) * SL_SNOW_BLOCK_FLOATS * sizeof(float));
}

void sl_snow_keep_nodes(const SlSnowPass *pass)
{
    Copy copy = {pass->blocks, {SL_NODES, SL_CHANGE}, {SL_KEPT_NODES, SL_KEPT_CHANGE}};
    sl_parallel_for(pass->blocks->context->pool, pass->blocks->touched, 16, copy_chunk, &copy);
}

void sl_snow_restore_nodes(const SlSnowPass *pass)
{
    Copy copy = {pass->blocks, {SL_KEPT_NODES, SL_KEPT_CHANGE}, {SL_NODES, SL_CHANGE}};
    sl_parallel_for(pass->blocks->context->pool, pass->blocks->touched, 16, copy_chunk, &copy);
}
