/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a running recording, for all that shows it, prints of it, or acts on it. user/run/recording.h has its
 * life, and owns them.
 */
#ifndef USER_RECORD_RECORDING_H
#define USER_RECORD_RECORDING_H

#include "user/capture/session.h"
#include "user/jvm/jvm_model.h"
#include "user/process/container.h"
#include "user/record/recorder.h"
#include "user/record/throttle.h"

struct recording {
	struct settings *settings;
	struct target target;
	struct clock *clock;
	struct session *session;
	const struct segment *segment; /* of the session */
	struct recorder *recorder;
	struct output *output;
	struct throttle *throttle; /* NULL: no throttling */
	struct jvm_model model;
	char container[CONTAINER_TEXT]; /* the target's */
	struct diag not_counted;	/* why --alloc has no values; "": it has, or is not wanted */
	struct diag not_walked;		/* why stacks are not walked; "": they are, or are not wanted */
	bool awaited;			/* the JVM has run while classes of -e were awaited */
	uint64_t cpu_before;		/* the JVM's CPU time when tracing began, ns */
	int64_t begin_ns;		/* CLOCK_MONOTONIC when tracing began */
};

static inline bool recording_is_probed(const struct recording *r)
{
	return r->settings->source == SETTINGS_SOURCE_HOTSPOT;
}

#endif
