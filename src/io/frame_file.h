/* The bytes of a frame file; docs/frame-file.md describes them for other readers. Little-endian.

   header (96 bytes) · directory (one 128-byte entry per section) · sections, each at a multiple of
   64 bytes. One section of kind SYSTEM per system, one of kind FIELD per exported field, one of
   kind SHAPES. Every section and the directory carry an XXH3 checksum. */
#ifndef IO_FRAME_FILE_H
#define IO_FRAME_FILE_H

#include <stdint.h>

#define SL_FRAME_MAGIC "SLEETF\r\n"
enum { SL_FRAME_VERSION = 2, SL_FRAME_ALIGN = 64, SL_FRAME_MOST_SECTIONS = 4096 };

typedef enum SlSectionKind {
    SL_SECTION_SYSTEM = 1,
    SL_SECTION_FIELD = 2,
    SL_SECTION_SHAPES = 3
} SlSectionKind;

typedef struct SlFrameHeader {
    char magic[8];
    uint32_t version;
    uint32_t section_count;
    uint64_t file_bytes;
    uint64_t frame;
    double time;
    float domain[6]; /* min, max */
    uint32_t system_count;
    uint32_t shape_count;
    uint64_t reserved;
    uint64_t checksum; /* of the header up to here and the directory after it */
    uint64_t reserved2;
} SlFrameHeader;
_Static_assert(sizeof(SlFrameHeader) == 96, "the header's bytes are fixed");

typedef struct SlFrameSection {
    char name[32]; /* of the field or system; ends in 0 */
    char unit[16];
    char meaning[24]; /* cut to fit; the docs have the whole of it */
    uint32_t kind;
    uint32_t type;   /* SlFieldType of a field */
    uint32_t system; /* which system it belongs to */
    uint32_t element_bytes;
    uint64_t count; /* elements */
    uint64_t offset, bytes;
    uint64_t checksum;
    uint64_t reserved;
} SlFrameSection;
_Static_assert(sizeof(SlFrameSection) == 128, "an entry's bytes are fixed");

typedef struct SlFrameSystem {
    char solver[32];
    float spacing;
    uint32_t reserved;
    uint64_t particle_count;
} SlFrameSystem;

typedef struct SlFrameShape {
    uint32_t kind;
    float center[3], axis[3], side[3], half[3], radius, height, friction;
} SlFrameShape;

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "frame files are little-endian; a big-endian machine needs swaps here");

#endif
