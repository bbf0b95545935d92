// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/process/apart.h"
#include "user/text/monotonic.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HANGS	1000000 /* numbers of processes that make a look hang, or crash; all others are doubled */
#define CRASHES 2000000

/* What a look has found. */
struct found {
	pid_t twice, child;
};

static void look(pid_t pid, void *result)
{
	struct found *f = result;

	f->child = getpid();
	while (pid == HANGS)
		pause();
	if (pid == CRASHES)
		raise(SIGKILL);
	f->twice += 2 * pid;
}

/* Results in their order. */
struct results {
	pid_t pid[2 * APART_MOST];
	int err[2 * APART_MOST];
	struct found found[2 * APART_MOST];
	int count;
};

static void keep(pid_t pid, int err, const void *result, void *context)
{
	struct results *r = context;

	r->pid[r->count] = pid;
	r->err[r->count] = err;
	if (!err)
		r->found[r->count] = *(const struct found *)result;
	r->count++;
}

CASE(the_result_of_a_look_is_returned)
{
	struct found f = {.twice = 5};

	assert_int_equal(apart_look(look, 21, &f, sizeof(f)), 0);
	assert_int_equal(f.twice, 42);
	assert_int_not_equal(f.child, getpid());
}

CASE(one_child_does_all_the_looks_that_do_not_hang)
{
	struct found first, second;

	assert_int_equal(apart_look(look, 1, &first, sizeof(first)), 0);
	assert_int_equal(apart_look(look, 2, &second, sizeof(second)), 0);
	assert_int_equal(first.child, second.child);
}

CASE(a_look_that_hangs_is_given_up)
{
	int64_t began = monotonic_ms();
	struct found f = {.twice = 5};

	assert_int_equal(apart_look(look, HANGS, &f, sizeof(f)), -ETIMEDOUT);
	assert_true(monotonic_ms() - began >= APART_HANG_MS);
	assert_int_equal(f.twice, 5);
}

static void look_slowly(pid_t pid, void *result)
{
	usleep(3 * APART_HANG_MS * 1000);
	((struct found *)result)->twice = 2 * pid;
}

/* It may hold a lock until it gets a CPU. */
CASE(a_process_that_waits_for_a_cpu_has_more_time)
{
	struct found f = {0};
	pid_t busy = fork();

	while (!busy)
		;
	assert_true(busy > 0);
	assert_int_equal(apart_look(look_slowly, busy, &f, sizeof(f)), 0);
	assert_int_equal(f.twice, 2 * busy);
	kill(busy, SIGSTOP);
	while (waitpid(busy, NULL, WUNTRACED) < 0)
		;
	assert_int_equal(apart_look(look_slowly, busy, &f, sizeof(f)), -ETIMEDOUT);
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
}

CASE(looks_go_on_beside_one_that_hangs)
{
	struct results r = {0};
	struct apart a = {.look = look, .size = sizeof(struct found), .done = keep, .context = &r};

	apart_begin(&a, HANGS);
	assert_true(apart_is_at(&a, HANGS));
	apart_begin(&a, 7);
	assert_false(apart_is_at(&a, 7));
	assert_int_equal(r.count, 1);
	assert_int_equal(r.pid[0], 7);
	assert_int_equal(r.found[0].twice, 14);
	assert_int_equal(apart_finish(&a), 0);
	assert_int_equal(r.count, 2);
	assert_int_equal(r.pid[1], HANGS);
	assert_int_equal(r.err[1], -ETIMEDOUT);
}

/* However many there are, they hang at the same time, and the rest is not begun. */
CASE(looks_that_hang_share_their_time)
{
	struct results r = {0};
	struct apart a = {.look = look, .size = sizeof(struct found), .done = keep, .context = &r};
	int refused = 0;

	for (int i = 0; i < APART_MOST + 3; i++)
		apart_begin(&a, HANGS);
	assert_true(r.count >= 3);
	assert_int_equal(apart_finish(&a), 0);
	assert_int_equal(r.count, APART_MOST + 3);
	for (int i = 0; i < r.count; i++)
		refused += r.err[i] == -EBUSY;
	assert_in_range(refused, 3,
			APART_MOST); /* on a machine that stands still some have been given up before the last begin */
	assert_int_equal(apart_look(look, 4, &r.found[0], sizeof(r.found[0])), 0);
}

