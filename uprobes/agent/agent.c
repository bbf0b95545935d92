// SPDX-License-Identifier: BSD-2-Clause
/*
 * libfrtrace.so, a JVMTI agent. Commands are its load options, each a load of
 * the same file name again:
 *
 *   init TAG     once: segment, helper class, capabilities. Nothing is rewritten
 *   start        read the config, rewrite what the filter matches
 *   change       the same while a recording runs
 *   census       write down the stacks of threads with open calls
 *   stop         the same, and original code again
 *
 * In a JVM that frtrace has started it is there from the beginning, and the
 * same commands come through a socket (uprobes/agent/launch.h): first while the
 * JVM is made to wait, then to the watch.
 *
 * A result other than 0 is explained in header.message, once there is a header.
 */
#include "filters/pattern.h"
#include "uprobes/agent/census.h"
#include "uprobes/agent/classes.h"
#include "uprobes/agent/control.h"
#include "uprobes/agent/flags.h"
#include "uprobes/agent/helper.h"
#include "uprobes/agent/hook.h"
#include "uprobes/agent/launch.h"
#include "uprobes/agent/loader.h"
#include "uprobes/agent/slot.h"
#include "uprobes/agent/stack.h"
#include "uprobes/agent/stack_named.h"
#include "uprobes/agent/stack_virtual.h"
#include "uprobes/agent/thread.h"
#include "uprobes/agent/timing.h"
#include "uprobes/agent/virtual_calls.h"

#define EXPORT __attribute__((visibility("default")))

enum result {
	DONE = 0,
	NO_JVMTI = 101,
	NO_CAPABILITIES = 102,
	NO_SEGMENT = 103,
	NO_HELPER = 104,
	NOT_READY = 105,
	NO_LISTENER = 106,
	BAD_CONFIG = 107,
	JVMTI_FAILED = 108,
	UNKNOWN_COMMAND = 109,
};

#define LAUNCH_PATIENCE_MS 15000 /* a starting JVM waits so long for a command, then it runs without us */
#define HEAL_STEP_MS	 100
#define PULSE_AFTER_STEPS 300 /* 30 s without a heartbeat: a slow disk can hold the collector for some */
#define MOST_FAILURES	 5 /* 48 s */
#define HEAL_AFTER_STEPS 15u /* 1.5 s without a tracer: done within three also on a machine under load */

static jvmtiEnv *jvmti;
static struct lock command_lock;
static JavaVM *java_vm;
static bool ready, launched;
static void *pattern_memory;

static int fail(enum result result, const char *message)
{
	if (control)
		control_say(message);
	return result;
}

static bool add_capabilities(void)
{
	jvmtiCapabilities potential, wanted;

	memset(&wanted, 0, sizeof(wanted));
	if ((*jvmti)->GetPotentialCapabilities(jvmti, &potential))
		return false;
	wanted.can_retransform_classes = 1;
	wanted.can_tag_objects = 1;
	wanted.can_get_line_numbers = potential.can_get_line_numbers; /* of a parked virtual thread's frames */
	wanted.can_get_constant_pool = potential.can_get_constant_pool; /* of loaded classes, for annotations */
	wanted.can_retransform_any_class = potential.can_retransform_any_class;
	wanted.can_generate_all_class_hook_events = potential.can_generate_all_class_hook_events;
	return !(*jvmti)->AddCapabilities(jvmti, &wanted);
}

static void JNICALL on_thread(jvmtiEnv *j, JNIEnv *env, jthread thread)
{
	(void)j, (void)thread;
	slot_release(env);
}

/* System.exit() tells the end of its thread, and then this. */
static void JNICALL on_vm_death(jvmtiEnv *j, JNIEnv *env)
{
	(void)j;
	slot_jvm_ends(env);
}

