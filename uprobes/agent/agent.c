// SPDX-License-Identifier: BSD-2-Clause
/*
 * libfrtrace.so, a JVMTI agent. It is loaded once, with the options `init TAG`. It creates the segment and the
 * helper class, and starts a thread that executes the commands that the collector puts into the segment (commands.c).
 * Nothing is rewritten before the first command.
 *
 * In a JVM that frtrace has started, the agent is present from the beginning. `init` then comes through a socket
 * (uprobes/agent/launch_link.h) while the JVM waits.
 *
 * A load that fails leaves nothing behind: the JVM unloads the library.
 */
#include "uprobes/agent/allocated.h"
#include "uprobes/agent/classes.h"
#include "uprobes/agent/commands.h"
#include "uprobes/agent/control.h"
#include "uprobes/agent/fields/fields.h"
#include "uprobes/agent/flags.h"
#include "uprobes/agent/hook.h"
#include "uprobes/agent/hook_class.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/launch_link.h"
#include "uprobes/agent/loader.h"
#include "uprobes/agent/mounts.h"
#include "uprobes/agent/rewrite.h"
#include "uprobes/agent/seccomp.h"
#include "uprobes/agent/slot.h"
#include "uprobes/agent/stack_chunks.h"
#include "uprobes/agent/tasks/tasks.h"
#include "uprobes/agent/thread.h"

#define EXPORT __attribute__((visibility("default")))

#define LAUNCH_PATIENCE_MS 15000 /* a starting JVM waits this long for a command, then runs untraced */

static JavaVM *java_vm;
static struct lock init_lock; /* taken by lock_try only */
static bool ready;

static bool add_capabilities(void)
{
	jvmtiCapabilities potential, wanted;

	memset(&wanted, 0, sizeof(wanted));
	if ((*jvmti)->GetPotentialCapabilities(jvmti, &potential))
		return false;
	wanted.can_retransform_classes = 1;
	wanted.can_tag_objects = 1;
	wanted.can_get_line_numbers = potential.can_get_line_numbers;	/* for frames from JVMTI */
	wanted.can_get_constant_pool = potential.can_get_constant_pool; /* of loaded classes, to find annotations */
	wanted.can_retransform_any_class = potential.can_retransform_any_class;
	wanted.can_generate_all_class_hook_events = potential.can_generate_all_class_hook_events;
	wanted.can_generate_garbage_collection_events =
		potential.can_generate_garbage_collection_events; /* for --alloc */
	return !(*jvmti)->AddCapabilities(jvmti, &wanted);
}

/* A thread that may call traced native methods says who it is: nothing else of the agent need ever run on it. */
static void JNICALL on_thread_start(jvmtiEnv *j, JNIEnv *env, jthread thread)
{
	slot_release(env);
	if (rewrite_has_natives())
		slot_claim(env);
	tasks_thread_begins(env, thread);
}

static void JNICALL on_thread_end(jvmtiEnv *j, JNIEnv *env, jthread thread)
{
	tasks_thread_ends(env);
	slot_release(env);
}

/* On System.exit() the end of its thread is reported first, then this. */
static void JNICALL on_vm_death(jvmtiEnv *j, JNIEnv *env)
{
	slot_jvm_ends(env);
}

static void JNICALL on_collection_begins(jvmtiEnv *j)
{
	allocated_collection_begins();
}

static void JNICALL on_collection_ends(jvmtiEnv *j)
{
	allocated_collection_ends();
}

static bool set_callbacks(void)
{
	jvmtiEventCallbacks c;

	memset(&c, 0, sizeof(c));
	c.ClassFileLoadHook = classes_on_file;
	c.ClassPrepare = classes_on_prepare;
	c.ThreadStart = on_thread_start;
	c.ThreadEnd = on_thread_end;
	c.VMDeath = on_vm_death;
	c.GarbageCollectionStart = on_collection_begins;
	c.GarbageCollectionFinish = on_collection_ends;
	return !(*jvmti)->SetEventCallbacks(jvmti, &c, sizeof(c));
}

/* TSC ticks that the two stamps of one call cost. */
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

static enum frt_result make_segment(const char *tag)
{
	sys_failure.call = 0; /* of an earlier attempt, or another call */
	if (control || (sys_monotonic_ns() && control_create(tag)))
		return FRT_DONE;
	if (!sys_failure.call)
		return FRT_NO_SEGMENT;
	return FRT_CALL_FAILS | sys_failure.error << 12 | sys_failure.call;
}

/* Acquire what can still be given back, before anything stays in the JVM for good. */
static enum frt_result agent_prepare(JNIEnv *env, const char *tag)
{
	enum frt_result result;

	if (!jvmti && (*java_vm)->GetEnv(java_vm, (void **)&jvmti, JVMTI_VERSION_1_2))
		return FRT_NO_JVMTI;
	if (!add_capabilities() || !set_callbacks())
		return FRT_NO_CAPABILITIES;
	result = control ? FRT_DONE : seccomp_try(false);
	if (!result)
		result = make_segment(tag);
	if (result)
		return result;
	control->jni_version = (*env)->GetVersion(env);
	control->hook_ticks = measure_stamps();
	if (!loader_init(env))
		return FRT_NO_SEGMENT;
	if (thread_init(env))
		return FRT_NO_THREAD_CLASS;
	stack_chunks_init(env);
	return FRT_DONE;
}

