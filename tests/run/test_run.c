/* Run folders through the public API: what `sleet run` does, done by a program. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"
#include "run/folder.h"
#include "support/test.h"

static const char text[] =
    "{\"name\": \"Drop\", \"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]},\n"
    " \"time\": {\"frames\": 6, \"frame_rate\": 50},\n"
    " \"systems\": [{\"name\": \"water\", \"solver\": \"pbf\", \"parameters\": {\"spacing\": 0.1},\n"
    "   \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.4, 0.4, 0.4]}]}]}\n";

typedef struct Fixture {
    char folder[512], scene_path[600], out[600];
    SlContext *context;
    SlScene *scene;
} Fixture;

/* `set`: "PATH=VALUE" or NULL. */
static void set_up(Fixture *f, const char *name, const char *path, const char *value)
{
    f->context = test_context(1);
    test_folder(f->folder, sizeof f->folder, name);
    snprintf(f->scene_path, sizeof f->scene_path, "%s/drop.json", f->folder);
    snprintf(f->out, sizeof f->out, "%s/out", f->folder);
    assert_ok(sl_file_write(&f->context->file_layer, f->scene_path, text, strlen(text),
                            &test_error));
    SlSceneOptions options = sl_default_scene_options();
    SlSceneOverride set = {path, value};
    options.overrides = &set;
    options.override_count = path != NULL;
    assert_ok(sl_scene_read(f->context, f->scene_path, &options, &f->scene, &test_error));
}

static void tear_down(Fixture *f)
{
    sl_scene_destroy(f->scene);
    sl_context_destroy(f->context);
}

/* Runs to the end; returns the hash. */
static uint64_t run_all(Fixture *f, const SlRunDef *def)
{
    SlRun *run;
    assert_ok(sl_run_open(f->context, f->scene, def, &run, &test_error));
    while (!sl_run_is_done(run))
        assert_ok(sl_run_advance(run, &test_error));
    uint64_t hash = sl_world_hash(sl_run_world(run));
    assert_ok(sl_run_close(run, &test_error));
    return hash;
}

static SlRunDef def_of(const Fixture *f, SlRunMode mode)
{
    SlRunDef def = sl_default_run_def();
    def.folder = f->out;
    def.mode = mode;
    return def;
}

static void a_run_writes_what_it_promises(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, "run-writes", NULL, NULL);
    SlRunDef def = def_of(&f, SL_RUN_NEW);
    uint64_t hash = run_all(&f, &def);
    SlRunFolder *folder;
    size_t frames, checkpoints;
    assert_ok(sl_run_folder_open(f.context, f.out, &folder, &test_error));
    const uint64_t *numbers = sl_run_folder_frames(folder, &frames);
    assert_int_equal(7, frames);
    assert_int_equal(6, numbers[6]);
    assert_int_equal(6, sl_run_folder_checkpoints(folder, &checkpoints)[0]);
    assert_int_equal(1, checkpoints);
    assert_false(sl_run_folder_is_locked(folder));

    const SlRunInfo *info = sl_run_folder_info(folder);
    assert_non_null(info);
    assert_int_equal(SL_RUN_FINISHED, info->state);
    assert_string_equal("Drop", info->scene);
    assert_true(info->has_state_hash);
    assert_int_equal(hash, info->state_hash);
    assert_int_equal(6, info->frames);
    assert_int_equal(1, info->session_count);
    assert_string_equal("finished", info->sessions[0].end);
    assert_string_equal(sl_build_commit(), info->sessions[0].commit);
    assert_string_equal(sl_context_isa_name(f.context), info->sessions[0].path);
    assert_int_equal(1, info->sessions[0].threads);

    SlFrame *frame;
    assert_ok(sl_run_folder_read_frame(folder, 3, &frame, &test_error));
    assert_int_equal(3, sl_frame_view(frame)->frame);
    sl_frame_destroy(frame);
    SlRunVerification v;
    assert_ok(sl_run_folder_verify(folder, NULL, NULL, &v, &test_error));
    assert_int_equal(7, v.frames_intact);
    assert_int_equal(0, v.frames_damaged + v.frames_missing + v.checkpoints_damaged);
    sl_run_folder_close(folder);
    /* Nothing is held after a run but the context's scratch memory, which does not grow. */
    uint64_t held = sl_context_bytes_held(f.context);
    def.overwrite = true;
    assert_int_equal(hash, run_all(&f, &def));
    assert_int_equal(held, sl_context_bytes_held(f.context));
    tear_down(&f);
}

static bool stop_at(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    return stats->step < *(const uint64_t *)user;
}

