/* Philox4x32-10 against the known answers of its authors (Random123, kat_vectors), and its
   numbers against what uniform numbers do. */
#include "core/random.h"
#include "support/test.h"

static void known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        const uint32_t *c = known[k].counter, *key = known[k].key;
        SlRandom4 got = sl_random((uint64_t)key[1] << 32 | key[0], (uint64_t)c[1] << 32 | c[0],
                                  (uint64_t)c[3] << 32 | c[2]);
        assert_memory_equal(got.value, known[k].answer, sizeof got.value);
    }
}

static void unit_stays_in_range(void **state)
{
    (void)state;
    assert_true(sl_random_unit(0) == 0.0f);
    assert_true(sl_random_unit(0xffffffff) < 1.0f);
    assert_true(sl_random_unit(0x80000000) == 0.5f);
}

/* Chi-square over 64 bins for each of the four lanes; 63 degrees of freedom: mean 63, standard
   deviation 11.2. Nothing here is left to chance: the seed is fixed. */
static void numbers_are_uniform(void **state)
{
    (void)state;
    enum { BINS = 64, COUNT = 64 * 2000 };
    for (uint64_t seed = 0; seed < 4; seed++) {
        static uint32_t bins[4][BINS];
        memset(bins, 0, sizeof bins);
        double mean = 0;
        for (uint64_t i = 0; i < COUNT; i++) {
            SlRandom4 random = sl_random(seed, i, 3);
            for (int lane = 0; lane < 4; lane++) {
                float u = sl_random_unit(random.value[lane]);
                bins[lane][(int)(u * BINS)]++;
                mean += u;
            }
        }
        /* Standard error of the mean of 512,000 uniform numbers: 4e-4. */
        assert_near(mean / (4.0 * COUNT), 0.5, 1.6e-3);
        for (int lane = 0; lane < 4; lane++) {
            double chi = 0, expected = (double)COUNT / BINS;
            for (int b = 0; b < BINS; b++)
                chi += (bins[lane][b] - expected) * (bins[lane][b] - expected) / expected;
            assert_less(chi, 63 + 4 * 11.2);
            assert_less(63 - 4 * 11.2, chi);
        }
    }
}

/* Neighbouring counters, streams and seeds have nothing in common: about half the bits differ. */
static void neighbours_differ(void **state)
{
    (void)state;
    double bits[3] = {0};
    enum { COUNT = 2000 };
    for (uint64_t i = 0; i < COUNT; i++) {
        SlRandom4 here = sl_random(i, i, i);
        SlRandom4 there[3] = {sl_random(i + 1, i, i), sl_random(i, i + 1, i),
                              sl_random(i, i, i + 1)};
        for (int k = 0; k < 3; k++)
            for (int lane = 0; lane < 4; lane++)
                bits[k] += __builtin_popcount(here.value[lane] ^ there[k].value[lane]);
    }
    for (int k = 0; k < 3; k++)
        assert_near(bits[k] / (128.0 * COUNT), 0.5, 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(unit_stays_in_range),
        cmocka_unit_test(numbers_are_uniform),
        cmocka_unit_test(neighbours_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
