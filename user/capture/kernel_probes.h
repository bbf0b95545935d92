/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's half of a session: the programs that see the target's threads wait. */
#ifndef USER_CAPTURE_KERNEL_PROBES_H
#define USER_CAPTURE_KERNEL_PROBES_H

#include "bpf/queue.h"
#include "format/diag.h"
#include "user/capture/segment.h"
#include "user/options/settings.h"
#include "user/process/maps.h"
#include "user/process/find.h"

#include <stdbool.h>

struct frtrace_bpf;
struct bpf_link;

#define SESSION_KERNEL_LINKS 20

struct kernel_probes {
	struct bpf_link *links[SESSION_KERNEL_LINKS];
	int count;
	bool usage;	       /* system calls and page faults are counted */
	struct diag no_usage;  /* why they are not, though they were asked for; "" */
	struct diag no_pauses; /* why there are none, though the rest is there; "" */
	const struct target *target;
	const struct segment *segment;
	bool maps_slots;	     /* slots to their threads: */
	int mapped_fd;		     /* the map of them */
	unsigned int owners, mapped; /* threads that have got a slot; those that it was lent to */
	struct diag why;	     /* it is not there; "": it is, or nobody has asked for it */
};

/* Between opening and loading: how much of this half there is to be; `clock_offset` of our CLOCK_MONOTONIC to the kernel's, ns. */
void kernel_probes_choose(struct kernel_probes *k, struct frtrace_bpf *bpf, enum settings_kernel kernel,
			  int64_t clock_offset);

/* `agent` is the agent's code in the target. What fails is in k->why, k->no_usage or k->no_pauses. Before the agent is told to start. */
void kernel_probes_attach(struct kernel_probes *k, struct frtrace_bpf *bpf, const struct target *t,
			  const struct segment *segment, const struct mapping *agent);

/* Let the programs read the slot of a thread where we have it, which costs them less: of a struct kernel_probes. */
void kernel_probes_map_slot(void *kernel, const struct frt_slot_owner *o);

/* What threads did in calls that are over is in the queue when this returns, also of those that go on running. */
void kernel_probes_flush(const struct kernel_probes *k, const struct frtrace_bpf *bpf);
void kernel_probes_detach(struct kernel_probes *k);

/* Put the waits that go on into the queue, as they are now. */
void kernel_probes_tell_waits(const struct kernel_probes *k, struct frtrace_bpf *bpf);

#endif
