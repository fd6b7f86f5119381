/* Meshes of colliders, surfaces and lamps as the arrays of the path tracer's geometry, with normals
   and motion (scene_build.h). */
#include "render/path/scene_build.h"

#include <math.h>
#include <string.h>

#include "math/quat.h"

/* --- Motion. --- */

static SlVec3 placed(SlVec3 origin, const SlVec3 axes[3], const float *v)
{
    return sl_add(sl_add(origin, sl_scale(axes[0], v[0])), sl_add(sl_scale(axes[1], v[1]), sl_scale(axes[2], v[2])));
}

SlVec3 sl_piece_place(const SlPiece *piece, const float *v)
{
    return placed(piece->origin, piece->axes, v);
}

/* A piece when the shutter opens and when it closes: its body goes straight on and rotates evenly, its
   vertices move evenly within it. Between the two times vertices go straight ahead. */
typedef struct Swept {
    const SlPiece *piece;
    SlVec3 origin[2], axes[2][3];
    float part[2]; /* of the way to the other frame */
} Swept;

static bool has_motion(const SlPiece *piece)
{
    SlVec3 v = piece->velocity, s = piece->spin;
    return piece->other != NULL || v.x != 0 || v.y != 0 || v.z != 0 || s.x != 0 || s.y != 0 || s.z != 0;
}

static Swept sweep(const SlSceneBuilder *b, const SlPiece *piece)
{
    Swept swept = {.piece = piece};
    const double times[2] = {b->open, b->close};
    for (int k = 0; k < 2; k++) {
        double q[4];
        sl_quat_from_vector(sl_scale(piece->spin, (float)times[k]), q);
        swept.origin[k] = sl_add(piece->origin, sl_scale(piece->velocity, (float)times[k]));
        for (int a = 0; a < 3; a++)
            swept.axes[k][a] = sl_quat_rotate(q, piece->axes[a]);
        swept.part[k] = piece->other != NULL ? (float)(times[k] / b->step) : 0;
    }
    return swept;
}

static SlVec3 swept_place(const Swept *swept, size_t vertex, int k)
{
    const SlPiece *piece = swept->piece;
    float v[3];
    memcpy(v, piece->positions + 3 * vertex, sizeof v);
    for (int a = 0; a < 3 && piece->other != NULL; a++)
        v[a] += (piece->other[3 * vertex + (size_t)a] - v[a]) * swept->part[k];
    return placed(swept->origin[k], swept->axes[k], v);
}

/* At the frame's time, m/s. */
static SlVec3 vertex_velocity(const SlSceneBuilder *b, const SlPiece *piece, size_t vertex)
{
    static const SlVec3 nowhere = {0, 0, 0};
    const float *v = piece->positions + 3 * vertex;
    SlVec3 velocity = sl_add(piece->velocity, sl_cross(piece->spin, placed(nowhere, piece->axes, v)));
    if (piece->other == NULL)
        return velocity;
    const float *to = piece->other + 3 * vertex;
    const float change[3] = {to[0] - v[0], to[1] - v[1], to[2] - v[2]};
    return sl_add(velocity, sl_scale(placed(nowhere, piece->axes, change), (float)(1 / b->step)));
}

static void set_vertex(SlSceneBuilder *b, const Swept *swept, size_t to, size_t from, const SlVec3 *normal)
{
    const SlPiece *piece = swept->piece;
    SlVec3 p = sl_piece_place(piece, piece->positions + 3 * from), v = {0, 0, 0};
    if (piece->velocities != NULL) {
        memcpy(&v, piece->velocities + 3 * from, sizeof v);
        p = sl_add(p, sl_scale(v, (float)b->open));
        v = sl_scale(v, (float)b->motion_time);
    } else if (has_motion(piece)) {
        p = swept_place(swept, from, 0);
        v = b->close > b->open ? sl_sub(swept_place(swept, from, 1), p)
                               : sl_scale(vertex_velocity(b, piece, from), (float)b->motion_time);
    }
    memcpy(b->positions + 3 * to, &p, sizeof p);
    memcpy(b->normals + 3 * to, normal, sizeof *normal);
    memcpy(b->motion + 3 * to, &v, sizeof v);
}

/* --- Arrays. --- */

