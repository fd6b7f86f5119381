/* Tables for tests of the scene room that need no solver: the rows the checks are tried on. */
#ifndef TESTS_SCENE_TABLES_H
#define TESTS_SCENE_TABLES_H

#include "scene/scene.h"

static const SlParamRow test_solver_rows[] = {
    {"spacing", SL_PARAM_NUMBER, {{0.05}, ""}, 1e-4, 100, "m", NULL, "distance at rest"},
    {"iterations", SL_PARAM_INTEGER, {{4}, ""}, 1, 100, "", NULL, "per step"},
    {"kernel", SL_PARAM_CHOICE, {{0}, ""}, 0, 2, "", "cubic|wendland|poly6", "kernel"},
    {"viscosity", SL_PARAM_NUMBER, {{0}, ""}, 0, 1, "", NULL, "viscosity"},
    {"sleepy", SL_PARAM_BOOL, {{0}, ""}, 0, 1, "", NULL, "may rest"},
};
static const SlTable test_solver = {"pbf", "solver", "", "", test_solver_rows, 5};
static const SlTable *const test_solvers[] = {&test_solver};

static const SlParamRow test_render_rows[] = {
    {"width", SL_PARAM_INTEGER, {{1280}, ""}, 16, 8192, "pixels", NULL, "picture"},
    {"background", SL_PARAM_VEC3, {{1, 1, 1}, ""}, 0, 1, "", NULL, "colour"},
    {"field", SL_PARAM_TEXT, {{0}, "speed"}, 0, 0, "", NULL, "what is coloured"},
};
static const SlTable test_renderer = {"splat", "renderer", "", "", test_render_rows, 3};

static const SlTable *const test_renderers[] = {&test_renderer};

static const SlParamRow test_wind_rows[] = {
    {"velocity", SL_PARAM_VEC3, {{0, 0, 0}, ""}, -100, 100, "m/s", NULL, "of the air"},
    {"drag", SL_PARAM_NUMBER, {{1}, ""}, 0, 10, "1/s", NULL, "drag"},
};
static const SlTable test_wind = {"wind", "force field", "", "", test_wind_rows, 2};
static const SlTable *const test_force_fields[] = {&test_wind};

static const SlSceneTables test_tables = {.solvers = test_solvers,
                                          .solver_count = 1,
                                          .force_fields = test_force_fields,
                                          .force_field_count = 1,
                                          .renderers = test_renderers,
                                          .renderer_count = 1};

#endif
