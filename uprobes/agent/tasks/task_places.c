// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which object stands for a task is what the method that runs it has, too: the FutureTask that submit() makes, not its
 * Callable. A worker of a ThreadPoolExecutor stays in runWorker() for ever, so its tasks begin where getTask() returns them,
 * and end where it asks for the next one. One that has been waiting in getTask() since before the recording tells its first
 * task to beforeExecute(), unless a subclass keeps that for itself; then the task is seen if it has a place of its own to run.
 */
#include "uprobes/agent/tasks/task_places.h"
#include "filters/handoff.h"
#include "filters/policy.h"
#include "uprobes/agent/control.h"
#include "uprobes/agent/sys.h"

#define EXECUTOR  "java/util/concurrent/ThreadPoolExecutor"
#define SCHEDULED "java/util/concurrent/ScheduledThreadPoolExecutor"
#define FUTURE	  "java/util/concurrent/FutureTask"
#define FORK_TASK "java/util/concurrent/ForkJoinTask"
#define FORK_POOL "java/util/concurrent/ForkJoinPool"
#define STAGE	  "java/util/concurrent/CompletableFuture"
#define THREAD	  "java/lang/Thread"
#define VIRTUAL	  "java/lang/VirtualThread"
#define NETTY	  "io/netty/util/concurrent/"

#define KOTLIN "kotlinx/coroutines/"

#define FORKED	   "(Ljava/util/concurrent/ForkJoinTask;"
#define RUNNABLE   "(Ljava/lang/Runnable;)V"
#define JUST_8	   1
#define NOT_8	   2
#define RUN(class) {class, "run", "()V", .hook = TASK_RUNS}
#define BLOCK	   "(Lkotlin/coroutines/CoroutineContext;Ljava/lang/Runnable;)V"
#define DISPATCHES(class)                                                   \
	{KOTLIN class, "dispatch", BLOCK, .hook = TASK_MOVES, .object = 2}, \
		{KOTLIN class, "dispatchYield", BLOCK, .hook = TASK_MOVES, .object = 2}
#define REFUSES(class, e) {EXECUTOR "$" class, "rejectedExecution", NULL, .hook = TASK_REFUSES, .object = 1, .end = (e)}

static const struct place {
	const char *class_name, *method;
	const char *descriptor; /* NULL: any */
	enum task_hook hook;
	uint8_t object; /* the local with the task, 0: `this` */
	uint8_t since;	/* JUST_8, NOT_8, or 0 */
	enum frt_task_end end;
	bool helps;	    /* a thread may run others' tasks here while it is in one of its own */
	bool resumes;	    /* it goes on as if it had not been handed over: there is no task */
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
	/*
	 * Event loops. safeExecute() calls runTask() where both are there. The thread of a loop may be a task of the root that
	 * has started it: what others hand to the loop is not.
	 */
	{NETTY "SingleThreadEventExecutor", "addTask", RUNNABLE, .hook = TASK_SHARES, .object = 1},
	{NETTY "AbstractEventExecutor", "runTask", RUNNABLE, .hook = TASK_RUNS_HERE, .helps = true},
	{NETTY "AbstractEventExecutor", "safeExecute", RUNNABLE, .hook = TASK_RUNS_HERE, .helps = true,
	 .unless = "runTask"},
	/*
	 * Coroutines of Kotlin. When one begins, a dispatcher gets its DispatchedContinuation. Where it is suspended, a
	 * CancellableContinuationImpl is made for the rest of it, which belongs to the call that is suspended, whoever resumes
	 * it: so it waits from there on. If it was resumed before that, it goes on with the result. It may go on in any thread
	 * that happens to be in another call.
	 */
	DISPATCHES("scheduling/ExperimentalCoroutineDispatcher"), /* up to 1.6 */
	DISPATCHES("scheduling/LimitingDispatcher"),
	DISPATCHES("scheduling/SchedulerCoroutineDispatcher"),
	DISPATCHES("scheduling/UnlimitedIoScheduler"),
	DISPATCHES("internal/LimitedDispatcher"),
	DISPATCHES("EventLoopBase"), /* up to 1.1 */
	DISPATCHES("EventLoopImplBase"),
	DISPATCHES("CommonPool"),
	DISPATCHES("ExecutorCoroutineDispatcherBase"), /* up to 1.4 */
	DISPATCHES("ExecutorCoroutineDispatcherImpl"),
	{KOTLIN "internal/ArrayQueue", "addLast", NULL, .hook = TASK_MOVES, .object = 1}, /* Unconfined's, up to 1.1 */
	{KOTLIN "EventLoop", "dispatchUnconfined", NULL, .hook = TASK_MOVES, .object = 1},
	{KOTLIN "internal/DispatchedContinuationKt", "safeDispatch",
	 "(L" KOTLIN "CoroutineDispatcher;Lkotlin/coroutines/CoroutineContext;Ljava/lang/Runnable;)V",
	 .hook = TASK_MOVES, .object = 2},					  /* to all, since 1.9 */
	{KOTLIN "AbstractContinuation", "getResult", NULL, .hook = TASK_SUBMITS}, /* up to 1.1 */
	{KOTLIN "CancellableContinuationImpl", "getResult", NULL, .hook = TASK_SUBMITS},
	{KOTLIN "CancellableContinuationImpl", "getSuccessfulResult", NULL, .hook = TASK_DROPS, .resumes = true},
	{KOTLIN "CancellableContinuationImpl", "getSuccessfulResult$kotlinx_coroutines_core", NULL, .hook = TASK_DROPS,
	 .resumes = true},
	{KOTLIN "DispatchedTask", "run", "()V", .hook = TASK_RUNS, .helps = true},
	{KOTLIN "DispatchedKt", "resume", NULL, .hook = TASK_RUNS, .helps = true}, /* without a queue */
	{KOTLIN "DispatchedTaskKt", "resume", NULL, .hook = TASK_RUNS, .helps = true},
};

