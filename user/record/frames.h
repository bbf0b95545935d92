/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the stack ids in spans to JFR's stack constants. Stacks are resolved
 * as soon as the agent has written them, since their code may be gone later; what
 * was resolved is kept by id: the last 2 * FRT_STACKS ids, and of their frames
 * the last 2 million (32 MB), oldest forgotten first. Frames are needed again only for a
 * constant that the writer has forgotten too.
 *
 * A stack begins with the traced method's caller. What is not known is
 * an unknown frame (method 0), never a guess; a stack that is not whole is marked
 * as truncated.
 */
#ifndef USER_RECORD_FRAMES_H
#define USER_RECORD_FRAMES_H

#include "user/record/method_keys.h"
#include "user/capture/stacks.h"

struct frames;

struct frames_setup {
	struct method_keys *methods; /* with writer and segment */
	struct resolver *resolver;   /* NULL: only what the agent has named can be told */
	uint32_t depth;		     /* methods of a stack at most, 1 .. JFR_STACK_FRAMES */
	bool fed;		     /* by frames_feed(), and from nowhere else */
	struct budget *budget;	     /* for stacks; when it is used up, spans go without theirs. NULL: without end */
};

/* What lies in the segment now is of an earlier recording. 0 or -errno; then *out is NULL. */
int frames_new(struct frames **out, const struct frames_setup *setup, struct diag *d);
void frames_free(struct frames *f);

/* Take what the agent has written, within the budget; `all`: it writes no more. True when there was something new. */
bool frames_read(struct frames *f, bool all);

/* Did the last frames_read() leave something for want of budget? */
bool frames_behind(const struct frames *f);

/* Take a stack from elsewhere; is one with this id still known? For ids that go round as the agent's do. */
void frames_feed(struct frames *f, const struct stack *stack);
bool frames_has(const struct frames *f, uint32_t id);

/* The resolver is about to forget its methods. Stacks that were read keep theirs. */
void frames_forget_resolved(struct frames *f);

/* To be called when the writer has begun a chunk: keys are asked for anew. */
void frames_next_chunk(struct frames *f);

/* The key for a span of that method with that stack id; 0: no Java code called it, or no stack was taken. */
uint64_t frames_key(struct frames *f, uint32_t id, uint32_t method);

/* Who called: one of the two, or neither when it is not known. */
struct frames_caller {
	const struct resolved_method *resolved;
	uint32_t named; /* id of a method of the agent's table */
	int32_t line;	/* -1: not known */
};

/* The innermost frame of the stack that frames_key() was last asked for with these. False: none is known. */
bool frames_caller(const struct frames *f, uint32_t id, uint32_t method, struct frames_caller *out);

/* Of the stacks that were read, each once however many spans have it. */
struct frames_counts {
	uint64_t stacks;
	uint64_t cut[FRT_WALK_ENDS + 1];    /* those that end for a reason other than bottom and depth */
	uint64_t unknown[RESOLVE_FAILURES]; /* frames */
	uint64_t mismatched;		    /* whose innermost method is not the span's */
	uint64_t given_up;		    /* that were never completed */
	uint64_t
		forgotten; /* that were resolved too long ago to be written once more: frames or methods are forgotten */
	uint64_t missing;  /* spans whose stack is not in the segment */
	uint64_t behind;   /* spans whose stack was not looked for: the budget was used up */
};
void frames_count(const struct frames *f, struct frames_counts *out);

#endif
