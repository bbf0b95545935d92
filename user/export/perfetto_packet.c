// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/perfetto_packet.h"
#include "format/proto.h"

/* Numbers of fields: trace_packet.proto and what it includes. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
};
enum { DEFAULTS_CLOCK = 58 };
enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 };
enum { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_IS_INCREMENTAL = 3 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { INTERNED_CATEGORIES = 1, INTERNED_NAMES = 2, INTERNED_ARGUMENTS = 3 };
enum { INTERNED_ID = 1, INTERNED_NAME = 2 };
enum {
	EVENT_CATEGORY = 3,
	EVENT_ARGUMENTS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_DOUBLE_VALUE = 44,
	EVENT_FLOWS = 47,
	EVENT_FLOWS_END = 48,
};
enum { ARGUMENT_NAME = 1, ARGUMENT_NUMBER = 4, ARGUMENT_TEXT = 6 };

enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum {
	CLOCK_OF_SEQUENCE = 64,
	CLOCK_OF_EPOCH = 1,	/* CLOCK_REALTIME */
	CLOCK_OF_BOOT = 3,	/* CLOCK_MONOTONIC */
	CLOCK_WITH_SUSPEND = 6, /* CLOCK_BOOTTIME */
};

#define SEQUENCE     102   /* any number; other traces count from 1 on */
#define PACKETS_SIZE 65536 /* bytes that are written at a time */

static const char *const argument_names[] = {
	[PERFETTO_THROWN] = "thrown",
	[PERFETTO_CPU] = "cpuNs",
	[PERFETTO_RUN_QUEUE] = "runQueueNs",
	[PERFETTO_BLOCKED] = "blockedNs",
	[PERFETTO_PAUSE] = "pauseNs",
	[PERFETTO_SYSTEM_CALLS] = "systemCalls",
	[PERFETTO_SYSTEM_CALL_TIME] = "systemCallNs",
	[PERFETTO_MAJOR_FAULTS] = "majorFaults",
	[PERFETTO_MINOR_FAULTS] = "minorFaults",
	[PERFETTO_SYSTEM_CALL] = "systemCall",
	[PERFETTO_WOKEN_BY] = "wokenBy",
	[PERFETTO_THROWN_CLASS] = "thrownClass",
	[PERFETTO_WOKEN_IN] = "wokenIn",
	[PERFETTO_WAKER_CALL] = "wakerCall",
	[PERFETTO_HELD_BY] = "heldBy",
	[PERFETTO_RESOURCE] = "resource",
	[PERFETTO_SERVICE] = "service",
	[PERFETTO_PROCESS] = "process",
	[PERFETTO_CONTAINER] = "container",
	[PERFETTO_ALLOCATED] = "allocatedBytes",
	[PERFETTO_REQUEST] = "requestNs",
	[PERFETTO_QUEUED] = "queuedNs",
	[PERFETTO_WHY] = "why",
};
static const char *const category_names[] = {
	[PERFETTO_TASK] = "task",	   [PERFETTO_CALL] = "call",	  [PERFETTO_WAIT] = "wait",
	[PERFETTO_RUNNABLE] = "run queue", [PERFETTO_VM_PAUSE] = "pause", [PERFETTO_WAKEUP] = "wakeup",
	[PERFETTO_SUBMIT] = "submit",	   [PERFETTO_PATH] = "path",
};

static size_t packet_begin(struct perfetto *p)
{
	size_t begun = proto_begin(&p->packets, TRACE_PACKET);

	proto_uint(&p->packets, PACKET_SEQUENCE, SEQUENCE);
	return begun;
}

static void packets_write(struct perfetto *p)
{
	if (!p->packets.failed)
		fwrite(p->packets.data, 1, p->packets.size, p->to);
	p->packets.size = 0;
}

static void packet_end(struct perfetto *p, size_t begun)
{
	proto_end(&p->packets, begun);
	if (p->packets.size >= PACKETS_SIZE)
		packets_write(p);
}

static void packet_put_clock(struct bytes *b, unsigned int id, int64_t time, bool incremental)
{
	size_t begun = proto_begin(b, SNAPSHOT_CLOCKS);

	proto_uint(b, CLOCK_ID, id);
	proto_uint(b, CLOCK_TIMESTAMP, time);
	if (incremental)
		proto_uint(b, CLOCK_IS_INCREMENTAL, true);
	proto_end(b, begun);
}

