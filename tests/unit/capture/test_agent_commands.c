// SPDX-License-Identifier: BSD-2-Clause
/* Both ends of the command word: the collector's functions, and a thread that answers as the agent's does. */
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"
#include "user/capture/agent_commands.h"
#include "user/process/run_directory.h"
#include "user/process/user_child.h"
#include "user/process/interrupt.h"
#include "user/text/monotonic.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct agent {
	struct segment segment;
	pthread_t thread;
	uint32_t result, last_kind;
	int work_ms; /* what a command takes; progress is counted meanwhile */
	bool ends, asks;
};

static struct target self(void)
{
	static int pidfd;

	pidfd = pidfd ?: (int)syscall(SYS_pidfd_open, getpid(), 0);
	return (struct target){.pid = getpid(), .ns_pid = getpid(), .pidfd = pidfd, .uid = getuid(), .gid = getgid()};
}

static void ask_for_room(struct frt_room *r)
{
	const struct timespec step = {.tv_nsec = 5000000};
	uint32_t question = r->answered + 1;

	r->bytes = r->classes = 7;
	__atomic_store_n(&r->asked, question, __ATOMIC_RELEASE);
	for (int i = 0; i < 2000 && __atomic_load_n(&r->answered, __ATOMIC_ACQUIRE) != question; i++)
		syscall(SYS_futex, &r->answered, FUTEX_WAIT, question - 1, &step, NULL, 0);
}

static void *serve(void *context)
{
	struct agent *a = context;
	struct frt_header *h = segment_header(&a->segment);
	const struct timespec step = {.tv_nsec = 5000000};
	uint32_t done = h->command.answered, number;

	while (!__atomic_load_n(&a->ends, __ATOMIC_ACQUIRE)) {
		number = __atomic_load_n(&h->command.number, __ATOMIC_ACQUIRE);
		if (number == done) {
			syscall(SYS_futex, &h->command.number, FUTEX_WAIT, done, &step, NULL, 0);
			continue;
		}
		for (int64_t end = monotonic_ms() + a->work_ms;
		     monotonic_ms() < end && !__atomic_load_n(&a->ends, __ATOMIC_ACQUIRE);) {
			__atomic_fetch_add(&h->progress, 1, __ATOMIC_RELAXED);
			usleep(1000);
		}
		if (a->asks)
			ask_for_room(&h->room);
		a->last_kind = h->command.kind;
		h->command.result = a->result;
		__atomic_store_n(&h->command.answered, number, __ATOMIC_RELEASE);
		syscall(SYS_futex, &h->command.answered, FUTEX_WAKE, 1, NULL, NULL, 0);
		done = number;
	}
	return NULL;
}

static void agent_start(struct agent *a)
{
	a->segment = fake_segment_new();
	assert_int_equal(pthread_create(&a->thread, NULL, serve, a), 0);
}

static void agent_end(struct agent *a)
{
	__atomic_store_n(&a->ends, true, __ATOMIC_RELEASE);
	pthread_join(a->thread, NULL);
	fake_segment_free(&a->segment);
}

CASE(commands_are_carried_out_one_by_one)
{
	struct agent a = {.result = FRT_DONE};
	struct target t = self();
	struct diag d;

	agent_start(&a);
	for (uint32_t i = 0; i < 200; i++) {
		enum frt_command_kind kind = FRT_COMMAND_START + i % (FRT_COMMANDS - FRT_COMMAND_START);

		assert_int_equal(agent_command(&a.segment, &t, NULL, kind, 10000, &d), 0);
		assert_int_equal(a.last_kind, kind);
	}
	agent_end(&a);
}

CASE(a_refusal_has_the_agents_words_or_those_of_its_result)
{
	struct agent a = {.result = FRT_JVMTI_FAILED};
	struct target t = self();
	struct diag d;

	agent_start(&a);
	assert_int_equal(agent_command(&a.segment, &t, NULL, FRT_COMMAND_STOP, 10000, &d), -EPROTO);
	assert_contains(d.text, "cannot 'stop' in the target: the JVM failed to carry it out");
	strcpy(segment_header(&a.segment)->message, "the JVM could not restore all classes");
	assert_int_equal(agent_command(&a.segment, &t, NULL, FRT_COMMAND_STOP, 10000, &d), -EPROTO);
	assert_contains(d.text, "could not restore all classes");
	/* no byte of a message ends it */
	memset(segment_header(&a.segment)->message, 'x', sizeof(segment_header(&a.segment)->message));
	assert_int_equal(agent_command(&a.segment, &t, NULL, FRT_COMMAND_STOP, 10000, &d), -EPROTO);
	agent_end(&a);
}

