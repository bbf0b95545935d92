/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of one recording: kernel side loaded, agent in the target, hooks
 * in, and all of it out again. Whatever fails midway is undone. The spans come
 * through session_intake().
 */
#ifndef USER_CAPTURE_SESSION_H
#define USER_CAPTURE_SESSION_H

#include "format/diag.h"
#include "user/capture/clock.h"
#include "user/capture/intake.h"
#include "user/capture/segment.h"
#include "user/options/settings.h"

struct session;

/* Load the kernel side. Touches no target, which need not be known before it is attached to. */
int session_new(struct session **out, const struct settings *settings, const struct target *target, struct clock *clock,
		struct diag *d);
void session_free(struct session *s);

/* Before anything is done for a target that is known: does another tracer have it? 0, or -errno with the message. */
int session_check_free(const struct session *s, struct diag *d);

/*
 * Bring the agent in, become its one tracer, put the probe on its drain site.
 * Nothing is rewritten yet.
 */
int session_attach(struct session *s, struct diag *d);

/*
 * The same with a JVM that waits at the other end of `connection` (user/process/launch_socket.h), from now on ours. Returns when it is up, and waits before the first class of the program; session_let_run() lets it go on.
 */
int session_receive(struct session *s, int connection, struct diag *d);
void session_let_run(struct session *s);

/* Before session_receive(): have the JVM not replace these methods. */
struct intrinsics;
void session_take_intrinsics(struct session *s, const struct intrinsics *wanted);

/*
 * Stacks of calls, from these sources (FRT_STACKS_*). The layout, which is copied, is for FRT_STACKS_WALK; NULL without it.
 * Without this call calls have no stacks. Before session_start().
 */
void session_take_stacks(struct session *s, uint32_t sources, const struct frt_layout *layout);

/* Where the kernel's half goes (settings.kernel), when it can be had; before session_start(). Why it cannot, or "". */
void session_take_waits(struct session *s, const struct kernel_sink *sink);
const char *session_no_waits(const struct session *s);

/* Why, though there are waits, nothing is told of pauses and of Thread.sleep(), or "". */
const char *session_no_pauses(const struct session *s);

/* Why, though there are waits, system calls and page faults are not counted as asked (settings.kernel), or "". */
const char *session_no_usage(const struct session *s);

/* Hand over the filter and start: from here on calls are recorded. */
int session_start(struct session *s, const struct stream_sink *sink, struct diag *d);

/*
 * Original code again; what lies in the rings is taken. Works as well when
 * the target has ended. On error the JVM could not be told: it heals itself
 * within seconds.
 */
int session_stop(struct session *s, struct diag *d);

/*
 * Let the agent write down the stacks of threads with open calls (open_calls.h) while the recording goes on;
 * session_stop() does it too. Has that been done by the last of these calls?
 */
int session_take_open_dump(struct session *s, struct diag *d);
bool session_has_open_dump(const struct session *s);

/* Tell the agent that we live. False: the JVM runs its original code again without our asking. */
bool session_beat(struct session *s);

const struct segment *session_segment(const struct session *s);

/* From session_start() on. */
struct intake *session_intake(const struct session *s);

/* Milliseconds that session_attach() and session_start() took, and safepoint time of the latter (0: not known). */
struct session_cost {
	double attach_ms, pause_ms;
	bool pause_known; /* else pause_ms is an upper bound, the time of RetransformClasses */
};
const struct session_cost *session_cost(const struct session *s);

#endif
