/* A JSON document as a tree that remembers where every value and key stood, so that any later
   check can name the place. Strict RFC 8259: what the standard does not allow is refused with a
   message that says what to write instead. */
#ifndef SCENE_JSON_H
#define SCENE_JSON_H

#include "core/memory.h"

enum {
    SL_JSON_DEPTH = 64,                /* arrays and objects inside each other */
    SL_JSON_VALUES = 1 << 22,          /* in one document: 160 MB of nodes */
    SL_JSON_KEYS = 256,                /* in one object: keeps the search for duplicates short */
    SL_JSON_BYTES = 64 * 1024 * 1024,  /* of a file */
    SL_JSON_QUOTE = 64                 /* room for what sl_json_quote writes */
};

/* Line and column from 1; a column is one character (not byte), a tab is one too. Line 0 means
   that the value was set by `--set`; `column` is then the offset of its path in the pool. */
typedef struct SlJsonPlace {
    uint32_t line, column;
} SlJsonPlace;

typedef enum SlJsonType {
    SL_JSON_NULL,
    SL_JSON_BOOL,
    SL_JSON_NUMBER,
    SL_JSON_TEXT,
    SL_JSON_ARRAY,
    SL_JSON_OBJECT
} SlJsonType;

/* An index into the document's nodes; 0 is none. */
typedef uint32_t SlJsonId;

typedef struct SlJsonNode {
    union {
        double number;  /* NUMBER; BOOL as 0 or 1 */
        uint32_t text;  /* TEXT: offset in the pool */
        SlJsonId first; /* ARRAY, OBJECT: first child */
    };
    SlJsonPlace place, key_place;
    SlJsonType type;
    uint32_t key;   /* offset in the pool; 0 where the parent is no object */
    uint32_t count; /* children of ARRAY and OBJECT */
    SlJsonId next;  /* sibling */
} SlJsonNode;

typedef struct SlJson {
    SlMemory *memory;
    SlJsonNode *nodes; /* [0] is none */
    uint32_t node_count, node_capacity;
    char *pool; /* texts, each ended by a 0; the one at offset 0 is empty */
    uint32_t pool_used, pool_capacity;
    uint32_t name; /* of the file, offset in the pool */
    SlJsonId root;
} SlJson;

/* Reads a document; text[bytes] must be 0. `name` stands in errors for the file. Free `json` in
   any case. */
SlStatus sl_json_read(SlMemory *memory, const char *name, const char *text, size_t bytes,
                      SlJson *json, SlError *error);
/* Reads one more value into the document for `--set`; every node gets `place`, and `depth` is how
   deep in the tree it will hang. */
SlStatus sl_json_read_value(SlJson *json, const char *text, SlJsonPlace place, uint32_t depth,
                            SlJsonId *id, SlError *error);
void sl_json_free(SlJson *json);

/* The document as text: two spaces of indent, short arrays of numbers on one line, numbers with
   the fewest digits that read back to the same bits. *size counts the 0 at the end;
   sl_free(memory, *text, *size). */
SlStatus sl_json_write(const SlJson *json, SlMemory *memory, char **text, size_t *size,
                       SlError *error);

const SlJsonNode *sl_json_root(const SlJson *json);
/* NULL where there is none. */
const SlJsonNode *sl_json_first(const SlJson *json, const SlJsonNode *parent);
const SlJsonNode *sl_json_next(const SlJson *json, const SlJsonNode *node);
const SlJsonNode *sl_json_member(const SlJson *json, const SlJsonNode *object, const char *key);
const char *sl_json_key(const SlJson *json, const SlJsonNode *node);
const char *sl_json_text(const SlJson *json, const SlJsonNode *node);

/* Adding to the document: 0 where there is no room, with the message. */
SlJsonId sl_json_add(SlJson *json, SlJsonType type, SlJsonPlace place, SlError *error);
/* Stores `bytes` bytes and a 0. */
uint32_t sl_json_store(SlJson *json, const char *text, size_t bytes, SlError *error);

/* "file:line:column: …" or "override path: …"; the status is SL_ERROR_PARSE for a place in the file
   and SL_ERROR_ARGUMENT for an override. */
SlStatus sl_json_error(const SlJson *json, SlJsonPlace place, SlError *error, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));
/* The place alone, as it begins such a message. */
void sl_json_place_print(const SlJson *json, SlJsonPlace place, char *text, size_t text_size);
/* "text "abc"", "the number 3", "an array of 2": what was found, in plain words. */
void sl_json_describe(const SlJson *json, const SlJsonNode *node, char *text, size_t text_size);
/* The text in double quotes, cut to 40 bytes at a character, control characters as '?'. */
const char *sl_json_quote(const char *text, char quoted[SL_JSON_QUOTE]);
/* Length of the UTF-8 character at `at`, 0 if it is none. Reads no further than its 0 byte. */
size_t sl_utf8_length(const char *at);

#endif