CASE(a_crash_is_an_error)
{
	struct found f = {.twice = 5};

	assert_int_equal(apart_look(look, CRASHES, &f, sizeof(f)), -EIO);
	assert_int_equal(f.twice, 5);
	assert_int_equal(apart_look(look, 8, &f, sizeof(f)), 0);
	assert_int_equal(f.twice, 16);
}

CASE(a_child_that_was_killed_while_idle_is_replaced)
{
	struct found f;

	assert_int_equal(apart_look(look, 1, &f, sizeof(f)), 0);
	kill(f.child, SIGKILL);
	waitid(P_PID, f.child, &(siginfo_t){0}, WEXITED | WNOWAIT);
	assert_int_equal(apart_look(look, 9, &f, sizeof(f)), 0);
	assert_int_equal(f.twice, 18);
}

/* A fork has no children of its own yet. */
CASE(a_fork_does_not_use_the_children_of_its_parent)
{
	struct found before, f = {0};
	int status;
	pid_t child;

	assert_int_equal(apart_look(look, 1, &before, sizeof(before)), 0);
	child = fork();
	if (!child)
		_exit(apart_look(look, 2, &f, sizeof(f)) || f.child == before.child);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void other(pid_t pid, void *result)
{
	((struct found *)result)->twice = -1;
}

CASE(a_settled_child_does_one_look_only)
{
	struct found before, f, g = {0};

	assert_int_equal(apart_look(other, 1, &before, sizeof(before)), 0);
	apart_settle(look, sizeof(f));
	assert_int_equal(apart_look(look, 3, &f, sizeof(f)), 0);
	assert_int_equal(f.twice, 6);
	assert_int_not_equal(kill(f.child, 0), -1);
	assert_int_equal(apart_look(other, 3, &g, sizeof(g)), 0); /* by another one */
	assert_int_equal(g.twice, -1);
	assert_int_not_equal(kill(f.child, 0), -1);
	apart_settle(NULL, 0);
	assert_int_equal(kill(f.child, 0), -1);
}

static pid_t *sleeper; /* seen by all children; 0: none */

static void wake(int signal)
{
	(void)signal;
}

static void look_or_sleep(pid_t pid, void *result)
{
	if (pid == HANGS) {
		signal(SIGUSR1, wake);
		*sleeper = getpid();
		pause();
	}
	((struct found *)result)->twice = 2 * pid;
}

CASE(a_settled_child_that_hangs_looks_again_when_it_has_come_back)
{
	struct found f;
	pid_t asleep = 0;
	int hanging = 0, err;

	sleeper = mmap(NULL, sizeof(*sleeper), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(sleeper, MAP_FAILED);
	apart_settle(look_or_sleep, sizeof(f));
	while ((err = apart_look(look_or_sleep, HANGS, &f, sizeof(f))) == -ETIMEDOUT) {
		asleep = *sleeper;
		hanging++;
	}
	assert_int_equal(err, -EBUSY); /* and none is started */
	assert_in_range(hanging, 2, 10);
	assert_int_equal(kill(asleep, SIGUSR1), 0);
	for (int i = 0; i < 2000 && (err = apart_look(look_or_sleep, 3, &f, sizeof(f))) == -EBUSY; i++)
		usleep(10000);
	assert_int_equal(err, 0);
	assert_int_equal(f.twice, 6);
	apart_settle(NULL, 0);
	munmap(sleeper, sizeof(*sleeper));
}

static void write_to_all(pid_t pid, void *result)
{
	for (int fd = 0; fd < 64; fd++)
		if (fd != 3 && write(fd, "x", 1) == 1) /* the link to its parent */
			++*(int *)result;
}

/* The three writes that succeed go to /dev/null. */
CASE(the_child_has_no_descriptors)
{
	int ends[2], result = 0;
	struct pollfd poller;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(apart_look(write_to_all, 1, &result, sizeof(result)), 0);
	assert_int_equal(result, 3);
	poller = (struct pollfd){ends[0], POLLIN, 0};
	assert_int_equal(poll(&poller, 1, 0), 0);
	close(ends[0]);
	close(ends[1]);
}
