/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The check at the start of each program: is the running task a thread of the target? */
#ifndef BPF_TARGET_H
#define BPF_TARGET_H

#include "bpf/maps.bpf.h"

static __always_inline bool is_target(void)
{
	struct bpf_pidns_info id = {};

	if (bpf_get_ns_current_pid_tgid(target.pid_ns_dev, target.pid_ns_ino, &id, sizeof(id)))
		return false;
	return id.tgid == target.tgid;
}

#endif
