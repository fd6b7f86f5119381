/* Progress on standard error: a bar on a terminal, plain lines otherwise; signals; the log. */
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"

static void time_left(char *text, size_t size, double seconds)
{
    unsigned total = seconds < 0 ? 0 : seconds > 3.5e6 ? 3500000 : (unsigned)(seconds + 0.5);
    if (total >= 3600)
        snprintf(text, size, "%u:%02u:%02u", total / 3600, total / 60 % 60, total % 60);
    else
        snprintf(text, size, "%u:%02u", total / 60, total % 60);
}

static bool bar_is_drawn; /* the command's own state: one bar per process */

void cli_progress_clear(void)
{
    if (bar_is_drawn)
        fprintf(stderr, "\r\033[K");
    bar_is_drawn = false;
}

void cli_progress_begin(CliProgress *progress, const char *what, uint64_t total, bool quiet)
{
    *progress = (CliProgress){.quiet = quiet,
                              .terminal = isatty(STDERR_FILENO) != 0,
                              .what = what,
                              .total = total,
                              .started = sl_machine_seconds()};
}

/* A line that wrapped could not be drawn over: the bar is as wide as the text leaves room for, and the
   text behind it is left out where there is none. */
static void draw_bar(const char *what, double fraction, const char *numbers, const char *more)
{
    enum { MIN = 8, MAX = 28 };
    struct winsize window;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    int columns = known ? window.ws_col : 80;
    int room = columns - 1 - (int)(strlen(what) + strlen(numbers) + 2);
    if (room < MIN) {
        fprintf(stderr, "\r\033[K%.*s", columns - 1, numbers);
        fflush(stderr);
        return;
    }
    int words = more[0] != '\0' ? (int)strlen(more) + 2 : 0;
    if (room - words < MIN)
        words = 0;
    int width = room - words < MAX ? room - words : MAX;
    char bar[3 * MAX + 1], *at = bar;
    for (int k = 0; k < width; k++) {
        const char *cell = k < (int)(fraction * width + 0.5) ? "█" : "░";
        memcpy(at, cell, 3);
        at += 3;
    }
    *at = '\0';
    fprintf(stderr, "\r\033[K%s %s %s%s%s", what, bar, numbers, words > 0 ? "  " : "",
            words > 0 ? more : "");
    fflush(stderr);
}

/* `done` may lie between two frames. */
static void show(CliProgress *progress, double done, const char *more)
{
    double t = sl_machine_seconds(), spent = t - progress->started;
    double total = (double)progress->total, fraction = done / total;
    double rate = spent > 0 ? (done - (double)progress->first) / spent : 0;
    unsigned long long frame = (unsigned long long)done;
    char left[32];
    time_left(left, sizeof left, rate > 0 ? (total - done) / rate : 0);
    if (!progress->terminal) { /* at most one line per tenth */
        int tenth = (int)(10 * fraction);
        if (tenth == progress->last_tenth && done < total)
            return;
        progress->last_tenth = tenth;
        if (done > (double)frame)
            fprintf(stderr, "%s: %.0f %% of frame %llu of %llu, %s left\n", progress->what,
                    100 * (done - (double)frame), frame + 1, (unsigned long long)progress->total,
                    left);
        else
            fprintf(stderr, "%s: frame %llu of %llu, %.2f frames/s, %s left%s%s\n", progress->what,
                    frame, (unsigned long long)progress->total, rate, left,
                    more[0] != '\0' ? ", " : "", more);
        return;
    }
    if (t - progress->last_shown < 0.1 && done < total)
        return;
    progress->last_shown = t;
    char numbers[256];
    snprintf(numbers, sizeof numbers,
             rate < 0.1 ? "%3.0f %%  frame %llu/%llu  %.3f frames/s  %s left"
                        : "%3.0f %%  frame %llu/%llu  %.1f frames/s  %s left",
             100 * fraction, frame, (unsigned long long)progress->total, rate, left);
    draw_bar(progress->what, fraction, numbers, more);
    bar_is_drawn = true;
}

/* The time of a filter's past frames says nothing of the frames to come: it does not count in their rate. */
static void end_stage(CliProgress *progress)
{
    if (progress->stage_started > 0)
        progress->started += sl_machine_seconds() - progress->stage_started;
    progress->stage_started = 0;
}

void cli_progress_show(CliProgress *progress, uint64_t done, const char *more)
{
    end_stage(progress);
    progress->done = done;
    progress->picture_started = 0;
    if (!progress->quiet && progress->total > 0)
        show(progress, (double)done, more);
}

static CliProgress *watched; /* the command's own state, as the bar is */

