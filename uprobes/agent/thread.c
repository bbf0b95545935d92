// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/thread.h"
#include "uprobes/agent/jvm.h"

static jclass thread_class, virtual_class, carrier_class; /* the last two are NULL before JDK 21 */
static jmethodID current_thread;
static jfieldID id_field, name_field;

jvmtiError thread_init(JNIEnv *env)
{
	thread_class = jvm_keep_class(env, (*env)->FindClass(env, "java/lang/Thread"));
	if (!thread_class)
		return JVMTI_ERROR_INTERNAL;
	current_thread = (*env)->GetStaticMethodID(env, thread_class, "currentThread", "()Ljava/lang/Thread;");
	id_field = (*env)->GetFieldID(env, thread_class, "tid", "J");
	if (!current_thread || !id_field) {
		(*env)->ExceptionClear(env);
		return JVMTI_ERROR_INTERNAL;
	}
	if (control->jni_version < 0x00150000) /* before JDK 21 */
		return JVMTI_ERROR_NONE;
	name_field = (*env)->GetFieldID(env, thread_class, "name", "Ljava/lang/String;");
	if (!name_field)
		(*env)->ExceptionClear(env);
	virtual_class = jvm_keep_class(env, (*env)->FindClass(env, "java/lang/BaseVirtualThread"));
	carrier_class = jvm_keep_class(env, (*env)->FindClass(env, "jdk/internal/misc/CarrierThread"));
	return JVMTI_ERROR_NONE;
}

static void release_class(JNIEnv *env, jclass *class)
{
	if (*class)
		(*env)->DeleteGlobalRef(env, *class);
	*class = NULL;
}

void thread_release(JNIEnv *env)
{
	release_class(env, &thread_class);
	release_class(env, &virtual_class);
	release_class(env, &carrier_class);
}

static jobject running_thread(JNIEnv *env)
{
	jobject t;
	jthread thread;

	if (!virtual_class)
		return (*jvmti)->GetCurrentThread(jvmti, &thread) ? NULL : thread;
	t = (*env)->CallStaticObjectMethod(env, thread_class, current_thread);
	return jvm_threw(env) ? NULL : t;
}

/* Copy at most `size` bytes without splitting a character of modified UTF-8. */
static uint8_t thread_copy_name(char *to, size_t size, const char *from)
{
	size_t length = from ? strlen(from) : 0;

	if (length > size) {
		length = size;
		while (length && ((unsigned char)from[length] & 0xc0) == 0x80)
			length--;
	}
	if (length)
		memcpy(to, from, length);
	return length;
}

static void copy_group(struct frt_thread *row, jthreadGroup group)
{
	jvmtiThreadGroupInfo info;

	if (!group || (*jvmti)->GetThreadGroupInfo(jvmti, group, &info))
		return;
	row->group_length = thread_copy_name(row->group, sizeof(row->group), info.name);
	jvm_free(info.name);
}

/* The JVM keeps its own threads apart from the program's: the reference handler, the finalizer, the attach listener. */
static bool is_own_group(const struct frt_thread *row)
{
	static const char *const of_jvm[] = {"system", "InnocuousThreadGroup"};
	char group[sizeof(row->group) + 1];

	memcpy(group, row->group, row->group_length);
	group[row->group_length] = 0;
	return row->group_length && !text_is(group, of_jvm[0]) && !text_is(group, of_jvm[1]);
}

static void thread_describe(struct frt_thread *row, JNIEnv *env, jobject thread)
{
	jvmtiThreadInfo info;

	row->java_id = (*env)->GetLongField(env, thread, id_field);
	if ((*jvmti)->GetThreadInfo(jvmti, thread, &info))
		return;
	row->name_length = thread_copy_name(row->name, sizeof(row->name), info.name);
	copy_group(row, info.thread_group);
	row->patient = is_own_group(row);
	jvm_free(info.name);
	if (info.thread_group)
		(*env)->DeleteLocalRef(env, info.thread_group);
	if (info.context_class_loader)
		(*env)->DeleteLocalRef(env, info.context_class_loader);
}

bool thread_is_virtual(JNIEnv *env, jthread thread)
{
	return virtual_class && (*env)->IsInstanceOf(env, thread, virtual_class);
}

static bool is_carrier(JNIEnv *env, jobject thread)
{
	return carrier_class && (*env)->IsInstanceOf(env, thread, carrier_class);
}

