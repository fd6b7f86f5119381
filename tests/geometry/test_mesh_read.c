/* Mesh readers: the same mesh through every format, broken files with the place and the words of
   the error, and headers that lie. */
#include "support/test.h"

#include <float.h>
#include <sys/stat.h>

#include "core/timer.h"
#include "geometry/mesh/read.h"

/* A file being made up in memory. */
typedef struct Made {
    char bytes[8192];
    size_t size;
} Made;

__attribute__((format(printf, 2, 3))) static void say(Made *made, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    made->size += (size_t)vsnprintf(made->bytes + made->size, sizeof made->bytes - made->size,
                                    format, arguments);
    va_end(arguments);
    assert_true(made->size < sizeof made->bytes);
}

static void put(Made *made, const void *value, size_t size, bool big)
{
    for (size_t k = 0; k < size; k++)
        made->bytes[made->size++] = ((const char *)value)[big ? size - 1 - k : k];
    assert_true(made->size < sizeof made->bytes);
}

/* Vertices in order of first use, as merging numbers them; awkward floats among them. */
enum { VERTICES = 5, TRIANGLES = 6 };
static const float positions[3 * VERTICES] = {0.1f,       -2.5f,        3.0f,   1e-30f,   FLT_MAX,
                                              -FLT_MIN,   1.0f / 3.0f,  16777217.0f, 0, 7.0e-45f,
                                              -123.4567f, 9.999999e-5f, 5,      6,        7};
static const uint32_t triangles[3 * TRIANGLES] = {0, 1, 2, 0, 2, 3, 0, 3, 1,
                                                  1, 3, 4, 3, 2, 4, 2, 1, 4};

static void make_obj(Made *made)
{
    for (int v = 0; v < VERTICES; v++)
        say(made, "v %.9g %.9g %.9g\n", (double)positions[3 * v], (double)positions[3 * v + 1],
            (double)positions[3 * v + 2]);
    for (int t = 0; t < TRIANGLES; t++)
        say(made, "f %u/1 %u//2 %u/3/4\r\n", triangles[3 * t] + 1, triangles[3 * t + 1] + 1,
            triangles[3 * t + 2] + 1);
}

static void make_ply_head(Made *made, const char *format, const char *type)
{
    say(made,
        "ply\nformat %s 1.0\ncomment x\nelement vertex %d\nproperty uchar red\n"
        "property %s x\nproperty %s y\nproperty list uint8 short extra\nproperty %s z\n"
        "element face %d\nproperty list uchar ushort vertex_index\nelement edge 1\n"
        "property int a\nend_header\n",
        format, VERTICES, type, type, type, TRIANGLES);
}

static void make_ply_ascii(Made *made)
{
    make_ply_head(made, "ascii", "float");
    for (int v = 0; v < VERTICES; v++)
        say(made, "200 %.9g %.9g 2 -7 8 %.9g\n", (double)positions[3 * v],
            (double)positions[3 * v + 1], (double)positions[3 * v + 2]);
    for (int t = 0; t < TRIANGLES; t++)
        say(made, "3 %u %u %u\n", triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]);
    say(made, "17\n");
}

static void make_ply_binary(Made *made, bool big)
{
    make_ply_head(made, big ? "binary_big_endian" : "binary_little_endian", "double");
    const int16_t extra = -7;
    const uint8_t red = 200, none = 1, corners = 3;
    const int32_t edge = 17;
    for (int v = 0; v < VERTICES; v++) {
        double p[3] = {(double)positions[3 * v], (double)positions[3 * v + 1],
                       (double)positions[3 * v + 2]};
        put(made, &red, 1, big);
        put(made, &p[0], 8, big);
        put(made, &p[1], 8, big);
        put(made, &none, 1, big);
        put(made, &extra, 2, big);
        put(made, &p[2], 8, big);
    }
    for (int t = 0; t < TRIANGLES; t++) {
        put(made, &corners, 1, big);
        for (int k = 0; k < 3; k++) {
            uint16_t corner = (uint16_t)triangles[3 * t + k];
            put(made, &corner, 2, big);
        }
    }
    put(made, &edge, 4, big);
}