static void a_stopped_run_resumes_with_the_same_bits(void **state)
{
    (void)state;
    Fixture f, g;
    SlRun *run;
    set_up(&f, "run-whole", NULL, NULL);
    SlRunDef def = def_of(&f, SL_RUN_NEW);
    uint64_t hash = run_all(&f, &def);

    set_up(&g, "run-stopped", NULL, NULL);
    uint64_t last_step = 6; /* of two a frame */
    def = def_of(&g, SL_RUN_NEW);
    def.on_step = stop_at;
    def.on_step_user = &last_step;
    assert_ok(sl_run_open(g.context, g.scene, &def, &run, &test_error));
    SlStatus status = SL_OK;
    while (status == SL_OK && !sl_run_is_done(run))
        status = sl_run_advance(run, &test_error);
    assert_int_equal(SL_ERROR_CANCELLED, status);
    /* The lock is held until the run is closed. */
    SlRun *second;
    SlRunDef resume = def_of(&g, SL_RUN_RESUME);
    assert_int_equal(SL_ERROR_IO,
                     sl_run_open(g.context, g.scene, &resume, &second, &test_error));
    assert_non_null(strstr(test_error.text, "another run is writing"));
    assert_ok(sl_run_close(run, &test_error));

    assert_int_equal(hash, run_all(&g, &resume));
    SlRunFolder *folder;
    assert_ok(sl_run_folder_open(g.context, g.out, &folder, &test_error));
    const SlRunInfo *info = sl_run_folder_info(folder);
    assert_int_equal(2, info->session_count);
    assert_string_equal("stopped", info->sessions[0].end);
    assert_string_equal("finished", info->sessions[1].end);
    assert_true(info->sessions[1].from_frame > 0);
    assert_int_equal(0, info->sessions[1].change_count);
    assert_int_equal(hash, info->state_hash);
    sl_run_folder_close(folder);
    tear_down(&f);
    tear_down(&g);
}

typedef struct Reports {
    int count;
    double last;
} Reports;

static bool stop_half_way(void *user, double fraction, const char *what)
{
    Reports *reports = user;
    if (strcmp(what, "run") != 0)
        return true;
    reports->count++;
    reports->last = fraction;
    return fraction < 0.5;
}

static void progress_is_reported_and_can_stop_a_run(void **state)
{
    (void)state;
    Fixture f;
    SlRun *run;
    set_up(&f, "run-progress", NULL, NULL);
    Reports reports = {0};
    f.context->hooks.progress = stop_half_way;
    f.context->hooks.user = &reports;
    SlRunDef def = def_of(&f, SL_RUN_NEW);
    assert_ok(sl_run_open(f.context, f.scene, &def, &run, &test_error));
    SlStatus status = SL_OK;
    while (status == SL_OK && !sl_run_is_done(run))
        status = sl_run_advance(run, &test_error);
    assert_int_equal(SL_ERROR_CANCELLED, status);
    assert_int_equal(3, reports.count);
    assert_near(reports.last, 0.5, 1e-12);
    assert_int_equal(3, sl_run_frame(run));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_run_advance(run, &test_error));
    assert_ok(sl_run_close(run, &test_error));
    char path[SL_RUN_FILE_PATH];
    sl_run_checkpoint_path(path, f.out, 3);
    assert_int_equal(0, access(path, R_OK));
    tear_down(&f);
}

static void results_are_not_replaced_unasked(void **state)
{
    (void)state;
    Fixture f, g;
    SlRun *run;
    set_up(&f, "run-kept", NULL, NULL);
    SlRunDef def = def_of(&f, SL_RUN_NEW);
    uint64_t hash = run_all(&f, &def);
    assert_int_equal(SL_ERROR_EXISTS, sl_run_open(f.context, f.scene, &def, &run, &test_error));
    assert_null(run);
    assert_non_null(strstr(test_error.text, "holds frames 0 to 6 of \"Drop\" (finished)"));
    assert_non_null(strstr(test_error.text, "resume it, overwrite it or choose another folder"));
    assert_null(strstr(test_error.text, "--")); /* no words of the command */
    def.overwrite = true;
    assert_int_equal(hash, run_all(&f, &def));

    /* Fewer frames of the same scene: complete, and the frames stay. */
    set_up(&g, "run-fewer", "time.frames", "2");
    memcpy(g.out, f.out, sizeof g.out);
    def = def_of(&g, SL_RUN_RESUME);
    assert_ok(sl_run_open(g.context, g.scene, &def, &run, &test_error));
    assert_true(sl_run_is_done(run));
    assert_true(sl_run_has_later_frames(run));
    assert_ok(sl_run_close(run, &test_error));
    SlRunFolder *folder;
    size_t frames;
    assert_ok(sl_run_folder_open(f.context, f.out, &folder, &test_error));
    (void)sl_run_folder_frames(folder, &frames);
    assert_int_equal(7, frames);
    assert_int_equal(6, sl_run_folder_info(folder)->frames);
    sl_run_folder_close(folder);
    tear_down(&g);

    /* Another value: frames after the checkpoint are of the scene before. */
    set_up(&g, "run-changed", "systems.water.parameters.viscosity", "0.3");
    memcpy(g.out, f.out, sizeof g.out);
    def = def_of(&g, SL_RUN_RESUME_AT);
    assert_int_equal(SL_ERROR_EXISTS, sl_run_open(g.context, g.scene, &def, &run, &test_error));
    def.overwrite = true;
    assert_true(hash != run_all(&g, &def));
    tear_down(&f);
    tear_down(&g);
}

