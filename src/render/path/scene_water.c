/* What water brings besides its surface: grains of whitewater, mist around spray, drops of single
   particles, and the tank that a closed domain stands for (scene.h). */
#include <math.h>
#include <string.h>

#include "render/path/scene.h"
#include "spatial/union_find.h"

/* --- Whitewater. --- */

/* Numbers of [0, 1) that belong to a particle and one of its grains. */
static float hashed(uint32_t *h)
{
    *h = (*h ^ *h >> 15) * 0x2c1b3c6du;
    *h = (*h ^ *h >> 12) * 0x297a2d39u;
    return (float)(*h >> 8) * (1 / 16777216.0f);
}

/* A particle of whitewater stands for many drops or bubbles: a larger grain and a cloud of smaller ones
   around it, so that dense foam is continuous and spray has mist. Their places belong to its id. A
   grain is at least as large as `visible` says: whitewater that is finer than the picture would be grey
   mist, and what is seen as white is clumps. */
SlGrain sl_whitewater_grain(uint32_t id, uint32_t part, float radius, float visible)
{
    uint32_t h = id * 0x9e3779b1u ^ (part + 1) * 0x85ebca77u;
    hashed(&h);
    SlGrain grain = {.radius = fmaxf(1.35f * radius, visible * (0.6f + 0.8f * hashed(&h)))};
    if (part == 0)
        return grain;
    radius = fmaxf(radius, 0.5f * visible);
    float z = 2 * hashed(&h) - 1, turn = 2 * SL_PI * hashed(&h), flat = sqrtf(fmaxf(1 - z * z, 0));
    float far = radius * (2 + 7 * hashed(&h)), size = hashed(&h);
    grain.offset = sl_scale(sl_vec3(flat * cosf(turn), z, flat * sinf(turn)), far);
    grain.radius *= 0.3f + 0.7f * size * size;
    return grain;
}

/* --- Mist. --- */

/* Droplets too fine to be followed one by one: a thin volume around spray, in cells of three spacings of
   the water, whose extinction is in proportion to the number of spray particles. */
