/* sleet params: what can be set, from the tables themselves. */
#include <string.h>

#include "cli/cli.h"

static void print_row(const SlParamRow *row, bool markdown)
{
    char value[96], range[192];
    sl_param_print(row, &row->value, value, sizeof value);
    if (row->type == SL_PARAM_CHOICE)
        snprintf(range, sizeof range, "%s", row->choices);
    else if (row->type == SL_PARAM_BOOL)
        snprintf(range, sizeof range, "true|false");
    else if (row->type == SL_PARAM_TEXT)
        snprintf(range, sizeof range, "text");
    else
        snprintf(range, sizeof range, "%g to %g%s", row->minimum, row->maximum,
                 row->type == SL_PARAM_INTEGER ? ", integer" : "");
    if (row->live)
        snprintf(range + strlen(range), sizeof range - strlen(range), "; live");
    if (!markdown) {
        printf("  %-18s %-12s %-10s %s\n%33s%s\n", row->name, value, row->unit, row->meaning, "",
               range);
        return;
    }
    printf("| `%s` | %s | ", row->name, value);
    for (const char *c = range; *c != '\0'; c++)
        printf(*c == '|' ? ", " : "%c", *c);
    printf(" | %s | %s |\n", row->unit, row->meaning);
}

static void print_preset(const SlTable *table, const SlPreset *preset, bool markdown)
{
    printf(markdown ? "| `%s` | %s | " : "  %-18s %s; ", preset->name, preset->meaning);
    for (int k = 0; preset->values[k].name != NULL; k++) {
        char text[96];
        const SlPresetValue *set = &preset->values[k];
        const SlParamValue value = {.number = {set->value}};
        sl_param_print(sl_table_find(table, set->name), &value, text, sizeof text);
        printf("%s%s %s", k > 0 ? ", " : "", set->name, text);
    }
    printf(markdown ? " |\n" : "\n");
}

static void print_table(const SlTable *table, bool markdown)
{
    if (markdown) {
        printf("## %s (%s)\n\n%s.%s%s%s\n\n| key | default | range | unit | meaning |\n"
               "| --- | --- | --- | --- | --- |\n",
               table->name, table->kind, table->summary, table->citation[0] != '\0' ? " " : "",
               table->citation, table->citation[0] != '\0' ? "." : "");
    } else {
        printf("%s (%s): %s\n%s\n\n  %-18s %-12s %-10s %s\n%33s%s\n", table->name, table->kind,
               table->summary, table->citation, "key", "default", "unit", "meaning", "", "range");
    }
    for (size_t k = 0; k < table->row_count; k++)
        print_row(&table->rows[k], markdown);
    if (table->preset_count > 0)
        printf(markdown ? "\n| preset | what | values |\n| --- | --- | --- |\n" : "\n  presets\n");
    for (size_t k = 0; k < table->preset_count; k++)
        print_preset(table, &table->presets[k], markdown);
    if (markdown)
        printf("\n");
}

enum { O_MARKDOWN, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_MARKDOWN] = {"markdown", 'm', NULL, "as the tables of docs/parameters.md"},
};

enum { MAX_TABLES = 64 };
static const SlTable *const *(*const lists[])(size_t *count) = {
    sl_solver_tables, sl_renderer_tables, sl_force_field_tables, sl_filter_tables,
    sl_exporter_tables};

static int params(int count, char **words)
{
    CliInput input;
    int code = cli_parse(&cli_params_command, count, words, &input);
    if (code >= 0)
        return code;
    const SlTable *all[MAX_TABLES];
    const char *names[MAX_TABLES];
    size_t total = 0;
    for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++) {
        size_t in_list;
        const SlTable *const *tables = lists[list](&in_list);
        for (size_t k = 0; k < in_list && total < MAX_TABLES; k++)
            if (tables[k]->row_count > 0) /* the force field "function" is a program's */
                all[total++] = tables[k];
    }
    bool markdown = input.value[O_MARKDOWN] != NULL;
    if (input.word_count == 0 && !markdown) {
        for (size_t k = 0; k < total; k++)
            printf("%-12s %-11s %s\n", all[k]->name, all[k]->kind, all[k]->summary);
        return EXIT_DONE;
    }
    size_t printed = 0;
    for (size_t k = 0; k < total; k++) {
        names[k] = all[k]->name;
        if (input.word_count == 0 || strcmp(all[k]->name, input.words[0]) == 0) {
            print_table(all[k], markdown);
            printed++;
        }
    }
    if (printed > 0)
        return EXIT_DONE;
    const char *near = sl_nearest_name(input.words[0], names, total);
    return cli_usage_error("params", "nothing is called \"%.40s\"%s%s%s",
                           input.words[0], near != NULL ? "; did you mean \"" : "",
                           near != NULL ? near : "", near != NULL ? "\"?" : "");
}

const CliCommand cli_params_command = {
    .name = "params",
    .arguments = "[NAME]",
    .summary = "list solvers, renderers, force fields, filters and exporters, or the parameters of one",
    .examples = "  sleet params\n  sleet params pbf\n  sleet params splats\n",
    .options = options,
    .option_count = O_COUNT,
    .run = params,
};