static uint32_t next_serial(void)
{
	uint32_t serial;

	do {
		serial = __atomic_add_fetch(&control->thread_serial, 1, __ATOMIC_RELAXED) & ~FRT_VIRTUAL_KEY;
	} while (serial == FRT_NO_THREAD);
	return serial;
}

uint32_t thread_identify(struct frt_slot *s, JNIEnv *env)
{
	uint32_t serial = next_serial();
	struct frt_thread *row = (struct frt_thread *)control_at(FRT_THREADS_AT) + serial % FRT_MAX_THREADS;
	jobject thread = running_thread(env);

	store_release(&row->serial, FRT_NO_THREAD);
	row->tid = sys_gettid();
	row->java_id = 0;
	row->name_length = row->group_length = row->carrier = row->patient = 0;
	if (thread) {
		bool is_virtual = thread_is_virtual(env, thread);

		row->carrier = is_virtual || is_carrier(env, thread);
		if (row->carrier) {
			s->flags |= FRT_SLOT_CARRIER;
			s->carrier = (struct frt_carrier){.java_id = is_virtual ? thread_java_id(env, thread) : 0};
		}
		if (!is_virtual)
			thread_describe(row, env, thread);
		(*env)->DeleteLocalRef(env, thread);
	}
	store_release(&row->serial, serial);
	return serial;
}

uint32_t thread_virtual_name(JNIEnv *env, jthread thread, char *name, size_t size)
{
	jstring text = name_field ? (*env)->GetObjectField(env, thread, name_field) : NULL;
	char buffer[3 * 16 * FRT_VTHREAD_PARTS + 1];
	jsize characters;
	uint32_t length;

	if (!text)
		return 0;
	characters = (*env)->GetStringLength(env, text);
	if (characters > (jsize)(16 * FRT_VTHREAD_PARTS))
		characters = 16 * FRT_VTHREAD_PARTS;
	(*env)->GetStringUTFRegion(env, text, 0, characters, buffer);
	if (!jvm_threw(env))
		buffer[sizeof(buffer) - 1] = 0;
	(*env)->DeleteLocalRef(env, text);
	length = thread_copy_name(name, size, buffer);
	return length;
}

jobject thread_own_virtual(JNIEnv *env)
{
	jobject thread = virtual_class ? running_thread(env) : NULL;

	if (!thread || thread_is_virtual(env, thread))
		return thread;
	(*env)->DeleteLocalRef(env, thread);
	return NULL;
}

uint64_t thread_java_id(JNIEnv *env, jthread thread)
{
	return (*env)->GetLongField(env, thread, id_field);
}

uint64_t thread_running_id(JNIEnv *env, bool *is_virtual)
{
	jobject thread = running_thread(env);
	uint64_t id;

	*is_virtual = thread && thread_is_virtual(env, thread);
	if (!thread)
		return 0;
	id = thread_java_id(env, thread);
	(*env)->DeleteLocalRef(env, thread);
	return id;
}

bool thread_running_virtual(JNIEnv *env, uint64_t known, char *name, size_t name_size, struct thread_virtual *v)
{
	jobject thread = thread_own_virtual(env);

	if (!thread)
		return false;
	v->java_id = (*env)->GetLongField(env, thread, id_field);
	v->name_length = v->java_id == known ? 0 : thread_virtual_name(env, thread, name, name_size);
	(*env)->DeleteLocalRef(env, thread);
	return true;
}

static jobject new_thread(JNIEnv *env)
{
	jmethodID constructor =
		(*env)->GetMethodID(env, thread_class, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V");
	jstring name = (*env)->NewStringUTF(env, "frtrace");
	jthreadGroup *groups = NULL;
	jobject made = NULL;
	jint count = 0;

	if (constructor && name && !(*jvmti)->GetTopThreadGroups(jvmti, &count, &groups) && count > 0)
		made = (*env)->NewObject(env, thread_class, constructor, groups[0], name);
	jvm_free(groups);
	return jvm_threw(env) ? NULL : made;
}

bool thread_run(JNIEnv *env, jvmtiStartFunction function, void *argument, int priority)
{
	bool running = false;
	jobject thread;

	if (!jvm_push_frame(env, 16))
		return false;
	thread = new_thread(env);
	if (thread)
		running = !(*jvmti)->RunAgentThread(jvmti, thread, function, argument, priority);
	(*env)->PopLocalFrame(env, NULL);
	return running;
}