SlStatus sl_mist_create(SlContext *context, SlArena *arena, const SlSystemView *white, float spacing,
                        float mist, SlVolume **volume, SlError *error)
{
    enum { SPRAY = 0 }; /* of the field "phase" */
    SlFieldView position = sl_view_field(white, "position"), phase = sl_view_field(white, "phase");
    size_t count = 0, all = white->particle_count;
    *volume = NULL;
    if (position.data == NULL || position.type != SL_FIELD_F32X3 || position.count < all ||
        phase.data == NULL || phase.type != SL_FIELD_U32 || phase.count < all || !(spacing > 0))
        return SL_OK;
    SlVec3 *spray = SL_PUSH(arena, SlVec3, all);
    if (spray == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the mist of %zu particles", all);
    for (size_t i = 0; i < all; i++) {
        uint32_t own;
        memcpy(&own, (const char *)phase.data + i * phase.stride, sizeof own);
        memcpy(&spray[count], (const char *)position.data + i * position.stride, sizeof *spray);
        count += own == SPRAY && sl_finite(spray[count]);
    }
    if (count == 0)
        return SL_OK;
    SlFieldView field = {"position", "m", "", SL_FIELD_F32X3, spray, count, sizeof *spray};
    SlSystemView system = {.name = "mist", .solver = white->solver, .particle_count = count,
                           .spacing = 3 * spacing, .fields = &field, .field_count = 1};
    SlVolumeSettings settings = sl_volume_default_settings();
    settings.copies = 2;
    settings.jitter = 0.8f;
    settings.kernel_size = 1;
    settings.cell = 1;
    settings.extinction = 0.03f * mist / system.spacing;
    settings.albedo = sl_vec3(1, 1, 1);
    settings.g = 0.7f;
    settings.edge[0] = settings.edge[1] = 0;
    settings.glints = 0;
    settings.similarity = 0;
    return sl_volume_create(context, &system, &settings, volume, error);
}

/* --- Drops. --- */

/* A closed piece of the surface that is no larger than a particle or two is drawn smaller: the surface
   gives a single particle the size of its spacing, real drops are finer. Larger pieces keep their size,
   with a smooth transition. `positions` (3 each, from the first vertex of the piece) are changed. */
bool sl_shrink_drops(SlArena *arena, float *positions, size_t vertex_count, const uint32_t *triangles,
                     size_t triangle_count, float spacing)
{
    SlArenaMark mark = sl_arena_mark(arena);
    uint32_t *parent = SL_PUSH(arena, uint32_t, vertex_count), *count = SL_PUSH(arena, uint32_t, vertex_count);
    float *box = SL_PUSH(arena, float, 6 * vertex_count);
    if (parent == NULL || count == NULL || box == NULL)
        return false;
    for (size_t v = 0; v < vertex_count; v++) {
        parent[v] = (uint32_t)v;
        count[v] = 0;
    }
    for (size_t t = 0; t < triangle_count; t++) {
        sl_unite(parent, triangles[3 * t], triangles[3 * t + 1]);
        sl_unite(parent, triangles[3 * t], triangles[3 * t + 2]);
    }
    for (size_t v = 0; v < vertex_count; v++) {
        uint32_t root = sl_find_root(parent, (uint32_t)v);
        float *b = box + 6 * (size_t)root;
        const float *p = positions + 3 * v;
        for (int k = 0; k < 3; k++) {
            b[k] = count[root] > 0 ? fminf(b[k], p[k]) : p[k];
            b[3 + k] = count[root] > 0 ? fmaxf(b[3 + k], p[k]) : p[k];
        }
        count[root] = 1;
    }
    for (size_t v = 0; v < vertex_count; v++) {
        const float *b = box + 6 * (size_t)sl_find_root(parent, (uint32_t)v);
        float extent = fmaxf(b[3] - b[0], fmaxf(b[4] - b[1], b[5] - b[2])) / spacing;
        float t = fminf(fmaxf((extent - 1.5f) / 2.5f, 0), 1), scale = 0.42f + 0.58f * t;
        for (int k = 0; k < 3; k++) {
            float middle = 0.5f * (b[k] + b[3 + k]);
            positions[3 * v + k] = middle + scale * (positions[3 * v + k] - middle);
        }
    }
    sl_arena_release(arena, mark);
    return true;
}

/* --- The tank. --- */

static void add_box(SlTank *tank, SlVec3 low, SlVec3 high)
{
    static const uint8_t faces[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                                         {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    uint32_t first = (uint32_t)tank->vertex_count;
    for (uint32_t k = 0; k < 8; k++) {
        SlVec3 p = {k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z};
        memcpy(tank->positions + 3 * tank->vertex_count++, &p, sizeof p);
    }
    for (int f = 0; f < 12; f++, tank->triangle_count++)
        for (int k = 0; k < 3; k++)
            tank->triangles[3 * tank->triangle_count + (size_t)k] = first + faces[f][k];
}

/* Panes around the box, from its walls outwards, the long ones between the ends. They reach a little
   inwards: water there counts as glass, and no film of air is left between them. */
void sl_tank_make(const SlBox *walls, float spacing, SlTank *tank)
{
    SlVec3 a = walls->min, b = walls->max;
    float size = fminf(b.x - a.x, b.z - a.z), thick = 0.005f * size, in = 0.02f * spacing;
    *tank = (SlTank){0};
    add_box(tank, sl_vec3(a.x - thick, a.y, a.z - thick), sl_vec3(a.x + in, b.y, b.z + thick));
    add_box(tank, sl_vec3(b.x - in, a.y, a.z - thick), sl_vec3(b.x + thick, b.y, b.z + thick));
    add_box(tank, sl_vec3(a.x + in, a.y, a.z - thick), sl_vec3(b.x - in, b.y, a.z + in));
    add_box(tank, sl_vec3(a.x + in, a.y, b.z - in), sl_vec3(b.x - in, b.y, b.z + thick));
}
