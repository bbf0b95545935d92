// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/apart.h"
#include "user/process/child.h"
#include "user/process/interrupt.h"
#include "user/process/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ASIDE_MS    20 /* without a sign of life, after which the next look begins */
#define SAMPLE_MS   10
#define RESULT_MOST 65536
#define SETTLED	    4 /* children for the looks of later: some may hang */
#define HAND	    3 /* the child's only descriptor, besides /dev/null */

struct request {
	void (*look)(pid_t pid, void *result);
	size_t size;
	pid_t pid;
	bool only; /* it is the only look from now on, and is not wanted yet */
};

/* A child that looks. */
struct hand {
	pid_t child;			       /* 0: none */
	int link;			       /* -1: it was left behind, and has not ended yet */
	struct apart *looks;		       /* NULL: it has nothing to do */
	void (*only)(pid_t pid, void *result); /* the only look that it does; NULL: any */
	bool late;			       /* its last look was given up, and its result is to be thrown away */
	pid_t at;			       /* the process that it looks at */
	struct proc_pulse pulse;
};

static struct hand hands[APART_MOST];
static pid_t owner;
static void (*settled_look)(pid_t pid, void *result); /* no child can be started for it; NULL: none */

/* One that hangs must not hold a pipe or a link of the parent. */
static void hand_close_others(int link)
{
	if (dup2(link, HAND) != HAND)
		_exit(1);
	syscall(SYS_close_range, HAND + 1, ~0u, 0);
	for (int fd = 0; fd < HAND; fd++)
		close(fd);
	while (open("/dev/null", O_RDWR) >= 0 && fcntl(HAND - 1, F_GETFD) < 0) /* a container may have none */
		;
}