static bool set_callbacks(void)
{
	jvmtiEventCallbacks c;

	memset(&c, 0, sizeof(c));
	c.ClassFileLoadHook = classes_on_file;
	c.ClassPrepare = classes_on_prepare;
	c.ThreadStart = on_thread;
	c.ThreadEnd = on_thread;
	c.VMDeath = on_vm_death;
	return !(*jvmti)->SetEventCallbacks(jvmti, &c, sizeof(c));
}

static jvmtiError set_events(jvmtiEventMode mode)
{
	static const jvmtiEvent events[] = { JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END, JVMTI_EVENT_VM_DEATH,
					     JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_PREPARE };
	jvmtiError error = JVMTI_ERROR_NONE;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]) && !error; i++)
		if (mode == JVMTI_ENABLE || events[i] != JVMTI_EVENT_CLASS_PREPARE || !classes_need_prepare())
			error = (*jvmti)->SetEventNotificationMode(jvmti, mode, events[i], NULL);
	return error;
}

/* What the two stamps of one call cost. */
static uint32_t measure_stamps(void)
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < 8; round++) {
		uint64_t begin = sys_tsc();

		for (int i = 0; i < 256; i++)
			sys_tsc();
		begin = sys_tsc() - begin;
		if (begin < best)
			best = begin;
	}
	return best / 128;
}

static int init(JNIEnv *env, const char *tag)
{
	const char *message;

	if (ready)
		return DONE;
	if (!jvmti && (*java_vm)->GetEnv(java_vm, (void **)&jvmti, JVMTI_VERSION_1_2))
		return NO_JVMTI;
	if (!add_capabilities() || !set_callbacks())
		return NO_CAPABILITIES;
	if (!control && !control_create(tag))
		return NO_SEGMENT;
	control->jni_version = (*env)->GetVersion(env);
	control->hook_ticks = measure_stamps();
	classes_init(jvmti);
	loader_init(jvmti, env);
	census_init(jvmti);
	stack_named_init(jvmti);
	stack_virtual_init(jvmti);
	if (thread_init(jvmti, env))
		return fail(NO_HELPER, "cannot find java.lang.Thread's fields");
	message = helper_init(jvmti, env, tag);
	if (message)
		return fail(NO_HELPER, message);
	ready = true;
	return DONE;
}

/*
 * The config can change under us: the pattern that is matched with is our own copy. All have room for the longest: a
 * callback that looks at one while it is replaced may take places from the old one to the new.
 */
static bool copy_pattern(struct pattern *p)
{
	const struct frt_config *config = control_config();
	size_t size = config->pattern_size;
	void *copy;

	if (size > FRT_CONFIG_SIZE - sizeof(*config))
		return false;
	copy = sys_map(FRT_CONFIG_SIZE);
	if (!copy)
		return false;
	memcpy(copy, config + 1, size);
	*p = (struct pattern){ copy, size };
	if (pattern_valid(p))
		return true;
	sys_unmap(copy, FRT_CONFIG_SIZE);
	return false;
}

/*
 * A callback that began before may still read the old pattern, so the one
 * before the last is what is given back; and not even that while a callback is
 * at work, which can last as long as a class loader likes: better lose a page.
 */
static void keep_pattern(const struct pattern *p)
{
	static const void *last;

	if (pattern_memory && !classes_reading())
		sys_unmap(pattern_memory, FRT_CONFIG_SIZE);
	pattern_memory = (void *)last;
	last = p->block;
}

static int restore(JNIEnv *env)
{
	jvmtiError error;

	store_release(&control->state, FRT_STOPPING);
	error = classes_apply(env, NULL);
	store_release(&hook_since, UINT64_MAX);
	set_events(JVMTI_DISABLE);
	control->last_error = error;
	/* hooks are left: to the next `stop`, or to the watch once the tracer is gone */
	store_release(&control->state, error ? FRT_ACTIVE : FRT_IDLE);
	return error ? fail(JVMTI_FAILED, "the JVM could not restore all classes") : DONE;
}

/* How long a tracer has given no sign of life. */
struct silence {
	unsigned int listening, pulse; /* steps without a listener, without a heartbeat */
	unsigned int failures;	       /* the JVM, short of memory, could not be healed: it is left alone for longer each time */
	uint64_t heartbeat;
};

