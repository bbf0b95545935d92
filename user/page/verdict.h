/* SPDX-License-Identifier: BSD-2-Clause */
/* What the numbers of a method say, in sentences. */
#ifndef USER_PAGE_VERDICT_H
#define USER_PAGE_VERDICT_H

#include "user/page/digest.h"

#define VERDICTS     5
#define VERDICT_SAME 4

enum verdict_cause { CAUSE_UNKNOWN, CAUSE_CPU, CAUSE_RUN_QUEUE, CAUSE_BLOCKED, CAUSE_PAUSE };

/* Who ended the waits of slow calls, and so held the locks if that is what they waited for. */
struct holder {
	int64_t total;	   /* ns of these waits */
	enum held_how how; /* what the next one had to do with most of that */
	uint32_t name;	   /* the method; 0: unknown */
	uint32_t thread;   /* its thread, or one of them; 0: unknown */
	int64_t ended;	   /* ns of those that it ended */
	int64_t within;	   /* ns of these in which it was open; all of it if it is unknown */
	bool lock;
	bool threads; /* several threads */
};

struct verdict {
	const struct digest_method *method;
	bool slow;	/* about its slow calls; else about all of them */
	int64_t excess; /* ns that they take more than the others would */
	enum verdict_cause cause;
	double share;  /* of the difference, or of the time */
	uint32_t kind; /* with CAUSE_BLOCKED: of the waits; UINT32_MAX: none stands out */
	double kind_share;
	struct holder holder;		/* ended 0: none is known */
	const struct chain_kind *chain; /* what is at the end of the critical paths; NULL: none, or not much */
	double chain_share;		/* of the time of those calls */
	const struct digest_method *same[VERDICT_SAME]; /* whose calls are slow for the same waits: it called them */
	size_t sames;
};

/*
 * The methods whose slow calls cost most come first; then those whose calls are alike. Returns their number. Call it when
 * the holders' calls have been read.
 */
size_t verdict_find(const struct digest *d, struct verdict out[VERDICTS]);

/*
 * Append what is slow, without the method's name; why; who held the lock; what took the time in the end; for which other methods that holds. Each is
 * one sentence, or nothing.
 */
void verdict_put_what(struct bytes *out, const struct verdict *v, const struct digest *d);
void verdict_put_why(struct bytes *out, const struct verdict *v, const struct digest *d);
void verdict_put_who(struct bytes *out, const struct verdict *v, const struct digest *d);
void verdict_put_chain(struct bytes *out, const struct verdict *v, const struct digest *d);
void verdict_put_same(struct bytes *out, const struct verdict *v, const struct digest *d);

#endif
