// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/planted.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"

/* All times but a few are in tenths of a millisecond, as views print them, in a slot of 100 ms for each case. */
#define D(tenths)	 ((tenths) * 100000ll)
#define AT(slot, tenths) D((slot) * 1000 + (tenths))
#define ROUND		 AT(33, 0)
/* The last round is far from the others, so that the page shows calls of each method: it chooses some of each slice. */
#define LAST_ROUND (PLANTED_ROUNDS - 1)
#define PAUSE	   D(6000000)
#define OVER(slot, ns)                                                                                         \
	{"Over" #ns ".inner", "main", AT(slot, 20), D(80) + ns, D(20), ns <= PLANTED_TOLERANCE, false, false}, \
	{                                                                                                      \
		"Over" #ns ".outer", "main", AT(slot, 0), D(100), D(20), 0, false, false                       \
	}

/* Two texts whose 64-bit FNV-1a hash is 0 (isthe.com/chongo/tech/comp/fnv). A reader that compares only hashes mixes them up. */
#define COLLIDES      "!0IC=VloaY"
#define COLLIDES_WITH "77kepQFQ8Kl"

/* In the order of the file: calls end before those around them. */
const struct planted_call planted_calls[] = {
	{"Plain.inner", "main", AT(0, 20), D(100), D(30), 1, false, false},
	{"Plain.outer", "main", AT(0, 0), D(200), D(50), 0, false, false},
	/* waits that begin before their calls */
	{"Early.call", "main", AT(1, 100), D(100), D(40), 0, false, false},
	{"Early.inner", "main", AT(2, 100), D(100), D(40), 1, false, false},
	{"Early.outer", "main", AT(2, 0), D(300), D(40), 0, false, false},
	/* waits that begin in one call and have their middle in the next one */
	{"Next.first", "main", AT(3, 0), D(50), D(4), 0, false, false},
	{"Next.second", "main", AT(3, 55), D(100), D(21), 0, false, false},
	{"Within.first", "main", AT(4, 10), D(50), D(4), 2, false, false},
	{"Within.second", "main", AT(4, 65), D(100), D(21), 1, false, false},
	{"Within.outer", "main", AT(4, 0), D(200), D(30), 0, false, false},
	/* the same span twice */
	{"Equal.inner", "main", AT(5, 0), D(100), D(20), 1, false, false},
	{"Equal.outer", "main", AT(5, 0), D(100), D(20), 0, false, false},
	/* calls that end some ns after those around them */
	OVER(6, 1),
	OVER(7, 2),
	OVER(8, 3),
	OVER(9, 1000),
	OVER(10, 1001),
	/* "relay" only passes the lock of "owner" on */
	{"Chain.owner", "owner", AT(11, 0), D(210), D(0), 0, false, false},
	{"Chain.relay", "relay", AT(11, 5), D(220), D(200), 0, false, false},
	{"Chain.call", "main", AT(11, 0), D(300), D(200), 0, false, false},
	/* of the holder's calls the innermost that was open for most of the wait counts */
	{"Holder.brief", "owner", AT(12, 50), D(20), D(0), 1, false, false},
	{"Holder.inner", "owner", AT(12, 25), D(210), D(0), 1, false, false},
	{"Holder.outer", "owner", AT(12, 0), D(400), D(0), 0, false, false},
	{"Held.call", "main", AT(12, 20), D(230), D(200), 0, false, false},
	/* two waits at one place; only one of them is for a lock that another thread holds */
	{"Condition.signal", "owner", AT(13, 0), D(225), D(0), 0, false, false},
	{"Place.take", "main", AT(13, 0), D(300), D(200), 0, false, false},
	{"Lock.owner", "owner", AT(13, 410), D(215), D(0), 0, false, false},
	{"Place.take", "main", AT(13, 400), D(300), D(200), 0, false, false},
	/* "relay" waited itself, from long before on */
	{"Long.owner", "owner", AT(14, 0), D(1415), D(0), 0, false, false},
	{"Long.relay", "relay", AT(14, 0), D(1500), D(1400), 0, false, false},
	{"Long.call", "main", AT(14, 1300), D(200), D(110), 0, false, false},
	/* equal waits of two threads, for two locks */
	{"Twin.owner", "owner", AT(16, 10), D(215), D(0), 0, false, false},
	{"Twin.relay", "relay", AT(16, 10), D(215), D(0), 0, false, false},
	{"Twin.one", "main", AT(16, 0), D(300), D(200), 0, false, false},
	{"Twin.two", "other", AT(16, 0), D(300), D(200), 0, false, false},
	{"Virtual.inner", "virtual", AT(17, 20), D(100), D(30), 1, false, false},
	{"Virtual.outer", "virtual", AT(17, 0), D(200), D(30), 0, false, false},
	{"Thrown.inner", "main", AT(18, 20), D(100), D(0), 1, true, false},
	{"Thrown.outer", "main", AT(18, 0), D(200), D(0), 0, true, false},
	{"Unknown.inner", "main", AT(19, 20), D(100), PLANTED_UNKNOWN, 1, false, false},
	{"Unknown.outer", "main", AT(19, 0), D(200), D(20), 0, false, false},
	{"Later.call", "main", AT(20, 0), D(200), D(30), 0, false, true},
	{"Collide.call", "main", AT(21, 0), D(200), D(50), 0, false, false},
	/* a wait that frtrace caused makes no call slow */
	{"Own.slow", "main", AT(22, 100), D(100), D(60), 0, false, false},
	{"Own.fair", "main", AT(22, 300), D(80), D(0), 0, false, false},
	/* a wait with its middle where one call ends and the next one begins */
	{"Edge.first", "main", AT(25, 0), D(50), D(10), 0, false, false},
	{"Edge.second", "main", AT(25, 50), D(50), D(10), 0, false, false},
	/* of a lock that was passed on early, only the time until then counts: "Passed.inner" was open for most of that */
	{"Passed.inner", "owner", AT(26, 70), D(61), D(0), 1, false, false},
	{"Passed.owner", "owner", AT(26, 0), D(132), D(0), 0, false, false},
	{"Passed.relay", "relay", AT(26, 0), D(225), D(125), 0, false, false},
	{"Passed.call", "main", AT(26, 0), D(300), D(200), 0, false, false},
	{"End.inner", "main", AT(24, 150), D(50), D(0), 1, false, false},
	{"End.middle", "main", AT(24, 120), D(80), D(0), 1, false, false},
	{"End.outer", "main", AT(24, 100), D(100), D(0), 0, false, false},
	/* the longer one ended first, as rounding has it */
	{"Begun.outer", "main", AT(27, 0), D(100) + 1, D(0), 0, false, false},
	{"Begun.inner", "main", AT(27, 0), D(100), D(0), -1, false, false},
	/* a wait that is around another one, but with its middle in another call */
	{"Apart.first", "main", AT(28, 0), D(100), D(20), 0, false, false},
	{"Apart.second", "main", AT(28, 150), D(100), D(80), 0, false, false},
	/* without what frtrace caused, the call is shorter than the one in it */
	{"Charged.inner", "main", AT(29, 0), D(60), D(0), 1, false, false},
	{"Charged.outer", "main", AT(29, 0), D(100), D(50), 0, false, false},
	/* a task that had just ended, one that began before the request that waits, one after which the waker woke another */
	{"Task.inner", "owner", AT(30, 100), D(120), D(0), 1, false, false},
	{"Task.render", "owner", AT(30, 20), D(200), D(0), 0, false, false},
	{"Await.call", "main", AT(30, 0), D(300), D(200), 0, false, false},
	{"Task.early", "owner", AT(31, 0), D(220), D(0), 0, false, false},
	{"Await.early", "main", AT(31, 10), D(300), D(200), 0, false, false},
	{"Task.shared", "owner", AT(32, 20), D(200), D(0), 0, false, false},
	{"Await.shared", "main", AT(32, 0), D(300), D(200), 0, false, false},
	{"Await.second", "other", AT(32, 0), D(300), D(200), 0, false, false},
	{"Again.call", "main", AT(23, 100), D(50), D(0), 1, false, false},
	{"Again.call", "main", AT(23, 50), D(200), D(0), 1, false, false},
	{"Again.call", "main", AT(23, 0), D(300), D(0), 0, false, false},
};
const size_t planted_call_count = sizeof(planted_calls) / sizeof(planted_calls[0]);

const struct planted_wait planted_waits[] = {
	{"plain", "main", AT(0, 40), D(30), "Plain.inner", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"outer", "main", AT(0, 150), D(20), "Plain.outer", NO_STACK, "other", NULL, NULL, NULL, NULL},
	{"early", "main", AT(1, 95), D(40), "Early.call", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"early inner", "main", AT(2, 95), D(40), "Early.inner", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"next", "main", AT(3, 46), D(30), "Next.second", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"within", "main", AT(4, 56), D(30), "Within.second", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"equal", "main", AT(5, 40), D(20), "Equal.inner", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"over1", "main", AT(6, 40), D(20), "Over1.inner", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"over2", "main", AT(7, 40), D(20), "Over2.inner", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"futex", "relay", AT(11, 10), D(200), "Chain.relay", MONITOR, "owner", "Chain.owner", "owner", "Chain.owner",
	 NULL},
	{"futex", "main", AT(11, 20), D(200), "Chain.call", MONITOR, "relay", "Chain.relay", "owner", "Chain.owner",
	 NULL},
	{"futex", "main", AT(12, 30), D(200), "Held.call", MONITOR, "owner", "Holder.inner", "owner", "Holder.inner",
	 NULL},
	{"parked", "main", AT(13, 20), D(200), "Place.take", CONDITION, "owner", "Condition.signal", NULL, NULL,
	 "in Condition.signal"},
	{"parked", "main", AT(13, 420), D(200), "Place.take", LOCK, "owner", "Lock.owner", "owner", "Lock.owner", NULL},
	{"futex", "relay", AT(14, 10), D(1400), "Long.relay", MONITOR, "owner", "Long.owner", "owner", "Long.owner",
	 NULL},
	{"futex", "main", AT(14, 1310), D(110), "Long.call", MONITOR, "relay", "Long.relay", "owner", "Long.owner",
	 NULL},
	{"futex", "main", AT(16, 20), D(200), "Twin.one", MONITOR, "owner", "Twin.owner", "owner", "Twin.owner", NULL},
	{"futex", "other", AT(16, 20), D(200), "Twin.two", MONITOR, "relay", "Twin.relay", "relay", "Twin.relay", NULL},
	{"virtual", "virtual", AT(17, 40), D(30), "Virtual.inner", NO_STACK, "main", NULL, NULL, NULL, NULL},
	{"unknown", "main", AT(19, 40), D(20), "Unknown.inner", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"later", "main", AT(20, 40), D(30), "Later.call", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{COLLIDES, "main", AT(21, 20), D(20), "Collide.call", NO_STACK, COLLIDES, NULL, NULL, NULL, NULL},
	{COLLIDES_WITH, "main", AT(21, 50), D(30), "Collide.call", NO_STACK, COLLIDES_WITH, NULL, NULL, NULL, NULL},
	{"frtrace", "main", AT(22, 90), D(60), "Own.slow", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"edge", "main", AT(25, 40), D(20), "Edge.second", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"futex", "relay", AT(26, 5), D(125), "Passed.relay", MONITOR, "owner", "Passed.owner", "owner", "Passed.owner",
	 NULL},
	{"futex", "main", AT(26, 20), D(200), "Passed.call", MONITOR, "relay", "Passed.relay", "owner", "Passed.inner",
	 NULL},
	{"apart", "main", AT(28, 0), D(400), "Apart.second", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"brief", "main", AT(28, 20), D(20), "Apart.first", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"frtrace", "main", AT(29, 50), D(90), "Charged.outer", NO_STACK, NULL, NULL, NULL, NULL, NULL},
	{"futex", "main", AT(30, 21), D(200), "Await.call", FUTURE, "owner", NULL, NULL, NULL, "after Task.render"},
	{"futex", "main", AT(31, 21), D(200), "Await.early", FUTURE, "owner", NULL, NULL, NULL, NULL},
	{"futex", "main", AT(32, 21), D(200), "Await.shared", FUTURE, "owner", NULL, NULL, NULL, "after Task.shared"},
	{"futex", "other", AT(32, 22), D(200), "Await.second", FUTURE, "owner", NULL, NULL, NULL, NULL},
	{"outside", "main", AT(24, 0), D(20), NULL, NO_STACK, NULL, NULL, NULL, NULL, NULL},
};
const size_t planted_wait_count = sizeof(planted_waits) / sizeof(planted_waits[0]);

static const char *const planted_threads[] = {"main", "relay", "owner", "other", "virtual", COLLIDES, COLLIDES_WITH};

const struct planted_call *planted_around(const struct planted_call *c)
{
	return c->in ? c + c->in : NULL;
}

const struct planted_call *planted_root(const struct planted_call *c)
{
	return c->in ? planted_root(c + c->in) : c;
}

const struct planted_call *planted_call_of(const struct planted_wait *w)
{
	for (size_t i = 0; w->in && i < planted_call_count; i++) {
		const struct planted_call *c = &planted_calls[i];
		int64_t into = w->start + w->duration / 2 - c->start;

		if (!strcmp(c->method, w->in) && !strcmp(c->thread, w->thread) && into >= 0 && into < c->duration)
			return c;
	}
	assert_null(w->in);
	return NULL;
}

int64_t planted_run_queue(const struct planted_call *c)
{
	return c->blocked == PLANTED_UNKNOWN ? PLANTED_UNKNOWN : c->duration / 20;
}

int64_t planted_cpu(const struct planted_call *c)
{
	return c->blocked == PLANTED_UNKNOWN ? PLANTED_UNKNOWN : c->duration - c->blocked - planted_run_queue(c);
}

const char *planted_name(const char *text)
{
	static char names[4][200];
	static unsigned int next;
	char *name = names[next++ % 4];

	text += strncmp(text, "shop.", 5) ? 0 : 5;
	snprintf(name, sizeof(names[0]), "%.*s", (int)strcspn(text, "("), text);
	return name;
}

void claim_nesting(struct claims *f, const char *around, const char *method)
{
	claim_add(f, "%s > %s", around ?: "", method);
}

void sum_calls(struct sums *s, const char *method, int64_t calls, int64_t thrown, int64_t time)
{
	sum_up(s, calls, "calls of %s", method);
	sum_up(s, thrown, "thrown of %s", method);
	sum_up(s, time, "time of %s", method);
}

void sum_parts(struct sums *s, const char *method, int64_t cpu, int64_t run_queue, int64_t blocked)
{
	sum_up(s, cpu, "cpu of %s", method);
	sum_up(s, run_queue, "run queue of %s", method);
	sum_up(s, blocked, "blocked of %s", method);
}

void sum_wait(struct sums *s, const char *reason, const char *method, int64_t time)
{
	sum_up(s, time, "%s in %s", reason, method);
}

void planted_nesting(struct claims *f)
{
	for (int round = 0; round < PLANTED_ROUNDS; round++)
		for (size_t i = 0; i < planted_call_count; i++) {
			const struct planted_call *c = &planted_calls[i];

			claim_nesting(f, c->in ? planted_around(c)->method : NULL, c->method);
		}
}

void planted_sums(struct sums *s)
{
	for (size_t i = 0; i < planted_call_count; i++) {
		const struct planted_call *c = &planted_calls[i];

		sum_calls(s, c->method, PLANTED_ROUNDS, PLANTED_ROUNDS * c->thrown, PLANTED_ROUNDS * c->duration);
		sum_parts(s, c->method, PLANTED_ROUNDS * planted_cpu(c), PLANTED_ROUNDS * planted_run_queue(c),
			  PLANTED_ROUNDS * c->blocked);
	}
}

void planted_reason_sums(struct sums *s, bool (*counts)(const struct planted_call *c))
{
	for (size_t i = 0; i < planted_wait_count; i++) {
		const struct planted_wait *w = &planted_waits[i];

		for (const struct planted_call *c = planted_call_of(w); c; c = planted_around(c))
			if (!counts || counts(c))
				sum_wait(s, w->reason, c->method, PLANTED_ROUNDS * w->duration);
	}
}

/* ---- the recording */

int64_t planted_base(int round)
{
	return round * ROUND + (round == LAST_ROUND ? PAUSE : 0);
}

static uint64_t key_of_method(struct jfr_writer *w, const char *class, const char *name)
{
	uint64_t key = jfr_class(w, &(struct jfr_class_constant){.name = class});

	return jfr_method(w, &(struct jfr_method_constant){.class_key = key, .name = name, .descriptor = "()V"});
}

/* Of "Cart.pay" */
static uint64_t key_of(struct jfr_writer *w, const char *method)
{
	const char *dot = strchr(method, '.');
	char class[100];

	snprintf(class, sizeof(class), "shop/%.*s", (int)(dot - method), method);
	return key_of_method(w, class, dot + 1);
}

static uint64_t key_of_thread(struct jfr_writer *w, const char *name)
{
	struct jfr_thread_constant t = {.name = name, .java_id = 1};

	if (!name)
		return 0;
	while (strcmp(planted_threads[t.java_id - 1], name) != 0)
		t.java_id++;
	t.is_virtual = !strcmp(name, "virtual");
	t.os_id = t.is_virtual ? 0 : 4000 + t.java_id;
	return jfr_thread(w, &t);
}

static uint64_t key_of_stack(struct jfr_writer *w, enum planted_stack stack, const char *method)
{
	const char *const lock[] = {"java/util/concurrent/locks/LockSupport", "park",
				    "java/util/concurrent/locks/ReentrantLock", "lock"};
	const char *const condition[] = {"java/util/concurrent/locks/LockSupport", "park",
					 "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject",
					 "await"};
	const char *const future[] = {"java/util/concurrent/locks/LockSupport", "park",
				      "java/util/concurrent/FutureTask", "get"};
	const char *const *above = stack == LOCK	? lock
				   : stack == CONDITION ? condition
				   : stack == FUTURE	? future
							: NULL;
	struct jfr_frame frames[3];
	size_t n = 0;

	if (!method)
		return 0;
	for (; above && n < 2; n++)
		frames[n] = (struct jfr_frame){key_of_method(w, above[2 * n], above[2 * n + 1]), 5, 1, JFR_FRAME_JIT};
	frames[n++] = (struct jfr_frame){key_of(w, method), 17, 3, JFR_FRAME_JIT};
	return jfr_stack(w, frames, n, false);
}

static void put_planted_call(struct jfr_writer *w, const struct planted_call *c, int64_t base)
{
	bool known = c->blocked != PLANTED_UNKNOWN;

	jfr_method_trace(w, &(struct jfr_method_trace){.start = base + c->start,
						       .duration = c->duration,
						       .thread = key_of_thread(w, c->thread),
						       .stack = key_of_stack(w, MONITOR, "Main.run"),
						       .method = key_of(w, c->method),
						       .thrown = c->thrown,
						       .cpu = known ? planted_cpu(c) : JFR_MISSING,
						       .run_queue = known ? planted_run_queue(c) : JFR_MISSING,
						       .blocked = known ? c->blocked : JFR_MISSING});
}

static void put_planted_wait(struct jfr_writer *w, const struct planted_wait *wait, int64_t base)
{
	jfr_thread_wait(w, &(struct jfr_thread_wait){.start = base + wait->start,
						     .duration = wait->duration,
						     .woken_after = wait->duration - D(1) / 10,
						     .thread = key_of_thread(w, wait->thread),
						     .stack = wait->stack ? key_of_stack(w, wait->stack, wait->in) : 0,
						     .waker = key_of_thread(w, wait->waker),
						     .waker_stack = key_of_stack(w, MONITOR, wait->woken_in),
						     .reason = wait->reason,
						     .resource = wait->stack ? NULL : PLANTED_RESOURCE});
}

struct bytes planted_recording(void)
{
	struct recording r = recording_new_with(JFR_KERNEL_WAITS);
	struct bytes file;

	for (int round = 0; round < PLANTED_ROUNDS; round++) {
		int64_t base = T0 + planted_base(round);

		r.now = base;
		recording_begin(&r);
		for (size_t i = 0; i < planted_wait_count; i++)
			put_planted_wait(r.w, &planted_waits[i], base);
		for (size_t i = 0; i < planted_call_count; i++)
			if (!planted_calls[i].later)
				put_planted_call(r.w, &planted_calls[i], base);
		recording_end(&r, false);
		recording_begin(&r);
		for (size_t i = 0; i < planted_call_count; i++)
			if (planted_calls[i].later)
				put_planted_call(r.w, &planted_calls[i], base);
		recording_end(&r, round == LAST_ROUND);
	}
	file = r.file;
	r.file = (struct bytes){0};
	recording_free(&r);
	return file;
}
