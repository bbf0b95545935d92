// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/commands.h"
#include "filters/matcher.h"
#include "uprobes/agent/allocated.h"
#include "uprobes/agent/classes.h"
#include "uprobes/agent/fields/fields.h"
#include "uprobes/agent/inside.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/loader.h"
#include "uprobes/agent/mounts.h"
#include "uprobes/agent/open_dump.h"
#include "uprobes/agent/recordings.h"
#include "uprobes/agent/retransform.h"
#include "uprobes/agent/ring.h"
#include "uprobes/agent/slot.h"
#include "uprobes/agent/stack.h"
#include "uprobes/agent/stack_named.h"
#include "uprobes/agent/tasks/tasks.h"
#include "uprobes/agent/timing.h"
#include "uprobes/agent/virtual_calls.h"

#define HEAL_STEP_MS	  100
#define LOCAL_REFERENCES  64
#define PULSE_AFTER_STEPS 300 /* 30 s without a heartbeat: a slow disk can block the collector for a while */
#define MOST_FAILURES	  5   /* 48 s */
#define HEAL_AFTER_STEPS  15u /* 1.5 s without a tracer: even a loaded machine restores within 3 s */

static void *pattern_memory[FRT_RECORDINGS];

static const char no_memory[] = "the JVM has no memory left";

static enum frt_result agent_fail(enum frt_result result, const char *message)
{
	control_say(message);
	return result;
}

static jvmtiError set_events(jvmtiEventMode mode)
{
	static const jvmtiEvent events[] = {JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END, JVMTI_EVENT_VM_DEATH,
					    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_PREPARE};
	jvmtiError error = JVMTI_ERROR_NONE;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]) && !error; i++)
		if (mode == JVMTI_ENABLE || events[i] != JVMTI_EVENT_CLASS_PREPARE || !classes_need_prepare())
			error = (*jvmti)->SetEventNotificationMode(jvmti, mode, events[i], NULL);
	return error;
}

/* A JVM without them is read as it stands. */
static void set_collection_events(jvmtiEventMode mode)
{
	(*jvmti)->SetEventNotificationMode(jvmti, mode, JVMTI_EVENT_GARBAGE_COLLECTION_START, NULL);
	(*jvmti)->SetEventNotificationMode(jvmti, mode, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, NULL);
}

static struct frt_recording *agent_row(uint32_t recording)
{
	return &control->recording[recording];
}

/*
 * The collector may change the config at any time, so matching uses a copy of the filter program. The copy of the
 * recording that had the row before is released; but while a callback is running, which can take as long as a class
 * loader likes, it may read that one still. Then losing it is better.
 */
static enum frt_result copy_pattern(uint32_t recording, struct matcher *p)
{
	const struct frt_config *config = control_config(recording);
	size_t size = config->pattern_size;
	void *copy;

	if (size > FRT_CONFIG_SIZE - sizeof(*config))
		return FRT_BAD_CONFIG;
	copy = sys_map(FRT_CONFIG_SIZE);
	if (!copy)
		return FRT_JVMTI_FAILED;
	memcpy(copy, config + 1, size);
	*p = (struct matcher){copy, size};
	if (!matcher_valid(p)) {
		sys_unmap(copy, FRT_CONFIG_SIZE);
		return FRT_BAD_CONFIG;
	}
	if (pattern_memory[recording] && !classes_reading())
		sys_unmap(pattern_memory[recording], FRT_CONFIG_SIZE);
	pattern_memory[recording] = copy;
	return FRT_DONE;
}

/* The calls of no recording are counted any more. */
static void end_epoch(void)
{
	store_release(&inside_since, UINT64_MAX);
	store_release(&control_since, UINT64_MAX);
	store_release(&recordings_shared, false);
	set_events(JVMTI_DISABLE);
	set_collection_events(JVMTI_DISABLE);
	store_release(&control->state, FRT_IDLE);
}

/*
 * While classes are hooked and restored, the collector waits, and its queue might not hold the calls of so long a time.
 * So a recording begins after the one and ends before the other.
 */
