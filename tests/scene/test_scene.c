/* The checks of a scene and what overrides do to it, on tables of the test's own. */
#include "math/camera.h"
#include "scene/tables.h"
#include "sleet/render.h"
#include "support/test.h"

static SlMemory memory;

#define HEAD "{\"domain\": {\"min\": [0,0,0], \"max\": [4,3,2]},\n"
#define WATER                                                                                      \
    "\"systems\": [{\"name\": \"water\", \"solver\": \"pbf\",\n \"blocks\": [{\"min\": [0,0,0], "  \
    "\"max\": [1,1,1]}]}]"
static const char plain_scene[] = HEAD WATER "}";

static SlStatus parse(const char *text, const SlSceneOverride *overrides, size_t count,
                      SlScene **scene)
{
    SlSceneSource source = {"s.json", text, strlen(text), overrides, count};
    return sl_scene_parse(&memory, &source, &test_tables, scene, &test_error);
}

static void expect_sentence(const char *text, SlStatus status, SlStatus wanted,
                            const char *message)
{
    if (status != wanted || strstr(test_error.text, message) != test_error.text)
        fail_msg("%s\n  gives  %s %s\n  wanted %s %s", text, sl_status_name(status),
                 test_error.text, sl_status_name(wanted), message);
}

static void a_plain_scene_gets_defaults(void **state)
{
    (void)state;
    SlScene *scene;
    assert_ok(parse(plain_scene, NULL, 0, &scene));
    assert_string_equal(sl_scene_name(scene), "s");
    assert_int_equal(sl_scene_frames(scene), 300);
    assert_true(sl_scene_frame_time(scene) == 1.0 / 60);
    assert_near(scene->gravity.y, -9.81, 1e-6);
    assert_int_equal(scene->seed, 1);
    assert_near(scene->systems[0].spacing, 0.05, 0);
    assert_int_equal(scene->block_count, 1);
    assert_int_equal(sl_scene_camera_count(scene), 1);
    assert_true(sl_scene_render_values(scene, "splat")[0].number[0] == 1280);
    assert_null(sl_scene_camera(scene, 1));
    sl_scene_destroy(scene);
}

/* Without cameras there is one that has all of the domain in a 16:9 picture, and fills it. */
static void the_default_camera_frames_the_domain(void **state)
{
    (void)state;
    static const char *const sizes[] = {"[4,3,2]", "[1,9,1]", "[90,2,3]", "[1,1,50]"};
    for (size_t k = 0; k < 4; k++) {
        SlScene *scene;
        SlSceneOverride overrides[] = {{"domain.max", sizes[k]}};
        assert_ok(parse(plain_scene, overrides, 1, &scene));
        SlCameraFrame frame = sl_camera_frame(sl_scene_camera(scene, 0), 1280, 720);
        float widest = 0;
        for (int corner = 0; corner < 8; corner++) {
            SlVec3 high = scene->domain.max;
            SlVec3 point = {corner & 1 ? high.x : 0, corner & 2 ? high.y : 0,
                            corner & 4 ? high.z : 0};
            SlVec3 seen = sl_camera_to_view(&frame, point);
            assert_true(seen.z > 0);
            widest = fmaxf(widest, fabsf(frame.focal * seen.x / seen.z) / 640);
            widest = fmaxf(widest, fabsf(frame.focal * seen.y / seen.z) / 360);
        }
        assert_near(widest, 0.95, 1e-3);
        sl_scene_destroy(scene);
    }
}

