// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which object stands for a task is what the method that runs it has, too: the FutureTask that submit() makes, not its
 * Callable. A worker of a ThreadPoolExecutor stays in runWorker() for ever, so its tasks begin where getTask() returns them,
 * and end where it asks for the next one. One that has been waiting in getTask() since before the recording tells its first
 * task to beforeExecute(), unless a subclass keeps that for itself; then the task is seen if it has a place of its own to run.
 */
#include "uprobes/agent/tasks/task_places.h"
#include "uprobes/agent/control.h"

#define EXECUTOR  "java/util/concurrent/ThreadPoolExecutor"
#define SCHEDULED "java/util/concurrent/ScheduledThreadPoolExecutor"
#define FUTURE	  "java/util/concurrent/FutureTask"
#define FORK_TASK "java/util/concurrent/ForkJoinTask"
#define FORK_POOL "java/util/concurrent/ForkJoinPool"
#define STAGE	  "java/util/concurrent/CompletableFuture"
#define THREAD	  "java/lang/Thread"
#define VIRTUAL	  "java/lang/VirtualThread"

#define FORKED		  "(Ljava/util/concurrent/ForkJoinTask;"
#define JUST_8		  1
#define NOT_8		  2
#define RUN(class)	  {class, "run", "()V", .hook = TASK_RUNS}
#define REFUSES(class, e) {EXECUTOR "$" class, "rejectedExecution", NULL, .hook = TASK_REFUSES, .object = 1, .end = (e)}

static const struct place {
	const char *class_name, *method;
	const char *descriptor; /* NULL: any */
	enum task_hook hook;
	uint8_t object; /* the local with the task, 0: `this` */
	uint8_t since;	/* JUST_8, NOT_8, or 0 */
	enum frt_task_end end;
	bool helps;	    /* a thread may run others' tasks here while it is in one of its own */
	const char *unless; /* the class has this method, which does it all; NULL: there is none */
} places[] = {
	{NULL, NULL, NULL, .hook = TASK_RUNS}, /* of threads: what task_place_thread() says */
	{EXECUTOR, "execute", NULL, .hook = TASK_SHARES, .object = 1},
	{EXECUTOR, "getTask", NULL, .hook = TASK_GETS},
	{EXECUTOR, "beforeExecute", NULL, .hook = TASK_CHECKS, .object = 2},
	{EXECUTOR "$Worker", "run", NULL, .hook = TASK_WORKS},
	REFUSES("AbortPolicy", FRT_TASK_REJECTED),
	REFUSES("DiscardPolicy", FRT_TASK_DISCARDED),
	{EXECUTOR "$CallerRunsPolicy", "rejectedExecution", NULL, .hook = TASK_RUNS_HERE, .object = 1,
	 .end = FRT_TASK_CALLER},
	{SCHEDULED, "delayedExecute", NULL, .hook = TASK_SUBMITS, .object = 1},
	RUN(FUTURE),
	{FUTURE, "runAndReset", NULL, .hook = TASK_RUNS},
	/* of a task that has not begun, when it is over */
	{FUTURE, "finishCompletion", NULL, .hook = TASK_DROPS, .end = FRT_TASK_CANCELLED},
	{FORK_TASK, "fork", NULL, .hook = TASK_SUBMITS, .since = NOT_8},
	{FORK_TASK, "doExec", NULL, .hook = TASK_RUNS, .helps = true},
	{FORK_TASK, "invoke", NULL, .hook = TASK_DIRECTS},
	{FORK_TASK, "quietlyInvoke", NULL, .hook = TASK_DIRECTS},
	{FORK_TASK, "invokeAll", NULL, .hook = TASK_DIRECTS},
	{FORK_POOL "$WorkQueue", "push", FORKED ")V", .hook = TASK_SUBMITS, .object = 1, .since = JUST_8},
	{FORK_POOL, "externalPush", FORKED ")V", .hook = TASK_SUBMITS, .object = 1, .since = JUST_8},
	{FORK_POOL, "externalSubmit", NULL, .hook = TASK_SUBMITS, .object = 1, .since = NOT_8, .unless = "poolSubmit"},
	{FORK_POOL, "poolSubmit", "(ZLjava/util/concurrent/ForkJoinTask;)Ljava/util/concurrent/ForkJoinTask;",
	 .hook = TASK_SUBMITS, .object = 2},
	RUN(STAGE "$AsyncRun"),
	RUN(STAGE "$AsyncSupply"),
	RUN(STAGE "$Completion"),
	{THREAD, "start", NULL, .hook = TASK_SUBMITS},
	{VIRTUAL, "start", "(Ljdk/internal/vm/ThreadContainer;)V", .hook = TASK_SUBMITS},
	{VIRTUAL, "run", "(Ljava/lang/Runnable;)V", .hook = TASK_RUNS},
};

#define PLACES (sizeof(places) / sizeof(places[0]))

bool task_places_in(struct slice class_name)
{
	if (!slice_begins(class_name, "java/util/concurrent/") && !slice_begins(class_name, "java/lang/"))
		return false;
	for (size_t i = 1; i < PLACES; i++)
		if (slice_is(class_name, places[i].class_name))
			return true;
	return false;
}

static bool has_method(const struct class_file *c, const char *name)
{
	for (uint16_t i = 0; i < c->methods; i++)
		if (slice_is(c->method[i].name, name))
			return true;
	return false;
}

static bool task_place_is(const struct place *p, const struct class_file *c, const struct class_method *m)
{
	bool is_8 = control->jni_version < 0x00090000;

	return p->class_name && slice_is(c->name, p->class_name) && slice_is(m->name, p->method) &&
	       (!p->descriptor || slice_is(m->descriptor, p->descriptor)) && !(p->since == JUST_8 && !is_8) &&
	       !(p->since == NOT_8 && is_8) && m->code_offset && !(p->unless && has_method(c, p->unless));
}

static enum edit_form task_hook_form(enum task_hook hook)
{
	if (hook == TASK_GETS)
		return EDIT_HANDS;
	return hook == TASK_RUNS || hook == TASK_RUNS_HERE ? EDIT_ENCLOSES : EDIT_TELLS;
}

uint32_t task_places_edits(const struct class_file *c, struct method_edit *edits, uint32_t room)
{
	uint32_t count = 0;

	for (uint16_t i = 0; i < c->methods; i++) {
		size_t n = 1;

		while (n < PLACES && !task_place_is(&places[n], c, &c->method[i]))
			n++;
		if (n == PLACES || count == room)
			continue;
		edits[count++] = (struct method_edit){
			.method = i,
			.id = n,
			.hooks = task_class_hooks(places[n].hook),
			.form = task_hook_form(places[n].hook),
			.object = places[n].object,
		};
	}
	return count;
}

static const struct place *task_place_at(jint place)
{
	return &places[(uint32_t)place % PLACES];
}

enum frt_task_end task_place_end(jint place)
{
	return task_place_at(place)->end;
}

bool task_place_is_open(jint place)
{
	enum task_hook hook = task_place_at(place)->hook;

	return place == task_place_thread() || hook == TASK_GETS || hook == TASK_CHECKS || hook == TASK_WORKS;
}

jint task_place_thread(void)
{
	return 0;
}

bool task_place_helps(jint place)
{
	return task_place_at(place)->helps;
}

bool task_place_mounts(jint place)
{
	const char *class_name = task_place_at(place)->class_name;

	return class_name && text_is(class_name, VIRTUAL);
}
