// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/priority.h"
#include "user/text/io.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#define HIGHEST -20
#define MOST_MS 1000 /* until the thread ends, should waking it fail */

static int own; /* before it was raised */
static atomic_bool raised;
static int64_t until;

static struct {
	bool (*is_filling)(const void *of);
	const void *of;
	pthread_t thread;
	int events, end; /* an epoll instance; an eventfd that wakes the thread at the end */
	bool runs;
	atomic_bool over;
} watch;

/* What the other thread does meanwhile may undo it; it is called again as long as the queue fills up. */
static void raise_main_thread(void)
{
	if (!setpriority(PRIO_PROCESS, getpid(), HIGHEST))
		raised = true;
}

void priority_raise(void)
{
	if (!raised)
		own = getpriority(PRIO_PROCESS, getpid());
	raise_main_thread();
}

void priority_adapt(bool filling, int64_t now)
{
	if (filling) {
		raise_main_thread();
		until = now + PRIORITY_NS;
	} else if (raised && now >= until) {
		raised = false;
		setpriority(PRIO_PROCESS, getpid(), own);
	}
}

static void *watch_queue(void *unused)
{
	struct epoll_event e = {.events = 0};

	setpriority(PRIO_PROCESS, 0, HIGHEST);
	while (!watch.over)
		if (epoll_wait(watch.events, &e, 1, MOST_MS) > 0 && e.data.fd != watch.end &&
		    watch.is_filling(watch.of))
			raise_main_thread();
	return NULL;
}

/* Edge-triggered: what lies in the queue already is no reason to wake up again. */
static bool watch_begin(int fd)
{
	struct epoll_event queue = {.events = EPOLLIN | EPOLLET, .data.fd = fd};
	struct epoll_event end = {.events = EPOLLIN, .data.fd = watch.end};

	return watch.events >= 0 && watch.end >= 0 && !epoll_ctl(watch.events, EPOLL_CTL_ADD, fd, &queue) &&
	       !epoll_ctl(watch.events, EPOLL_CTL_ADD, watch.end, &end) &&
	       !pthread_create(&watch.thread, NULL, watch_queue, NULL);
}

static void watch_release(void)
{
	io_close(watch.events);
	io_close(watch.end);
}

void priority_watch(int fd, bool (*is_filling)(const void *of), const void *of)
{
	watch.is_filling = is_filling;
	watch.of = of;
	watch.events = epoll_create1(EPOLL_CLOEXEC);
	watch.end = eventfd(0, EFD_CLOEXEC);
	watch.over = false;
	watch.runs = watch_begin(fd);
	if (!watch.runs)
		watch_release();
}

void priority_unwatch(void)
{
	if (!watch.runs)
		return;
	watch.over = true;
	eventfd_write(watch.end, 1);
	pthread_join(watch.thread, NULL);
	watch_release();
	watch.runs = false;
}