static void a_full_scene_is_read(void **state)
{
    (void)state;
    const char *text =
        "{\"name\": \"N\", \"seed\": 7, \"gravity\": [1,2,3], \"domain\": {\"min\": [-1,0,0],"
        "\"max\": [4,3,2], \"friction\": 0.5}, \"time\": {\"frames\": 2, \"frame_rate\": 24},"
        "\"systems\": [{\"solver\": \"pbf\", \"parameters\": {\"spacing\": 0.1, \"kernel\":"
        "\"poly6\", \"sleepy\": true}, \"blocks\": [{\"min\": [0,0,0], \"max\": [1,1,1],"
        "\"velocity\": [0,-1,0]}, {\"min\": [1,0,0], \"max\": [2,1,1]}]}],"
        "\"colliders\": [{\"shape\": \"sphere\", \"center\": [1,2,3], \"radius\": 0.5},"
        "{\"shape\": \"box\", \"min\": [0,0,0], \"max\": [1,2,4], \"friction\": 1},"
        "{\"shape\": \"cone\", \"center\": [0,0,0], \"radius\": 1, \"height\": 2},"
        "{\"name\": \"post\", \"shape\": \"cylinder\", \"center\": [0,0,0], \"radius\": 1,"
        "\"height\": 2, \"axis\": [1,0,0]}, {\"shape\": \"plane\", \"point\": [0,1,0],"
        "\"normal\": [0,2,0]}], \"cameras\": [{\"name\": \"a\", \"eye\": [1,1,1],"
        "\"target\": [0,0,0], \"fov\": 50}], \"render\": {\"background\": [0,0.5,1]}}";
    SlScene *scene;
    assert_ok(parse(text, NULL, 0, &scene));
    assert_string_equal(sl_scene_name(scene), "N");
    assert_near(scene->domain_friction, 0.5, 0);
    assert_int_equal(scene->systems[0].block_count, 2);
    assert_near(scene->blocks[0].def.velocity.y, -1, 0);
    assert_string_equal(scene->systems[0].name, "pbf");
    assert_int_equal(scene->collider_count, 5);
    assert_near(scene->colliders[1].shape.half.z, 2, 0);
    assert_near(scene->colliders[1].shape.center.y, 1, 0);
    assert_near(scene->colliders[3].shape.axis.x, 1, 0);
    assert_near(scene->colliders[4].shape.center.y, 1, 0);
    assert_near(sl_scene_camera(scene, 0)->fov, 50, 0);
    assert_near(sl_scene_render_values(scene, "splat")[1].number[1], 0.5, 0);

    /* The text reads back to the same text. */
    SlScene *again;
    assert_ok(parse(sl_scene_text(scene), NULL, 0, &again));
    assert_string_equal(sl_scene_text(scene), sl_scene_text(again));
    sl_scene_destroy(scene);
    sl_scene_destroy(again);
}

static void without_a_renderer_its_object_is_not_checked(void **state)
{
    (void)state;
    const char *text = HEAD WATER ", \"render\": {\"anything\": [1, {}]}}";
    SlSceneTables tables = test_tables;
    SlScene *scene;
    tables.renderer_count = 0;
    SlSceneSource source = {"s.json", text, strlen(text), NULL, 0};
    assert_ok(sl_scene_parse(&memory, &source, &tables, &scene, &test_error));
    assert_null(sl_scene_render_values(scene, "splat"));
    sl_scene_destroy(scene);
}

/* With the tables of the real renderers. */
static SlStatus parse_render(const char *render, SlScene **scene)
{
    char text[1000];
    SlSceneTables tables = test_tables;
    tables.renderers = sl_renderer_tables(&tables.renderer_count);
    snprintf(text, sizeof text, HEAD WATER ", \"render\": {%s}}", render);
    SlSceneSource source = {"s.json", text, strlen(text), NULL, 0};
    return sl_scene_parse(&memory, &source, &tables, scene, &test_error);
}

static void expect_style(const char *render, const char *wanted)
{
    SlScene *scene;
    assert_ok(parse_render(render, &scene));
    if (strcmp(sl_scene_render_style(scene), wanted) != 0)
        fail_msg("{%s} has the style %s, not %s", render, sl_scene_render_style(scene), wanted);
    sl_scene_destroy(scene);
}

/* All choices, as the message about a wrong one lists them: each is read, and has a renderer that exists. */
static void every_style_is_read(void **state)
{
    (void)state;
    SlScene *scene;
    char choices[200], render[200], *rest = NULL;
    size_t renderers, styles = 0;
    const SlTable *const *tables = sl_renderer_tables(&renderers);
    assert_int_equal(parse_render("\"style\": \"oil\"", &scene), SL_ERROR_PARSE);
    const char *list = strstr(test_error.text, "it may be one of: ");
    assert_non_null(list);
    snprintf(choices, sizeof choices, "%s", list + strlen("it may be one of: "));
    for (char *style = strtok_r(choices, ", ", &rest); style != NULL;
         style = strtok_r(NULL, ", ", &rest), styles++) {
        snprintf(render, sizeof render, "\"style\": \"%s\"", style);
        expect_style(render, style);
        const char *renderer = sl_style_renderer(style);
        assert_non_null(renderer);
        if (strcmp(style, "auto") == 0)
            assert_string_equal(renderer, "");
        else
            assert_non_null(sl_table_named(tables, renderers, renderer));
    }
    assert_int_equal(styles, renderers + 1); /* auto, and one for each renderer */
    assert_null(sl_style_renderer("oil"));
    assert_null(sl_style_renderer(""));
    expect_style("", "auto");
    assert_ok(parse(plain_scene, NULL, 0, &scene));
    assert_string_equal(sl_scene_render_style(scene), "auto");
    sl_scene_destroy(scene);
}