void cli_progress_watch(CliProgress *progress)
{
    watched = progress;
}

/* A filter with all frames before the next as its past. */
static void show_stage(CliProgress *progress, double fraction, const char *what)
{
    double t = sl_machine_seconds();
    if (progress->stage_started <= 0 || strcmp(progress->stage, what) != 0) {
        end_stage(progress);
        snprintf(progress->stage, sizeof progress->stage, "%s", what);
        progress->stage_started = t;
        progress->stage_first = fraction;
        progress->stage_tenth = -1;
    }
    double spent = t - progress->stage_started, done = fraction - progress->stage_first;
    if (spent < 1 || done <= 0)
        return;
    char left[32], numbers[128];
    time_left(left, sizeof left, spent * (1 - fraction) / done);
    if (!progress->terminal) {
        int tenth = (int)(10 * fraction);
        if (tenth != progress->stage_tenth)
            fprintf(stderr, "%s: %.0f %% of the frames before, %s left\n", progress->stage,
                    100 * fraction, left);
        progress->stage_tenth = tenth;
        return;
    }
    if (t - progress->last_shown < 0.1)
        return;
    progress->last_shown = t;
    snprintf(numbers, sizeof numbers, "%3.0f %%  of the frames before  %s left", 100 * fraction, left);
    draw_bar(progress->stage, fraction, numbers, "");
    bar_is_drawn = true;
}

static void show_picture(CliProgress *progress, double fraction)
{
    double t = sl_machine_seconds();
    end_stage(progress);
    if (progress->picture_started <= 0)
        progress->picture_started = t;
    if (t - progress->picture_started > 1 && fraction < 1 && progress->done < progress->total)
        show(progress, (double)progress->done + fraction, "");
}

/* A part of a picture, or of a filter's past. Fast ones are not worth a report: the first second is not
   shown. */
static bool report_part(void *user, double fraction, const char *what)
{
    (void)user;
    size_t filters;
    const SlTable *const *tables = sl_filter_tables(&filters);
    CliProgress *progress = watched;
    if (progress == NULL)
        return true;
    if (!progress->quiet && progress->total > 0 && strcmp(what, "drawing") == 0)
        show_picture(progress, fraction);
    else if (!progress->quiet && progress->total > 0 && sl_table_named(tables, filters, what) != NULL)
        show_stage(progress, fraction, what);
    return !cli_interrupted();
}

void cli_progress_end(CliProgress *progress)
{
    if (progress->terminal && !progress->quiet && bar_is_drawn) {
        fprintf(stderr, "\n");
        bar_is_drawn = false;
    }
}

static void log_all(void *user, SlLogLevel level, const char *text)
{
    (void)user;
    cli_progress_clear();
    fprintf(stderr, "%s%s\n", level == SL_LOG_WARNING ? "warning: " : "", text);
}

static void log_nothing(void *user, SlLogLevel level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

static void log_warnings(void *user, SlLogLevel level, const char *text)
{
    if (level == SL_LOG_WARNING)
        log_all(user, level, text);
}

SlHooks cli_hooks(CliLog log)
{
    return (SlHooks){.log = log == CLI_LOG_NOTHING    ? log_nothing
                            : log == CLI_LOG_WARNINGS ? log_warnings
                                                      : log_all,
                     .progress = report_part};
}

static volatile sig_atomic_t interrupted;

static void note_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

void cli_catch_interrupts(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_interrupt;
    action.sa_flags = SA_RESTART | SA_RESETHAND; /* a second Ctrl-C ends at once */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void cli_catch_hangups(void)
{
    static const int signals[] = {SIGHUP, SIGPIPE};
    for (int k = 0; k < 2; k++) {
        struct sigaction action;
        if (sigaction(signals[k], NULL, &action) != 0 || action.sa_handler == SIG_IGN)
            continue; /* nohup: the run continues without a terminal */
        memset(&action, 0, sizeof action);
        action.sa_handler = note_interrupt;
        action.sa_flags = SA_RESTART; /* not reset: messages about the end may find the pipe closed */
        sigaction(signals[k], &action, NULL);
    }
}

bool cli_interrupted(void)
{
    return interrupted != 0;
}

static volatile sig_atomic_t checkpoint_request;

static void note_request(int number)
{
    (void)number;
    checkpoint_request = 1;
}

void cli_catch_checkpoint_request(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_request;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
}

bool cli_checkpoint_requested(void)
{
    bool requested = checkpoint_request != 0;
    checkpoint_request = 0;
    return requested;
}

bool cli_continue_step(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)user;
    (void)system;
    (void)stats;
    return !cli_interrupted();
}
