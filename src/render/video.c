/* Video: frames piped to ffmpeg, as VP9 in WebM where the name says so, else as H.264 in MP4. ffmpeg is started without a shell, with one end of a
   socket pair as its input: send() can suppress SIGPIPE per call, so the program's signal settings are
   not changed. The child has a process group of its own: Ctrl-C in a terminal then reaches only the
   program, which completes the file. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/context.h"
#include "sleet/render.h"

struct SlVideo {
    SlContext *context;
    uint32_t width, height;
    int input;        /* our end of ffmpeg's standard input */
    int messages;     /* ffmpeg's standard error: a file in memory, which never blocks it */
    pid_t process;
    bool broken;      /* a write failed: the file is not usable */
    char path[1024], temporary[1024];
};

/* Searches PATH as execvp does, so that a missing program is reported before anything is started. */
static bool find_ffmpeg(char *found, size_t size)
{
    const char *at = getenv("PATH");
    while (at != NULL && *at != '\0') {
        size_t length = strcspn(at, ":");
        int wrote = snprintf(found, size, "%.*s/ffmpeg", (int)length, at);
        if (wrote > 0 && (size_t)wrote < size && access(found, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* In the child, between fork and exec: only async-signal-safe calls. */
static void become_ffmpeg(const char *program, const char *const *arguments, int input, int messages)
{
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nothing = open("/dev/null", O_WRONLY);
    if (nothing < 0 || dup2(input, 0) < 0 || dup2(nothing, 1) < 0 || dup2(messages, 2) < 0)
        _exit(127);
    execv(program, (char *const *)arguments); /* does not write to them */
    _exit(127);
}

static bool is_webm(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending != NULL && strcmp(ending, ".webm") == 0;
}

static SlStatus start(SlVideo *video, const char *program, double rate, SlError *error)
{
    char size[32], speed[48], output[sizeof video->temporary + 8];
    /* With the protocol named, a path may start with "-" or contain a ":". */
    snprintf(output, sizeof output, "file:%s", video->temporary);
    snprintf(size, sizeof size, "%ux%u", video->width, video->height);
    snprintf(speed, sizeof speed, "%.6f", rate);
    /* yuv420p, which every player has, needs even sides: an odd side is padded by one pixel. */
    enum { COMMON = 28, ENCODER = 14 };
    const char *arguments[COMMON + ENCODER + 4] = {
        "ffmpeg", "-y", "-nostdin", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-s", size, "-r", speed, "-i", "pipe:0", "-an",
        "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709",
        "-pix_fmt", "yuv420p", "-color_primaries", "bt709", "-color_trc", "bt709",
        "-colorspace", "bt709"};
    /* VP9 at constant quality; real-time settings, as slow ones take longer than the pictures. */
    static const char *const webm[ENCODER] = {
        "-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-deadline", "realtime",
        "-cpu-used", "5", "-row-mt", "1", "-f", "webm"};
    static const char *const mp4[ENCODER] = {
        "-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-movflags", "+faststart",
        "-f", "mp4"};
    const char *const *encoder = is_webm(video->path) ? webm : mp4;
    size_t count = 0;
    while (arguments[count] != NULL)
        count++;
    for (size_t k = 0; k < ENCODER && encoder[k] != NULL; k++)
        arguments[count++] = encoder[k];
    arguments[count] = output;
    int input[2] = {-1, -1};
    video->messages = memfd_create("ffmpeg-messages", MFD_CLOEXEC);
    bool ready =
        video->messages >= 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) == 0;
    video->process = ready ? fork() : -1;
    if (video->process == 0)
        become_ffmpeg(program, arguments, input[1], video->messages);
    int reason = errno;
    if (input[1] >= 0)
        close(input[1]);
    video->input = input[0];
    if (video->process > 0)
        return SL_OK;
    return sl_error_set(error, SL_ERROR_IO, "%.300s: ffmpeg cannot be started: %s", video->path,
                        strerror(reason));
}

static void close_ends(SlVideo *video)
{
    if (video->input >= 0)
        close(video->input);
    if (video->messages >= 0)
        close(video->messages);
    video->input = video->messages = -1;
}

/* That the path can be written is checked before the first frame, not after the last. */
static SlStatus check_path(SlVideo *video, SlError *error)
{
    int probe = open(video->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (probe < 0)
        return sl_error_set(error, SL_ERROR_IO, "%.300s: cannot be written: %s", video->path,
                            strerror(errno));
    close(probe);
    return SL_OK;
}

SlStatus sl_video_open(SlContext *context, const char *path, uint32_t width, uint32_t height,
                       double frames_per_second, SlVideo **result, SlError *error)
{
    *result = NULL;
    if (width == 0 || height == 0 || width > 16384 || height > 16384)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%.300s: a video of %u × %u pixels; each side may be from 1 to 16384",
                            path, width, height);
    if (!(frames_per_second >= 0.01 && frames_per_second <= 1000))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%.300s: %g frames per second; it may be from 0.01 to 1000", path,
                            frames_per_second);
    char program[1024];
    if (!find_ffmpeg(program, sizeof program))
        return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                            "%.300s: ffmpeg is not installed; install the package ffmpeg to write "
                            "videos",
                            path);
    SlVideo *video = sl_alloc_zero(&context->memory, 1, sizeof *video);
    if (video == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory for a video", path);
    *video = (SlVideo){
        .context = context, .width = width, .height = height, .input = -1, .messages = -1};
    int length = snprintf(video->temporary, sizeof video->temporary, "%s.%ld.part", path,
                          (long)getpid());
    SlStatus status = SL_OK;
    if (length < 0 || (size_t)length >= sizeof video->temporary)
        status = sl_error_set(error, SL_ERROR_ARGUMENT, "%.200s…: path too long", path);
    else
        memcpy(video->path, path, strlen(path) + 1);
    if (status == SL_OK)
        status = check_path(video, error);
    if (status == SL_OK) {
        status = start(video, program, frames_per_second, error);
        if (status != SL_OK)
            unlink(video->temporary);
    }
    if (status != SL_OK) {
        close_ends(video);
        sl_free(&context->memory, video, sizeof *video);
        return status;
    }
    *result = video;
    return SL_OK;
}

SlStatus sl_video_add(SlVideo *video, const SlImage *image, SlError *error)
{
    if (image->width != video->width || image->height != video->height)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%.300s: a frame of %u × %u pixels in a video of %u × %u", video->path,
                            image->width, image->height, video->width, video->height);
    const uint8_t *at = image->pixels;
    size_t left = 3 * (size_t)image->width * image->height;
    while (left > 0 && !video->broken) {
        ssize_t sent = send(video->input, at, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            video->broken = true;
            break;
        }
        at += sent;
        left -= (size_t)sent;
    }
    if (video->broken)
        return sl_error_set(error, SL_ERROR_IO,
                            "%.300s: ffmpeg no longer accepts frames; sl_video_close reports why",
                            video->path);
    return SL_OK;
}

/* The first line that ffmpeg wrote, for the error message. */
static void read_message(int descriptor, char *text, size_t size)
{
    ssize_t got = pread(descriptor, text, size - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
}

/* Waits for ffmpeg, then syncs and renames the file. */
static SlStatus complete(SlVideo *video, bool keep, SlError *error)
{
    char message[200];
    shutdown(video->input, SHUT_WR);
    int state = 0;
    while (waitpid(video->process, &state, 0) < 0 && errno == EINTR)
        continue;
    read_message(video->messages, message, sizeof message);
    if (!keep)
        return SL_OK;
    if (WIFSIGNALED(state))
        return sl_error_set(error, SL_ERROR_IO, "%.200s: ffmpeg was stopped by signal %d",
                            video->path, WTERMSIG(state));
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return sl_error_set(error, SL_ERROR_IO, "%.200s: ffmpeg failed with exit status %d%s%s",
                            video->path, WEXITSTATUS(state), message[0] != '\0' ? ": " : "", message);
    if (video->broken)
        return sl_error_set(error, SL_ERROR_IO, "%.200s: ffmpeg closed its input early",
                            video->path);
    const SlFileLayer *layer = &video->context->file_layer;
    int written = open(video->temporary, O_RDONLY | O_CLOEXEC);
    bool synced = written >= 0 && layer->sync(layer->user, written) == 0;
    if (written >= 0)
        close(written);
    if (!synced)
        return sl_error_set(error, SL_ERROR_IO, "%.200s: cannot be synced to disk: %s",
                            video->path, strerror(errno));
    if (layer->rename(layer->user, video->temporary, video->path) != 0)
        return sl_error_set(error, SL_ERROR_IO, "%.200s: cannot be renamed to its final name: %s", video->path,
                            strerror(errno));
    return SL_OK;
}

SlStatus sl_video_close(SlVideo *video, bool keep, SlError *error)
{
    if (video == NULL)
        return SL_OK;
    if (!keep)
        kill(video->process, SIGKILL);
    SlStatus status = complete(video, keep, error);
    if (!keep || status != SL_OK)
        unlink(video->temporary);
    close_ends(video);
    sl_free(&video->context->memory, video, sizeof *video);
    return status;
}
