// SPDX-License-Identifier: BSD-2-Clause
/*
 * How the helper class is bound, with a JVM that answers as HotSpot does. The source is included, because the agent's
 * modules for tests have none that call the JVM.
 */
#include "uprobes/agent/hook_class.c"
#include "tests/lib/test.h"

#define SELF  ((jthread)0x10)
#define CLASS ((jclass)0x20)

static int enabled, disabled, for_others, registered;
static bool prepares, elsewhere; /* Class.forName finds the class; another thread has prepared it */

static jvmtiError JNICALL current_thread(jvmtiEnv *j, jthread *thread)
{
	*thread = SELF;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_mode(jvmtiEnv *j, jvmtiEventMode mode, jvmtiEvent event, jthread thread, ...)
{
	assert_int_equal(event, JVMTI_EVENT_CLASS_PREPARE);
	for_others += thread != SELF;
	if (mode == JVMTI_ENABLE)
		enabled++;
	else
		disabled++;
	return JVMTI_ERROR_NONE;
}

static jclass JNICALL find_class(JNIEnv *e, const char *name)
{
	return CLASS;
}

static jobject JNICALL new_global(JNIEnv *e, jobject o)
{
	return o;
}

static void JNICALL delete_reference(JNIEnv *e, jobject o)
{
}

static jboolean JNICALL exception_check(JNIEnv *e)
{
	return false;
}

static jboolean JNICALL same_object(JNIEnv *e, jobject a, jobject b)
{
	return a == b;
}

static jmethodID JNICALL static_method(JNIEnv *e, jclass c, const char *name, const char *type)
{
	return (jmethodID)0x30;
}

static jclass JNICALL define_class(JNIEnv *e, const char *name, jobject loader, const jbyte *bytes, jsize size)
{
	return CLASS;
}

static jstring JNICALL new_string(JNIEnv *e, const char *text)
{
	return (jstring)0x40;
}

static jobject JNICALL call_static(JNIEnv *e, jclass c, jmethodID method, ...)
{
	if (prepares && !elsewhere && enabled > disabled)
		hook_class_prepared(e, CLASS);
	return prepares ? CLASS : NULL;
}

static jint JNICALL register_natives(JNIEnv *e, jclass c, const JNINativeMethod *methods, jint count)
{
	registered += c == CLASS;
	return 0;
}

static enum frt_result hook_class_load(void)
{
	static const struct JNINativeInterface_ calls = {
		.FindClass = find_class,
		.NewGlobalRef = new_global,
		.DeleteGlobalRef = delete_reference,
		.DeleteLocalRef = delete_reference,
		.ExceptionCheck = exception_check,
		.IsSameObject = same_object,
		.GetStaticMethodID = static_method,
		.DefineClass = define_class,
		.NewStringUTF = new_string,
		.CallStaticObjectMethod = call_static,
		.RegisterNatives = register_natives,
	};
	static const struct jvmtiInterface_1_ events = {
		.GetCurrentThread = current_thread,
		.SetEventNotificationMode = set_mode,
	};
	static const struct hook_class_natives nothing;
	static JNIEnv env = &calls;
	static jvmtiEnv tool = &events;

	enabled = disabled = for_others = registered = 0;
	jvmti = &tool;
	return hook_class_init(&env, "unit", &nothing);
}

CASE(class_is_bound_while_this_thread_alone_has_the_event)
{
	prepares = true;
	elsewhere = false;
	assert_int_equal(hook_class_load(), FRT_DONE);
	assert_int_equal(registered, 1);
	assert_int_equal(enabled, 1);
	assert_int_equal(disabled, 1);
	assert_int_equal(for_others, 0);
}

CASE(class_that_another_thread_has_prepared_is_bound_after_that)
{
	prepares = elsewhere = true;
	assert_int_equal(hook_class_load(), FRT_DONE);
	assert_int_equal(registered, 1);
	assert_int_equal(for_others, 0);
}

CASE(class_that_is_not_found_leaves_no_event)
{
	prepares = false;
	assert_int_equal(hook_class_load(), FRT_NO_HELPER);
	assert_int_equal(registered, 0);
	assert_int_equal(enabled, 1);
	assert_int_equal(disabled, 1);
	assert_int_equal(for_others, 0);
}
