/* Distance fields on disk: one file per mesh and settings, named by their hash. The file is a head,
   then the field's arrays as they are in memory. The reader trusts nothing: sizes must add up to
   the file's, the checksum must fit, and every number used as an index is checked before use. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "geometry/sdf.h"

/* Goes up with every change of the file or of what the builder computes. */
enum { VERSION = 1 };
#define MAGIC 0x314644534c530a1aull
#define MOST_BYTES ((uint64_t)16 << 30)

typedef struct Head {
    uint64_t magic, key, checksum; /* checksum: of this head with checksum 0, then of the rest */
    uint32_t version, block_count, sharp_count, item_count, triangle_count, crowded_count;
    int32_t size[3];
    float origin[3], cell, band;
} Head;

/* The arrays, in the order of the file. */
typedef struct Part {
    void *data;
    size_t bytes;
} Part;

enum { PARTS = 7 };

static void list_parts(const SlSdf *sdf, const Head *head, Part *parts)
{
    size_t blocks = head->block_count;
    size_t total = (size_t)head->size[0] * (size_t)head->size[1] * (size_t)head->size[2];
    parts[0] = (Part){sdf->grid.coords, blocks * sizeof(SlBlockCoord)};
    parts[1] = (Part){sdf->grid.values, blocks * SL_BLOCK_STRIDE * sizeof(float)};
    parts[2] = (Part){sdf->far, total * sizeof(float)};
    parts[3] = (Part){sdf->sharp, blocks * SL_BLOCK_CELL_COUNT * sizeof(uint32_t)};
    parts[4] = (Part){sdf->sharp_start, ((size_t)head->sharp_count + 1) * sizeof(uint32_t)};
    parts[5] = (Part){sdf->sharp_items, (size_t)head->item_count * sizeof(uint32_t)};
    parts[6] = (Part){sdf->triangles, (size_t)head->triangle_count * sizeof(SlSdfTriangle)};
}

/* `hollow` is not in it: it only turns the sign, and both kinds share a file. */
static uint64_t key_of(const SlMesh *mesh, const SlSdfSettings *s)
{
    uint64_t counts[3] = {VERSION, mesh->vertex_count, mesh->triangle_count};
    double numbers[2] = {s->cell, s->band};
    uint64_t key = sl_hash(counts, sizeof counts, 0);
    key = sl_hash(numbers, sizeof numbers, key);
    key = sl_hash(mesh->positions, mesh->vertex_count * 3 * sizeof(float), key);
    return sl_hash(mesh->triangles, mesh->triangle_count * 3 * sizeof(uint32_t), key);
}

static uint64_t checksum_of(Head head, const Part *parts)
{
    head.checksum = 0;
    uint64_t sum = sl_hash(&head, sizeof head, 0);
    for (int k = 0; k < PARTS; k++)
        sum = sl_hash(parts[k].data, parts[k].bytes, sum);
    return sum;
}

static SlStatus save(SlContext *context, const char *path, const SlSdf *sdf, uint64_t key,
                     SlError *error)
{
    Head head;
    memset(&head, 0, sizeof head);
    head.magic = MAGIC;
    head.key = key;
    head.version = VERSION;
    head.block_count = sdf->grid.count;
    head.sharp_count = sdf->sharp_count;
    head.item_count = sdf->sharp_start[sdf->sharp_count];
    head.triangle_count = sdf->triangle_count;
    head.crowded_count = sdf->crowded_count;
    memcpy(head.size, sdf->size, sizeof head.size);
    memcpy(head.origin, &sdf->origin, sizeof head.origin);
    head.cell = sdf->cell;
    head.band = sdf->band;
    Part parts[PARTS];
    list_parts(sdf, &head, parts);
    head.checksum = checksum_of(head, parts);
    SlFileWriter writer;
    SlStatus status = sl_file_begin(&context->file_layer, path, &writer, error);
    if (status == SL_OK)
        status = sl_file_append(&writer, &head, sizeof head, error);
    for (int k = 0; status == SL_OK && k < PARTS; k++)
        if (parts[k].bytes > 0)
            status = sl_file_append(&writer, parts[k].data, parts[k].bytes, error);
    return status == SL_OK ? sl_file_commit(&writer, error) : status;
}

