// SPDX-License-Identifier: BSD-2-Clause
/* The class of what the program has given, and how often the JVM is asked for it. */
#include "uprobes/agent/tasks/task_names.c"
#include "tests/lib/new_control.h"
#include "tests/lib/test.h"

jvmtiEnv *jvmti;

/* What the Java code knows. */
static struct {
	jclass class;
	bool wraps;
} told[TASK_CLASSES];
static unsigned int told_count;

void task_kinds_add(JNIEnv *env, uint32_t number, jclass class, jfieldID inner)
{
	assert_true(number < TASK_CLASSES);
	assert_null(told[number].class);
	told[number].class = class;
	told[number].wraps = inner;
	told_count++;
}

struct class
{
	const char *signature;
	jint hash;
};

struct object {
	struct class *class;
	struct object *inner;
};

static struct class future = {"Ljava/util/concurrent/FutureTask;", 1}, order = {"Lcom/acme/Order;", 2},
		    mail = {"Lcom/acme/Mail;", 3}, like_order = {"Lcom/acme/LikeOrder;", 2};
static unsigned int asked, hashes;

static jclass JNICALL get_class(JNIEnv *env, jobject o)
{
	asked++;
	return (jclass)((struct object *)o)->class;
}

static jboolean JNICALL same_object(JNIEnv *env, jobject a, jobject b)
{
	asked++;
	return a == b;
}

static jobject JNICALL get_inner(JNIEnv *env, jobject o, jfieldID field)
{
	asked++;
	return (jobject)((struct object *)o)->inner;
}

static jclass JNICALL find_class(JNIEnv *env, const char *name)
{
	return NULL;
}

static jfieldID JNICALL get_field(JNIEnv *env, jclass class, const char *name, const char *type)
{
	assert_string_equal(name, "callable");
	return (jfieldID) class;
}

static jweak JNICALL new_weak(JNIEnv *env, jobject o)
{
	return o;
}

static jboolean JNICALL threw(JNIEnv *env)
{
	return false;
}

