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
	uint32_t tid, origin, chunk;
	char name[16];
	uint64_t key;
	bool carrier, is_java;	/* is_java: it will not become better known in this chunk */
	char shown[WAKER_NAME]; /* its name; "" if it is unknown */
};

/* A thread with a slot: its serial, and what tells it from others that had its id. */
struct owner {
	uint32_t serial, tid, started;
};

struct thread_keys {
	struct jfr_writer *writer;
	const struct segment *segment;
	struct thread_names *names; /* NULL: unknown */
	uint32_t chunk;
	struct cached_key thread[THREADS], vthread[VTHREADS];
	struct cached_waker waker[WAKERS];
	struct owner owner[THREADS], last[THREADS]; /* by serial; by tid, the last one */
	struct stream_vthread named[VTHREADS];	    /* virtual threads whose names have been seen, by Java id */
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

void thread_keys_note_owner(struct thread_keys *k, uint32_t serial, uint32_t started)
{
	struct owner o = {.serial = serial, .tid = segment_tid(k->segment, serial), .started = started};

	k->owner[serial % THREADS] = o;
	k->last[o.tid % THREADS] = o;
}

void thread_keys_find_waker(const struct thread_keys *k, uint32_t serial, uint32_t *tid, uint32_t *origin)
{
	const struct owner *o = &k->owner[serial % THREADS];

	*tid = o->serial == serial ? o->tid : 0;
	*origin = *tid ? o->started : 0;
}

/* A thread that the agent knows. */
static bool find_java(struct thread_keys *k, struct cached_waker *w)
{
	const struct owner *o = &k->last[w->tid % THREADS];
	struct frt_thread row;

	if (!w->tid)
		return false;
	for (uint32_t i = 0; i < THREADS && (o->tid != w->tid || o->started != w->origin); i++)
		o = &k->owner[i];
	if (o->tid != w->tid || o->started != w->origin || !segment_thread(k->segment, o->serial, &row))
		return false;
	w->key = thread_keys_of(k, o->serial, NULL);
	w->carrier = row.carrier;
	show_java_name(w->shown, row.name, row.name_length, row.java_id);
	return true;
}

static uint64_t thread_keys_of_object(struct thread_keys *k, uint32_t tid, const struct thread_object *o)
{
	struct jfr_thread_constant c = {
		.name = o->name, .group = o->group[0] ? o->group : NULL, .os_id = tid, .java_id = (int64_t)o->java_id};

	return jfr_thread(k->writer, &c);
}

/* A Java thread that the agent has not met. */
static bool find_other_java(struct thread_keys *k, struct cached_waker *w)
{
	const struct thread_object *o = k->names ? thread_names_of(k->names, w->tid, w->origin, w->name) : NULL;

	if (!o)
		return false;
	w->carrier = !strcmp(o->group, "CarrierThreads");
	w->key = thread_keys_of_object(k, w->tid, o);
	show_java_name(w->shown, o->name, (int)strlen(o->name), o->java_id);
	return true;
}

/* A thread that is not known to be Java's, or one of another process, which is named, too. */
static void make_other(struct thread_keys *k, struct cached_waker *w)
{
	char name[WAKER_NAME];
	struct jfr_thread_constant c = {.name = name, .os_id = w->tid};

	if (w->tid)
		snprintf(name, sizeof(name), "%.16s", w->name);
	else
		snprintf(name, sizeof(name), "%.16s (process %u)", w->name, w->origin);
	strcpy(w->shown, name);
	w->key = jfr_thread(k->writer, &c);
}

/* NULL: it is unknown. */
static struct cached_waker *find_waker(struct thread_keys *k, uint32_t tid, uint32_t origin, const char name[16])
{
	struct cached_waker *w = &k->waker[(tid + origin * 31) % WAKERS];
	bool known;

	if (!tid && !origin)
		return NULL;
	known = w->tid == tid && w->origin == origin && w->chunk == k->chunk && !memcmp(w->name, name, sizeof(w->name));
	if (known && w->is_java)
		return w;
	if (!known) {
		*w = (struct cached_waker){.tid = tid, .origin = origin, .chunk = k->chunk};
		memcpy(w->name, name, sizeof(w->name));
		w->is_java = find_java(k, w);
	}
	if (tid && !w->is_java)
		w->is_java = find_other_java(k, w);
	if (!w->key)
		make_other(k, w);
	return w;
}

uint64_t thread_keys_of_waker(struct thread_keys *k, uint32_t tid, uint32_t origin, const char name[16], bool *carrier)
{
	const struct cached_waker *w = find_waker(k, tid, origin, name);

	*carrier = w && w->carrier;
	return w ? w->key : 0;
}

void thread_keys_name_waker(struct thread_keys *k, uint32_t tid, uint32_t origin, const char name[16],
			    char out[WAKER_NAME], bool *carrier)
{
	const struct cached_waker *w = find_waker(k, tid, origin, name);

	*carrier = w && w->carrier;
	snprintf(out, WAKER_NAME, "%s", w ? w->shown : "");
}

uint32_t thread_keys_find_owner(struct thread_keys *k, uint64_t owner, int64_t then)
{
	return k->names ? thread_names_owner(k->names, owner, then) : 0;
}

uint64_t thread_keys_of_owner(struct thread_keys *k, uint32_t tid)
{
	struct thread_object o;

	return k->names && thread_names_read(k->names, tid, &o) ? thread_keys_of_object(k, tid, &o) : 0;
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

void thread_keys_see_waker(struct thread_keys *k, uint32_t tid, uint32_t origin, const char name[16], int64_t woke)
{
	const struct owner *o = &k->last[tid % THREADS];

	if (tid && k->names && (o->tid != tid || o->started != origin))
		thread_names_see(k->names, tid, origin, name, woke);
}

bool thread_keys_is_collector(struct thread_keys *k, uint32_t tid, uint32_t origin, const char name[16])
{
	return tid && k->names && thread_names_is_collector(k->names, tid, origin, name);
}
