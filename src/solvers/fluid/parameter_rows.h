/* The rows of SL_FLUID_PARAM_*: included into the parameter table of every water solver, which defines
   the defaults that differ: SL_FLUID_DEFAULT_KERNEL, _WALL_PROFILE and _WALL_DISTANCE. */
/* clang-format off */
[SL_FLUID_PARAM_SPACING] = {"spacing", SL_FLUID_NUMBER(0.1), 1e-5, 1e3, "m", NULL,
    "distance between particles at rest"},
[SL_FLUID_PARAM_REST_DENSITY] = {"rest_density", SL_FLUID_NUMBER(1000), 1e-3, 1e5, "kg/m^3", NULL,
    "mass per volume at rest; scales masses, energies and forces, while motion does not depend on it"},
[SL_FLUID_PARAM_SUPPORT] = {"support", SL_FLUID_NUMBER(2), 1.5, 4, "spacings", NULL,
    "radius of the smoothing kernel"},
[SL_FLUID_PARAM_KERNEL] = {"kernel", SL_FLUID_CHOICE(SL_FLUID_DEFAULT_KERNEL), 0, 2, "", "cubic|wendland|poly6",
    "smoothing kernel: cubic spline, Wendland C2, or poly6 with spiky gradient"},
[SL_FLUID_PARAM_PACKING] = {"packing", SL_FLUID_CHOICE(SL_PACKING_RELAXED), 0, 1, "", "relaxed|lattice",
    "initial particles of blocks and fills: a disordered packing relaxed to density 1, as many as the volume holds, or "
    "a cubic lattice, which swells when a flow stretches it"},
[SL_FLUID_PARAM_STEP_CONTROL] = {"step_control", SL_FLUID_CHOICE(SL_STEP_AUTO), 0, 1, "", "auto|fixed",
    "length of sub-steps: auto, chosen by the solver from speeds and pressures; fixed, `steps` per frame, which is also "
    "chosen where `steps` is given and step_control is not"},
[SL_FLUID_PARAM_STEPS] = {"steps", SL_FLUID_INTEGER(4), 1, 1000, "per frame", NULL,
    "sub-steps per frame with step_control fixed"},
[SL_FLUID_PARAM_CFL] = {"cfl", SL_FLUID_NUMBER(0.4), 0.01, 10, "spacings", NULL,
    "step_control auto: distance that a fast particle moves in a sub-step; fast is the 99.9 % quantile of the speed", .live = true},
[SL_FLUID_PARAM_MIN_TIME_STEP] = {"min_time_step", SL_FLUID_NUMBER(1e-6), 1e-9, 1, "s", NULL,
    "step_control auto: minimum length of a sub-step; a run that needs shorter ones diverged", .live = true},
[SL_FLUID_PARAM_MAX_TIME_STEP] = {"max_time_step", SL_FLUID_NUMBER(1.0 / 60), 1e-9, 1, "s", NULL,
    "step_control auto: maximum length of a sub-step", .live = true},
[SL_FLUID_PARAM_MAX_MOVE] = {"max_move", SL_FLUID_NUMBER(0.1), 1e-3, 1, "spacings", NULL,
    "maximum displacement of a particle in one iteration", .live = true},
[SL_FLUID_PARAM_VISCOSITY] = {"viscosity", SL_FLUID_NUMBER(2.4), 0, 1e4, "1/s", NULL,
    "XSPH viscosity [Schechter 2012] as a rate: how fast a particle takes on its neighbours' mean velocity", .live = true},
[SL_FLUID_PARAM_XSPH] = {"xsph", SL_FLUID_NUMBER(0), 0, 0.5, "per step", NULL,
    "XSPH viscosity as printed: fraction of the neighbours' mean velocity that replaces a particle's own in each step; "
    "above 0 it replaces `viscosity`", .live = true},
[SL_FLUID_PARAM_CALMING] = {"calming", SL_FLUID_NUMBER(8), 0, 1000, "", NULL,
    "added viscosity, in multiples of `viscosity`, between particles whose velocities differ by less than 0.1 sqrt(gravity × "
    "spacing): still water comes to rest; not with `xsph`", .live = true},
[SL_FLUID_PARAM_SHIFTING] = {"shifting", SL_FLUID_NUMBER(0), 0, 100, "", NULL,
    "shifting of positions towards even spacing [Lind 2012], per strain; keeps the volume of water that a flow stretches; "
    "0: none", .live = true},
[SL_FLUID_PARAM_KINEMATIC_VISCOSITY] = {"kinematic_viscosity", SL_FLUID_NUMBER(0), 0, 1e4, "m^2/s", NULL,
    "physical viscosity, solved implicitly [Weiler 2018]: water 1e-6, oil 1e-4, honey 1e-2, tar 1; 0: none", .live = true},
