/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The class java.lang.FrtraceTasks<tag>, which hooks for tasks call. It is made by the first recording with --tasks. It has
 * the references to tasks that have not begun, so that the JVM itself compares objects, and so that a collector may move
 * them; all else about them is in tasks.c.
 */
#ifndef AGENT_TASK_CLASS_H
#define AGENT_TASK_CLASS_H

#include "bpf/frtrace.h"
#include "format/classfile/class_edit.h"
#include "uprobes/agent/tasks/task_code.h"

#include <jni.h>

struct task_natives {
	/* The row of a task that is about to be handed over here, or an enum task_why. */
	jint(JNICALL *ask)(JNIEnv *env, jclass helper, jint place);
	/* A row for one with that hash that is not to be recorded, or TASK_NOT. */
	jint(JNICALL *nameless)(JNIEnv *env, jclass helper, jint hash);
	/* The reference is in the row. Returns an enum task_put. `again`: it may be in a queue already, by code outside of calls. */
	jint(JNICALL *put)(JNIEnv *env, jclass helper, jint row, jint hash, jint again);
	/* The same object waits there, too. */
	void(JNICALL *twin)(JNIEnv *env, jclass helper, jint row, jlong handle);
	/* Is it worth a look what begins here? */
	jint(JNICALL *any)(JNIEnv *env, jclass helper, jint place);
	/* The handle of the oldest waiting task with that hash behind `after`, or 0. */
	jlong(JNICALL *find)(JNIEnv *env, jclass helper, jint hash, jlong after);
	/* This task leaves its queue here. `kind`: see task_kinds.h, or -1. Returns an enum task_take. */
	jint(JNICALL *take)(JNIEnv *env, jclass helper, jlong handle, jobject task, jint kind, jint place);
	/* It has run. */
	void(JNICALL *end)(JNIEnv *env, jclass helper, jlong handle, jint place);
	/* The thread, of a pool, asks for its next task. */
	void(JNICALL *idle)(JNIEnv *env, jclass helper, jint place);
	/* The task that the worker of a pool was made for; NULL: none. */
	jobject(JNICALL *first)(JNIEnv *env, jclass helper, jobject worker);
	/* A task begins here that does not wait. Returns the handle for its end, or 0. */
	jlong(JNICALL *strange)(JNIEnv *env, jclass helper, jint place);
	/* The next task that begins on this thread without having waited is the thread's own. */
	void(JNICALL *direct)(JNIEnv *env, jclass helper, jint place);
	/* An object with that hash, which may be handed over again, goes into a queue, or has left one: it is in no row. */
	void(JNICALL *other)(JNIEnv *env, jclass helper, jint hash);
	void(JNICALL *left)(JNIEnv *env, jclass helper, jint hash);
	/* The thread of a pool is about to run a task: has none of its hooks met it yet? */
	jint(JNICALL *unmet)(JNIEnv *env, jclass helper, jint place);
	/* The object is of a class of Kotlin's coroutines; one that begins. */
	jint(JNICALL *dispatched)(JNIEnv *env, jclass helper, jobject object);
	jint(JNICALL *starts)(JNIEnv *env, jclass helper, jobject object);
};

/* Define the class, or find it again, and bind the natives. False: it cannot be made. */
bool task_class_init(JNIEnv *env, const char *tag, const struct task_natives *natives);

/* Only while they are set do the hooks call natives: for tasks that are handed over, and for those that begin. */
void task_class_set_on(JNIEnv *env, bool on);
void task_class_set_pending(JNIEnv *env, bool pending);

/* From now on, what a pool gets may be a coroutine of Kotlin. */
void task_class_set_coroutines(JNIEnv *env);

/* Drop the reference in a row, and return it as a local one; NULL: there was none. */
jobject task_class_forget(JNIEnv *env, uint32_t row);

/* begins(task, place), as a hook calls it; returns the handle or 0. Runs Java code, ours only. */
jlong task_class_begins(JNIEnv *env, jobject task, jint place);

/* Hooks, by what the method that has them does with the object of its edit. */
enum task_hook {
	TASK_SUBMITS,	/* EDIT_TELLS: hands it over */
	TASK_SHARES,	/* the same, of an object that may be in a queue already */
	TASK_MOVES,	/* the same, of a coroutine, whose object may wait already, and is that task still */
	TASK_RUNS,	/* EDIT_ENCLOSES: runs it */
	TASK_RUNS_HERE, /* the same, of one that was shared */
	TASK_GETS,	/* EDIT_HANDS: returns it to the thread that will run it until it asks for the next one */
	TASK_CHECKS,	/* EDIT_TELLS: the thread of a pool will run it, and may have got it unseen */
	TASK_WORKS,	/* EDIT_TELLS: is the worker of a pool, which runs the task that it was made for */
	TASK_DROPS,	/* EDIT_TELLS: will not run it */
	TASK_REFUSES,	/* the same, of one that was shared */
	TASK_DIRECTS,	/* EDIT_TELLS: runs it, or others in it, without a queue */
	TASK_HOOKS
};
const struct class_hooks *task_class_hooks(enum task_hook hook);

#endif
