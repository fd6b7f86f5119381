/* Wavefront OBJ: v and f; texture, normal, group and material statements are passed over. A face
   may use only vertices above it, as every writer does: so an index is checked where it stands. */
#include "geometry/mesh/formats.h"
#include "geometry/mesh/text.h"

static const char *const passed_over[] = {"vt", "vn", "g", "o", "s", "usemtl", "mtllib"};

/* v x y z, then nothing, a weight w, a colour r g b, or both. */
static SlStatus read_vertex(SlMeshText *text, SlMeshBuilder *builder, SlError *error)
{
    float position[3], more;
    SlStatus status = SL_OK;
    for (int k = 0; status == SL_OK && k < 3; k++)
        status = sl_mesh_text_coordinate(text, "v", &position[k], error);
    int extra = 0;
    for (; status == SL_OK && extra < 5 && !sl_mesh_text_line_ended(text); extra++)
        status = sl_mesh_text_coordinate(text, "v", &more, error);
    if (status == SL_OK && extra != 0 && extra != 1 && extra != 3 && extra != 4)
        status = sl_mesh_text_error(text, error, "v: %d%s numbers; 3, 4, 6 or 7 are allowed",
                                    3 + extra, extra == 5 ? " or more" : "");
    return status != SL_OK ? status : sl_mesh_builder_add_vertex(builder, position, error);
}

static SlStatus bad_corner(SlMeshText *text, const char *start, SlError *error)
{
    char shown[40];
    text->at = start;
    SlMeshWord word = sl_mesh_text_word(text);
    return sl_mesh_text_error(text, error,
                              "f: \"%s\" is not a corner; v, v/vt, v//vn and v/vt/vn are",
                              sl_mesh_word_show(word, shown));
}

/* v, v/vt, v//vn or v/vt/vn; v counts from 1, or backwards from -1. */
static SlStatus read_corner(SlMeshText *text, size_t vertex_count, uint32_t *vertex, SlError *error)
{
    int64_t index, other;
    sl_mesh_text_line_ended(text); /* moves to the word, for the error below */
    const char *start = text->at;
    if (!sl_mesh_text_integer(text, '/', &index))
        return bad_corner(text, start, error);
    for (int k = 0; k < 2 && text->at < text->end && *text->at == '/'; k++) {
        text->at++;
        bool empty = k == 0 && text->at < text->end && *text->at == '/';
        if (!empty && (!sl_mesh_text_integer(text, '/', &other) || other == 0))
            return bad_corner(text, start, error);
    }
    if (text->at < text->end && *text->at == '/')
        return bad_corner(text, start, error);
    int64_t count = (int64_t)vertex_count;
    int64_t place = index > 0 ? index - 1 : count + index;
    if (index == 0 || place < 0 || place >= count)
        return sl_mesh_text_error(text, error,
                                  "f: vertex %lld, but %lld vertices stand above this line; 1 to "
                                  "%lld and -%lld to -1 are allowed",
                                  (long long)index, (long long)count, (long long)count,
                                  (long long)count);
    *vertex = (uint32_t)place;
    return SL_OK;
}

/* A polygon becomes a fan around its first corner. */
static SlStatus read_face(SlMeshText *text, SlMeshBuilder *builder, SlError *error)
{
    uint32_t first = 0, last = 0, corner = 0;
    size_t count = 0;
    SlStatus status = SL_OK;
    for (; status == SL_OK && !sl_mesh_text_line_ended(text); count++) {
        status = read_corner(text, builder->vertex_count, &corner, error);
        if (status != SL_OK)
            return status;
        if (count >= 2)
            status = sl_mesh_builder_add_triangle(builder, first, last, corner, error);
        if (count == 0)
            first = corner;
        last = corner;
    }
    if (status == SL_OK && count < 3)
        status = sl_mesh_text_error(text, error, "f: %zu corners; a face has at least 3", count);
    return status;
}

static bool is_passed_over(SlMeshWord word)
{
    for (size_t k = 0; k < sizeof passed_over / sizeof *passed_over; k++)
        if (sl_mesh_word_is(word, passed_over[k]))
            return true;
    return false;
}

SlStatus sl_mesh_obj_parse(SlMeshBuilder *builder, const char *name, const char *bytes,
                           size_t size, SlError *error)
{
    SlMeshText text = {name, bytes, bytes + size, .line = 1, .comment = '#', .continues = true};
    SlStatus status = SL_OK;
    while (status == SL_OK && sl_mesh_text_find_word(&text)) {
        char shown[40];
        SlMeshWord word = sl_mesh_text_word(&text);
        if (sl_mesh_word_is(word, "v"))
            status = read_vertex(&text, builder, error);
        else if (sl_mesh_word_is(word, "f"))
            status = read_face(&text, builder, error);
        else if (!is_passed_over(word))
            status = sl_mesh_text_error(&text, error,
                                        "\"%s\" is not a statement that is read; v, f, vt, vn, g, "
                                        "o, s, usemtl and mtllib are",
                                        sl_mesh_word_show(word, shown));
        sl_mesh_text_next_line(&text);
    }
    return status;
}
