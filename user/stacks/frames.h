/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translation of stack ids to JFR's stack constants. Stacks are resolved as soon as they are known, since their code may
 * be gone later. The result is kept by id: the last 2 * FRT_STACKS ids of each source, and the last 2 million of their
 * frames (32 MB); the oldest are dropped first. Frames are needed again only for a constant that the writer has dropped,
 * too.
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

/* Who numbers the stacks. Both numberings wrap around. */
enum frames_source {
	FRAMES_AGENTS, /* in the segment, from where they are read */
	FRAMES_OURS,   /* user/stacks/copied_stacks.h */
	FRAMES_SOURCES
};

struct frames_setup {
	struct method_keys *methods; /* with writer and segment */
	struct resolver *resolver;   /* NULL: only methods named by the agent are known */
	uint32_t depth
		[FRAMES_SOURCES]; /* maximum number of frames per stack, at most JFR_STACK_FRAMES; 0: there are none */
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

/* Is the agent's stack with this id known, or FRT_STACK_UNTAKEN? */
bool frames_has(const struct frames *f, uint32_t id);

/* Take a stack of FRAMES_OURS. frames_are_kept() tells whether that with this id is still there, with all frames. */
void frames_feed(struct frames *f, const struct stack *stack);
bool frames_are_kept(const struct frames *f, uint32_t id);

/* Call before the resolver drops its methods. Stacks that have been read keep theirs. */
void frames_forget_resolved(struct frames *f);

/* Call after the writer has begun a chunk: keys must then be requested again. */
void frames_next_chunk(struct frames *f);

/*
 * The key for a span of `method` with stack `id`. 0: it has no Java caller, or no stack was taken. FRT_NO_METHOD: the
 * stack belongs to no span, whatever its innermost method is.
 */
uint64_t frames_key(struct frames *f, enum frames_source source, uint32_t id, uint32_t method);

/* The source of the stack of a span. */
static inline enum frames_source frames_source_of(const struct frt_span *s)
{
	return s->flags & FRT_SPAN_NATIVE ? FRAMES_OURS : FRAMES_AGENTS;
}

/* The caller: one of the two members is set, or neither when it is unknown. */
struct frames_caller {
	const struct resolved_method *resolved;
	uint32_t named; /* id in the agent's method table */
	int32_t line;	/* -1: unknown */
};

/* Get the innermost frame of a span's stack, after frames_key() for it. False: it is unknown. */
bool frames_caller(const struct frames *f, const struct frt_span *s, struct frames_caller *out);

/* The following are about stacks of FRAMES_OURS. Is the innermost method, which was left out, this one? True also if it is unknown. */
bool frames_is_call_of(const struct frames *f, uint32_t id, uint32_t method);

/* Is the innermost frame known, and not one of a native method? */
bool frames_is_in_code(const struct frames *f, uint32_t id);

/*
 * Counters of the agent's stacks; each stack counts once, however many spans have it. Ours are copied while the thread may
 * still run: that some are cut says nothing about a recording. Of them only .missing counts.
 */
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

void frames_count(const struct frames *f, struct frames_counts *out);

#endif