static unsigned int perfetto_main_clock(const struct perfetto *p)
{
	return p->clock.monotonic ? CLOCK_OF_BOOT : CLOCK_OF_EPOCH;
}

/*
 * The clocks at the start. A system trace that is read together with this one knows CLOCK_MONOTONIC, too. Perfetto takes
 * CLOCK_BOOTTIME as the clock of each file, and reports an error if it cannot convert it. A recording does not have it;
 * on a machine that was never suspended it is CLOCK_MONOTONIC. A recording with the time of day alone is read as that of a
 * machine that has run since 1970.
 */
static void packet_put_clocks(struct perfetto *p)
{
	size_t begun = proto_begin(&p->packets, PACKET_CLOCK_SNAPSHOT);

	packet_put_clock(&p->packets, CLOCK_OF_SEQUENCE, p->clock.start, true);
	packet_put_clock(&p->packets, perfetto_main_clock(p), p->clock.start, false);
	packet_put_clock(&p->packets, CLOCK_WITH_SUSPEND, p->clock.start, false);
	if (p->clock.monotonic)
		packet_put_clock(&p->packets, CLOCK_OF_EPOCH, p->clock.realtime, false);
	proto_uint(&p->packets, SNAPSHOT_PRIMARY, perfetto_main_clock(p));
	proto_end(&p->packets, begun);
	begun = proto_begin(&p->packets, PACKET_DEFAULTS);
	proto_uint(&p->packets, DEFAULTS_CLOCK, CLOCK_OF_SEQUENCE);
	proto_end(&p->packets, begun);
}

/* `first`: the number of the first name. */
static void packet_put_names(struct bytes *b, unsigned int field, const char *const *names, size_t count, size_t first)
{
	for (size_t i = 0; i < count; i++) {
		size_t begun = proto_begin(b, field);

		proto_uint(b, INTERNED_ID, first + i);
		proto_text(b, INTERNED_NAME, names[i]);
		proto_end(b, begun);
	}
}

void perfetto_begin(struct perfetto *p, FILE *to, const struct perfetto_clock *clock, const char *const *names,
		    size_t count)
{
	size_t begun, interned;

	*p = (struct perfetto){.to = to, .clock = *clock, .last = clock->start};
	begun = packet_begin(p);
	proto_uint(&p->packets, PACKET_FLAGS, FLAG_CLEARED);
	packet_put_clocks(p);
	interned = proto_begin(&p->packets, PACKET_INTERNED);
	packet_put_names(&p->packets, INTERNED_CATEGORIES, category_names + 1,
			 sizeof(category_names) / sizeof(category_names[0]) - 1, 1);
	packet_put_names(&p->packets, INTERNED_ARGUMENTS, argument_names + 1,
			 sizeof(argument_names) / sizeof(argument_names[0]) - 1, 1);
	packet_put_names(&p->packets, INTERNED_NAMES, names, count, 1);
	proto_end(&p->packets, interned);
	packet_end(p, begun);
}

bool perfetto_finish(struct perfetto *p)
{
	bool good = !p->packets.failed;

	packets_write(p);
	bytes_release(&p->packets);
	return good;
}

/* Begin a packet with a track; packet_end_track() ends it. */
static size_t packet_begin_track(struct perfetto *p, uint64_t track, size_t *begun)
{
	size_t inner;

	*begun = packet_begin(p);
	inner = proto_begin(&p->packets, PACKET_TRACK);
	proto_uint(&p->packets, TRACK_UUID, track);
	return inner;
}

static void packet_end_track(struct perfetto *p, size_t inner, size_t begun)
{
	proto_end(&p->packets, inner);
	packet_end(p, begun);
}

void perfetto_process(struct perfetto *p, uint64_t track, int64_t pid, const char *name)
{
	size_t begun, inner = packet_begin_track(p, track, &begun), process = proto_begin(&p->packets, TRACK_PROCESS);

	proto_uint(&p->packets, PROCESS_PID, pid);
	proto_text(&p->packets, PROCESS_NAME, name);
	proto_end(&p->packets, process);
	packet_end_track(p, inner, begun);
}

void perfetto_thread(struct perfetto *p, uint64_t track, int64_t pid, int64_t tid, const char *name)
{
	size_t begun, inner = packet_begin_track(p, track, &begun), thread = proto_begin(&p->packets, TRACK_THREAD);

	proto_uint(&p->packets, THREAD_PID, pid);
	proto_uint(&p->packets, THREAD_TID, tid);
	proto_text(&p->packets, THREAD_NAME, name);
	proto_end(&p->packets, thread);
	packet_end_track(p, inner, begun);
}