/* True: it is gone. */
static bool silence_step(struct silence *s)
{
	uint64_t heartbeat = load_relaxed(&control->heartbeat);

	s->listening = frtrace_drain_semaphore ? 0 : s->listening + 1;
	/* before the recording is on, the collector waits for us */
	s->pulse = heartbeat == s->heartbeat && load_acquire(&control->state) == FRT_ACTIVE ? s->pulse + 1 : 0;
	s->heartbeat = heartbeat;
	return s->listening >= HEAL_AFTER_STEPS << s->failures || s->pulse >= PULSE_AFTER_STEPS;
}

static int command(JNIEnv *env, const char *options);

static int command_alone(JNIEnv *env, const char *options)
{
	int result;

	lock_take(&command_lock);
	result = command(env, options);
	lock_drop(&command_lock);
	return result;
}

/* Let time pass; where frtrace has started the JVM a command may come meanwhile. */
static void watch_step(JNIEnv *env)
{
	const char *options;

	if (!load_acquire(&launched) || !launch_is_open()) {
		sys_sleep_ms(HEAL_STEP_MS);
		return;
	}
	options = launch_command(HEAL_STEP_MS);
	if (options)
		launch_answer(command_alone(env, options));
}

/* Heals the JVM when the tracer is gone without a word. */
static void JNICALL watch(jvmtiEnv *j, JNIEnv *env, void *epoch)
{
	struct silence silence = { 0 };

	(void)j;
	while (control->epoch == (uint32_t)(uint64_t)epoch && load_acquire(&control->state) != FRT_IDLE) {
		watch_step(env);
		if (!silence_step(&silence) || !lock_try(&command_lock))
			continue;
		if (control->epoch == (uint32_t)(uint64_t)epoch && control->state == FRT_ACTIVE) {
			if (restore(env) == DONE)
				control->healed++;
			else
				silence = (struct silence){ .failures = silence.failures + (silence.failures < MOST_FAILURES) };
		}
		lock_drop(&command_lock);
	}
	if (load_acquire(&launched))
		launch_close();
}

static bool start_watch(JNIEnv *env)
{
	return thread_run(env, watch, (void *)(uint64_t)control->epoch, JVMTI_THREAD_MIN_PRIORITY);
}

static void begin_epoch(JNIEnv *env, const struct frt_config *config)
{
	control->ring_cap = config->ring_cap;
	timing_begin(config); /* with the methods that there were */
	if (control_is_crowded() && !classes_reading())
		loader_make_room(env);
	hook_grow_ticks = config->grow_ticks;
	control->unslotted = 0;
	control->dead_calls = 0;
	control->slots_missing = 0;
	store_release(&control->epoch, control->epoch + 1);
	virtual_calls_begin(config);
	stack_begin(config); /* before threads get their slots */
	slot_reset_all();
}

static int apply(JNIEnv *env, const struct pattern *p)
{
	jvmtiError error;

	control_reset_skips();
	keep_pattern(p);
	error = classes_apply(env, p);
	control->last_error = error;
	if (!error)
		return DONE;
	restore(env);
	control->last_error = error;
	return fail(JVMTI_FAILED, "the JVM refused to retransform");
}

static int start(JNIEnv *env)
{
	struct pattern p;

	if (control->state != FRT_IDLE)
		return fail(NOT_READY, "a recording is running");
	if (!frtrace_drain_semaphore)
		return fail(NO_LISTENER, "no tracer listens on frtrace:drain");
	if (!copy_pattern(&p))
		return fail(BAD_CONFIG, "the filter in the control segment is not valid");
	begin_epoch(env, control_config());
	store_release(&control->state, FRT_STARTING);
	if (!start_watch(env) || set_events(JVMTI_ENABLE)) {
		keep_pattern(&p);
		restore(env);
		return fail(JVMTI_FAILED, "cannot start the agent's thread or events");
	}
	store_release(&hook_since, sys_tsc());
	if (apply(env, &p))
		return JVMTI_FAILED;
	store_release(&control->state, FRT_ACTIVE);
	return DONE;
}

