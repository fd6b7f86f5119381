#ifndef APP_INFO_MESH_H
#define APP_INFO_MESH_H

#include "app/app.h"

/* Whether the name is of a mesh, and what `sleet info` says of one; returns the exit code. */
bool app_is_mesh(const char *path);
int app_info_mesh(SlContext *context, const char *path);

#endif