#define PLACES (sizeof(places) / sizeof(places[0]))

/* Those of the program's own, behind the others. */
static struct frt_place own[FRT_PLACES];
static uint32_t owns; /* grows while recordings run */

static bool place_is_same(const struct frt_place *a, const struct frt_place *b)
{
	return a->argument == b->argument && text_is(a->class_name, b->class_name) && text_is(a->method, b->method) &&
	       text_is(a->types, b->types);
}

/* Two places, unless they are there, or there is no room for them. */
static void place_add_own(const struct frt_place pair[2])
{
	uint32_t n = owns;

	for (uint32_t i = 0; i < n; i += 2)
		if (place_is_same(&own[i], &pair[0]) && place_is_same(&own[i + 1], &pair[1]))
			return;
	if (n + 2 > FRT_PLACES || handoff_is_of_jdk(pair[0].class_name) || handoff_is_of_jdk(pair[1].class_name))
		return;
	memcpy(&own[n], pair, 2 * sizeof(own[0]));
	store_release(&owns, n + 2);
}

void task_places_begin(uint32_t recording, bool others)
{
	const struct frt_config *c = control_config(recording);

	control->recording[recording].places_hooked = 0;
	if (!others)
		store_release(&owns, 0);
	for (uint32_t i = 0; i < FRT_PLACES && c->place[i].class_name[0]; i += 2) {
		struct frt_place pair[2];

		memcpy(pair, &c->place[i], sizeof(pair));
		for (int k = 0; k < 2; k++)
			pair[k].class_name[sizeof(pair[k].class_name) - 1] =
				pair[k].method[sizeof(pair[k].method) - 1] = pair[k].types[sizeof(pair[k].types) - 1] =
					0;
		place_add_own(pair);
	}
}

static bool is_of_places(struct slice class_name)
{
	for (size_t i = 1; i < PLACES; i++)
		if (slice_is(class_name, places[i].class_name))
			return true;
	return false;
}

bool task_places_are_own(struct slice class_name)
{
	if (slice_begins(class_name, NETTY) || slice_begins(class_name, KOTLIN))
		return is_of_places(class_name);
	for (uint32_t i = 0; i < load_acquire(&owns); i++)
		if (slice_is(class_name, own[i].class_name))
			return true;
	return false;
}

bool task_places_in(struct slice class_name)
{
	if (task_places_are_own(class_name))
		return true;
	return (slice_begins(class_name, "java/util/concurrent/") || slice_begins(class_name, "java/lang/")) &&
	       is_of_places(class_name);
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

/* The place, and the local with the object; 0: the method is none. */
static uint32_t task_place_of(const struct class_file *c, const struct class_method *m, unsigned int *object)
{
	for (uint32_t n = 1; n < PLACES; n++) {
		*object = places[n].object;
		if (task_place_is(&places[n], c, m))
			return n;
	}
	for (uint32_t i = 0; i < load_acquire(&owns); i++)
		if (m->code_offset && !policy_class(c) && slice_is(c->name, own[i].class_name) &&
		    handoff_is_method(&own[i], m->name, m->descriptor, m->access & 0x0008, object))
			return PLACES + i;
	return 0;
}

/* What the method of a place does with the object. */
static enum task_hook task_place_hook(uint32_t place)
{
	if (place >= PLACES)
		return (place - PLACES) % 2 ? TASK_RUNS_HERE : TASK_SHARES;
	return places[place].hook;
}

void task_place_is_hooked(JNIEnv *env, jint place)
{
	const struct frt_place *p = &own[((uint32_t)place - PLACES) % FRT_PLACES];

	if ((uint32_t)place < PLACES && places[place].hook == TASK_MOVES)
		task_class_set_coroutines(env);
	for (uint32_t r = 0; r < FRT_RECORDINGS && (uint32_t)place >= PLACES; r++)
		for (uint32_t i = 0; i < FRT_PLACES; i++)
			if (place_is_same(&control_config(r)->place[i], p))
				__atomic_fetch_or(&control->recording[r].places_hooked, 1ull << i, __ATOMIC_RELAXED);
}

uint32_t task_places_edits(const struct class_file *c, struct method_edit *edits, uint32_t room)
{
	uint32_t count = 0;

	for (uint16_t i = 0; i < c->methods; i++) {
		unsigned int object;
		uint32_t n = task_place_of(c, &c->method[i], &object);

		if (!n || object > UINT8_MAX || count == room)
			continue;
		edits[count++] = (struct method_edit){
			.method = i,
			.id = n,
			.hooks = task_class_hooks(task_place_hook(n)),
			.form = task_hook_form(task_place_hook(n)),
			.object = object,
		};
	}
	return count;
}

static const struct place *task_place_at(jint place)
{
	static const struct place of_program = {.hook = TASK_RUNS_HERE};

	return (uint32_t)place < PLACES ? &places[place] : &of_program;
}

enum frt_task_end task_place_end(jint place)
{
	return task_place_at(place)->end;
}

bool task_place_resumes(jint place)
{
	return task_place_at(place)->resumes;
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
