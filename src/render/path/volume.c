/* Snow volumes: their settings, and how they are made from particles or from a lattice. */
#include "render/path/volume.h"

#include <string.h>

#include "render/path/volume_grid.h"

static const SlParamRow rows[SL_VOLUME_ROW_COUNT] = {SL_VOLUME_ROWS(0)};

/* --- Settings. --- */

/* Ice: density in kg/m³, absorption of red, green and blue in 1/m [Warren 2008], and what the shape of
   grains makes of it. For grains much larger than the wavelength extinction is twice their shadow,
   and absorption in proportion to their volume [Kokhanovsky 2004]:
     σ = 3 ρ / (2 ρ_ice r),   1 - albedo = 2/3 B α r. */
#define ICE_DENSITY 917.0
#define GRAIN_G 0.874f
#define GRAIN_B 1.27f /* spheres */
static const float ice_absorption[3] = {0.52f, 0.069f, 0.04f};

/* The paper's reading; rows that it does not name keep Sleet's value. */
static const struct {
    int row;
    double value[3];
} stomakhin2013[] = {
    {SL_VOLUME_ROW_COPIES, {1}},
    {SL_VOLUME_ROW_JITTER, {0}},
    {SL_VOLUME_ROW_KERNEL, {SL_VOLUME_SIMULATION}},
    {SL_VOLUME_ROW_CELL, {0.75}},
    {SL_VOLUME_ROW_EXTINCTION, {724}},
    {SL_VOLUME_ROW_ALBEDO, {0.9, 0.95, 1}},
    {SL_VOLUME_ROW_G, {0.5}},
    {SL_VOLUME_ROW_EDGE_START, {0}},
    {SL_VOLUME_ROW_EDGE_END, {0}},
    {SL_VOLUME_ROW_POWDER, {0}},
    {SL_VOLUME_ROW_BODY, {0}},
    {SL_VOLUME_ROW_CRUMBS, {0}},
    {SL_VOLUME_ROW_GRAIN, {0}},
    {SL_VOLUME_ROW_GLINTS, {0}},
    {SL_VOLUME_ROW_SIMILARITY, {0}},
};

static bool changed(const SlParamValue *value, const SlParamRow *row)
{
    return value->number[0] != row->value.number[0] || value->number[1] != row->value.number[1] ||
           value->number[2] != row->value.number[2];
}

SlVolumeSettings sl_volume_settings(const SlParamValue *given)
{
    SlParamValue v[SL_VOLUME_ROW_COUNT];
    memcpy(v, given, sizeof v);
    if (v[SL_VOLUME_ROW_PRESET].number[0] != 0)
        for (size_t k = 0; k < sizeof stomakhin2013 / sizeof *stomakhin2013; k++) {
            int row = stomakhin2013[k].row;
            if (!changed(&given[row], &rows[row]))
                memcpy(v[row].number, stomakhin2013[k].value, sizeof v[row].number);
        }
    const double *albedo = v[SL_VOLUME_ROW_ALBEDO].number;
#define ROW(name) ((float)v[SL_VOLUME_ROW_##name].number[0])
    SlVolumeSettings s = {
        .copies = (uint32_t)v[SL_VOLUME_ROW_COPIES].number[0],
        .jitter = ROW(JITTER),
        .kernel = (SlVolumeKernel)v[SL_VOLUME_ROW_KERNEL].number[0],
        .kernel_size = ROW(KERNEL_SIZE),
        .cell = ROW(CELL),
        .extinction = ROW(EXTINCTION),
        .albedo = {(float)albedo[0], (float)albedo[1], (float)albedo[2]},
        .g = ROW(G),
        .edge = {ROW(EDGE_START), ROW(EDGE_END)},
        .loose = ROW(LOOSE),
        .powder = ROW(POWDER),
        .body = ROW(BODY),
        .body_size = ROW(BODY_SIZE),
        .crumbs = ROW(CRUMBS),
        .grain = ROW(GRAIN),
        .glints = ROW(GLINTS),
        .similarity = (uint32_t)v[SL_VOLUME_ROW_SIMILARITY].number[0],
        .grain_radius = 0.001f * ROW(GRAIN_RADIUS),
        .supervoxels = v[SL_VOLUME_ROW_SUPERVOXELS].number[0] != 0,
        .floor = -INFINITY,
        .streak_points = 1u << 24, /* 1 GiB */
    };
#undef ROW
    /* The solver's kernel has the width of its cells, 1.5 spacings by default. */
    if (s.kernel == SL_VOLUME_SIMULATION &&
        !changed(&given[SL_VOLUME_ROW_KERNEL_SIZE], &rows[SL_VOLUME_ROW_KERNEL_SIZE]))
        s.kernel_size = 1.5f;
    return s;
}

SlVolumeSettings sl_volume_default_settings(void)
{
    SlParamValue values[SL_VOLUME_ROW_COUNT];
    for (int k = 0; k < SL_VOLUME_ROW_COUNT; k++)
        values[k] = rows[k].value;
    return sl_volume_settings(values);
}

/* --- Making. --- */

