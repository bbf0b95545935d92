/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel side of a session: the programs that observe the waits of the target's threads. */
#ifndef USER_CAPTURE_KERNEL_PROBES_H
#define USER_CAPTURE_KERNEL_PROBES_H

#include "bpf/peers.h"
#include "format/diag.h"
#include "user/segment/segment.h"
#include "user/options/settings.h"
#include "user/process/maps.h"
#include "user/process/find.h"

#include <stdbool.h>

struct frtrace_bpf;
struct bpf_link;
struct usdt_link;

/* A connection whose peer is looked for, and what has been found. */
struct peer_look {
	struct frt_ends ends;
	struct frt_peer found; /* at first only with its inode */
};

#define KERNEL_TRACEPOINTS 6

struct kernel_probes {
	struct bpf_link *links[KERNEL_TRACEPOINTS];
	int count;
	uint64_t cpu_ns;	    /* between two samples on a CPU; 0: none are taken */
	struct bpf_link **samplers; /* one for each CPU */
	int sampler_count;
	struct diag no_samples; /* why none are taken although requested; "" */
	struct usdt_link *jvm;	/* the JVM's own sites */
	bool usage;		/* system calls and page faults are counted */
	struct diag no_usage;	/* why they are not counted although requested; "" */
	struct diag no_pauses;	/* why pauses are missing although waits are recorded; "" */
	const struct target *target;
	const struct segment *segment;
	bool maps_slots;	     /* slots can be mapped for their threads: */
	int mapped_fd;		     /* the map with the mapped slots */
	unsigned int owners, mapped; /* threads that got a slot; threads whose slot is mapped */
	struct bpf_link *look;	     /* for peers, that is not over; NULL: there is none */
	int look_fd;
	struct diag why; /* why the kernel side is missing; "": present, or not requested */
};

/*
 * Choose how much of the kernel side to load; call between opening and loading. `clock_offset` is the offset of our
 * CLOCK_MONOTONIC to the kernel's, in ns.
 */
void kernel_probes_choose(struct kernel_probes *k, struct frtrace_bpf *bpf, enum settings_kernel kernel,
			  const struct settings *settings, int64_t clock_offset);

/*
 * Attach the programs, before the one at the agent's sites. `agent` is the mapping of the agent's code in the target.
 * Errors are reported in k->why, k->no_usage and k->no_pauses.
 */
void kernel_probes_attach(struct kernel_probes *k, struct frtrace_bpf *bpf, const struct target *t,
			  const struct segment *segment, const struct mapping *agent);

/* Map a thread's slot for the programs, which makes it cheaper for them to read. `kernel` is a struct kernel_probes. */
void kernel_probes_map_slot(void *kernel, const struct frt_slot_owner *o);

/*
 * Flush the usage of threads in finished calls to the ring buffer, including threads that are still running. It is
 * there when this function returns.
 */
void kernel_probes_flush(const struct kernel_probes *k, const struct frtrace_bpf *bpf);
void kernel_probes_detach(struct kernel_probes *k);

/*
 * Write the waits that the kernel has held back to the ring buffer: those of threads that have written spans since, and
 * those that are a second old.
 */
void kernel_probes_release_waits(const struct kernel_probes *k, struct frtrace_bpf *bpf);

/* Write the waits that are held back, and those in progress, to the ring buffer, as of now. */
void kernel_probes_write_waits(const struct kernel_probes *k, struct frtrace_bpf *bpf);

/* Have the waits of all threads of the target recorded that there are now, if paths are wanted. Later ones follow by themselves. */
void kernel_probes_follow_threads(const struct kernel_probes *k, struct frtrace_bpf *bpf);

/*
 * Find the processes that have the other ends of connections within this machine, of 1 to FRT_PEERS_MOST. A call
 * looks at some thousand descriptors, which takes some milliseconds. Returns 0, with `found` of each as the kernel's half has
 * filled it in; 1 if there are more descriptors: call it again with the same connections; or -errno.
 */
int kernel_probes_find_peers(struct kernel_probes *k, struct frtrace_bpf *bpf, struct peer_look *looks, size_t n);

/* Run a program that iterates over all tasks. `what` is what cannot be read if that fails, for -v. Returns 0 or -errno. */
struct bpf_program;
int kernel_probes_run_for_tasks(struct bpf_program *program, const char *what);

#endif
