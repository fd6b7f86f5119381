/* The codec against a reference implementation written from docs/frame-file.md, and the bounds of what is lost
   by 16 bits. */
#include <zstd.h>

#include "core/random.h"
#include "io/codec.h"
#include "support/test.h"

enum { MAX = 5000 };

static SlCodecScratch make_scratch(void)
{
    SlCodecScratch scratch = {.words = malloc(sl_codec_words_bytes())};
    scratch.encoder = sl_codec_encoder(aligned_alloc(64, (sl_codec_encoder_bytes() + 63) / 64 * 64));
    scratch.decoder = sl_codec_decoder(aligned_alloc(64, (sl_codec_decoder_bytes() + 63) / 64 * 64));
    assert_non_null(scratch.encoder);
    assert_non_null(scratch.decoder);
    return scratch;
}

static void free_scratch(SlCodecScratch *scratch)
{
    free(scratch->words);
    free(scratch->encoder); /* zstd's contexts begin where their room does */
    free(scratch->decoder);
}

/* Values of several kinds: at rest, moving, wild bits, constant. */
static void fill(uint32_t kind, uint32_t *words, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        SlRandom4 r = sl_random(kind, k, 0);
        float value = kind == 0 ? 0.1f * (float)(k % 40) + 0.05f
                                : 3 + 1e-3f * (float)k + (float)r.value[0] * 2e-11f;
        memcpy(&words[k], &value, 4);
        if (kind == 2)
            words[k] = r.value[1];
        if (kind == 3)
            words[k] = 0;
    }
}

/* As a reader would who has only the page: bytes by significance, differences, whole values. */
static void reference_decode(const SlChunk *chunk, const char *stored, uint32_t count, uint32_t lanes,
                         uint32_t *out)
{
    uint8_t *bytes = malloc(chunk->raw_bytes);
    size_t got = ZSTD_decompress(bytes, chunk->raw_bytes, stored, chunk->stored_bytes);
    assert_int_equal(got, chunk->raw_bytes);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint32_t value = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t folded = 0;
            for (uint32_t k = 0; k < 4; k++)
                folded += (uint32_t)bytes[(k * lanes + lane) * count + i] << (8 * k);
            value += folded % 2 == 0 ? folded / 2 : ~(folded / 2);
            out[i * lanes + lane] = value;
        }
    }
    free(bytes);
}

static void round_trips(void **state)
{
    (void)state;
    SlCodecScratch scratch = make_scratch();
    static uint32_t words[4 * MAX], back[3 * MAX], plain[3 * MAX];
    static char stored[12 * MAX];
    const uint32_t counts[] = {1, 7, 63, 64, 65, 1000, MAX};
    for (uint32_t kind = 0; kind < 4; kind++)
        for (uint32_t type = SL_FIELD_U32; type <= SL_FIELD_F32X3; type++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                uint32_t lanes = sl_codec_lanes(type), count = counts[c];
                size_t stride = lanes == 3 ? 16 : 4; /* float4 in memory */
                fill(kind, words, 4 * MAX);
                SlSource source = {.type = type, .element_bytes = 4 * lanes, .stride = stride,
                                   .count = count, .data = words};
                SlSection section = {.type = type, .element_bytes = 4 * lanes, .count = count};
                SlChunk chunk;
                sl_codec_encode(&source, 0, count, &scratch, stored, &chunk);
                assert_true(chunk.stored_bytes <= 4 * lanes * count);
                assert_null(sl_codec_decode(&section, &chunk, stored, count, &scratch,
                                            (char *)back));
                for (uint32_t i = 0; i < count; i++)
                    assert_memory_equal(&back[i * lanes], &words[i * stride / 4], 4 * lanes);
                if (chunk.codec == SL_CODEC_PACKED) {
                    reference_decode(&chunk, stored, count, lanes, plain);
                    assert_memory_equal(plain, back, 4 * lanes * count);
                }
                assert_true(kind == 2 || count < 1000 || chunk.codec == SL_CODEC_PACKED);
            }
    free_scratch(&scratch);
}

/* Half a step of 65,535 between a chunk's bounds, and the rounding of a float. */
static void sixteen_bits_keep_their_promise(void **state)
{
    (void)state;
    SlCodecScratch scratch = make_scratch();
    static float values[4 * MAX], back[3 * MAX];
    static char stored[12 * MAX];
    for (size_t k = 0; k < 4 * MAX; k++)
        values[k] = 8 * (float)sl_random(7, k, 0).value[0] / 4294967296.0f - 2;
    SlSource source = {.type = SL_FIELD_F32X3, .element_bytes = 12, .stride = 16, .count = MAX,
                       .data = values, .quantise = true};
    SlSection section = {.type = SL_FIELD_F32X3, .element_bytes = 12, .count = MAX};
    SlChunk chunk;
    sl_codec_encode(&source, 0, MAX, &scratch, stored, &chunk);
    assert_true(chunk.codec == SL_CODEC_QUANTISED || chunk.codec == SL_CODEC_QUANTISED_ZSTD);
    assert_true(chunk.stored_bytes <= 6 * MAX + 24);
    assert_null(sl_codec_decode(&section, &chunk, stored, MAX, &scratch, (char *)back));
    for (size_t i = 0; i < MAX; i++)
        for (size_t k = 0; k < 3; k++)
            assert_near((double)back[3 * i + k], (double)values[4 * i + k],
                        0.501 * 8 / 65535 + 1e-6);
    /* What is not finite cannot be scaled: such a chunk keeps all its bits. */
    values[40] = INFINITY;
    sl_codec_encode(&source, 0, MAX, &scratch, stored, &chunk);
    assert_true(chunk.codec == SL_CODEC_PACKED || chunk.codec == SL_CODEC_PLAIN);
    free_scratch(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trips),
                                       cmocka_unit_test(sixteen_bits_keep_their_promise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
