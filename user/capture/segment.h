/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control segment (bpf/frtrace.h), as its reader sees it. The target may have forged its content: every index is
 * checked, every string is bounded.
 */
#ifndef USER_CAPTURE_SEGMENT_H
#define USER_CAPTURE_SEGMENT_H

#include "bpf/frtrace.h"
#include "format/diag.h"
#include "user/process/find.h"

#include <stddef.h>

struct segment {
	int fd;
	char *base; /* NULL when closed */
};

/*
 * Open and map the segment that this build's agent has in the target. Returns 0, or -errno with the message; -ENOENT:
 * there is none. The seals are checked, so access to the mapping cannot fault.
 */
int segment_open(struct segment *s, const struct target *t, const char *tag, struct diag *d);
void segment_close(struct segment *s);

/*
 * Become the only tracer of this JVM. The exclusive lock ends with this process. Returns -EBUSY when another tracer
 * has it; the message names that process.
 */
int segment_lock(struct segment *s, struct diag *d);

/* Give the agent a sign of life. False: the agent has already restored the JVM's original code by itself. */
bool segment_beat(struct segment *s);

/* Fail when a tracer of any build has the target; called before the agent is loaded. */
int segment_check_free(const struct target *t, struct diag *d);

static inline struct frt_header *segment_header(const struct segment *s)
{
	return (struct frt_header *)s->base;
}

static inline struct frt_config *segment_config(const struct segment *s)
{
	return (struct frt_config *)(s->base + FRT_CONFIG_AT);
}

/* Table rows; NULL beyond the filled part. */
const struct frt_slot *segment_slot(const struct segment *s, uint32_t number);
const struct frt_class *segment_class(const struct segment *s, uint32_t id);
const struct frt_method *segment_method(const struct segment *s, uint32_t id);
const struct frt_loader *segment_loader(const struct segment *s, uint32_t number);
const struct frt_skip *segment_skip(const struct segment *s, uint32_t i);
uint32_t segment_skips(const struct segment *s); /* their number */

const struct frt_virtual_call *segment_virtual_call(const struct segment *s, uint32_t i);
const struct frt_virtual_name *segment_virtual_name(const struct segment *s, uint32_t i);

/*
 * Copy the log entry of a thread, with all lengths bounded. False: it was overwritten by a later one, or never
 * written.
 */
bool segment_thread(const struct segment *s, uint32_t serial, struct frt_thread *out);

/* The thread's number in the target's pid namespace; 0: there is no such entry. */
uint32_t segment_tid(const struct segment *s, uint32_t serial);

/* 0-terminated copy of a string; "" for number 0 and for a string outside the segment. Returns its length. */
size_t segment_string(const struct segment *s, uint32_t number, char *out, size_t size);

/* Sums over the slots of the current recording. */
struct segment_totals {
	uint64_t entered, exited, thrown, recorded, unrecorded, lost_exits, moved_exits, unslotted;
	uint64_t longest;      /* TSC ticks */
	uint64_t open;	       /* calls that have not returned */
	uint64_t oldest_start; /* TSC; 0: not known: calls of virtual threads, or deeper than FRT_OPEN_CALLS */
	uint32_t oldest_method;
	uint64_t ring_bytes;
};
void segment_totals(const struct segment *s, struct segment_totals *out);

/* Does the class have hooks in methods that a filter selects? */
static inline bool segment_class_is_traced(const struct frt_class *c)
{
	return (c->flags & (FRT_CLASS_REWRITTEN | FRT_CLASS_MOUNTS)) == FRT_CLASS_REWRITTEN;
}

/* Number of methods with hooks, and of rewritten classes. */
uint32_t segment_count_hooked(const struct segment *s, uint32_t *classes);

#endif
