/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of calls by the identity of an object, for later calls with the same one. A table has its objects as weak references, so
 * it keeps none alive, and a collector may move them. The JVM compares objects; a hash only says where to look. No locks: what is
 * in use by another thread is left alone, and an object that finds no room is not kept.
 */
#ifndef AGENT_KEPT_H
#define AGENT_KEPT_H

#include "uprobes/agent/control.h"

#include <jni.h>

struct kept_row {
	uint64_t state; /* see kept.c */
	jweak object;
	uint32_t hash;
	uint16_t event;
	uint16_t records;
	/* Of an event between two calls: of the first one the moment, TSC, the thread as in frt_since, and the number of its field. */
	uint64_t since; /* 0: it is of no such event */
	uint32_t thread;
	uint32_t number;
	struct frt_field record[];
};

/* First calls of events between two calls that no second one can find. */
struct kept_counts {
	uint64_t again;	    /* there was another one with the same object before the second call */
	uint64_t collected; /* their objects, by the JVM */
	uint64_t forgotten; /* to make room, or there was none */
};

struct kept_table;

/* A table of at most 8,192 rows that have room for that many records of values, of 4 MB if these are few. NULL without memory. */
struct kept_table *kept_new(uint32_t records);
uint32_t kept_rows(const struct kept_table *t);

/* When no thread uses it any more. Accepts NULL. */
void kept_free(JNIEnv *env, struct kept_table *t);

/* Where the thread of a slot notes the row that it has opened. */
struct kept_row **kept_own(struct kept_table *t, uint32_t slot);

/*
 * An empty row for what an event keeps of the object; nobody else sees it before kept_publish(), which then counts instead of what
 * was kept before. NULL: there is no room.
 */
struct kept_row *kept_open(JNIEnv *env, struct kept_table *t, jobject object, uint32_t event);
void kept_publish(JNIEnv *env, struct kept_table *t, struct kept_row *row);
void kept_drop(JNIEnv *env, struct kept_row *row); /* instead */

/* Where a thread's values go instead of into its ring. */
struct kept_sink {
	struct kept_table *table; /* NULL: into its ring */
	struct kept_row *row;
	bool full; /* a record had no room */
};
extern struct kept_sink kept_sinks[FRT_MAX_SLOTS];
void kept_add(struct kept_sink *sink, const struct frt_field *f);

/* What the event has kept of the object, or NULL. It stays as it is until kept_done(). */
struct kept_row *kept_find(JNIEnv *env, struct kept_table *t, jobject object, uint32_t event);
void kept_done(JNIEnv *env, struct kept_row *row);

/* Of such a row. Each that is published gets a new number, never 0. */
uint64_t kept_row_number(const struct kept_row *row);

/* The same, and nobody finds it any more. *out: the row without its values. False: there is none. */
bool kept_take(JNIEnv *env, struct kept_table *t, jobject object, uint32_t event, struct kept_row *out);

/* Take all first calls of events between two calls, and show those whose objects are there. */
void kept_each_begun(JNIEnv *env, struct kept_table *t, void (*show)(const struct kept_row *row, void *context),
		     void *context);

struct kept_counts *kept_counts(struct kept_table *t);

#endif
