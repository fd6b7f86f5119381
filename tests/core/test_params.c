/* Parameter rows: what is taken, what is refused and with which words, and the nearest name. */
#include "support/test.h"

static const SlParamRow rows[] = {
    {.name = "relaxation", .type = SL_PARAM_NUMBER, .value = {{0.7}}, .minimum = 0.1, .maximum = 1,
     .unit = "", .meaning = "a number"},
    {.name = "spacing", .type = SL_PARAM_NUMBER, .value = {{0.02}}, .minimum = 1e-4,
     .maximum = 10, .unit = "m", .meaning = "a number with a unit"},
    {.name = "iterations", .type = SL_PARAM_INTEGER, .value = {{4}}, .minimum = 1, .maximum = 100,
     .unit = "", .meaning = "an integer"},
    {.name = "sort", .type = SL_PARAM_BOOL, .value = {{1}}, .minimum = 0, .maximum = 1, .unit = "",
     .meaning = "yes or no"},
    {.name = "kernel", .type = SL_PARAM_CHOICE, .unit = "", .choices = "cubic|wendland|poly6",
     .meaning = "a choice"},
    {.name = "label", .type = SL_PARAM_TEXT, .unit = "", .meaning = "text"},
    {.name = "wind", .type = SL_PARAM_VEC3, .value = {{0, -9.81, 0}}, .minimum = -100,
     .maximum = 100, .unit = "m/s", .meaning = "a vector"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };
static const SlTable table = {.name = "test", .kind = "solver", .rows = rows, .row_count = ROWS};

static const SlParamRow *row(const char *name)
{
    const SlParamRow *found = sl_table_find(&table, name);
    assert_non_null(found);
    return found;
}

static void expect_number(const char *name, double number)
{
    SlParamValue value = {{-1}};
    assert_ok(sl_param_set_number(row(name), number, &value, &test_error));
    assert_true(value.number[0] == number);
}

/* Refused with these words in the sentence, the value left as it was. */
static void refuse_number(const char *name, double number, const char *words)
{
    SlParamValue value = {{-1}};
    SlError error = {0};
    assert_int_equal(sl_param_set_number(row(name), number, &value, &error), SL_ERROR_ARGUMENT);
    assert_int_equal(error.status, SL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, name));
    assert_non_null(strstr(error.text, words));
    assert_true(value.number[0] == -1);
}

static void ranges_are_inclusive(void **state)
{
    (void)state;
    expect_number("relaxation", 0.1);
    expect_number("relaxation", 0.5);
    expect_number("relaxation", 1);
    refuse_number("relaxation", nextafter(0.1, 0), "from 0.1 to 1");
    refuse_number("relaxation", nextafter(1, 2), "from 0.1 to 1");
    refuse_number("spacing", 11, "from 0.0001 to 10 m");
    refuse_number("spacing", -INFINITY, "from 0.0001 to 10 m");
    refuse_number("spacing", INFINITY, "from 0.0001 to 10 m");
}

static void nan_is_refused(void **state)
{
    (void)state;
    refuse_number("relaxation", NAN, "from");
    refuse_number("iterations", NAN, "from");
    refuse_number("sort", NAN, "");
    double numbers[3] = {0, NAN, 0};
    SlParamValue value = {{1, 2, 3}};
    assert_int_equal(sl_param_set_vec3(row("wind"), numbers, &value, NULL), SL_ERROR_ARGUMENT);
    assert_true(value.number[0] == 1 && value.number[1] == 2 && value.number[2] == 3);
}

static void integers_are_integers(void **state)
{
    (void)state;
    expect_number("iterations", 1);
    expect_number("iterations", 100);
    refuse_number("iterations", 2.5, "an integer");
    refuse_number("iterations", 0, "from 1 to 100");
    refuse_number("iterations", 1e300, "from 1 to 100");
    refuse_number("iterations", INFINITY, "from 1 to 100");
    expect_number("sort", 0);
    expect_number("sort", 1);
    refuse_number("sort", 2, "");
    refuse_number("sort", 0.5, "");
}

