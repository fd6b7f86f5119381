/* Results of filters in run folders: the same bits stored or made, damage, folders that cannot be written, and
   what runs do with them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "run/folder.h"
#include "support/test.h"

/* Water that falls into water: it splashes within a few frames. */
static const char text[] =
    "{\"name\": \"Splash\", \"domain\": {\"min\": [0, 0, 0], \"max\": [1.2, 2, 1.2]},\n"
    " \"time\": {\"frames\": 12, \"frame_rate\": 25},\n"
    " \"systems\": [{\"name\": \"water\", \"solver\": \"pbf\", \"parameters\": {\"spacing\": 0.1},\n"
    "   \"blocks\": [{\"min\": [0, 0, 0], \"max\": [1.2, 0.4, 1.2]},\n"
    "               {\"min\": [0.3, 0.6, 0.3], \"max\": [0.9, 1.4, 0.9]}]}]}\n";
enum { FRAMES = 13 };

typedef struct Fixture {
    char folder[512], scene_path[600], out[600];
    SlContext *context;
    SlRunFolder *run;
    int warnings;
    char last_warning[600];
} Fixture;

static void note_log(void *user, SlLogLevel level, const char *message)
{
    Fixture *f = user;
    if (level == SL_LOG_WARNING) {
        f->warnings++;
        snprintf(f->last_warning, sizeof f->last_warning, "%s", message);
    }
}

static void run_scene(Fixture *f, SlRunMode mode, bool overwrite)
{
    SlScene *scene;
    SlRun *run;
    SlSceneOptions options = sl_default_scene_options();
    assert_ok(sl_scene_read(f->context, f->scene_path, &options, &scene, &test_error));
    SlRunDef def = sl_default_run_def();
    def.folder = f->out;
    def.mode = mode;
    def.overwrite = overwrite;
    assert_ok(sl_run_open(f->context, scene, &def, &run, &test_error));
    while (!sl_run_is_done(run))
        assert_ok(sl_run_advance(run, &test_error));
    assert_ok(sl_run_close(run, &test_error));
    sl_scene_destroy(scene);
}

static void set_up(Fixture *f, const char *name)
{
    SlContextDef def = sl_default_context_def();
    memset(f, 0, sizeof *f);
    def.threads = 2;
    def.hooks.log = note_log;
    def.hooks.user = f;
    assert_ok(sl_context_create(&def, &f->context, &test_error));
    test_folder(f->folder, sizeof f->folder, name);
    snprintf(f->scene_path, sizeof f->scene_path, "%s/splash.json", f->folder);
    snprintf(f->out, sizeof f->out, "%s/out", f->folder);
    assert_ok(sl_file_write(&f->context->file_layer, f->scene_path, text, strlen(text),
                            &test_error));
    run_scene(f, SL_RUN_NEW, false);
    assert_ok(sl_run_folder_open(f->context, f->out, &f->run, &test_error));
}

static void tear_down(Fixture *f)
{
    sl_run_folder_close(f->run);
    sl_context_destroy(f->context);
}

/* Everything of systems and surfaces. */
static uint64_t hash_of(const SlFrameView *view)
{
    uint64_t hash = view->frame;
    for (size_t s = 0; s < view->system_count; s++)
        for (size_t k = 0; k < view->systems[s].field_count; k++) {
            const SlFieldView *field = &view->systems[s].fields[k];
            hash = sl_hash(field->name, strlen(field->name), hash);
            for (size_t i = 0; i < field->count; i++)
                hash = sl_hash((const char *)field->data + i * field->stride,
                               4 * sl_field_lanes(field->type), hash);
        }
    for (size_t s = 0; s < view->surface_count; s++) {
        const SlSurfaceView *surface = &view->surfaces[s];
        hash = sl_hash(surface->positions, 12 * surface->vertex_count, hash);
        hash = sl_hash(surface->normals, 12 * surface->vertex_count, hash);
        hash = sl_hash(surface->velocities, 12 * surface->vertex_count, hash);
        hash = sl_hash(surface->triangles, 12 * surface->triangle_count, hash);
    }
    return hash;
}

