// SPDX-License-Identifier: BSD-2-Clause
/* The rows of class loaders, with a JVM that has tags and raw monitors only. The source is included: it calls the JVM. */
#include "uprobes/agent/loader.c"
#include "tests/lib/test.h"

#include <pthread.h>
#include <time.h>

#define LOADER ((jobject)0x10)
#define TYPE   ((jclass)0x20)

static jlong tag;
static pthread_mutex_t monitor = PTHREAD_MUTEX_INITIALIZER, looking = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t looks = PTHREAD_COND_INITIALIZER;
static int inside, at_once; /* threads that describe the loader now; the most at a time */

bool hook_class_resolve(JNIEnv *env, jobject loader)
{
	return true;
}

bool thread_run(JNIEnv *env, jvmtiStartFunction function, void *argument, int priority)
{
	return false;
}

static jvmtiError JNICALL create_monitor(jvmtiEnv *j, const char *name, jrawMonitorID *id)
{
	*id = (jrawMonitorID)&monitor;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL destroy_monitor(jvmtiEnv *j, jrawMonitorID id)
{
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL enter_monitor(jvmtiEnv *j, jrawMonitorID id)
{
	return pthread_mutex_lock((pthread_mutex_t *)id) ? JVMTI_ERROR_INTERNAL : JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL exit_monitor(jvmtiEnv *j, jrawMonitorID id)
{
	return pthread_mutex_unlock((pthread_mutex_t *)id) ? JVMTI_ERROR_INTERNAL : JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_tag(jvmtiEnv *j, jobject o, jlong *out)
{
	*out = load_acquire(&tag);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_tag(jvmtiEnv *j, jobject o, jlong value)
{
	store_release(&tag, value);
	return JVMTI_ERROR_NONE;
}

/* Both threads describe the loader at the same time if they may; else the first goes on after a while. */
static jvmtiError JNICALL signature_of(jvmtiEnv *j, jclass c, char **signature, char **generic)
{
	static char text[] = "Lcom/acme/Loader;";
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	pthread_mutex_lock(&looking);
	inside++;
	at_once = inside > at_once ? inside : at_once;
	pthread_cond_broadcast(&looks);
	while (at_once < 2 && !pthread_cond_timedwait(&looks, &looking, &until))
		;
	inside--;
	pthread_mutex_unlock(&looking);
	*signature = text;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *j, unsigned char *memory)
{
	return JVMTI_ERROR_NONE;
}

static jclass JNICALL class_of(JNIEnv *e, jobject o)
{
	return TYPE;
}

static jclass JNICALL no_class(JNIEnv *e, const char *name)
{
	return NULL;
}

static jboolean JNICALL no_exception(JNIEnv *e)
{
	return false;
}

static void JNICALL delete_reference(JNIEnv *e, jobject o)
{
}

static const struct JNINativeInterface_ calls = {
	.GetObjectClass = class_of,
	.FindClass = no_class,
	.ExceptionCheck = no_exception,
	.DeleteLocalRef = delete_reference,
};
static const struct jvmtiInterface_1_ tools = {
	.CreateRawMonitor = create_monitor,
	.DestroyRawMonitor = destroy_monitor,
	.RawMonitorEnter = enter_monitor,
	.RawMonitorExit = exit_monitor,
	.GetTag = get_tag,
	.SetTag = set_tag,
	.GetClassSignature = signature_of,
	.Deallocate = deallocate,
};
static JNIEnv env = &calls;
static jvmtiEnv tool = &tools;

static void *number_loader(void *argument)
{
	uint32_t *number = argument;

	if (!loader_number(&env, LOADER, number))
		*number = 0;
	return NULL;
}

CASE(threads_that_meet_a_new_loader_give_it_one_row)
{
	uint32_t before = control->loaders, number[2];
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&t[i], NULL, number_loader, &number[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(number[0], before);
	assert_int_equal(number[1], before);
	assert_int_equal(control->loaders, before + 1);
	assert_int_equal(load_acquire(&tag), before);
	assert_int_equal(pthread_mutex_trylock(&monitor), 0); /* nobody holds it */
	pthread_mutex_unlock(&monitor);
}

CASE(boot_loader_needs_no_row)
{
	uint32_t number = 7;

	assert_true(loader_number(&env, NULL, &number));
	assert_int_equal(number, FRT_BOOT_LOADER);
}

static int setup(void **state)
{
	jvmti = &tool;
	return control_create("unit") && loader_init(&env) ? 0 : -1;
}

static int teardown(void **state)
{
	loader_release();
	control_destroy();
	return 0;
}

int main(void)
{
	return test_main(setup, teardown);
}
