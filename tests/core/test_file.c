/* Whole files: a final name only ever shows a whole file, whatever fails on the way. */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

static char folder[512], target[600];

static int make_folder(void **state)
{
    (void)state;
    test_folder(folder, sizeof folder, "core_file");
    snprintf(target, sizeof target, "%s/target.bin", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(target);
    return rmdir(folder);
}

static int files_in_folder(void)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(listing);
    return count;
}

static void assert_content(const char *expected, size_t bytes)
{
    SlMemory memory;
    sl_memory_init(&memory, NULL);
    char *data;
    size_t got;
    assert_ok(sl_file_read(&memory, target, 1 << 20, &data, &got, &test_error));
    assert_int_equal(got, bytes);
    assert_memory_equal(data, expected, bytes);
    assert_int_equal(data[got], 0);
    sl_free(&memory, data, got + 1);
    assert_int_equal(atomic_load(&memory.bytes_held), 0);
}

/* A disk that takes `room` bytes, a few at a time, interrupted now and then; then fails. */
typedef struct BadDisk {
    size_t room;
    int error; /* 0: write returns 0 instead of failing */
    bool sync_fails, rename_fails;
    int calls;
} BadDisk;

static ssize_t bad_write(void *user, int descriptor, const void *data, size_t bytes)
{
    BadDisk *disk = user;
    if (disk->calls++ % 3 == 1) {
        errno = EINTR;
        return -1;
    }
    if (disk->room == 0) {
        errno = disk->error;
        return disk->error != 0 ? -1 : 0;
    }
    size_t part = bytes < 5 ? bytes : 5;
    part = part < disk->room ? part : disk->room;
    disk->room -= part;
    return write(descriptor, data, part);
}

static int bad_sync(void *user, int descriptor)
{
    errno = EIO;
    return ((BadDisk *)user)->sync_fails ? -1 : fsync(descriptor);
}

static int bad_rename(void *user, const char *from, const char *to)
{
    errno = EXDEV;
    return ((BadDisk *)user)->rename_fails ? -1 : rename(from, to);
}

static SlFileLayer layer_of(BadDisk *disk)
{
    return (SlFileLayer){bad_write, bad_sync, bad_rename, disk};
}

static void writes_and_replaces(void **state)
{
    (void)state;
    SlFileLayer real = sl_file_layer_real();
    assert_ok(sl_file_write(&real, target, "first", 5, &test_error));
    assert_content("first", 5);
    assert_ok(sl_file_write(&real, target, "the second one", 14, &test_error));
    assert_content("the second one", 14);
    assert_ok(sl_file_write(&real, target, "", 0, &test_error));
    assert_content("", 0);
    assert_int_equal(files_in_folder(), 1);
    unlink(target);
}

static void parts_show_only_when_committed(void **state)
{
    (void)state;
    SlFileLayer real = sl_file_layer_real();
    SlFileWriter writer;
    assert_ok(sl_file_begin(&real, target, &writer, &test_error));
    assert_ok(sl_file_append(&writer, "one ", 4, &test_error));
    assert_ok(sl_file_append(&writer, "two", 3, &test_error));
    assert_int_equal(writer.bytes, 7);
    assert_int_equal(access(target, F_OK), -1);
    assert_ok(sl_file_commit(&writer, &test_error));
    assert_content("one two", 7);

    assert_ok(sl_file_begin(&real, target, &writer, &test_error));
    assert_ok(sl_file_append(&writer, "never", 5, &test_error));
    sl_file_abandon(&writer);
    assert_content("one two", 7);
    assert_int_equal(files_in_folder(), 1);
    unlink(target);
}

static void check_failure(BadDisk disk, const char *words)
{
    static const char text[] = "forty bytes of text, or a few more of it";
    for (int old = 0; old < 2; old++) {
        SlFileLayer real = sl_file_layer_real();
        if (old)
            assert_ok(sl_file_write(&real, target, "old", 3, &test_error));
        BadDisk used = disk;
        SlFileLayer layer = layer_of(&used);
        SlError error = {0};
        assert_int_equal(sl_file_write(&layer, target, text, sizeof text, &error), SL_ERROR_IO);
        assert_non_null(strstr(error.text, target));
        assert_non_null(strstr(error.text, words));
        if (old)
            assert_content("old", 3);
        assert_int_equal(files_in_folder(), old);
        unlink(target);
    }
}

static void nothing_half_written_is_left(void **state)
{
    (void)state;
    for (size_t room = 0; room < 40; room++) {
        check_failure((BadDisk){.room = room, .error = EIO}, strerror(EIO));
        check_failure((BadDisk){.room = room, .error = 0}, strerror(ENOSPC));
    }
    check_failure((BadDisk){.room = 1000, .sync_fails = true}, "synced");
    check_failure((BadDisk){.room = 1000, .rename_fails = true}, "name");
}