static void make_stl_ascii(Made *made)
{
    say(made, "solid made up\n");
    for (int t = 0; t < TRIANGLES; t++) {
        say(made, "  facet normal nan 0 0\n    outer loop\n");
        for (int k = 0; k < 3; k++) {
            const float *p = positions + 3 * triangles[3 * t + k];
            say(made, "      VERTEX %.9e %.9E %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
        }
        say(made, "    endloop\n  endfacet\n");
    }
    say(made, "endsolid made up\n");
}

static void make_stl_binary(Made *made)
{
    /* "solid" at the head: size and count tell the two kinds apart, not this word. */
    const uint32_t count = TRIANGLES;
    const float normal[3] = {NAN, 0, 0};
    memset(made->bytes, ' ', 80);
    memcpy(made->bytes, "solid of a binary file", 22);
    made->size = 80;
    put(made, &count, 4, false);
    for (int t = 0; t < TRIANGLES; t++) {
        for (int k = 0; k < 3; k++)
            put(made, &normal[k], 4, false);
        for (int k = 0; k < 9; k++)
            put(made, &positions[3 * triangles[3 * t + k / 3] + k % 3], 4, false);
        put(made, "zz", 2, false);
    }
}

static void make(int which, Made *made)
{
    made->size = 0;
    switch (which) {
    case 0: make_obj(made); break;
    case 1: make_ply_ascii(made); break;
    case 2: make_ply_binary(made, false); break;
    case 3: make_ply_binary(made, true); break;
    case 4: make_stl_ascii(made); break;
    default: make_stl_binary(made); break;
    }
}

static const SlMeshFormat formats[] = {SL_MESH_OBJ, SL_MESH_PLY, SL_MESH_PLY,
                                       SL_MESH_PLY, SL_MESH_STL, SL_MESH_STL};

static void test_all_formats_give_one_mesh(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    for (int which = 0; which < 6; which++)
        for (int told = 0; told < 2; told++) {
            static Made made;
            SlMesh mesh;
            make(which, &made);
            assert_ok(sl_mesh_parse(context, "made", made.bytes, made.size,
                                    told ? formats[which] : SL_MESH_UNKNOWN, &mesh, &test_error));
            assert_int_equal(mesh.vertex_count, VERTICES);
            assert_int_equal(mesh.triangle_count, TRIANGLES);
            assert_memory_equal(mesh.positions, positions, sizeof positions);
            assert_memory_equal(mesh.triangles, triangles, sizeof triangles);
            sl_mesh_destroy(&mesh);
        }
    sl_context_destroy(context);
}

/* Cut anywhere, a file is refused or is a whole file without its last line end. */
static void test_cut_files(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    uint64_t held = sl_context_bytes_held(context);
    for (int which = 1; which < 6; which++) {
        static Made made;
        make(which, &made);
        size_t tail = which == 1 || which == 4 ? 16 : 1; /* "endsolid" may lose its name */
        for (size_t size = 0; size + tail <= made.size; size++) {
            SlMesh mesh;
            char *copy = malloc(size + 1);
            memcpy(copy, made.bytes, size);
            assert_int_equal(sl_mesh_parse(context, "cut", copy, size, formats[which], &mesh,
                                           &test_error),
                             SL_ERROR_PARSE);
            assert_memory_equal(test_error.text, "cut:", 4);
            free(copy);
        }
    }
    assert_int_equal(sl_context_bytes_held(context), held);
    sl_context_destroy(context);
}

static void test_obj_forms(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    const char text[] = "# \\\nmtllib \\\n x\nv 0 0 0 1\nv 1 0 0 .1 .2 .3 # red\n"
                        "v 1 1 0 1 .1 .2 .3\nv 0 1 0\n\n  f -4 -3 \\\r\n -2\t-1\n"
                        "vt 0\nvn 0 0 1\ng\no a\ns 1\nusemtl q\nv 0 0 1\nf 1 2 5";
    SlMesh mesh;
    assert_ok(sl_mesh_parse(context, "t", text, sizeof text - 1, SL_MESH_OBJ, &mesh, &test_error));
    const uint32_t expected[] = {0, 1, 2, 0, 2, 3, 0, 1, 4};
    assert_int_equal(mesh.vertex_count, 5);
    assert_int_equal(mesh.triangle_count, 3);
    assert_memory_equal(mesh.triangles, expected, sizeof expected);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

#define PLY(rest) "ply\nformat ascii 1.0\n" rest
#define PLY_XYZ "property float x\nproperty float y\nproperty float z\n"
#define PLY_FACE "element face 1\nproperty list uchar int vertex_indices\n"
#define PLY_TWO PLY("element vertex 3\n" PLY_XYZ PLY_FACE "end_header\n")
#define STL_OPEN "solid a\nfacet normal 0 0 1\nouter loop\n"

static const struct {
    SlMeshFormat format;
    const char *text, *place, *words;
} broken[] = {
    {SL_MESH_OBJ, "v 0 0\n", "b:1: ", "the line ends where a number is due"},
    {SL_MESH_OBJ, "v 0 0 zero\n", "b:1: ", "\"zero\" is not a finite number"},
    {SL_MESH_OBJ, "\nv 0 nan 0\n", "b:2: ", "\"nan\" is not a finite number"},
    {SL_MESH_OBJ, "\nv 0 -inf 0\n", "b:2: ", "\"-inf\" is not a finite number"},
    {SL_MESH_OBJ, "v 0 1e39 0\n", "b:1: ", "1e39 is beyond what a float holds"},
    {SL_MESH_OBJ, "v 0 1e99999999999999999999 0\n", "b:1: ", "beyond what a float holds"},
    {SL_MESH_OBJ, "v 0 1e 0\n", "b:1: ", "\"1e\" is not"},
    {SL_MESH_OBJ, "v 0 . 0\n", "b:1: ", "\".\" is not"},
    {SL_MESH_OBJ, "v 0 0x1 0\n", "b:1: ", "\"0x1\" is not"},
    {SL_MESH_OBJ, "v 0 0 0 0 0\n", "b:1: ", "5 numbers; 3, 4, 6 or 7"},
    {SL_MESH_OBJ, "v 0 0 0\nf 1 1 2\n", "b:2: ", "vertex 2, but 1 vertices stand above"},
    {SL_MESH_OBJ, "v 0 0 0\nf 1 1 -2\n", "b:2: ", "vertex -2"},
    {SL_MESH_OBJ, "v 0 0 0\nf 1 0 1\n", "b:2: ", "vertex 0"},
    {SL_MESH_OBJ, "v 0 0 0\nf 1 1\n", "b:2: ", "2 corners; a face has at least 3"},
    {SL_MESH_OBJ, "v 0 0 0\nf 1 1 1//\n", "b:2: ", "\"1//\" is not a corner"},
    {SL_MESH_OBJ, "v 0 0 0\nf 1 1 1/1/1/1\n", "b:2: ", "\"1/1/1/1\" is not a corner"},
    {SL_MESH_OBJ, "v 0 0 0\nf 1 1 \\\n 1/ 1\n", "b:3: ", "\"1/\" is not a corner"},
    {SL_MESH_OBJ, "v 0 0 0\nf 1 1 99999999999999999999\n", "b:2: ", "is not a corner"},
    {SL_MESH_OBJ, "v 0 0 0\nf 1 1 9999999999999999999\n", "b:2: ", "is not a corner"},
    {SL_MESH_OBJ, "v 0 0 0\nf 1 1 999999999999999999\n", "b:2: ", "vertex 999999999999999999"},
    {SL_MESH_OBJ, "# a\ncurv 1 2\n", "b:2: ", "\"curv\" is not a statement"},
    {SL_MESH_OBJ, "\x7f\x45\x4c\x46\x01\xff\xfe", "b:1: ", "\"?ELF???\" is not a statement"},
    {SL_MESH_OBJ, "v 0 0 0\n", "b: ", "holds 1 vertices but no face"},
    {SL_MESH_OBJ, "", "b: ", "is empty"},
    {SL_MESH_PLY, "", "b: ", "is empty"},
    {SL_MESH_PLY, "plx\n", "b:1: ", "\"plx\" where a PLY file begins"},
    {SL_MESH_PLY, "ply\nelement a 1\n", "b:2: ", "\"element\" where \"format\" is due"},
    {SL_MESH_PLY, "ply\nformat ascii 2.0\n", "b:2: ", "format \"ascii\" \"2.0\""},
    {SL_MESH_PLY, PLY("comment"), "b:3: ", "the file ends before end_header"},
    {SL_MESH_PLY, PLY("end_header\n"), "b:4: ", "no element vertex"},
    {SL_MESH_PLY, PLY("property float x\n"), "b:3: ", "before the first element"},
    {SL_MESH_PLY, PLY("element vertex -1\n"), "b:3: ", "is not a count"},
    {SL_MESH_PLY, PLY("element vertex 1\nproperty real x\n"), "b:4: ", "\"real\" is not a type"},
    {SL_MESH_PLY, PLY("element a 1\nproperty list float int x\n"), "b:4: ", "of whole numbers"},
    {SL_MESH_PLY, PLY("element face 1\nproperty list int float vertex_index\n"), "b:4: ",
     "not of a type of whole numbers"},
    {SL_MESH_PLY, PLY("element vertex 1\nproperty int x\nproperty int x\n"), "b:5: ",
     "a second property x"},
    {SL_MESH_PLY, PLY("element vertex 1\nelement vertex 1\n"), "b:4: ", "a second element vertex"},
    {SL_MESH_PLY, PLY("element vertex 0\nproperty int x\nend_header\n"), "b:3: ", "lacks one of"},
    {SL_MESH_PLY, PLY("element a 9\nend_header\n0"), "b:3: ", "element a has no property"},
    {SL_MESH_PLY, PLY("elements\n"), "b:3: ", "\"elements\" in the head"},
    {SL_MESH_PLY,
     PLY("element vertex 900000000\n" PLY_XYZ PLY_FACE "end_header\n0 0 0\n3 0 0 0\n"), "b:3: ",
     "900000000 of element vertex need at least 6 bytes each"},
    {SL_MESH_PLY, PLY("element vertex 1\n" PLY_XYZ "element face 900000000\n"
                      "property list int int vertex_index\nend_header\n0 0 0\n3 0 0 0\n"),
     "b:7: ", "900000000 of element face"},
    {SL_MESH_PLY, "ply\nformat binary_big_endian 1.0\nelement vertex 900000000\n" PLY_XYZ PLY_FACE
     "end_header\n0123456789ab", "b:3: ",
     "900000000 of element vertex need at least 12 bytes each, but only 12 are left"},
    {SL_MESH_PLY, PLY_TWO "0 0 0\n1 0\n0 1 0\n3 0 1 2\n", "b:11: ", "a number is due"},
    {SL_MESH_PLY, PLY_TWO "0 0 0\n1 0 0 0\n0 1 0\n3 0 1 2\n", "b:11: ", "after the last property"},
    {SL_MESH_PLY, PLY_TWO "0 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n", "b:11: ", "\"inf\" is not a finite"},
    {SL_MESH_PLY, PLY_TWO "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "b:13: ", "vertex 3; there are 3"},
    {SL_MESH_PLY, PLY_TWO "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "b:13: ", "vertex -1"},
    {SL_MESH_PLY, PLY_TWO "0 0 0\n1 0 0\n0 1 0\n3 0 1 1.0\n", "b:13: ", "\"1.0\" is not a vertex"},
    {SL_MESH_PLY, PLY_TWO "0 0 0\n1 0 0\n0 1 0\n2 0 1 0\n", "b:13: ", "a face of 2 corners"},
    {SL_MESH_PLY, PLY_TWO "0 0 0\n1 0 0\n0 1 0\n4 0 1 0\n", "b:13: ", "the line ends where"},
    {SL_MESH_PLY, PLY_TWO "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n7\n", "b:14: ", "2 bytes follow"},
    {SL_MESH_STL, "", "b: ", "is empty"},
    {SL_MESH_STL, "garbage", "b: byte 7: ", "the file ends here"},
    {SL_MESH_STL, "solid a\n", "b:2: ", "ends where \"facet\" or \"endsolid\" is due"},
    {SL_MESH_STL, "solid a\nendsolid\n", "b: ", "no face"},
    {SL_MESH_STL, "solid a\nfacets\n", "b:2: ", "\"facets\" where"},
    {SL_MESH_STL, "solid a\nfacet normal 0 0\nouter", "b:2: ", "normal has 2 numbers of 3"},
    {SL_MESH_STL, STL_OPEN "vertex 0 0 zero\n", "b:4: ", "\"zero\" is not a finite"},
    {SL_MESH_STL, STL_OPEN "vertex 0 0\n0\n", "b:4: ", "the line ends"},
    {SL_MESH_STL, STL_OPEN "vertex 0 0 1\nvertex 0 0 1\nvertex 0 0 1\nvertex 0 0 1\n", "b:7: ",
     "\"vertex\" where \"endloop\" is due"},
    {SL_MESH_UNKNOWN, "\x01\x02\x03", "b: ", "neither its ending nor its content"},
};

static void test_broken_files(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    uint64_t held = sl_context_bytes_held(context);
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        SlMesh mesh;
        SlStatus status = sl_mesh_parse(context, "b", broken[k].text, strlen(broken[k].text),
                                        broken[k].format, &mesh, &test_error);
        if (status != SL_ERROR_PARSE || strstr(test_error.text, broken[k].words) == NULL ||
            strncmp(test_error.text, broken[k].place, strlen(broken[k].place)) != 0)
            fail_msg("row %zu: \"%s\" is not at %s with %s", k, test_error.text, broken[k].place,
                     broken[k].words);
        assert_null(mesh.positions);
    }
    assert_int_equal(sl_context_bytes_held(context), held);
    sl_context_destroy(context);
}

/* Binary files with bytes put in at a place. */
static void test_broken_binary(void **state)
{
    (void)state;
    static const struct {
        int which;
        long at; /* from the end if negative */
        const char *bytes;
        size_t size;
        const char *words;
    } rows[] = {
        {2, -46, "\3", 1, ""}, /* as it was */
        {2, -46, "\2", 1, "a face of 2 corners"},
        {2, -45, "\5\0", 2, "a face has vertex 5"},
        {3, -45, "\0\5", 2, "a face has vertex 5"},
        {2, -54, "\0\0\0\0\0\0\360\177", 8, "coordinate inf is not a finite float"},
        {3, -54, "\177\360\0\0\0\0\0\1", 8, "coordinate nan"},
        {3, -54, "\177\340\0\0\0\0\0\0", 8, "coordinate 8.98847e+307"},
        {5, 80, "\7", 1, "byte 80: 7 triangles need 434 bytes, but the file has 384"},
        {5, 80, "\0\351\244\065", 4, "byte 80: 900000000 triangles need"},
        {5, 96, "\0\0\300\177", 4, "byte 96: triangle 0: coordinate nan is not finite"},
    };
    SlContext *context = test_context(1);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        static Made made;
        SlMesh mesh;
        char place[40];
        make(rows[k].which, &made);
        if (rows[k].which == 5)
            made.bytes[30] = '\0';
        size_t at = rows[k].at < 0 ? made.size - (size_t)-rows[k].at : (size_t)rows[k].at;
        memcpy(made.bytes + at, rows[k].bytes, rows[k].size);
        SlStatus status = sl_mesh_parse(context, "b", made.bytes, made.size, formats[rows[k].which],
                                        &mesh, &test_error);
        snprintf(place, sizeof place, "b: byte %zu: ", at);
        if (rows[k].words[0] == '\0')
            assert_int_equal(status, SL_OK);
        else if (status != SL_ERROR_PARSE || strstr(test_error.text, rows[k].words) == NULL ||
                 strncmp(test_error.text, place, strlen(place)) != 0)
            fail_msg("row %zu: \"%s\" is not at %s with %s", k, test_error.text, place,
                     rows[k].words);
        sl_mesh_destroy(&mesh);
    }
    sl_context_destroy(context);
}

static void test_paths(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    char folder[600], path[700];
    SlMesh mesh;
    static Made made;
    test_folder(folder, sizeof folder, "mesh_read");
    assert_int_equal(sl_mesh_read(context, folder, &mesh, &test_error), SL_ERROR_IO);
    assert_non_null(strstr(test_error.text, "is a folder, not a file"));
    snprintf(path, sizeof path, "%s/none.obj", folder);
    assert_int_equal(sl_mesh_read(context, path, &mesh, &test_error), SL_ERROR_IO);
    assert_non_null(strstr(test_error.text, "cannot be read"));
    snprintf(path, sizeof path, "%s/empty.STL", folder);
    assert_ok(sl_file_write(&context->file_layer, path, "", 0, &test_error));
    assert_int_equal(sl_mesh_read(context, path, &mesh, &test_error), SL_ERROR_PARSE);
    assert_non_null(strstr(test_error.text, "empty.STL: is empty"));
    snprintf(path, sizeof path, "%s/whole.Ply", folder);
    make(2, &made);
    assert_ok(sl_file_write(&context->file_layer, path, made.bytes, made.size, &test_error));
    assert_ok(sl_mesh_read(context, path, &mesh, &test_error));
    assert_int_equal(mesh.triangle_count, TRIANGLES);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

/* Against the C library's own reading of the same digits, at random and in corners. */
static void test_numbers(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    uint64_t x = 88172645463325252u;
    const char *const corners[] = {"0.000000000000000000000000000000000000000000000000012345e30",
                                   "123456789012345678901234567890e-20", "1e-46", "1.4e-45",
                                   "3.4028234663852886e38", "16777217", "-.5e+1", "00012.500"};
    for (int k = 0; k < 20000; k++) {
        char text[200], number[64];
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        uint32_t bits = (uint32_t)(x >> 16);
        float value;
        memcpy(&value, &bits, 4);
        if (!isfinite(value))
            continue;
        snprintf(number, sizeof number, "%.*g", 1 + (int)(x % 20), (double)value);
        if (k < (int)(sizeof corners / sizeof *corners))
            snprintf(number, sizeof number, "%s", corners[k]);
        float expected = strtof(number, NULL);
        if (!isfinite(expected))
            continue;
        SlMesh mesh;
        int size = snprintf(text, sizeof text, "v %s 0 0\nf 1 1 1\n", number);
        assert_ok(sl_mesh_parse(context, "n", text, (size_t)size, SL_MESH_OBJ, &mesh, &test_error));
        if (mesh.positions[0] != expected)
            fail_msg("%s is read as %.9g, not %.9g", number, (double)mesh.positions[0],
                     (double)expected);
        sl_mesh_destroy(&mesh);
    }
    sl_context_destroy(context);
}

/* Files of 1 MB that are as slow as can be: hubs, long numbers, many properties, long polygons. */
static void test_worst_files_are_quick(void **state)
{
    (void)state;
    const size_t size = 1 << 20;
    char *bytes = malloc(size);
    static const struct {
        SlMeshFormat format;
        const char *head, *repeat;
    } rows[] = {
        {SL_MESH_OBJ, "v 0 0 0\nf 1 1 1", " 1"},
        {SL_MESH_OBJ, "v 0 0 0\nf 1 1 1 #", "\\\n#"},
        {SL_MESH_OBJ, "v 0 0 0\nv 1", "1"},
        {SL_MESH_OBJ, "mtllib", "\\\n"},
        {SL_MESH_OBJ, "v 0 0 0.", "0"},
        {SL_MESH_PLY, "ply\nformat ascii 1.0\nelement a 1\n", "property char a\n"},
        {SL_MESH_PLY, "ply\nformat ascii 1.0\n", "element a 0\n"},
        {SL_MESH_PLY, PLY_TWO "0 0 0\n1 0 0\n0 1 0\n999999", " 1"},
        {SL_MESH_STL, "solid", " solid"},
        {SL_MESH_STL, STL_OPEN, "\n"},
    };
    SlContext *context = test_context(1);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        size_t at = strlen(rows[k].head), part = strlen(rows[k].repeat);
        memcpy(bytes, rows[k].head, at);
        for (; at < size; at++)
            bytes[at] = rows[k].repeat[(at - strlen(rows[k].head)) % part];
        SlMesh mesh;
        double start = sl_seconds();
        sl_mesh_parse(context, "w", bytes, size, rows[k].format, &mesh, &test_error);
        assert_less(sl_seconds() - start, 2);
        sl_mesh_destroy(&mesh);
    }
    free(bytes);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_formats_give_one_mesh),
        cmocka_unit_test(test_cut_files),
        cmocka_unit_test(test_obj_forms),
        cmocka_unit_test(test_broken_files),
        cmocka_unit_test(test_broken_binary),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_worst_files_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
