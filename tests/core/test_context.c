/* Contexts, errors, hooks, the choice of path, and the machine. */
#include "core/machine.h"
#include "support/test.h"

static int forget_isa(void **state)
{
    (void)state;
    return unsetenv("SLEET_ISA");
}

static SlStatus create(const SlContextDef *def, SlError *error)
{
    SlContext *context = (SlContext *)error;
    SlStatus status = sl_context_create(def, &context, error);
    if (status == SL_OK)
        assert_non_null(context);
    else
        assert_null(context);
    sl_context_destroy(context);
    return status;
}

static void defaults_work(void **state)
{
    (void)state;
    SlContextDef def = sl_default_context_def();
    SlContext *context;
    assert_ok(sl_context_create(&def, &context, &test_error));
    assert_int_equal(sl_context_threads(context), sl_machine_processors());
    const char *isa = sl_context_isa_name(context);
    assert_true(strcmp(isa, "base") == 0 || strcmp(isa, "avx2") == 0);
    assert_true(sl_context_bytes_held(context) > 0);
    assert_true(sl_context_allocation_count(context) > 0);
    sl_context_destroy(context);
    sl_context_destroy(NULL);
}

static void a_definition_not_made_by_us_is_refused(void **state)
{
    (void)state;
    SlContextDef def = {.threads = 1};
    SlError error;
    assert_int_equal(create(&def, &error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "sl_default_context_def"));
    assert_int_equal(sl_context_create(&def, &(SlContext *){NULL}, NULL), SL_ERROR_ARGUMENT);
}

static void threads_have_a_limit(void **state)
{
    (void)state;
    SlContextDef def = sl_default_context_def();
    SlError error;
    def.threads = 257;
    assert_int_equal(create(&def, &error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "257"));
    assert_non_null(strstr(error.text, "256"));
    def.threads = UINT32_MAX;
    assert_int_equal(create(&def, &error), SL_ERROR_ARGUMENT);
    def.threads = 12;
    assert_int_equal(create(&def, &error), SL_OK);
}

static const char *isa_of(SlIsa isa)
{
    SlContextDef def = sl_default_context_def();
    def.threads = 1;
    def.isa = isa;
    SlContext *context;
    assert_ok(sl_context_create(&def, &context, &test_error));
    const char *name = sl_context_isa_name(context);
    sl_context_destroy(context);
    return name;
}

static void the_environment_chooses_the_path(void **state)
{
    (void)state;
    SlContextDef def = sl_default_context_def();
    SlError error;
    static const char *const wrong[] = {"avx512", "AVX2", "base ", "sse"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        setenv("SLEET_ISA", wrong[k], 1);
        assert_int_equal(create(&def, &error), SL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, wrong[k]));
        assert_non_null(strstr(error.text, "base or avx2"));
    }
    /* What the program asks for goes before the environment. */
    assert_string_equal(isa_of(SL_ISA_BASE), "base");

    setenv("SLEET_ISA", "base", 1);
    assert_string_equal(isa_of(SL_ISA_AUTO), "base");
    setenv("SLEET_ISA", "", 1);
    const char *best = isa_of(SL_ISA_AUTO);
    unsetenv("SLEET_ISA");
    assert_string_equal(isa_of(SL_ISA_AUTO), best);

    /* avx2 is taken or refused, never quietly replaced. */
    setenv("SLEET_ISA", "avx2", 1);
    if (strcmp(best, "avx2") == 0)
        assert_string_equal(isa_of(SL_ISA_AUTO), "avx2");
    else
        assert_int_equal(create(&def, &error), SL_ERROR_UNSUPPORTED);
    unsetenv("SLEET_ISA");
}

static void an_unknown_path_is_refused(void **state)
{
    (void)state;
    SlContextDef def = sl_default_context_def();
    def.isa = (SlIsa)7;
    SlError error;
    assert_int_equal(create(&def, &error), SL_ERROR_ARGUMENT);
}