/* A key that only one renderer has asks for its style; `style` itself has precedence. */
static void a_key_implies_its_style(void **state)
{
    (void)state;
    static const char *const styles[] = {"particles", "water", "final"};
    size_t count;
    const SlTable *const *tables = sl_renderer_tables(&count);
    for (size_t k = 0; k < 3; k++) {
        const SlTable *own = sl_table_named(tables, count, sl_style_renderer(styles[k]));
        const SlParamRow *only = NULL;
        for (size_t r = 0; only == NULL && r < own->row_count; r++) {
            size_t owners = 0;
            for (size_t t = 0; t < count; t++)
                owners += sl_table_find(tables[t], own->rows[r].name) != NULL;
            bool number = own->rows[r].type == SL_PARAM_NUMBER || own->rows[r].type == SL_PARAM_INTEGER;
            only = owners == 1 && number ? &own->rows[r] : NULL;
        }
        assert_non_null(only);
        char value[64], render[200];
        sl_param_print(only, &only->value, value, sizeof value);
        snprintf(render, sizeof render, "\"%s\": %s", only->name, value);
        expect_style(render, styles[k]);
        snprintf(render, sizeof render, "\"%s\": %s, \"style\": \"%s\"", only->name, value,
                 styles[(k + 1) % 3]);
        expect_style(render, styles[(k + 1) % 3]);
    }
}

#define SYSTEM(parameters_, blocks_)                                                               \
    HEAD "\"systems\": [{\"solver\": \"pbf\", \"parameters\": {" parameters_                       \
         "},\n\"blocks\": [" blocks_ "]}]}"
