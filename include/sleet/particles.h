/* Sleet: particles read, written, added and removed by a program, user attributes, and queries at
   points. All calls are made between steps, from the thread that steps the world. */
#ifndef SLEET_PARTICLES_H
#define SLEET_PARTICLES_H

#include "sleet/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a field to the system's particles, before the start. It moves with the particles and is in
   views, frame files, checkpoints and the hash like a built-in field; the solver does not read it.

   name     1 to 23 characters of a-z, 0-9 and _; unlike that of any field; copied
   type     SL_FIELD_U32, SL_FIELD_F32 or SL_FIELD_F32X3
   initial  one element of that type, the value of every new particle; copied; NULL: zero

   A system has at most 16 attributes. A checkpoint restores into a world with the same attributes. */
SL_API SlStatus sl_system_add_attribute(SlWorld *world, SlSystemId system, const char *name,
                                        SlFieldType type, const void *initial, SlError *error);

/* Fields of particles, by name (docs/particles.md has the table per solver):

     id         u32            unique number, never used again
     position   f32x3  m
     velocity   f32x3  m/s
     density_ratio  f32        density after the step over rest_density: 1 at rest
     plastic    f32            snow: volume kept by plastic flow
     volume     f32    m³      snow: volume before any deformation; 0: not measured yet
     level      u32            pbf with level of detail: density iterations of the particle
     fluid      u32            water with several fluids: index of its fluid
     variation  f32            fills with noise: deviation from the mean, -1 to 1
     mass       f32    kg      where the particles of a system differ in mass; else SlSystemView.mass

   Fields of the lower lines exist only where they are named.

   Copies elements [first, first + count) of the field of that name into `buffer`, tightly packed:
   one uint32_t or float, or three floats, each. The order is that of views; it changes with every
   step, and the field "id" tells which particle an element belongs to. Starts the world if need be. */
SL_API SlStatus sl_system_copy_field(SlWorld *world, SlSystemId system, const char *name,
                                     size_t first, size_t count, void *buffer, SlError *error);

/* Writes elements [first, first + count), tightly packed, in the order of views. "position",
   "velocity" and user attributes may be written. Refused, with nothing written: values that are not
   finite, positions outside the domain, speeds of 1e5 m/s or more. The check of the energy begins
   anew with the next step. Starts the world if need be. */
SL_API SlStatus sl_system_write_field(SlWorld *world, SlSystemId system, const char *name,
                                      size_t first, size_t count, const void *data,
                                      SlError *error);

/* Adds `count` particles of the system's own fluid at positions (m, 3 floats each, inside the
   domain) with velocities (m/s, 3 floats each; NULL: at rest) and the initial values of attributes.
   The caller sees to it that they are about a spacing from others and outside of solids: what
   overlaps is pushed apart violently. ids[k] becomes the id of particle k; may be NULL. Ids are never
   used again: SL_ERROR_NUMBERS when fewer than `count` of 2^32 - 1 are left. Nothing is added after a
   failure. Starts the world if need be. */
SL_API SlStatus sl_system_add_particles(SlWorld *world, SlSystemId system, const float *positions,
                                        const float *velocities, size_t count, uint32_t *ids,
                                        SlError *error);

/* Removes the particles with these ids, in any order. SL_ERROR_ARGUMENT, with nothing removed, where
   one does not exist or is given twice. */
SL_API SlStatus sl_system_remove_particles(SlWorld *world, SlSystemId system, const uint32_t *ids,
                                           size_t count, SlError *error);

/* Removes the particles inside the shape, one that may be a drain (sl_system_add_drain): no height
   field. *removed (may be NULL) becomes their number. Starts the world if need be. */
SL_API SlStatus sl_system_remove_particles_in(SlWorld *world, SlSystemId system,
                                              const SlShape *shape, size_t *removed,
                                              SlError *error);

/* Density (kg/m³) and velocity (m/s) of the
   system at `count` points (m, 3 floats each), interpolated
   with the cubic spline of support radius 2 spacings: rho(x) = sum m W(x - x_j), v(x) = sum m v W /
   rho. Both are 0 where no particle is within the support. density_out (1 float per point) and
   velocity_out (3 floats per point) may each be NULL. Sorts the particles into a grid on each call,
   so ask for many points at once. Starts the world if need be. */
SL_API SlStatus sl_system_query(SlWorld *world, SlSystemId system, const float *points,
                                size_t count, float *density_out, float *velocity_out,
                                SlError *error);

#ifdef __cplusplus
}
#endif
#endif