static SlRunFilter *open_filter(Fixture *f, const char *name, double size, SlRunFilter *after)
{
    size_t count;
    const SlTable *const *tables = sl_filter_tables(&count);
    const SlTable *table = sl_table_named(tables, count, name);
    SlParamValue values[64];
    SlRunFilter *filter;
    sl_table_defaults(table, values);
    if (size > 0)
        assert_ok(sl_table_set_number(table, values, "size", size, &test_error));
    assert_ok(sl_run_filter_open(f->run, name, values, after, &filter, &test_error));
    return filter;
}

/* Hashes of all frames, and how many were stored. */
static int filter_all(Fixture *f, const char *name, double size, uint64_t hashes[FRAMES])
{
    SlRunFilter *filter = open_filter(f, name, size, NULL);
    int stored = 0;
    for (uint64_t k = 0; k < FRAMES; k++) {
        const SlFrameView *view;
        assert_ok(sl_run_filter_frame(filter, k, &view, &test_error));
        assert_int_equal(view->frame, k);
        hashes[k] = hash_of(view);
        stored += sl_run_filter_was_stored(filter);
    }
    sl_run_filter_close(filter);
    return stored;
}

/* The path of the one folder of results. */
static void find_results(const Fixture *f, char path[900])
{
    char command[1200];
    snprintf(command, sizeof command, "ls -d %s/filters/*-*", f->out);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    assert_non_null(fgets(path, 900, list));
    path[strcspn(path, "\n")] = '\0';
    pclose(list);
}

static void stored_results_have_the_same_bits(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, "filter-stored");
    static const char *const names[] = {"whitewater", "surface", "thin"};
    for (int k = 0; k < 3; k++) {
        uint64_t made[FRAMES], stored[FRAMES];
        assert_int_equal(filter_all(&f, names[k], 0, made), 0);
        assert_int_equal(filter_all(&f, names[k], 0, stored), FRAMES);
        assert_memory_equal(made, stored, sizeof made);
    }
    /* It has splashed: the results are not all empty. */
    SlRunFilter *filter = open_filter(&f, "whitewater", 0, NULL);
    const SlFrameView *view;
    assert_ok(sl_run_filter_frame(filter, 12, &view, &test_error));
    assert_true(sl_view_system(view, "whitewater")->particle_count > 20);
    assert_non_null(sl_view_system(view, "water"));
    sl_run_filter_close(filter);
    assert_int_equal(f.warnings, 0);
    tear_down(&f);
}

/* Nothing is stored on demand; what is stored already is used. */
static void storing_can_be_skipped(void **state)
{
    (void)state;
    Fixture f;
    char path[900];
    const SlFrameView *view;
    uint64_t all[FRAMES];
    set_up(&f, "filter-skipped");
    SlRunFilter *filter = open_filter(&f, "whitewater", 0, NULL);
    sl_run_filter_skip_storing(filter);
    assert_ok(sl_run_filter_frame(filter, 9, &view, &test_error));
    uint64_t made = hash_of(view);
    sl_run_filter_close(filter);
    snprintf(path, sizeof path, "%s/filters", f.out);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(filter_all(&f, "whitewater", 0, all), 0);
    assert_true(made == all[9]);
    filter = open_filter(&f, "whitewater", 0, NULL);
    sl_run_filter_skip_storing(filter);
    assert_ok(sl_run_filter_frame(filter, 9, &view, &test_error));
    assert_true(sl_run_filter_was_stored(filter) && hash_of(view) == made);
    sl_run_filter_close(filter);
    assert_int_equal(f.warnings, 0);
    tear_down(&f);
}

/* In any order, stopped and continued: the same as from the first frame on. */
static void order_does_not_matter(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, "filter-order");
    const SlFrameView *view;
    static const uint64_t order[] = {9, 4, 9, 12, 2};
    uint64_t seen[5], all[FRAMES];
    for (int k = 0; k < 5; k++) {
        SlRunFilter *filter = open_filter(&f, "whitewater", 0, NULL);
        assert_ok(sl_run_filter_frame(filter, order[k], &view, &test_error));
        assert_int_equal(sl_run_filter_was_stored(filter), k == 1 || k == 2 || k == 4);
        seen[k] = hash_of(view);
        assert_ok(sl_run_filter_frame(filter, order[k], &view, &test_error)); /* again */
        assert_true(hash_of(view) == seen[k]);
        sl_run_filter_close(filter);
    }
    char command[1200];
    snprintf(command, sizeof command, "rm -r %s/filters", f.out);
    assert_int_equal(system(command), 0);
    assert_int_equal(filter_all(&f, "whitewater", 0, all), 0);
    for (int k = 0; k < 5; k++)
        assert_true(seen[k] == all[order[k]]);
    tear_down(&f);
}

