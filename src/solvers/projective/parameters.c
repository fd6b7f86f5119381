/* The parameter table of projective fluids. */
#include "solvers/projective/parameters.h"

#include "math/linear/anderson.h"
#include "math/linear/linear.h"

#define SL_FLUID_DEFAULT_KERNEL SL_KERNEL_WENDLAND
#define SL_FLUID_DEFAULT_WALL_PROFILE SL_WALL_STEEP
#define SL_FLUID_DEFAULT_WALL_DISTANCE 0.25
/* clang-format off */
#define P(name) [SL_PROJECTIVE_PARAM_##name]
#define NUMBER SL_FLUID_NUMBER
#define INTEGER SL_FLUID_INTEGER
#define CHOICE SL_FLUID_CHOICE
#define BOOL(value) SL_PARAM_BOOL, {{value}}
#define LIVE .live = true
const SlParamRow sl_projective_rows[SL_PROJECTIVE_PARAM_COUNT] = {
#include "solvers/fluid/parameter_rows.h"
    P(PRESET) = {"preset", CHOICE(0), 0, 1, "", "none|sommer",
        "named set of parameter values; a parameter that is given explicitly keeps its value"},
    P(STIFFNESS) = {"stiffness", NUMBER(1e5), 1, 1e12, "Pa", NULL,
        "the weight of a density constraint is stiffness × spacing, of other fluids in proportion to their density", LIVE},
    P(CONSTRAINT) = {"constraint", CHOICE(SL_DENSITY_UNILATERAL), 0, 1, "", "unilateral|equality",
        "unilateral resists compression only; equality [Sommer eq. 4] also tension", LIVE},
    P(ROWS) = {"rows", CHOICE(SL_ROWS_SELECTOR), 0, 1, "", "selector|differences",
        "rows of C and D of a density constraint: positions of its particles, so that the matrix is diagonal "
        "[Sommer], or differences to its own particle [Bouaziz 2014]"},
    P(COUNT_RELAXATION) = {"count_relaxation", NUMBER(1), 0, 1, "", NULL,
        "the shifts of a projection are multiplied by this × the number of particles in the constraint, at least by 1; "
        "0: off, much softer", LIVE},
    P(MEMORY) = {"memory", NUMBER(0.02), 0, 1, "", NULL,
        "maximum fraction of a step's pressure that is remembered for the next one; less in deep water, and with "
        "short steps or soft constraints; 0: none, as printed. Only with a constraint that is unilateral, rows selector, and one sweep with divisor common"},
    P(PROJECTIONS) = {"projections", INTEGER(1), 1, 100, "per iteration", NULL,
        "maximum of Newton steps of a local projection", LIVE},
    P(PROJECTION_TOLERANCE) = {"projection_tolerance", NUMBER(1e-6), 1e-7, 1, "", NULL,
        "density error at which a local projection stops", LIVE},
    P(DAMPING) = {"damping", NUMBER(1e-4), 1e-6, 1e3, "", NULL,
        "epsilon of lambda, as a multiple of the lattice's sum of squared gradients", LIVE},
    P(ATTACH) = {"attach", NUMBER(0), 0, 1e12, "Pa", NULL,
        "the weight of an attachment is attach × spacing; 0: no attachments"},
    P(ATTACH_BELOW) = {"attach_below", NUMBER(0), -1e6, 1e6, "m", NULL,
        "particles placed lower than this are attached to their initial position"},
    P(DISTANCE_STIFFNESS) = {"distance_stiffness", NUMBER(0), 0, 1e12, "Pa", NULL,
        "the weight of a distance constraint is distance_stiffness × spacing; 0: none"},
    P(DISTANCE_REACH) = {"distance_reach", NUMBER(1.5), 1, 4, "spacings", NULL,
        "particles placed nearer than this to each other keep their distance; at most `support`"},
    P(GLOBAL_SOLVER) = {"global_solver", CHOICE(SL_LINEAR_JACOBI), 0, SL_LINEAR_COUNT - 1, "", SL_LINEAR_CHOICES,
        "linear solver of the global step"},
    P(GLOBAL_ITERATIONS) = {"global_iterations", INTEGER(1), 0, 10000, "per iteration", NULL,
        "iterations of the linear solver; 0: as many as global_tolerance needs"},
    P(GLOBAL_TOLERANCE) = {"global_tolerance", NUMBER(1e-6), 1e-12, 1, "", NULL,
        "residual of the linear solver relative to its right-hand side", LIVE},
    P(PRECONDITIONER) = {"preconditioner", CHOICE(0), 0, 1, "", "none|diagonal",
        "of conjugate gradients", LIVE},
    P(DIVISOR) = {"divisor", CHOICE(SL_DIVISOR_COMMON), 0, 1, "", "common|own",
        "divisor of a single Jacobi sweep: one diagonal for all particles, so that every iteration conserves "
        "momentum, or each row's own, which solves the row"},
    P(ACCELERATION) = {"acceleration", CHOICE(SL_ACCELERATION_CHEBYSHEV), 0, 2, "", "none|chebyshev|anderson",
        "acceleration of the loop of local and global steps [Wang 2015; Peng 2018]"},
    P(RHO) = {"rho", NUMBER(0), 0, 0.99999, "", NULL,
        "Chebyshev's method: spectral radius of the loop without acceleration; 0: estimated while running", LIVE},
    P(DELAY) = {"delay", INTEGER(0), 0, 1000, "iterations", NULL,
        "Chebyshev's method: iterations before it starts; 3 or more with omega_start wang", LIVE},
    P(RELAXATION) = {"relaxation", NUMBER(0.7), 0.01, 1, "", NULL,
        "factor of every step of the loop before acceleration, gamma of [Wang 2015]", LIVE},
    P(OMEGA_START) = {"omega_start", CHOICE(SL_OMEGA_PRINTED), 0, 1, "", "wang|printed",
        "Chebyshev's method, second factor: wang: 2 / (2 - rho^2) [Wang 2015], which has full momentum at once; printed: "
        "4 / (4 - rho^2), as printed in [Sommer eq. 8], which increases it gradually", LIVE},
    P(SAFEGUARD) = {"safeguard", BOOL(1), 0, 1, "", NULL,
        "Chebyshev's method: restart when steps become longer instead of shorter", LIVE},
    P(RESTART_FRACTION) = {"restart_fraction", NUMBER(0.002), 0, 1, "", NULL,
        "Chebyshev's method: restart near the end of a step, when at most this fraction of the particles moves farther "
        "than stop_move, or an iteration without momentum is likely to be the last; 0, or stop_move 0: never", LIVE},
    P(HISTORY) = {"history", INTEGER(5), 1, SL_ANDERSON_MAX, "iterations", NULL,
        "Anderson acceleration: earlier iterations it combines"},
    P(MAX_ITERATIONS) = {"max_iterations", INTEGER(100), 1, 100000, "per step", NULL,
        "maximum of local and global steps", LIVE},
    P(MIN_ITERATIONS) = {"min_iterations", INTEGER(4), 1, 1000, "per step", NULL,
        "minimum of local and global steps, before the limits below apply", LIVE},
    P(STOP_MOVE) = {"stop_move", NUMBER(1e-3), 0, 1, "spacings", NULL,
        "the loop stops when no particle moves farther in an iteration; 0: no such limit", LIVE},
    P(STOP_MEAN) = {"stop_mean", NUMBER(0), 0, 1, "", NULL,
        "the loop stops when the mean compression is below this; 0: no such limit", LIVE},
    P(STOP_MAX) = {"stop_max", NUMBER(0), 0, 1, "", NULL,
        "the loop stops when the largest compression is below this; 0: no such limit", LIVE},
};
/* clang-format on */

/* sommer is the loop of the paper, with the values its tables were made with. */
const SlPreset sl_projective_presets[SL_PROJECTIVE_PRESETS] = {
    {"none", "the defaults", SL_PRESET({NULL, 0})},
    {"sommer",
     "as printed: no memory of pressure, a stiff constraint",
     SL_PRESET({"memory", 0},
               {"stiffness", 1e6},
               {"min_iterations", 2},
               {"kernel", SL_KERNEL_CUBIC},
               {"wall_profile", SL_WALL_HALF_SPACE},
               {"wall_distance", 0.5})},
};
