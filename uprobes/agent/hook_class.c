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
 *      public static native long polls(int, int);
 *      public static native void polled(long, int);
 *      public static native long registers(int, int);
 *      public static native void registered(long, int);
 *      public static native int left(long, int);
 *      public static native int threw(long, int);
 *      public static void i(int value, int set, int number) { if (set != 0) pi(value, set, number); }
 *      public static native void pi(int, int, int);
 *      the same with j, f, d and l for long, float, double and Object
 *      public static native Object b(Object value, int number);
 *
 * The natives are bound while Class.forName prepares the class. Since JDK 15 the JVM writes a warning to its log
 * if natives of a boot class are bound without a boot class on the stack; here the caller is java.lang.Class
 * itself.
 */
#include "uprobes/agent/hook_class.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/sys.h"

#define PREFIX "java/lang/FrtraceHook"

static char internal_name[64], binary_name[64];
static const struct class_hooks hooks = {internal_name, "enter", "leave", "thrown", "left", "threw"};
static const struct class_hooks wait_hooks = {internal_name, "waits", "waited", "waited", NULL, NULL};
static const struct class_hooks poll_hooks[HOOK_POLLS] = {
	[HOOK_POLL] = {internal_name, "polls", "polled", "polled", NULL, NULL},
	[HOOK_REGISTER] = {internal_name, "registers", "registered", "registered", NULL, NULL}};
static char enter_type[] = "(I)J", end_type[] = "(JI)V", mount_type[] = "(J)V", polls_type[] = "(II)J",
	    left_type[] = "(JI)I", begun_name[] = "b", begun_type[] = "(Ljava/lang/Object;I)Ljava/lang/Object;";

/* A method that takes a value, and the native behind it. */
static struct put {
	char name[2], native[3], type[32];
	uint8_t load, slots; /* the instruction that loads the value from local 0, and its size */
} value_methods[HOOK_PUTS] = {{"i", "pi", "(III)V", 26, 1},
			      {"j", "pj", "(JII)V", 30, 2},
			      {"f", "pf", "(FII)V", 34, 1},
			      {"d", "pd", "(DII)V", 38, 2},
			      {"l", "pl", "(Ljava/lang/Object;II)V", 42, 1}};
static char mount_names[HOOK_MOUNTS][16] = {"mounts", "unmounts", "ends", "ready"};
static jclass class_class;
static jmethodID for_name;
static jclass helper_class;
static struct hook_class_natives functions;
static bool bound;     /* the helper's natives */
static jclass awaited; /* the class that this thread is about to have prepared; NULL: none */
static void (*awaited_bind)(JNIEnv *env, jclass class);

