/* SPDX-License-Identifier: BSD-2-Clause */
/* While it records: wait, take what has come, look after the file and the live line, until something ends it. */
#ifndef USER_LIVE_LOOP_H
#define USER_LIVE_LOOP_H

#include "user/live/background.h"
#include "user/live/program.h"
#include "user/live/report.h"
#include "user/live/live.h"

struct loop {
	struct session *session;
	struct recorder *recorder;
	const struct target *target;
	const struct report *report;
	struct throttle *brake;	       /* NULL: none */
	struct live *live;	       /* NULL: nothing is shown */
	struct background *background; /* NULL: it is in the foreground */
	struct program *program;       /* it gets the signals, and its end is one; NULL: none */
	uint64_t duration_ns;	       /* 0: no end */
	int signals;
};

/* From here on SIGINT, SIGTERM and SIGHUP end the loop instead of the process; for a program come those that people send to one. */
int loop_init(struct loop *l, bool for_program, struct diag *d);
void loop_release(struct loop *l);

/* Run until a signal, the duration, --max-events, the target's or the program's end or that of who reads the live view (0), or an error of the recorder or of the agent. */
int loop_run(struct loop *l, struct diag *d);

#endif