[SL_FLUID_PARAM_VISCOSITY_TOLERANCE] = {"viscosity_tolerance", SL_FLUID_NUMBER(0.01), 1e-6, 0.5, "", NULL,
    "implicit viscosity: residual at which the solve has converged, relative to the initial one", .live = true},
[SL_FLUID_PARAM_VISCOSITY_ITERATIONS] = {"viscosity_iterations", SL_FLUID_INTEGER(100), 1, 10000, "per step", NULL,
    "implicit viscosity: maximum iterations of the solve", .live = true},
[SL_FLUID_PARAM_VORTICITY] = {"vorticity", SL_FLUID_NUMBER(0), 0, 100, "1/s", NULL,
    "vorticity confinement [Macklin 2013]: returns rotation that the solver damps", .live = true},
[SL_FLUID_PARAM_COHESION] = {"cohesion", SL_FLUID_NUMBER(0), 0, 1e4, "m/s^2", NULL,
    "surface tension [Akinci 2013]: cohesion between particles (gamma times the density)", .live = true},
[SL_FLUID_PARAM_CURVATURE] = {"curvature", SL_FLUID_NUMBER(0), 0, 1e4, "m/s^2", NULL,
    "surface tension [Akinci 2013]: minimisation of curvature (gamma)", .live = true},
[SL_FLUID_PARAM_BOUNDARY] = {"boundary", SL_FLUID_CHOICE(SL_BY_WALLS), 0, 3, "", "contact|walls|particles|both",
    "density of solids: none, contacts only; half spaces of fluid (analytic walls); sampled boundary "
    "particles [Akinci 2012]; or flat surfaces (domain, planes) as walls and the others as particles"},
[SL_FLUID_PARAM_BOUNDARY_SPACING] = {"boundary_spacing", SL_FLUID_NUMBER(0.5), 0.2, 1, "spacings", NULL,
    "minimum distance between boundary particles"},
[SL_FLUID_PARAM_FORCES] = {"forces", SL_FLUID_CHOICE(SL_FORCES_BODIES), 0, 2, "", "none|bodies|all",
    "bodies whose force and torque are in the statistics: none, the colliders, or also the domain"},
[SL_FLUID_PARAM_WALL_PROFILE] = {"wall_profile", SL_FLUID_CHOICE(SL_FLUID_DEFAULT_WALL_PROFILE), 0, 1, "", "half_space|steep",
    "density of an analytic wall by distance: F of a half space full of fluid, or F0 (F / F0)^1.5, whose slope at half a "
    "spacing, where F = F0, is that of the particles it replaces"},
[SL_FLUID_PARAM_WALL_DISTANCE] = {"wall_distance", SL_FLUID_NUMBER(SL_FLUID_DEFAULT_WALL_DISTANCE), 0, 2, "spacings", NULL,
    "minimum distance of a particle's centre from a surface"},
[SL_FLUID_PARAM_WALL_JITTER] = {"wall_jitter", SL_FLUID_NUMBER(0.05), 0, 0.5, "spacings", NULL,
    "added to wall_distance, from 0 to this by particle, so that particles do not stack in corners; 0 is unstable"},
[SL_FLUID_PARAM_SKIN] = {"skin", SL_FLUID_NUMBER(0), 0, 1, "spacings", NULL,
    "neighbour lists reach this much beyond the support and are reused by the steps of a frame as long as "
    "max_stale_fraction allows; 0: a new list in every step, which is faster above two iterations per step"},
[SL_FLUID_PARAM_MAX_STALE_FRACTION] = {"max_stale_fraction", SL_FLUID_NUMBER(0), 0, 1, "fraction", NULL,
    "a list is reused while at most this fraction of the particles have moved by more than half a skin relative "
    "to the mean motion; 0: no pair is missed; 1: a list is reused for the whole frame", .live = true},
[SL_FLUID_PARAM_POST_SOLVE] = {"post_solve", SL_FLUID_CHOICE(SL_POST_SOLVE_STEP), 0, 1, "", "step|frame",
    "when densities, viscosity, vorticity, surface tension and s_corr are computed: in every step, or once in the "
    "last step of a frame, where forces and viscosity then act for the time of the whole frame", .live = true},
[SL_FLUID_PARAM_STABILISE] = {"stabilise", SL_FLUID_INTEGER(0), 0, 100, "per step", NULL,
    "pre-stabilisation [Macklin 2014]: iterations that move particles out of solids before the step, without "
    "changing their velocity", .live = true},
[SL_FLUID_PARAM_CFL_LIMIT] = {"cfl_limit", SL_FLUID_NUMBER(2), 0.1, 100, "spacings", NULL,
    "a particle that moves farther than this in one step causes a warning", .live = true},
/* clang-format on */
