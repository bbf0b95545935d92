// SPDX-License-Identifier: BSD-2-Clause
/*
 * The helper's class file, as `javap` shows it:
 *
 *    public final synthetic class java.lang.FrtraceHook1a2b3c4d
 *      public static native long enter(int);
 *      public static native void leave(long, int);
 *      public static native void thrown(long, int);
 *      public static native void mounts(long);
 *      public static native void unmounts(long);
 *      public static native void ends(long);
 *      public static native void ready(long);
 *      public static native long waits(int);
 *      public static native void waited(long, int);
 *
 * The natives are bound while Class.forName prepares the class. Since JDK 15 the JVM writes a warning to its log
 * if natives of a boot class are bound without a boot class on the stack; here the caller is java.lang.Class
 * itself.
 */
#include "uprobes/agent/hook_class.h"
#include "uprobes/agent/sys.h"

#define PREFIX "java/lang/FrtraceHook"

static char internal_name[64], binary_name[64];
static const struct class_hooks hooks = {internal_name, "enter", "leave", "thrown"};
static const struct class_hooks wait_hooks = {internal_name, "waits", "waited", "waited"};
static char enter_type[] = "(I)J", end_type[] = "(JI)V", mount_type[] = "(J)V";
static char mount_names[HOOK_MOUNTS][16] = {"mounts", "unmounts", "ends", "ready"};
static jclass class_class;
static jmethodID for_name;
static jclass helper_class;
static jvmtiEnv *jvmti;
static struct hook_class_natives functions;
static bool binding, bound;

struct writer {
	unsigned char bytes[768];
	size_t size;
};

static void put1(struct writer *w, unsigned int v)
{
	if (w->size < sizeof(w->bytes))
		w->bytes[w->size++] = v;
}

static void put2(struct writer *w, unsigned int v)
{
	put1(w, v >> 8);
	put1(w, v);
}

static void hook_class_put_utf8(struct writer *w, const char *text)
{
	size_t length = strlen(text);

	put1(w, 1);
	put2(w, length);
	for (size_t i = 0; i < length; i++)
		put1(w, text[i]);
}

static void put_native(struct writer *w, unsigned int name, unsigned int descriptor)
{
	put2(w, 0x0109); /* public static native */
	put2(w, name);
	put2(w, descriptor);
	put2(w, 0);
}

/* JVMS 4.1. Version 50 needs no stack map frames, and there is no code anyway. */
static void hook_class_write_class(struct writer *w)
{
	put2(w, 0xcafe);
	put2(w, 0xbabe);
	put2(w, 0);
	put2(w, 50);
	put2(w, 13 + HOOK_MOUNTS);		    /* number of constants + 1 */
	hook_class_put_utf8(w, internal_name);	    /* 1 */
	hook_class_put_utf8(w, "java/lang/Object"); /* 2 */
	put1(w, 7), put2(w, 1);			    /* 3 */
	put1(w, 7), put2(w, 2);			    /* 4 */
	hook_class_put_utf8(w, hooks.enter);	    /* 5 */
	hook_class_put_utf8(w, enter_type);	    /* 6 */
	hook_class_put_utf8(w, hooks.leave);	    /* 7 */
	hook_class_put_utf8(w, end_type);	    /* 8 */
	hook_class_put_utf8(w, hooks.thrown);	    /* 9 */
	hook_class_put_utf8(w, mount_type);	    /* 10 */
	for (int i = 0; i < HOOK_MOUNTS; i++)
		hook_class_put_utf8(w, mount_names[i]); /* 11 and up */
	hook_class_put_utf8(w, wait_hooks.enter);
	hook_class_put_utf8(w, wait_hooks.leave);
	put2(w, 0x1031); /* public final super synthetic */
	put2(w, 3);
	put2(w, 4);
	put2(w, 0);
	put2(w, 0);
	put2(w, 5 + HOOK_MOUNTS);
	put_native(w, 5, 6);
	put_native(w, 7, 8);
	put_native(w, 9, 8);
	for (int i = 0; i < HOOK_MOUNTS; i++)
		put_native(w, 11 + i, 10);
	put_native(w, 11 + HOOK_MOUNTS, 6);
	put_native(w, 12 + HOOK_MOUNTS, 8);
	put2(w, 0);
}

static bool set_names(const char *tag)
{
	size_t length = strlen(tag), prefix = sizeof(PREFIX) - 1;

	if (prefix + length >= sizeof(internal_name))
		return false;
	memcpy(internal_name, PREFIX, prefix);
	memcpy(internal_name + prefix, tag, length + 1);
	memcpy(binary_name, internal_name, sizeof(internal_name));
	for (char *c = binary_name; *c; c++)
		if (*c == '/')
			*c = '.';
	return true;
}

static bool find_for_name(JNIEnv *env)
{
	jclass local = (*env)->FindClass(env, "java/lang/Class");

	class_class = local ? (*env)->NewGlobalRef(env, local) : NULL;
	for_name = class_class
			   ? (*env)->GetStaticMethodID(env, class_class, "forName",
						       "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;")
			   : NULL;
	return for_name;
}

