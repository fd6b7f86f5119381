/* A scene as read and checked: plain values with the places they came from. Reading is apart from
   building, so that a tool can look at a scene without making a world. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "scene/keys.h"
#include "sleet/scene.h"

/* Farther out, a float no longer resolves a millimetre by far; SI metres. */
#define SL_SCENE_FAR 1e6

enum { SL_SCENE_NAME = 31 }; /* bytes in the name of a system, collider or camera */

typedef struct SlSceneBlock {
    SlBlock def;
    SlJsonPlace place;
} SlSceneBlock;

/* What a system is made of, as read: each with its place for errors that come when a world is
   built. */
typedef struct SlSceneFluid {
    SlFluidDef def; /* its name is a text of the document */
    SlJsonPlace place;
} SlSceneFluid;

/* A field that particles carry beside the solver's. */
typedef struct SlSceneAttribute {
    const char *name; /* a text of the document */
    SlFieldType type;
    union {
        uint32_t integer;
        float number[3];
    } initial; /* one element of the type */
    SlJsonPlace place;
} SlSceneAttribute;

enum { SL_SCENE_FILL_SHAPES = 16 };
typedef struct SlSceneFill {
    SlFillDef def; /* def.shapes is `shapes`, or def.path a text of the document */
    SlShape shapes[SL_SCENE_FILL_SHAPES];
    SlJsonPlace place;
} SlSceneFill;

typedef struct SlSceneEmitter {
    SlEmitterDef def;
    SlJsonPlace place;
} SlSceneEmitter;

typedef struct SlSceneDrain {
    SlShape shape;
    SlJsonPlace place;
} SlSceneDrain;

/* Parameters that a scene gives, read and checked, in the order of the document. */
typedef struct SlSceneValue {
    const SlParamRow *row;
    SlParamValue value;
    SlJsonPlace place;
} SlSceneValue;

typedef struct SlSceneValues {
    SlSceneValue *items;
    size_t count;
} SlSceneValues;

/* A force field: kind, values of its table's rows, and the system's name, "" for all. */
typedef struct SlSceneForceField {
    const SlTable *kind;
    SlSceneValues parameters;
    char system[SL_SCENE_NAME + 1];
    SlJsonPlace place;
} SlSceneForceField;

typedef struct SlSceneSystem {
    char name[SL_SCENE_NAME + 1];
    const SlTable *solver;
    SlSceneValues parameters;
    double spacing; /* m; 0 where the solver has no such row */
    size_t first_block, block_count;
    SlSceneFluid *fluids;
    SlSceneFill *fills;
    SlSceneEmitter *emitters;
    SlSceneDrain *drains;
    SlSceneAttribute *attributes;
    size_t fluid_count, fill_count, emitter_count, drain_count, attribute_count;
    SlMaterial material;
    SlJsonPlace place;
} SlSceneSystem;

/* How a collider moves; without `given` it does not. */
typedef struct SlSceneMotion {
    bool given;
    SlMotionDef def;
    SlKeyframe *keys; /* def.key_count of them */
    SlJsonPlace place;
} SlSceneMotion;

typedef struct SlSceneCollider {
    SlShape shape;
    float *heights; /* of a height field; else NULL */
    size_t height_count;
    bool is_mesh; /* then `mesh` counts, its files read from the nodes when a world is built */
    SlMeshColliderDef mesh;
    const SlJsonNode *file, *files, *pattern; /* one of them */
    uint32_t first, last;                     /* numbers of the pattern's files */
    SlSceneMotion motion;
    SlMaterial material;
    const SlJsonNode *name; /* NULL: none given */
    SlJsonPlace place;
} SlSceneCollider;

/* How a camera moves; without `given` it does not. */
typedef struct SlScenePath {
    bool given;
    SlCameraPath path; /* its keys are the scene's */
} SlScenePath;

