/* Snow as a volume that scatters light [Stomakhin 2013 §9]: particles are rasterised onto a sparse
   grid of densities, extinction follows the density, and light is followed through it by delta
   tracking [Woodcock 1965] with a majorant for each block of 2 x 2 x 2 cells, in super-voxels of 8 x 8 x 8.

   A path through a volume, `order` the number of scatterings it had before:

     if (sl_volume_scatter(volume, origin, direction, t_max, order, sampler, &event)) {
         throughput *= event.albedo;
         of a light in the unit direction l, for a path that now has order + 1 scatterings:
             transmittance = sl_volume_transmittance(volume, event.position, l, distance, order + 1,
                                                     sampler);
             phase = sl_phase_value(event.g, dot(direction, l)) +
                     sl_volume_glint(volume, &event, direction, l);
             radiance += throughput * light * phase * transmittance;
         origin = event.position;
         direction = sl_phase_sample(event.g, direction, sampler); its density: sl_phase_value
         order += 1;
     } else the ray reached t_max or left the volume

   Several volumes may overlap: the nearest event counts, transmittances multiply. A volume shows the mean
   density of the time its settings name; slices of the shutter's time (SlVolumeSlices) follow snow that
   moves. All calls but create and destroy may be made from any number of threads. */
#ifndef RENDER_PATH_VOLUME_H
#define RENDER_PATH_VOLUME_H

#include "core/context.h"
#include "render/path/phase.h"
#include "sleet/params.h"
#include "sleet/view.h"

typedef enum SlVolumeKernel {
    SL_VOLUME_QUADRATIC, /* quadratic B-spline of node distance kernel_size spacings */
    SL_VOLUME_SIMULATION /* the solver's: cubic B-spline of node distance 1.5 spacings */
} SlVolumeKernel;

typedef struct SlVolumeSettings {
    uint32_t copies;     /* per particle, at least 1; upsampled snow is drawn as it is */
    float jitter;        /* spacings: copies lie within ± this of their particle, by hash of id and copy */
    SlVolumeKernel kernel;
    float kernel_size;   /* spacings */
    float cell;          /* spacings */
    float extinction;    /* 1/m, of snow at rest density */
    SlVec3 albedo;       /* of one scattering, per channel */
    float g;             /* mean cosine of one scattering */
    float edge[2];       /* relative densities between which extinction rises; equal: no edge, it follows the density */
    float loose;         /* extinction per relative density where that is more than the edge gives */
    float powder;        /* relative density below which a particle is drawn as powder; 0: none is */
    float body;          /* fraction of a particle's volume that is spread evenly, the rest is in its points */
    float body_size;     /* spacings: of the kernel that spreads it */
    float crumbs;        /* relative density below which a particle is loose: only points, small and further apart */
    float grain;         /* 0 … 1: how much density varies at the size of grains */
    float glints;        /* brightness of sparkling grains; 0: none */
    uint32_t similarity; /* scatterings after which paths continue with isotropic scattering; 0: never */
    float grain_radius;  /* m; above 0: extinction, albedo and g follow from it */
    bool supervoxels;    /* a majorant for each block; false: one for all, for comparison */
    float floor;         /* m: copies below it are raised to it; -INFINITY: none */
    float open, close;   /* s from the frame's time, close not below open: points are spread along their way between them */
    uint32_t streak_points; /* that points in motion may become in addition to those at rest, 64 bytes each while they are sorted */
    bool velocities;     /* keep the velocity of the snow, for sl_volume_velocity */
} SlVolumeSettings;

/* Rows of a renderer's table, from row `first` on. */
enum {
    SL_VOLUME_ROW_PRESET, SL_VOLUME_ROW_COPIES, SL_VOLUME_ROW_JITTER, SL_VOLUME_ROW_KERNEL,
    SL_VOLUME_ROW_KERNEL_SIZE, SL_VOLUME_ROW_CELL, SL_VOLUME_ROW_EXTINCTION, SL_VOLUME_ROW_ALBEDO,
    SL_VOLUME_ROW_G, SL_VOLUME_ROW_EDGE_START, SL_VOLUME_ROW_EDGE_END, SL_VOLUME_ROW_LOOSE,
    SL_VOLUME_ROW_POWDER, SL_VOLUME_ROW_BODY, SL_VOLUME_ROW_BODY_SIZE, SL_VOLUME_ROW_CRUMBS, SL_VOLUME_ROW_GRAIN, SL_VOLUME_ROW_GLINTS, SL_VOLUME_ROW_SIMILARITY,
    SL_VOLUME_ROW_GRAIN_RADIUS, SL_VOLUME_ROW_SUPERVOXELS, SL_VOLUME_ROW_UPSAMPLE, SL_VOLUME_ROW_COUNT
};

