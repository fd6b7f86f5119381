/* Particles are sorted by cell, so a value differs little from the one before it. Differences of
   the bits as integers are small; with their bytes sorted by significance, the high ones are
   nearly all zero and a fast level of zstd finds that. (Measured against xor, no difference, and
   a compression of every byte plane by itself: docs/frame-file.md.) */
#include "io/codec.h"

#include <math.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY /* contexts in memory given to zstd: a loop body does not allocate */
#include <zstd.h>

#include "core/hash.h"
#include "sleet/view.h"

enum { ZSTD_LEVEL = -1, MIN_PACKED = 64, SOME = 1024 };
static const uint32_t max_quantised = 65535;

uint32_t sl_codec_lanes(uint32_t type)
{
    return type == SL_FIELD_F32X3 ? 3 : type == SL_FIELD_U32 || type == SL_FIELD_F32 ? 1 : 0;
}

size_t sl_codec_words_bytes(void)
{
    return (size_t)SL_CHUNK_ELEMENTS * SL_MAX_LANES * 4 + 8 * SL_MAX_LANES;
}

size_t sl_codec_encoder_bytes(void)
{
    return ZSTD_estimateCCtxSize(ZSTD_LEVEL);
}

size_t sl_codec_decoder_bytes(void)
{
    return ZSTD_estimateDCtxSize();
}

void *sl_codec_encoder(void *room)
{
    return ZSTD_initStaticCCtx(room, sl_codec_encoder_bytes());
}

void *sl_codec_decoder(void *room)
{
    return ZSTD_initStaticDCtx(room, sl_codec_decoder_bytes());
}

/* Small differences of either sign become small numbers: 0, -1, 1, -2 … to 0, 1, 2, 3 … */
static inline uint32_t fold32(uint32_t d)
{
    return (d << 1) ^ (0u - (d >> 31));
}

static inline uint32_t unfold32(uint32_t f)
{
    return (f >> 1) ^ (0u - (f & 1));
}

static inline uint32_t fold16(uint32_t d)
{
    return ((d << 1) ^ (0u - (d >> 15 & 1))) & 0xffff;
}

static inline uint32_t unfold16(uint32_t f)
{
    return ((f >> 1) ^ (0u - (f & 1))) & 0xffff;
}

static inline uint32_t word_at(const SlSource *source, uint64_t element, uint32_t lane)
{
    uint32_t word;
    memcpy(&word, (const char *)source->data + element * source->stride + 4 * lane, 4);
    return word;
}

/* A loop of its own without a value carried along: compilers make vectors of it. */
static void split_bytes(const uint32_t *restrict words, size_t count, uint8_t *restrict p0,
                        uint8_t *restrict p1, uint8_t *restrict p2, uint8_t *restrict p3)
{
    for (size_t i = 0; i < count; i++) {
        p0[i] = (uint8_t)words[i];
        p1[i] = (uint8_t)(words[i] >> 8);
        p2[i] = (uint8_t)(words[i] >> 16);
        p3[i] = (uint8_t)(words[i] >> 24);
    }
}

/* Byte k of lane l of all elements is plane k × lanes + l. */
static void pack_words(const SlSource *source, uint64_t begin, uint32_t count, uint32_t lanes,
                       uint8_t *planes)
{
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint8_t *p0 = planes + (size_t)lane * count, *p1 = p0 + (size_t)lanes * count;
        uint8_t *p2 = p1 + (size_t)lanes * count, *p3 = p2 + (size_t)lanes * count;
        uint32_t before = 0, folded[SOME];
        for (uint32_t first = 0; first < count; first += SOME) {
            uint32_t some = count - first < SOME ? count - first : SOME;
            for (uint32_t i = 0; i < some; i++) {
                uint32_t word = word_at(source, begin + first + i, lane);
                folded[i] = fold32(word - before);
                before = word;
            }
            split_bytes(folded, some, p0 + first, p1 + first, p2 + first, p3 + first);
        }
    }
}

static void unpack_words(const uint8_t *planes, uint32_t count, uint32_t lanes, char *to)
{
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint8_t *p0 = planes + (size_t)lane * count, *p1 = p0 + (size_t)lanes * count;
        const uint8_t *p2 = p1 + (size_t)lanes * count, *p3 = p2 + (size_t)lanes * count;
        uint32_t word = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t f = p0[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16 |
                         (uint32_t)p3[i] << 24;
            word += unfold32(f);
            memcpy(to + 4 * ((size_t)i * lanes + lane), &word, 4);
        }
    }
}

typedef struct Bounds {
    float low[SL_MAX_LANES], step[SL_MAX_LANES];
} Bounds;

/* False where a value is not finite: such a chunk is kept as it is. */
static bool find_bounds(const SlSource *source, uint64_t begin, uint32_t count, uint32_t lanes,
                        Bounds *bounds)
{
    for (uint32_t lane = 0; lane < lanes; lane++) {
        float low = INFINITY, high = -INFINITY;
        bool finite = true;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t word = word_at(source, begin + i, lane);
            float value;
            memcpy(&value, &word, 4);
            finite = finite && isfinite(value);
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        bounds->low[lane] = low;
        bounds->step[lane] = (float)(((double)high - (double)low) / max_quantised);
        if (!finite || !isfinite(bounds->step[lane]))
            return false;
    }
    return true;
}

