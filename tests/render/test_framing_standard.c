/* The framing of every scene in scenes/ has its domain in the picture and, where that is open, all of its
   particles. Worlds are made only of the latter: distance fields of meshes take long. */
#include <dirent.h>

#include "support/test.h"

#include "math/camera.h"
#include "render/stage/stage.h"
#include "scene/scene.h"

static bool in_picture(const SlCameraFrame *frame, SlVec3 point)
{
    SlVec3 v = sl_camera_to_view(frame, point);
    float x = frame->center_x + frame->focal * v.x / v.z;
    float y = frame->center_y - frame->focal * v.y / v.z;
    return v.z > 0 && x >= 0 && x <= 1280 && y >= 0 && y <= 720;
}

static void check_view(const char *name, const SlFrameView *view)
{
    SlCamera camera = sl_view_framing(view, 1280, 720);
    SlCameraFrame frame = sl_camera_frame(&camera, 1280, 720);
    SlBox scene = sl_stage_box(view);
    size_t particles = 0, outside = 0;
    for (int k = 0; k < 8; k++) {
        SlVec3 corner = {k & 1 ? scene.max.x : scene.min.x, k & 2 ? scene.max.y : scene.min.y,
                         k & 4 ? scene.max.z : scene.min.z};
        if (!in_picture(&frame, corner))
            fail_msg("%s: a corner of the scene is not in the picture", name);
    }
    for (size_t s = 0; s < view->system_count; s++) {
        SlFieldView field = sl_view_field(&view->systems[s], "position");
        for (size_t i = 0; i < field.count; i++) {
            SlVec3 p;
            memcpy(&p, (const char *)field.data + i * field.stride, sizeof p);
            outside += !in_picture(&frame, p);
            particles++;
        }
    }
    if (outside > 0)
        fail_msg("%s: %zu of %zu particles are not in the picture", name, outside, particles);
}

static void framing_has_every_scene_in_the_picture(void **state)
{
    (void)state;
    const char *source = getenv("SLEET_SOURCE");
    char folder[900], path[1200];
    snprintf(folder, sizeof folder, "%s/scenes", source != NULL ? source : ".");
    DIR *files = opendir(folder);
    assert_non_null(files);
    SlContext *context = test_context(2);
    size_t checked = 0, open_domains = 0;
    for (struct dirent *entry; (entry = readdir(files)) != NULL;) {
        if (strstr(entry->d_name, ".json") == NULL)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        SlSceneOptions options = sl_default_scene_options();
        SlScene *scene;
        SlWorld *world;
        SlStatus status = sl_scene_read(context, path, &options, &scene, &test_error);
        if (status != SL_OK && strstr(test_error.text, "no such") != NULL) {
            print_message("SKIPPED: framing of %s: %s\n", entry->d_name, test_error.text);
            continue; /* meshes of its own, which were not made */
        }
        if (status != SL_OK)
            fail_msg("%s: %s", path, test_error.text);
        SlFrameView domain = {.domain = scene->domain};
        if (sl_stage_is_open(&domain)) {
            SlWorldDef def = sl_default_world_def();
            def.context = context;
            assert_ok(sl_scene_build(scene, &def, &world, &test_error));
            assert_ok(sl_world_start(world, &test_error));
            check_view(entry->d_name, sl_world_view(world));
            sl_world_destroy(world);
            open_domains++;
        } else {
            check_view(entry->d_name, &domain);
        }
        checked++;
        sl_scene_destroy(scene);
    }
    closedir(files);
    assert_true(checked >= 8 && open_domains >= 2);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(framing_has_every_scene_in_the_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