/* Class.forName(helper, initialize, loader). Returns NULL if it threw; the exception is cleared. */
static jclass call_for_name(JNIEnv *env, bool initialize, jobject loader)
{
	jstring name = (*env)->NewStringUTF(env, binary_name);
	jclass found = NULL;

	if (name && !(*env)->ExceptionCheck(env))
		found = (*env)->CallStaticObjectMethod(env, class_class, for_name, name, (jboolean)initialize, loader);
	if ((*env)->ExceptionCheck(env)) {
		(*env)->ExceptionClear(env);
		found = NULL;
	}
	if (name)
		(*env)->DeleteLocalRef(env, name);
	return found;
}

static void bind_natives(JNIEnv *env, jclass class)
{
	static char enter[] = "enter", leave[] = "leave", thrown[] = "thrown", waits[] = "waits", waited[] = "waited";
	JNINativeMethod natives[5 + HOOK_MOUNTS] = {
		{enter, enter_type, (void *)functions.enter}, {leave, end_type, (void *)functions.leave},
		{thrown, end_type, (void *)functions.thrown}, {waits, enter_type, (void *)functions.waits},
		{waited, end_type, (void *)functions.waited},
	};

	for (int i = 0; i < HOOK_MOUNTS; i++)
		natives[5 + i] = (JNINativeMethod){mount_names[i], mount_type, (void *)functions.mount[i]};
	bound = !(*env)->RegisterNatives(env, class, natives, 5 + HOOK_MOUNTS);
	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
}

void hook_class_prepared(JNIEnv *env, jclass prepared)
{
	if (binding && (*env)->IsSameObject(env, prepared, helper_class))
		bind_natives(env, prepared);
}

static void bind_at_prepare(JNIEnv *env)
{
	if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL))
		return;
	binding = true;
	call_for_name(env, true, NULL);
	binding = false;
	(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_PREPARE, NULL);
}

/* A global reference to a class that a loader returned; a pending exception is cleared. */
static jclass hook_class_keep(JNIEnv *env, jclass local)
{
	jclass global = local ? (*env)->NewGlobalRef(env, local) : NULL;

	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	if (local)
		(*env)->DeleteLocalRef(env, local);
	return global;
}

static jclass define(JNIEnv *env)
{
	struct writer w = {.size = 0};

	hook_class_write_class(&w);
	return hook_class_keep(env, (*env)->DefineClass(env, internal_name, NULL, (const jbyte *)w.bytes, w.size));
}

/* True if its natives throw UnsatisfiedLinkError. */
static bool is_unbound(JNIEnv *env)
{
	jmethodID enter = (*env)->GetStaticMethodID(env, helper_class, hooks.enter, "(I)J");
	bool thrown;

	if (enter)
		(*env)->CallStaticLongMethod(env, helper_class, enter, FRT_NO_METHOD);
	thrown = (*env)->ExceptionCheck(env);
	(*env)->ExceptionClear(env);
	return enter && thrown;
}

static enum frt_result hook_class_release(JNIEnv *env, enum frt_result result)
{
	if (helper_class)
		(*env)->DeleteGlobalRef(env, helper_class);
	if (class_class)
		(*env)->DeleteGlobalRef(env, class_class);
	helper_class = class_class = NULL;
	return result;
}

enum frt_result hook_class_init(jvmtiEnv *j, JNIEnv *env, const char *tag, const struct hook_class_natives *natives)
{
	jvmti = j;
	functions = *natives;
	bound = false;
	if (!set_names(tag) || !find_for_name(env))
		return hook_class_release(env, FRT_NO_HELPER);
	helper_class = define(env);
	if (helper_class) {
		bind_at_prepare(env);
	} else {
		helper_class = hook_class_keep(env, (*env)->FindClass(env, internal_name));
		if (helper_class && !is_unbound(env))
			return hook_class_release(env, FRT_ANOTHER_COPY);
		if (helper_class)
			bind_natives(env, helper_class);
	}
	return bound ? FRT_DONE : hook_class_release(env, FRT_NO_HELPER);
}

void hook_class_unbind(JNIEnv *env)
{
	(*env)->UnregisterNatives(env, helper_class);
	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	hook_class_release(env, FRT_DONE);
}

bool hook_class_resolve(JNIEnv *env, jobject loader)
{
	jclass found = call_for_name(env, false, loader);
	bool same = found && (*env)->IsSameObject(env, found, helper_class);

	if (found)
		(*env)->DeleteLocalRef(env, found);
	return same;
}

const struct class_hooks *hook_class_hooks(void)
{
	return &hooks;
}

const struct class_hooks *hook_class_wait_hooks(void)
{
	return &wait_hooks;
}

const char *hook_class_mount_name(enum hook_mount hook)
{
	return mount_names[hook];
}
