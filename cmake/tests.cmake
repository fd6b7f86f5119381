# Every tests/<module>/test_*.c is one cmocka program. Its tier comes from its name: test_x.c is
# quick, test_x_standard.c runs in ./check, test_x_full.c only in ./check full, test_x_nightly.c only
# in ./check nightly. A test that needs the command itself is a script: tests/<module>/test_*.sh.
# Exit code 77 of a script: skipped as a whole, for the reason in its line "SKIPPED: reason".
file(GLOB test_sources CONFIGURE_DEPENDS tests/*/test_*.c)
file(GLOB test_scripts CONFIGURE_DEPENDS tests/*/test_*.sh)
file(GLOB test_helpers CONFIGURE_DEPENDS tests/support/*.c)
add_library(sleet_test_support STATIC ${test_helpers} )
target_link_libraries(sleet_test_support PUBLIC sleet_flags sleet_bench sleet_static ${CMOCKA_LIBRARY})
target_include_directories(sleet_test_support PUBLIC ${PROJECT_SOURCE_DIR}/tests ${CMOCKA_INCLUDE})

# Cases that measure water (tests/water/case*.c), for its tests and for the program water_measure.
file(GLOB water_cases CONFIGURE_DEPENDS tests/water/case*.c)
add_library(sleet_water_cases STATIC ${water_cases})
target_link_libraries(sleet_water_cases PUBLIC sleet_flags sleet_static)
target_include_directories(sleet_water_cases PUBLIC ${PROJECT_SOURCE_DIR}/tests)
add_executable(water_measure tests/water/measure.c)
target_link_libraries(water_measure PRIVATE sleet_water_cases)

# What the comparison with another renderer draws (tests/render/peer_mitsuba.py).
add_executable(path_peer tests/render/peer_path.c)
target_link_libraries(path_peer PRIVATE sleet_flags sleet_static)

function(set_tier name)
    set(tier quick)
    if(name MATCHES "_standard$")
        set(tier standard)
    elseif(name MATCHES "_(full|nightly)$")
        set(tier ${CMAKE_MATCH_1})
    endif()
    set_tests_properties(${name} PROPERTIES LABELS ${tier} TIMEOUT 1800 SKIP_RETURN_CODE 77
        ENVIRONMENT "SLEET_SOURCE=${PROJECT_SOURCE_DIR};SLEET_BUILD=${PROJECT_BINARY_DIR}")
endfunction()

foreach(source ${test_sources})
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(room ${source} DIRECTORY)
    get_filename_component(room ${room} NAME)
    set(name ${room}_${name})
    string(REPLACE "_test_" "_" name ${name})
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE sleet_test_support)
    if(room STREQUAL "water")
        target_link_libraries(${name} PRIVATE sleet_water_cases)
    endif()
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    add_test(NAME ${name} COMMAND ${name})
    set_tier(${name})
endforeach()
foreach(script ${test_scripts})
    get_filename_component(name ${script} NAME_WE)
    get_filename_component(room ${script} DIRECTORY)
    get_filename_component(room ${room} NAME)
    set(name ${room}_${name})
    string(REPLACE "_test_" "_" name ${name})
    add_test(NAME ${name} COMMAND bash ${script})
    set_tier(${name})
endforeach()