/* NULL if the head can be believed as far as sizes go. */
static const char *check_head(const Head *h, uint64_t key, size_t file_bytes)
{
    if (h->magic != MAGIC || h->version != VERSION)
        return "is not a distance field of this version";
    if (h->key != key)
        return "is of another mesh or other settings";
    for (int k = 0; k < 3; k++)
        if (h->size[k] < 1 || h->size[k] > 1 << 24 || !isfinite(h->origin[k]))
            return "has a size or place that cannot be";
    if ((int64_t)h->size[0] * h->size[1] > 1 << 24 ||
        (int64_t)h->size[0] * h->size[1] * h->size[2] > 1 << 24)
        return "claims too many blocks";
    if (!(h->cell > 0 && isfinite(h->cell) && h->band >= 1 && h->band <= 32))
        return "has a cell or band that cannot be";
    if (h->block_count > 1 << 24)
        return "claims too many blocks";
    Part parts[PARTS];
    size_t bytes = sizeof *h;
    list_parts(&(SlSdf){0}, h, parts);
    for (int k = 0; k < PARTS; k++)
        bytes += parts[k].bytes;
    return bytes == file_bytes ? NULL : "has the wrong length";
}

/* Every number that is used as an index. */
static const char *check_indices(const SlSdf *sdf, uint32_t item_count)
{
    for (size_t k = 0; k < (size_t)sdf->grid.count * SL_BLOCK_CELL_COUNT; k++)
        if (sdf->sharp[k] > sdf->sharp_count)
            return "names a sharp cell that is not there";
    if (sdf->sharp_start[0] != 0 || sdf->sharp_start[sdf->sharp_count] != item_count)
        return "has lists that do not add up";
    for (size_t k = 0; k < sdf->sharp_count; k++)
        if (sdf->sharp_start[k] >= sdf->sharp_start[k + 1])
            return "has a sharp cell without triangles";
    for (size_t k = 0; k < item_count; k++)
        if (sdf->sharp_items[k] >= sdf->triangle_count)
            return "names a triangle that is not there";
    return NULL;
}