static void hand_serve(int link)
{
	static char result[RESULT_MOST];
	struct request r, settled = {0};

	prctl(PR_SET_NAME, "frtrace-look");
	hand_close_others(link);
	while (recv(HAND, &r, sizeof(r), 0) == sizeof(r)) {
		if (settled.only) {
			r.look = settled.look;
			r.size = settled.size;
		}
		if (r.size > sizeof(result))
			break;
		if (r.only) {
			settled = r;
			continue;
		}
		memset(result, 0, r.size);
		r.look(r.pid, result);
		if (send(HAND, result, r.size, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

static int hand_start(struct hand *h)
{
	pid_t parent = getpid(), child = child_fork(&h->link);

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		hand_serve(h->link);
	}
	h->child = child > 0 ? child : 0;
	return child < 0 ? child : 0;
}

static void hand_reap(struct hand *h)
{
	if (h->child && h->link < 0 && waitpid(h->child, NULL, WNOHANG))
		h->child = 0;
}

static void hand_leave(struct hand *h)
{
	kill(h->child, SIGKILL);
	close(h->link);
	h->link = -1;
	h->looks = NULL;
	h->only = NULL;
	h->late = false;
	hand_reap(h);
}

/* One that nobody can replace may come back. */
static void hand_put_aside(struct hand *h)
{
	if (!h->only) {
		hand_leave(h);
		return;
	}
	h->looks = NULL;
	h->late = true;
}

/* Has it come back? */
static bool hand_comes_back(struct hand *h)
{
	static char result[RESULT_MOST];
	ssize_t n = recv(h->link, result, sizeof(result), MSG_DONTWAIT);

	if (n > 0)
		h->late = false;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		hand_leave(h);
	return n > 0;
}

/* One that has nothing to do ends at once. */
static void hand_end(struct hand *h)
{
	kill(h->child, SIGKILL);
	close(h->link);
	waitpid(h->child, NULL, 0);
	*h = (struct hand){.link = -1};
}

static void hand_give_up(struct hand *h, int err)
{
	struct apart *a = h->looks;
	pid_t at = h->at;

	if (err == -ETIMEDOUT)
		hand_put_aside(h);
	else
		hand_leave(h);
	a->pending--;
	a->done(at, err, NULL, a->context);
}

/* Take the result if it has come. True: the look is over. */
static bool hand_collect(struct hand *h)
{
	struct apart *a = h->looks;
	char *result = malloc(a->size + 1);
	ssize_t n = result ? recv(h->link, result, a->size + 1, MSG_DONTWAIT) : -1;

	if (n == (ssize_t)a->size) {
		h->looks = NULL;
		a->pending--;
		a->done(h->at, 0, result, a->context);
	} else if (!result || n >= 0 || (errno != EAGAIN && errno != EINTR)) {
		hand_give_up(h, result ? -EIO : -ENOMEM);
	}
	free(result);
	return h->looks != a;
}

/* Children of the parent that this process was forked from are not its own. */
static void hands_disown(void)
{
	if (owner == getpid())
		return;
	for (int i = 0; i < APART_MOST; i++)
		if (hands[i].child && hands[i].link >= 0)
			close(hands[i].link);
	memset(hands, 0, sizeof(hands));
	settled_look = NULL;
	owner = getpid();
}

/* NULL: too many hang, or *err says why it cannot be started. */
static struct hand *hand_new(int *err)
{
	struct hand *h = hands;

	while (h < hands + APART_MOST && h->child)
		h++;
	*err = h < hands + APART_MOST ? hand_start(h) : -EBUSY;
	return *err ? NULL : h;
}

/* A child that has nothing to do and may look so. NULL: as above. */
static struct hand *hand_find(void (*look)(pid_t pid, void *result), int *err)
{
	hands_disown();
	for (int i = 0; i < APART_MOST; i++) {
		struct hand *h = &hands[i];

		hand_reap(h);
		if (h->child && h->link >= 0 && !h->looks && (!h->only || h->only == look) &&
		    (!h->late || hand_comes_back(h)))
			return h;
	}
	*err = -EBUSY;
	return look == settled_look ? NULL : hand_new(err);
}

static int hand_ask(struct hand *h, struct apart *a, pid_t pid)
{
	const struct request r = {a->look, a->size, pid, false};

	if (send(h->link, &r, sizeof(r), MSG_NOSIGNAL) != sizeof(r))
		return -errno;
	h->looks = a;
	h->at = pid;
	h->pulse = (struct proc_pulse){0};
	a->pending++;
	return 0;
}

bool apart_is_at(const struct apart *a, pid_t pid)
{
	for (int i = 0; i < APART_MOST; i++)
		if (hands[i].looks == a && hands[i].at == pid)
			return true;
	return false;
}

void apart_begin(struct apart *a, pid_t pid)
{
	int err = a->size > RESULT_MOST ? -E2BIG : 0;
	struct hand *h = err ? NULL : hand_find(a->look, &err);

	if (h && (err = hand_ask(h, a, pid))) { /* it was killed while it had nothing to do */
		hand_leave(h);
		h = hand_find(a->look, &err);
		err = h ? hand_ask(h, a, pid) : err;
	}
	if (err) {
		a->done(pid, err, NULL, a->context);
		return;
	}
	do
		poll(&(struct pollfd){h->link, POLLIN, 0}, 1, SAMPLE_MS);
	while (!hand_collect(h) && proc_rests_ms(h->child, &h->pulse) < ASIDE_MS && !interrupted());
}

/*
 * True if a look shows no sign of life because the process does not answer. One that waits for a CPU, on a busy machine at a
 * low priority, may hold the lock of its memory map until it gets one: it has more time, unless it sleeps in FUSE.
 */
static bool hand_hangs(struct hand *h)
{
	static const char *const fuse[] = {"fuse", NULL};
	int64_t rests = proc_rests_ms(h->child, &h->pulse);

	if (rests < APART_HANG_MS)
		return false;
	return rests >= APART_STARVED_MS || !proc_wants_cpu(h->at) || proc_sleeps_in(h->at, fuse);
}

void apart_collect(struct apart *a)
{
	for (int i = 0; i < APART_MOST && a->pending; i++) {
		struct hand *h = &hands[i];

		if (h->looks == a && !hand_collect(h) && hand_hangs(h))
			hand_give_up(h, -ETIMEDOUT);
	}
}

int apart_finish(struct apart *a)
{
	while (a->pending && !interrupted()) {
		apart_collect(a);
		if (a->pending)
			usleep(SAMPLE_MS * 1000);
	}
	if (!a->pending)
		return 0;
	for (int i = 0; i < APART_MOST; i++)
		if (hands[i].looks == a)
			hand_put_aside(&hands[i]);
	a->pending = 0;
	return -EINTR;
}

/* The result of a single look. */
struct single {
	void *result;
	size_t size;
	int err;
};

static void single_done(pid_t pid, int err, const void *result, void *context)
{
	struct single *s = context;

	s->err = err;
	if (!err)
		memcpy(s->result, result, s->size);
}

int apart_look(void (*look)(pid_t pid, void *result), pid_t pid, void *result, size_t size)
{
	struct single single = {result, size, 0};
	struct apart a = {.look = look, .size = size, .done = single_done, .context = &single};

	apart_begin(&a, pid);
	return apart_finish(&a) ?: single.err;
}

void apart_settle(void (*look)(pid_t pid, void *result), size_t size)
{
	const struct request r = {look, size, 0, true};
	int err;

	hands_disown();
	for (int i = 0; i < APART_MOST; i++) {
		if (!hands[i].child || hands[i].link < 0 || hands[i].looks)
			continue;
		if (hands[i].late)
			hand_leave(&hands[i]);
		else
			hand_end(&hands[i]);
	}
	for (int i = 0; i < SETTLED && look; i++) {
		struct hand *h = hand_new(&err);

		if (h && send(h->link, &r, sizeof(r), MSG_NOSIGNAL) != sizeof(r))
			hand_leave(h);
		else if (h)
			h->only = look;
	}
	settled_look = look;
}