static void undo(JNIEnv *env)
{
	stack_chunks_release(env);
	thread_release(env);
	fields_release(env);
	loader_release();
	if (jvmti)
		(*jvmti)->DisposeEnvironment(jvmti);
	jvmti = NULL;
	control_destroy();
}

static enum frt_result init(JNIEnv *env, const char *tag)
{
	const struct hook_class_natives natives = {
		.enter = hook_enter,
		.leave = hook_leave,
		.thrown = hook_thrown,
		.left = hook_left,
		.threw = hook_threw,
		.begun = fields_begun,
		.put = {fields_put_int, fields_put_long, fields_put_float, fields_put_double, fields_put_object},
		.waits = mounts_waits,
		.waited = mounts_waited,
		.polls = {mounts_polls, mounts_registers},
		.polled = {mounts_polled, mounts_registered},
		.mount = {[HOOK_MOUNT] = mounts_mount,
			  [HOOK_UNMOUNT] = mounts_unmount,
			  [HOOK_END] = mounts_end,
			  [HOOK_READY] = mounts_ready}};
	enum frt_result result;

	if (ready)
		return FRT_DONE;
	result = agent_prepare(env, tag);
	if (!result)
		result = hook_class_init(env, tag, &natives);
	if (!result && !thread_run(env, commands_serve, NULL, JVMTI_THREAD_NORM_PRIORITY)) {
		hook_class_unbind(env);
		result = FRT_NO_THREAD_STARTED;
	}
	if (result)
		undo(env);
	ready = !result;
	return result;
}

static enum frt_result init_alone(JNIEnv *env, const char *options)
{
	enum frt_result result = FRT_UNKNOWN_COMMAND;

	if (!text_begins(options, "init "))
		return result;
	if (!lock_try(&init_lock))
		return FRT_NOT_READY;
	result = init(env, options + 5);
	lock_drop(&init_lock);
	return result;
}

EXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	JNIEnv *env;

	if (!options || (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6))
		return FRT_UNKNOWN_COMMAND;
	java_vm = vm;
	return init_alone(env, options);
}

/* The next packet. The collector is not considered gone while a command in the segment runs. */
static const char *next_packet(void)
{
	const struct frt_command *c = &control->command;
	const char *packet;

	do {
		packet = launch_link_command(LAUNCH_PATIENCE_MS);
	} while (!packet && launch_link_is_open() && load_acquire(&c->number) != load_acquire(&c->answered));
	return packet;
}

/* The JVM is initialised and on its main thread, before any class of the program: execute commands until `run`. */
static void JNICALL on_vm_init(jvmtiEnv *j, JNIEnv *env, jthread thread)
{
	const char *options;
	enum frt_result result;

	(*j)->SetEventNotificationMode(j, JVMTI_DISABLE, JVMTI_EVENT_VM_INIT, NULL);
	options = launch_link_command(LAUNCH_PATIENCE_MS);
	result = options ? init_alone(env, options) : FRT_NOT_READY;
	if (options)
		launch_link_answer(result);
	if (result)
		undo(env);
	else
		next_packet(); /* "run" */
	launch_link_close();   /* from now on commands come through the segment */
}

/* Setup that is possible before VMInit. */
static enum frt_result begin_launch(const char *tag)
{
	jvmtiEventCallbacks c;

	if ((*java_vm)->GetEnv(java_vm, (void **)&jvmti, JVMTI_VERSION_1_2))
		return FRT_NO_JVMTI;
	memset(&c, 0, sizeof(c));
	c.VMInit = on_vm_init;
	if ((*jvmti)->SetEventCallbacks(jvmti, &c, sizeof(c)) ||
	    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL))
		return FRT_NO_CAPABILITIES;
	return make_segment(tag);
}

/* The next packet, after applying the flags if it has any. */
static const char *after_flags(void)
{
	const char *options = launch_link_command(LAUNCH_PATIENCE_MS);

	if (!options || !text_is(options, "flags"))
		return options;
	launch_link_answer(flags_set(control_config(0)) ? FRT_DONE : FRT_BAD_CONFIG);
	return launch_link_command(LAUNCH_PATIENCE_MS);
}

/* The collector sends "prepare", optionally "flags", and "boot". After anything else the JVM runs untraced. */
static void launch(const char *tag, const char *socket_path)
{
	const char *options;
	enum frt_result refused = seccomp_try(true), result = FRT_NOT_READY;

	if (seccomp_refuses_connection(refused) || !launch_link_connect(socket_path, LAUNCH_PATIENCE_MS / 1000))
		return;
	options = launch_link_command(LAUNCH_PATIENCE_MS);
	if (options && text_is(options, "prepare")) {
		result = refused ?: begin_launch(tag);
		launch_link_answer(result);
		options = result ? NULL : after_flags();
	}
	if (result || !options || !text_is(options, "boot"))
		launch_link_close();
}

/* -agentpath:FILE=TAG,SOCKET. The program runs, whatever fails here. */
EXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	char *comma = options;

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
