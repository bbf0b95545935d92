/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of one recording: load the kernel side, bring the agent into the target, install the hooks, and remove
 * everything again. A failure midway is rolled back. The spans arrive through session_intake().
 */
#ifndef USER_CAPTURE_SESSION_H
#define USER_CAPTURE_SESSION_H

#include "format/diag.h"
#include "user/capture/clock.h"
#include "user/capture/intake.h"
#include "user/segment/segment.h"
#include "user/options/settings.h"

struct session;
struct metaspace;

/*
 * Load the kernel side, for the source of calls in settings.source. This does not touch the target, which need not be known before it is attached to. Returns 0,
 * or -errno with the message.
 */
int session_new(struct session **out, const struct settings *settings, const struct target *target, struct clock *clock,
		struct diag *d);
void session_free(struct session *s);

/* Check that there is room for another tracer of the target, before anything is done to it. Returns 0, or -errno with the message. */
int session_check_free(struct session *s, struct diag *d);

/* Load the agent unless it is there, become one of its tracers, and attach the probe to its drain site. No class is rewritten yet. */
int session_attach(struct session *s, struct diag *d);

/*
 * The same for a JVM that waits at the other end of `connection` (user/process/launch_socket.h), which the session
 * now owns. Returns when the JVM is up and waits before the program's first class; session_let_run() resumes it.
 */
int session_receive(struct session *s, int connection, struct diag *d);
void session_let_run(struct session *s);

/* The values that the agent has to read, until the session ends; before session_start(). */
struct event_plan;
void session_take_plan(struct session *s, const struct event_plan *plan);

/* Have the JVM use the bytecode of these methods instead of its intrinsics. Before session_receive(). */
struct intrinsics;
void session_take_intrinsics(struct session *s, const struct intrinsics *wanted);

/*
 * Record stacks of calls from these sources (FRT_STACKS_*); without this call there are none. `layout` is needed for
 * FRT_STACKS_WALK and NULL otherwise; it is copied. Before session_start().
 */
void session_take_stacks(struct session *s, uint32_t sources, const struct frt_layout *layout);

/* Set the receiver of the kernel's records (settings.kernel); before session_start(). */
void session_take_waits(struct session *s, const struct kernel_sink *sink);

/* Have the stacks of native calls taken, and of those that HotSpot's probes see. Before session_start(). */
void session_take_call_stacks(struct session *s, struct copied_stacks *stacks);

/* Have recorded calls counted, those of --inside whose root is dropped, too. Before session_start(). */
/* With settings.alloc: where the JVM's threads count. */
void session_take_allocated(struct session *s, const struct frt_allocated *where);

struct call_rates;
void session_count_calls(struct session *s, struct call_rates *rates);

/* The JVM's threads, from a thread dump taken just now (user/process/dump.h). Before session_start(). */
void session_take_dump(struct session *s, const char *dump);

/* kernel_probes_find_peers() of `session`, a struct session. */
struct peer_look;
int session_find_peers(void *session, struct peer_look *looks, size_t n);

/* True if programs may be attached by perf events while the recording runs. */
bool session_will_probe(const struct session *s);

/* Hand over the filters and start: from now on calls are recorded. */
int session_start(struct session *s, const struct stream_sink *sink, struct diag *d);

/* Feed what the agent's rings contain (intake_sweep()), and trace native methods that are new. */
void session_sweep(struct session *s);

/*
 * Restore the original code and take what the rings still contain. This works when the target has ended, too. An
 * error means that the agent could not be reached: it then restores the code by itself within seconds.
 */
int session_stop(struct session *s, struct diag *d);

/* Have the agent remove the hooks that no recording wants any more (FRT_RULE_UNHOOKED). */
int session_unhook(struct session *s, struct diag *d);

/*
 * Have the agent write down the stacks of threads with open calls (open_calls.h) while the recording continues.
 * session_stop() does so, too.
 */
int session_take_open_dump(struct session *s, struct diag *d);

/*
 * Give the agent a sign of life. Returns 0, or -errno with the message: the JVM already runs its original code again, or
 * there are no calls to be seen any more.
 */
int session_beat(struct session *s, struct diag *d);

const struct segment *session_segment(const struct session *s);

/* NULL before session_start(). */
struct intake *session_intake(const struct session *s);

/* Duration of session_attach() and session_start() in ms, and the safepoint time of the latter (0: unknown). */
struct session_cost {
	double attach_ms, pause_ms;
	bool pause_known; /* false: pause_ms is an upper bound, the time of RetransformClasses */
};

/* What is known of a session by now. Pointers are valid as long as it is. */
struct session_facts {
	/*
	 * Why there are no waits; and although there are: why pauses and Thread.sleep(), or system calls and page faults
	 * (settings.kernel), are missing. "": they are not.
	 */
	const char *no_waits, *no_pauses, *no_usage;
	const char *no_samples; /* the same of samples */
	uint64_t samples_lost;
	const struct natives *natives;	   /* NULL: native methods are not traced */
	const struct metaspace *metaspace; /* of the JVM, as it was when the agent asked last */
	struct session_cost cost;
	/*
	 * With HotSpot's own probes: calls that were missed, at most, because their class was new, and calls that ended
	 * without passing a probe, so that their duration is uncertain. 0 with the agent.
	 */
	uint64_t missed, unseen;
	bool open_dump; /* the last session_take_open_dump() or session_stop() has succeeded */
	/*
	 * The JVM had given up waiting before session_let_run(), which it does after 15 s, or had ended. Calls of its first
	 * classes may be missing then.
	 */
	bool ran_early;
};
struct session_facts session_facts(const struct session *s);

#endif