/* Other settings, and a filter behind another, are stored beside it. */
static void settings_have_results_of_their_own(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, "filter-settings");
    uint64_t one[FRAMES], two[FRAMES], again[FRAMES];
    assert_int_equal(filter_all(&f, "whitewater", 0, one), 0);
    assert_int_equal(filter_all(&f, "whitewater", 0.004, two), 0);
    assert_true(one[12] != two[12]);
    assert_int_equal(filter_all(&f, "whitewater", 0, again), FRAMES);
    assert_memory_equal(one, again, sizeof one);
    for (int round = 0; round < 2; round++) {
        SlRunFilter *surface = open_filter(&f, "surface", 0, NULL);
        SlRunFilter *both = open_filter(&f, "whitewater", 0, surface);
        const SlFrameView *view;
        for (uint64_t k = 10; k < FRAMES; k++) {
            assert_ok(sl_run_filter_frame(both, k, &view, &test_error));
            assert_int_equal(sl_run_filter_was_stored(both), round);
            assert_int_equal(view->surface_count, 1);
            assert_int_equal(view->system_count, 2);
        }
        sl_run_filter_close(both);
        sl_run_filter_close(surface);
    }
    tear_down(&f);
}

static void damaged_results_are_made_anew(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, "filter-damaged");
    uint64_t made[FRAMES], again[FRAMES];
    char results[900], path[1000];
    filter_all(&f, "whitewater", 0, made);
    find_results(&f, results);
    snprintf(path, sizeof path, "%s/frame_000005.slf", results);
    assert_int_equal(truncate(path, 300), 0);
    snprintf(path, sizeof path, "%s/frame_000009.slf", results);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, -1, SEEK_END);
    int last = fgetc(file);
    fseek(file, -1, SEEK_END);
    fputc(last ^ 1, file);
    fclose(file);
    assert_int_equal(filter_all(&f, "whitewater", 0, again), FRAMES - 2);
    assert_memory_equal(made, again, sizeof made);
    assert_int_equal(f.warnings, 2);
    assert_int_equal(filter_all(&f, "whitewater", 0, again), FRAMES);
    tear_down(&f);
}

/* A frame that has changed has another result, and so have those after it. */
static void changed_frames_are_noticed(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, "filter-changed");
    uint64_t made[FRAMES], again[FRAMES];
    char path[700];
    filter_all(&f, "whitewater", 0, made);
    SlFrame *frame;
    assert_ok(sl_run_folder_read_frame(f.run, 10, &frame, &test_error));
    SlFrameView changed = *sl_frame_view(frame);
    changed.gravity.y = -5;
    snprintf(path, sizeof path, "%s/frame_000010.slf", f.out);
    assert_ok(sl_frame_write(f.context, path, &changed, &test_error));
    sl_frame_destroy(frame);
    assert_int_equal(filter_all(&f, "whitewater", 0, again), 10);
    assert_memory_equal(made, again, 10 * sizeof made[0]);
    assert_true(made[12] != again[12]);
    /* A damaged frame is an error where it is asked for, and else passed over. */
    assert_int_equal(truncate(path, 200), 0);
    SlRunFilter *filter = open_filter(&f, "whitewater", 0.004, NULL);
    const SlFrameView *view;
    assert_ok(sl_run_filter_frame(filter, 12, &view, &test_error));
    assert_true(f.warnings > 0);
    assert_int_equal(sl_run_filter_frame(filter, 10, &view, &test_error), SL_ERROR_PARSE);
    assert_null(view);
    assert_ok(sl_run_filter_frame(filter, 11, &view, &test_error));
    sl_run_filter_close(filter);
    tear_down(&f);
}

/* Asked for in order, damaged frames are errors, and the others are as if those did not exist; the log has
   nothing to add. */
