// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/tasks/task_kinds.h"
#include "uprobes/agent/control.h"
#include "uprobes/agent/jvm.h"

#define REFERENCES_MOST 8 /* local ones, at a time */

static struct task_unsafe unsafe;
static jobject unsafe_object;
static jobjectArray classes;
static jlongArray inner_offsets;
static jclass weak_class;
static jmethodID offset_of, new_weak;

/* JDK 12 has renamed the method that reads a reference. */
static bool unsafe_find(JNIEnv *env)
{
	static const struct task_unsafe old = {"sun/misc/Unsafe", "()Lsun/misc/Unsafe;", "getObject"},
					later = {"jdk/internal/misc/Unsafe", "()Ljdk/internal/misc/Unsafe;",
						 "getReference"};
	jclass class;
	jfieldID object;

	unsafe = control->jni_version < 0x00090000 ? old : later;
	class = (*env)->FindClass(env, unsafe.class_name);
	if (jvm_threw(env) || !class)
		return false;
	object = (*env)->GetStaticFieldID(env, class, "theUnsafe", unsafe.get_unsafe_type + 2);
	offset_of =
		object ? (*env)->GetMethodID(env, class, "objectFieldOffset", "(Ljava/lang/reflect/Field;)J") : NULL;
	if (jvm_threw(env) || !offset_of)
		return false;
	if (!(*env)->GetMethodID(env, class, unsafe.get_reference, "(" OBJECT "J)" OBJECT))
		unsafe.get_reference = old.get_reference;
	jvm_threw(env);
	unsafe_object = (*env)->NewGlobalRef(env, (*env)->GetStaticObjectField(env, class, object));
	return unsafe_object;
}

const struct task_unsafe *task_kinds_unsafe(JNIEnv *env)
{
	bool found;

	if (!jvm_push_frame(env, REFERENCES_MOST))
		return NULL;
	found = unsafe_object || unsafe_find(env);
	(*env)->PopLocalFrame(env, NULL);
	return found ? &unsafe : NULL;
}

/* A static field of that type refers to the array from now on. Returns a global reference to it, or NULL. */
static jobject array_set(JNIEnv *env, jclass tasks, const char *name, const char *type, jobject array)
{
	jfieldID field = (*env)->GetStaticFieldID(env, tasks, name, type);
	jobject global = array && field ? (*env)->NewGlobalRef(env, array) : NULL;

	if (global)
		(*env)->SetStaticObjectField(env, tasks, field, array);
	return jvm_threw(env) ? NULL : global;
}

static bool arrays_make(JNIEnv *env, jclass tasks)
{
	jclass reference = (*env)->FindClass(env, "java/lang/ref/Reference");
	jlong unknown[TASK_CLASSES];

	if (!reference || jvm_threw(env))
		return false;
	for (uint32_t i = 0; i < TASK_CLASSES; i++)
		unknown[i] = -1;
	inner_offsets = array_set(env, tasks, "inner", "[J", (*env)->NewLongArray(env, TASK_CLASSES));
	if (!inner_offsets)
		return false;
	(*env)->SetLongArrayRegion(env, inner_offsets, 0, TASK_CLASSES, unknown);
	classes = array_set(env, tasks, "classes", REFERENCES,
			    (*env)->NewObjectArray(env, TASK_CLASSES, reference, NULL));
	return classes;
}

static bool weak_find(JNIEnv *env)
{
	weak_class = jvm_keep_class(env, (*env)->FindClass(env, "java/lang/ref/WeakReference"));
	new_weak = weak_class ? (*env)->GetMethodID(env, weak_class, "<init>", "(" OBJECT ")V") : NULL;
	return !jvm_threw(env) && new_weak;
}

bool task_kinds_init(JNIEnv *env, jclass tasks)
{
	bool done;

	if (!jvm_push_frame(env, REFERENCES_MOST))
		return false;
	done = (weak_class || weak_find(env)) && (classes || arrays_make(env, tasks));
	(*env)->PopLocalFrame(env, NULL);
	return done;
}

/* -1: unknown. */
static jlong inner_offset(JNIEnv *env, jclass class, jfieldID inner)
{
	jobject field = inner ? (*env)->ToReflectedField(env, class, inner, false) : NULL;
	jlong offset = field ? (*env)->CallLongMethod(env, unsafe_object, offset_of, field) : inner ? -1 : 0;

	return jvm_threw(env) ? -1 : offset;
}

static void kind_add(JNIEnv *env, uint32_t number, jclass class, jfieldID inner)
{
	jlong offset = inner_offset(env, class, inner);
	jobject weak = (*env)->NewObject(env, weak_class, new_weak, class);

	if (weak && !jvm_threw(env)) {
		(*env)->SetLongArrayRegion(env, inner_offsets, number, 1, &offset);
		(*env)->SetObjectArrayElement(env, classes, number, weak);
	}
	jvm_threw(env);
}

void task_kinds_add(JNIEnv *env, uint32_t number, jclass class, jfieldID inner)
{
	if (!jvm_push_frame(env, REFERENCES_MOST))
		return;
	class = (*env)->NewLocalRef(env, class); /* of a weak one */
	if (class)
		kind_add(env, number, class, inner);
	(*env)->PopLocalFrame(env, NULL);
}
