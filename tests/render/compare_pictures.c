/* picture_compare A.png B.png [X Y WIDTH HEIGHT]: how far apart two pictures are, in a part of them; B may
   have the size of that part. Prints PSNR (dB), SSIM and the largest difference of a channel. For the
   target of a denoised still against a crop of many samples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sleet/sleet.h"

static SlError problem;

static void check(SlStatus status)
{
    if (status != SL_OK) {
        fprintf(stderr, "picture_compare: %s\n", problem.text);
        exit(2);
    }
}

/* The part of an image; the image itself where it has that size already. */
static SlImage crop(SlContext *context, SlImage image, const uint32_t part[4])
{
    if (image.width == part[2] && image.height == part[3])
        return image;
    SlImage out;
    if (part[0] + part[2] > image.width || part[1] + part[3] > image.height) {
        fprintf(stderr, "picture_compare: the part reaches beyond %u × %u pixels\n", image.width,
                image.height);
        exit(2);
    }
    check(sl_image_create(context, part[2], part[3], &out, &problem));
    for (uint32_t y = 0; y < part[3]; y++)
        memcpy(out.pixels + 3 * (size_t)y * part[2],
               image.pixels + 3 * ((size_t)(part[1] + y) * image.width + part[0]),
               3 * (size_t)part[2]);
    sl_image_destroy(context, &image);
    return out;
}

int main(int count, char **words)
{
    if (count != 3 && count != 7) {
        fprintf(stderr, "usage: picture_compare A.png B.png [X Y WIDTH HEIGHT]\n");
        return 2;
    }
    SlContext *context;
    SlContextDef def = sl_default_context_def();
    check(sl_context_create(&def, &context, &problem));
    SlImage a, b;
    check(sl_image_read_png(context, words[1], &a, &problem));
    check(sl_image_read_png(context, words[2], &b, &problem));
    uint32_t part[4] = {0, 0, a.width, a.height};
    for (int k = 0; count == 7 && k < 4; k++)
        part[k] = (uint32_t)strtoul(words[3 + k], NULL, 10);
    a = crop(context, a, part);
    b = crop(context, b, part);
    SlImageDistance distance;
    check(sl_image_compare(context, &a, &b, &distance, &problem));
    printf("PSNR %.2f dB, SSIM %.4f, largest difference %u\n", distance.psnr, distance.ssim,
           distance.max_difference);
    sl_image_destroy(context, &a);
    sl_image_destroy(context, &b);
    sl_context_destroy(context);
    return 0;
}
