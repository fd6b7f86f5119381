/* Reading a command line against a command's table, and the help made from the same table. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int cli_exit_code(SlStatus status)
{
    switch (status) {
    case SL_OK: return EXIT_DONE;
    case SL_ERROR_ARGUMENT:
    case SL_ERROR_PARSE: return EXIT_INPUT;
    case SL_ERROR_MEMORY: return EXIT_MEMORY;
    case SL_ERROR_IO:
    case SL_ERROR_EXISTS: return EXIT_FILES;
    case SL_ERROR_NUMBERS: return EXIT_NUMBERS;
    case SL_ERROR_UNSUPPORTED: return EXIT_UNSUPPORTED;
    case SL_ERROR_CANCELLED: return EXIT_STOPPED;
    }
    return EXIT_INPUT;
}

SlStatus cli_error(SlError *error, SlStatus status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

int cli_fail(const SlError *error)
{
    static const char override[] = "override "; /* in the library's words; here it is an option */
    size_t length = sizeof override - 1;
    bool is_override = strncmp(error->text, override, length) == 0;
    cli_progress_clear();
    fprintf(stderr, "sleet: %s%s\n", is_override ? "--set " : "",
            error->text + (is_override ? length : 0));
    return cli_exit_code(error->status);
}

int cli_usage_error(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "sleet %s: ", command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, " (sleet %s --help explains it)\n", command);
    va_end(arguments);
    return EXIT_USAGE;
}

/* Further lines of the meaning stand below the first. */
static void print_option(const char *left, const char *meaning)
{
    for (const char *end; (end = strchr(meaning, '\n')) != NULL; meaning = end + 1, left = "")
        printf("  %-24s %.*s\n", left, (int)(end - meaning), meaning);
    printf("  %-24s %s\n", left, meaning);
}

static void print_command_help(const CliCommand *command)
{
    printf("usage: sleet %s %s\n\n%s\n\n", command->name, command->arguments, command->summary);
    for (size_t k = 0; k < command->option_count; k++) {
        const CliOption *option = &command->options[k];
        char left[64], letter[8] = "    ";
        if (option->letter != 0)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(left, sizeof left, "%s--%s%s%s%s", letter, option->name,
                 option->optional        ? "[="
                 : option->value != NULL ? " "
                                         : "",
                 option->value != NULL ? option->value : "", option->optional ? "]" : "");
        print_option(left, option->meaning);
    }
    printf("  %-24s %s\n\nexamples:\n%s", "-h, --help", "this text", command->examples);
}

static long find_option(const CliCommand *command, const char *word, size_t length)
{
    for (size_t k = 0; k < command->option_count; k++) {
        const CliOption *option = &command->options[k];
        if (word[1] == '-' && strlen(option->name) == length - 2 &&
            strncmp(option->name, word + 2, length - 2) == 0)
            return (long)k;
        if (word[1] != '-' && length == 2 && option->letter == word[1])
            return (long)k;
    }
    return -1;
}

static int unknown_option(const CliCommand *command, const char *word)
{
    const char *names[CLI_MAX_OPTIONS];
    for (size_t k = 0; k < command->option_count; k++)
        names[k] = command->options[k].name;
    const char *near =
        word[1] == '-' ? sl_nearest_name(word + 2, names, command->option_count) : NULL;
    return cli_usage_error(command->name, "unknown option %.40s%s%s%s", word,
                           near != NULL ? "; did you mean --" : "", near != NULL ? near : "",
                           near != NULL ? "?" : "");
}

int cli_add_set(const CliCommand *command, const char *text, CliInput *input)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        return cli_usage_error(command->name, "--set takes path=value, not \"%.60s\"", text);
    if (input->set_count == CLI_MAX_SETS)
        return cli_usage_error(command->name, "at most %d --set are read", CLI_MAX_SETS);
    char *copy = strdup(text);
    if (copy == NULL)
        return EXIT_MEMORY;
    copy[equals - text] = '\0';
    input->set_storage[input->set_count] = copy;
    input->sets[input->set_count++] =
        (SlSceneOverride){copy, copy + (equals - text) + 1};
    return -1;
}

