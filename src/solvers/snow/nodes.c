/* The node update between the two transfers: steps 4 and 5 of [Stomakhin 2013, section 4.1]. */
#include "solvers/snow/nodes.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"

/* Nodes lighter than this fraction of a particle's mass get no velocity: their momentum is below
   the rounding of floats. Results do not change visibly up to 1e-5. */
static const float min_mass = 1e-6f;

bool sl_snow_is_light(const SlSnowPass *p, const float *node)
{
    return !(node[3] > min_mass * p->material.mass);
}

SlVec3 sl_snow_node_position(const SlSnowPass *p, SlBlockCoord c, int k)
{
    float h = p->lattice.cell;
    return sl_vec3(h * (float)(4 * c.x + (k >> 4)), h * (float)(4 * c.y + (k >> 2 & 3)),
                   h * (float)(4 * c.z + (k & 3)));
}

/* --- The surfaces near blocks --- */

static void find_surfaces(const SlSnowPass *p, size_t block, SlSnowNear *near)
{
    float h = p->lattice.cell;
    SlBlockCoord c = p->blocks->coords[block];
    SlVec3 middle = {h * ((float)(4 * c.x) + 1.5f), h * ((float)(4 * c.y) + 1.5f),
                     h * ((float)(4 * c.z) + 1.5f)};
    sl_snow_find_near(&p->contacts, middle, 1.6f * h + p->contacts.node_reach, near);
}

/* All surfaces near a touched block; the first SL_SNOW_SLOTS are those of its slots. */
static void block_surfaces(const SlSnowPass *p, size_t block, SlSnowNear *near)
{
    const SlSnowSlots *slots = &p->slots[block];
    if (slots->count > SL_SNOW_SLOTS) {
        find_surfaces(p, block, near);
        return;
    }
    near->count = slots->count;
    memcpy(near->surfaces, slots->surfaces, sizeof slots->surfaces);
}

static void slots_loop(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlSnowPass *p = data;
    for (size_t block = begin; block < end; block++) {
        SlSnowNear near;
        find_surfaces(p, block, &near);
        SlSnowSlots *slots = &p->slots[block];
        memset(slots, 0, sizeof *slots);
        slots->count = (uint16_t)near.count;
        for (uint32_t k = 0; k < near.count && k < SL_SNOW_SLOTS; k++) {
            slots->surfaces[k] = near.surfaces[k];
            for (int node = 0; p->close != NULL && node < SL_SNOW_BLOCK_NODES; node++)
                sl_snow_nearest(p->blocks, block, k)[node] = INFINITY;
        }
    }
}

void sl_snow_find_surfaces(const SlSnowPass *pass)
{
    const SlSnowBlocks *blocks = pass->blocks;
    sl_loop_run(blocks->context->pool, blocks->touched, SL_SNOW_NODE_CHUNK, slots_loop, pass);
}

/* --- Steps 4 and 5 --- */

/* [Stomakhin 2013 eq. 10] with gravity: v* = v + dt (f / m + g). impulse NULL: it was added to the
   momentum (explicit MLS). */
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
    float *nodes = blocks->layer[SL_NODES] + block * SL_SNOW_BLOCK_FLOATS;
    float *impulses = layer_of(blocks, SL_IMPULSE, block);
    float *contacts = layer_of(blocks, SL_CONTACT, block);
    SlBlockCoord c = blocks->coords[block];
    SlSnowNear near;
    block_surfaces(p, block, &near);
    for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++) {
        float *node = nodes + 4 * k, *impulse = impulses != NULL ? impulses + 4 * k : NULL;
        if (sl_snow_is_light(p, node)) {
            node[0] = node[1] = node[2] = 0;
            if (contacts != NULL)
                contacts[4 * k + 3] = SL_CONTACT_ALL;
            if (impulse != NULL)
                impulse[0] = impulse[1] = impulse[2] = 0;
            continue;
        }
        SlVec3 v = starred_velocity(p, node, impulse);
        SlSnowContact contact = {.kind = SL_CONTACT_NONE};
        if (near.count > 0) {
            SlSnowNode meeting = {.x = sl_snow_node_position(p, c, k), .mass = node[3]};
            for (size_t s = 0; !p->contacts.printed && s < near.count && s < SL_SNOW_SLOTS; s++)
                meeting.nearest[s] = sl_snow_nearest(blocks, block, s)[k];
            contact = sl_snow_meet_node(&p->contacts, &near, &meeting, &v, sums);
        }
        if (contacts != NULL) {
            memcpy(contacts + 4 * k, &contact.normal, sizeof contact.normal);
            contacts[4 * k + 3] = sl_snow_contact_code(&contact);
        }
        if (impulse != NULL) {
            float scale = p->flip_fraction / node[3]; /* node is momentum still */
            impulse[0] = v.x - scale * node[0];
            impulse[1] = v.y - scale * node[1];
            impulse[2] = v.z - scale * node[2];
        }
        node[0] = v.x;
        node[1] = v.y;
        node[2] = v.z;
    }
}

static void update_loop(const void *data, size_t begin, size_t end, size_t chunk)
{
    const SlSnowPass *p = data;
    double *sums = sl_snow_sums(p, p->node_forces, chunk);
    if (sums != NULL)
        memset(sums, 0, p->body_count * SL_SNOW_FORCE_LANES * sizeof *sums);
    for (size_t block = begin; block < end; block++)
        update_block(p, block, sums);
}

void sl_snow_update_nodes(const SlSnowPass *pass)
{
    sl_loop_run(pass->blocks->context->pool, pass->blocks->touched, SL_SNOW_NODE_CHUNK, update_loop,
                pass);
}

/* Copies two layers of all touched blocks to two others. */
typedef struct Copy {
    const SlSnowBlocks *blocks;
    SlSnowLayer from[2], to[2];
} Copy;

static void copy_loop(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Copy *copy = data;
    for (int k = 0; k < 2; k++)
        memcpy(copy->blocks->layer[copy->to[k]] + begin * SL_SNOW_BLOCK_FLOATS,
               copy->blocks->layer[copy->from[k]] + begin * SL_SNOW_BLOCK_FLOATS,
               (end - begin) * SL_SNOW_BLOCK_FLOATS * sizeof(float));
}

void sl_snow_save_nodes(const SlSnowPass *pass)
{
    Copy copy = {pass->blocks, {SL_NODES, SL_IMPULSE}, {SL_SAVED_NODES, SL_SAVED_IMPULSE}};
    sl_loop_run(pass->blocks->context->pool, pass->blocks->touched, 16, copy_loop, &copy);
}

void sl_snow_restore_nodes(const SlSnowPass *pass)
{
    Copy copy = {pass->blocks, {SL_SAVED_NODES, SL_SAVED_IMPULSE}, {SL_NODES, SL_IMPULSE}};
    sl_loop_run(pass->blocks->context->pool, pass->blocks->touched, 16, copy_loop, &copy);
}
