/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control segment (bpf/frtrace.h) as its writer sees it: tables that only
 * grow while a recording runs, strings and rows that are found again by what they say.
 * All functions may be called by any thread, and never call into the JVM.
 */
#ifndef AGENT_CONTROL_H
#define AGENT_CONTROL_H

#include "bpf/frtrace.h"
#include "uprobes/agent/sys.h"

/* A counted piece of modified UTF-8. */
struct text {
	const char *at;
	size_t length;
};

static inline struct text text_of(const char *s)
{
	return (struct text){s, s ? strlen(s) : 0};
}

/* A hash of all 32 bits. */
uint32_t control_hash(struct text t);

extern struct frt_header *control; /* NULL until control_create() */

/* Make the segment. False: no memory, no memfd. */
bool control_create(const char *tag);

/* Undo control_create(), of a segment that nothing has used yet. */
void control_destroy(void);

/* The segment's memfd; -1: there is no segment. */
int control_fd(void);

static inline void *control_at(uint64_t offset)
{
	return (char *)control + offset;
}

static inline struct frt_slot *control_slot(uint32_t i)
{
	return (struct frt_slot *)control_at(FRT_SLOTS_AT) + i;
}

static inline const struct frt_config *control_config(void)
{
	return control_at(FRT_CONFIG_AT);
}

/* What is to be done with a method's calls (FRT_RULE_*). */
static inline uint64_t *control_rule(uint32_t method)
{
	return (uint64_t *)control_at(FRT_RULES_AT) + method % FRT_MAX_METHODS;
}

/* Rows; 0 when a table is full. An equal row that is there already is returned. */
uint32_t control_class(struct text name, uint32_t loader, uint32_t modifiers);
uint32_t control_method(uint32_t class_id, struct text name, struct text descriptor, uint16_t modifiers);
uint32_t control_loader(struct text type, struct text name); /* always a new row */
void control_skip(struct text class_name, struct text method, struct text descriptor, enum frt_skip_reason reason);

/*
 * Between recordings: is a table more than half full? Then all classes and methods are forgotten, and so are the loaders
 * that are not `alive`, by their numbers. False: a class of one that is alive has hooks; nothing was done.
 */
bool control_is_crowded(void);
bool control_forget(const bool alive[FRT_MAX_LOADERS]);

/* A class row that is there, or NULL. */
struct frt_class *control_find_class(struct text name, uint32_t loader);

struct frt_class *control_class_row(uint32_t id);
struct frt_method *control_method_row(uint32_t id);
struct frt_loader *control_loader_row(uint32_t id);

/* Clear the HOOKED flag of all methods of a class, and its REWRITTEN. */
void control_unhook_class(uint32_t id);

/* Forget the skips of the last command. */
void control_reset_skips(void);

void control_say(const char *message);

#endif