CASE(an_agent_that_asks_without_a_limit_is_given_nothing)
{
	struct agent a = {.result = FRT_DONE, .asks = true};
	struct metaspace unlimited = {.limit = METASPACE_NO_LIMIT};
	struct target t = self();
	struct frt_room *room;
	struct diag d;

	agent_start(&a);
	room = &segment_header(&a.segment)->room;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(agent_command(&a.segment, &t, i ? &unlimited : NULL, FRT_COMMAND_START, 10000, &d), 0);
		assert_int_equal(room->answered, i + 1);
		assert_int_equal(room->bytes, 0);
		assert_int_equal(room->classes, 0);
	}
	agent_end(&a);
}

CASE(nobody_answers)
{
	struct segment s = fake_segment_new();
	struct target t = self();
	struct diag d;

	assert_int_equal(agent_command(&s, &t, NULL, FRT_COMMAND_START, 20, &d), -ETIMEDOUT);
	assert_contains(d.text, "does not answer");
	/* the next collector does not send another one meanwhile */
	assert_int_equal(agent_command(&s, &t, NULL, FRT_COMMAND_STOP, 20, &d), -ETIMEDOUT);
	assert_int_equal(segment_header(&s)->command.number, 1);
	assert_int_equal(segment_header(&s)->command.kind, FRT_COMMAND_START);
	fake_segment_free(&s);
}

CASE(progress_gives_more_time_but_not_for_ever)
{
	struct agent slow = {.work_ms = 2500}, endless = {.work_ms = 1 << 30};
	struct target t = self();
	struct diag d;

	agent_start(&slow);
	assert_int_equal(agent_command(&slow.segment, &t, NULL, FRT_COMMAND_START, 1000, &d), 0);
	agent_end(&slow);
	agent_start(&endless);
	assert_int_equal(agent_command(&endless.segment, &t, NULL, FRT_COMMAND_START, 10, &d), -ETIMEDOUT);
	agent_end(&endless);
}

CASE(a_signal_ends_the_wait)
{
	struct segment s = fake_segment_new();
	struct target t = self();
	sigset_t set, before;
	struct diag d;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, &before);
	raise(SIGINT);
	assert_int_equal(agent_command(&s, &t, NULL, FRT_COMMAND_START, 60000, &d), -EINTR);
	interrupt_forget();
	sigprocmask(SIG_SETMASK, &before, NULL);
	fake_segment_free(&s);
}

CASE(the_target_ends_meanwhile)
{
	struct segment s = fake_segment_new();
	struct target t = self();
	struct diag d;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	t.pid = t.ns_pid = pid;
	t.pidfd = -1;
	assert_int_equal(agent_command(&s, &t, NULL, FRT_COMMAND_START, 60000, &d), -ESRCH);
	fake_segment_free(&s);
}

CASE(every_result_has_words)
{
	char text[AGENT_RESULT_TEXT];

	for (int result = FRT_NO_JVMTI; result <= FRT_ANOTHER_COPY; result++)
		assert_true(strlen(agent_result_text(result, text)) > 10);
	assert_contains(agent_result_text(FRT_CALL_KILLS | SYS_pwrite64, text), "kill the JVM for pwrite64()");
	assert_contains(agent_result_text(FRT_CALL_FAILS | EFBIG << 12 | SYS_ftruncate, text),
			"ftruncate() fails in the JVM");
	assert_contains(text, strerror(EFBIG));
}

CASE(a_lock_has_one_holder_and_ends_with_it)
{
	pid_t jvm = getpid();
	int lock, second, ready[2];
	char holder[32];
	struct diag d;
	pid_t pid;

	if (run_directory_make())
		skip(); /* no directory for locks */
	assert_int_equal(attach_lock(jvm, &lock, &d), 0);
	assert_true(lock >= 0);
	assert_int_equal(attach_lock(jvm, &second, &d), -EBUSY);
	snprintf(holder, sizeof(holder), "frtrace pid %d ", (int)getpid());
	assert_contains(d.text, holder);
	attach_unlock(jvm, lock);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		attach_lock(jvm, &lock, &d);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(ready[0], holder, 1), 1);
	assert_int_equal(attach_lock(jvm, &lock, &d), -EBUSY);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(attach_lock(jvm, &lock, &d), 0);
	attach_unlock(jvm, lock);
	close(ready[0]);
	close(ready[1]);
}
