/* The rows of SL_FLUID_P_*: not a header of its own but a part of every water solver's table. */
/* clang-format off */
[SL_FLUID_P_SPACING] = {"spacing", SL_FLUID_NUMBER(0.1), 1e-5, 1e3, "m", NULL,
    "distance between particles at rest"},
[SL_FLUID_P_REST_DENSITY] = {"rest_density", SL_FLUID_NUMBER(1000), 1e-3, 1e5, "kg/m^3", NULL,
    "mass per volume at rest; scales energies only, motion does not depend on it"},
[SL_FLUID_P_SUPPORT] = {"support", SL_FLUID_NUMBER(2), 1.5, 4, "spacings", NULL,
    "radius of the smoothing kernel"},
[SL_FLUID_P_KERNEL] = {"kernel", SL_FLUID_CHOICE(SL_KERNEL_CUBIC), 0, 2, "", "cubic|wendland|poly6",
    "smoothing kernel: cubic spline, Wendland C2, or poly6 with spiky gradient"},
[SL_FLUID_P_STEPS] = {"steps", SL_FLUID_WHOLE(2), 1, 1000, "per frame", NULL, "sub-steps a frame is cut into"},
[SL_FLUID_P_MAX_MOVE] = {"max_move", SL_FLUID_NUMBER(0.1), 1e-3, 1, "spacings", NULL,
    "longest displacement of one iteration"},
[SL_FLUID_P_VISCOSITY] = {"viscosity", SL_FLUID_NUMBER(0.01), 0, 0.5, "", NULL,
    "XSPH: share of the neighbours' mean velocity taken on per step"},
[SL_FLUID_P_BOUNDARY] = {"boundary", SL_FLUID_CHOICE(SL_BY_WALLS), 0, 3, "", "contact|walls|particles|both",
    "what surfaces do besides contact: nothing; count as half spaces of fluid in "
    "the density (analytic walls); as sampled particles; or the flat ones (domain, "
    "planes) as walls and all others as particles"},
[SL_FLUID_P_BOUNDARY_SPACING] = {"boundary_spacing", SL_FLUID_NUMBER(0.5), 0.2, 1, "spacings", NULL,
    "least distance between boundary particles"},
[SL_FLUID_P_FORCES] = {"forces", SL_FLUID_CHOICE(SL_FORCES_BODIES), 0, 2, "", "none|bodies|all",
    "whose force and torque are summed into the stats: nobody's, the colliders', or "
    "the domain's too"},
[SL_FLUID_P_WALL_DISTANCE] = {"wall_distance", SL_FLUID_NUMBER(0.5), 0, 2, "spacings", NULL,
    "nearest a particle's centre comes to a surface"},
[SL_FLUID_P_WALL_JITTER] = {"wall_jitter", SL_FLUID_NUMBER(0.05), 0, 0.5, "spacings", NULL,
    "plus up to this by particle, so that corners do not stack; 0 explodes"},
[SL_FLUID_P_SKIN] = {"skin", SL_FLUID_NUMBER(0), 0, 1, "spacings", NULL,
    "neighbour lists reach this much farther and serve all steps of a frame, unless motion forbids; "
    "0: each step lists anew, which is cheaper above two iterations a step"},
[SL_FLUID_P_STRAYS] = {"strays", SL_FLUID_NUMBER(0), 0, 1, "share", NULL,
    "share of particles that may have moved half a skin against the mean while a list is kept; 0: no "
    "pair is ever missed; 1: a list serves its frame whatever happens"},
[SL_FLUID_P_AFTER] = {"after", SL_FLUID_CHOICE(SL_AFTER_STEP), 0, 1, "", "step|frame",
    "when what follows the solve is done (densities, viscosity, s_corr): every step, or in a "
    "frame's last, viscosity then for all of its steps"},
[SL_FLUID_P_STABILISE] = {"stabilise", SL_FLUID_WHOLE(0), 0, 100, "per step", NULL,
    "pre-stabilisation: iterations that move particles out of solids before the "
    "step, without giving them speed"},
[SL_FLUID_P_CFL_LIMIT] = {"cfl_limit", SL_FLUID_NUMBER(2), 0.1, 100, "spacings", NULL,
    "a particle moving farther than this in one step gives a warning"},
/* clang-format on */
