/* Sleet: how particles are found by where they are. */
#ifndef SLEET_GRID_H
#define SLEET_GRID_H

#include "sleet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Results are the same bits with either grid; memory and speed differ. */
typedef enum SlGridKind {
    SL_GRID_AUTO,    /* bounded up to 2^24 cells, else compact; the default */
    SL_GRID_BOUNDED, /* 4 bytes for every cell of the domain, all sides of which are closed */
    SL_GRID_COMPACT  /* memory follows the particles */
} SlGridKind;

#ifdef __cplusplus
}
#endif
#endif
