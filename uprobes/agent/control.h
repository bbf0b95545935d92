/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control segment (bpf/frtrace.h) from its writer's side: tables that only grow while a recording runs. Equal
 * strings and rows are stored once. Any thread may call any function; none of them calls into the JVM.
 */
#ifndef AGENT_CONTROL_H
#define AGENT_CONTROL_H

#include "bpf/frtrace.h"
#include "format/slice.h"
#include "uprobes/agent/sys.h"

/* A 32-bit hash. */
uint32_t control_hash(struct slice t);

extern struct frt_header *control; /* NULL until control_create() */

/*
 * TSC: calls that began earlier do not belong to the recording that runs alone. UINT64_MAX: there is none, or several
 * run (recordings.h).
 */
extern uint64_t control_since;

/* Create the segment, and keep a descriptor of the agent's own file. Returns false without memory or memfd. */
bool control_create(const char *tag);

/* Undo control_create() for a segment that is not in use yet. */
void control_destroy(void);

/* True if a process has a lock on this byte of the segment, or if that cannot be found out. */
bool control_is_locked(uint64_t byte);

/* The segment's memfd, or -1 if there is no segment. */
int control_fd(void);

static inline void *control_at(uint64_t offset)
{
	return (char *)control + offset;
}

static inline struct frt_slot *control_slot(uint32_t i)
{
	return (struct frt_slot *)control_at(FRT_SLOTS_AT) + i;
}

/* What --inside needs of a slot. */
static inline struct frt_inside *control_inside(const struct frt_slot *s)
{
	return (struct frt_inside *)control_at(FRT_INSIDES_AT) + (s - control_slot(0));
}

static inline const struct frt_config *control_config(uint32_t recording)
{
	return control_at(FRT_CONFIG_AT + (uint64_t)recording * FRT_CONFIG_SIZE);
}

/* The rule of a method (FRT_RULE_*). */
static inline uint64_t *control_rule(uint32_t recording, uint32_t method)
{
	return (uint64_t *)control_at(FRT_RULES_AT) + FRT_TIMED_METHOD(recording, method);
}

/* What roots have taken back of a method. */
static inline struct frt_taken *control_taken(uint32_t method)
{
	return (struct frt_taken *)control_at(FRT_TAKEN_AT) + method % FRT_MAX_METHODS;
}

/*
 * The number of a row with these values, existing or new. 0: the table is full. A new method belongs to no recording
 * until its rules say so.
 */
uint32_t control_class(struct slice name, uint32_t loader, uint32_t modifiers);
uint32_t control_method(uint32_t class_id, struct slice name, struct slice descriptor, uint16_t modifiers);
uint32_t control_loader(struct slice type, struct slice name); /* always a new row */

/* The number of this string, existing or new; 0: there is no room. With control_forget() numbers get another generation. */
uint32_t control_string(struct slice text);
uint32_t control_strings_generation(void);

/* Report to recordings (a set of bits) why something is not traced. */
void control_skip(uint32_t recordings, struct slice class_name, struct slice method, struct slice descriptor,
		  enum frt_skip_reason reason);

/*
 * Between recordings, when no collector reads the tables: true if one, or the strings' heap, is more than half full.
 * control_forget() then forgets all methods, the classes but those with FRT_CLASS_LEFT, the loaders whose row is not
 * `alive` with all their classes, and the strings of all these. It returns false, and does nothing, if a class of a live
 * loader has FRT_CLASS_REWRITTEN, or without memory.
 */
bool control_is_crowded(void);
bool control_forget(const bool alive[FRT_MAX_LOADERS]);

/* The row of a class, or NULL. */
struct frt_class *control_find_class(struct slice name, uint32_t loader);

struct frt_class *control_class_row(uint32_t id);
struct frt_method *control_method_row(uint32_t id);
struct frt_loader *control_loader_row(uint32_t id);

/* Clear FRT_METHOD_HOOKED of all methods of a class, and FRT_CLASS_REWRITTEN of the class. */
void control_unhook_class(uint32_t id);

/*
 * The same for a class that is not there yet, if it ever will be: it has FRT_CLASS_LEFT from now on, and is restored when
 * the JVM prepares it.
 */
void control_leave_class(uint32_t id);

/* The recordings that have hooks in methods of the class. */
uint32_t control_hooked_for(uint32_t id);

/* True if a method of the class has hooks for this recording only. */
bool control_hooked_only_for(uint32_t id, uint32_t recording);

/* True if all of these recordings, a set of bits, have FRT_RULE_UNHOOKED for the method. */
bool control_is_given_up(uint32_t method, uint32_t recordings);

/* True if a method of the class has hooks that all their recordings have given up. */
bool control_has_given_up(uint32_t id);

/* Clear FRT_METHOD_FOR(recording) of all methods of a class. */
void control_unhook_for(uint32_t id, uint32_t recording);

/* Forget the skips of a recording. */
void control_reset_skips(uint32_t recording);

void control_say(const char *message);

#endif
