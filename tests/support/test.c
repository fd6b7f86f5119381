#include "support/test.h"

#include <unistd.h>

SlError test_error;

SlContext *test_context(uint32_t threads)
{
    SlContextDef def = sl_default_context_def();
    def.threads = threads;
    SlContext *context;
    assert_ok(sl_context_create(&def, &context, &test_error));
    return context;
}

void test_own_context(SlWorldDef *def, uint32_t threads, SlIsa isa)
{
    SlContextDef context = sl_default_context_def();
    context.threads = threads;
    context.isa = isa;
    assert_ok(sl_context_create(&context, &def->context, &test_error));
    def->own_context = true;
}

void test_folder(char *path, size_t size, const char *name)
{
    const char *base = getenv("SLEET_BUILD");
    snprintf(path, size, "%s/test-output/%s-%ld", base != NULL ? base : "/tmp", name,
             (long)getpid());
    assert_ok(sl_folder_make(path, &test_error));
}

void test_note_margin(const char *file, int line, const char *what, double seen, double bound)
{
    const char *path = getenv("SLEET_TEST_MARGINS");
    FILE *out = path != NULL ? fopen(path, "a") : NULL;
    if (out == NULL)
        return;
    fprintf(out, "%s:%d\t%s\t%.9g\t%.9g\n", file, line, what, seen, bound);
    fclose(out);
}
