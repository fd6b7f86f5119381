/* What every filter must do, and that `thin` keeps what it says. */
#include "core/hash.h"
#include "filters/filter.h"
#include "support/dam.h"

/* Everything a view shows of its particles and surfaces. */
static uint64_t hash_of(const SlFrameView *view)
{
    uint64_t hash = sl_hash(&view->time, sizeof view->time, view->frame);
    for (size_t s = 0; s < view->system_count; s++)
        for (size_t f = 0; f < view->systems[s].field_count; f++) {
            const SlFieldView *field = &view->systems[s].fields[f];
            for (size_t i = 0; i < field->count; i++)
                hash = sl_hash((const char *)field->data + i * field->stride,
                               4 * sl_field_lanes(field->type), hash);
        }
    for (size_t s = 0; s < view->surface_count; s++) {
        const SlSurfaceView *surface = &view->surfaces[s];
        hash = sl_hash(surface->positions, 12 * surface->vertex_count, hash);
        hash = sl_hash(surface->triangles, 12 * surface->triangle_count, hash);
    }
    return hash;
}

static void filters_describe_themselves(void **state)
{
    (void)state;
    size_t count;
    const SlTable *const *tables = sl_filter_tables(&count);
    assert_int_equal(count, sl_filter_kind_count);
    SlContext *context = test_context(1);
    for (size_t k = 0; k < count; k++) {
        assert_ptr_equal(tables[k], &sl_filter_kinds[k]->table);
        assert_string_equal(tables[k]->kind, "filter");
        assert_true(tables[k]->name[0] != '\0' && tables[k]->summary[0] != '\0');
        for (size_t j = 0; j < k; j++)
            assert_string_not_equal(tables[j]->name, tables[k]->name);
        SlParamValue values[64];
        assert_true(tables[k]->row_count <= 64);
        for (size_t r = 0; r < tables[k]->row_count; r++)
            values[r] = tables[k]->rows[r].value;
        assert_ok(sl_table_check(tables[k], values, &test_error)); /* defaults are in range */
        SlFilter *filter;
        assert_ok(sl_filter_create(context, tables[k]->name, values, &filter, &test_error));
        sl_filter_destroy(filter);
    }
    SlFilter *none;
    assert_int_equal(sl_filter_create(context, "thim", NULL, &none, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_null(none);
    assert_non_null(strstr(test_error.text, "thin"));
    sl_context_destroy(context);
}

/* An empty frame, then three frames: the input is left alone, and the same frames give the same
   outputs again. */
static void filters_are_repeatable(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 2, .nx = 6, .ny = 6, .nz = 6};
    for (size_t k = 0; k < sl_filter_kind_count; k++) {
        const char *name = sl_filter_kinds[k]->table.name;
        uint64_t first[3], second[3];
        for (int round = 0; round < 2; round++) {
            SlWorld *world = dam_create(&setting);
            SlContext *context = sl_world_context(world);
            SlFilter *filter;
            const SlFrameView *output;
            SlFrameView empty = {.frame = 3};
            assert_ok(sl_filter_create(context, name, NULL, &filter, &test_error));
            assert_ok(sl_filter_apply(filter, &empty, &output, &test_error));
            assert_int_equal(output->frame, 3);
            sl_filter_reset(filter);
            for (int frame = 0; frame < 3; frame++) {
                dam_advance(world, 1);
                const SlFrameView *view = sl_world_view(world);
                uint64_t before = hash_of(view);
                assert_ok(sl_filter_apply(filter, view, &output, &test_error));
                assert_true(hash_of(view) == before);
                (round == 0 ? first : second)[frame] = hash_of(output);
            }
            sl_filter_destroy(filter);
            sl_world_destroy(world);
        }
        assert_memory_equal(first, second, sizeof first);
    }
}

static void thin_keeps_every_nth(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 7, .ny = 7, .nz = 7};
    SlWorld *world = dam_create(&setting);
    dam_advance(world, 3);
    size_t count;
    const SlTable *table = sl_filter_tables(&count)[0];
    assert_string_equal(table->name, "thin");
    SlParamValue value = table->rows[0].value;
    assert_ok(sl_param_set_number(&table->rows[0], 5, &value, &test_error));
    SlFilter *filter;
    const SlFrameView *output, *view = sl_world_view(world);
    assert_ok(sl_filter_create(sl_world_context(world), "thin", &value, &filter, &test_error));
    assert_ok(sl_filter_apply(filter, view, &output, &test_error));
    const SlSystemView *all = &view->systems[0], *kept = &output->systems[0];
    assert_int_equal(kept->particle_count, 69); /* ids 0, 5, …, 340 */
    assert_int_equal(kept->field_count, all->field_count);
    assert_ptr_equal(output->cameras, view->cameras);
    SlFieldView id = sl_view_field(kept, "id"), x = sl_view_field(kept, "position");
    SlFieldView all_id = sl_view_field(all, "id"), all_x = sl_view_field(all, "position");
    size_t next = 0;
    for (size_t i = 0; i < all->particle_count; i++) {
        uint32_t number, found;
        memcpy(&number, (const char *)all_id.data + i * all_id.stride, 4);
        if (number % 5 != 0)
            continue;
        memcpy(&found, (const char *)id.data + next * id.stride, 4);
        assert_int_equal(found, number);
        assert_memory_equal((const char *)x.data + next * x.stride,
                            (const char *)all_x.data + i * all_x.stride, 12);
        next++;
    }
    assert_int_equal(next, kept->particle_count);
    value.number[0] = 0;
    SlFilter *bad;
    assert_int_equal(sl_filter_create(sl_world_context(world), "thin", &value, &bad, &test_error),
                     SL_ERROR_ARGUMENT);
    sl_filter_destroy(filter);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_describe_themselves),
        cmocka_unit_test(filters_are_repeatable),
        cmocka_unit_test(thin_keeps_every_nth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