#define BLOCK "{\"min\": [0,0,0], \"max\": [1,1,1]}"
static const struct {
    const char *text, *message;
} bad_scenes[] = {
    {"[]", "s.json:1:1: found an array of 0, an object { … } is needed"},
    {"{}", "s.json:1:1: the scene needs the key \"domain\""},
    {HEAD "\"sytems\": []}", "s.json:2:1: unknown key \"sytems\"; did you mean \"systems\"?"},
    {HEAD "\"zzzzzz\": 1}", "s.json:2:1: unknown key \"zzzzzz\"; the scene may have: name, "},
    {HEAD "\"systems\": []}", "s.json:2:12: systems has 0 elements; it may have 1 to 16"},
    {HEAD "\"systems\": {}}", "s.json:2:12: found an object, an array is needed"},
    {HEAD "\"systems\": [3]}", "s.json:2:13: found the number 3, an object"},
    {HEAD "\"gravity\": [0,1]}", "s.json:2:12: found an array of 2, an array of three"},
    {HEAD "\"gravity\": [0,\"a\",1]}", "s.json:2:15: found text \"a\", a number is needed"},
    {HEAD "\"gravity\": [0,1e9,1]}", "s.json:2:15: gravity is 1e+09; it may be from -1000"},
    {HEAD "\"seed\": 1.5}", "s.json:2:9: seed takes an integer, not 1.5"},
    {HEAD "\"seed\": -1}", "s.json:2:9: seed is -1; it may be from 0"},
    {HEAD "\"name\": 3}", "s.json:2:9: found the number 3, text is needed"},
    {HEAD WATER ",\n\"time\": {\"frames\": 0}}", "s.json:4:20: frames is 0; it may be from 1"},
    {HEAD WATER ",\n\"time\": {\"frame_rate\": 0.5}}", "s.json:4:24: frame_rate is 0.5; it"},
    {"{\"domain\": {\"min\": [0,0,0]}, \"systems\": [{}]}",
     "s.json:1:12: the domain needs the key \"max\""},
    {"{\"domain\": {\"min\": [0,5,0], \"max\": [1,4,1]}, \"systems\": [{}]}",
     "s.json:1:20: min is not below max in y: 5 and 4"},
    {"{\"domain\": {\"min\": [0,0,0], \"max\": [1,1,2e6]}, \"systems\": [{}]}",
     "s.json:1:41: max is 2e+06; it may be from -1e+06 to 1e+06 m"},
    {HEAD "\"systems\": [{}]}", "s.json:2:13: a system needs the key \"solver\""},
    {HEAD "\"systems\": [{\"solver\": \"pfb\"}]}",
     "s.json:2:24: unknown solver \"pfb\"; did you mean \"pbf\"? It may be one of: pbf"},
    {HEAD "\"systems\": [{\"solver\": \"pbf\"}]}", "s.json:2:12: the scene has no particles"},
    {SYSTEM("\"viscocity\": 1", BLOCK),
     "s.json:2:46: unknown key \"viscocity\"; did you mean \"viscosity\"?"},
    {SYSTEM("\"iterations\": \"abc\"", BLOCK),
     "s.json:2:60: found text \"abc\", an integer is needed"},
    {SYSTEM("\"iterations\": 1000", BLOCK), "s.json:2:60: iterations is 1000; it may be from"},
    {SYSTEM("\"kernel\": \"cubik\"", BLOCK),
     "s.json:2:56: unknown kernel \"cubik\"; did you mean \"cubic\"?"},
    {SYSTEM("\"kernel\": \"gauss\"", BLOCK),
     "s.json:2:56: unknown kernel \"gauss\"; it may be one of: cubic, wendland, poly6"},
    {SYSTEM("\"sleepy\": 1", BLOCK), "s.json:2:56: found the number 1, true or false is"},
    {SYSTEM("\"spacing\": null", BLOCK), "s.json:2:57: found null, a number is needed"},
    {SYSTEM("", "{\"min\": [0,0,0]}"), "s.json:3:12: a block needs the key \"max\""},
    {SYSTEM("", "{\"min\": [0,0,0], \"max\": [5,1,1]}"),
     "s.json:3:12: the block reaches out of the domain, which is from (0, 0, 0) to (4, 3, 2)"},
    {SYSTEM("", "{\"min\": [1,1,1], \"max\": [0,2,2]}"), "s.json:3:20: min is not below max"},
    {SYSTEM("", "{\"min\": [0,0,0], \"max\": [1,1,0.04]}"),
     "s.json:3:12: the block is 0.04 m long in z, less than one spacing of 0.05 m"},
    {SYSTEM("", BLOCK ",\n{\"min\": [0.5,0.5,0.5], \"max\": [2,2,2]}"),
     "s.json:4:1: this block overlaps the block at s.json:3:12; blocks may only touch"},
    {HEAD WATER ",\n\"colliders\": [{\"radius\": 1}]}", "s.json:4:15: a collider needs the"},
    {HEAD WATER ",\n\"colliders\": [{\"shape\": \"cube\"}]}",
     "s.json:4:25: unknown shape \"cube\"; did you mean \"cone\"? It may be one of: plane, sphere"},
    {HEAD WATER ",\n\"colliders\": [{\"shape\": \"sphere\", \"center\": [0,0,0],"
                "\"radius\": -1}]}",
     "s.json:4:63: radius is -1; it may be from 1e-06 to 1e+06 m"},
    {HEAD WATER ",\n\"colliders\": [{\"shape\": \"sphere\", \"height\": 1}]}",
     "s.json:4:35: unknown key \"height\"; a sphere may have: name, shape, friction, sticky, motion, material, center"},
    {HEAD WATER ",\n\"colliders\": [{\"shape\": \"plane\", \"point\": [0,0,0],"
                "\"normal\": [0,0,0]}]}",
     "s.json:4:15: a plane: axis must be finite and not zero"},
    {HEAD WATER ",\n\"cameras\": [{\"eye\": [1,1,1], \"target\": [1,1,1]}]}",
     "s.json:4:13: camera: eye and target are the same point"},
    {HEAD WATER ",\n\"cameras\": [{\"eye\": [0,9,0], \"target\": [0,0,0]}]}",
     "s.json:4:13: camera: up points along the view direction"},
    {HEAD WATER ",\n\"cameras\": [{\"eye\": [0,9,1], \"target\": [0,0,0], \"fov\": 200}]}",
     "s.json:4:56: fov is 200; it may be from 1 to 170 degrees"},
    {HEAD WATER ",\n\"cameras\": [{\"name\": \"a\", \"eye\": [0,9,1], \"target\": [0,0,0]},\n"
                "{\"name\": \"a\", \"eye\": [0,9,1], \"target\": [0,0,0]}]}",
     "s.json:5:1: a camera called \"a\" is already at s.json:4:13"},
    {HEAD "\"systems\": [{\"name\": \"a name of more than thirty-one bytes\"}]}",
     "s.json:2:22: the name of a system has at most 31 bytes"},
    {HEAD WATER ",\n\"render\": {\"widht\": 3}}",
     "s.json:4:12: unknown key \"widht\"; did you mean \"width\"?"},
    {HEAD WATER ",\n\"render\": {\"background\": [0, 0, 2]}}",
     "s.json:4:33: background is 2; it may be from 0 to 1"},
    {HEAD WATER ",\n\"render\": 3}", "s.json:4:11: found the number 3, an object is needed"},
};

