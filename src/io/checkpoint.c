/* Checkpoints: the arrays of a state view as sections of a container, and back. */
#include "sleet/checkpoint.h"

#include <string.h>

#include "io/records.h"

SlStatus sl_checkpoint_sources(SlArena *arena, const SlStateView *state, SlContainerHeader *head,
                               SlSource **out, size_t *count, SlError *error)
{
    sl_arena_reset(arena);
    SlSource *sources = SL_PUSH(arena, SlSource, state->item_count);
    if (sources == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to write a checkpoint");
    for (size_t k = 0; k < state->item_count; k++) {
        const SlStateItem *item = &state->items[k];
        sources[k] = (SlSource){.name = item->name,
                                .unit = item->unit,
                                .meaning = item->meaning,
                                .kind = item->type != 0 ? SL_SECTION_FIELD : SL_SECTION_STATE,
                                .type = item->type,
                                .system = item->system,
                                .element_bytes = item->element_bytes,
                                .stride = item->stride,
                                .count = item->count,
                                .data = item->data};
    }
    memset(head, 0, sizeof *head);
    head->kind = SL_CONTAINER_CHECKPOINT;
    head->frame = state->frame;
    head->time = state->time;
    memcpy(head->domain, &state->domain, sizeof head->domain);
    head->system_count = state->system_count;
    *out = sources;
    *count = state->item_count;
    return SL_OK;
}

struct SlCheckpoint {
    SlContainer container;
    SlStateView state;
    SlStateItem *items;
    char **decoded; /* one per section, into `values` */
    char *values;
    size_t value_bytes;
};

static size_t room_of(const SlSection *s)
{
    return (size_t)(s->count * s->element_bytes + SL_ALIGNMENT) / SL_ALIGNMENT * SL_ALIGNMENT;
}

static bool allocate(SlCheckpoint *checkpoint)
{
    const SlContainer *c = &checkpoint->container;
    SlMemory *memory = &c->context->memory;
    size_t count = (size_t)c->header.section_count + 1;
    for (uint32_t k = 0; k < c->header.section_count; k++)
        checkpoint->value_bytes += room_of(&c->sections[k]);
    checkpoint->items = sl_alloc_zero(memory, count, sizeof *checkpoint->items);
    checkpoint->decoded = sl_alloc_zero(memory, count, sizeof *checkpoint->decoded);
    checkpoint->values = sl_alloc(memory, checkpoint->value_bytes + 1);
    if (checkpoint->items == NULL || checkpoint->decoded == NULL || checkpoint->values == NULL)
        return false;
    char *at = checkpoint->values;
    for (uint32_t k = 0; k < c->header.section_count; k++) {
        checkpoint->decoded[k] = at;
        at += room_of(&c->sections[k]);
    }
    return true;
}

static void fill_state(SlCheckpoint *checkpoint)
{
    const SlContainer *c = &checkpoint->container;
    for (uint32_t k = 0; k < c->header.section_count; k++) {
        const SlSection *s = &c->sections[k];
        checkpoint->items[k] = (SlStateItem){.name = s->name,
                                             .unit = s->unit,
                                             .meaning = s->meaning,
                                             .system = s->system,
                                             .type = s->type,
                                             .element_bytes = s->element_bytes,
                                             .stride = s->element_bytes,
                                             .count = (size_t)s->count,
                                             .data = checkpoint->decoded[k]};
    }
    checkpoint->state = (SlStateView){.frame = c->header.frame,
                                      .time = c->header.time,
                                      .system_count = c->header.system_count,
                                      .items = checkpoint->items,
                                      .item_count = c->header.section_count};
    memcpy(&checkpoint->state.domain, c->header.domain, sizeof c->header.domain);
}

SlStatus sl_checkpoint_read(SlContext *context, const char *path, SlCheckpoint **out,
                            SlError *error)
{
    *out = NULL;
    SlCheckpoint *checkpoint = sl_alloc_zero(&context->memory, 1, sizeof *checkpoint);
    if (checkpoint == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to read it", path);
    SlContainer *c = &checkpoint->container;
    c->context = context;
    SlStatus status = sl_container_open(context, path, SL_CONTAINER_CHECKPOINT, c, error);
    if (status == SL_OK && !allocate(checkpoint))
        status = sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to read it", path);
    if (status == SL_OK)
        status = sl_container_decode(c, path, checkpoint->decoded, error);
    if (status != SL_OK) {
        sl_checkpoint_destroy(checkpoint);
        return status;
    }
    fill_state(checkpoint);
    *out = checkpoint;
    return SL_OK;
}

const SlStateView *sl_checkpoint_state(const SlCheckpoint *checkpoint)
{
    return &checkpoint->state;
}

void sl_checkpoint_destroy(SlCheckpoint *checkpoint)
{
    if (checkpoint == NULL)
        return;
    SlContainer *c = &checkpoint->container;
    SlMemory *memory = &c->context->memory;
    size_t count = (size_t)c->header.section_count + 1;
    sl_free(memory, checkpoint->items, count * sizeof *checkpoint->items);
    sl_free(memory, checkpoint->decoded, count * sizeof *checkpoint->decoded);
    sl_free(memory, checkpoint->values, checkpoint->value_bytes + 1);
    sl_container_close(c);
    sl_free(memory, checkpoint, sizeof *checkpoint);
}
