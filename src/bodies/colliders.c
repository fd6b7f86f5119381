/* The index of bodies: colliders added, moved and removed. Before each sub-step bodies go to where
   they are at its end. */
#include "bodies/colliders.h"

#include <math.h>
#include <stdio.h>

#include "core/hash.h"

void sl_colliders_init(SlColliders *c, SlContext *context, SlBox domain, float friction, bool sticky)
{
    c->context = context;
    c->bodies.count = 1;
    c->bodies.body[0] = (SlBody){.kind = SL_BODY_DOMAIN,
                                 .friction = friction,
                                 .sticky = sticky,
                                 .bounds = domain,
                                 .frame = {.sides = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                 .start = {.sides = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                 .name = "domain"};
}

static SlBody *body_of(SlColliders *c, uint32_t slot)
{
    return &c->bodies.body[slot + 1];
}

/* --- Placing a body --- */

bool sl_colliders_displacement(const SlColliders *c, uint32_t slot, SlInterpolation interval,
                               double time, SlDisplacement *at)
{
    const SlCollider *collider = c->items[slot];
    const SlTarget *target = &c->targets[slot];
    *at = (SlDisplacement){.rotation = {0, 0, 0, 1}};
    if (target->set) {
        double fraction = interval.length > 0 ? (time - interval.begin) / interval.length : 0;
        /* Within rounding: the last sub-step ends at the target itself. */
        fraction = fraction > 1 - 1e-9 ? 1 : fmax(fraction, 0);
        *at = sl_displacement_between(&target->from, &target->to, fraction);
        return true;
    }
    if (collider->path != NULL)
        *at = sl_motion_at(collider->path, time);
    return collider->path != NULL;
}

static SlBodyFrame shape_frame(const SlShape *shape)
{
    SlBodyFrame frame = {.origin = shape->center};
    sl_shape_frame(shape, frame.sides);
    return frame;
}

static SlBodyFrame field_frame(const SlDisplacement *at)
{
    return (SlBodyFrame){sl_displacement_point(at, sl_vec3(0, 0, 0)),
                         {sl_quat_rotate(at->rotation, sl_vec3(1, 0, 0)),
                          sl_quat_rotate(at->rotation, sl_vec3(0, 1, 0)),
                          sl_quat_rotate(at->rotation, sl_vec3(0, 0, 1))}};
}

static void place_shape(SlBody *body, const SlShape *shape)
{
    body->shape = *shape;
    body->bounds = sl_shape_bounds(shape);
    body->center = shape->center;
    body->frame = shape_frame(shape);
}

static void place_field(SlBody *body, const SlDisplacement *to)
{
    body->frame = field_frame(to);
    SlVec3 m = sl_scale(sl_add(body->bounds.min, body->bounds.max), 0.5f), at = body->frame.origin;
    for (int k = 0; k < 3; k++)
        at = sl_add(at, sl_scale(body->frame.sides[k], (&m.x)[k]));
    body->center = at;
}

/* The frame that boundary volumes are measured in: when added, or at time 0 of the path. */
static void set_start(SlColliders *c, uint32_t slot)
{
    const SlCollider *collider = c->items[slot];
    SlBody *body = body_of(c, slot);
    SlDisplacement at = {.rotation = {0, 0, 0, 1}};
    if (collider->path != NULL)
        at = sl_motion_at(collider->path, 0);
    body->start_shape = collider->rest_shape;
    if (collider->path != NULL)
        body->start_shape = sl_displacement_shape(&at, &collider->rest_shape);
    body->start = body->kind == SL_BODY_FIELD ? field_frame(&at) : shape_frame(&body->start_shape);
}

static void move_body(SlColliders *c, uint32_t slot, SlInterpolation interval, double time,
                      double dt)
{
    SlCollider *collider = c->items[slot];
    SlBody *body = body_of(c, slot);
    SlDisplacement from, to;
    bool displaced = sl_colliders_displacement(c, slot, interval, time, &from);
    sl_colliders_displacement(c, slot, interval, time + dt, &to);
    body->motion = (SlBodyMotion){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (dt > 0)
        sl_displacement_rates(&from, &to, dt, &body->motion.velocity, &body->motion.spin);
    body->motion.pivot = sl_add(from.pivot, from.position);
    if (body->kind == SL_BODY_FIELD) {
        sl_collider_take_form(collider, time + dt, body);
        place_field(body, &to);
    } else if (displaced) {
        SlShape moved = sl_displacement_shape(&to, &collider->rest_shape);
        place_shape(body, &moved);
    }
}

void sl_colliders_move(SlColliders *c, SlInterpolation interval, double time, double dt)
{
    for (uint32_t k = 0; k + 1 < c->bodies.count; k++)
        if (c->items[k] != NULL && (c->bodies.body[k + 1].moves || c->items[k]->deform != NULL))
            move_body(c, k, interval, time, dt);
}

/* --- Adding and removing --- */

/* After the start, what solvers made of the set of bodies is out of date. */
static void note_change(SlColliders *c)
{
    c->bodies.revision += c->started;
}

/* A slot for a new collider; the lowest that is unused. */
static SlStatus take_slot(SlColliders *c, uint32_t *slot, SlError *error)
{
    for (uint32_t k = 0; k < SL_MAX_COLLIDERS; k++)
        if (c->items[k] == NULL) {
            SlCollider *collider = sl_alloc_zero(&c->context->memory, 1, sizeof *collider);
            if (collider == NULL)
                return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a collider");
            collider->material = sl_default_material(SL_MATERIAL_SOLID);
            c->items[k] = collider;
            c->targets[k] = (SlTarget){.set = 0};
            c->generations[k] += c->generations[k] == 0;
            *slot = k;
            return SL_OK;
        }
    return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d colliders fit in a world",
                        SL_MAX_COLLIDERS);
}

static void set_rest_pose(SlCollider *collider, SlVec3 position, const double rotation[4])
{
    memcpy(collider->rest_rotation, rotation, sizeof collider->rest_rotation);
    collider->rest_pose = (SlPose){position, sl_quat_write(rotation)};
}

static void enter(SlColliders *c, uint32_t slot, const SlBody *body)
{
    c->bodies.body[slot + 1] = *body;
    c->bodies.count = c->bodies.count > slot + 2 ? c->bodies.count : slot + 2;
    set_start(c, slot);
    note_change(c);
}

static size_t heights_of(const SlShape *shape)
{
    return (size_t)shape->columns * shape->rows;
}

static void free_slot(SlColliders *c, uint32_t slot)
{
    SlCollider *collider = c->items[slot];
    sl_motion_release(collider->path);
    sl_collider_free_mesh(collider);
    sl_free(&c->context->memory, collider->heights,
            heights_of(&collider->rest_shape) * sizeof *collider->heights);
    sl_free(&c->context->memory, collider, sizeof *collider);
    c->items[slot] = NULL;
    c->targets[slot] = (SlTarget){.set = 0};
}

/* Copies what the shape refers to, and makes its triangles where it is drawn by them. */
static SlStatus take_shape(SlColliders *c, SlCollider *collider, SlShape *shape, SlError *error)
{
    const SlShapeType *type = sl_shape_type(shape->kind);
    if (!type->arrays) {
        shape->heights = NULL;
        shape->columns = shape->rows = 0;
    }
    size_t bytes = heights_of(shape) * sizeof *collider->heights;
    if (type->arrays) {
        collider->heights = sl_alloc(&c->context->memory, bytes);
        if (collider->heights == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a height field");
        memcpy(collider->heights, shape->heights, bytes);
        shape->heights = collider->heights;
    }
    collider->rest_shape = *shape;
    if (!type->as_mesh)
        return SL_OK;
    SlVec3 center;
    float radius;
    type->ball(shape, &center, &radius);
    return type->mesh(c->context, shape, 0.1f * radius, type->bounds(shape), &collider->mesh, error);
}

SlStatus sl_colliders_add_shape(SlColliders *c, const SlShape *shape, uint32_t *slot, SlError *error)
{
    SlShape prepared = *shape;
    const char *reason;
    if (!sl_shape_prepare(&prepared, &reason))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s: %s", sl_shape_kind_name(prepared.kind),
                            reason);
    SlStatus status = take_slot(c, slot, error);
    if (status == SL_OK && (status = take_shape(c, c->items[*slot], &prepared, error)) != SL_OK)
        free_slot(c, *slot);
    if (status != SL_OK)
        return status;
    SlBody body = {.kind = SL_BODY_SHAPE,
                   .type = sl_shape_type(prepared.kind),
                   .friction = prepared.friction,
                   .sticky = prepared.sticky};
    snprintf(body.name, sizeof body.name, "shape%u", ++c->shapes_added);
    place_shape(&body, &prepared);
    double rotation[4];
    sl_quat_from_axes(body.frame.sides[0], body.frame.sides[1], body.frame.sides[2], rotation);
    set_rest_pose(c->items[*slot], prepared.center, rotation);
    enter(c, *slot, &body);
    return SL_OK;
}

SlStatus sl_colliders_add_mesh(SlColliders *c, const SlMeshColliderDef *def, uint32_t *slot,
                               SlError *error)
{
    SlStatus status = take_slot(c, slot, error);
    if (status != SL_OK)
        return status;
    SlCollider *collider = c->items[*slot];
    status = sl_collider_take_mesh(c->context, collider, def, error);
    if (status == SL_OK && c->started)
        status = sl_collider_build_field(c->context, collider, c->spacing, error);
    if (status != SL_OK) {
        free_slot(c, *slot);
        return status;
    }
    SlBody body = {.kind = SL_BODY_FIELD,
                   .friction = def->friction,
                   .sticky = def->sticky,
                   .hollow = def->hollow,
                   .mesh = collider->deform == NULL ? &collider->mesh : NULL};
    snprintf(body.name, sizeof body.name, "mesh%u", ++c->meshes_added);
    double rotation[4];
    sl_quat_from_vector(def->rotation, rotation);
    set_rest_pose(collider, def->position, rotation);
    enter(c, *slot, &body);
    move_body(c, *slot, (SlInterpolation){0, 0}, 0, 0);
    return SL_OK;
}

void sl_colliders_remove(SlColliders *c, uint32_t slot)
{
    free_slot(c, slot);
    c->generations[slot]++;
    c->generations[slot] += c->generations[slot] == 0; /* 0 is no generation */
    *body_of(c, slot) = (SlBody){.kind = SL_BODY_NONE,
                                 .bounds = {{INFINITY, INFINITY, INFINITY},
                                            {-INFINITY, -INFINITY, -INFINITY}}};
    while (c->bodies.count > 1 && c->bodies.body[c->bodies.count - 1].kind == SL_BODY_NONE)
        c->bodies.count--;
    note_change(c);
}

void sl_colliders_destroy(SlColliders *c)
{
    for (uint32_t k = 0; k < SL_MAX_COLLIDERS; k++)
        if (c->items[k] != NULL)
            free_slot(c, k);
}

void sl_colliders_set_name(SlColliders *c, uint32_t slot, const char *name)
{
    snprintf(body_of(c, slot)->name, SL_BODY_NAME, "%s", name);
}

/* --- Motion --- */

static void note_moving(SlColliders *c, uint32_t slot)
{
    SlBody *body = body_of(c, slot);
    if (!body->moves)
        note_change(c);
    body->moves = true;
}

SlStatus sl_colliders_set_motion(SlColliders *c, uint32_t slot, const SlMotionDef *def, double now,
                                 SlError *error)
{
    SlMotion *motion;
    SlCollider *collider = c->items[slot];
    SlStatus status = sl_motion_create(c->context, def, &motion, error);
    if (status != SL_OK)
        return status;
    sl_motion_release(collider->path);
    collider->path = motion;
    c->targets[slot] = (SlTarget){.set = 0};
    set_start(c, slot);
    note_moving(c, slot);
    move_body(c, slot, (SlInterpolation){now, 0}, now, 0);
    return SL_OK;
}

void sl_colliders_retain_paths(const SlColliders *c, SlMotion *paths[SL_MAX_COLLIDERS])
{
    for (uint32_t slot = 0; slot < SL_MAX_COLLIDERS; slot++)
        paths[slot] = c->items[slot] != NULL ? sl_motion_retain(c->items[slot]->path) : NULL;
}

void sl_colliders_take_paths(SlColliders *c, SlMotion *const paths[SL_MAX_COLLIDERS])
{
    for (uint32_t slot = 0; slot < SL_MAX_COLLIDERS; slot++) {
        SlCollider *collider = c->items[slot];
        if (collider == NULL || collider->path == paths[slot])
            continue;
        sl_motion_release(collider->path);
        collider->path = sl_motion_retain(paths[slot]);
        set_start(c, slot);
    }
}

/* The displacement that leads the collider from where it was added to a world pose: about its own
   origin. */
static SlDisplacement displacement_to(const SlCollider *collider, SlVec3 position,
                                      const double rotation[4])
{
    SlVec3 rest = collider->rest_pose.position;
    SlDisplacement to = {.pivot = rest, .position = sl_sub(position, rest)};
    sl_quat_between(collider->rest_rotation, rotation, to.rotation);
    return to;
}

SlStatus sl_colliders_set_pose(SlColliders *c, uint32_t slot, const SlPose *pose, double now,
                               bool teleport, SlError *error)
{
    double rotation[4];
    if (!sl_finite(pose->position) || !sl_quat_read(pose->rotation, rotation))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "a collider's pose needs a finite position and a unit quaternion; its "
                            "length may be from 0.5 to 2");
    SlTarget *target = &c->targets[slot];
    SlDisplacement here, to = displacement_to(c->items[slot], pose->position, rotation);
    if (target->set)
        here = target->from;
    else
        sl_colliders_displacement(c, slot, (SlInterpolation){now, 0}, now, &here);
    /* Both about the new pivot, so that the way between them is that of one point. */
    target->from = teleport ? to : sl_displacement_between(&here, &to, 0);
    target->to = to;
    target->set = 1;
    note_moving(c, slot);
    if (teleport)
        move_body(c, slot, (SlInterpolation){now, 0}, now, 0);
    return SL_OK;
}

SlPose sl_colliders_pose(const SlColliders *c, uint32_t slot)
{
    const SlCollider *collider = c->items[slot];
    const SlBody *body = &c->bodies.body[slot + 1];
    double rotation[4];
    const SlBodyFrame *frame = &body->frame;
    sl_quat_from_axes(frame->sides[0], frame->sides[1], frame->sides[2], rotation);
    if (body->kind == SL_BODY_SHAPE)
        return (SlPose){frame->origin, sl_quat_write(rotation)};
    sl_quat_multiply(rotation, collider->rest_rotation, rotation);
    return (SlPose){sl_frame_point(frame, collider->rest_pose.position), sl_quat_write(rotation)};
}

void sl_colliders_reach_targets(SlColliders *c)
{
    for (uint32_t k = 0; k + 1 < c->bodies.count; k++)
        c->targets[k].from = c->targets[k].to;
}

/* --- Start --- */

SlStatus sl_colliders_start(SlColliders *c, double spacing, SlError *error)
{
    c->spacing = spacing;
    for (uint32_t k = 0; k + 1 < c->bodies.count; k++) {
        if (c->items[k] == NULL || body_of(c, k)->kind != SL_BODY_FIELD || c->items[k]->has_field)
            continue; /* it may have one from a start that was stopped */
        SlStatus status = sl_collider_build_field(c->context, c->items[k], spacing, error);
        if (status != SL_OK)
            return status;
        move_body(c, k, (SlInterpolation){0, 0}, 0, 0);
    }
    c->started = true;
    return SL_OK;
}

uint64_t sl_colliders_bytes(const SlColliders *c, double spacing)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; k + 1 < c->bodies.count; k++)
        if (c->items[k] != NULL && c->bodies.body[k + 1].kind == SL_BODY_FIELD)
            bytes += sl_collider_field_bytes(c->items[k], spacing);
    return bytes;
}