static SlStatus make_arrays(SlContext *context, const Head *h, const SlBlockCoord *coords,
                            SlSdf *sdf, SlError *error)
{
    SlMemory *memory = &context->memory;
    memset(sdf, 0, sizeof *sdf);
    SlStatus status = sl_block_grid_create(context, coords, h->block_count, &sdf->grid, error);
    if (status != SL_OK)
        return status;
    sdf->context = context;
    memcpy(sdf->size, h->size, sizeof sdf->size);
    memcpy(&sdf->origin, h->origin, sizeof h->origin);
    sdf->cell = h->cell;
    sdf->band = h->band;
    sdf->side = 1;
    sdf->sharp_count = h->sharp_count;
    sdf->triangle_count = h->triangle_count;
    sdf->crowded_count = h->crowded_count;
    Part parts[PARTS];
    list_parts(sdf, h, parts);
    sdf->far = sl_alloc(memory, parts[2].bytes);
    sdf->sharp = sl_alloc(memory, parts[3].bytes);
    sdf->sharp_start = sl_alloc_zero(memory, parts[4].bytes, 1);
    sdf->sharp_items = sl_alloc(memory, parts[5].bytes);
    sdf->triangles = sl_alloc(memory, parts[6].bytes);
    list_parts(sdf, h, parts);
    for (int k = 0; k < PARTS; k++)
        if (parts[k].bytes > 0 && parts[k].data == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu bytes", parts[k].bytes);
    return SL_OK;
}

/* The pieces of the file's bytes, copied to where they belong. */
static SlStatus parse(SlContext *context, const char *path, const char *data, size_t bytes,
                      uint64_t key, SlSdf *sdf, SlError *error)
{
    Head head;
    const char *reason = "is too short";
    if (bytes >= sizeof head) {
        memcpy(&head, data, sizeof head);
        reason = check_head(&head, key, bytes);
    }
    if (reason != NULL)
        return sl_error_set(error, SL_ERROR_PARSE, "%s %s", path, reason);
    Part parts[PARTS];
    list_parts(&(SlSdf){0}, &head, parts);
    const char *at = data + sizeof head;
    for (int k = 0; k < PARTS; at += parts[k].bytes, k++)
        parts[k].data = (void *)(uintptr_t)at;
    if (checksum_of(head, parts) != head.checksum)
        return sl_error_set(error, SL_ERROR_PARSE, "%s is damaged: its checksum differs", path);
    /* The head is a multiple of 4 bytes long and the file's buffer aligned, so coords are too. */
    SlStatus status = make_arrays(context, &head, parts[0].data, sdf, error);
    if (status == SL_OK) {
        Part to[PARTS];
        list_parts(sdf, &head, to);
        for (int k = 1; k < PARTS; k++)
            if (to[k].bytes > 0)
                memcpy(to[k].data, parts[k].data, to[k].bytes);
        reason = check_indices(sdf, head.item_count);
        if (reason != NULL)
            status = sl_error_set(error, SL_ERROR_PARSE, "%s %s", path, reason);
    }
    return status;
}

/* Frees a field whose lists may not add up: by the sizes the file's head gave. */
static void drop(SlSdf *sdf, uint32_t item_count)
{
    if (sdf->context != NULL && sdf->sharp_start != NULL)
        sdf->sharp_start[sdf->sharp_count] = item_count;
    sl_sdf_destroy(sdf);
}

static SlStatus load(SlContext *context, const char *path, uint64_t key, SlSdf *sdf,
                     SlError *error)
{
    char *data;
    size_t bytes;
    memset(sdf, 0, sizeof *sdf);
    SlStatus status = sl_file_read(&context->memory, path, MOST_BYTES, &data, &bytes, error);
    if (status != SL_OK)
        return status;
    status = parse(context, path, data, bytes, key, sdf, error);
    if (status != SL_OK) {
        Head head = {0};
        memcpy(&head, data, bytes < sizeof head ? bytes : sizeof head);
        drop(sdf, head.item_count);
    }
    sl_free(&context->memory, data, bytes + 1);
    return status;
}

static bool is_there(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

SlStatus sl_sdf_load_or_build(SlContext *context, const SlMesh *mesh,
                              const SlSdfSettings *settings, const char *cache_folder, SlSdf *sdf,
                              SlError *error)
{
    char path[960];
    SlError trouble;
    memset(sdf, 0, sizeof *sdf);
    SlStatus status = sl_sdf_check(mesh, settings, error);
    if (status != SL_OK)
        return status;
    if (cache_folder == NULL)
        return sl_sdf_create(context, mesh, settings, sdf, error);
    uint64_t key = key_of(mesh, settings);
    int length = snprintf(path, sizeof path, "%s/sdf-%016" PRIx64 ".bin", cache_folder, key);
    bool usable = length > 0 && (size_t)length < sizeof path;
    if (usable && is_there(path)) {
        if (load(context, path, key, sdf, &trouble) == SL_OK) {
            sdf->side = settings->hollow ? -1.0f : 1.0f;
            return SL_OK;
        }
        sl_log(context, SL_LOG_WARNING, "cache: %s; built anew", trouble.text);
    }
    status = sl_sdf_create(context, mesh, settings, sdf, error);
    if (status != SL_OK)
        return status;
    if (!usable)
        sl_log(context, SL_LOG_WARNING, "cache: %.200s...: path too long; not kept", cache_folder);
    else if (sl_folder_make(cache_folder, &trouble) != SL_OK ||
             save(context, path, sdf, key, &trouble) != SL_OK)
        sl_log(context, SL_LOG_WARNING, "cache: %s; not kept", trouble.text);
    return SL_OK;
}
