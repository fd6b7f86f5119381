/* Encoding a container: chunks side by side, each into a slot of its full size, then moved
   together. What a chunk becomes depends on nothing but its values. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "io/codec.h"

struct SlEncoder {
    SlContext *context;
    uint32_t workers;
    size_t scratch_bytes; /* of one worker */
    char *scratch;
};

SlStatus sl_encoder_create(SlContext *context, SlEncoder **out, SlError *error)
{
    *out = NULL;
    SlEncoder *encoder = sl_alloc_zero(&context->memory, 1, sizeof *encoder);
    if (encoder != NULL) {
        encoder->context = context;
        encoder->workers = sl_pool_workers(context->pool);
        size_t each = sl_codec_words_bytes() + sl_codec_encoder_bytes();
        encoder->scratch_bytes = (each + SL_ALIGNMENT - 1) / SL_ALIGNMENT * SL_ALIGNMENT;
        encoder->scratch = sl_alloc(&context->memory, encoder->workers * encoder->scratch_bytes);
    }
    if (encoder == NULL || encoder->scratch == NULL) {
        sl_encoder_destroy(encoder);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to encode files");
    }
    *out = encoder;
    return SL_OK;
}

void sl_encoder_destroy(SlEncoder *encoder)
{
    if (encoder == NULL)
        return;
    SlMemory *memory = &encoder->context->memory;
    sl_free(memory, encoder->scratch, encoder->workers * encoder->scratch_bytes);
    sl_free(memory, encoder, sizeof *encoder);
}

typedef struct Encoding {
    SlEncoder *encoder;
    const SlSource *sources;
    const SlSection *sections;
    size_t section_count;
    SlChunk *chunks;
    uint64_t chunk_count;
    char *file; /* chunks[k].offset is the slot of chunk k until all are done */
    _Atomic uint64_t next;
} Encoding;

static uint32_t chunk_elements(const SlSection *section, uint64_t chunk)
{
    uint64_t begin = (chunk - section->first_chunk) * SL_CHUNK_ELEMENTS;
    uint64_t left = section->count - begin;
    return (uint32_t)(left < SL_CHUNK_ELEMENTS ? left : SL_CHUNK_ELEMENTS);
}

/* One worker's share: the next chunk that nobody has taken, until there is none. */
static void encode_some(void *argument, size_t begin, size_t end, size_t worker)
{
    (void)begin, (void)end;
    Encoding *e = argument;
    char *room = e->encoder->scratch + worker * e->encoder->scratch_bytes;
    SlCodecScratch scratch = {.words = room + sl_codec_encoder_bytes(),
                              .encoder = sl_codec_encoder(room)};
    SL_ASSERT(scratch.encoder != NULL);
    size_t section = 0;
    for (uint64_t k; (k = atomic_fetch_add(&e->next, 1)) < e->chunk_count;) {
        while (k >= e->sections[section].first_chunk + e->sections[section].chunk_count)
            section++;
        const SlSection *s = &e->sections[section];
        uint64_t slot = e->chunks[k].offset;
        sl_codec_encode(&e->sources[section], (k - s->first_chunk) * SL_CHUNK_ELEMENTS,
                        chunk_elements(s, k), &scratch, e->file + slot, &e->chunks[k]);
        e->chunks[k].offset = slot;
    }
}

static uint64_t fill_section(SlSection *section, const SlSource *source, uint64_t first_chunk)
{
    memset(section, 0, sizeof *section);
    snprintf(section->name, sizeof section->name, "%s", source->name);
    snprintf(section->unit, sizeof section->unit, "%s", source->unit);
    snprintf(section->meaning, sizeof section->meaning, "%s", source->meaning);
    section->kind = source->kind;
    section->type = source->type;
    section->system = source->system;
    section->element_bytes = source->element_bytes;
    section->count = source->count;
    section->first_chunk = first_chunk;
    section->chunk_count = sl_chunk_count(source->count, SL_CHUNK_ELEMENTS);
    return first_chunk + section->chunk_count;
}