static void bad_scenes_are_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bad_scenes / sizeof bad_scenes[0]; k++) {
        SlScene *scene;
        SlStatus status = parse(bad_scenes[k].text, NULL, 0, &scene);
        assert_null(scene);
        expect_sentence(bad_scenes[k].text, status, SL_ERROR_PARSE, bad_scenes[k].message);
        assert_int_equal(memory.bytes_held, 0);
    }
}

static void overrides_set_values(void **state)
{
    (void)state;
    static const SlSceneOverride overrides[] = {
        {"time.frames", "10"},
        {"gravity", "[0,-1,0]"},
        {"gravity[1]", "-3"},
        {"name", "bare text, é"},
        {"systems[0].parameters.iterations", "6"},
        {"systems.water.parameters.kernel", "wendland"},
        {"systems.water.blocks[0].max[1]", " 2 "},
        {"systems.water.name", "\"sea\""},
        {"systems.sea.parameters.sleepy", "true"},
        {"render", "{\"width\": 640}"},
        {"domain.max", "[8, 8, 8]"},
    };
    SlScene *scene;
    assert_ok(parse(plain_scene, overrides, sizeof overrides / sizeof overrides[0], &scene));
    assert_int_equal(sl_scene_frames(scene), 10);
    assert_near(scene->gravity.y, -3, 0);
    assert_string_equal(sl_scene_name(scene), "bare text, é");
    assert_string_equal(scene->systems[0].name, "sea");
    assert_near(scene->blocks[0].def.max.y, 2, 0);
    assert_near(scene->domain.max.z, 8, 0);
    assert_near(sl_scene_render_values(scene, "splat")[0].number[0], 640, 0);
    assert_non_null(strstr(sl_scene_text(scene), "\"iterations\": 6"));
    assert_non_null(strstr(sl_scene_text(scene), "\"kernel\": \"wendland\""));
    assert_non_null(strstr(sl_scene_text(scene), "\"sleepy\": true"));

    /* The text holds what was set. */
    SlScene *again;
    assert_ok(parse(sl_scene_text(scene), NULL, 0, &again));
    assert_string_equal(sl_scene_text(scene), sl_scene_text(again));
    sl_scene_destroy(scene);
    sl_scene_destroy(again);
}

static void bad_overrides_are_refused(void **state)
{
    (void)state;
    static const struct {
        SlSceneOverride override;
        const char *message;
    } cases[] = {
        {{"", "1"}, "an override needs a path and a value"},
        {{"time.fames", "1"}, "override time.fames: unknown key \"fames\"; did you mean \"frames\"?"},
        {{"tme.frames", "1"}, "override tme.frames: unknown key \"tme\"; did you mean \"time\"?"},
        {{"time.frames", "0"}, "override time.frames: frames is 0; it may be from 1"},
        {{"time.frames", "lots"}, "override time.frames: found text \"lots\", an integer is"},
        {{"time.frames", "NaN"}, "override time.frames: found text \"NaN\", an integer is"},
        {{"time.frames", ""}, "override time.frames: found text \"\", an integer is needed"},
        {{"gravity", "[0, 1"}, "override gravity: character 6: the value ends inside the array"},
        {{"gravity", "[0, 1, 2] 3"}, "override gravity: character 11: found '3'; nothing may follow"},
        {{"render", "{\"a\":1,\"a\":2}"}, "override render: character 8: the key \"a\" is here twice"},
        {{"systems.watr.name", "x"},
         "override systems.watr.name: nothing in systems is called \"watr\"; did you mean \"water\"?"},
        {{"systems.qqqqqq.name", "x"},
         "override systems.qqqqqq.name: nothing in systems is called \"qqqqqq\"; an index such as"},
        {{"systems[3].name", "x"},
         "override systems[3].name: systems has 1 element, counted from 0; there is no [3]"},
        {{"systems[x]", "1"}, "override systems[x]: an integer and ']' are needed behind '['"},
        {{"systems[0", "1"}, "override systems[0: an integer and ']' are needed behind '['"},
        {{"systems[99999999999]", "1"}, "override systems[99999999999]: an integer"},
        {{"systems[0]name", "1"}, "override systems[0]name: '.' or '[' is needed between"},
        {{"domain[0]", "1"}, "override domain[0]: domain is not an array"},
        {{"render.light[1]", "1"},
         "override render.light[1]: the scene has no render.light; give it whole, as in render.light=["},
        {{"time..frames", "1"}, "override time..frames: a key of 1 to 63 bytes is needed"},
        {{".time", "1"}, "override .time: a key of 1 to 63 bytes is needed"},
        {{"time.", "1"}, "override time.: a key of 1 to 63 bytes is needed"},
        {{"systems.water.name.first", "1"},
         "override systems.water.name.first: systems.water.name is text \"water\", which has no"},
        {{"name", "\xFF"}, "override name: the value is not UTF-8"},
        {{"na\xFFme", "1"}, "override: the path is not UTF-8"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        SlScene *scene;
        SlStatus status = parse(plain_scene, &cases[k].override, 1, &scene);
        assert_null(scene);
        expect_sentence(cases[k].override.path, status, SL_ERROR_ARGUMENT, cases[k].message);
        assert_int_equal(memory.bytes_held, 0);
    }
}

static void an_override_cannot_go_too_deep(void **state)
{
    (void)state;
    char path[300] = "render", value[200];
    SlScene *scene;
    for (int k = 0; k < 40; k++)
        strcat(path, ".a");
    memset(value, '[', 40);
    memset(value + 40, ']', 40);
    value[80] = '\0';
    assert_int_equal(parse(plain_scene, &(SlSceneOverride){path, value}, 1, &scene),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "more than 64 arrays and objects inside"));
    for (int k = 0; k < 40; k++)
        strcat(path, ".a");
    assert_int_equal(parse(plain_scene, &(SlSceneOverride){path, "1"}, 1, &scene),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "a path has at most 63 parts"));
}

