/* Videos through ffmpeg: length and size, odd sizes, and every way it can go wrong. */
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

enum { FRAMES = 25 };

static bool have(const char *program)
{
    char command[100];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0;
}

static void skip_without_ffmpeg(void)
{
    if (!have("ffmpeg"))
        test_skip("ffmpeg is not installed (apt-get install ffmpeg)");
}

static void add_frames(SlVideo *video, uint32_t width, uint32_t height, int count)
{
    uint8_t *pixels = malloc(3 * (size_t)width * height);
    for (int f = 0; f < count; f++) {
        for (size_t k = 0; k < 3 * (size_t)width * height; k++)
            pixels[k] = (uint8_t)(k + (size_t)f * 5);
        SlImage image = {width, height, pixels};
        assert_ok(sl_video_add(video, &image, &test_error));
    }
    free(pixels);
}

/* What ffprobe says of the first stream, e.g. "64,48,1.000000". */
static void probe(const char *path, char *text, int size)
{
    char command[900];
    snprintf(command, sizeof command,
             "ffprobe -v error -select_streams v:0 -count_packets -show_entries "
             "stream=width,height,nb_read_packets -of csv=p=0 '%s'",
             path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(text, size, pipe));
    text[strcspn(text, "\n")] = '\0';
    pclose(pipe);
}

static void write_and_probe(uint32_t width, uint32_t height, const char *expected)
{
    char folder[512], path[600], text[100];
    test_folder(folder, sizeof folder, "video");
    snprintf(path, sizeof path, "%s/%ux%u.mp4", folder, width, height);
    unlink(path);
    SlContext *context = test_context(1);
    SlVideo *video;
    assert_ok(sl_video_open(context, path, width, height, 25, &video, &test_error));
    add_frames(video, width, height, FRAMES);
    assert_int_not_equal(0, access(path, F_OK)); /* not before it is complete */
    assert_ok(sl_video_close(video, true, &test_error));
    struct stat info;
    assert_int_equal(0, stat(path, &info));
    assert_true(info.st_size > 500);
    if (have("ffprobe")) {
        probe(path, text, sizeof text);
        assert_string_equal(expected, text);
    }
    sl_context_destroy(context);
}

static void frames_become_a_video(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    write_and_probe(64, 48, "64,48,25");
}

static void odd_sizes_are_padded(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    write_and_probe(63, 47, "64,48,25");
}

static void dropped_video_leaves_nothing(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    char folder[512], path[600], command[700];
    test_folder(folder, sizeof folder, "video-dropped");
    snprintf(path, sizeof path, "%s/a.mp4", folder);
    SlContext *context = test_context(1);
    uint64_t held = sl_context_bytes_held(context);
    SlVideo *video;
    assert_ok(sl_video_open(context, path, 64, 48, 25, &video, &test_error));
    add_frames(video, 64, 48, 3);
    uint8_t pixel[3] = {0};
    SlImage wrong = {1, 1, pixel};
    assert_int_equal(SL_ERROR_ARGUMENT, sl_video_add(video, &wrong, &test_error));
    assert_ok(sl_video_close(video, false, &test_error));
    assert_int_equal(held, sl_context_bytes_held(context));
    snprintf(command, sizeof command, "test -z \"$(ls -A '%s')\"", folder);
    assert_int_equal(0, system(command));
    sl_context_destroy(context);
}

static void bad_paths_and_numbers_have_messages(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    SlContext *context = test_context(1);
    SlVideo *video;
    assert_int_equal(SL_ERROR_IO, sl_video_open(context, "/no/such/folder/a.mp4", 64, 48, 25,
                                                &video, &test_error));
    assert_non_null(strstr(test_error.text, "/no/such/folder/a.mp4: cannot be written"));
    assert_null(video);
    assert_int_equal(SL_ERROR_ARGUMENT,
                     sl_video_open(context, "a.mp4", 0, 48, 25, &video, &test_error));
    assert_int_equal(SL_ERROR_ARGUMENT,
                     sl_video_open(context, "a.mp4", 64, 48, NAN, &video, &test_error));
    sl_context_destroy(context);
}

/* A stand-in for ffmpeg that fails with a message: no SIGPIPE, and the message is in the error. */
static void failing_ffmpeg_has_a_message(void **state)
{
    (void)state;
    char folder[512], program[600], path[600], old[4096];
    test_folder(folder, sizeof folder, "video-failing");
    snprintf(program, sizeof program, "%s/ffmpeg", folder);
    snprintf(path, sizeof path, "%s/a.mp4", folder);
    FILE *file = fopen(program, "w");
    fputs("#!/bin/sh\nexec 0<&-\necho 'no such encoder' >&2\nexit 3\n", file);
    fclose(file);
    chmod(program, 0755);
    snprintf(old, sizeof old, "%s", getenv("PATH"));
    setenv("PATH", folder, 1);
    SlContext *context = test_context(1);
    SlVideo *video;
    assert_ok(sl_video_open(context, path, 640, 480, 25, &video, &test_error));
    setenv("PATH", old, 1);
    uint8_t *pixels = calloc(3 * 640 * 480, 1);
    SlImage image = {640, 480, pixels};
    SlStatus status = SL_OK;
    for (int k = 0; k < 200 && status == SL_OK; k++)
        status = sl_video_add(video, &image, &test_error);
    assert_int_equal(SL_ERROR_IO, status);
    assert_int_equal(SL_ERROR_IO, sl_video_close(video, true, &test_error));
    assert_non_null(strstr(test_error.text, "exit status 3: no such encoder"));
    assert_int_not_equal(0, access(path, F_OK));
    free(pixels);

    setenv("PATH", "/no/programs/here", 1);
    SlStatus missing = sl_video_open(context, path, 64, 48, 25, &video, &test_error);
    setenv("PATH", old, 1);
    assert_int_equal(SL_ERROR_UNSUPPORTED, missing);
    assert_non_null(strstr(test_error.text, "ffmpeg is not installed"));
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_become_a_video),
        cmocka_unit_test(odd_sizes_are_padded),
        cmocka_unit_test(dropped_video_leaves_nothing),
        cmocka_unit_test(bad_paths_and_numbers_have_messages),
        cmocka_unit_test(failing_ffmpeg_has_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
