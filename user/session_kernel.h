/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's half of a session: the programs that see the target's threads wait. */
#ifndef USER_SESSION_KERNEL_H
#define USER_SESSION_KERNEL_H

#include "format/diag.h"
#include "user/target/process.h"

#include <stdbool.h>

struct frtrace_bpf;
struct bpf_link;

#define SESSION_KERNEL_LINKS 16

struct session_kernel {
	struct bpf_link *links[SESSION_KERNEL_LINKS];
	int count;
	struct diag no_pauses; /* why there are none, though the rest is there; "" */
	struct diag why; /* it is not there; "": it is, or nobody has asked for it */
};

/* Between opening and loading: with this half, or without. */
void session_kernel_choose(struct frtrace_bpf *bpf, bool wanted);

/* `agent` opens the agent's file. What fails is in k->why. Before the agent is told to start. */
void session_kernel_attach(struct session_kernel *k, struct frtrace_bpf *bpf, const struct target *t, const char *agent);
void session_kernel_detach(struct session_kernel *k);

/* Put the waits that go on into the queue, as they are now. */
void session_kernel_tell_waits(const struct session_kernel *k, struct frtrace_bpf *bpf);

#endif
