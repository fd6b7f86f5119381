/* STL, binary and ASCII. Normals and attribute bytes are passed over: the corners' order says which
   side is out, and many writers leave the rest wrong or empty. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "geometry/mesh/formats.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/text.h"

enum { COUNT_AT = 80, HEAD = 84, RECORD = 50, NORMAL = 12 };

/* Text cannot pass for binary: its four bytes at 80, none below 9, would count 151 million
   triangles, 7.5 GB, which is above the largest file that is read. */
bool sl_mesh_stl_is_binary(const char *bytes, size_t size)
{
    return size >= HEAD &&
           (uint64_t)size == HEAD + RECORD * sl_mesh_bytes_join(bytes + COUNT_AT, 4, false);
}

/* Some binary files begin with "solid" too; a zero byte near the head gives a cut one away. */
static bool is_text(const char *bytes, size_t size)
{
    const char *p = bytes, *end = bytes + size;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
        p++;
    return !sl_mesh_stl_is_binary(bytes, size) && end - p >= 5 && strncasecmp(p, "solid", 5) == 0 &&
           memchr(bytes, '\0', size < 512 ? size : 512) == NULL;
}

static SlStatus read_binary(SlMeshMerge *merge, const char *name, const char *bytes, size_t size,
                            SlError *error)
{
    if (size < HEAD)
        return sl_mesh_bytes_error(name, size, error,
                                   "the file ends here, before \"solid\" or the %d bytes of a "
                                   "binary STL's head",
                                   HEAD);
    uint64_t count = sl_mesh_bytes_join(bytes + COUNT_AT, 4, false);
    uint64_t needed = HEAD + RECORD * count;
    if (size != needed)
        return sl_mesh_bytes_error(name, COUNT_AT, error,
                                   "%llu triangles need %llu bytes, but the file has %zu",
                                   (unsigned long long)count, (unsigned long long)needed, size);
    SlStatus status = SL_OK;
    for (uint64_t t = 0; status == SL_OK && t < count; t++) {
        uint32_t corner[3];
        for (int k = 0; k < 3; k++) {
            size_t at = HEAD + RECORD * t + NORMAL * (size_t)(k + 1);
            float position[3];
            for (int axis = 0; axis < 3; axis++) {
                uint32_t bits = (uint32_t)sl_mesh_bytes_join(bytes + at + 4 * axis, 4, false);
                memcpy(&position[axis], &bits, 4);
                if (!isfinite(position[axis]))
                    return sl_mesh_bytes_error(name, at + 4 * (size_t)axis, error,
                                               "triangle %llu: coordinate %g is not finite",
                                               (unsigned long long)t, (double)position[axis]);
            }
            status = sl_mesh_merge_vertex(merge, position, &corner[k], error);
            if (status != SL_OK)
                return status;
        }
        status = sl_mesh_builder_add_triangle(merge->builder, corner[0], corner[1], corner[2],
                                              error);
    }
    return status;
}

/* The given words, wherever line ends fall between them. */
static SlStatus expect_words(SlMeshText *text, const char *first, const char *second,
                             SlError *error)
{
    const char *const expected[2] = {first, second};
    for (int k = 0; k < 2 && expected[k] != NULL; k++) {
        char shown[40];
        if (!sl_mesh_text_find_word(text))
            return sl_mesh_text_error(text, error, "the file ends where \"%s\" is due",
                                      expected[k]);
        SlMeshWord word = sl_mesh_text_word(text);
        if (!sl_mesh_word_is(word, expected[k]))
            return sl_mesh_text_error(text, error, "\"%s\" where \"%s\" is due",
                                      sl_mesh_word_show(word, shown), expected[k]);
    }
    return SL_OK;
}

static SlStatus read_vertex(SlMeshText *text, SlMeshMerge *merge, uint32_t *corner, SlError *error)
{
    float position[3];
    SlStatus status = expect_words(text, "vertex", NULL, error);
    for (int k = 0; status == SL_OK && k < 3; k++)
        status = sl_mesh_text_coordinate(text, "vertex", &position[k], error);
    return status != SL_OK ? status : sl_mesh_merge_vertex(merge, position, corner, error);
}

/* After the word "facet". The normal's numbers are words here: writers give nan for slivers. */
static SlStatus read_facet(SlMeshText *text, SlMeshMerge *merge, SlError *error)
{
    uint32_t corner[3];
    SlStatus status = expect_words(text, "normal", NULL, error);
    for (int k = 0; status == SL_OK && k < 3; k++)
        if (sl_mesh_text_word(text).size == 0)
            status = sl_mesh_text_error(text, error, "facet normal has %d numbers of 3", k);
    if (status == SL_OK)
        status = expect_words(text, "outer", "loop", error);
    for (int k = 0; status == SL_OK && k < 3; k++)
        status = read_vertex(text, merge, &corner[k], error);
    if (status == SL_OK)
        status = expect_words(text, "endloop", "endfacet", error);
    if (status != SL_OK)
        return status;
    return sl_mesh_builder_add_triangle(merge->builder, corner[0], corner[1], corner[2], error);
}

/* One or more of: solid name, facets, endsolid name. */
static SlStatus read_text(SlMeshMerge *merge, const char *name, const char *bytes, size_t size,
                          SlError *error)
{
    SlMeshText text = {name, bytes, bytes + size, .line = 1, .comment = '\n'};
    SlStatus status = SL_OK;
    while (status == SL_OK && sl_mesh_text_find_word(&text)) {
        status = expect_words(&text, "solid", NULL, error);
        sl_mesh_text_next_line(&text);
        bool open = true;
        while (status == SL_OK && open) {
            char shown[40];
            if (!sl_mesh_text_find_word(&text))
                return sl_mesh_text_error(&text, error,
                                          "the file ends where \"facet\" or \"endsolid\" is due");
            SlMeshWord word = sl_mesh_text_word(&text);
            open = !sl_mesh_word_is(word, "endsolid");
            if (open && !sl_mesh_word_is(word, "facet"))
                return sl_mesh_text_error(&text, error,
                                          "\"%s\" where \"facet\" or \"endsolid\" is due",
                                          sl_mesh_word_show(word, shown));
            if (open)
                status = read_facet(&text, merge, error);
        }
        if (status == SL_OK)
            sl_mesh_text_next_line(&text);
    }
    return status;
}

SlStatus sl_mesh_stl_parse(SlMeshBuilder *builder, const char *name, const char *bytes,
                           size_t size, SlError *error)
{
    SlMeshMerge merge;
    sl_mesh_merge_init(&merge, builder);
    SlStatus status = is_text(bytes, size) ? read_text(&merge, name, bytes, size, error)
                                           : read_binary(&merge, name, bytes, size, error);
    sl_mesh_merge_free(&merge);
    return status;
}
