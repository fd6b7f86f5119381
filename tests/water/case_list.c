/* The cases by name. */
#include "water/cases.h"

const WaterCase water_cases[] = {
    {"tank", "water at rest: depth=40 (in d) base=12 time=10", water_case_tank},
    {"first", "kick of a flush tank's first step by steps per frame: depth=20 base=12",
     water_case_first},
    {"free", "a body without gravity: shape=block|ball mode=rest|translate|spin|strain size=12 "
             "radius=8 time=2 speed=3 spin=0.04 (rad/s)", water_case_free},
    {"fall", "a block falls flat: size=20 height=1.5 time=1.5 d=0.05", water_case_fall},
    {"collide", "two blocks meet: size=14 speed=10 time=1.5 d=0.05", water_case_collide},
    {"energy", "a scene's energy: scene=FILE factor=2 time=3 "
               "drop=steps,iterations,max_iterations,step_control", water_case_energy},
    {"dam", "scenes/dam_break.json: d=0.1 time=2 offset=0 small curve", water_case_dam},
    {"jet", "a jet onto a wall: radius=6 (d) speed=4 time=1 d=0.05 wall=domain|plane",
     water_case_jet},
    {"oblique", "a block meets a wall at an angle: size=12 speed=4 angle=45 time=1 d=0.05",
     water_case_oblique},
    {"sphere", "a submerged sphere: radius=4 (d) base=20 depth=24 time=4", water_case_sphere},
    {"mesh", "a submerged mesh: mesh=assets/squirrel.obj size=16 (d) base=28 depth=30 time=4",
     water_case_mesh},
    {"drop", "a drop in a central field against the exact ellipsoid: radius=10 (d) strain=0.5 "
             "spin=0 (both in w) time=3 d=0.05", water_case_drop},
    {"slosh", "a standing wave: length=40 depth=20 wide=6 amplitude=1.2 (d) periods=5 d=0.05",
     water_case_slosh},
    {"ritter", "a long dam on a dry bed: depth=20 wide=6 (d) time=4 (sqrt(h/g)) d=0.05",
     water_case_ritter},
    {"outflow", "Torricelli, through a slot: base=40 depth=40 slot=6 wide=6 (d) from=0.4 time=1.2 "
                "d=0.05", water_case_outflow},
    {"fill", "volume of a filled mesh: mesh=assets/squirrel.obj size=30 (d)", water_case_fill},
    {"emit", "volume from an emitter: radius=6 (d) speed=4 time=1 d=0.05", water_case_emit},
    {NULL, NULL, NULL},
};
