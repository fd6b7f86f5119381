/* Sleet: particles for water and snow. This header brings in all public ones. */
#ifndef SLEET_SLEET_H
#define SLEET_SLEET_H

#include "sleet/base.h"
#include "sleet/camera.h"
#include "sleet/checkpoint.h"
#include "sleet/collider.h"
#include "sleet/emitter.h"
#include "sleet/export.h"
#include "sleet/fill.h"
#include "sleet/filter.h"
#include "sleet/force_field.h"
#include "sleet/frame.h"
#include "sleet/grid.h"
#include "sleet/material.h"
#include "sleet/measure.h"
#include "sleet/mesh_report.h"
#include "sleet/params.h"
#include "sleet/particles.h"
#include "sleet/platform.h"
#include "sleet/render.h"
#include "sleet/run.h"
#include "sleet/scene.h"
#include "sleet/shape.h"
#include "sleet/snapshot.h"
#include "sleet/state.h"
#include "sleet/stats.h"
#include "sleet/systems.h"
#include "sleet/view.h"
#include "sleet/world.h"

#endif
