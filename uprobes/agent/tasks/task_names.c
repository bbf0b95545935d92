// SPDX-License-Identifier: BSD-2-Clause
/*
 * Classes that have been met are kept with weak references, for the life of the JVM: the first of those whose hashes differ
 * enough. The names of others are unknown. Whether a class is one of Kotlin's coroutines is asked of tasks of all calls, so
 * their classes have a table of their own, and the JVM is asked for the name of each one that has no place there.
 */
#include "uprobes/agent/tasks/task_names.h"
#include "uprobes/agent/control.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/sys.h"
#include "uprobes/agent/tasks/task_kinds.h"

#define CLASSES_NEAR 8u
#define NAME	     232
#define NO_ROOM	     UINT32_MAX

enum { CLASS_FREE, CLASS_BUSY, CLASS_KNOWN };

static struct task_class_name {
	uint32_t state, hash;
	jweak class;
	jfieldID inner;	 /* what the class wraps; NULL: nothing */
	uint32_t guess;	 /* which class that had last time */
	bool told;	 /* to the Java code */
	uint64_t string; /* generation << 32 | number in the segment, or NO_ROOM, once it has been asked for */
	char name[NAME]; /* signature */
} known[TASK_CLASSES], dispatched[TASK_CLASSES];

static bool news; /* some class has not been told to the Java code yet */

/* Fields with what the program has given. Of several in one class, one is there. */
static const struct wrapper {
	const char *class_name, *field, *type;
} wrappers[] = {
	{"Ljava/util/concurrent/FutureTask;", "callable", "Ljava/util/concurrent/Callable;"},
	{"Ljava/util/concurrent/ScheduledThreadPoolExecutor$ScheduledFutureTask;", "callable",
	 "Ljava/util/concurrent/Callable;"},
	{"Ljava/util/concurrent/ExecutorCompletionService$QueueingFuture;", "callable",
	 "Ljava/util/concurrent/Callable;"},
	{"Ljava/util/concurrent/Executors$RunnableAdapter;", "task", "Ljava/lang/Runnable;"},
	{"Ljava/util/concurrent/CompletableFuture$AsyncRun;", "fn", "Ljava/lang/Runnable;"},
	{"Ljava/util/concurrent/CompletableFuture$AsyncSupply;", "fn", "Ljava/util/function/Supplier;"},
	{"Ljava/util/concurrent/CompletableFuture$UniApply;", "fn", "Ljava/util/function/Function;"},
	{"Ljava/util/concurrent/CompletableFuture$UniAccept;", "fn", "Ljava/util/function/Consumer;"},
	{"Ljava/util/concurrent/CompletableFuture$UniRun;", "fn", "Ljava/lang/Runnable;"},
	{"Ljava/util/concurrent/CompletableFuture$UniCompose;", "fn", "Ljava/util/function/Function;"},
	{"Ljava/util/concurrent/CompletableFuture$UniHandle;", "fn", "Ljava/util/function/BiFunction;"},
	{"Ljava/util/concurrent/CompletableFuture$UniWhenComplete;", "fn", "Ljava/util/function/BiConsumer;"},
	{"Ljava/util/concurrent/CompletableFuture$BiApply;", "fn", "Ljava/util/function/BiFunction;"},
	{"Ljava/util/concurrent/ForkJoinTask$AdaptedCallable;", "callable", "Ljava/util/concurrent/Callable;"},
	{"Ljava/util/concurrent/ForkJoinTask$AdaptedInterruptibleCallable;", "callable",
	 "Ljava/util/concurrent/Callable;"},
	{"Ljava/util/concurrent/ForkJoinTask$AdaptedInterruptibleRunnable;", "runnable", "Ljava/lang/Runnable;"},
	{"Ljava/util/concurrent/ForkJoinTask$AdaptedRunnable;", "runnable", "Ljava/lang/Runnable;"},
	{"Ljava/util/concurrent/ForkJoinTask$AdaptedRunnableAction;", "runnable", "Ljava/lang/Runnable;"},
	{"Ljava/util/concurrent/ForkJoinTask$RunnableExecuteAction;", "runnable", "Ljava/lang/Runnable;"},
	{"Ljava/lang/Thread;", "target", "Ljava/lang/Runnable;"},
	{"Ljava/lang/Thread;", "holder", "Ljava/lang/Thread$FieldHolder;"},
	{"Ljava/lang/Thread$FieldHolder;", "task", "Ljava/lang/Runnable;"},
	{"Ljava/lang/ThreadBuilders$BoundVirtualThread;", "task", "Ljava/lang/Runnable;"},
	{"Ljava/lang/VirtualThread;", "cont", "Ljdk/internal/vm/Continuation;"},
	{"Ljava/lang/VirtualThread$VThreadContinuation;", "target", "Ljava/lang/Runnable;"},
	{"Ljava/lang/VirtualThread$VThreadContinuation$1;", "val$task", "Ljava/lang/Runnable;"},
	{"Ljava/util/concurrent/ThreadPerTaskExecutor$ThreadBoundFuture;", "task", "Ljava/util/concurrent/Callable;"},
	{"Lkotlinx/coroutines/internal/DispatchedContinuation;", "continuation", "Lkotlin/coroutines/Continuation;"},
	{"Lkotlinx/coroutines/DispatchedContinuation;", "continuation", "Lkotlin/coroutines/Continuation;"},
};

