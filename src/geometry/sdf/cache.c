/* Distance fields on disk: one file per mesh and settings, named by their hash. The file is a head,
   then the field's arrays as they are in memory. The reader trusts nothing: sizes must add up to
   the file's, the checksum must fit, and every number used as an index is checked before use. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "geometry/sdf/sdf.h"

/* Goes up with every change of the file or of what the builder computes. */
enum { VERSION = 3 };
#define MAGIC 0x314644534c530a1aull
#define MAX_BYTES ((uint64_t)16 << 30)

typedef struct Head {
    uint64_t magic, key, checksum; /* checksum: of this head with checksum 0, then of the rest */
    uint32_t version, block_count, sharp_count, item_count, triangle_count, tree_count,
        fine_count, has_nearest;
    int32_t size[3];
    float origin[3], cell, band;
} Head;

/* The arrays, in the order of the file. */
typedef struct Part {
    void *data;
    size_t bytes;
} Part;

enum { COORDS, VALUES, FAR, CODES, STARTS, ITEMS, TRIANGLES, FINE, TREE, NEAREST, PARTS };

static void list_parts(const SlSdf *sdf, const Head *head, Part *parts)
{
    size_t blocks = head->block_count;
    size_t total = (size_t)head->size[0] * (size_t)head->size[1] * (size_t)head->size[2];
    size_t nodes = blocks * SL_BLOCK_STRIDE, fine = head->fine_count;
    parts[COORDS] = (Part){sdf->grid.coords, blocks * sizeof(SlBlockCoord)};
    parts[VALUES] = (Part){sdf->grid.values, nodes * sizeof(float)};
    parts[FAR] = (Part){sdf->far, total * sizeof(float)};
    parts[CODES] = (Part){sdf->codes, (blocks + fine) * SL_BLOCK_CELL_COUNT * sizeof(uint32_t)};
    parts[STARTS] = (Part){sdf->sharp_start, ((size_t)head->sharp_count + 1) * sizeof(uint32_t)};
    parts[ITEMS] = (Part){sdf->sharp_items, (size_t)head->item_count * sizeof(uint32_t)};
    parts[TRIANGLES] = (Part){sdf->triangles, (size_t)head->triangle_count * sizeof(SlSdfTriangle)};
    parts[FINE] = (Part){sdf->fine_values, fine * SL_BLOCK_STRIDE * sizeof(float)};
    parts[TREE] = (Part){sdf->tree, (size_t)head->tree_count * sizeof(SlBvhNode)};
    parts[NEAREST] = (Part){sdf->nearest, head->has_nearest * nodes * sizeof(uint32_t)};
}

/* `hollow` is not in it: it only turns the sign, and both kinds share a file. */
static uint64_t key_of(const SlMesh *mesh, const SlSdfSettings *s)
{
    uint64_t counts[4] = {VERSION, mesh->vertex_count, mesh->triangle_count, s->keep_nearest};
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
    head.tree_count = sdf->tree_count;
    head.fine_count = sdf->fine_count;
    head.has_nearest = sdf->nearest != NULL;
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
    if (h->block_count > 1 << 24 || h->fine_count > 1 << 24)
        return "claims too many blocks";
    if (h->has_nearest > 1)
        return "is not a distance field of this version";
    Part parts[PARTS];
    size_t bytes = sizeof *h;
    list_parts(&(SlSdf){0}, h, parts);
    for (int k = 0; k < PARTS; k++)
        bytes += parts[k].bytes;
    return bytes == file_bytes ? NULL : "has the wrong length";
}

static const char *check_codes(const SlSdf *sdf)
{
    size_t coarse = (size_t)sdf->grid.count * SL_BLOCK_CELL_COUNT,
           fine = (size_t)sdf->fine_count * SL_BLOCK_CELL_COUNT;
    for (size_t k = 0; k < coarse; k++) {
        uint32_t code = sdf->codes[k];
        bool there = (code & SL_SDF_FINE) != 0 ? (code & ~SL_SDF_FINE) < sdf->fine_count
                                               : code <= sdf->sharp_count;
        if (code == SL_SDF_TREE ? sdf->tree_count == 0 : !there)
            return "names a cell that is not there";
    }
    for (size_t k = coarse; k < coarse + fine; k++)
        if (sdf->codes[k] != 0 && (sdf->codes[k] != SL_SDF_TREE || sdf->tree_count == 0))
            return "names a tree that is not there";
    return NULL;
}

/* Children stand behind their parents, so that no walk is endless, and no deeper than its stack. */
static const char *check_tree(const SlSdf *sdf, uint8_t *depth)
{
    for (uint32_t k = 0; k < sdf->tree_count; k++) {
        const SlBvhNode *node = &sdf->tree[k];
        bool leaf = node->count > 0;
        uint32_t most = leaf ? sdf->triangle_count : sdf->tree_count;
        uint32_t size = leaf ? node->count : 2;
        if (size > most || node->first > most - size || (!leaf && node->first <= k))
            return "has a tree that cannot be";
        if (!leaf && depth[k] + 2 >= SL_BVH_STACK)
            return "has a tree that is too deep";
        for (uint32_t c = 0; !leaf && c < 2; c++)
            if (depth[node->first + c] <= depth[k])
                depth[node->first + c] = (uint8_t)(depth[k] + 1);
    }
    return NULL;
}