static void missing_frames_are_listed_and_computed_again(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, "run-missing", NULL, NULL);
    SlRunDef def = def_of(&f, SL_RUN_NEW);
    uint64_t hash = run_all(&f, &def);
    char path[SL_RUN_FILE_PATH];
    for (uint64_t k = 2; k < 5; k++) {
        sl_run_frame_path(path, f.out, k);
        assert_int_equal(0, unlink(path));
    }
    SlRunFolder *folder;
    SlRunVerification v;
    assert_ok(sl_run_folder_open(f.context, f.out, &folder, &test_error));
    assert_ok(sl_run_folder_verify(folder, NULL, NULL, &v, &test_error));
    assert_int_equal(3, v.frames_missing);
    sl_run_folder_close(folder);
    def.mode = SL_RUN_RESUME_AT; /* frame 0 */
    assert_int_equal(hash, run_all(&f, &def));
    assert_ok(sl_run_folder_open(f.context, f.out, &folder, &test_error));
    assert_ok(sl_run_folder_verify(folder, NULL, NULL, &v, &test_error));
    assert_int_equal(0, v.frames_missing);
    assert_int_equal(7, v.frames_intact);
    sl_run_folder_close(folder);
    tear_down(&f);
}

static void lists_of_missing_frames_read_well(void **state)
{
    (void)state;
    uint64_t at[] = {0, 1, 2, 6, 8, 9};
    SlRunNumbers frames = {at, 6, 6};
    char list[300];
    assert_int_equal(4, sl_run_missing_frames(&frames, 1, 9, list, sizeof list));
    assert_string_equal("3 to 5, 7", list);
    assert_int_equal(6, sl_run_missing_frames(&frames, 1, 11, list, sizeof list));
    assert_string_equal("3 to 5, 7, 10 to 11", list);
    assert_int_equal(1, sl_run_missing_frames(&frames, 2, 8, list, sizeof list));
    assert_string_equal("4", list);
    frames.count = 0;
    assert_int_equal(1, sl_run_missing_frames(&frames, 5, 4, list, sizeof list));
    assert_string_equal("0", list);
    /* A list that does not fit ends in dots. */
    uint64_t even[200];
    for (uint64_t k = 0; k < 200; k++)
        even[k] = 2 * k;
    frames = (SlRunNumbers){even, 200, 200};
    assert_int_equal(199, sl_run_missing_frames(&frames, 1, 398, list, sizeof list));
    assert_string_equal("...", list + strlen(list) - 3);
}

static void records_read_back(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "run-record");
    snprintf(path, sizeof path, "%s/run.json", folder);
    SlContext *context = test_context(1);
    SlRunRecord record, back;
    sl_run_record_init(&record, context);
    sl_run_record_init(&back, context);
    const char *changes[] = {"a \"quoted\" \\ path: 1 → 2", "tab\there"};
    SlRunMesh mesh = {"/tmp/with \"quotes\".obj", 0xfedcba9876543210u};
    record.info.scene = "name\nof two lines";
    record.info.meshes = &mesh;
    record.info.mesh_count = 1;
    record.info.frames = 120;
    for (int k = 0; k < 100; k++)
        assert_non_null(sl_run_record_begin(&record, (uint64_t)k, changes, 2));
    assert_ok(sl_run_record_write(&record, path, &test_error));
    assert_ok(sl_run_record_read(&back, path, &test_error));
    assert_string_equal(record.info.scene, back.info.scene);
    assert_int_equal(120, back.info.frames);
    assert_int_equal(100, back.info.session_count);
    assert_int_equal(99, back.info.sessions[99].from_frame);
    assert_string_equal(changes[0], back.info.sessions[99].changes[0]);
    assert_string_equal(changes[1], back.info.sessions[3].changes[1]);
    assert_string_equal(mesh.file, back.info.meshes[0].file);
    assert_true(mesh.hash == back.info.meshes[0].hash);
    assert_false(back.info.has_state_hash);
    static const char *const broken[] = {"", "{", "[]", "{\"format\": 2}", "{\"format\": 1}",
                                         "{\"format\": 1, \"sessions\": [1, {}], \"meshes\": 3}"};
    for (int k = 0; k < 6; k++) {
        assert_ok(sl_file_write(&context->file_layer, path, broken[k], strlen(broken[k]),
                                &test_error));
        SlStatus status = sl_run_record_read(&back, path, &test_error);
        assert_int_equal(k < 4 ? SL_ERROR_PARSE : SL_OK, status);
    }
    sl_run_record_free(&record);
    sl_run_record_free(&back);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_writes_what_it_promises),
        cmocka_unit_test(a_stopped_run_resumes_with_the_same_bits),
        cmocka_unit_test(progress_is_reported_and_can_stop_a_run),
        cmocka_unit_test(results_are_not_replaced_unasked),
        cmocka_unit_test(missing_frames_are_listed_and_computed_again),
        cmocka_unit_test(lists_of_missing_frames_read_well),
        cmocka_unit_test(records_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