static void errors_hold_one_sentence(void **state)
{
    (void)state;
    SlError error;
    assert_int_equal(sl_error_set(&error, SL_ERROR_IO, "%s: %d", "disk", 7), SL_ERROR_IO);
    assert_int_equal(error.status, SL_ERROR_IO);
    assert_string_equal(error.text, "disk: 7");
    assert_int_equal(sl_error_set(NULL, SL_ERROR_PARSE, "not read %d", 1), SL_ERROR_PARSE);
    /* Too long a text is cut, with its end marked by the 0 alone. */
    sl_error_set(&error, SL_ERROR_IO, "%2000d", 1);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static void every_status_has_its_name(void **state)
{
    (void)state;
    for (int a = SL_OK; a <= SL_ERROR_CANCELLED; a++) {
        assert_string_not_equal(sl_status_name((SlStatus)a), "unknown");
        for (int b = SL_OK; b < a; b++)
            assert_string_not_equal(sl_status_name((SlStatus)a), sl_status_name((SlStatus)b));
    }
    assert_string_equal(sl_status_name((SlStatus)99), "unknown");
    assert_true(strlen(sl_version()) > 0);
}

/* What the assert handler was told. */
static char broken[64];
static int broken_line;

static void note_assert(const char *condition, const char *file, int line)
{
    (void)file;
    snprintf(broken, sizeof broken, "%s", condition);
    broken_line = line;
}

static void asserts_go_through_the_handler(void **state)
{
    (void)state;
    sl_set_assert_handler(note_assert);
    SL_ASSERT(1 + 1 == 2);
    assert_string_equal(broken, "");
    int line = __LINE__ + 1;
    SL_ASSERT(1 + 1 == 3);
    assert_string_equal(broken, "1 + 1 == 3");
    assert_int_equal(broken_line, line);
    sl_set_assert_handler(NULL);
}

typedef struct Heard {
    char text[100];
    SlLogLevel level;
    double fraction;
    bool go_on;
} Heard;

static void hear(void *user, SlLogLevel level, const char *text)
{
    Heard *heard = user;
    heard->level = level;
    snprintf(heard->text, sizeof heard->text, "%s", text);
}

static bool follow(void *user, double fraction, const char *what)
{
    Heard *heard = user;
    (void)what;
    heard->fraction = fraction;
    return heard->go_on;
}

static void words_go_to_the_hooks(void **state)
{
    (void)state;
    Heard heard = {.go_on = true};
    SlContextDef def = sl_default_context_def();
    def.threads = 1;
    def.hooks = (SlHooks){hear, follow, &heard};
    SlContext *context;
    assert_ok(sl_context_create(&def, &context, &test_error));
    sl_log(context, SL_LOG_WARNING, "step %d is large", 3);
    assert_string_equal(heard.text, "step 3 is large");
    assert_int_equal(heard.level, SL_LOG_WARNING);
    assert_true(sl_progress(context, 0.25, "walking"));
    assert_true(heard.fraction == 0.25);
    heard.go_on = false;
    assert_false(sl_progress(context, 0.5, "walking"));
    sl_context_destroy(context);

    /* Without hooks messages are dropped and work continues. */
    context = test_context(1);
    sl_log(context, SL_LOG_INFO, "hello");
    assert_true(sl_progress(context, 1, "done"));
    sl_context_destroy(context);
}

static void the_machine_has_something(void **state)
{
    (void)state;
    assert_true(sl_machine_processors() >= 1);
    assert_true(sl_machine_memory_available() > 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_work),
        cmocka_unit_test(a_definition_not_made_by_us_is_refused),
        cmocka_unit_test(threads_have_a_limit),
        cmocka_unit_test(the_environment_chooses_the_path),
        cmocka_unit_test(an_unknown_path_is_refused),
        cmocka_unit_test(errors_hold_one_sentence),
        cmocka_unit_test(every_status_has_its_name),
        cmocka_unit_test(asserts_go_through_the_handler),
        cmocka_unit_test(words_go_to_the_hooks),
        cmocka_unit_test(the_machine_has_something),
    };
    return cmocka_run_group_tests(tests, forget_isa, NULL);
}