/* --- State --- */

static bool displacement_valid(const SlDisplacement *d)
{
    const double *q = d->rotation;
    double length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return sl_finite(d->position) && sl_finite(d->pivot) && fabs(length - 1) < 1e-6;
}

bool sl_colliders_targets_valid(const SlColliders *c)
{
    for (uint32_t k = 0; k < SL_MAX_COLLIDERS; k++) {
        const SlTarget *target = &c->targets[k];
        if (target->set > 1 || (target->set == 1 && (!displacement_valid(&target->from) ||
                                                     !displacement_valid(&target->to))))
            return false;
    }
    return true;
}

void sl_colliders_restored(SlColliders *c)
{
    for (uint32_t k = 0; k + 1 < c->bodies.count; k++) {
        SlBody *body = body_of(c, k);
        bool moves = c->items[k] != NULL && (c->items[k]->path != NULL || c->targets[k].set != 0);
        if (moves != body->moves)
            note_change(c);
        body->moves = moves;
        if (moves || c->items[k] == NULL)
            continue;
        body->motion = (SlBodyMotion){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}; /* it rests as added */
        if (body->kind == SL_BODY_SHAPE)
            place_shape(body, &c->items[k]->rest_shape);
        else
            place_field(body, &(SlDisplacement){.rotation = {0, 0, 0, 1}});
    }
}

static uint64_t hash_displacement(const SlDisplacement *d, uint64_t hash)
{
    hash = sl_hash(&d->position, sizeof d->position, hash);
    hash = sl_hash(&d->pivot, sizeof d->pivot, hash);
    return sl_hash(d->rotation, sizeof d->rotation, hash);
}

uint64_t sl_colliders_hash(const SlColliders *c, uint64_t hash)
{
    for (uint32_t k = 0; k + 1 < c->bodies.count; k++) {
        const SlTarget *target = &c->targets[k];
        if (!target->set)
            continue;
        hash = sl_hash(&k, sizeof k, hash);
        hash = hash_displacement(&target->to, hash_displacement(&target->from, hash));
    }
    return hash;
}

uint64_t sl_colliders_set_hash(const SlColliders *c)
{
    uint64_t hash = 0;
    for (uint32_t k = 0; k < SL_MAX_COLLIDERS; k++)
        if (c->items[k] != NULL) {
            hash = sl_hash(&k, sizeof k, hash);
            hash = sl_hash(&c->generations[k], sizeof c->generations[k], hash);
        }
    return hash;
}
