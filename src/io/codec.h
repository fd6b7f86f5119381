/* Encoding and decoding of one chunk of a section, from memory to memory: no files, no allocation, so
   that chunks can be worked on in parallel. */
#ifndef IO_CODEC_H
#define IO_CODEC_H

#include "io/container.h"

enum { SL_MAX_LANES = 3 };

/* Words of 4 bytes in an element of that type; 0: bytes, which are always stored plain. */
uint32_t sl_codec_lanes(uint32_t type);

/* Scratch of one thread: room for a chunk's words, and zstd's own. */
typedef struct SlCodecScratch {
    void *words;   /* sl_codec_words_bytes() */
    void *encoder; /* a ZSTD_CCtx */
    void *decoder; /* a ZSTD_DCtx */
} SlCodecScratch;

size_t sl_codec_words_bytes(void);
size_t sl_codec_encoder_bytes(void);
size_t sl_codec_decoder_bytes(void);
/* Make zstd's contexts in memory of the size above; NULL if zstd refuses. */
void *sl_codec_encoder(void *room);
void *sl_codec_decoder(void *room);

/* Encodes elements [begin, begin + count) of the source. Writes at most count × element_bytes to
   `to` and fills all of the chunk but its offset. */
void sl_codec_encode(const SlSource *source, uint64_t begin, uint32_t count,
                     const SlCodecScratch *scratch, char *to, SlChunk *chunk);

/* Decodes a chunk of `count` elements of the section into packed elements. NULL, or what is wrong. */
const char *sl_codec_decode(const SlSection *section, const SlChunk *chunk, const char *stored,
                            uint32_t count, const SlCodecScratch *scratch, char *to);

#endif
