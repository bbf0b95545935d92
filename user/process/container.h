/* SPDX-License-Identifier: BSD-2-Clause */
/* Which container a process is in, as far as its control group tells. */
#ifndef USER_PROCESS_CONTAINER_H
#define USER_PROCESS_CONTAINER_H

#include "user/process/target.h"

#include <stddef.h>

/*
 * From the text of /proc/PID/cgroup (cgroups(7)): the first 12 of the 64 hexadecimal digits that Docker, containerd, CRI-O
 * and Podman name a container's group by, or the name of an LXC container or of a systemd machine. "" when there is none.
 */
void container_parse(const char *cgroup, char *out, size_t size);

/* The same for a process; "own pid namespace" for one that nothing names. "": none. */
void target_container(const struct target *t, char *out, size_t size);

#endif
