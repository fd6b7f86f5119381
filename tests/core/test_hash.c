/* The state hash is XXH3, and sees every bit. */
#include <xxhash.h>

#include "core/hash.h"
#include "core/random.h"
#include "support/test.h"

static void fill(unsigned char *bytes, size_t count)
{
    for (size_t k = 0; k < count; k++)
        bytes[k] = (unsigned char)sl_random(7, k, 0).value[0];
}

static void equals_xxh3(void **state)
{
    (void)state;
    unsigned char bytes[3000];
    fill(bytes, sizeof bytes);
    static const uint64_t seeds[] = {0, 1, 0x9E3779B97F4A7C15u, UINT64_MAX};
    for (size_t s = 0; s < sizeof seeds / sizeof seeds[0]; s++)
        for (size_t length = 0; length <= sizeof bytes; length += length < 300 ? 1 : 97)
            assert_true(sl_hash(bytes, length, seeds[s]) ==
                        XXH3_64bits_withSeed(bytes, length, seeds[s]));
    assert_true(sl_hash(NULL, 0, 0) == XXH3_64bits(NULL, 0));
}

static void one_bit_changes_it(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 4, 8, 16, 33, 128, 240, 241, 1024};
    unsigned char bytes[1024];
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        fill(bytes, lengths[k]);
        uint64_t whole = sl_hash(bytes, lengths[k], 0);
        for (size_t bit = 0; bit < 8 * lengths[k]; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_true(sl_hash(bytes, lengths[k], 0) != whole);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        assert_true(sl_hash(bytes, lengths[k], 0) == whole);
        assert_true(sl_hash(bytes, lengths[k], 1) != whole);
        assert_true(sl_hash(bytes, lengths[k] - 1, 0) != whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_xxh3),
        cmocka_unit_test(one_bit_changes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