/* There is an object of the class, so this does not initialise it. */
static jfieldID inner_of(JNIEnv *env, jclass class, const char *name)
{
	jfieldID id = NULL;

	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]) && !id; i++) {
		if (!text_is(wrappers[i].class_name, name))
			continue;
		id = (*env)->GetFieldID(env, class, wrappers[i].field, wrappers[i].type);
		if (jvm_threw(env))
			id = NULL;
	}
	return id;
}

/* False: the JVM does not say. A name that is too long is cut. */
static bool class_signature(jclass class, char to[NAME], bool *cut)
{
	size_t length;
	char *name;

	if ((*jvmti)->GetClassSignature(jvmti, class, &name, NULL))
		return false;
	length = strlen(name);
	*cut = length >= NAME;
	length = *cut ? NAME - 1 : length;
	memcpy(to, name, length);
	to[length] = 0;
	jvm_free(name);
	return true;
}

static bool class_describe(JNIEnv *env, jclass class, struct task_class_name *k)
{
	bool cut;

	if (!class_signature(class, k->name, &cut) || cut)
		return false;
	k->inner = inner_of(env, class, k->name);
	k->class = (*env)->NewWeakGlobalRef(env, class);
	jvm_threw(env);
	return k->class;
}

static struct task_class_name *class_keep(JNIEnv *env, jclass class, uint32_t hash, struct task_class_name *k)
{
	uint32_t vacant = CLASS_FREE;

