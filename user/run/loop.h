/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The main loop of a recording: waits for records, drains them, and maintains the file and the live view until
 * something ends it.
 */
#ifndef USER_RUN_LOOP_H
#define USER_RUN_LOOP_H

#include "user/run/background.h"
#include "user/run/dump_trigger.h"
#include "user/run/program.h"
#include "user/run/printout.h"
#include "user/show/live.h"
#include "user/run/metrics.h"

struct loop {
	struct session *session;
	struct recorder *recorder;
	const struct target *target;
	const struct report *report;
	struct throttle *throttle;     /* NULL: no throttling */
	struct live *live;	       /* NULL: no live view */
	struct metrics *metrics;       /* NULL: no --metrics */
	struct background *background; /* NULL: in the foreground */
	struct dump_trigger *trigger;  /* NULL: no --dump-when */
	struct output *output;
	const char *path;	 /* of the recording */
	struct program *program; /* gets the signals, and its end ends the loop; NULL: none */
	uint64_t duration_ns;	 /* 0: no end */
	int signals;
};

/*
 * Block SIGINT, SIGTERM and SIGHUP: they now end the loop instead of the process. `for_program` also blocks the other
 * signals that are commonly sent to a program.
 */
int loop_init(struct loop *l, bool for_program, struct diag *d);
void loop_release(struct loop *l);

/*
 * Run until a signal, the duration, --max-events, or the end of the target, the program or the reader of the live view
 * (0), or until the recorder or the agent fails (-errno with the message). Before it begins, this process gives up the
 * capabilities that only attaching takes.
 */
int loop_run(struct loop *l, struct diag *d);

#endif