static SlVec3 face_normal(const SlPiece *piece, size_t triangle)
{
    const uint32_t *t = piece->triangles + 3 * triangle;
    SlVec3 p[3];
    for (int k = 0; k < 3; k++)
        p[k] = sl_piece_place(piece, piece->positions + 3 * (size_t)t[k]);
    return sl_cross(sl_sub(p[1], p[0]), sl_sub(p[2], p[0]));
}

/* Each corner gets the mean normal of the triangles at its vertex that are within 40 degrees of its
   own, so round parts are smooth and edges stay sharp. */
static SlStatus fill_creased(SlSceneBuilder *b, const Swept *swept, SlError *error)
{
    const SlPiece *piece = swept->piece;
    size_t corners = 3 * piece->triangle_count;
    SlArenaMark mark = sl_arena_mark(b->arena);
    uint32_t *start = SL_PUSH(b->arena, uint32_t, piece->vertex_count + 2);
    uint32_t *around = SL_PUSH(b->arena, uint32_t, corners);
    SlVec3 *faces = SL_PUSH(b->arena, SlVec3, piece->triangle_count);
    if (start == NULL || around == NULL || faces == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a mesh of %zu triangles",
                            piece->triangle_count);
    memset(start, 0, (piece->vertex_count + 2) * sizeof *start);
    for (size_t k = 0; k < corners; k++)
        start[piece->triangles[k] + 2]++;
    for (size_t k = 2; k < piece->vertex_count + 2; k++)
        start[k] += start[k - 1];
    for (size_t k = 0; k < corners; k++)
        around[start[piece->triangles[k] + 1]++] = (uint32_t)(k / 3);
    for (size_t t = 0; t < piece->triangle_count; t++)
        faces[t] = face_normal(piece, t);
    for (size_t k = 0; k < corners; k++) {
        uint32_t vertex = piece->triangles[k];
        SlVec3 own = sl_unit(faces[k / 3]), sum = {0, 0, 0};
        for (uint32_t j = start[vertex]; j < start[vertex + 1]; j++)
            if (sl_dot(own, sl_unit(faces[around[j]])) > 0.766f)
                sum = sl_add(sum, faces[around[j]]);
        SlVec3 normal = sl_unit(sum);
        set_vertex(b, swept, piece->first_vertex + k, vertex, &normal);
        b->triangles[3 * piece->first_triangle + k] = (uint32_t)(piece->first_vertex + k);
    }
    sl_arena_release(b->arena, mark);
    return SL_OK;
}

static SlStatus fill_piece(SlSceneBuilder *b, const SlPiece *piece, SlError *error)
{
    for (size_t t = 0; t < piece->triangle_count; t++)
        b->triangle_material[piece->first_triangle + t] = piece->material;
    Swept swept = sweep(b, piece);
    if (piece->normals == NULL)
        return fill_creased(b, &swept, error);
    for (size_t v = 0; v < piece->vertex_count; v++) {
        SlVec3 normal;
        memcpy(&normal, piece->normals + 3 * v, sizeof normal);
        set_vertex(b, &swept, piece->first_vertex + v, v, &normal);
    }
    for (size_t k = 0; k < 3 * piece->triangle_count; k++)
        b->triangles[3 * piece->first_triangle + k] =
            (uint32_t)(piece->first_vertex + piece->triangles[k]);
    return SL_OK;
}

SlStatus sl_scene_fill_pieces(SlSceneBuilder *b, SlError *error)
{
    for (size_t k = 0; k < b->piece_count; k++) {
        SlPiece *piece = &b->pieces[k];
        piece->first_vertex = b->vertex_count;
        piece->first_triangle = b->triangle_count;
        b->vertex_count += piece->normals != NULL ? piece->vertex_count : 3 * piece->triangle_count;
        b->triangle_count += piece->triangle_count;
    }
    b->positions = SL_PUSH(b->arena, float, 3 * b->vertex_count);
    b->normals = SL_PUSH(b->arena, float, 3 * b->vertex_count);
    b->motion = SL_PUSH(b->arena, float, 3 * b->vertex_count);
    b->triangles = SL_PUSH(b->arena, uint32_t, 3 * b->triangle_count);
    b->triangle_material = SL_PUSH(b->arena, uint16_t, b->triangle_count);
    if (b->positions == NULL || b->normals == NULL || b->motion == NULL || b->triangles == NULL ||
        b->triangle_material == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu triangles", b->triangle_count);
    SlStatus status = SL_OK;
    for (size_t k = 0; k < b->piece_count && status == SL_OK; k++)
        status = fill_piece(b, &b->pieces[k], error);
    return status;
}
