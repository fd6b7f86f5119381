/* The container of frames, checkpoints and meshes: named sections, cut into chunks of a fixed number
   of elements, each with its own codec, sizes and checksum. docs/frame-file.md describes the bytes
   for other readers. Little-endian.

   header (96 bytes) · directory (128 bytes per section) · chunk table (32 bytes per chunk) · the
   chunks one after the other, to the last byte of the file. There is no padding: every byte is
   under a checksum. */
#ifndef IO_CONTAINER_H
#define IO_CONTAINER_H

#include "core/context.h"
#include "core/file.h"

#define SL_CONTAINER_MAGIC "SLEETF\r\n"
enum {
    SL_CONTAINER_VERSION = 4,
    SL_MAX_SECTIONS = 4096,
    SL_MAX_ELEMENT_BYTES = 4096,
    SL_CHUNK_ELEMENTS = 32768
};

typedef enum SlContainerKind {
    SL_CONTAINER_FRAME = 1,
    SL_CONTAINER_CHECKPOINT = 2,
    SL_CONTAINER_MESH = 3
} SlContainerKind;

typedef enum SlSectionKind {
    SL_SECTION_SYSTEM = 1,    /* one record about a system */
    SL_SECTION_FIELD = 2,     /* an array of one system, an element per particle */
    SL_SECTION_COLLIDERS = 3, /* records */
    SL_SECTION_STATE = 4,     /* anything else a checkpoint needs */
    SL_SECTION_CAMERAS = 5,   /* records */
    SL_SECTION_WORLD = 6,     /* one record: gravity, time between frames, material of the domain */
    SL_SECTION_VERTICES = 7,  /* positions of a deforming collider's vertices */
    SL_SECTION_MESH = 8,      /* positions or triangles of a mesh file */
    /* of what filters made */
    SL_SECTION_SURFACES = 9,      /* records */
    SL_SECTION_SURFACE_DATA = 10, /* an array of one surface */
    SL_SECTION_FILTER = 11,       /* one record: which filter made it, and from what */
    SL_SECTION_KIND_COUNT
} SlSectionKind;

typedef enum SlCodec {
    SL_CODEC_PLAIN = 0,          /* the values as they are */
    SL_CODEC_PACKED = 1,         /* differences, bytes by significance, zstd */
    SL_CODEC_QUANTISED = 2,      /* bounds, 16 bits a value, differences, bytes by significance */
    SL_CODEC_QUANTISED_ZSTD = 3, /* the same in zstd */
    SL_CODEC_COUNT
} SlCodec;

typedef struct SlContainerHeader {
    char magic[8];
    uint32_t version;
    uint32_t kind; /* SlContainerKind */
    uint64_t file_bytes;
    uint64_t frame;
    double time;
    float domain[6]; /* min, max */
    uint32_t section_count;
    uint32_t system_count;
    uint32_t collider_count;
    uint32_t chunk_elements; /* in every chunk of a section but its last */
    uint64_t chunk_count;
    uint64_t checksum; /* of the header up to here, the directory and the chunk table */
} SlContainerHeader;
_Static_assert(sizeof(SlContainerHeader) == 96, "the header's bytes are fixed");

typedef struct SlSection {
    char name[32]; /* ends in 0 */
    char unit[16];
    char meaning[24]; /* cut to fit */
    uint32_t kind;    /* SlSectionKind */
    uint32_t type;    /* SlFieldType of words that may be packed; 0: bytes, always plain */
    uint32_t system;  /* which system it belongs to; of the world's own: system_count; of VERTICES:
                         which collider; of SURFACE_DATA: which surface */
    uint32_t element_bytes;
    uint64_t count;
    uint64_t first_chunk, chunk_count;
    uint64_t reserved[2]; /* 0 */
} SlSection;
_Static_assert(sizeof(SlSection) == 128, "an entry's bytes are fixed");

typedef struct SlChunk {
    uint64_t offset;
    uint64_t checksum;     /* of the stored bytes */
    uint32_t stored_bytes;
    uint32_t raw_bytes;    /* before zstd */
    uint32_t codec;        /* SlCodec */
    uint32_t reserved;     /* 0 */
} SlChunk;
_Static_assert(sizeof(SlChunk) == 32, "an entry's bytes are fixed");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "containers are little-endian; a big-endian machine needs swaps here");

/* --- writing ------------------------------------------------------------------------------- */

/* A section to be written: an array in memory. */
typedef struct SlSource {
    const char *name, *unit, *meaning;
    SlSectionKind kind;
    uint32_t type, system;
    uint32_t element_bytes; /* in the file */
    size_t stride;          /* in memory */
    uint64_t count;
    const void *data;
    bool quantise; /* floats only, all finite */
} SlSource;

/* Scratch of the threads that encode; made once, used for many files. */
typedef struct SlEncoder SlEncoder;
SlStatus sl_encoder_create(SlContext *context, SlEncoder **encoder, SlError *error);
void sl_encoder_destroy(SlEncoder *encoder);

/* Encodes a file into the queue's buffer; *bytes is its length. `head` gives kind, frame, time,
   domain and the counts of systems and colliders. Bytes do not depend on the number of threads. */
SlStatus sl_container_encode(SlEncoder *encoder, const SlContainerHeader *head,
                             const SlSource *sources, size_t source_count, SlFileQueue *queue,
                             size_t *bytes, SlError *error);

/* --- reading ------------------------------------------------------------------------------- */

/* A file whose head is checked; chunks are checked when they are decoded. */
typedef struct SlContainer {
    SlContext *context;
    char *file;
    size_t file_bytes;
    SlContainerHeader header;
    const SlSection *sections;
    const SlChunk *chunks;
} SlContainer;

/* SL_ERROR_PARSE: "path: not a valid frame file: what is wrong". */
SlStatus sl_container_open(SlContext *context, const char *path, SlContainerKind kind,
                           SlContainer *container, SlError *error);
void sl_container_close(SlContainer *container);
/* The checksum in the head of a file, without reading the rest; false: it is no such file. */
bool sl_container_checksum(const char *path, SlContainerKind kind, uint64_t *checksum);
/* Decodes every section k with to[k] != NULL into it, elements packed. */
SlStatus sl_container_decode(const SlContainer *container, const char *path, char *const *to,
                             SlError *error);
SlStatus sl_container_broken(const char *path, SlContainerKind kind, const char *what,
                             SlError *error);

#endif
