/* Colour conversions, the tone curve and the colour maps. */
#include "render/color.h"

float sl_srgb_to_linear(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

float sl_linear_to_srgb(float value)
{
    return value <= 0.0031308f ? 12.92f * value : 1.055f * powf(value, 1 / 2.4f) - 0.055f;
}

SlVec3 sl_color_from_srgb(SlVec3 color)
{
    return sl_vec3(sl_srgb_to_linear(color.x), sl_srgb_to_linear(color.y),
                   sl_srgb_to_linear(color.z));
}

float sl_tone_map(float light)
{
    const float knee = 0.6f;
    if (light <= knee)
        return light > 0 ? light : 0;
    float over = (light - knee) / (1 - knee);
    return knee + (1 - knee) * over / (1 + over);
}

/* [Narkowicz 2015]: a rational curve fitted to the ACES reference rendering and output transforms. His
   input is scaled so that middle grey keeps its value: curve(0.7232 × 0.18) = 0.18. */
static float filmic(float light)
{
    const float a = 2.51f, b = 0.03f, c = 2.43f, d = 0.59f, e = 0.14f, scale = 0.7232f;
    float x = scale * (light < 1e6f ? light : 1e6f); /* squares stay finite */
    return x * (a * x + b) / (x * (c * x + d) + e);
}

float sl_tone_curve(SlTone tone, float light)
{
    float value = light > 0 ? light : 0; /* also of NaN */
    if (tone == SL_TONE_FILMIC)
        value = filmic(value);
    else if (tone == SL_TONE_SOFT)
        value = sl_tone_map(value);
    return value < 1 ? value : 1;
}

/* Evenly spaced sRGB bytes from 0 to 1, interpolated in sRGB, where equal steps look equal. `water` has
   dark blue for slow particles, then azure, then foam; its luminance increases. `viridis` follows the
   map of that name by van der Walt and Smith; `turbo` and `ice` resemble the maps of their names. */
enum { STOPS = 10 };
typedef struct Map {
    int count;
    unsigned char stop[STOPS][3];
} Map;

static const Map maps[SL_COLOR_MAP_COUNT] = {
    {7,
     {{4, 54, 112}, {6, 80, 146}, {16, 112, 182}, {46, 150, 212}, {106, 190, 232}, {180, 222, 244},
      {246, 251, 255}}},
    {10,
     {{68, 1, 84}, {72, 40, 120}, {62, 74, 137}, {49, 104, 142}, {38, 130, 142}, {31, 158, 137},
      {53, 183, 121}, {110, 206, 88}, {181, 222, 43}, {253, 231, 37}}},
    {9,
     {{48, 18, 59}, {68, 90, 205}, {58, 156, 253}, {26, 214, 204}, {98, 250, 108}, {208, 234, 52},
      {252, 166, 48}, {224, 74, 14}, {122, 4, 3}}},
    {6,
     {{6, 10, 32}, {38, 44, 104}, {58, 90, 170}, {92, 148, 202}, {156, 204, 222}, {236, 252, 254}}},
    {2, {{16, 16, 16}, {250, 250, 250}}},
};

SlVec3 sl_color_map(uint32_t index, float t)
{
    const Map *map = &maps[index < SL_COLOR_MAP_COUNT ? index : 0];
    float at = t > 0 ? (t < 1 ? t : 1) * (float)(map->count - 1) : 0;
    int low = (int)at < map->count - 2 ? (int)at : map->count - 2;
    float f = at - (float)low, channel[3];
    for (int k = 0; k < 3; k++)
        channel[k] = ((1 - f) * map->stop[low][k] + f * map->stop[low + 1][k]) / 255;
    return sl_color_from_srgb(sl_vec3(channel[0], channel[1], channel[2]));
}

static uint32_t root_byte(float linear)
{
    float root = sqrtf(linear > 0 ? (linear < 1 ? linear : 1) : 0);
    return (uint32_t)(255 * root + 0.5f);
}

uint32_t sl_color_pack(SlVec3 linear)
{
    return root_byte(linear.x) | root_byte(linear.y) << 8 | root_byte(linear.z) << 16;
}

SlVec3 sl_color_unpack(uint32_t packed)
{
    float r = (float)(packed & 255) / 255, g = (float)(packed >> 8 & 255) / 255;
    float b = (float)(packed >> 16 & 255) / 255;
    return sl_vec3(r * r, g * g, b * b);
}

void sl_tone_table_of(SlTone tone, float table[SL_TONE_SIZE])
{
    for (int k = 0; k < SL_TONE_SIZE; k++) {
        float root = (float)k / (SL_TONE_SIZE - 1) * SL_TONE_ROOT;
        table[k] = 255 * sl_linear_to_srgb(sl_tone_curve(tone, root * root));
    }
}

void sl_tone_table(float table[SL_TONE_SIZE])
{
    sl_tone_table_of(SL_TONE_SOFT, table);
}
