/* The frame view, for rooms that take only it: surface, io, render. */
#ifndef FRAME_VIEW_H
#define FRAME_VIEW_H

#include "sleet/state.h"
#include "sleet/view.h"

#endif
