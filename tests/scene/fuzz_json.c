/* libFuzzer target: any bytes as a scene, and as `--set path=value` where they begin with '!'.
   Beyond not crashing, a document that is read must write to a text that reads back the same, and
   nothing may be left in memory. clang -fsanitize=fuzzer,address,undefined */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "scene/tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char plain_scene[] =
    "{\"domain\": {\"min\": [0,0,0], \"max\": [4,3,2]}, \"systems\": [{\"name\": \"water\","
    "\"solver\": \"pbf\", \"blocks\": [{\"min\": [0,0,0], \"max\": [1,1,1]}]}]}";

static void check_round_trip(SlMemory *memory, const SlJson *json)
{
    char *text, *again;
    size_t size, again_size;
    SlJson copy;
    SL_ASSERT(sl_json_write(json, memory, &text, &size, NULL) == SL_OK);
    SL_ASSERT(sl_json_read(memory, "copy", text, size - 1, &copy, NULL) == SL_OK);
    SL_ASSERT(sl_json_write(&copy, memory, &again, &again_size, NULL) == SL_OK);
    SL_ASSERT(size == again_size && memcmp(text, again, size) == 0);
    sl_free(memory, text, size);
    sl_free(memory, again, again_size);
    sl_json_free(&copy);
}

static void read_scene(SlMemory *memory, const char *text, size_t size,
                       const SlSceneOverride *override, bool render)
{
    SlError error = {SL_OK, ""};
    SlScene *scene;
    SlSceneTables tables = test_tables;
    tables.renderer_count = render;
    SlSceneSource source = {"fuzz", text, size, override, override != NULL};
    SlStatus status = sl_scene_parse(memory, &source, &tables, &scene, &error);
    SL_ASSERT((status == SL_OK) == (scene != NULL));
    SL_ASSERT(status == SL_OK || (error.status == status && error.text[0] != '\0'));
    if (scene != NULL)
        check_round_trip(memory, &scene->json);
    sl_scene_destroy(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SlMemory memory;
    sl_memory_init(&memory, NULL);
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    if (text[0] == '!') {
        char *equals = strchr(text, '=');
        if (equals != NULL) {
            *equals = '\0';
            SlSceneOverride override = {text + 1, equals + 1};
            read_scene(&memory, plain_scene, strlen(plain_scene), &override, false);
        }
    } else {
        SlJson json;
        if (sl_json_read(&memory, "fuzz", text, size, &json, NULL) == SL_OK)
            check_round_trip(&memory, &json);
        sl_json_free(&json);
        read_scene(&memory, text, size, NULL, true);
    }
    SL_ASSERT(memory.bytes_held == 0);
    free(text);
    return 0;
}
