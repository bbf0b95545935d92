// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/agent_commands.h"
#include "user/text/syscall_name.h"
#include "user/process/user_child.h"
#include "user/process/interrupt.h"
#include "user/process/proc.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STEP_TIMEOUTS 4	 /* times the timeout, for the next step after reported progress */
#define MAX_TIMEOUTS  40 /* times the timeout, in all */

struct wait {
	struct frt_header *header;
	struct metaspace *metaspace; /* NULL: it gets none */
	const struct target *target;
	int timeout_ms;
	int64_t deadline, last;
	uint32_t progress;
};

static const char *command_name(enum frt_command_kind kind)
{
	static const char *const names[FRT_COMMANDS] = {"",	"start",  "open-call dump",
							"stop", "unhook", "look for room"};

	return names[kind];
}

static const char *call_text(int result, char out[AGENT_RESULT_TEXT])
{
	char name[SYSCALL_NAME_TEXT];

	if (result & FRT_CALL_KILLS)
		snprintf(
			out, AGENT_RESULT_TEXT,
			"a seccomp filter would kill the JVM for %s(): allow that call, or have the filter return an error",
			syscall_name(result & 0xfff, name));
	else
		snprintf(out, AGENT_RESULT_TEXT, "%s() fails in the JVM, which the agent needs: %s",
			 syscall_name(result & 0xfff, name), strerror(result >> 12 & 0xfff));
	return out;
}

const char *agent_result_text(int result, char out[AGENT_RESULT_TEXT])
{
	if (result & (FRT_CALL_FAILS | FRT_CALL_KILLS))
		return call_text(result, out);
	switch (result) {
	case FRT_NO_JVMTI: return "the JVM has no JVMTI environment for it";
	case FRT_NO_CAPABILITIES: return "the JVM refuses the JVMTI capabilities to retransform classes";
	case FRT_NO_SEGMENT: return "the JVM cannot make shared memory";
	case FRT_NO_HELPER: return "the JVM refuses the helper class in its boot loader";
	case FRT_NOT_READY: return "another command is at work, or no recording runs";
	case FRT_NO_LISTENER: return "no tracer listens on frtrace:drain";
	case FRT_BAD_CONFIG: return "the configuration is not valid";
	case FRT_JVMTI_FAILED: return "the JVM failed to carry it out";
	case FRT_NO_THREAD_CLASS: return "java.lang.Thread is not as expected";
	case FRT_NO_THREAD_STARTED: return "the JVM cannot start a thread: is the limit of processes reached?";
	case FRT_SECCOMP:
		return "it has a seccomp filter, and the agent cannot make a child process that tries which system calls are safe";
	case FRT_ANOTHER_COPY: return "another frtrace is attaching to it at this moment";
	default: return "it does not know the command";
	}
}

static bool extend_deadline(struct wait *w)
{
	uint32_t progress = __atomic_load_n(&w->header->progress, __ATOMIC_RELAXED);

	if (progress == w->progress || monotonic_ms() > w->last)
		return false;
	w->progress = progress;
	w->deadline = monotonic_ms() + (int64_t)STEP_TIMEOUTS * w->timeout_ms;
	return true;
}

static int report_no_answer(const struct wait *w, struct diag *d)
{
	struct proc_status status;

	if (!proc_read_status(w->target->pid, &status) && (status.state == 'T' || status.state == 't'))
		return diag_set(d, ETIMEDOUT, "process %d '%s' is stopped (kill -CONT continues it)", w->target->pid,
				w->target->name);
	return diag_set(d, ETIMEDOUT, "the agent in process %d '%s' does not answer", w->target->pid, w->target->name);
}