static enum frt_result restore(JNIEnv *env, uint32_t recording)
{
	struct frt_recording *row = agent_row(recording);
	jvmtiError error;

	tasks_end(env, recording); /* while what it writes is in the recording */
	fields_finish(env, recording);
	store_release(&row->state, FRT_STOPPING);
	ring_wait(recording, 0); /* the collector waits, too */
	store_release(&recordings_since[recording], UINT64_MAX);
	store_release(&inside_since, UINT64_MAX); /* of this one, or there is none */
	if (!recordings_shared)
		store_release(&control_since, UINT64_MAX);
	error = classes_remove(env, recording);
	control->last_error = error;
	stack_leave(recording);
	fields_end(env, recording);
	/* hooks remain: the next stop removes them, or heal() when the tracer is gone */
	store_release(&row->state, error ? FRT_ACTIVE : FRT_IDLE);
	if (!recordings_running())
		end_epoch();
	return error ? agent_fail(FRT_JVMTI_FAILED, "the JVM could not restore all classes") : FRT_DONE;
}

/* How long a recording's tracer has shown no sign of life. */
struct tracer_watch {
	unsigned int absent, pulse; /* steps without its lock, or without any listener; steps without a heartbeat */
	/* failed attempts to heal a JVM that is short of memory; each one lengthens the pause before the next */
	unsigned int failures;
	uint64_t heartbeat;
};

/* Returns true if the tracer is gone. */
static bool tracer_is_gone(struct tracer_watch *s, uint32_t recording)
{
	const struct frt_recording *row = agent_row(recording);
	uint64_t heartbeat = load_relaxed(&row->heartbeat);

	s->absent = frtrace_drain_semaphore && control_is_locked(FRT_LOCK_RECORDING(recording)) ? 0 : s->absent + 1;
	/* until the recording runs, the collector waits for the agent */
	s->pulse = heartbeat == s->heartbeat && load_acquire(&row->state) == FRT_ACTIVE ? s->pulse + 1 : 0;
	s->heartbeat = heartbeat;
	return s->absent >= HEAL_AFTER_STEPS << s->failures || s->pulse >= PULSE_AFTER_STEPS;
}

static void begin_epoch(JNIEnv *env, uint32_t recording)
{
	const struct frt_config *config = control_config(recording);

	control->ring_cap = config->ring_cap;
	timing_begin(recording, config); /* this and the next: before the methods are forgotten */
	inside_begin();
	if (control_is_crowded() && !classes_leave_missing(env) && !classes_reading() && loader_make_room(env))
		stack_named_forget();
	ring_grow_ticks = config->grow_ticks;
	control->slots_missing = 0;
	control->held_up = control->held_up_ticks = 0;
	store_release(&control->epoch, control->epoch + 1);
	virtual_calls_begin(config);
	allocated_begin(config, env);
	if (allocated_wanted)
		set_collection_events(JVMTI_ENABLE);
	mounts_begin();
	stack_begin(recording, config); /* before threads get their slots */
	slot_reset_all();
}

static void join_epoch(JNIEnv *env, uint32_t recording)
{
	const struct frt_config *config = control_config(recording);

	if (config->ring_cap > control->ring_cap)
		control->ring_cap = config->ring_cap;
	timing_join(recording, config);
	virtual_calls_join(config);
	allocated_join(config, env);
	if (allocated_wanted)
		set_collection_events(JVMTI_ENABLE);
	stack_join(recording, config);
}

/* From now on each recording counts for itself. Threads see this before they see the change of control_since. */
static void share(void)
{
	store_release(&control->joined, control->joined + 1 ?: 1);
	store_release(&recordings_shared, true);
	store_release(&control_since, UINT64_MAX);
}

/*
 * Is another recording at work, or its collector still reading what it has counted? The row of one whose collector has
 * been killed does not count.
 */
static bool is_alone(uint32_t recording)
{
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (r != recording && (agent_row(r)->state != FRT_IDLE ||
				       (agent_row(r)->number && control_is_locked(FRT_LOCK_RECORDING(r)))))
			return false;
	return true;
}

