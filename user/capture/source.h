/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A source of calls: the agent, native methods beside it, or HotSpot's own probes. The session takes the steps of its
 * sources, in the order of session_new().
 */
#ifndef USER_CAPTURE_SOURCE_H
#define USER_CAPTURE_SOURCE_H

#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;

enum source_step {
	SOURCE_CHECK, /* is there room for another tracer? Nothing has been done to the target. */
	SOURCE_ATTACH,
	SOURCE_START,	/* from now on calls are recorded, and put into the queue */
	SOURCE_STARTED, /* all sources have started */
	SOURCE_TICK,	/* about twenty times a second */
	SOURCE_SWEPT,	/* at each sweep */
	SOURCE_UNHOOK,	/* remove what no recording wants any more */
	SOURCE_DUMP,	/* have the open calls told */
	SOURCE_STOP,	/* no calls follow; the open ones are reported */
	SOURCE_FINISH,	/* all records have been taken */
	SOURCE_STEPS
};

struct call_source {
	/* NULL: nothing is to be done. Each returns 0, or -errno with the message. */
	int (*step[SOURCE_STEPS])(struct session *s, struct diag *d);
	/* A record of the queue. False: it is malformed, or not this source's. NULL: there are none. */
	bool (*take)(struct session *s, const void *record, size_t size);
	/* May programs still be attached by perf events, after the start? That takes CAP_SYS_ADMIN or CAP_PERFMON. */
	bool (*may_probe)(const struct session *s);
	void (*release)(struct session *s); /* whatever steps have been taken */
};

extern const struct call_source source_agent, source_natives, source_hotspot;

/* The counts of HotSpot's probes in struct session_facts. NULL: they are not the source. */
struct hotspot_source;
void hotspot_source_count(const struct hotspot_source *h, uint64_t *missed, uint64_t *unseen);

#endif
