/* SPDX-License-Identifier: BSD-2-Clause */
/* The container of a process, as far as its control group reveals it. */
#ifndef USER_PROCESS_CONTAINER_H
#define USER_PROCESS_CONTAINER_H

#include "user/process/target.h"

#include <stddef.h>

#define CONTAINER_TEXT 64 /* bytes that suffice for a name */

/*
 * Parse the text of /proc/PID/cgroup (cgroups(7)). The result is the first 12 of the 64 hexadecimal digits by
 * which Docker, containerd, CRI-O and Podman name a container's group, or the name of an LXC container or a
 * systemd machine, or "".
 */
void container_parse(const char *cgroup, char *out, size_t size);

/* The same for a process. "own pid namespace" for a container without a name; "": none. */
void target_container(const struct target *t, char *out, size_t size);

#endif