static void damaged_frames_are_passed_over(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, "filter-passed-over");
    static const uint64_t damaged[] = {0, 5, 6};
    uint64_t seen[FRAMES] = {0};
    const SlFrameView *view;
    char path[700];
    SlRunFilter *filter = open_filter(&f, "whitewater", 0, NULL);
    SlRunFilter *surface = open_filter(&f, "surface", 0, NULL);
    assert_true(sl_run_filter_reads_previous(filter));
    assert_false(sl_run_filter_reads_previous(surface));
    sl_run_filter_close(surface);
    sl_run_filter_skip_storing(filter);
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/frame_%06d.slf", f.out, (int)damaged[k]);
        assert_int_equal(truncate(path, 200), 0);
    }
    for (uint64_t k = 0; k < FRAMES; k++) {
        bool good = k != 0 && k != 5 && k != 6;
        SlStatus status = sl_run_filter_frame(filter, k, &view, &test_error);
        assert_int_equal(status, good ? SL_OK : SL_ERROR_PARSE);
        if (good)
            seen[k] = hash_of(view);
        else
            assert_null(view);
    }
    sl_run_filter_close(filter);
    assert_int_equal(f.warnings, 0);
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/frame_%06d.slf", f.out, (int)damaged[k]);
        assert_int_equal(unlink(path), 0);
    }
    assert_ok(sl_run_folder_refresh(f.run, &test_error));
    filter = open_filter(&f, "whitewater", 0, NULL);
    static const uint64_t order[] = {4, 7, 12, 9}; /* a filter continues from its own last result, or begins again */
    sl_run_filter_skip_storing(filter);
    for (int k = 0; k < 4; k++) {
        assert_ok(sl_run_filter_frame(filter, order[k], &view, &test_error));
        assert_true(hash_of(view) == seen[order[k]]);
    }
    assert_true(sl_view_system(view, "whitewater")->particle_count > 0);
    sl_run_filter_close(filter);
    tear_down(&f);
}

static ssize_t full_disk(void *user, int descriptor, const void *data, size_t bytes)
{
    (void)user, (void)descriptor, (void)data, (void)bytes;
    errno = ENOSPC;
    return -1;
}

static void folders_that_cannot_be_written_give_results(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, "filter-readonly");
    uint64_t made[FRAMES], again[FRAMES];
    char path[700];
    snprintf(path, sizeof path, "%s/filters", f.out);
    /* A file in its place, for tests run by root, whom permissions do not stop. */
    assert_ok(sl_file_write(&f.context->file_layer, path, "", 0, &test_error));
    assert_int_equal(filter_all(&f, "whitewater", 0, made), 0);
    assert_int_equal(f.warnings, 1);
    assert_non_null(strstr(f.last_warning, "cannot be stored"));
    assert_int_equal(unlink(path), 0);
    SlFileLayer real = f.context->file_layer;
    f.context->file_layer.write = full_disk;
    assert_int_equal(filter_all(&f, "whitewater", 0, again), 0);
    f.context->file_layer = real;
    assert_int_equal(f.warnings, 2);
    assert_memory_equal(made, again, sizeof made);
    tear_down(&f);
}

static void runs_know_the_folder(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, "filter-runs");
    uint64_t made[FRAMES];
    char path[700];
    SlRunVerification v;
    filter_all(&f, "whitewater", 0, made);
    snprintf(path, sizeof path, "%s/filters", f.out);
    assert_ok(sl_run_folder_verify(f.run, NULL, NULL, &v, &test_error));
    assert_int_equal(v.frames_intact, FRAMES);
    assert_int_equal(v.frames_damaged + v.frames_missing, 0);
    run_scene(&f, SL_RUN_RESUME, false); /* nothing to do: it stays */
    assert_true(sl_folder_exists(path));
    assert_int_equal(filter_all(&f, "whitewater", 0, made), FRAMES);
    run_scene(&f, SL_RUN_NEW, true);
    assert_false(sl_folder_exists(path));
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_results_have_the_same_bits),
        cmocka_unit_test(storing_can_be_skipped),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(settings_have_results_of_their_own),
        cmocka_unit_test(damaged_results_are_made_anew),
        cmocka_unit_test(changed_frames_are_noticed),
        cmocka_unit_test(damaged_frames_are_passed_over),
        cmocka_unit_test(folders_that_cannot_be_written_give_results),
        cmocka_unit_test(runs_know_the_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
