/* For fuzzing containers: sets length, offsets' neighbours and checksums to what the bytes deserve,
   so that the checks behind those are reached. */
#ifndef TESTS_IO_FUZZ_HONEST_H
#define TESTS_IO_FUZZ_HONEST_H

#include <string.h>

#include "core/hash.h"
#include "io/container.h"

static inline void make_honest(char *bytes, size_t size, SlContainerKind kind)
{
    SlContainerHeader header;
    if (size < sizeof header)
        return;
    memcpy(&header, bytes, sizeof header);
    memcpy(header.magic, SL_CONTAINER_MAGIC, 8);
    header.version = SL_CONTAINER_VERSION;
    header.kind = kind;
    header.chunk_elements = SL_CHUNK_ELEMENTS;
    header.file_bytes = size;
    size_t left = size - sizeof header;
    size_t sections = left / sizeof(SlSection) < header.section_count ? left / sizeof(SlSection)
                                                                      : header.section_count;
    left -= sections * sizeof(SlSection);
    size_t chunks = left / sizeof(SlChunk) < header.chunk_count ? left / sizeof(SlChunk)
                                                                : (size_t)header.chunk_count;
    char *table = bytes + sizeof header + sections * sizeof(SlSection);
    uint64_t offset = (uint64_t)(table - bytes) + chunks * sizeof(SlChunk);
    for (size_t k = 0; k < chunks; k++) {
        SlChunk chunk;
        memcpy(&chunk, table + k * sizeof chunk, sizeof chunk);
        chunk.offset = offset;
        if (k + 1 == chunks || chunk.stored_bytes > size - offset)
            chunk.stored_bytes = (uint32_t)(size - offset);
        chunk.checksum = sl_hash(bytes + offset, chunk.stored_bytes, 0);
        offset += chunk.stored_bytes;
        memcpy(table + k * sizeof chunk, &chunk, sizeof chunk);
    }
    uint64_t seed = sl_hash(&header, offsetof(SlContainerHeader, checksum), 0);
    seed = sl_hash(bytes + sizeof header, sections * sizeof(SlSection), seed);
    header.checksum = sl_hash(table, chunks * sizeof(SlChunk), seed);
    memcpy(bytes, &header, sizeof header);
}

#endif