/* clang-format off */
#define SL_VOLUME_ROWS(first) \
    [(first) + SL_VOLUME_ROW_PRESET] = {"snow_preset", SL_PARAM_CHOICE, {{0}}, 0, 1, "", \
        "sleet|stomakhin2013", "values of the snow rows that were not changed: Sleet's or the paper's"}, \
    [(first) + SL_VOLUME_ROW_COPIES] = {"snow_copies", SL_PARAM_INTEGER, {{8}}, 1, 64, "", NULL, \
        "points that a snow particle is drawn by"}, \
    [(first) + SL_VOLUME_ROW_JITTER] = {"snow_jitter", SL_PARAM_NUMBER, {{0.65}}, 0, 4, "", NULL, \
        "max distance of these points from their particle along an axis, in particle spacings"}, \
    [(first) + SL_VOLUME_ROW_KERNEL] = {"snow_kernel", SL_PARAM_CHOICE, {{0}}, 0, 1, "", \
        "quadratic|simulation", "kernel that spreads a point: quadratic of snow_kernel_size, or the solver's"}, \
    [(first) + SL_VOLUME_ROW_KERNEL_SIZE] = {"snow_kernel_size", SL_PARAM_NUMBER, {{0.55}}, 0.2, 4, "", NULL, \
        "node distance of the quadratic kernel in particle spacings"}, \
    [(first) + SL_VOLUME_ROW_CELL] = {"snow_cell", SL_PARAM_NUMBER, {{0.36}}, 0.1, 4, "", NULL, \
        "cell size of the density grid in particle spacings"}, \
    [(first) + SL_VOLUME_ROW_EXTINCTION] = {"snow_extinction", SL_PARAM_NUMBER, {{2000}}, 0, 1e7, "1/m", NULL, \
        "extinction of snow at rest density"}, \
    [(first) + SL_VOLUME_ROW_ALBEDO] = {"snow_albedo", SL_PARAM_VEC3, {{0.996, 0.9975, 0.999}}, 0, 1, "", NULL, \
        "albedo of one scattering: red, green, blue"}, \
    [(first) + SL_VOLUME_ROW_G] = {"snow_g", SL_PARAM_NUMBER, {{0.5}}, -0.98, 0.98, "", NULL, \
        "mean cosine of one scattering (Henyey-Greenstein)"}, \
    [(first) + SL_VOLUME_ROW_EDGE_START] = {"snow_edge_start", SL_PARAM_NUMBER, {{0.2}}, 0, 10, "", NULL, \
        "density, over that at rest, at which the edge of snow begins"}, \
    [(first) + SL_VOLUME_ROW_EDGE_END] = {"snow_edge_end", SL_PARAM_NUMBER, {{0.7}}, 0, 10, "", NULL, \
        "density at which it has full extinction; not above snow_edge_start: extinction follows the density"}, \
    [(first) + SL_VOLUME_ROW_LOOSE] = {"snow_loose", SL_PARAM_NUMBER, {{0.25}}, 0, 10, "", NULL, \
        "extinction of loose snow in proportion to its density"}, \
    [(first) + SL_VOLUME_ROW_POWDER] = {"snow_powder", SL_PARAM_NUMBER, {{0}}, 0, 10, "", NULL, \
        "density below which particles are spread as powder; 0: none"}, \
    [(first) + SL_VOLUME_ROW_BODY] = {"snow_body", SL_PARAM_NUMBER, {{0.7}}, 0, 1, "", NULL, \
        "fraction of a particle that is spread evenly between the particles, so that snow that holds together is smooth; its points have the rest"}, \
    [(first) + SL_VOLUME_ROW_BODY_SIZE] = {"snow_body_size", SL_PARAM_NUMBER, {{1.1}}, 0.2, 4, "", NULL, \
        "node distance of the quadratic kernel that spreads it in particle spacings"}, \
    [(first) + SL_VOLUME_ROW_CRUMBS] = {"snow_crumbs", SL_PARAM_NUMBER, {{0.4}}, 0, 10, "", NULL, \
        "density below which a particle is drawn by its points alone, smaller and further apart; 0: none"}, \
    [(first) + SL_VOLUME_ROW_GRAIN] = {"snow_grain", SL_PARAM_NUMBER, {{0.5}}, 0, 1, "", NULL, \
        "variation of density and size at the scale of grains"}, \
    [(first) + SL_VOLUME_ROW_GLINTS] = {"snow_glints", SL_PARAM_NUMBER, {{1}}, 0, 100, "", NULL, \
        "brightness of grains that mirror the sun"}, \
    [(first) + SL_VOLUME_ROW_SIMILARITY] = {"snow_similarity", SL_PARAM_INTEGER, {{1}}, 0, 1000, "", NULL, \
        "scatterings after which isotropic scattering with less extinction replaces g; 0: never"}, \
    [(first) + SL_VOLUME_ROW_GRAIN_RADIUS] = {"snow_grain_radius", SL_PARAM_NUMBER, {{0}}, 0, 10, "mm", NULL, \
        "radius of ice grains from which extinction, albedo and g follow; 0: the rows above"}, \
    [(first) + SL_VOLUME_ROW_SUPERVOXELS] = {"snow_supervoxels", SL_PARAM_BOOL, {{1}}, 0, 1, "", NULL, \
        "bounds of the density for blocks of cells; false: one for all, the same picture slower"}, \
    [(first) + SL_VOLUME_ROW_UPSAMPLE] = {"snow_upsample", SL_PARAM_BOOL, {{1}}, 0, 1, "", NULL, \
        "sleet render: these points turn and deform with the snow around them (filter upsample); false: they are fixed to their particle"}