/* A filter and the values of its table's rows. */
typedef struct SlSceneFilterRow {
    const SlTable *table;
    SlParamValue *values;
} SlSceneFilterRow;

struct SlScene {
    SlMemory *memory;
    SlJson json;
    char *text; /* the scene as text */
    size_t text_size;

    char name[64];
    uint64_t seed, frames;
    double frame_time;
    char cache_folder[512]; /* of distance fields; "": none */
    char output_folder[256];
    uint64_t output_every;
    bool output_quantise;
    double energy_limit;
    SlVec3 gravity;
    SlBox domain; /* infinite where it is open */
    SlBox framed; /* min and max as given: what a camera of its own frames */
    float domain_friction, domain_limit;
    bool domain_sticky;
    SlGridKind grid;
    SlJsonPlace domain_place;
    SlMaterial domain_material;

    SlSceneSystem *systems;
    size_t system_count;
    SlSceneBlock *blocks; /* of all systems, in their order */
    size_t block_count, block_capacity;
    SlSceneCollider *colliders;
    size_t collider_count;
    SlSceneForceField *force_fields;
    size_t force_field_count;
    SlCamera *cameras;
    SlScenePath *camera_paths; /* one per camera */
    size_t camera_count;
    SlSceneFilterRow *filters;
    size_t filter_count;
    char render_style[16]; /* one of the choices */
    const SlTable *const *render_tables;
    size_t render_table_count;
    SlParamValue *render_values; /* one per row of each table, in their order */
    size_t render_value_count;
};

/* What names in a scene are looked up in. */
typedef struct SlSceneTables {
    const SlTable *const *solvers;
    size_t solver_count;
    const SlTable *const *force_fields;
    size_t force_field_count;
    const SlTable *const *filters;
    size_t filter_count;
    const SlTable *const *renderers; /* none: the render object is not checked */
    size_t renderer_count;
} SlSceneTables;

/* A scene's text, and what is changed in it. */
typedef struct SlSceneSource {
    const char *name; /* of the file, for messages */
    const char *text; /* text[bytes] is 0 */
    size_t bytes;
    const SlSceneOverride *overrides;
    size_t override_count;
} SlSceneSource;
SlStatus sl_scene_parse(SlMemory *memory, const SlSceneSource *source, const SlSceneTables *tables,
                        SlScene **scene, SlError *error);

/* The parts of the check; each reads its array into the scene. */
SlStatus sl_scene_read_domain(SlScene *scene, const SlJsonNode *object, SlError *error);
/* A collider's, a solid where there is no object (NULL). */
SlStatus sl_scene_read_collider_material(const SlScene *scene, const SlJsonNode *node,
                                         SlSceneCollider *collider, SlError *error);
/* What the object does not say is the default of its kind, or of `kind` where it names none. */
SlStatus sl_scene_read_material(const SlScene *scene, const SlJsonNode *node, SlMaterialKind kind,
                                SlMaterial *material, SlError *error);
SlStatus sl_scene_read_systems(SlScene *scene, const SlJsonNode *array,
                               const SlSceneTables *tables, SlError *error);
SlStatus sl_scene_read_colliders(SlScene *scene, const SlJsonNode *array, SlError *error);
bool sl_scene_is_mesh(const SlJson *json, const SlJsonNode *node);
SlStatus sl_scene_read_mesh(const SlScene *scene, const SlJsonNode *node,
                            SlSceneCollider *collider, SlError *error);
/* File names are relative to the scene's folder; makes them absolute, so that the scene as text
   still finds them when it is written elsewhere. `path` is the scene's. */
SlStatus sl_scene_anchor_meshes(SlScene *scene, const char *path, SlError *error);
/* Adds the collider, a mesh, to the world; the world's message goes to `inner`. */
SlStatus sl_scene_build_mesh(const SlScene *scene, const SlSceneCollider *collider, SlWorld *world,
                             SlColliderId *id, SlError *inner);