/* Every allocation of a reading may fail: then that is said, and nothing is left behind. */
static void *scarce_alloc(void *user, size_t bytes, size_t alignment)
{
    int *left = user;
    return (*left)-- > 0 ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
                         : NULL;
}

static void scarce_release(void *user, void *block, size_t bytes)
{
    (void)user, (void)bytes;
    free(block);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    static char text[20000];
    static const SlSceneOverride overrides[] = {{"time.frames", "3"}, {"name", "bare"}};
    size_t used = (size_t)snprintf(text, sizeof text, "%s", HEAD
                                   "\"colliders\": [{\"shape\": \"sphere\", \"center\": [1,1,1], "
                                   "\"radius\": 1}], \"systems\": [{\"solver\": \"pbf\", "
                                   "\"parameters\": {\"spacing\": 0.01}, \"blocks\": [");
    for (int k = 0; k < 100; k++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s{\"min\": [%g,0,0], \"max\": [%g,1,1]}", k > 0 ? "," : "",
                                 k * 0.02, k * 0.02 + 0.02);
    snprintf(text + used, sizeof text - used, "]}]}");
    SlStatus status = SL_ERROR_MEMORY;
    int allowed = 0;
    for (; status != SL_OK; allowed++) {
        int left = allowed;
        SlAllocator hooks = {scarce_alloc, scarce_release, &left};
        SlMemory scarce;
        SlScene *scene;
        sl_memory_init(&scarce, &hooks);
        SlSceneSource source = {"s.json", text, strlen(text), overrides, 2};
        status = sl_scene_parse(&scarce, &source, &test_tables, &scene, &test_error);
        if (status != SL_OK && status != SL_ERROR_MEMORY)
            fail_msg("after %d allocations: %s", allowed, test_error.text);
        sl_scene_destroy(scene);
        assert_int_equal(scarce.bytes_held, 0);
    }
    assert_true(allowed > 10);
}

static int nothing_is_left(void **state)
{
    (void)state;
    return memory.bytes_held == 0 ? 0 : -1;
}

int main(void)
{
    sl_memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_scene_gets_defaults),
        cmocka_unit_test(the_default_camera_frames_the_domain),
        cmocka_unit_test(a_full_scene_is_read),
        cmocka_unit_test(without_a_renderer_its_object_is_not_checked),
        cmocka_unit_test(every_style_is_read),
        cmocka_unit_test(a_key_implies_its_style),
        cmocka_unit_test(bad_scenes_are_refused),
        cmocka_unit_test(overrides_set_values),
        cmocka_unit_test(bad_overrides_are_refused),
        cmocka_unit_test(an_override_cannot_go_too_deep),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, nothing_is_left);
}
