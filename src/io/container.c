/* Encoding a container: chunks in parallel, each into a slot of its full size, then moved together.
   The bytes of a chunk depend on its values only. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "io/codec.h"
#include "math/vec3.h"

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

/* One worker: takes the next chunk until there is none. */
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
    if (source_count > SL_MAX_SECTIONS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "a file holds at most %d sections",
                            SL_MAX_SECTIONS);
    uint64_t chunk_count = 0, slots = 0;
    for (size_t k = 0; k < source_count; k++) {
        SL_ASSERT(sources[k].element_bytes <= SL_MAX_ELEMENT_BYTES);
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

/* --- Reading a container: nothing in the file is trusted. Sizes are checked against the file's own
   before they are used; every byte of the file is under a checksum. --- */

static const char *const kind_names[] = {[0] = "file",
                                         [SL_CONTAINER_FRAME] = "frame file",
                                         [SL_CONTAINER_CHECKPOINT] = "checkpoint",
                                         [SL_CONTAINER_MESH] = "mesh file"};

static bool known_kind(uint32_t kind)
{
    return kind >= SL_CONTAINER_FRAME && kind <= SL_CONTAINER_MESH;
}

SlStatus sl_container_broken(const char *path, SlContainerKind kind, const char *what,
                             SlError *error)
{
    return sl_error_set(error, SL_ERROR_PARSE, "%.300s: not a valid %s: %s", path,
                        kind_names[known_kind(kind) ? kind : 0], what);
}

static bool ends_in_zero(const char *text, size_t size)
{
    return memchr(text, 0, size) != NULL;
}

static const char *check_header(const SlContainer *c, SlContainerKind kind)
{
    const SlContainerHeader *h = &c->header;
    static const char *const other_kinds[] = {[0] = "its kind is not known to this program",
                                              [SL_CONTAINER_FRAME] = "it is a frame",
                                              [SL_CONTAINER_CHECKPOINT] = "it is a checkpoint",
                                              [SL_CONTAINER_MESH] = "it is a mesh file"};
    if (h->kind != kind)
        return other_kinds[known_kind(h->kind) ? h->kind : 0];
    if (h->file_bytes != c->file_bytes)
        return "its length is not what its header says";
    size_t left = c->file_bytes - sizeof *h;
    if (h->section_count > SL_MAX_SECTIONS || h->system_count > h->section_count ||
        h->section_count > left / sizeof(SlSection))
        return "its directory is longer than the file";
    left -= h->section_count * sizeof(SlSection);
    if (h->chunk_count > left / sizeof(SlChunk))
        return "its chunk table is longer than the file";
    if (h->chunk_elements != SL_CHUNK_ELEMENTS)
        return "its chunks are of another size than this program's";
    return NULL;
}

static const char *check_values(const SlContainerHeader *h)
{
    for (int k = 0; k < 3; k++)
        if (!(h->domain[k] <= h->domain[k + 3])) /* an open side is infinite; NaN fails */
            return "its domain's minimum is not below its maximum";
    return isfinite(h->time) ? NULL : "its time is not a finite number";
}

static bool has_owner(const SlContainer *c, const SlSection *s)
{
    if (s->kind == SL_SECTION_VERTICES)
        return s->system < c->header.collider_count;
    if (s->kind == SL_SECTION_SURFACE_DATA)
        return true; /* the frame knows how many surfaces there are */
    bool of_system = s->kind == SL_SECTION_SYSTEM || s->kind == SL_SECTION_FIELD;
    return s->system < c->header.system_count + (of_system ? 0 : 1);
}

static const char *check_sections(const SlContainer *c)
{
    uint64_t next = 0;
    for (uint32_t k = 0; k < c->header.section_count; k++) {
        const SlSection *s = &c->sections[k];
        if (!ends_in_zero(s->name, sizeof s->name) || !ends_in_zero(s->unit, sizeof s->unit) ||
            !ends_in_zero(s->meaning, sizeof s->meaning))
            return "a text has no final zero";
        if (s->kind < SL_SECTION_SYSTEM || s->kind >= SL_SECTION_KIND_COUNT || s->type > 3)
            return "a section is of no known kind or type";
        if (s->element_bytes == 0 || s->element_bytes > SL_MAX_ELEMENT_BYTES ||
            (s->type != 0 && s->element_bytes != 4 * sl_codec_lanes(s->type)))
            return "a section's elements have no known size";
        if (!has_owner(c, s))
            return "a section belongs to no system or collider";
        if (s->first_chunk != next || s->chunk_count > c->header.chunk_count - next ||
            s->count > s->chunk_count * SL_CHUNK_ELEMENTS ||
            sl_chunk_count(s->count, SL_CHUNK_ELEMENTS) != s->chunk_count)
            return "the chunks of sections overlap or leave a gap";
        next += s->chunk_count;
    }
    return next == c->header.chunk_count ? NULL : "a chunk belongs to no section";
}

/* Chunks fill the rest of the file without a gap. */
static const char *check_chunks(const SlContainer *c)
{
    uint64_t at = sizeof c->header + c->header.section_count * sizeof(SlSection) +
                  c->header.chunk_count * sizeof(SlChunk);
    for (uint64_t k = 0; k < c->header.chunk_count; k++) {
        if (c->chunks[k].offset != at || c->chunks[k].stored_bytes > c->file_bytes - at)
            return "a chunk lies outside the file";
        at += c->chunks[k].stored_bytes;
    }
    return at == c->file_bytes ? NULL : "bytes follow the last chunk";
}

static const char *check_head(SlContainer *c, SlContainerKind kind)
{
    if (c->file_bytes < sizeof c->header)
        return "too short for a header";
    memcpy(&c->header, c->file, sizeof c->header);
    if (memcmp(c->header.magic, SL_CONTAINER_MAGIC, 8) != 0)
        return "it does not begin with the bytes of one";
    const char *wrong = check_header(c, kind);
    if (wrong != NULL)
        return wrong;
    size_t directory = c->header.section_count * sizeof(SlSection);
    size_t table = (size_t)c->header.chunk_count * sizeof(SlChunk);
    c->sections = (const SlSection *)(const void *)(c->file + sizeof c->header);
    c->chunks = (const SlChunk *)(const void *)(c->file + sizeof c->header + directory);
    uint64_t seed = sl_hash(&c->header, offsetof(SlContainerHeader, checksum), 0);
    if (sl_hash(c->chunks, table, sl_hash(c->sections, directory, seed)) != c->header.checksum)
        return "the checksum of its head is wrong";
    if ((wrong = check_values(&c->header)) == NULL && (wrong = check_sections(c)) == NULL)
        wrong = check_chunks(c);
    return wrong;
}

/* It begins like a container, but of another version. */
static bool other_version(SlContainer *c)
{
    size_t bytes = offsetof(SlContainerHeader, version) + sizeof c->header.version;
    if (c->file_bytes < bytes || memcmp(c->file, SL_CONTAINER_MAGIC, 8) != 0)
        return false;
    memcpy(&c->header, c->file, bytes);
    return c->header.version != SL_CONTAINER_VERSION;
}

SlStatus sl_container_open(SlContext *context, const char *path, SlContainerKind kind,
                           SlContainer *container, SlError *error)
{
    memset(container, 0, sizeof *container);
    container->context = context;
    SlStatus status = sl_file_read(&context->memory, path, (uint64_t)1 << 42, &container->file,
                                   &container->file_bytes, error);
    if (status != SL_OK)
        return status;
    if (other_version(container)) {
        uint32_t version = container->header.version;
        sl_container_close(container);
        return sl_error_set(error, SL_ERROR_PARSE,
                            version < SL_CONTAINER_VERSION
                                ? "%.300s: version %u files were written by an older Sleet; this one "
                                  "reads version %d. Run the scene again, or read the file with the "
                                  "Sleet that wrote it"
                                : "%.300s: version %u is not known to this Sleet, which reads version "
                                  "%d; the file is damaged or from a newer Sleet",
                            path, version, SL_CONTAINER_VERSION);
    }
    const char *wrong = check_head(container, kind);
    if (wrong == NULL)
        return SL_OK;
    sl_container_close(container);
    return sl_container_broken(path, kind, wrong, error);
}

void sl_container_close(SlContainer *container)
{
    if (container->file != NULL)
        sl_free(&container->context->memory, container->file, container->file_bytes + 1);
    container->file = NULL;
}

bool sl_container_checksum(const char *path, SlContainerKind kind, uint64_t *checksum)
{
    SlContainerHeader header;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    bool read = fread(&header, sizeof header, 1, file) == 1;
    fclose(file);
    *checksum = header.checksum;
    return read && memcmp(header.magic, SL_CONTAINER_MAGIC, 8) == 0 &&
           header.version == SL_CONTAINER_VERSION && header.kind == (uint32_t)kind;
}

typedef struct Decoding {
    const SlContainer *container;
    char *const *to;
    char *scratch;
    size_t scratch_bytes;
    _Atomic uint64_t next;
    const char *_Atomic wrong; /* of any chunk: one is enough to refuse the file */
} Decoding;

static void decode_some(void *argument, size_t begin, size_t end, size_t worker)
{
    (void)begin, (void)end;
    Decoding *d = argument;
    const SlContainer *c = d->container;
    char *room = d->scratch + worker * d->scratch_bytes;
    SlCodecScratch scratch = {.words = room + sl_codec_decoder_bytes(),
                              .decoder = sl_codec_decoder(room)};
    SL_ASSERT(scratch.decoder != NULL);
    uint32_t section = 0;
    for (uint64_t k; (k = atomic_fetch_add(&d->next, 1)) < c->header.chunk_count;) {
        while (k >= c->sections[section].first_chunk + c->sections[section].chunk_count)
            section++;
        const SlSection *s = &c->sections[section];
        if (d->to[section] == NULL)
            continue;
        uint64_t first = (k - s->first_chunk) * SL_CHUNK_ELEMENTS, left = s->count - first;
        const char *wrong =
            sl_codec_decode(s, &c->chunks[k], c->file + c->chunks[k].offset,
                            (uint32_t)(left < SL_CHUNK_ELEMENTS ? left : SL_CHUNK_ELEMENTS),
                            &scratch, d->to[section] + first * s->element_bytes);
        if (wrong != NULL)
            atomic_store(&d->wrong, wrong);
    }
}

SlStatus sl_container_decode(const SlContainer *c, const char *path, char *const *to,
                             SlError *error)
{
    SlMemory *memory = &c->context->memory;
    uint32_t workers = sl_pool_workers(c->context->pool);
    size_t each = sl_codec_decoder_bytes() + sl_codec_words_bytes();
    Decoding decoding = {.container = c, .to = to};
    decoding.scratch_bytes = (each + SL_ALIGNMENT - 1) / SL_ALIGNMENT * SL_ALIGNMENT;
    decoding.scratch = sl_alloc(memory, workers * decoding.scratch_bytes);
    if (decoding.scratch == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to decode it", path);
    sl_parallel_for(c->context->pool, workers, 1, decode_some, &decoding);
    sl_free(memory, decoding.scratch, workers * decoding.scratch_bytes);
    const char *wrong = decoding.wrong;
    return wrong == NULL
               ? SL_OK
               : sl_container_broken(path, (SlContainerKind)c->header.kind, wrong, error);
}