	if (!__atomic_compare_exchange_n(&k->state, &vacant, CLASS_BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return NULL;
	k->hash = hash;
	if (!class_describe(env, class, k)) {
		store_release(&k->state, CLASS_FREE);
		return NULL;
	}
	store_release(&k->state, CLASS_KNOWN);
	store_release(&news, true);
	return k;
}

/* NULL: it is unknown. */
static struct task_class_name *class_search(JNIEnv *env, jclass class, struct task_class_name table[TASK_CLASSES])
{
	uint32_t at;
	jint hash;

	if ((*jvmti)->GetObjectHashCode(jvmti, class, &hash))
		return NULL;
	at = task_kind_of_hash(hash);
	for (uint32_t i = 0; i < CLASSES_NEAR; i++) {
		struct task_class_name *k = &table[(at + i) % TASK_CLASSES];
		uint32_t state = load_acquire(&k->state);

		if (state == CLASS_FREE)
			return class_keep(env, class, hash, k);
		if (state == CLASS_KNOWN && k->hash == (uint32_t)hash && (*env)->IsSameObject(env, k->class, class))
			return k;
	}
	return NULL;
}

/* The same, which looks at the guess first: most tasks have the class of the one before. */
static struct task_class_name *class_named(JNIEnv *env, jclass class, struct task_class_name table[TASK_CLASSES],
					   uint32_t *guess)
{
	struct task_class_name *k = &table[load_relaxed(guess) % TASK_CLASSES];

	if (load_acquire(&k->state) == CLASS_KNOWN && (*env)->IsSameObject(env, k->class, class))
		return k;
	k = class_search(env, class, table);
	if (k)
		store_relaxed(guess, k - table);
	return k;
}

struct task_class_name *task_name(JNIEnv *env, jobject task)
{
	static uint32_t outer;
	uint32_t *guess = &outer;
	struct task_class_name *name = NULL;

	for (int i = 0; task && i <= TASK_WRAPPERS; i++) {
		name = class_named(env, (*env)->GetObjectClass(env, task), known, guess);
		task = name && name->inner ? (*env)->GetObjectField(env, task, name->inner) : NULL;
		guess = name ? &name->guess : guess;
	}
	return name;
}

struct task_class_name *task_name_at(jint kind)
{
	return (uint32_t)kind < TASK_CLASSES ? &known[kind] : NULL;
}

void task_names_tell(JNIEnv *env)
{
	uint32_t classes = __atomic_exchange_n(&news, false, __ATOMIC_ACQ_REL) ? TASK_CLASSES : 0;

	for (uint32_t i = 0; i < classes; i++) {
		struct task_class_name *k = &known[i];

		if (load_acquire(&k->state) != CLASS_KNOWN || k->told)
			continue;
		k->told = true;
		if (task_kind_of_hash(k->hash) == i)
			task_kinds_add(env, i, k->class, k->inner);
	}
}

/* If a generation ends meanwhile, the number counts as one of the older. */
uint32_t task_name_string(struct task_class_name *name)
{
	uint64_t string = load_relaxed(&name->string), generation = control_strings_generation();

	if (string && string >> 32 == generation)
		return (uint32_t)string == NO_ROOM ? 0 : string;
	string = control_string((struct slice){name->name + 1, strlen(name->name) - 2}); /* without L and ; */
	store_relaxed(&name->string, generation << 32 | (string ? string : NO_ROOM));
	return string;
}

bool task_name_is_worker(JNIEnv *env, jobject thread, const struct task_class_name *name)
{
	static const char *const workers[] = {
		"Ljava/util/concurrent/ThreadPoolExecutor$Worker;",
		"Lorg/apache/tomcat/util/threads/ThreadPoolExecutor$Worker;",
		"Lorg/eclipse/jetty/util/thread/QueuedThreadPool$Runner;",
		"Lkotlinx/coroutines/scheduling/CoroutineScheduler$Worker;",
		"Lkotlinx/coroutines/DefaultExecutor;",
	};
	jclass forks;
	bool is;

	for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++)
		if (name && text_is(name->name, workers[i]))
			return true;
	forks = (*env)->FindClass(env, "java/util/concurrent/ForkJoinWorkerThread");
	if (jvm_threw(env) || !forks)
		return false;
	is = (*env)->IsInstanceOf(env, thread, forks);
	(*env)->DeleteLocalRef(env, forks);
	return is;
}

/* The signature of the object's class, which may be in `name`; NULL: unknown. */
static const char *dispatched_class(JNIEnv *env, jobject object, char name[NAME])
{
	static uint32_t guess;
	jclass class = (*env)->GetObjectClass(env, object);
	const struct task_class_name *k = class_named(env, class, dispatched, &guess);
	bool cut;

	if (k)
		return k->name;
	return class_signature(class, name, &cut) ? name : NULL;
}

jint JNICALL task_name_dispatched(JNIEnv *env, jclass helper, jobject object)
{
	char room[NAME];
	const char *name = dispatched_class(env, object, room);

	return name && slice_begins(slice_of(name), "Lkotlinx/coroutines/");
}

jint JNICALL task_name_starts(JNIEnv *env, jclass helper, jobject object)
{
	char room[NAME];
	const char *name = dispatched_class(env, object, room);

	if (!name)
		add_relaxed(&control->tasks_missed, 1);
	return name && (text_is(name, "Lkotlinx/coroutines/internal/DispatchedContinuation;") ||
			text_is(name, "Lkotlinx/coroutines/DispatchedContinuation;"));
}

static jfieldID first_field;

jobject JNICALL task_name_first(JNIEnv *env, jclass helper, jobject worker)
{
	jclass class;

	if (!load_acquire(&first_field)) {
		class = (*env)->GetObjectClass(env, worker);
		store_release(&first_field, (*env)->GetFieldID(env, class, "firstTask", "Ljava/lang/Runnable;"));
		(*env)->DeleteLocalRef(env, class);
		if (jvm_threw(env))
			return NULL;
	}
	return first_field ? (*env)->GetObjectField(env, worker, first_field) : NULL;
}