/* A recording with --inside runs alone, in row 0. */
static bool may_run(uint32_t recording)
{
	if (control_config(recording)->flags & FRT_CONFIG_INSIDE)
		return recording == 0 && is_alone(recording);
	return recording == 0 || agent_row(0)->state == FRT_IDLE || !agent_row(0)->inside;
}

/* Only row 0 is recorded the short way, which needs its rules. */
static void begin_row(JNIEnv *env, uint32_t recording)
{
	bool alone = is_alone(recording), founder = alone && recording == 0;
	struct frt_recording *row = agent_row(recording);

	row->founder = founder;
	row->inside = !!(control_config(recording)->flags & FRT_CONFIG_INSIDE);
	row->since = UINT64_MAX;
	row->unslotted = row->dead_calls = 0;
	row->open_dump = control->open_dump;
	store_release(&row->number, ++control->numbers);
	if (alone)
		begin_epoch(env, recording);
	else
		join_epoch(env, recording);
	store_release(&row->state, FRT_STARTING);
	store_release(&control->state, FRT_ACTIVE);
	if (alone)
		store_relaxed(&recordings_epoch, sys_tsc());
	if (!founder)
		share();
}

/*
 * Calls that begin from now on belong to the recording. If others run, they are counted from a moment on that is a little
 * ahead: a thread that takes its stamp then has seen recordings_since, at `enter` as well as at `leave`.
 */
#define AHEAD (1u << 22) /* more than a millisecond */

static void activate(uint32_t recording)
{
	struct frt_recording *row = agent_row(recording);
	uint64_t since = sys_tsc() + (row->founder ? 0 : AHEAD);

	ring_wait(recording, control_config(recording)->wait_ticks);
	store_release(&row->since, since);
	store_release(&recordings_since[recording], since);
	if (row->inside)
		store_release(&inside_since, since);
	else if (!recordings_shared)
		store_release(&control_since, since);
	store_release(&row->state, FRT_ACTIVE);
}

static enum frt_result apply(JNIEnv *env, uint32_t recording, const struct matcher *p)
{
	jvmtiError error;

	control_reset_skips(recording);
	error = classes_add(env, recording, p);
	control->last_error = error;
	if (!error)
		return FRT_DONE;
	restore(env, recording);
	control->last_error = error;
	return agent_fail(FRT_JVMTI_FAILED, "the JVM refused to retransform");
}

/* Fail with `bad` as the message if the config is not valid, and for want of memory otherwise. */
static enum frt_result refuse(enum frt_result result, const char *bad)
{
	return agent_fail(result, result == FRT_BAD_CONFIG ? bad : no_memory);
}

static enum frt_result agent_start(JNIEnv *env, uint32_t recording)
{
	enum frt_result result;
	struct matcher p;

	if (agent_row(recording)->state != FRT_IDLE)
		return agent_fail(FRT_NOT_READY, "a recording is running");
	if (!frtrace_drain_semaphore)
		return agent_fail(FRT_NO_LISTENER, "no tracer listens on frtrace:drain");
	if (!may_run(recording))
		return agent_fail(FRT_NOT_READY, "a recording with --inside has to be the only one of a JVM");
	result = copy_pattern(recording, &p);
	if (result)
		return refuse(result, "the filter in the control segment is not valid");
	result = fields_begin(env, recording);
	if (result)
		return refuse(result, "the plan of events in the control segment is not valid");
	begin_row(env, recording);
	if (!tasks_begin(env, recording)) {
		restore(env, recording);
		return agent_fail(FRT_NO_HELPER, "the JVM did not make the class that hooks for tasks need");
	}
	room_begin(control_config(recording)->flags & FRT_CONFIG_LIMITED, !(recordings_running() & ~(1u << recording)));
	if (set_events(JVMTI_ENABLE)) {
		restore(env, recording);
		return agent_fail(FRT_JVMTI_FAILED, "the JVM refused to send events");
	}
	if (apply(env, recording, &p))
		return FRT_JVMTI_FAILED;
	room_ask(); /* for classes that are loaded later */
	activate(recording);
	return FRT_DONE;
}

