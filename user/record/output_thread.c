// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread that appends finished chunks, so that the recorder goes on with the queue while one is written. There are two
 * buffers: the recorder fills one while the other is written, and they change places when the former is full. A recorder
 * that is faster than the disk waits there, as it would without the thread.
 */
#include "user/record/output_internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct output_thread {
	pthread_t thread;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t changed;
	bool over;
	bool busy; /* from output_put() on; then the chunk and the output are the thread's, without the lock */
	struct bytes chunk;
	int err; /* of the last chunk, with its message, until it has been reported */
	struct diag failure;
};

/* Nobody waits for the priority of a thread, so this one writes with that of the thread that waits for it. */
static void take_priority_of_recorder(void)
{
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, getpid()));
}

static void output_thread_write(struct output *o)
{
	struct output_thread *t = o->thread;
	struct diag d = {0};
	int err;

	pthread_mutex_unlock(&t->lock);
	take_priority_of_recorder();
	err = output_append(o, t->chunk.data, t->chunk.size, &d);
	pthread_mutex_lock(&t->lock);
	t->busy = false;
	t->err = err;
	t->failure = d;
	pthread_cond_signal(&t->changed);
}

static void *output_thread_run(void *output)
{
	struct output *o = output;
	struct output_thread *t = o->thread;

	pthread_mutex_lock(&t->lock);
	while (t->busy || !t->over)
		if (t->busy)
			output_thread_write(o);
		else
			pthread_cond_wait(&t->changed, &t->lock);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static void output_thread_free(struct output_thread *t)
{
	bytes_release(&t->chunk);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

void output_thread_begin(struct output *o)
{
	struct output_thread *t = o->form->is_stream ? NULL : calloc(1, sizeof(*t));

	if (!t)
		return;
	bytes_init(&t->chunk);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	o->thread = t;
	if (!pthread_create(&t->thread, NULL, output_thread_run, o))
		return;
	o->thread = NULL;
	output_thread_free(t);
}

void output_thread_end(struct output *o)
{
	struct output_thread *t = o->thread;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->over = true;
	pthread_cond_signal(&t->changed);
	pthread_mutex_unlock(&t->lock);
	pthread_join(t->thread, NULL);
	o->thread = NULL;
	output_thread_free(t);
}

bool output_is_busy(const struct output *o, bool wait)
{
	struct output_thread *t = o->thread;
	bool busy;

	if (!t)
		return false;
	pthread_mutex_lock(&t->lock);
	while (t->busy && wait)
		pthread_cond_wait(&t->changed, &t->lock);
	busy = t->busy;
	pthread_mutex_unlock(&t->lock);
	return busy;
}

int output_result(struct output *o, bool wait, struct diag *d)
{
	struct output_thread *t = o->thread;
	int err;

	if (output_is_busy(o, wait))
		return -EINPROGRESS;
	err = t ? t->err : 0;
	if (err) {
		*d = t->failure;
		t->err = 0;
	}
	return err;
}

static void output_thread_take(struct output_thread *t, struct bytes *chunk)
{
	struct bytes other = t->chunk;

	pthread_mutex_lock(&t->lock);
	t->chunk = *chunk;
	t->busy = true;
	pthread_cond_signal(&t->changed);
	pthread_mutex_unlock(&t->lock);
	*chunk = other;
}

int output_put(struct output *o, struct bytes *chunk, struct diag *d)
{
	int err = output_result(o, true, d);

	if (!err && !o->thread)
		return output_append(o, chunk->data, chunk->size, d);
	if (!err)
		output_thread_take(o->thread, chunk);
	return err;
}
