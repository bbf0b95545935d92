// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/thread_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS	 FRT_MAX_THREADS
#define VTHREADS 8192u
#define WAKERS	 1024u

/* A key is valid in the chunk in which it was requested. */
struct cached_key {
	uint64_t name; /* serial or Java id */
	uint64_t key;
	uint32_t chunk;
	bool carrier, named;
};

struct cached_waker {
	uint32_t tid, process, chunk;
	char name[16];
	uint64_t key;
	bool carrier;
	char shown[WAKER_NAME]; /* its name; "" if it is unknown */
};

struct thread_keys {
	struct jfr_writer *writer;
	const struct segment *segment;
	struct thread_names *names; /* NULL: unknown */
	uint32_t chunk;
	struct cached_key thread[THREADS], vthread[VTHREADS];
	struct cached_waker waker[WAKERS];
	struct stream_vthread named[VTHREADS]; /* virtual threads whose names have been seen, by Java id */
};

struct thread_keys *thread_keys_new(struct jfr_writer *writer, const struct segment *segment,
				    struct thread_names *names)
{
	struct thread_keys *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->writer = writer;
	k->segment = segment;
	k->names = names;
	return k;
}

void thread_keys_free(struct thread_keys *k)
{
	free(k);
}

void thread_keys_next_chunk(struct thread_keys *k)
{
	k->chunk++;
}

static uint64_t thread_keys_make_key(struct thread_keys *k, const struct frt_thread *row)
{
	char name[sizeof(row->name) + 1], group[sizeof(row->group) + 1];
	struct jfr_thread_constant c = {.name = name};

	snprintf(name, sizeof(name), "%.*s", (int)row->name_length, row->name);
	snprintf(group, sizeof(group), "%.*s", (int)row->group_length, row->group);
	c.group = group[0] ? group : NULL;
	c.os_id = row->tid;
	c.java_id = row->java_id;
	return jfr_thread(k->writer, &c);
}

static struct cached_key *find_thread(struct thread_keys *k, uint32_t serial)
{
	struct cached_key *c = &k->thread[serial % THREADS];
	struct frt_thread row;

	if (c->name == serial && c->chunk == k->chunk && c->key) /* a thread may be unknown only until its next call */
		return c;
	*c = (struct cached_key){.name = serial, .chunk = k->chunk, .carrier = true};
	if (segment_thread(k->segment, serial, &row)) {
		c->key = thread_keys_make_key(k, &row);
		c->carrier = row.carrier;
	}
	return c;
}

/* Calls of native methods and waits come without the thread's name. */
static struct cached_key *find_virtual(struct thread_keys *k, const struct stream_vthread *v)
{
	struct cached_key *c = &k->vthread[v->java_id % VTHREADS];
	struct stream_vthread *known = &k->named[v->java_id % VTHREADS];
	struct jfr_thread_constant constant = {.java_id = v->java_id, .is_virtual = true};
	bool named;

	if (v->name[0])
		*known = *v;
	named = known->java_id == v->java_id;
	constant.name = named ? known->name : v->name;
	if (c->name != v->java_id || c->chunk != k->chunk || c->named != named)
		*c = (struct cached_key){.name = v->java_id,
					 .chunk = k->chunk,
					 .named = named,
					 .key = v->java_id ? jfr_thread(k->writer, &constant) : 0};
	return c;
}

uint64_t thread_keys_of(struct thread_keys *k, uint32_t serial, const struct stream_vthread *v)
{
	return v ? find_virtual(k, v)->key : find_thread(k, serial)->key;
}

bool thread_keys_is_carrier(struct thread_keys *k, uint32_t serial)
{
	return find_thread(k, serial)->carrier;
}

static void show_java_name(char out[WAKER_NAME], const char *name, int length, uint64_t java_id)
{
	if (length)
		snprintf(out, WAKER_NAME, "%.*s", length, name);
	else
		snprintf(out, WAKER_NAME, java_id ? "thread #%llu" : "", (unsigned long long)java_id);
}

/* The youngest thread with that tid that the agent knows; older ones have ended. */
static void find_java(struct thread_keys *k, struct cached_waker *w)
{
	uint32_t last = segment_header(k->segment)->thread_serial;
	struct frt_thread row;

	for (uint32_t serial = last; serial && last - serial < THREADS; serial--)
		if (segment_tid(k->segment, serial) == w->tid && segment_thread(k->segment, serial, &row)) {
			w->key = thread_keys_of(k, serial, NULL);
			w->carrier = row.carrier;
			show_java_name(w->shown, row.name, row.name_length, row.java_id);
			return;
		}
}

/*
 * The key of a thread that the agent has not met, such as the JVM's own, or of a thread of another process, which is
 * named, too.
 */
static uint64_t make_other(struct thread_keys *k, struct cached_waker *w)
{
	const char *known = w->tid && k->names ? thread_names_of(k->names, w->tid, w->name) : NULL;
	char name[64];
	struct jfr_thread_constant c = {.name = known ?: name, .os_id = w->tid};

	if (w->tid)
		snprintf(name, sizeof(name), "%.16s", w->name);
	else
		snprintf(name, sizeof(name), "%.16s (process %u)", w->name, w->process);
	snprintf(w->shown, sizeof(w->shown), "%s", c.name);
	return jfr_thread(k->writer, &c);
}

/* NULL: it is unknown. */
static struct cached_waker *find_waker(struct thread_keys *k, uint32_t tid, uint32_t process, const char name[16])
{
	struct cached_waker *w = &k->waker[(tid + process * 31) % WAKERS];

	if (!tid && !process)
		return NULL;
	if (w->tid != tid || w->process != process || w->chunk != k->chunk || memcmp(w->name, name, sizeof(w->name))) {
		*w = (struct cached_waker){.tid = tid, .process = process, .chunk = k->chunk};
		memcpy(w->name, name, sizeof(w->name));
		if (tid)
			find_java(k, w);
		if (!w->key)
			w->key = make_other(k, w);
	}
	return w;
}

uint64_t thread_keys_of_waker(struct thread_keys *k, uint32_t tid, uint32_t process, const char name[16], bool *carrier)
{
	const struct cached_waker *w = find_waker(k, tid, process, name);

	*carrier = w && w->carrier;
	return w ? w->key : 0;
}

void thread_keys_name_waker(struct thread_keys *k, uint32_t tid, uint32_t process, const char name[16],
			    char out[WAKER_NAME], bool *carrier)
{
	const struct cached_waker *w = find_waker(k, tid, process, name);

	*carrier = w && w->carrier;
	snprintf(out, WAKER_NAME, "%s", w ? w->shown : "");
}

/* Beside the cache, where a thread without its name would stand in the way of the one with it. */
uint64_t thread_keys_of_virtual_waker(struct thread_keys *k, uint64_t java_id)
{
	const struct stream_vthread *v = &k->named[java_id % VTHREADS];
	struct jfr_thread_constant c = {
		.name = v->java_id == java_id ? v->name : "", .java_id = java_id, .is_virtual = true};

	return jfr_thread(k->writer, &c);
}

void thread_keys_name_virtual_waker(const struct thread_keys *k, uint64_t java_id, char out[WAKER_NAME])
{
	const struct stream_vthread *v = &k->named[java_id % VTHREADS];
	const char *name = v->java_id == java_id ? v->name : "";

	show_java_name(out, name, strlen(name), java_id);
}

bool thread_keys_is_collector(struct thread_keys *k, uint32_t tid, const char name[16])
{
	return tid && k->names && thread_names_is_collector(k->names, tid, name);
}