static void answer_question(struct wait *w)
{
	struct frt_room *room = &w->header->room;
	uint32_t asked = __atomic_load_n(&room->asked, __ATOMIC_ACQUIRE);

	if (asked == room->answered)
		return;
	if (w->metaspace && w->metaspace->limited)
		metaspace_answer(w->metaspace, room);
	else
		room->bytes = room->classes = 0;
	__atomic_store_n(&room->answered, asked, __ATOMIC_RELEASE);
	syscall(SYS_futex, &room->answered, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Wait until the agent has answered command `number`. */
static int wait_for_answer(struct wait *w, uint32_t number, struct diag *d)
{
	const struct frt_command *c = &w->header->command;
	const struct timespec step = {.tv_nsec = INTERRUPT_POLL_MS * 1000000L};
	uint32_t answered;

	while ((answered = __atomic_load_n(&c->answered, __ATOMIC_ACQUIRE)) != number) {
		if (interrupted())
			return diag_set(d, EINTR, "interrupted");
		if (target_ended(w->target))
			return diag_set(d, ESRCH, "process %d '%s' has ended", w->target->pid, w->target->name);
		if (monotonic_ms() > w->deadline && !extend_deadline(w))
			return report_no_answer(w, d);
		answer_question(w);
		syscall(SYS_futex, &c->answered, FUTEX_WAIT, answered, &step, NULL, 0);
	}
	return 0;
}

/* Wait until no other collector has a command in progress. */
static int wait_for_turn(struct wait *w, const struct segment *s, struct diag *d)
{
	const struct timespec step = {.tv_nsec = INTERRUPT_POLL_MS * 1000000L};

	while (!segment_lock_command(s)) {
		if (interrupted())
			return diag_set(d, EINTR, "interrupted");
		if (target_ended(w->target))
			return diag_set(d, ESRCH, "process %d '%s' has ended", w->target->pid, w->target->name);
		if (monotonic_ms() > w->deadline && !extend_deadline(w))
			return diag_set(d, ETIMEDOUT, "another frtrace has been at work in it for too long");
		nanosleep(&step, NULL);
	}
	return 0;
}

static struct wait wait_begin(const struct segment *s, const struct target *t, struct metaspace *m, int timeout_ms)
{
	struct frt_header *h = segment_header(s);
	int64_t now = monotonic_ms();

	return (struct wait){.header = h,
			     .metaspace = m,
			     .target = t,
			     .timeout_ms = timeout_ms,
			     .deadline = now + timeout_ms,
			     .last = now + (int64_t)MAX_TIMEOUTS * timeout_ms,
			     .progress = __atomic_load_n(&h->progress, __ATOMIC_RELAXED)};
}

/* Send a command. Returns its number. */
static uint32_t post(struct frt_command *c, uint32_t recording, enum frt_command_kind kind)
{
	uint32_t number = c->number + 1;

	c->kind = kind;
	c->recording = recording;
	__atomic_store_n(&c->number, number, __ATOMIC_RELEASE);
	syscall(SYS_futex, &c->number, FUTEX_WAKE, 1, NULL, NULL, 0);
	return number;
}

static int say_refused(const struct segment *s, enum frt_command_kind kind, int result, struct diag *d)
{
	const struct frt_header *h = segment_header(s);
	char message[sizeof(h->message) + 1], text[AGENT_RESULT_TEXT];

	memcpy(message, h->message, sizeof(h->message));
	message[sizeof(h->message)] = 0;
	return diag_set(d, EPROTO, "cannot '%s' in the target: %s (result %d, JVMTI error %u)", command_name(kind),
			message[0] ? message : agent_result_text(result, text), result, h->last_error);
}

int agent_command(const struct segment *s, const struct target *t, struct metaspace *m, enum frt_command_kind kind,
		  int timeout_ms, struct diag *d)
{
	struct frt_command *c = &segment_header(s)->command;
	struct wait w = wait_begin(s, t, m, timeout_ms);
	struct diag why = {0};
	uint32_t result;
	int err = wait_for_turn(&w, s, &why);

	if (err)
		return diag_set(d, -err, "cannot '%s' in the target: %s", command_name(kind), why.text);
	err = wait_for_answer(&w, c->number, &why); /* a killed collector may have left a command in progress */
	if (!err)
		err = wait_for_answer(&w, post(c, s->recording, kind), &why);
	result = c->result;
	if (err)
		diag_set(d, -err, "cannot '%s' in the target: %s", command_name(kind), why.text);
	else if (result)
		err = say_refused(s, kind, result, d);
	segment_unlock_command(s);
	return err;
}
