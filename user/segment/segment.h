/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control segment (bpf/frtrace.h), as its reader sees it. The target may have forged its content: every index is
 * checked, every string is bounded.
 */
#ifndef USER_SEGMENT_SEGMENT_H
#define USER_SEGMENT_SEGMENT_H

#include "bpf/frtrace.h"
#include "format/diag.h"
#include "user/segment/native_rows.h"
#include "user/process/find.h"

#include <stddef.h>

/* Stacks that were lost or not taken, of any recording. */
struct segment_stacks {
	uint64_t lost, off, unasked, refused;
};

struct segment {
	int fd;
	char *base;		      /* NULL when closed */
	uint32_t recording;	      /* our own row; set by segment_claim() */
	struct segment_stacks before; /* what others had lost when this recording began */
	struct native_rows natives;   /* the collector's own rows, beside those of the agent */
	double ticks_per_ns;	      /* of the TSC, for their times */
};

/*
 * Open and map the segment that this build's agent has in the target. Returns 0, or -errno with the message; -ENOENT:
 * there is none. The seals are checked, so access to the mapping cannot fault.
 */
int segment_open(struct segment *s, const struct target *t, const char *tag, struct diag *d);
void segment_close(struct segment *s);

/*
 * Get one of the FRT_RECORDINGS rows. It is locked until this process ends or closes the segment. Returns -EBUSY when
 * all are in use; the message names who records.
 */
int segment_claim(struct segment *s, struct diag *d);

/* The lock of commands, which is held for one of them at a time. False: somebody else has it. */
bool segment_lock_command(const struct segment *s);
void segment_unlock_command(const struct segment *s);

/* Give the agent a sign of life. False: the agent has already restored the JVM's original code by itself. */
bool segment_beat(struct segment *s);

/*
 * Fail when there is no room for another recording, or when another build of frtrace traces the target; called before
 * the agent is loaded.
 */
int segment_check_free(const struct target *t, const char *tag, struct diag *d);

/* Describe the recorder that has row i of the target's segment. False: nobody has it. */
bool segment_owner(const struct target *t, const char *tag, uint32_t i, struct frt_owner *out);

static inline struct frt_header *segment_header(const struct segment *s)
{
	return (struct frt_header *)s->base;
}

static inline struct frt_recording *segment_recording(const struct segment *s)
{
	return &segment_header(s)->recording[s->recording];
}

static inline struct frt_config *segment_config(const struct segment *s)
{
	return (struct frt_config *)(s->base + FRT_CONFIG_AT + (uint64_t)s->recording * FRT_CONFIG_SIZE);
}

/* The recording's rule of a method below FRT_MAX_METHODS. */
static inline uint64_t *segment_rule(const struct segment *s, uint32_t method)
{
	return (uint64_t *)(s->base + FRT_RULES_AT) + FRT_TIMED_METHOD(s->recording, method);
}

/* What roots of --inside have taken back of it. */
static inline const struct frt_taken *segment_taken(const struct segment *s, uint32_t method)
{
	return (const struct frt_taken *)(s->base + FRT_TAKEN_AT) + method % FRT_MAX_METHODS;
}

/* Call before and after the recording begins, with the same `epoch`: whose losses are in the segment's counters? */
void segment_note_losses(struct segment *s, uint32_t *epoch);
struct segment_stacks segment_stacks(const struct segment *s);

/* Does another recording run? */
bool segment_is_shared(const struct segment *s);

/* Table rows; NULL beyond the filled part. */
const struct frt_slot *segment_slot(const struct segment *s, uint32_t number);
const struct frt_class *segment_class(const struct segment *s, uint32_t id);
const struct frt_method *segment_method(const struct segment *s, uint32_t id);
const struct frt_loader *segment_loader(const struct segment *s, uint32_t number);
const struct frt_skip *segment_skip(const struct segment *s, uint32_t i);
uint32_t segment_skips(const struct segment *s); /* number of the recording's own */

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

/* Does a call of this method that began then (TSC) belong to the recording? */
bool segment_has_call(const struct segment *s, uint32_t method, uint64_t start);

/* Is an open-call dump of this number one that the recording has asked for, or a later one? */
static inline bool segment_has_dump(const struct segment *s, uint32_t number)
{
	return (int32_t)(number - segment_recording(s)->open_dump) >= 0;
}

/* Add what a slot has counted for the recording. False: nothing. */
bool segment_add_slot(const struct segment *s, const struct frt_slot *slot, struct frt_share *sum);

/* Sums over the slots of the recording. */
struct segment_totals {
	uint64_t entered, exited, thrown, recorded, unrecorded, lost_exits, moved_exits, unslotted;
	uint64_t longest;      /* TSC ticks */
	uint64_t open;	       /* calls that have not returned */
	uint64_t oldest_start; /* TSC; 0: not known: calls of virtual threads, or deeper than FRT_OPEN_CALLS */
	uint32_t oldest_method;
	uint64_t ring_bytes;
};
void segment_totals(const struct segment *s, struct segment_totals *out);

/* The roots of --inside: those that are neither kept, nor kept as a sample, nor dropped are open or lost. */
struct segment_roots {
	uint64_t begun, kept, samples, dropped, lost;
};
void segment_roots(const struct segment *s, struct segment_roots *out);

/* Has the method hooks for this recording? */
static inline bool segment_is_hooked(const struct segment *s, const struct frt_method *m)
{
	return m->flags & FRT_METHOD_FOR(s->recording);
}

/* The classes that have such methods. */
struct segment_classes {
	uint64_t word[FRT_MAX_CLASSES / 64];
};
void segment_hooked_classes(const struct segment *s, struct segment_classes *out);

static inline bool segment_classes_has(const struct segment_classes *set, uint32_t id)
{
	return id < FRT_MAX_CLASSES && set->word[id / 64] >> id % 64 & 1;
}

/* Number of methods with hooks for the recording, and of their classes. */
uint32_t segment_count_hooked(const struct segment *s, uint32_t *classes);

#endif