static enum frt_result stop(JNIEnv *env, uint32_t recording)
{
	if (agent_row(recording)->state == FRT_IDLE)
		return FRT_DONE;
	open_dump_take(env, recording, true);
	return restore(env, recording);
}

static enum frt_result agent_dump_open_calls(JNIEnv *env, uint32_t recording)
{
	if (agent_row(recording)->state == FRT_ACTIVE)
		open_dump_take(env, recording, false);
	return FRT_DONE;
}

static enum frt_result unhook(JNIEnv *env, uint32_t recording)
{
	if (agent_row(recording)->state != FRT_ACTIVE)
		return FRT_DONE;
	room_ask(); /* new code, without the hooks, is made only where there is room */
	control->last_error = classes_unhook(env);
	return control->last_error ? agent_fail(FRT_JVMTI_FAILED, "the JVM refused to retransform") : FRT_DONE;
}

static enum frt_result agent_ask_for_room(JNIEnv *env, uint32_t recording)
{
	if (agent_row(recording)->state == FRT_ACTIVE)
		room_ask();
	return FRT_DONE;
}

static enum frt_result execute(JNIEnv *env, uint32_t kind, uint32_t recording)
{
	static enum frt_result (*const commands[FRT_COMMANDS])(JNIEnv *env, uint32_t recording) = {
		[FRT_COMMAND_START] = agent_start,
		[FRT_COMMAND_OPEN_DUMP] = agent_dump_open_calls,
		[FRT_COMMAND_STOP] = stop,
		[FRT_COMMAND_UNHOOK] = unhook,
		[FRT_COMMAND_ROOM] = agent_ask_for_room,
	};
	enum frt_result result;

	control->message[0] = 0;
	if (kind >= FRT_COMMANDS || !commands[kind])
		return FRT_UNKNOWN_COMMAND;
	if (!jvm_push_frame(env, LOCAL_REFERENCES))
		return agent_fail(FRT_JVMTI_FAILED, no_memory);
	result = commands[kind](env, recording);
	(*env)->PopLocalFrame(env, NULL);
	return result;
}

static void agent_answer(uint32_t number, enum frt_result result)
{
	struct frt_command *c = &control->command;

	c->result = result;
	store_release(&c->answered, number);
	sys_wake_shared(&c->answered);
}

/* The tracer is gone: end its recording without a command. */
static void heal(JNIEnv *env, uint32_t recording, struct tracer_watch *watch)
{
	bool restored;

	*watch = (struct tracer_watch){.failures = watch->failures};
	if (agent_row(recording)->state != FRT_ACTIVE)
		return;
	if (!jvm_push_frame(env, LOCAL_REFERENCES))
		return;
	restored = restore(env, recording) == FRT_DONE;
	(*env)->PopLocalFrame(env, NULL);
	if (restored)
		control->healed++;
	else if (watch->failures < MOST_FAILURES)
		watch->failures++;
}

static void watch_tracers(JNIEnv *env, struct tracer_watch watch[FRT_RECORDINGS])
{
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (agent_row(r)->state != FRT_IDLE && tracer_is_gone(&watch[r], r))
			heal(env, r, &watch[r]);
}

void JNICALL commands_serve(jvmtiEnv *j, JNIEnv *env, void *unused)
{
	struct tracer_watch watch[FRT_RECORDINGS] = {0};
	uint32_t done = 0, number, recording;

	for (;;) {
		bool idle = load_acquire(&control->state) == FRT_IDLE;
		bool woken = sys_wait_shared(&control->command.number, done, idle ? SYS_FOREVER : HEAL_STEP_MS);

		number = load_acquire(&control->command.number);
		if (number != done) {
			recording = control->command.recording % FRT_RECORDINGS;
			agent_answer(number, execute(env, control->command.kind, recording));
			done = number;
			watch[recording] = (struct tracer_watch){0};
		} else if (!idle && !woken) {
			watch_tracers(env, watch);
			tasks_watch(env);
		}
	}
}