static void short_and_interrupted_writes_are_whole(void **state)
{
    (void)state;
    char text[997];
    for (size_t k = 0; k < sizeof text; k++)
        text[k] = (char)(k * 31);
    BadDisk disk = {.room = 1000};
    SlFileLayer layer = layer_of(&disk);
    assert_ok(sl_file_write(&layer, target, text, sizeof text, &test_error));
    assert_content(text, sizeof text);
    unlink(target);
}

static void unwritable_places_are_named(void **state)
{
    (void)state;
    SlFileLayer real = sl_file_layer_real();
    char path[2000];
    SlError error;
    snprintf(path, sizeof path, "%s/no/such/folder/file", folder);
    assert_int_equal(sl_file_write(&real, path, "x", 1, &error), SL_ERROR_IO);
    assert_non_null(strstr(error.text, path));
    /* Onto a folder. */
    assert_int_equal(sl_file_write(&real, folder, "x", 1, &error), SL_ERROR_IO);
    assert_int_equal(files_in_folder(), 0);
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(sl_file_write(&real, path, "x", 1, &error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "too long"));
    /* Without an SlError too. */
    assert_int_equal(sl_file_write(&real, path, "x", 1, NULL), SL_ERROR_ARGUMENT);
}

static void expect_unreadable(const char *path, uint64_t most, const char *words)
{
    SlMemory memory;
    sl_memory_init(&memory, NULL);
    char *data = (char *)&memory;
    size_t bytes = 9;
    SlError error;
    assert_int_equal(sl_file_read(&memory, path, most, &data, &bytes, &error), SL_ERROR_IO);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, words));
    assert_null(data);
    assert_int_equal(bytes, 0);
    assert_int_equal(atomic_load(&memory.bytes_held), 0);
}

static void unreadable_files_are_refused(void **state)
{
    (void)state;
    expect_unreadable(target, 100, strerror(ENOENT));
    expect_unreadable(folder, 100, "folder");
    expect_unreadable("/dev/zero", 100, "ordinary");
    SlFileLayer real = sl_file_layer_real();
    assert_ok(sl_file_write(&real, target, "12345", 5, &test_error));
    expect_unreadable(target, 4, "at most 4");
    unlink(target);
    /* A pipe without a writer must not hang the reader. */
    assert_int_equal(mkfifo(target, 0600), 0);
    expect_unreadable(target, 100, "ordinary");
    unlink(target);
}

static void exactly_the_limit_is_read(void **state)
{
    (void)state;
    SlFileLayer real = sl_file_layer_real();
    assert_ok(sl_file_write(&real, target, "12345", 5, &test_error));
    SlMemory memory;
    sl_memory_init(&memory, NULL);
    char *data;
    size_t bytes;
    assert_ok(sl_file_read(&memory, target, 5, &data, &bytes, &test_error));
    assert_string_equal(data, "12345");
    sl_free(&memory, data, bytes + 1);
    unlink(target);
}

static void folders_are_made(void **state)
{
    (void)state;
    char path[700], inner[800];
    snprintf(path, sizeof path, "%s/a", folder);
    snprintf(inner, sizeof inner, "%s/b/c/", path);
    assert_ok(sl_folder_make(inner, &test_error));
    assert_ok(sl_folder_make(inner, &test_error));
    assert_int_equal(rmdir(inner), 0);
    snprintf(inner, sizeof inner, "%s/b", path);
    assert_int_equal(rmdir(inner), 0);
    assert_int_equal(rmdir(path), 0);

    SlError error;
    SlFileLayer real = sl_file_layer_real();
    assert_ok(sl_file_write(&real, target, "x", 1, &test_error));
    assert_int_equal(sl_folder_make(target, &error), SL_ERROR_IO);
    assert_non_null(strstr(error.text, "is a file"));
    snprintf(inner, sizeof inner, "%s/below", target);
    assert_int_equal(sl_folder_make(inner, &error), SL_ERROR_IO);
    assert_int_equal(sl_folder_make("", &error), SL_ERROR_ARGUMENT);
    unlink(target);
}

int main(void)
{
    alarm(120); /* a hang is a failure */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_and_replaces),
        cmocka_unit_test(parts_show_only_when_committed),
        cmocka_unit_test(nothing_half_written_is_left),
        cmocka_unit_test(short_and_interrupted_writes_are_whole),
        cmocka_unit_test(unwritable_places_are_named),
        cmocka_unit_test(unreadable_files_are_refused),
        cmocka_unit_test(exactly_the_limit_is_read),
        cmocka_unit_test(folders_are_made),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