struct writer {
	unsigned char bytes[2048];
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

enum { OTHERS = 8 + 2 * HOOK_POLLS, NATIVES = OTHERS + HOOK_MOUNTS + HOOK_PUTS };

enum {
	MOUNT_NAMES = 11, /* numbers of constants */
	WAIT_NAMES = MOUNT_NAMES + HOOK_MOUNTS,
	POLL_NAMES = WAIT_NAMES + 2,
	POLLS_TYPE = POLL_NAMES + 2 * HOOK_POLLS,
	LEFT_NAMES,
	CODE_NAMES = LEFT_NAMES + 3,
	PUT_NAMES = CODE_NAMES + 2,
	PUT_CONSTANTS = 5, /* for each: its name, the native's, their type, NameAndType, Methodref */
	BEGUN_NAMES = PUT_NAMES + HOOK_PUTS * PUT_CONSTANTS,
	CONSTANTS = BEGUN_NAMES + 2,
};

static void hook_class_put_constants(struct writer *w)
{
	hook_class_put_utf8(w, hooks.left);
	hook_class_put_utf8(w, hooks.threw);
	hook_class_put_utf8(w, left_type);
	hook_class_put_utf8(w, "Code");
	hook_class_put_utf8(w, "StackMapTable");
	for (unsigned int i = 0, at = PUT_NAMES; i < HOOK_PUTS; i++, at += PUT_CONSTANTS) {
		hook_class_put_utf8(w, value_methods[i].name);
		hook_class_put_utf8(w, value_methods[i].native);
		hook_class_put_utf8(w, value_methods[i].type);
		put1(w, 12), put2(w, at + 1), put2(w, at + 2);
		put1(w, 10), put2(w, 3), put2(w, at + 3);
	}
	hook_class_put_utf8(w, begun_name);
	hook_class_put_utf8(w, begun_type);
}

/* The method that calls the native if the set, in the local after the value, is not empty. */
static void hook_class_put_method(struct writer *w, unsigned int i)
{
	unsigned int at = PUT_NAMES + i * PUT_CONSTANTS, set = value_methods[i].slots;

	put2(w, 0x0009); /* public static */
	put2(w, at);
	put2(w, at + 2);
	put2(w, 1);
	put2(w, CODE_NAMES);
	put2(w, 0), put2(w, 12 + 11 + 9); /* length of the attribute, 4 bytes */
	put2(w, set + 2);		  /* stack */
	put2(w, set + 2);		  /* locals */
	put2(w, 0), put2(w, 11);
	put1(w, 26 + set);	  /* iload set */
	put1(w, 153), put2(w, 9); /* ifeq */
	put1(w, value_methods[i].load);
	put1(w, 26 + set);
	put1(w, 27 + set);	       /* iload number */
	put1(w, 184), put2(w, at + 4); /* invokestatic */
	put1(w, 177);		       /* return, at 10 */
	put2(w, 0);
	put2(w, 1);
	put2(w, CODE_NAMES + 1);
	put2(w, 0), put2(w, 3);
	put2(w, 1);
	put1(w, 10); /* the same frame */
}

/* JVMS 4.1. Version 50 needs no stack map frames, but takes them. */
static void hook_class_write_class(struct writer *w)
{
	put2(w, 0xcafe);
	put2(w, 0xbabe);
	put2(w, 0);
	put2(w, 50);
	put2(w, CONSTANTS);			    /* number of constants + 1 */
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
	for (int i = 0; i < HOOK_POLLS; i++) {
		hook_class_put_utf8(w, poll_hooks[i].enter);
		hook_class_put_utf8(w, poll_hooks[i].leave);
	}
	hook_class_put_utf8(w, polls_type);
	hook_class_put_constants(w);
	put2(w, 0x1031); /* public final super synthetic */
	put2(w, 3);
	put2(w, 4);
	put2(w, 0);
	put2(w, 0);
	put2(w, OTHERS + HOOK_MOUNTS + 2 * HOOK_PUTS);
	put_native(w, 5, 6);
	put_native(w, 7, 8);
	put_native(w, 9, 8);
	for (int i = 0; i < HOOK_MOUNTS; i++)
		put_native(w, 11 + i, 10);
	put_native(w, 11 + HOOK_MOUNTS, 6);
	put_native(w, 12 + HOOK_MOUNTS, 8);
	for (int i = 0; i < HOOK_POLLS; i++) {
		put_native(w, POLL_NAMES + 2 * i, POLLS_TYPE);
		put_native(w, POLL_NAMES + 2 * i + 1, 8);
	}
	put_native(w, LEFT_NAMES, LEFT_NAMES + 2);
	put_native(w, LEFT_NAMES + 1, LEFT_NAMES + 2);
	put_native(w, BEGUN_NAMES, BEGUN_NAMES + 1);
	for (unsigned int i = 0; i < HOOK_PUTS; i++) {
		hook_class_put_method(w, i);
		put_native(w, PUT_NAMES + i * PUT_CONSTANTS + 1, PUT_NAMES + i * PUT_CONSTANTS + 2);
	}
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

/* Class.forName(class_name, initialize, loader). Returns NULL if it threw; the exception is cleared. */
static jclass call_for_name(JNIEnv *env, const char *class_name, bool initialize, jobject loader)
{
	jstring name = (*env)->NewStringUTF(env, class_name);
	jclass found = NULL;

	if (name && !(*env)->ExceptionCheck(env))
		found = (*env)->CallStaticObjectMethod(env, class_class, for_name, name, (jboolean)initialize, loader);
	if (jvm_threw(env))
		found = NULL;
	if (name)
		(*env)->DeleteLocalRef(env, name);
	return found;
}

static void bind_natives(JNIEnv *env, jclass class)
{
	static char enter[] = "enter", leave[] = "leave", thrown[] = "thrown", waits[] = "waits", waited[] = "waited",
		    left[] = "left", threw[] = "threw";
	JNINativeMethod natives[NATIVES] = {
		{enter, enter_type, (void *)functions.enter}, {leave, end_type, (void *)functions.leave},
		{thrown, end_type, (void *)functions.thrown}, {waits, enter_type, (void *)functions.waits},
		{waited, end_type, (void *)functions.waited}, {left, left_type, (void *)functions.left},
		{threw, left_type, (void *)functions.threw},  {begun_name, begun_type, (void *)functions.begun},
	};

	for (int i = 0; i < HOOK_POLLS; i++) {
		natives[8 + 2 * i] =
			(JNINativeMethod){(char *)poll_hooks[i].enter, polls_type, (void *)functions.polls[i]};
		natives[9 + 2 * i] =
			(JNINativeMethod){(char *)poll_hooks[i].leave, end_type, (void *)functions.polled[i]};
	}
	for (int i = 0; i < HOOK_MOUNTS; i++)
		natives[OTHERS + i] = (JNINativeMethod){mount_names[i], mount_type, (void *)functions.mount[i]};
	for (int i = 0; i < HOOK_PUTS; i++)
		natives[OTHERS + HOOK_MOUNTS + i] =
			(JNINativeMethod){value_methods[i].native, value_methods[i].type, functions.put[i]};
	bound = !(*env)->RegisterNatives(env, class, natives, NATIVES);
	jvm_threw(env);
}

void hook_class_prepared(JNIEnv *env, jclass prepared)
{
	jclass class = awaited;

	if (class && (*env)->IsSameObject(env, prepared, class))
		awaited_bind(env, prepared);
}

/*
 * The event is enabled for this thread only, which prepares the class. If the load fails later, the JVM unloads the library,
 * and no other thread may be in its callback then.
 */
bool hook_class_bind_at_prepare(JNIEnv *env, jclass class, const char *name, void (*bind)(JNIEnv *env, jclass class))
{
	jclass found = NULL;
	jthread self;

	if ((*jvmti)->GetCurrentThread(jvmti, &self))
		return false;
	if (!(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, self)) {
		awaited_bind = bind;
		awaited = class;
		found = call_for_name(env, name, true, NULL);
		awaited = NULL;
		(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_PREPARE, self);
		if (found)
			(*env)->DeleteLocalRef(env, found);
	}
	(*env)->DeleteLocalRef(env, self);
	return found;
}

static jclass define(JNIEnv *env)
{
	struct writer w = {.size = 0};

	hook_class_write_class(&w);
	return jvm_keep_class(env, (*env)->DefineClass(env, internal_name, NULL, (const jbyte *)w.bytes, w.size));
}

/* True if its natives throw UnsatisfiedLinkError. */
static bool is_unbound(JNIEnv *env)
{
	jmethodID enter = (*env)->GetStaticMethodID(env, helper_class, hooks.enter, "(I)J");

	if (enter)
		(*env)->CallStaticLongMethod(env, helper_class, enter, FRT_NO_METHOD);
	return jvm_threw(env) && enter;
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

enum frt_result hook_class_init(JNIEnv *env, const char *tag, const struct hook_class_natives *natives)
{
	functions = *natives;
	bound = false;
	if (!set_names(tag) || !find_for_name(env))
		return hook_class_release(env, FRT_NO_HELPER);
	helper_class = define(env);
	if (helper_class) {
		if (hook_class_bind_at_prepare(env, helper_class, binary_name, bind_natives) &&
		    !bound) /* another thread has prepared it */
			bind_natives(env, helper_class);
	} else {
		helper_class = jvm_keep_class(env, (*env)->FindClass(env, internal_name));
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
	jvm_threw(env);
	hook_class_release(env, FRT_DONE);
}

bool hook_class_resolve(JNIEnv *env, jobject loader)
{
	jclass found = call_for_name(env, binary_name, false, loader);
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

const struct class_hooks *hook_class_poll_hooks(enum hook_poll poll)
{
	return &poll_hooks[poll];
}

const char *hook_class_mount_name(enum hook_mount hook)
{
	return mount_names[hook];
}
