/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translation of the stack ids in spans to JFR's stack constants. Stacks are resolved as soon as the agent has
 * written them, since their code may be gone later. The result is kept by id: the last 2 * FRT_STACKS ids, and the
 * last 2 million of their frames (32 MB); the oldest are dropped first. Frames are needed again only for a constant
 * that the writer has dropped, too.
 *
 * A stack begins with the traced method's caller. An unknown frame is written as unknown (method 0), never guessed;
 * an incomplete stack is marked as truncated.
 */
#ifndef USER_STACKS_FRAMES_H
#define USER_STACKS_FRAMES_H

#include "user/stacks/method_keys.h"
#include "user/stacks/native_stacks.h"
#include "user/stacks/agent_stacks.h"

struct frames;

struct frames_setup {
	struct method_keys *methods; /* with writer and segment */
	struct resolver *resolver;   /* NULL: only methods named by the agent are known */
	uint32_t depth; /* maximum number of frames per stack, at most JFR_STACK_FRAMES; 0: there are none */
	bool fed;	/* stacks come from frames_feed() only */
	struct native_stacks *natives; /* for FRT_FRAME_FUNCTION; may be NULL */
	struct budget *budget; /* CPU time for stacks; once it is used up, spans get no stack. NULL: unlimited */
};

/* What the segment contains now belongs to an earlier recording. Returns 0, or -errno with *out set to NULL. */
int frames_new(struct frames **out, const struct frames_setup *setup, struct diag *d);
void frames_free(struct frames *f);

/*
 * Take the stacks that the agent has written, within the budget. `all`: the agent has stopped writing. Returns true
 * when there were new ones.
 */
bool frames_read(struct frames *f, bool all);

/* Did the last frames_read() leave stacks unread because the budget was used up? */
bool frames_behind(const struct frames *f);

/*
 * Take a stack from another source. frames_has() tells whether the stack with this id is still kept; ids wrap around
 * like the agent's.
 */
void frames_feed(struct frames *f, const struct stack *stack);
bool frames_has(const struct frames *f, uint32_t id);

/* Call before the resolver drops its methods. Stacks that have been read keep theirs. */
void frames_forget_resolved(struct frames *f);

/* Call after the writer has begun a chunk: keys must then be requested again. */
void frames_next_chunk(struct frames *f);

/*
 * The key for a span of `method` with stack `id`. 0: it has no Java caller, or no stack was taken. FRT_NO_METHOD: the
 * stack belongs to no span, whatever its innermost method is.
 */
uint64_t frames_key(struct frames *f, uint32_t id, uint32_t method);

/* The caller: one of the two members is set, or neither when it is unknown. */
struct frames_caller {
	const struct resolved_method *resolved;
	uint32_t named; /* id in the agent's method table */
	int32_t line;	/* -1: unknown */
};

/* Get the innermost frame of the stack, after frames_key() with the same arguments. False: it is unknown. */
bool frames_caller(const struct frames *f, uint32_t id, uint32_t method, struct frames_caller *out);

/* Is the innermost method, which was left out, this one? True also if it is unknown. */
bool frames_is_call_of(const struct frames *f, uint32_t id, uint32_t method);

/* Is the innermost frame known, and not one of a native method? */
bool frames_is_in_code(const struct frames *f, uint32_t id);

/* Counters of the stacks that were read; each stack counts once, however many spans have it. */
struct frames_counts {
	uint64_t stacks;
	uint64_t cut[FRT_WALK_ENDS + 1];    /* stacks that end for a reason other than bottom and depth */
	uint64_t unknown[RESOLVE_FAILURES]; /* frames */
	uint64_t mismatched;		    /* stacks whose innermost method is not the span's */
	uint64_t given_up;		    /* stacks that were never completed */
	/* Stacks that cannot be written again because their frames or methods have been dropped. */
	uint64_t forgotten;
	uint64_t missing; /* spans whose stack is not in the segment, or was forgotten */
	uint64_t behind;  /* spans whose stack was not searched because the budget was used up */
};

/* Add them to *sum. */
void frames_count(const struct frames *f, struct frames_counts *sum);

#endif
