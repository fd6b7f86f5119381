/* sleet compare: how far two pictures are apart, in numbers and as a picture. */
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"

enum { O_OUTPUT, O_GAIN, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_OUTPUT] = {"output", 'o', "FILE.png", "also write the differences as a picture"},
    [O_GAIN] = {"gain", 0, "N", "factor of the differences in that picture, 1 to 255 (default: 1)"},
};

static void print(const SlImage *image, const SlImageDistance *distance)
{
    printf("size: %u × %u\n", image->width, image->height);
    if (isinf(distance->psnr))
        printf("psnr: infinite\n");
    else
        printf("psnr: %.3f dB\n", distance->psnr);
    printf("ssim: %.5f\nlargest difference: %u of 255\n", distance->ssim, distance->max_difference);
}

static SlStatus write_difference(SlContext *context, const SlImage image[2], uint32_t gain,
                                 const char *path, SlError *error)
{
    SlImage difference;
    SlStatus status = sl_image_create(context, image[0].width, image[0].height, &difference,
                                      error);
    if (status != SL_OK)
        return status;
    sl_image_difference(&image[0], &image[1], gain, &difference);
    status = sl_image_write_png(context, &difference, path, error);
    sl_image_destroy(context, &difference);
    return status;
}

static int compare_files(const CliInput *input, uint32_t gain)
{
    SlContext *context;
    SlImage image[2] = {{0}, {0}};
    SlImageDistance distance;
    SlError error;
    SlStatus status = cli_context("1", true, &context, &error);
    if (status != SL_OK)
        return cli_fail(&error);
    for (int k = 0; status == SL_OK && k < 2; k++)
        status = sl_image_read_png(context, input->words[k], &image[k], &error);
    if (status == SL_OK)
        status = sl_image_compare(context, &image[0], &image[1], &distance, &error);
    if (status == SL_OK && input->value[O_OUTPUT] != NULL)
        status = write_difference(context, image, gain, input->value[O_OUTPUT], &error);
    if (status == SL_OK)
        print(&image[0], &distance);
    for (int k = 0; k < 2; k++)
        sl_image_destroy(context, &image[k]);
    sl_context_destroy(context);
    return status == SL_OK ? EXIT_DONE : cli_fail(&error);
}

static int compare(int count, char **words)
{
    CliInput input;
    uint64_t gain = 1;
    int code = cli_parse(&cli_compare_command, count, words, &input);
    if (code < 0 && input.word_count != 2)
        code = cli_usage_error("compare", "two PNG files are needed");
    if (code < 0 && input.value[O_GAIN] != NULL &&
        !cli_integer(&cli_compare_command, "gain", input.value[O_GAIN], 1, 255, &gain))
        code = EXIT_USAGE;
    if (code < 0)
        code = compare_files(&input, (uint32_t)gain);
    cli_input_free(&input);
    return code;
}

const CliCommand cli_compare_command = {
    .name = "compare",
    .arguments = "A.png B.png [options]",
    .summary = "PSNR, SSIM and the differences of two pictures of one size",
    .examples = "  sleet compare reference.png mine.png\n"
                "  sleet compare reference.png mine.png -o difference.png --gain 4\n",
    .options = options,
    .option_count = O_COUNT,
    .run = compare,
};