static void choices_are_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"cubic", "wendland", "poly6"};
    for (int k = 0; k < 3; k++) {
        SlParamValue value = {{-1}};
        assert_ok(sl_param_set_text(row("kernel"), names[k], &value, &test_error));
        assert_true(value.number[0] == k);
    }
    static const char *const wrong[] = {"", "cub", "cubics", "poly", "cubic|wendland", "Cubic", "|"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        SlParamValue value = {{-1}};
        SlError error;
        assert_int_equal(sl_param_set_text(row("kernel"), wrong[k], &value, &error),
                         SL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "cubic|wendland|poly6"));
        assert_true(value.number[0] == -1);
    }
}

static void text_has_a_limit(void **state)
{
    (void)state;
    char text[300];
    memset(text, 'a', sizeof text);
    text[255] = '\0';
    SlParamValue value = {.text = "before"};
    assert_ok(sl_param_set_text(row("label"), text, &value, &test_error));
    assert_string_equal(value.text, text);
    text[255] = 'a';
    text[256] = '\0';
    SlError error;
    assert_int_equal(sl_param_set_text(row("label"), text, &value, &error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "255"));
    assert_int_equal(strlen(value.text), 255);
}

static void vectors_are_checked_by_component(void **state)
{
    (void)state;
    SlParamValue value = {{7, 7, 7}};
    assert_ok(sl_param_set_vec3(row("wind"), (double[3]){1, -100, 100}, &value, &test_error));
    assert_true(value.number[0] == 1 && value.number[1] == -100 && value.number[2] == 100);
    for (int k = 0; k < 3; k++) {
        double numbers[3] = {0, 0, 0};
        numbers[k] = 100.5;
        SlError error;
        assert_int_equal(sl_param_set_vec3(row("wind"), numbers, &value, &error),
                         SL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "100.5"));
        assert_true(value.number[0] == 1);
    }
}

static void wrong_types_say_what_is_taken(void **state)
{
    (void)state;
    static const struct {
        const char *name, *takes;
        bool number, text, vec3; /* what it does take */
    } cases[] = {
        {"relaxation", "a number", true, false, false},
        {"iterations", "an integer", true, false, false},
        {"sort", "true or false", true, false, false},
        {"kernel", "one of cubic|wendland|poly6", false, true, false},
        {"label", "text", false, true, false},
        {"wind", "three numbers", false, false, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const SlParamRow *one = row(cases[k].name);
        SlParamValue value;
        SlError error;
        if (!cases[k].number) {
            assert_int_equal(sl_param_set_number(one, 1, &value, &error), SL_ERROR_ARGUMENT);
            assert_non_null(strstr(error.text, cases[k].takes));
        }
        if (!cases[k].text) {
            assert_int_equal(sl_param_set_text(one, "a", &value, &error), SL_ERROR_ARGUMENT);
            assert_non_null(strstr(error.text, cases[k].takes));
        }
        if (!cases[k].vec3) {
            assert_int_equal(sl_param_set_vec3(one, (double[3]){0}, &value, &error),
                             SL_ERROR_ARGUMENT);
            assert_non_null(strstr(error.text, cases[k].takes));
        }
    }
}

static void expect_printed(const char *name, SlParamValue value, const char *expected)
{
    char text[100];
    sl_param_print(row(name), &value, text, sizeof text);
    assert_string_equal(text, expected);
}

static void values_print_as_people_read_them(void **state)
{
    (void)state;
    expect_printed("relaxation", (SlParamValue){{0.7}}, "0.7");
    expect_printed("iterations", (SlParamValue){{4}}, "4");
    expect_printed("iterations", (SlParamValue){{12345678}}, "12345678");
    expect_printed("sort", (SlParamValue){{1}}, "true");
    expect_printed("sort", (SlParamValue){{0}}, "false");
    expect_printed("kernel", (SlParamValue){{0}}, "cubic");
    expect_printed("kernel", (SlParamValue){{1}}, "wendland");
    expect_printed("kernel", (SlParamValue){{2}}, "poly6");
    expect_printed("label", (SlParamValue){.text = "blue"}, "blue");
    expect_printed("wind", row("wind")->value, "[0, -9.81, 0]");
    /* A short buffer is cut, never overrun. */
    char text[4] = "zzz";
    sl_param_print(row("kernel"), &(SlParamValue){{1}}, text, sizeof text);
    assert_string_equal(text, "wen");
}

static void rows_are_found_by_exact_name(void **state)
{
    (void)state;
    for (size_t k = 0; k < ROWS; k++)
        assert_ptr_equal(sl_table_find(&table, rows[k].name), &rows[k]);
    assert_null(sl_table_find(&table, "spac"));
    assert_null(sl_table_find(&table, "spacings"));
    assert_null(sl_table_find(&table, ""));
}

static void the_nearest_name_is_found(void **state)
{
    (void)state;
    static const char *const names[] = {"viscosity", "vorticity", "spacing", "iterations", "up"};
    static const struct {
        const char *typed, *meant;
    } cases[] = {
        {"viscocity", "viscosity"},   /* replaced */
        {"viscosty", "viscosity"},    /* left out */
        {"visscosity", "viscosity"},  /* too many */
        {"vicsosity", "viscosity"},   /* swapped */
        {"psacing", "spacing"},       /* swapped at the start */
        {"iteratiosn", "iterations"}, /* swapped at the end */
        {"pu", "up"},                 /* a swap is one step, or this would be too far */
        {"spacing", "spacing"},
        {"vorticty", "vorticity"},
        {"iter", "iterations"}, /* its beginning */
        {"vis", "viscosity"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const char *nearest = sl_nearest_name(cases[k].typed, names, 5);
        assert_non_null(nearest);
        assert_string_equal(nearest, cases[k].meant);
    }
    static const char *const steps[] = {"step_length", "steps", "stop"};
    assert_string_equal(sl_nearest_name("step", steps, 3), "steps"); /* the shortest such */
    assert_null(sl_nearest_name("gravity", names + 2, 3));
    assert_null(sl_nearest_name("colour", names, 5));
    assert_null(sl_nearest_name("", names, 5));
    assert_null(sl_nearest_name("viscosity", names, 0));
}

/* Keys come from files: a very long one is near to nothing. */
static void long_names_are_near_to_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"viscosity", "up"};
    char name[400];
    for (size_t length = 40; length < sizeof name; length++) {
        memset(name, 'x', length);
        name[length] = '\0';
        assert_null(sl_nearest_name(name, names, 2));
    }
}

