/* SPDX-License-Identifier: BSD-2-Clause */
/* The session as its sources see it. */
#ifndef USER_CAPTURE_SESSION_INTERNAL_H
#define USER_CAPTURE_SESSION_INTERNAL_H

#include "user/capture/agent_build.h"
#include "user/capture/kernel_probes.h"
#include "user/capture/session.h"
#include "user/capture/source.h"
#include "user/jvm/metaspace.h"
#include "user/process/dump.h"

struct session {
	const struct settings *settings;
	const struct target *target;
	struct clock *clock;
	struct map_guard *guard; /* NULL: none could be started */
	struct frtrace_bpf *bpf;
	struct usdt_link *agent;	     /* its sites */
	const struct call_source *source[2]; /* NULL: no more */
	struct hotspot_source *hotspot;	     /* NULL: the agent is the source */
	struct kernel_probes kernel;
	bool with_kernel; /* whether the kernel side was loaded */
	struct kernel_sink waits;
	struct segment segment;
	struct metaspace metaspace;
	const struct event_plan *plan; /* NULL: there are no events */
	struct stream_sink sink;       /* receives the spans */
	struct call_rates *rates;      /* counts them; may be NULL */
	struct intake *intake;	       /* NULL before session_start() */
	struct natives *natives;       /* NULL: none are traced */
	struct frt_allocated allocated;
	struct copied_stacks *call_stacks; /* NULL: only the agent takes stacks of calls */
	struct java_threads threads;	   /* that were there before */
	struct session_cost cost;
	uint32_t stacks;	  /* FRT_STACKS_*; 0: none */
	struct frt_layout layout; /* .jdk_version 0: stacks are not walked */
	bool started, open_dump;
	int64_t room_ms; /* when the agent may be told again to ask for room */
	struct agent_build build;
	int connection;			 /* to a JVM that we started and that waits; else -1 */
	double begin_ms;		 /* when it began to wait */
	bool ran_early;			 /* when it was told to run, it did not wait any more */
	const struct intrinsics *wanted; /* NULL: none */
};

#endif