/* clang-format on */

/* From values of the rows above, the first being `values[0]`. floor is -INFINITY, open and close are 0. */
SlVolumeSettings sl_volume_settings(const SlParamValue *values);
/* From the rows' defaults. */
SlVolumeSettings sl_volume_default_settings(void);

typedef struct SlVolume SlVolume;

typedef struct SlVolumeEvent {
    float t;         /* m, along the ray */
    SlVec3 position;
    SlVec3 albedo;   /* of this scattering */
    float g;         /* of this scattering */
    uint32_t order;  /* scatterings before this one */
} SlVolumeEvent;

/* A system without particles gives a volume without snow. SL_ERROR_ARGUMENT: a position that is not
   finite, or particles too far apart for a grid. The context must outlive the volume. */
SlStatus sl_volume_create(SlContext *context, const SlSystemView *system,
                          const SlVolumeSettings *settings, SlVolume **volume, SlError *error);
/* From relative densities at the nodes of a lattice of `count` nodes along x, y and z, x fastest, the
   first at `origin`; zero outside. For tests and comparisons: neither edge nor grain is applied. */
typedef struct SlVolumeLattice {
    const float *density;
    uint32_t count[3];
    SlVec3 origin;
    float cell; /* m */
} SlVolumeLattice;
SlStatus sl_volume_create_lattice(SlContext *context, const SlVolumeLattice *lattice,
                                  const SlVolumeSettings *settings, SlVolume **volume,
                                  SlError *error);
/* NULL is allowed. */
void sl_volume_destroy(SlVolume *volume);

/* Contains all snow; without any, an empty box (min above max). */
SlBox sl_volume_bounds(const SlVolume *volume);
/* Whether a path that starts at `origin` in the unit direction `direction` is scattered before t_max
   (m, may be INFINITY), and where. */
bool sl_volume_scatter(const SlVolume *volume, SlVec3 origin, SlVec3 direction, float t_max,
                       uint32_t order, SlPathSampler *sampler, SlVolumeEvent *event);
/* An unbiased estimate of the transmittance up to t_max, for a path of that order: ratio tracking
   [Novák 2014]. */
float sl_volume_transmittance(const SlVolume *volume, SlVec3 origin, SlVec3 direction, float t_max,
                              uint32_t order, SlPathSampler *sampler);
/* Added to the phase function for light of the sun: grains at the first scattering that mirror it. */
float sl_volume_glint(const SlVolume *volume, const SlVolumeEvent *event, SlVec3 direction,
                      SlVec3 to_light);
/* Out of the snow, of length 1: against the slope of the density around `position`; where that is even,
   against the unit direction `direction`. */
SlVec3 sl_volume_normal(const SlVolume *volume, SlVec3 position, SlVec3 direction);
/* m/s, of the snow that is there; 0 where the volume has no velocities. */
SlVec3 sl_volume_velocity(const SlVolume *volume, SlVec3 position);
/* Extinction (1/m) at a point, for a path of that order; 0 outside. */
float sl_volume_extinction(const SlVolume *volume, SlVec3 position, uint32_t order);
/* Bytes held, and cells stored. */
size_t sl_volume_bytes(const SlVolume *volume);
size_t sl_volume_cells(const SlVolume *volume);

/* --- Snow while the shutter is open (volume_slices.c). --- */

/* The shutter's time in equal parts, a volume for each: a path sees the one of its own time, so that snow in
   motion has soft edges and not just less density. Snow that is slow has one volume. */
enum { SL_VOLUME_SLICES = 8 };
typedef struct SlVolumeSlices {
    SlVolume *slice[SL_VOLUME_SLICES];
    uint32_t count;
} SlVolumeSlices;

/* Of the settings' time; as sl_volume_create. After a failure there is nothing to destroy. */
SlStatus sl_volume_slices_create(SlContext *context, const SlSystemView *system,
                                 const SlVolumeSettings *settings, SlVolumeSlices *slices, SlError *error);
void sl_volume_slices_destroy(SlVolumeSlices *slices);

/* At a time of [0, 1], from the shutter's opening to its closing; there is at least one slice. */
static inline const SlVolume *sl_volume_at(const SlVolumeSlices *slices, float time)
{
    uint32_t k = (uint32_t)(time * (float)slices->count);
    return slices->slice[k < slices->count ? k : slices->count - 1];
}

#endif
