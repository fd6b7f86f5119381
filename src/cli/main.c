/* The sleet command: picks the sub-command. One file each. */
#include <string.h>

#include "cli/cli.h"

static const CliCommand *const commands[] = {&cli_demo_command,   &cli_run_command,
                                             &cli_render_command, &cli_mesh_command,
                                             &cli_filter_command, &cli_measure_command,
                                             &cli_info_command,   &cli_verify_command,
                                             &cli_estimate_command, &cli_compare_command,
                                             &cli_params_command, &cli_tune_command,
                                             &cli_bench_command};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *to)
{
    fprintf(to, "sleet %s: particles for water and snow\n\nusage: sleet COMMAND …\n\n",
            sl_version());
    for (int k = 0; k < COMMANDS; k++)
        fprintf(to, "  %-8s %s\n", commands[k]->name, commands[k]->summary);
    fprintf(to, "\nsleet COMMAND --help explains each, with examples.\n\n"
                "exit codes:\n"
                "    0  done\n"
                "    1  a benchmark missed its limit\n"
                "    2  bad command line\n"
                "    3  bad scene or input file; verify: damaged or missing files\n"
                "    4  not enough memory\n"
                "    5  a file cannot be read or written, or a folder holds results that would be "
                "lost\n"
                "    6  the simulation failed: values not finite, energy out of bounds\n"
                "    7  a part that is not on this machine\n"
                "   75  stopped with a checkpoint: run --resume continues\n"
                "  130  stopped by Ctrl-C; everything written is complete\n");
}

/* A hash or a path that could not be printed is a result lost. */
static int flush_output(int code)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return code;
    fprintf(stderr, "sleet: standard output could not be written\n");
    return code == EXIT_DONE ? EXIT_FILES : code;
}

int main(int count, char **words)
{
    if (count < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0 ||
        (strcmp(words[1], "help") == 0 && count == 2)) {
        print_help(stdout);
        return flush_output(EXIT_DONE);
    }
    if (strcmp(words[1], "--version") == 0) {
        printf("sleet %s (%s)\n", sl_version(), sl_build_commit());
        return flush_output(EXIT_DONE);
    }
    /* "sleet help run" is "sleet run --help". */
    char help[] = "--help", *asked[] = {words[0], words[count > 2 ? 2 : 1], help};
    if (strcmp(words[1], "help") == 0) {
        words = asked;
        count = 3;
    }
    const char *names[COMMANDS];
    for (int k = 0; k < COMMANDS; k++) {
        names[k] = commands[k]->name;
        if (strcmp(words[1], commands[k]->name) == 0)
            return flush_output(commands[k]->run(count - 2, words + 2));
    }
    const char *near = sl_nearest_name(words[1], names, COMMANDS);
    fprintf(stderr, "sleet: there is no command \"%.40s\"%s%s%s (sleet --help lists them)\n",
            words[1], near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
            near != NULL ? "\"?" : "");
    return EXIT_USAGE;
}