/* Calls `each` with the path of every mesh file of colliders and fills. */
void sl_scene_each_mesh_file(const SlScene *scene, void (*each)(void *user, const char *path),
                             void *user);
/* `node` NULL: it stands still. */
SlStatus sl_scene_read_motion(const SlScene *scene, const SlJsonNode *node, SlSceneMotion *motion,
                              SlError *error);
SlStatus sl_scene_read_collider(const SlScene *scene, const SlJsonNode *node,
                                SlSceneCollider *collider, SlError *error);
/* Frees heights and keyframes. */
void sl_scene_free_collider(const SlScene *scene, SlSceneCollider *collider);
/* As a collider, for fills and drains: it stands still, and a shape that owns memory is refused, so
   there is nothing to free. */
SlStatus sl_scene_read_region(const SlScene *scene, const SlJsonNode *node,
                              SlSceneCollider *region, SlError *error);
/* Parts of a system, from their arrays (NULL: none) into the system. */
SlStatus sl_scene_read_fluids(SlScene *scene, SlSceneSystem *system, const SlJsonNode *array,
                              SlError *error);
SlStatus sl_scene_read_fills(SlScene *scene, SlSceneSystem *system, const SlJsonNode *array,
                             SlError *error);
SlStatus sl_scene_read_emitters(SlScene *scene, SlSceneSystem *system, const SlJsonNode *array,
                                SlError *error);
SlStatus sl_scene_read_drains(SlScene *scene, SlSceneSystem *system, const SlJsonNode *array,
                              SlError *error);
SlStatus sl_scene_read_attributes(SlScene *scene, SlSceneSystem *system, const SlJsonNode *array,
                                  SlError *error);
/* The number of the fluid that a key names; 0 where it is missing: the system's own. */
SlStatus sl_scene_find_fluid(const SlScene *scene, const SlSceneSystem *system,
                             const SlJsonNode *name, uint32_t *fluid, SlError *error);
SlStatus sl_scene_read_force_fields(SlScene *scene, const SlJsonNode *array,
                                    const SlSceneTables *tables, SlError *error);
SlStatus sl_scene_read_filters(SlScene *scene, const SlJsonNode *array, const SlSceneTables *tables,
                               SlError *error);
void sl_scene_free_filters(SlScene *scene);
/* The file that is named by the text at `path` of the document gets its absolute name there;
   `folder` is the scene's. The nodes may move. */
SlStatus sl_scene_anchor_file(SlScene *scene, const SlJsonNode *file, const char *folder,
                              const char *path, SlError *error);
/* The same for the meshes of all fills. */
SlStatus sl_scene_anchor_fills(SlScene *scene, const char *folder, SlError *error);
SlStatus sl_scene_read_cameras(SlScene *scene, const SlJsonNode *array, SlError *error);
void sl_scene_free_cameras(SlScene *scene);
SlStatus sl_scene_build_cameras(const SlScene *scene, SlWorld *world, SlError *error);

/* Reads the object (NULL: nothing is given) whose keys are the table's rows. */
SlStatus sl_scene_read_values(SlScene *scene, const SlJsonNode *object, const SlTable *table,
                              SlSceneValues *values, SlError *error);
void sl_scene_free_values(const SlScene *scene, SlSceneValues *values);

/* Zeroed room for the elements of an array; NULL with the error set. */
void *sl_scene_alloc(SlScene *scene, size_t count, size_t size, SlError *error);
/* Refuses a name that is too long or that an earlier element of the array has. */
SlStatus sl_scene_check_name(const SlScene *scene, const SlJsonNode *array,
                             const SlJsonNode *element, const char *what, SlError *error);
/* min below max in each direction, as floats; the message is about `object`. */
SlStatus sl_scene_read_box(const SlScene *scene, const SlJsonNode *object, const SlKeyValue *min,
                           const SlKeyValue *max, SlBox *box, SlError *error);

#endif