static int change(JNIEnv *env)
{
	struct pattern p;

	if (control->state != FRT_ACTIVE)
		return fail(NOT_READY, "no recording is running");
	if (!copy_pattern(&p))
		return fail(BAD_CONFIG, "the filter in the control segment is not valid");
	return apply(env, &p);
}

static int stop(JNIEnv *env)
{
	if (control->state == FRT_IDLE)
		return DONE;
	census_take(env, true);
	return restore(env);
}

static int census(JNIEnv *env)
{
	if (control->state == FRT_ACTIVE)
		census_take(env, false);
	return DONE;
}

static int command(JNIEnv *env, const char *options)
{
	if (text_begins(options, "init "))
		return init(env, options + 5);
	if (!ready)
		return NOT_READY;
	control->message[0] = 0;
	if (text_is(options, "start"))
		return start(env);
	if (text_is(options, "change"))
		return change(env);
	if (text_is(options, "census"))
		return census(env);
	if (text_is(options, "stop"))
		return stop(env);
	return UNKNOWN_COMMAND;
}

EXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	JNIEnv *env;

	(void)reserved;
	if (!options || (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6))
		return UNKNOWN_COMMAND;
	java_vm = vm;
	return command_alone(env, options);
}

/* The JVM is up, and its main thread here, before any class of the program: obey until it may go on. */
static void JNICALL on_vm_init(jvmtiEnv *j, JNIEnv *env, jthread thread)
{
	const char *options;

	(void)thread;
	(*j)->SetEventNotificationMode(j, JVMTI_DISABLE, JVMTI_EVENT_VM_INIT, NULL);
	while ((options = launch_command(LAUNCH_PATIENCE_MS)) && !text_is(options, "run"))
		launch_answer(command_alone(env, options));
	if (!options || !control->state)
		launch_close();
	store_release(&launched, true); /* from here on the watch listens */
}

/* What can be done when the JVM has not made itself yet. */
static enum result begin_launch(const char *tag)
{
	jvmtiEventCallbacks c;

	if ((*java_vm)->GetEnv(java_vm, (void **)&jvmti, JVMTI_VERSION_1_2))
		return NO_JVMTI;
	memset(&c, 0, sizeof(c));
	c.VMInit = on_vm_init;
	if ((*jvmti)->SetEventCallbacks(jvmti, &c, sizeof(c)) ||
	    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL))
		return NO_CAPABILITIES;
	return control || control_create(tag) ? DONE : NO_SEGMENT;
}

/* What comes next, behind the flags if there are any to be set. */
static const char *after_flags(void)
{
	const char *options = launch_command(LAUNCH_PATIENCE_MS);

	if (!options || !text_is(options, "flags"))
		return options;
	launch_answer(flags_set(control_config()) ? DONE : BAD_CONFIG);
	return launch_command(LAUNCH_PATIENCE_MS);
}

/* The collector says "prepare", perhaps "flags", and then "boot"; anything else, and this JVM runs without us. */
static void launch(const char *tag, const char *door)
{
	const char *options;
	enum result result = NOT_READY;

	if (!launch_ring(door, LAUNCH_PATIENCE_MS / 1000))
		return;
	options = launch_command(LAUNCH_PATIENCE_MS);
	if (options && text_is(options, "prepare")) {
		result = begin_launch(tag);
		launch_answer(result);
		options = result ? NULL : after_flags();
	}
	if (result || !options || !text_is(options, "boot"))
		launch_close();
}

/* -agentpath:FILE=TAG,DOOR. Whatever goes wrong, the program runs. */
EXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	char *comma = options;

	(void)reserved;
	java_vm = vm;
	while (comma && *comma && *comma != ',')
		comma++;
	if (comma && *comma) {
		*comma = 0;
		launch(options, comma + 1);
		*comma = ',';
	}
	return 0;
}
