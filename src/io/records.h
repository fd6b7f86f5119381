/* What frames, checkpoints and mesh files put into a container: fixed records and sections.
   docs/frame-file.md describes them for other readers. Kinds of shapes and materials are stored by
   name, so that a kind added later does not change the meaning of older files. */
#ifndef IO_RECORDS_H
#define IO_RECORDS_H

#include "frame/view.h"
#include "io/container.h"

typedef struct SlMaterialRecord {
    char kind[16]; /* its name; ends in 0, as all text here */
    float color[3], roughness, index_of_refraction, absorption[3];
} SlMaterialRecord;
_Static_assert(sizeof(SlMaterialRecord) == 48, "the record's bytes are fixed");

/* One per frame. */
typedef struct SlWorldRecord {
    double frame_time;
    float gravity[3];
    uint32_t reserved; /* 0 */
    SlMaterialRecord material; /* of the domain */
} SlWorldRecord;
_Static_assert(sizeof(SlWorldRecord) == 72, "the record's bytes are fixed");

typedef struct SlSystemRecord {
    char solver[32];
    float spacing, mass, volume;
    uint32_t reserved; /* 0 */
    uint64_t particle_count;
    SlMaterialRecord material;
} SlSystemRecord;
_Static_assert(sizeof(SlSystemRecord) == 104, "the record's bytes are fixed");

#define SL_RECORD_MESH "mesh" /* SlColliderRecord.kind of a mesh; else it is the name of a shape */

typedef struct SlColliderRecord {
    char name[32], kind[16];
    float center[3], axis[3], side[3], half[3], radius, height, friction; /* of a shape */
    uint32_t sticky;         /* 0 or 1 */
    float position[3], rotation[4]; /* of a mesh */
    uint32_t deforms;        /* 1: there is a section of kind VERTICES for it */
    uint64_t mesh[2];        /* content hash: low and high half */
    SlMaterialRecord material;
} SlColliderRecord;
_Static_assert(sizeof(SlColliderRecord) == 208, "the record's bytes are fixed");

typedef struct SlCameraRecord {
    char name[32];
    float eye[3], target[3], up[3], fov, weight;
    uint32_t reserved; /* 0 */
} SlCameraRecord;
_Static_assert(sizeof(SlCameraRecord) == 80, "the record's bytes are fixed");

/* A view or state as sections, and the head of its file. Records and sources lie on the arena. */
SlStatus sl_frame_sources(SlArena *arena, const SlFrameView *view, bool quantise,
                          SlContainerHeader *head, SlSource **sources, size_t *count,
                          SlError *error);
SlStatus sl_checkpoint_sources(SlArena *arena, const SlStateView *state, SlContainerHeader *head,
                               SlSource **sources, size_t *count, SlError *error);

/* --- Mesh files: one per content, in the folder "meshes" beside the frames --- */

enum { SL_PATH_BYTES = 1024 };

/* FOLDER-OF-FRAME/meshes. */
void sl_mesh_folder(char folder[SL_PATH_BYTES], const char *frame_path);
/* FOLDER/HASH.slm with 32 hexadecimal digits, the high half first. */
void sl_mesh_path(char path[SL_PATH_BYTES], const char *folder, const uint64_t hash[2]);
SlStatus sl_mesh_sources(SlArena *arena, const SlMeshView *mesh, SlContainerHeader *head,
                         SlSource **sources, size_t *count, SlError *error);

/* A mesh read back, shared by frames; `users` counts who holds it. */
typedef struct SlStoredMesh SlStoredMesh;
struct SlStoredMesh {
    SlContext *context;
    SlMeshView view;
    float *positions;
    uint32_t *triangles;
    size_t users;
};
/* The mesh of that hash; refused if its content has another one. */
SlStatus sl_stored_mesh_read(SlContext *context, const char *folder, const uint64_t hash[2],
                             SlStoredMesh **mesh, SlError *error);
void sl_stored_mesh_release(SlStoredMesh *mesh);

#endif