/* Every number that is used as an index. */
static const char *check_indices(SlContext *context, const SlSdf *sdf, const SlMesh *mesh,
                                 uint32_t item_count)
{
    const char *reason = check_codes(sdf);
    uint8_t *depth = sl_alloc_zero(&context->memory, (size_t)sdf->tree_count + 1, 1);
    if (reason == NULL)
        reason = depth != NULL ? check_tree(sdf, depth) : "needs more memory than there is";
    sl_free(&context->memory, depth, (size_t)sdf->tree_count + 1);
    if (reason != NULL)
        return reason;
    if (sdf->sharp_start[0] != 0 || sdf->sharp_start[sdf->sharp_count] != item_count)
        return "has lists that do not add up";
    for (size_t k = 0; k < sdf->sharp_count; k++)
        if (sdf->sharp_start[k] >= sdf->sharp_start[k + 1])
            return "has a sharp cell without triangles";
    for (size_t k = 0; k < item_count; k++)
        if (sdf->sharp_items[k] >= sdf->triangle_count)
            return "names a triangle that is not there";
    for (size_t k = 0; sdf->nearest != NULL && k < (size_t)sdf->grid.count * SL_BLOCK_STRIDE; k++)
        if (sdf->nearest[k] >= mesh->triangle_count)
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
    sdf->tree_count = h->tree_count;
    sdf->fine_count = h->fine_count;
    Part parts[PARTS];
    list_parts(sdf, h, parts);
    sdf->far = sl_alloc(memory, parts[FAR].bytes);
    sdf->codes = sl_alloc(memory, parts[CODES].bytes);
    sdf->sharp_start = sl_alloc_zero(memory, parts[STARTS].bytes, 1);
    sdf->sharp_items = sl_alloc(memory, parts[ITEMS].bytes);
    sdf->triangles = sl_alloc(memory, parts[TRIANGLES].bytes);
    sdf->fine_values = sl_alloc(memory, parts[FINE].bytes);
    sdf->tree = sl_alloc(memory, parts[TREE].bytes);
    sdf->nearest = sl_alloc(memory, parts[NEAREST].bytes);
    list_parts(sdf, h, parts);
    for (int k = 0; k < PARTS; k++)
        if (parts[k].bytes > 0 && parts[k].data == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu bytes", parts[k].bytes);
    return SL_OK;
}

typedef struct CacheFile {
    const char *path, *data;
    size_t bytes;
} CacheFile;

/* The pieces of the file's bytes, copied to where they belong. */
static SlStatus parse(SlContext *context, const CacheFile *file, const SlMesh *mesh, uint64_t key,
                      SlSdf *sdf, SlError *error)
{
    Head head;
    const char *path = file->path, *reason = "is too short";
    if (file->bytes >= sizeof head) {
        memcpy(&head, file->data, sizeof head);
        reason = check_head(&head, key, file->bytes);
    }
    if (reason != NULL)
        return sl_error_set(error, SL_ERROR_PARSE, "%s %s", path, reason);
    Part parts[PARTS];
    list_parts(&(SlSdf){0}, &head, parts);
    const char *at = file->data + sizeof head;
    for (int k = 0; k < PARTS; at += parts[k].bytes, k++)
        memcpy(&parts[k].data, &at, sizeof at); /* they are only read */
    if (checksum_of(head, parts) != head.checksum)
        return sl_error_set(error, SL_ERROR_PARSE, "%s is damaged: its checksum differs", path);
    /* The head is a multiple of 4 bytes long and the file's buffer aligned, so coords are too. */
    SlStatus status = make_arrays(context, &head, parts[COORDS].data, sdf, error);
    if (status == SL_OK) {
        Part to[PARTS];
        list_parts(sdf, &head, to);
        for (int k = VALUES; k < PARTS; k++)
            if (to[k].bytes > 0)
                memcpy(to[k].data, parts[k].data, to[k].bytes);
        reason = check_indices(context, sdf, mesh, head.item_count);
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

static SlStatus load(SlContext *context, const char *path, const SlMesh *mesh, uint64_t key,
                     SlSdf *sdf, SlError *error)
{
    char *data;
    size_t bytes;
    memset(sdf, 0, sizeof *sdf);
    SlStatus status = sl_file_read(&context->memory, path, MAX_BYTES, &data, &bytes, error);
    if (status != SL_OK)
        return status;
    CacheFile file = {path, data, bytes};
    status = parse(context, &file, mesh, key, sdf, error);
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
        if (load(context, path, mesh, key, sdf, &trouble) == SL_OK) {
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
