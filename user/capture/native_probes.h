/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's half of traced native methods: the programs of bpf/native.bpf.c, and uprobes on C functions, which are
 * numbered in the order in which they are added. Without multi links the probes are perf events, which takes CAP_SYS_ADMIN
 * or CAP_PERFMON.
 */
#ifndef USER_CAPTURE_NATIVE_PROBES_H
#define USER_CAPTURE_NATIVE_PROBES_H

#include "bpf/queue.h"
#include "format/diag.h"
#include "user/options/settings.h"
#include "user/process/target.h"

struct frtrace_bpf;
struct hotspot_layout;
struct native_probes;

struct native_probes_setup {
	const struct settings *settings;
	const struct target *target;
	const struct frtrace_bpf *bpf; /* loaded: its maps are shared */
	const struct hotspot_layout *layout;
	bool stacks; /* of each call one is taken */
	bool inside; /* only calls in roots are recorded */
};

/* A C function in a file. */
struct native_function {
	uint64_t device, inode, offset;
};

/* Load the programs. *setup is copied, what its pointers point to is borrowed. 0 or -errno; then *out is NULL. */
int native_probes_new(struct native_probes **out, const struct native_probes_setup *setup, struct diag *d);
void native_probes_free(struct native_probes *p); /* removes the probes, too */

/* The number of the function, which may be known already, or -errno: no room. Takes `fd`, which is open on its file. */
int native_probes_add(struct native_probes *p, const struct native_function *function, int fd);

/*
 * Put probes on those that have been added since the last time; what fails is not tried again. Returns 0, or -errno with
 * the message; none are put while a process holds the lock of its memory map (map_lock.h).
 */
bool native_probes_are_due(const struct native_probes *p);
int native_probes_attach(struct native_probes *p, struct diag *d);
void native_probes_remove(struct native_probes *p); /* no calls follow */

/* True if they are perf events. */
bool native_probes_are_events(const struct native_probes *p);

/* What is recorded of a function; the kernel reads it at any time. */
struct frt_native_function *native_probes_rule(struct native_probes *p, uint32_t number);

/* The sums of all functions, over all CPUs, so far. NULL: no memory. To be freed. */
struct frt_native_sum *native_probes_sums(const struct native_probes *p);

/* Have the kernel emit records of the calls that are open. */
void native_probes_dump(const struct native_probes *p);

/* Have the kernel send the frames of this stack again with the next call that has it. */
void native_probes_forget_stack(const struct native_probes *p, uint64_t identity);

/* As `lost` and `missed` of struct natives_counts. */
uint64_t native_probes_lost(const struct native_probes *p);
uint64_t native_probes_missed(const struct native_probes *p);

#endif