/* Closes the gaps between slots; returns the end of the last chunk. */
static uint64_t move_together(char *file, SlChunk *chunks, uint64_t count, uint64_t at)
{
    for (uint64_t k = 0; k < count; k++) {
        memmove(file + at, file + chunks[k].offset, chunks[k].stored_bytes);
        chunks[k].offset = at;
        at += chunks[k].stored_bytes;
    }
    return at;
}

SlStatus sl_container_encode(SlEncoder *encoder, const SlContainerHeader *head,
                             const SlSource *sources, size_t source_count, SlFileQueue *queue,
                             size_t *bytes, SlError *error)
{
    if (source_count > SL_MOST_SECTIONS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "a file holds at most %d sections",
                            SL_MOST_SECTIONS);
    uint64_t chunk_count = 0, slots = 0;
    for (size_t k = 0; k < source_count; k++) {
        SL_ASSERT(sources[k].element_bytes <= SL_MOST_ELEMENT_BYTES);
        chunk_count += sl_chunk_count(sources[k].count, SL_CHUNK_ELEMENTS);
        slots += sources[k].count * sources[k].element_bytes;
    }
    size_t directory = source_count * sizeof(SlSection), table = chunk_count * sizeof(SlChunk);
    uint64_t first = sizeof(SlContainerHeader) + directory + table;
    SlError queue_error = {SL_OK, ""};
    char *file = sl_file_queue_buffer(queue, first + slots, &queue_error);
    if (file == NULL)
        return sl_error_set(error, queue_error.status, "%s", queue_error.text);

    /* The buffer is aligned to 64 bytes, and the tables begin at multiples of 8. */
    SlSection *sections = (SlSection *)(void *)(file + sizeof(SlContainerHeader));
    SlChunk *chunks = (SlChunk *)(void *)(file + sizeof(SlContainerHeader) + directory);
    uint64_t next_chunk = 0, slot = first;
    for (size_t k = 0; k < source_count; k++) {
        next_chunk = fill_section(&sections[k], &sources[k], next_chunk);
        for (uint64_t c = sections[k].first_chunk; c < next_chunk; c++) {
            chunks[c].offset = slot;
            slot += (uint64_t)chunk_elements(&sections[k], c) * sources[k].element_bytes;
        }
    }
    Encoding encoding = {encoder, sources, sections, source_count, chunks, chunk_count, file, 0};
    sl_parallel_for(encoder->context->pool, encoder->workers, 1, encode_some, &encoding);

    SlContainerHeader header = *head;
    memcpy(header.magic, SL_CONTAINER_MAGIC, 8);
    header.version = SL_CONTAINER_VERSION;
    header.section_count = (uint32_t)source_count;
    header.chunk_elements = SL_CHUNK_ELEMENTS;
    header.chunk_count = chunk_count;
    header.file_bytes = move_together(file, chunks, chunk_count, first);
    uint64_t seed = sl_hash(&header, offsetof(SlContainerHeader, checksum), 0);
    seed = sl_hash(sections, directory, seed);
    header.checksum = sl_hash(chunks, table, seed);
    memcpy(file, &header, sizeof header);
    *bytes = (size_t)header.file_bytes;
    return SL_OK;
}

SlStatus sl_container_write(SlContext *context, const char *path, const SlContainerHeader *head,
                            const SlSource *sources, size_t source_count, SlError *error)
{
    SlEncoder *encoder = NULL;
    SlFileQueue *queue = NULL;
    size_t bytes;
    SlStatus status = sl_encoder_create(context, &encoder, error);
    if (status == SL_OK)
        status = sl_file_queue_create(&context->memory, &context->file_layer, &queue, error);
    if (status == SL_OK)
        status = sl_container_encode(encoder, head, sources, source_count, queue, &bytes, error);
    if (status == SL_OK) {
        sl_file_queue_write(queue, path, bytes);
        status = sl_file_queue_wait(queue, error);
    }
    sl_file_queue_destroy(queue);
    sl_encoder_destroy(encoder);
    return status;
}
