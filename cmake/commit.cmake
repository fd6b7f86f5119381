# cmake -DSOURCE=DIR -DHEADER=FILE -P commit.cmake: writes the commit of DIR to FILE, if it changed.
set(commit "unknown")
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
        OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
        RESULT_VARIABLE failed)
    if(NOT failed)
        set(commit ${described})
    endif()
endif()
set(text "/* Written by cmake/commit.cmake. */\n#define SLEET_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${HEADER})
    file(READ ${HEADER} before)
endif()
if(NOT before STREQUAL text)
    file(WRITE ${HEADER} "${text}")
endif()
