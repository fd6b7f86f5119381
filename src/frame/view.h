/* The frame view, for modules that take only it: filters, io, render. */
#ifndef FRAME_VIEW_H
#define FRAME_VIEW_H

#include "sleet/state.h"
#include "sleet/view.h"

/* The directions in which a mesh collider's own x, y and z axes point: its vertex v is at
   pose.position + v.x axes[0] + v.y axes[1] + v.z axes[2]. */
void sl_view_axes(const SlColliderView *collider, SlVec3 axes[3]);

#endif
