/* `--set path=value` applied to a scene's tree before it is checked. */
#ifndef SCENE_OVERRIDE_H
#define SCENE_OVERRIDE_H

#include "scene/json.h"
#include "sleet/scene.h"

/* Sets the value at the path; keys that objects do not have are made, and checked later like any other.
   A mistake in the path is SL_ERROR_ARGUMENT. */
SlStatus sl_override_apply(SlJson *json, const SlSceneOverride *override, SlError *error);

#endif