/* The bounds come first, then the planes of 16-bit differences. */
static void quantise(const SlSource *source, uint64_t begin, uint32_t count, uint32_t lanes,
                     const Bounds *bounds, uint8_t *to)
{
    memcpy(to, bounds->low, 4 * lanes);
    memcpy(to + 4 * lanes, bounds->step, 4 * lanes);
    uint8_t *planes = to + 8 * lanes;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint8_t *p0 = planes + (size_t)lane * count, *p1 = p0 + (size_t)lanes * count;
        double low = bounds->low[lane], step = bounds->step[lane];
        double inverse = step > 0 ? 1 / step : 0;
        uint32_t before = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t word = word_at(source, begin + i, lane);
            float value;
            memcpy(&value, &word, 4);
            double scaled = ((double)value - low) * inverse + 0.5;
            uint32_t q = scaled < max_quantised ? (uint32_t)scaled : max_quantised;
            uint32_t f = fold16((q - before) & 0xffff);
            before = q;
            p0[i] = (uint8_t)f;
            p1[i] = (uint8_t)(f >> 8);
        }
    }
}

static const char *restore_quantised(const uint8_t *from, uint32_t count, uint32_t lanes, char *to)
{
    Bounds bounds;
    memcpy(bounds.low, from, 4 * lanes);
    memcpy(bounds.step, from + 4 * lanes, 4 * lanes);
    const uint8_t *planes = from + 8 * lanes;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint8_t *p0 = planes + (size_t)lane * count, *p1 = p0 + (size_t)lanes * count;
        double low = bounds.low[lane], step = bounds.step[lane];
        if (!isfinite(low) || !isfinite(step) || step < 0)
            return "the bounds of a quantised chunk are not finite or not in order";
        uint32_t q = 0;
        for (uint32_t i = 0; i < count; i++) {
            q = (q + unfold16(p0[i] | (uint32_t)p1[i] << 8)) & 0xffff;
            float value = (float)(low + q * step);
            memcpy(to + 4 * ((size_t)i * lanes + lane), &value, 4);
        }
    }
    return NULL;
}

static void store_plain(const SlSource *source, uint64_t begin, uint32_t count, char *to,
                        SlChunk *chunk)
{
    size_t bytes = source->element_bytes;
    const char *from = (const char *)source->data + begin * source->stride;
    if (source->stride == bytes)
        memcpy(to, from, count * bytes);
    else
        for (uint32_t i = 0; i < count; i++)
            memcpy(to + i * bytes, from + i * source->stride, bytes);
    chunk->codec = SL_CODEC_PLAIN;
    chunk->raw_bytes = chunk->stored_bytes = (uint32_t)(count * bytes);
}

void sl_codec_encode(const SlSource *source, uint64_t begin, uint32_t count,
                     const SlCodecScratch *scratch, char *to, SlChunk *chunk)
{
    uint32_t lanes = sl_codec_lanes(source->type);
    uint8_t *words = scratch->words;
    size_t room = (size_t)count * source->element_bytes;
    Bounds bounds;
    memset(chunk, 0, sizeof *chunk);
    if (lanes == 0 || count < MIN_PACKED) {
        store_plain(source, begin, count, to, chunk);
    } else {
        bool small = source->quantise && find_bounds(source, begin, count, lanes, &bounds);
        chunk->codec = small ? SL_CODEC_QUANTISED_ZSTD : SL_CODEC_PACKED;
        chunk->raw_bytes = (uint32_t)(small ? 8 * lanes + (size_t)count * 2 * lanes : room);
        if (small)
            quantise(source, begin, count, lanes, &bounds, words);
        else
            pack_words(source, begin, count, lanes, words);
        /* At least a 32nd less, or decompressing is not worth its time when reading. */
        size_t max_bytes = chunk->raw_bytes - chunk->raw_bytes / 32;
        size_t got = ZSTD_compressCCtx(scratch->encoder, to, max_bytes, words, chunk->raw_bytes,
                                       ZSTD_LEVEL);
        if (!ZSTD_isError(got)) {
            chunk->stored_bytes = (uint32_t)got;
        } else if (small) {
            memcpy(to, words, chunk->raw_bytes);
            chunk->stored_bytes = chunk->raw_bytes;
            chunk->codec = SL_CODEC_QUANTISED;
        } else {
            store_plain(source, begin, count, to, chunk);
        }
    }
    chunk->checksum = sl_hash(to, chunk->stored_bytes, 0);
}

const char *sl_codec_decode(const SlSection *section, const SlChunk *chunk, const char *stored,
                            uint32_t count, const SlCodecScratch *scratch, char *to)
{
    uint32_t lanes = sl_codec_lanes(section->type);
    size_t bytes = (size_t)count * section->element_bytes;
    bool quantised = chunk->codec >= SL_CODEC_QUANTISED;
    bool zstd = chunk->codec == SL_CODEC_PACKED || chunk->codec == SL_CODEC_QUANTISED_ZSTD;
    size_t raw = quantised ? 8 * lanes + (size_t)count * 2 * lanes : bytes;
    if (chunk->codec >= SL_CODEC_COUNT || (chunk->codec != SL_CODEC_PLAIN && lanes == 0) ||
        (quantised && section->type == SL_FIELD_U32))
        return "a chunk has a codec that its values cannot have";
    if (chunk->raw_bytes != raw || (!zstd && chunk->stored_bytes != raw))
        return "a chunk's sizes do not match";
    if (sl_hash(stored, chunk->stored_bytes, 0) != chunk->checksum)
        return "the checksum of a chunk is wrong";
    if (chunk->codec == SL_CODEC_PLAIN) {
        memcpy(to, stored, bytes);
        return NULL;
    }
    const uint8_t *words = (const uint8_t *)stored;
    if (zstd) {
        size_t got = ZSTD_decompressDCtx(scratch->decoder, scratch->words, raw, stored,
                                         chunk->stored_bytes);
        if (ZSTD_isError(got) || got != raw)
            return "a chunk does not decompress to its size";
        words = scratch->words;
    }
    if (quantised)
        return restore_quantised(words, count, lanes, to);
    unpack_words(words, count, lanes, to);
    return NULL;
}
