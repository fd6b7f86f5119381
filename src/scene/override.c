/* A path is keys joined by dots, with [index] or .name behind an array:
   "systems[0].parameters.iterations", "systems.water.blocks[1].min[2]", "time.frames". The walk
   goes down the tree one part at a time; only the value it ends at is replaced. */
#include "scene/override.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "scene/scene.h"
#include "sleet/params.h"

typedef struct Walk {
    SlJson *json;
    SlJsonPlace place;  /* what errors refer to, and where new nodes come from */
    const char *path;   /* the caller's */
    const char *at;     /* what is left of it */
    SlJsonId node;      /* where the walk stands */
    uint32_t depth;
    bool made;          /* the walk made that node: the scene had none */
    SlError *error;
} Walk;

/* The part of the path walked so far, for messages; "the scene" at the root. */
static const char *walked(const Walk *walk, char text[SL_JSON_QUOTE])
{
    int length = (int)(walk->at - walk->path);
    if (length > 0 && walk->path[length - 1] == '.')
        length--;
    if (length == 0)
        return "the scene";
    if (length > SL_JSON_QUOTE - 1)
        length = SL_JSON_QUOTE - 1;
    snprintf(text, SL_JSON_QUOTE, "%.*s", length, walk->path);
    return text;
}

static SlStatus enter_index(Walk *walk)
{
    const SlJsonNode *array = &walk->json->nodes[walk->node];
    char where[SL_JSON_QUOTE], *end;
    size_t digits = strspn(walk->at + 1, "0123456789");
    if (digits == 0 || digits > 9 || walk->at[1 + digits] != ']')
        return sl_json_error(walk->json, walk->place, walk->error,
                             "an integer and ']' are needed behind '['");
    unsigned long index = strtoul(walk->at + 1, &end, 10);
    if (walk->made)
        return sl_json_error(walk->json, walk->place, walk->error,
                             "the scene has no %s; give it whole, as in %s=[…]",
                             walked(walk, where), walked(walk, where));
    if (array->type != SL_JSON_ARRAY)
        return sl_json_error(walk->json, walk->place, walk->error, "%s is not an array",
                             walked(walk, where));
    if (index >= array->count)
        return sl_json_error(walk->json, walk->place, walk->error,
                             "%s has %u element%s, counted from 0; there is no [%lu]",
                             walked(walk, where), array->count, array->count == 1 ? "" : "s",
                             index);
    walk->node = array->first;
    for (; index > 0; index--)
        walk->node = walk->json->nodes[walk->node].next;
    walk->at = end + 1;
    return SL_OK;
}

/* The element of an array whose "name" is `name`. */
static SlStatus enter_element(Walk *walk, const char *name, size_t length)
{
    enum { MAX = 64 };
    const SlJson *json = walk->json;
    const char *names[MAX], *nearest;
    size_t count = 0;
    const SlJsonNode *element = sl_json_first(json, &json->nodes[walk->node]);
    for (; element != NULL; element = sl_json_next(json, element)) {
        const SlJsonNode *named = sl_json_member(json, element, "name");
        if (named == NULL || named->type != SL_JSON_TEXT)
            continue;
        if (strcmp(sl_json_text(json, named), name) == 0) {
            walk->node = (SlJsonId)(element - json->nodes);
            walk->at += length;
            return SL_OK;
        }
        if (count < MAX)
            names[count++] = sl_json_text(json, named);
    }
    char where[SL_JSON_QUOTE], quoted[SL_JSON_QUOTE], advice[SL_JSON_QUOTE];
    nearest = sl_nearest_name(name, names, count);
    return sl_json_error(json, walk->place, walk->error, "nothing in %s is called %s; %s%s%s",
                         walked(walk, where), sl_json_quote(name, quoted),
                         nearest != NULL ? "did you mean " : "an index such as [0] works too",
                         nearest != NULL ? sl_json_quote(nearest, advice) : "",
                         nearest != NULL ? "?" : "");
}

/* A new member of the object at the walk: an empty object, which a later part may fill and the
   value at the end replaces. */
static SlStatus make_member(Walk *walk, const char *name, size_t length)
{
    SlJson *json = walk->json;
    SlError ignored;
    SlError *error = walk->error != NULL ? walk->error : &ignored;
    if (json->nodes[walk->node].count == SL_JSON_KEYS)
        return sl_json_error(json, walk->place, error, "more than %d keys in one object",
                             SL_JSON_KEYS);
    SlJsonId made = sl_json_add(json, SL_JSON_OBJECT, walk->place, error);
    uint32_t key = made != 0 ? sl_json_store(json, name, strlen(name), error) : 0;
    if (key == 0)
        return error->status;
    json->nodes[made].key = key;
    json->nodes[made].key_place = walk->place;
    json->nodes[made].first = 0;

    SlJsonNode *object = &json->nodes[walk->node];
    SlJsonId *link = &object->first;
    while (*link != 0)
        link = &json->nodes[*link].next;
    *link = made;
    object->count++;
    walk->node = made;
    walk->made = true;
    walk->at += length;
    return SL_OK;
}