static void values_are_set_by_name(void **state)
{
    (void)state;
    SlParamValue values[ROWS], before[ROWS];
    SlError error = {0};
    const double wind[3] = {1, 2, 3};
    const SlTable *const tables[] = {&table};
    assert_ptr_equal(&table, sl_table_named(tables, 1, "test"));
    assert_null(sl_table_named(tables, 1, "tests"));
    sl_table_defaults(&table, values);
    for (int k = 0; k < ROWS; k++)
        assert_memory_equal(&values[k], &rows[k].value, sizeof values[k]);
    assert_ok(sl_table_set_number(&table, values, "iterations", 9, &test_error));
    assert_ok(sl_table_set_text(&table, values, "kernel", "poly6", &test_error));
    assert_ok(sl_table_set_text(&table, values, "label", "left", &test_error));
    assert_ok(sl_table_set_vec3(&table, values, "wind", wind, &test_error));
    assert_true(values[2].number[0] == 9 && values[4].number[0] == 2);
    assert_string_equal("left", values[5].text);
    assert_memory_equal(wind, values[6].number, sizeof wind);

    memcpy(before, values, sizeof values);
    assert_int_equal(SL_ERROR_ARGUMENT,
                     sl_table_set_number(&table, values, "iteratoins", 9, &error));
    assert_string_equal("test has no parameter \"iteratoins\"; did you mean \"iterations\"?",
                        error.text);
    assert_int_equal(SL_ERROR_ARGUMENT, sl_table_set_text(&table, values, "qqqqqq", "a", &error));
    assert_string_equal("test has no parameter \"qqqqqq\"", error.text);
    assert_int_equal(SL_ERROR_ARGUMENT, sl_table_set_vec3(&table, values, "label", wind, &error));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_table_set_number(&table, values, "spacing", 11, &error));
    assert_memory_equal(before, values, sizeof values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_inclusive),
        cmocka_unit_test(nan_is_refused),
        cmocka_unit_test(integers_are_integers),
        cmocka_unit_test(choices_are_by_name),
        cmocka_unit_test(text_has_a_limit),
        cmocka_unit_test(vectors_are_checked_by_component),
        cmocka_unit_test(wrong_types_say_what_is_taken),
        cmocka_unit_test(values_print_as_people_read_them),
        cmocka_unit_test(rows_are_found_by_exact_name),
        cmocka_unit_test(the_nearest_name_is_found),
        cmocka_unit_test(long_names_are_near_to_nothing),
        cmocka_unit_test(values_are_set_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