void perfetto_track(struct perfetto *p, uint64_t track, uint64_t parent, const char *name)
{
	size_t begun, inner = packet_begin_track(p, track, &begun);

	proto_text(&p->packets, TRACK_NAME, name);
	if (parent)
		proto_uint(&p->packets, TRACK_PARENT, parent);
	packet_end_track(p, inner, begun);
}

void perfetto_counter_track(struct perfetto *p, uint64_t track, uint64_t parent, const char *name)
{
	size_t begun, inner = packet_begin_track(p, track, &begun);

	proto_text(&p->packets, TRACK_NAME, name);
	proto_uint(&p->packets, TRACK_PARENT, parent);
	proto_data(&p->packets, TRACK_COUNTER, "", 0);
	packet_end_track(p, inner, begun);
}

void perfetto_put_number(struct bytes *out, enum perfetto_argument name, int64_t value)
{
	size_t begun = proto_begin(out, EVENT_ARGUMENTS);

	proto_uint(out, ARGUMENT_NAME, name);
	proto_uint(out, ARGUMENT_NUMBER, value);
	proto_end(out, begun);
}

void perfetto_put_text(struct bytes *out, enum perfetto_argument name, const char *text)
{
	size_t begun = proto_begin(out, EVENT_ARGUMENTS);

	proto_uint(out, ARGUMENT_NAME, name);
	proto_text(out, ARGUMENT_TEXT, text);
	proto_end(out, begun);
}

/* Begin a packet with an event at a time that is not before the last one; packet_end_track() ends it. */
static size_t packet_begin_event(struct perfetto *p, int64_t time, unsigned int type, uint64_t track, size_t *begun)
{
	size_t inner;

	*begun = packet_begin(p);
	proto_uint(&p->packets, PACKET_TIMESTAMP, time - p->last);
	p->last = time;
	if (type != TYPE_END)
		proto_uint(&p->packets, PACKET_FLAGS, FLAG_NEEDS_STATE);
	inner = proto_begin(&p->packets, PACKET_TRACK_EVENT);
	proto_uint(&p->packets, EVENT_TYPE, type);
	proto_uint(&p->packets, EVENT_TRACK, track);
	return inner;
}

void perfetto_slice_begin(struct perfetto *p, int64_t time, uint64_t track, enum perfetto_category category,
			  uint32_t name, const void *arguments, size_t size, uint32_t flow)
{
	size_t begun, inner = packet_begin_event(p, time, TYPE_BEGIN, track, &begun);

	proto_uint(&p->packets, EVENT_CATEGORY, category);
	proto_uint(&p->packets, EVENT_NAME, name);
	if (size)
		bytes_put(&p->packets, arguments, size);
	if (flow)
		proto_fixed64(&p->packets, EVENT_FLOWS_END, flow);
	packet_end_track(p, inner, begun);
}

void perfetto_slice_end(struct perfetto *p, int64_t time, uint64_t track, uint32_t flow)
{
	size_t begun, inner = packet_begin_event(p, time, TYPE_END, track, &begun);

	if (flow)
		proto_fixed64(&p->packets, EVENT_FLOWS_END, flow);
	packet_end_track(p, inner, begun);
}

void perfetto_instant(struct perfetto *p, int64_t time, uint64_t track, enum perfetto_category category, uint32_t name,
		      uint32_t flow)
{
	size_t begun, inner = packet_begin_event(p, time, TYPE_INSTANT, track, &begun);

	proto_uint(&p->packets, EVENT_CATEGORY, category);
	proto_uint(&p->packets, EVENT_NAME, name);
	proto_fixed64(&p->packets, EVENT_FLOWS, flow);
	packet_end_track(p, inner, begun);
}

void perfetto_counter(struct perfetto *p, int64_t time, uint64_t track, double value)
{
	size_t begun = packet_begin(p), inner;
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	proto_uint(&p->packets, PACKET_TIMESTAMP, time);
	proto_uint(&p->packets, PACKET_CLOCK, perfetto_main_clock(p));
	inner = proto_begin(&p->packets, PACKET_TRACK_EVENT);
	proto_uint(&p->packets, EVENT_TYPE, TYPE_COUNTER);
	proto_uint(&p->packets, EVENT_TRACK, track);
	proto_fixed64(&p->packets, EVENT_DOUBLE_VALUE, bits);
	packet_end_track(p, inner, begun);
}
