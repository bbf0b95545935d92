/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JVM's metaspace, where -XX:MaxMetaspaceSize or the class space limits it: how much of it hooks may take. New code for
 * a class takes some when its hooks go in, and again when they come out; beyond the limit the program itself would get
 * OutOfMemoryError.
 */
#ifndef USER_JVM_METASPACE_H
#define USER_JVM_METASPACE_H

#include "bpf/frtrace.h"
#include "format/diag.h"
#include "user/process/target.h"

#define METASPACE_NO_LIMIT UINT64_MAX
#define METASPACE_HUGE \
	(1ull << 40) /* bytes: no limit worth a word. Without one, JDK 8 to 15 have UINT64_MAX aligned down */

/* Bytes. What is committed counts against the limits; some of it may be free, for classes of one loader only. */
struct metaspace_use {
	uint64_t used, committed;			      /* with the class space */
	uint64_t class_used, class_committed, class_reserved; /* class_reserved 0: there is no class space */
};

struct metaspace {
	const struct target *target;
	uint64_t limit;		  /* METASPACE_NO_LIMIT: none, or unknown */
	struct metaspace_use now; /* when it was last looked at */
	bool limited;
	bool begins; /* the JVM takes no commands yet: `now` is what it had before the program */
};

/*
 * Ask the JVM, through attach; of one that begins, read its counters. A JVM that does not say what it has in use counts as one
 * without limit; *d says so.
 */
int metaspace_open(struct metaspace *m, const struct target *t, struct diag *d);

/* Parse what the JVM says of itself. Returns false if that is not in the text. */
bool metaspace_parse(const char *text, struct metaspace_use *out);

/* The limit that a value of -XX:MaxMetaspaceSize means. */
static inline uint64_t metaspace_limit(uint64_t flag)
{
	return flag > METASPACE_HUGE ? METASPACE_NO_LIMIT : flag;
}

/* Answer the agent's question; m->limited only. The numbers in `room` come from the target. */
void metaspace_answer(struct metaspace *m, struct frt_room *room);

/* The same for a JVM that has `m->now` in use. */
void metaspace_allow(const struct metaspace *m, struct frt_room *room);

/* Refuse if even the agent's own classes may not fit. */
int metaspace_check(const struct metaspace *m, struct diag *d);

/* "21.6 MB of 24.0 MB (-XX:MaxMetaspaceSize)": the limit that is reached first. "at most 24.0 MB (...)" of a JVM that begins. */
#define METASPACE_TEXT 128
void metaspace_text(const struct metaspace *m, char out[METASPACE_TEXT]);

#endif
