/* What differs between two scenes, value by value, by the paths that --set takes. */
#include <stdio.h>
#include <string.h>

#include "scene/scene.h"

enum { PATH_BYTES = 512, VALUE_BYTES = 80 };

typedef struct Compare {
    const SlJson *was, *is;
    SlSceneChange each;
    void *user;
    size_t count;
} Compare;

static void print_value(const SlJson *json, const SlJsonNode *node, char *text, size_t size)
{
    if (node == NULL)
        snprintf(text, size, "(not given)");
    else if (node->type == SL_JSON_NUMBER)
        snprintf(text, size, "%.9g", node->number);
    else if (node->type == SL_JSON_BOOL)
        snprintf(text, size, "%s", node->number != 0 ? "true" : "false");
    else if (node->type == SL_JSON_NULL)
        snprintf(text, size, "null");
    else if (node->type == SL_JSON_TEXT) {
        char quoted[SL_JSON_QUOTE];
        snprintf(text, size, "%s", sl_json_quote(sl_json_text(json, node), quoted));
    } else
        snprintf(text, size, node->type == SL_JSON_ARRAY ? "[%u elements]" : "{%u keys}",
                 node->count);
}

static void report(Compare *c, const char *path, const SlJsonNode *was, const SlJsonNode *is)
{
    char before[VALUE_BYTES], after[VALUE_BYTES];
    print_value(c->was, was, before, sizeof before);
    print_value(c->is, is, after, sizeof after);
    c->count++;
    if (c->each != NULL)
        c->each(c->user, path, before, after);
}

static bool equal_leaves(const Compare *c, const SlJsonNode *was, const SlJsonNode *is)
{
    if (was->type == SL_JSON_TEXT)
        return strcmp(sl_json_text(c->was, was), sl_json_text(c->is, is)) == 0;
    return was->type == SL_JSON_NULL || was->number == is->number;
}

static void compare(Compare *c, const char *path, const SlJsonNode *was, const SlJsonNode *is);

static void compare_objects(Compare *c, const char *path, const SlJsonNode *was,
                            const SlJsonNode *is)
{
    char inner[PATH_BYTES];
    const char *dot = path[0] != '\0' ? "." : "";
    const SlJsonNode *node = sl_json_first(c->was, was);
    for (; node != NULL; node = sl_json_next(c->was, node)) {
        const char *key = sl_json_key(c->was, node);
        snprintf(inner, sizeof inner, "%s%s%s", path, dot, key);
        compare(c, inner, node, sl_json_member(c->is, is, key));
    }
    for (node = sl_json_first(c->is, is); node != NULL; node = sl_json_next(c->is, node)) {
        const char *key = sl_json_key(c->is, node);
        snprintf(inner, sizeof inner, "%s%s%s", path, dot, key);
        if (sl_json_member(c->was, was, key) == NULL)
            report(c, inner, NULL, node);
    }
}

static void compare_arrays(Compare *c, const char *path, const SlJsonNode *was,
                           const SlJsonNode *is)
{
    const SlJsonNode *a = sl_json_first(c->was, was), *b = sl_json_first(c->is, is);
    for (unsigned k = 0; a != NULL || b != NULL; k++) {
        char inner[PATH_BYTES];
        snprintf(inner, sizeof inner, "%s[%u]", path, k);
        compare(c, inner, a, b);
        a = a != NULL ? sl_json_next(c->was, a) : NULL;
        b = b != NULL ? sl_json_next(c->is, b) : NULL;
    }
}

static void compare(Compare *c, const char *path, const SlJsonNode *was, const SlJsonNode *is)
{
    if (was == NULL || is == NULL || was->type != is->type)
        report(c, path, was, is);
    else if (was->type == SL_JSON_OBJECT)
        compare_objects(c, path, was, is);
    else if (was->type == SL_JSON_ARRAY)
        compare_arrays(c, path, was, is);
    else if (!equal_leaves(c, was, is))
        report(c, path, was, is);
}

size_t sl_scene_compare(const SlScene *was, const SlScene *is, SlSceneChange each, void *user)
{
    Compare c = {&was->json, &is->json, each, user, 0};
    compare(&c, "", sl_json_root(&was->json), sl_json_root(&is->json));
    return c.count;
}