/* Extinction, albedo and g of the first and of later scatterings: similarity [Wyman 1989], isotropic
   scattering with σ (1 - g) and 1 - albedo' = (1 - albedo) / (1 - g). */
static void set_optics(SlVolume *volume, double density)
{
    const SlVolumeSettings *s = &volume->settings;
    volume->extinction[0] = s->extinction;
    volume->albedo[0] = s->albedo;
    volume->g[0] = s->g;
    if (s->grain_radius > 0) {
        float absorbed = 2.0f / 3 * GRAIN_B * s->grain_radius;
        volume->extinction[0] = (float)(1.5 * density / (ICE_DENSITY * (double)s->grain_radius));
        volume->albedo[0] = sl_vec3(fmaxf(1 - absorbed * ice_absorption[0], 0),
                                    fmaxf(1 - absorbed * ice_absorption[1], 0),
                                    fmaxf(1 - absorbed * ice_absorption[2], 0));
        volume->g[0] = GRAIN_G;
    }
    float left = 1 - volume->g[0];
    SlVec3 albedo = volume->albedo[0];
    volume->g[1] = 0;
    volume->extinction[1] = volume->extinction[0] * left;
    volume->albedo[1] = sl_vec3(fmaxf(1 - (1 - albedo.x) / left, 0), fmaxf(1 - (1 - albedo.y) / left, 0),
                                fmaxf(1 - (1 - albedo.z) / left, 0));
}

