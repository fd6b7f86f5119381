/* Sleet: typed definitions of systems, for programs: the common parameters of each solver as struct
   members. They fill the same table as the calls by name (sl_system_set_number, ...), which reach
   every other parameter; `sleet params SOLVER` lists them all with unit, range and meaning.

   A default function fills the members from the solver's table. A member that still has that value
   when the system is added does not count as set, so that a preset may change it. A text member
   that is NULL stands for the table's default. */
#ifndef SLEET_SYSTEMS_H
#define SLEET_SYSTEMS_H

#include "sleet/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Water by position based fluids (solver "pbf"). */
typedef struct SlPbfDef {
    uint32_t cookie, size;      /* set by sl_default_pbf_def */
    const char *name;           /* of the system, copied; NULL (default): "pbf" */
    const char *preset;         /* "none" (default), "realtime" or "macklin2013" */
    double spacing;             /* m, between particles at rest */
    double rest_density;        /* kg/m³ */
    double support;             /* spacings: radius of the smoothing kernel */
    const char *kernel;         /* "cubic", "wendland" (default) or "poly6" */
    uint32_t steps;             /* sub-steps per frame; unless set, the solver chooses its steps */
    uint32_t iterations;        /* density iterations per sub-step */
    double relaxation;          /* factor on every displacement */
    const char *acceleration;   /* "none" (default) or "chebyshev" */
    double viscosity;           /* XSPH, 1/s */
    double kinematic_viscosity; /* m²/s, solved implicitly; 0: none */
    double vorticity;           /* 1/s: vorticity confinement */
    double cohesion, curvature; /* m/s²: surface tension */
    const char *boundary;       /* "contact", "walls" (default), "particles" or "both" */
    const char *forces;         /* on bodies, in the stats: "none", "bodies" (default) or "all" */
    const char *lod;            /* level of detail: "none" (default), "dtc" or "dtvs" */
    uint32_t lod_min;           /* the lowest level, in iterations */
    double lod_near, lod_far;   /* m; 0: automatic */
} SlPbfDef;

/* Water by projective dynamics (solver "projective"). */
typedef struct SlProjectiveDef {
    uint32_t cookie, size;      /* set by sl_default_projective_def */
    const char *name;           /* NULL (default): "projective" */
    const char *preset;         /* "none" (default) or "sommer" */
    double spacing;             /* m, between particles at rest */
    double rest_density;        /* kg/m³ */
    double support;             /* spacings: radius of the smoothing kernel */
    const char *kernel;         /* "cubic", "wendland" (default) or "poly6" */
    uint32_t steps;             /* sub-steps per frame; unless set, the solver chooses its steps */
    double stiffness;           /* Pa: of the density constraints */
    uint32_t max_iterations;    /* local and global steps per sub-step */
    double relaxation;          /* factor on every displacement before acceleration */
    const char *acceleration;   /* "none", "chebyshev" (default) or "anderson" */
    const char *global_solver;  /* "jacobi" (default), "chebyshev", "cg", "cr", "ldlt", … */
    double viscosity;           /* XSPH, 1/s */
    double kinematic_viscosity; /* m²/s, solved implicitly; 0: none */
    double vorticity;           /* 1/s: vorticity confinement */
    double cohesion, curvature; /* m/s²: surface tension */
    const char *boundary;       /* "contact", "walls" (default), "particles" or "both" */
    const char *forces;         /* on bodies, in the stats: "none", "bodies" (default) or "all" */
} SlProjectiveDef;

/* Snow by the material point method (solver "snow"). */
typedef struct SlSnowDef {
    uint32_t cookie, size;       /* set by sl_default_snow_def */
    const char *name;            /* NULL (default): "snow" */
    const char *preset;          /* "reference" (default), "powder", "packed", "wet", "icy", … */
    double spacing;              /* m, between particles at rest */
    double rest_density;         /* kg/m³ */
    double stiffness;            /* Pa: Young's modulus before hardening */
    double poisson;              /* Poisson's ratio, [0, 0.49] */
    double hardening;            /* exponent of the stiffness of compressed snow */
    double critical_compression; /* at which it yields */
    double critical_stretch;     /* at which it tears */
    const char *transfer;        /* "mls" (default) or "flip" */
    const char *integration;     /* "explicit" (default) or "implicit" */
    double time_step;            /* s: longest sub-step; 0: by speed and sound */
    const char *forces;          /* on bodies, in the stats: "none", "bodies" (default) or "all" */
} SlSnowDef;

SL_API SlPbfDef sl_default_pbf_def(void);
SL_API SlProjectiveDef sl_default_projective_def(void);
SL_API SlSnowDef sl_default_snow_def(void);

/* Add a system, before the start; *def may be freed after the call. Null where it fails: then nothing
   was added, `error` (may be NULL) says why, and before the start the world keeps it
   (sl_world_error). */
SL_API SlSystemId sl_world_add_pbf(SlWorld *world, const SlPbfDef *def, SlError *error);
SL_API SlSystemId sl_world_add_projective(SlWorld *world, const SlProjectiveDef *def,
                                          SlError *error);
SL_API SlSystemId sl_world_add_snow(SlWorld *world, const SlSnowDef *def, SlError *error);

#ifdef __cplusplus
}
#endif
#endif
