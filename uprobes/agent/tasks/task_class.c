// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/tasks/task_class.h"
#include "uprobes/agent/hook_class.h"
#include "uprobes/agent/inside.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/sys.h"
#include "uprobes/agent/tasks/task_code.h"
#include "uprobes/agent/tasks/task_kinds.h"
#include "uprobes/agent/tasks/task_rows.h"

#define PREFIX "java/lang/FrtraceTasks"

static char internal_name[64], binary_name[64];
static const struct class_hooks hooks[TASK_HOOKS] = {
	[TASK_SUBMITS] = {internal_name, "submits", NULL, NULL, NULL, NULL},
	[TASK_SHARES] = {internal_name, "shares", NULL, NULL, NULL, NULL},
	[TASK_MOVES] = {internal_name, "moves", NULL, NULL, NULL, NULL},
	[TASK_RUNS_HERE] = {internal_name, "arrives", "ends", "ends", NULL, NULL},
	[TASK_REFUSES] = {internal_name, "refuses", NULL, NULL, NULL, NULL},
	[TASK_RUNS] = {internal_name, "begins", "ends", "ends", NULL, NULL},
	[TASK_GETS] = {internal_name, "asks", "gets", "ends", NULL, NULL},
	[TASK_CHECKS] = {internal_name, "checks", NULL, NULL, NULL, NULL},
	[TASK_WORKS] = {internal_name, "works", NULL, NULL, NULL, NULL},
	[TASK_DROPS] = {internal_name, "drops", NULL, NULL, NULL, NULL},
	[TASK_DIRECTS] = {internal_name, "directs", NULL, NULL, NULL, NULL},
};

static struct task_natives functions;
static jclass task_class;
static jobjectArray tasks;
static jfieldID on_field, pending_field, coroutines_field;
static jmethodID begins;
static bool bound;

static bool task_names_set(const char *tag)
{
	size_t length = strlen(tag), prefix = sizeof(PREFIX) - 1;

	if (prefix + length >= sizeof(internal_name))
		return false;
	memcpy(internal_name, PREFIX, prefix);
	memcpy(internal_name + prefix, tag, length + 1);
	for (size_t i = 0; i <= prefix + length; i++)
		binary_name[i] = internal_name[i] == '/' ? '.' : internal_name[i];
	return true;
}

static void task_natives_bind(JNIEnv *env, jclass class)
{
	void *const function[TASK_NATIVES] = {
		(void *)functions.ask,	      (void *)functions.nameless, (void *)functions.put,
		(void *)functions.twin,	      (void *)functions.any,	  (void *)functions.find,
		(void *)functions.take,	      (void *)functions.end,	  (void *)functions.idle,
		(void *)functions.first,      (void *)functions.strange,  (void *)functions.direct,
		(void *)functions.other,      (void *)functions.left,	  (void *)functions.unmet,
		(void *)functions.dispatched, (void *)functions.starts};
	JNINativeMethod native[TASK_NATIVES];

	for (int i = 0; i < TASK_NATIVES; i++)
		native[i] = (JNINativeMethod){task_native_names[i], task_native_types[i], function[i]};
	bound = !(*env)->RegisterNatives(env, class, native, TASK_NATIVES);
	jvm_threw(env);
}

static jclass task_class_define(JNIEnv *env)
{
	unsigned char bytes[TASK_CODE_SIZE];
	const struct task_unsafe *unsafe = task_kinds_unsafe(env);
	size_t size = unsafe ? task_code_write(bytes, sizeof(bytes), internal_name, unsafe) : 0;
	jclass class =
		size ? jvm_keep_class(env, (*env)->DefineClass(env, internal_name, NULL, (const jbyte *)bytes, size))
		     : NULL;

	/* made by an earlier copy of the agent */
	return class ?: jvm_keep_class(env, (*env)->FindClass(env, internal_name));
}

static bool task_members_find(JNIEnv *env)
{
	jfieldID tasks_field = (*env)->GetStaticFieldID(env, task_class, "tasks", OBJECTS),
		 busy = (*env)->GetStaticFieldID(env, task_class, "busy", "J");
	jclass object = (*env)->FindClass(env, "java/lang/Object");
	jobjectArray array = object ? (*env)->NewObjectArray(env, TASK_ROWS, object, NULL) : NULL;

	on_field = (*env)->GetStaticFieldID(env, task_class, "on", "I");
	pending_field = (*env)->GetStaticFieldID(env, task_class, "pending", "I");
	coroutines_field = (*env)->GetStaticFieldID(env, task_class, "coroutines", "I");
	begins = (*env)->GetStaticMethodID(env, task_class, "begins", "(" OBJECT "I)J");
	if (jvm_threw(env) || !array || !task_kinds_init(env, task_class))
		return false;
	(*env)->SetStaticLongField(env, task_class, busy, (jlong)(uintptr_t)&inside_busy);
	tasks = (*env)->NewGlobalRef(env, array);
	(*env)->SetStaticObjectField(env, task_class, tasks_field, array);
	(*env)->DeleteLocalRef(env, array);
	(*env)->DeleteLocalRef(env, object);
	return !jvm_threw(env) && tasks;
}

bool task_class_init(JNIEnv *env, const char *tag, const struct task_natives *natives)
{
	if (tasks)
		return true;
	functions = *natives;
	if (!task_class && task_names_set(tag)) {
		task_class = task_class_define(env);
		if (task_class && hook_class_bind_at_prepare(env, task_class, binary_name, task_natives_bind) &&
		    !bound) /* it was prepared already */
			task_natives_bind(env, task_class);
	}
	return task_class && bound && task_members_find(env);
}

void task_class_set_on(JNIEnv *env, bool on)
{
	(*env)->SetStaticIntField(env, task_class, on_field, on);
}

void task_class_set_pending(JNIEnv *env, bool pending)
{
	(*env)->SetStaticIntField(env, task_class, pending_field, pending);
}

void task_class_set_coroutines(JNIEnv *env)
{
	(*env)->SetStaticIntField(env, task_class, coroutines_field, 1);
}

jobject task_class_forget(JNIEnv *env, uint32_t row)
{
	jobject task = (*env)->GetObjectArrayElement(env, tasks, row);

	(*env)->SetObjectArrayElement(env, tasks, row, NULL);
	jvm_threw(env);
	return task;
}

jlong task_class_begins(JNIEnv *env, jobject task, jint place)
{
	jlong handle = (*env)->CallStaticLongMethod(env, task_class, begins, task, place);

	return jvm_threw(env) ? 0 : handle;
}

const struct class_hooks *task_class_hooks(enum task_hook hook)
{
	return &hooks[hook];
}