static SlStatus start(SlContext *context, const SlVolumeSettings *settings, float cell,
                      SlVolume **out, SlError *error)
{
    if (settings->copies < 1 || settings->copies > 64 || !(settings->kernel_size > 0) ||
        !(cell > 0) || !isfinite(cell) || !(fabsf(settings->g) < 1) || !(settings->open <= settings->close))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "snow volume: copies %u, kernel %g, cell %g m, g %g; copies are 1 to 64, "
                            "kernel and cell above 0, g between -1 and 1; the shutter closes after it "
                            "opens", settings->copies,
                            (double)settings->kernel_size, (double)cell, (double)settings->g);
    SlVolume *volume = sl_alloc_zero(&context->memory, 1, sizeof *volume);
    if (volume == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a snow volume");
    volume->context = context;
    volume->settings = *settings;
    volume->cell = cell;
    volume->voxel = SL_VOXEL_CELLS * cell;
    volume->per_voxel = 1 / volume->voxel;
    volume->bounds = (SlBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    *out = volume;
    return SL_OK;
}

static SlStatus fill_from_particles(SlVolume *volume, const SlSystemView *system, SlError *error)
{
    SlSnowPoints points;
    SlVoxelValues values;
    SlContext *context = volume->context;
    SlStatus status = sl_volume_points(context, system, &volume->settings, &points, error);
    if (status == SL_OK)
        status = sl_volume_raster(context, &points, &volume->settings, &values, error);
    if (status != SL_OK)
        return status;
    volume->origin = sl_vec3((float)points.origin[0], (float)points.origin[1], (float)points.origin[2]);
    memcpy(volume->size, points.size, sizeof volume->size);
    return sl_volume_pack(volume, &values, error);
}

SlStatus sl_volume_create(SlContext *context, const SlSystemView *system,
                          const SlVolumeSettings *settings, SlVolume **volume, SlError *error)
{
    *volume = NULL;
    SlVolume *made = NULL;
    float spacing = system->spacing > 0 ? sl_volume_spacing(system) : 1;
    SlStatus status = start(context, settings, settings->cell * spacing, &made, error);
    if (status != SL_OK)
        return status;
    double density = 400;
    if (system->particle_count > 0 && sl_view_mass(system, 0) > 0)
        density = (double)sl_view_mass(system, 0) / (double)sl_view_volume(system, 0);
    set_optics(made, density);
    SlArenaMark mark = sl_arena_mark(&context->arena);
    if (system->particle_count > 0)
        status = fill_from_particles(made, system, error);
    sl_arena_release(&context->arena, mark);
    if (status == SL_OK)
        *volume = made;
    else
        sl_volume_destroy(made);
    return status;
}

/* Super-voxels of a lattice, all of them, in order. */
static SlStatus fill_from_lattice(SlVolume *volume, const SlVolumeLattice *lattice, SlError *error)
{
    SlArena *arena = &volume->context->arena;
    size_t count = 1;
    for (int a = 0; a < 3; a++) {
        volume->size[a] = (int32_t)((lattice->count[a] + SL_VOXEL_CELLS - 1) / SL_VOXEL_CELLS);
        count *= (size_t)volume->size[a];
    }
    SlBlockCoord *coords = SL_PUSH(arena, SlBlockCoord, count);
    float *own = sl_arena_push_array(arena, count, SL_VOXEL_OWN * sizeof(float));
    if (count > UINT32_MAX / 4 || coords == NULL || own == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a lattice of %u x %u x %u nodes",
                            lattice->count[0], lattice->count[1], lattice->count[2]);
    size_t v = 0;
    for (int32_t z = 0; z < volume->size[2]; z++)
        for (int32_t y = 0; y < volume->size[1]; y++)
            for (int32_t x = 0; x < volume->size[0]; x++, v++) {
                coords[v] = (SlBlockCoord){x, y, z};
                for (uint32_t n = 0; n < SL_VOXEL_OWN; n++) {
                    uint32_t i = 8 * (uint32_t)x + (n & 7), j = 8 * (uint32_t)y + (n >> 3 & 7);
                    uint32_t k = 8 * (uint32_t)z + (n >> 6);
                    bool inside =
                        i < lattice->count[0] && j < lattice->count[1] && k < lattice->count[2];
                    size_t at = i + (size_t)lattice->count[0] * (j + (size_t)lattice->count[1] * k);
                    own[v * SL_VOXEL_OWN + n] = inside ? lattice->density[at] : 0;
                }
            }
    SlVoxelValues values = {.coords = coords, .count = (uint32_t)count, .own = own};
    return sl_volume_pack(volume, &values, error);
}

SlStatus sl_volume_create_lattice(SlContext *context, const SlVolumeLattice *lattice,
                                  const SlVolumeSettings *settings, SlVolume **volume,
                                  SlError *error)
{
    *volume = NULL;
    SlVolume *made = NULL;
    SlStatus status = start(context, settings, lattice->cell, &made, error);
    if (status != SL_OK)
        return status;
    set_optics(made, 400);
    made->origin = lattice->origin;
    SlArenaMark mark = sl_arena_mark(&context->arena);
    status = fill_from_lattice(made, lattice, error);
    sl_arena_release(&context->arena, mark);
    if (status != SL_OK) {
        sl_volume_destroy(made);
        return status;
    }
    /* The density ends sharply at the outermost nodes. */
    SlVec3 size = {(float)(lattice->count[0] - 1), (float)(lattice->count[1] - 1),
                   (float)(lattice->count[2] - 1)};
    made->bounds = (SlBox){lattice->origin, sl_add(lattice->origin, sl_scale(size, lattice->cell))};
    *volume = made;
    return SL_OK;
}

void sl_volume_destroy(SlVolume *volume)
{
    if (volume == NULL)
        return;
    SlMemory *memory = &volume->context->memory;
    sl_free(memory, volume->nodes, (size_t)volume->voxel_count * SL_VOXEL_STRIDE * sizeof(uint16_t));
    sl_free(memory, volume->maximum, volume->voxel_count * sizeof(float));
    sl_free(memory, volume->blocks, (size_t)volume->voxel_count * SL_BLOCK_TABLE);
    sl_free(memory, volume->velocity, (size_t)volume->voxel_count * 3 * SL_VOXEL_BINS * sizeof(float));
    sl_free(memory, volume->regions, volume->region_count * sizeof *volume->regions);
    sl_free(memory, volume->table, volume->table_size * sizeof *volume->table);
    sl_free(memory, volume->voxels,
            (size_t)volume->region_count * SL_REGION_TABLE * sizeof *volume->voxels);
    sl_free(memory, volume, sizeof *volume);
}

/* --- Asking. --- */

SlBox sl_volume_bounds(const SlVolume *volume)
{
    return volume->bounds;
}

size_t sl_volume_cells(const SlVolume *volume)
{
    return (size_t)volume->voxel_count * SL_VOXEL_OWN;
}

size_t sl_volume_bytes(const SlVolume *volume)
{
    return sizeof *volume + volume->voxel_count * (SL_VOXEL_STRIDE * sizeof(uint16_t) + SL_BLOCK_TABLE + sizeof(float)) +
           (volume->velocity != NULL ? volume->voxel_count * 3 * SL_VOXEL_BINS * sizeof(float) : 0) +
           volume->region_count * (sizeof(SlBlockCoord) + SL_REGION_TABLE * sizeof(uint32_t)) +
           volume->table_size * sizeof(uint32_t);
}

/* Facets of ice: each grain has one, in a random direction, that mirrors the sun where it stands
   half-way between the ray and the sun. */
float sl_volume_glint(const SlVolume *volume, const SlVolumeEvent *event, SlVec3 direction,
                      SlVec3 to_light)
{
    if (volume->settings.glints <= 0 || event->order > 0)
        return 0;
    const float width = 0.002f, strength = 4; /* 1 - cosine of the largest angle; of its phase function */
    SlVec3 p = sl_scale(sl_sub(event->position, volume->origin), 2 / volume->cell);
    uint64_t hash = sl_path_mix((uint64_t)(int64_t)floorf(p.x) * 0x9e3779b97f4a7c15u);
    hash = sl_path_mix(hash ^ (uint64_t)(int64_t)floorf(p.y));
    hash = sl_path_mix(hash ^ (uint64_t)(int64_t)floorf(p.z));
    float z = 2 * (float)(hash & 0xffffff) * 0x1p-24f - 1, turn = (float)(hash >> 40) * 0x1p-24f;
    SlVec3 half = sl_unit(sl_sub(to_light, direction));
    SlVec3 facet = sl_direction_around(sl_vec3(0, 0, 1), z, turn);
    return fabsf(sl_dot(facet, half)) > 1 - width ? strength * volume->settings.glints : 0;
}