static SlStatus enter_name(Walk *walk)
{
    SlJson *json = walk->json;
    const SlJsonNode *node = &json->nodes[walk->node];
    char name[SL_JSON_QUOTE], where[SL_JSON_QUOTE], found[96];
    size_t length = strcspn(walk->at, ".[");
    if (length == 0 || length >= sizeof name)
        return sl_json_error(json, walk->place, walk->error,
                             "a key of 1 to %zu bytes is needed behind \"%s\"", sizeof name - 1,
                             walked(walk, where));
    memcpy(name, walk->at, length);
    name[length] = '\0';
    if (node->type == SL_JSON_ARRAY)
        return enter_element(walk, name, length);
    if (node->type != SL_JSON_OBJECT) {
        sl_json_describe(json, node, found, sizeof found);
        return sl_json_error(json, walk->place, walk->error, "%s is %s, which has no parts",
                             walked(walk, where), found);
    }
    const SlJsonNode *member = sl_json_member(json, node, name);
    if (member == NULL)
        return make_member(walk, name, length);
    walk->node = (SlJsonId)(member - json->nodes);
    walk->at += length;
    return SL_OK;
}

static SlStatus find_target(Walk *walk)
{
    while (*walk->at != '\0') {
        if (++walk->depth > SL_JSON_DEPTH - 1)
            return sl_json_error(walk->json, walk->place, walk->error,
                                 "a path has at most %d parts", SL_JSON_DEPTH - 1);
        SlStatus status;
        if (*walk->at == '[') {
            status = enter_index(walk);
        } else {
            if (*walk->at == '.' && walk->at != walk->path)
                walk->at++;
            status = enter_name(walk);
        }
        if (status != SL_OK)
            return status;
        if (*walk->at != '\0' && *walk->at != '.' && *walk->at != '[')
            return sl_json_error(walk->json, walk->place, walk->error,
                                 "'.' or '[' is needed between the parts of a path");
    }
    return SL_OK;
}

static bool is_utf8(const char *text)
{
    while (*text != '\0' && sl_utf8_length(text) > 0)
        text += sl_utf8_length(text);
    return *text == '\0';
}

/* A node for bare text. */
static SlStatus store_bare_text(Walk *walk, const char *text, SlJsonId *id)
{
    SlJson *json = walk->json;
    SlError ignored;
    SlError *error = walk->error != NULL ? walk->error : &ignored;
    if (!is_utf8(text))
        return sl_json_error(json, walk->place, error, "the value is not UTF-8");
    *id = sl_json_add(json, SL_JSON_TEXT, walk->place, error);
    uint32_t offset = *id != 0 ? sl_json_store(json, text, strlen(text), error) : 0;
    if (offset == 0)
        return error->status;
    json->nodes[*id].text = offset;
    return SL_OK;
}

/* JSON where it is JSON. What begins like a bracket or a quote is meant as JSON, so its mistakes
   are said; anything else is text as it stands, so that a shell user need not quote twice. */
static SlStatus read_new_value(Walk *walk, const char *text, SlJsonId *id)
{
    char begin = text[strspn(text, " \t\r\n")];
    bool meant_as_json = begin == '{' || begin == '[' || begin == '"';
    SlStatus status = sl_json_read_value(walk->json, text, walk->place, walk->depth, id,
                                         meant_as_json ? walk->error : NULL);
    if (status == SL_OK || meant_as_json)
        return status;
    return store_bare_text(walk, text, id);
}

SlStatus sl_override_apply(SlJson *json, const SlSceneOverride *override, SlError *error)
{
    if (override->path == NULL || override->path[0] == '\0' || override->value == NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "an override needs a path and a value, as in time.frames and 10");
    if (!is_utf8(override->path))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "override: the path is not UTF-8");
    uint32_t path = sl_json_store(json, override->path, strlen(override->path), error);
    if (path == 0)
        return SL_ERROR_MEMORY;
    Walk walk = {.json = json, .place = {0, path}, .path = override->path,
                 .at = override->path, .node = json->root, .error = error};
    SlStatus status = find_target(&walk);
    SlJsonId value = 0;
    if (status == SL_OK)
        status = read_new_value(&walk, override->value, &value);
    if (status != SL_OK)
        return status;

    /* The target keeps its key and its sibling; everything else is the new value's. */
    SlJsonNode *target = &json->nodes[walk.node], old = *target;
    *target = json->nodes[value];
    target->key = old.key;
    target->key_place = old.key_place;
    target->next = old.next;
    return SL_OK;
}

/* --- What differs between two scenes, value by value, by the paths that --set takes. --- */

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
