/* A cursor over the text of a mesh file: words, integers and coordinates of the line it is on,
   and errors with the line's number. Never reads past the end; needs no 0 after it. */
#ifndef GEOMETRY_MESH_TEXT_H
#define GEOMETRY_MESH_TEXT_H

#include "core/error.h"

typedef struct SlMeshText {
    const char *name; /* of the file */
    const char *at, *end;
    size_t line;    /* of `at`, from 1 */
    char comment;   /* begins a comment that ends with the line; '\n': there are none */
    bool continues; /* a backslash at the end of a line joins the next to it */
} SlMeshText;

typedef struct SlMeshWord {
    const char *at;
    size_t size; /* 0: the line has no more */
} SlMeshWord;

/* "name:line: …" */
SlStatus sl_mesh_text_error(const SlMeshText *text, SlError *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A word fit for a message: cut to 32 bytes, unprintable ones as '?'. Returns `out`. */
char *sl_mesh_word_show(SlMeshWord word, char out[40]);
bool sl_mesh_word_is(SlMeshWord word, const char *expected);

/* Skips blanks; true at the end of the line, of the text, or at a comment. */
bool sl_mesh_text_line_ended(SlMeshText *text);
/* Goes to the start of the next line (to the end after the last one). */
void sl_mesh_text_next_line(SlMeshText *text);
/* Goes to the first word at or after the cursor, over blank lines and comments; false: no more. */
bool sl_mesh_text_find_word(SlMeshText *text);
/* The next word of this line. */
SlMeshWord sl_mesh_text_word(SlMeshText *text);
/* An integer below 10^18 in size that begins at the cursor itself and ends at a blank, the
   line's end or the byte `stop`. The cursor moves only on success. */
bool sl_mesh_text_integer(SlMeshText *text, char stop, int64_t *value);
/* A finite coordinate, within 1 ulp: the nearest float, or, where the text is within 2^-26 of half
   way between two floats, either of them. Too small is 0. `what` names it in errors. */
SlStatus sl_mesh_text_coordinate(SlMeshText *text, const char *what, float *value, SlError *error);
/* Nothing may follow on this line. */
SlStatus sl_mesh_text_expect_end(SlMeshText *text, const char *after, SlError *error);

#endif