/* Paths are put together in buffers of 1024 bytes: what leaves no room there is refused, not cut. */
static int too_long(const CliCommand *command, const char *word)
{
    return cli_usage_error(command->name, "\"%.40s…\" is too long: %zu bytes, at most %d are read",
                           word, strlen(word), CLI_MAX_BYTES);
}

int cli_parse(const CliCommand *command, int count, char **words, CliInput *input)
{
    memset(input, 0, sizeof *input);
    bool options_end = false;
    for (int k = 0; k < count; k++) {
        const char *word = words[k];
        if (options_end || word[0] != '-' || word[1] == '\0') {
            if (input->word_count == CLI_MAX_WORDS)
                return cli_usage_error(command->name, "too many words");
            if (strlen(word) > CLI_MAX_BYTES)
                return too_long(command, word);
            input->words[input->word_count++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            print_command_help(command);
            return EXIT_DONE;
        }
        const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
        size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
        long place = find_option(command, word, length);
        if (place < 0)
            return unknown_option(command, word);
        const CliOption *option = &command->options[place];
        const char *value = "";
        if (option->optional) {
            value = equals != NULL ? equals + 1 : "";
        } else if (option->value != NULL) {
            value = equals != NULL ? equals + 1 : k + 1 < count ? words[++k] : NULL;
            if (value == NULL)
                return cli_usage_error(command->name, "--%s needs %s", option->name,
                                       option->value);
        } else if (equals != NULL) {
            return cli_usage_error(command->name, "--%s takes no value", option->name);
        }
        if (!option->repeats && strlen(value) > CLI_MAX_BYTES)
            return too_long(command, value);
        if (option->repeats) {
            int code = cli_add_set(command, value, input);
            if (code >= 0)
                return code;
        } else if (input->value[place] != NULL) {
            return cli_usage_error(command->name, "--%s is given twice", option->name);
        }
        input->value[place] = value;
    }
    return -1;
}

void cli_input_free(CliInput *input)
{
    for (size_t k = 0; k < input->set_count; k++)
        free(input->set_storage[k]);
    input->set_count = 0;
}

static bool parse_integer(const char *text, const char **end, uint64_t *value)
{
    if (*text < '0' || *text > '9')
        return false;
    char *stop;
    errno = 0;
    *value = strtoull(text, &stop, 10);
    *end = stop;
    return errno == 0;
}

bool cli_integer(const CliCommand *command, const char *option, const char *text, uint64_t low,
               uint64_t high, uint64_t *value)
{
    const char *end;
    if (parse_integer(text, &end, value) && *end == '\0' && *value >= low && *value <= high)
        return true;
    cli_usage_error(command->name, "--%s takes an integer from %llu to %llu, not \"%.40s\"",
                    option, (unsigned long long)low, (unsigned long long)high, text);
    return false;
}

bool cli_number(const CliCommand *command, const char *option, const char *text, double low,
                double high)
{
    char *end;
    double value = strtod(text, &end);
    if (end != text && *end == '\0' && value > low && value <= high)
        return true;
    cli_usage_error(command->name, "--%s takes a number above %g, at most %g, not \"%.40s\"", option,
                    low, high, text);
    return false;
}

bool cli_range(const CliCommand *command, const char *text, uint64_t *first, uint64_t *last)
{
    const char *end;
    if (parse_integer(text, &end, first)) {
        *last = *first;
        if (*end == '\0')
            return true;
        *last = UINT64_MAX;
        if (*end == '-' && (end[1] == '\0' ||
                            (parse_integer(end + 1, &end, last) && *end == '\0' && *last >= *first)))
            return true;
    }
    cli_usage_error(command->name, "--frames takes a frame or a range such as 20-80, not \"%.40s\"",
                    text);
    return false;
}

bool cli_threads(const CliCommand *command, const char *text)
{
    uint64_t number;
    return text == NULL || cli_integer(command, "threads", text, 1, 256, &number);
}