static jvmtiError JNICALL hash_code(jvmtiEnv *tool, jobject o, jint *hash)
{
	asked++;
	hashes++;
	*hash = ((struct class *)o)->hash;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL signature_of(jvmtiEnv *tool, jclass class, char **signature, char **generic)
{
	*signature = (char *)((struct class *)class)->signature;
	return *signature ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *tool, unsigned char *text)
{
	return JVMTI_ERROR_NONE;
}

static JNIEnv *env_new(void)
{
	static const struct JNINativeInterface_ calls = {.GetObjectClass = get_class,
							 .IsSameObject = same_object,
							 .GetObjectField = get_inner,
							 .GetFieldID = get_field,
							 .FindClass = find_class,
							 .NewWeakGlobalRef = new_weak,
							 .ExceptionCheck = threw};
	static const struct jvmtiInterface_1_ tool_calls = {
		.GetObjectHashCode = hash_code, .GetClassSignature = signature_of, .Deallocate = deallocate};
	static JNIEnv env = &calls;
	static jvmtiEnv tool = &tool_calls;

	jvmti = &tool;
	memset(known, 0, sizeof(known));
	memset(dispatched, 0, sizeof(dispatched));
	memset(told, 0, sizeof(told));
	told_count = 0;
	asked = hashes = 0;
	return &env;
}

static const char *name_of(JNIEnv *env, struct class *outer, struct class *inner)
{
	struct object wrapped = {inner, NULL}, task = {outer, inner ? &wrapped : NULL};

	return task_name(env, (jobject)&task)->name;
}

CASE(the_class_of_a_task_is_that_of_what_the_program_has_given)
{
	JNIEnv *env = env_new();

	for (int i = 0; i < 2; i++) {
		assert_string_equal(name_of(env, &future, &order), "Lcom/acme/Order;");
		assert_string_equal(name_of(env, &order, NULL), "Lcom/acme/Order;");
		assert_string_equal(name_of(env, &future, &mail), "Lcom/acme/Mail;");
		assert_string_equal(name_of(env, &future, &like_order), "Lcom/acme/LikeOrder;");
		assert_string_equal(name_of(env, &future, NULL), "Ljava/util/concurrent/FutureTask;");
	}
}

/* A call of the JVM takes some 10 ns, and one for a hash several times as long. */
CASE(few_calls_of_the_jvm_find_the_class_of_the_task_before)
{
	JNIEnv *env = env_new();

	name_of(env, &future, &order);
	name_of(env, &future, &order);
	asked = hashes = 0;
	name_of(env, &future, &order);
	assert_int_equal(hashes, 0);
	assert_int_equal(asked, 5);
}

CASE(the_java_code_is_told_once_of_classes_that_are_where_it_looks)
{
	JNIEnv *env = env_new();

	name_of(env, &future, &order);
	name_of(env, &like_order, NULL); /* its place is taken */
	task_names_tell(env);
	task_names_tell(env);
	assert_int_equal(told_count, 2);
	assert_ptr_equal(told[future.hash].class, &future);
	assert_true(told[future.hash].wraps);
	assert_ptr_equal(told[order.hash].class, &order);
	assert_false(told[order.hash].wraps);
	assert_string_equal(task_name_at(order.hash)->name, "Lcom/acme/Order;");
	assert_null(task_name_at(-1));
}

CASE(no_more_references_are_left_behind_than_said)
{
	JNIEnv *env = env_new();
	struct object chain[TASK_WRAPPERS + 4];

	for (int i = 0; i < TASK_WRAPPERS + 4; i++)
		chain[i] = (struct object){&future, &chain[i + 1]};
	chain[TASK_WRAPPERS + 3].inner = NULL;
	task_name(env, (jobject)chain);
	asked = 0;
	task_name(env, (jobject)chain);
	assert_true(asked - (TASK_WRAPPERS + 1) <= TASK_NAME_REFERENCES); /* all but IsSameObject() */
}

static const struct {
	const char *name, *signature;
	bool is_worker;
} threads[] = {
	{"of_the_jdk", "Ljava/util/concurrent/ThreadPoolExecutor$Worker;", true},
	{"of_tomcat", "Lorg/apache/tomcat/util/threads/ThreadPoolExecutor$Worker;", true},
	{"of_jetty", "Lorg/eclipse/jetty/util/thread/QueuedThreadPool$Runner;", true},
	{"of_the_program", "Lcom/acme/ThreadPoolExecutor$Worker;", false},
};

CASES(a_thread_of_a_pool_is_known_by_its_task, threads)
{
	struct class worker = {row->signature, 7};
	struct object task = {&worker, NULL};
	JNIEnv *env = env_new();

	assert_int_equal(task_name_is_worker(env, NULL, task_name(env, (jobject)&task)), row->is_worker);
}

static const char *const starting = "Lkotlinx/coroutines/internal/DispatchedContinuation;";

/* Tasks of that many classes of the program are asked about first. */
static void ask_about(JNIEnv *env, uint32_t classes)
{
	static struct class plain[4 * TASK_CLASSES];

	for (uint32_t i = 0; i < classes; i++) {
		struct object task = {&plain[i], NULL};

		plain[i] = (struct class){"Lcom/acme/Plain;", i};
		assert_false(task_name_dispatched(env, NULL, (jobject)&task));
		assert_false(task_name_starts(env, NULL, (jobject)&task));
	}
}

CASE(a_coroutine_is_known_however_many_classes_were_met_before)
{
	struct class kotlin = {starting, 77}, worker = {"Lkotlinx/coroutines/internal/LimitedDispatcher$Worker;", 78};
	struct object begins = {&kotlin, NULL}, works = {&worker, NULL};
	JNIEnv *env = env_new();

	ask_about(env, 4 * TASK_CLASSES);
	for (int i = 0; i < 2; i++) {
		assert_true(task_name_dispatched(env, NULL, (jobject)&begins));
		assert_true(task_name_starts(env, NULL, (jobject)&begins));
		assert_true(task_name_dispatched(env, NULL, (jobject)&works));
		assert_false(task_name_starts(env, NULL, (jobject)&works));
	}
}

CASE(asking_for_coroutines_leaves_room_for_names)
{
	JNIEnv *env = env_new();

	ask_about(env, 4 * TASK_CLASSES);
	assert_string_equal(name_of(env, &order, NULL), "Lcom/acme/Order;");
}

CASE(a_task_that_may_be_a_coroutine_is_counted_as_missed)
{
	struct class unknown = {NULL, 79};
	struct object task = {&unknown, NULL};
	JNIEnv *env = env_new();

	assert_true(new_control());
	assert_false(task_name_dispatched(env, NULL, (jobject)&task));
	assert_int_equal(control->tasks_missed, 0);
	assert_false(task_name_starts(env, NULL, (jobject)&task));
	assert_int_equal(control->tasks_missed, 1);
}

/* The string of a class, as the collector reads it. */
static const char *string_at(uint32_t number)
{
	assert_int_not_equal(number, 0);
	return (const char *)control_at(FRT_STRINGS_AT) + number + 2;
}

CASE(name_is_a_string_of_the_segment_also_after_strings_have_been_forgotten)
{
	static const bool alive[FRT_MAX_LOADERS];
	struct object task = {&order, NULL};
	struct task_class_name *name = task_name(env_new(), (jobject)&task);
	uint32_t first;

	assert_true(new_control());
	first = task_name_string(name);
	assert_string_equal(string_at(first), "com/acme/Order");
	assert_int_equal(task_name_string(name), first);
	assert_true(control_forget(alive));
	assert_string_equal(string_at(control_string(slice_of("a name that comes first"))), "a name that comes first");
	assert_string_equal(string_at(task_name_string(name)), "com/acme/Order");
	assert_int_not_equal(task_name_string(name), first);
}
