#ifndef CLI_INFO_MESH_H
#define CLI_INFO_MESH_H

#include "cli/cli.h"

/* Whether the name is of a mesh, and what `sleet info` says of one; returns the exit code. */
bool cli_is_mesh(const char *path);
int cli_info_mesh(SlContext *context, const char *path);

#endif
