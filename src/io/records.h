/* What frames, checkpoints and mesh files put into a container: fixed records and sections.
   docs/frame-file.md describes them for other readers. Kinds of shapes and materials are stored by
   name, so that a kind added later does not change the meaning of older files. */
#ifndef IO_RECORDS_H
#define IO_RECORDS_H

#include "frame/view.h"
#include "io/container.h"
#include "sleet/checkpoint.h"
#include "sleet/frame.h"

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

/* Its arrays are sections of kind SURFACE_DATA: "position", "normal" and "velocity" with an element per
   vertex, "triangle" with three per triangle. */
typedef struct SlSurfaceRecord {
    char system[32];
    uint64_t vertex_count, triangle_count;
    SlMaterialRecord material;
} SlSurfaceRecord;
_Static_assert(sizeof(SlSurfaceRecord) == 96, "the record's bytes are fixed");

/* How a filter's stored result came about: it fits as long as these do. */
typedef struct SlFilterRecord {
    char name[32];
    uint32_t version, reserved; /* of the filter; 0 */
    uint64_t settings;          /* hash of its values, and of the filters before it */
    uint64_t input;             /* checksum of the frame file, or key of the result it was made from */
    uint64_t previous;          /* key of the result before it, which the filter read; 0: none */
    uint64_t key;               /* hash of the above */
} SlFilterRecord;
_Static_assert(sizeof(SlFilterRecord) == 72, "the record's bytes are fixed");

/* Writes what a filter made of a frame as a frame file of its own; else as sl_writer_frame. */
SlStatus sl_writer_filtered(SlWriter *writer, const char *path, const SlFrameView *view,
                            const SlFilterRecord *record, SlError *error);
/* The record of a stored result; NULL: the frame is not one. */
const SlFilterRecord *sl_frame_filter(const SlFrame *frame);
/* The checksum in its head, which covers all of the file through those of its chunks. */
uint64_t sl_frame_checksum(const SlFrame *frame);

/* A view or state as sections, and the head of its file. Records and sources lie on the arena. */
typedef struct SlFrameContent {
    const SlFrameView *view;
    const SlFilterRecord *filter; /* NULL: none */
    bool quantise;
} SlFrameContent;
SlStatus sl_frame_sources(SlArena *arena, const SlFrameContent *content, SlContainerHeader *head,
                          SlSource **sources, size_t *count, SlError *error);
SlStatus sl_checkpoint_sources(SlArena *arena, const SlStateView *state, SlContainerHeader *head,
                               SlSource **sources, size_t *count, SlError *error);

/* --- Surfaces in frames (frame_surfaces.c) --- */

enum { SL_SURFACE_SECTIONS = 4 }; /* of SURFACE_DATA per surface */
SlMaterialRecord sl_material_record(const SlMaterial *material);
/* Fills the record and the SL_SURFACE_SECTIONS sources of a surface. */
void sl_surface_sources(const SlSurfaceView *surface, uint32_t index, bool quantise,
                        SlSurfaceRecord *record, SlSource *sources);
/* NULL, or what is wrong. The material is the caller's to take. */
const char *sl_surface_take(const SlSurfaceRecord *record, SlSurfaceView *surface);
/* The arrays of all surfaces of a frame whose sections are decoded. */
const char *sl_surfaces_take_data(const SlContainer *container, char *const *decoded,
                                  SlSurfaceView *surfaces, size_t count);

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
