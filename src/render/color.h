/* Colours: sRGB and back, the tone curve, colour maps, and albedos packed into 32 bits. */
#ifndef RENDER_COLOR_H
#define RENDER_COLOR_H

#include "math/vec3.h"
#include "sleet/render.h"

/* The choices of `color_map`, in the order of their index. */
#define SL_COLOR_MAP_NAMES "water|viridis|turbo|ice|gray"
enum { SL_COLOR_MAP_COUNT = 5 };

float sl_srgb_to_linear(float value);
float sl_linear_to_srgb(float value);
SlVec3 sl_color_from_srgb(SlVec3 color);

/* Linear light to display-linear [0, 1): the identity up to a knee at 0.6, then a soft shoulder, so
   that chosen colours are shown as they are and highlights do not clip. */
float sl_tone_map(float light);
/* Light by any curve, to [0, 1]. The choices of a renderer's parameter `tone` are in the order of
   SlTone. */
#define SL_TONE_NAMES "filmic|soft|linear"
enum { SL_TONE_COUNT = 3 };
float sl_tone_curve(SlTone tone, float light);

/* Linear colour of map `map` at t in [0, 1]. */
SlVec3 sl_color_map(uint32_t map, float t);

/* Red, green, blue in bytes 0, 1, 2 as square roots of linear values: 8 bits then suffice, and a kernel
   unpacks with one multiplication. */
uint32_t sl_color_pack(SlVec3 linear);
SlVec3 sl_color_unpack(uint32_t packed);

/* 8-bit sRGB after tone mapping, as a table over the square root of light: entry k is for
   (k / (SL_TONE_SIZE - 1) × SL_TONE_ROOT)². */
enum { SL_TONE_SIZE = 4096 };
#define SL_TONE_ROOT 4.0f
void sl_tone_table(float table[SL_TONE_SIZE]);
void sl_tone_table_of(SlTone tone, float table[SL_TONE_SIZE]);

/* What is added to a value of that table at a pixel before it is cut to an integer: one half, and half
   a step of ordered noise that keeps smooth gradients from showing bands. */
static inline float sl_dither(uint32_t x, uint32_t y)
{
    static const float pattern[4][4] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    return 0.25f + (pattern[y & 3][x & 3] + 0.5f) / 32;
}

#endif
