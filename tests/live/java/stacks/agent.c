// SPDX-License-Identifier: BSD-2-Clause
/*
 * The test's own JVMTI agent, loaded with -agentpath. It is a witness of stacks (GetStackTrace within the traced
 * method), calls Java from C, and retransforms and redefines classes while their code runs.
 *
 * Each distinct stack is kept once, as text in the form that Oracle.java describes. The names and the line table of a
 * method are read once, since a jmethodID is never reused for another method. It moves to the new version of a
 * redefined method, however, so a redefinition clears the cache and nobody may use it meanwhile.
 */
#include <jvmti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES	2200
#define METHODS (1 << 16)
#define STACKS	(1 << 18)

struct method {
	jmethodID id;
	char *names; /* class TAB method TAB descriptor */
	jint lines;
	jvmtiLineNumberEntry *table;
	jboolean is_native;
};

struct stack {
	unsigned long long hash;
	char *text;
};

static jvmtiEnv *ti;
static pthread_rwlock_t versions = PTHREAD_RWLOCK_INITIALIZER; /* held while a class changes */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;       /* protects both tables */
static struct method methods[METHODS];
static struct stack stacks[STACKS];
static int slots[STACKS * 2], used; /* stack number + 1 by hash */

static char *copy_class_name(const char *signature)
{
	char *name = strdup(signature[0] == 'L' ? signature + 1 : signature);
	char *p;

	for (p = name; *p; p++) {
		if (*p == '/')
			*p = '.';
		else if (*p == '.')
			*p = '/';
		else if (*p == ';')
			*p = 0;
	}
	return name;
}

static void fill_method(JNIEnv *env, struct method *m, jmethodID id)
{
	char *name = NULL, *descriptor = NULL, *signature = NULL, *dotted;
	jclass owner = NULL;
	size_t size;

	m->id = id;
	(*ti)->GetMethodName(ti, id, &name, &descriptor, NULL);
	(*ti)->GetMethodDeclaringClass(ti, id, &owner);
	(*ti)->GetClassSignature(ti, owner, &signature, NULL);
	dotted = copy_class_name(signature);
	size = strlen(dotted) + strlen(name) + strlen(descriptor) + 3;
	m->names = malloc(size);
	snprintf(m->names, size, "%s\t%s\t%s", dotted, name, descriptor);
	if ((*ti)->GetLineNumberTable(ti, id, &m->lines, &m->table))
		m->lines = 0;
	(*ti)->IsMethodNative(ti, id, &m->is_native);
	(*env)->DeleteLocalRef(env, owner);
	(*ti)->Deallocate(ti, (unsigned char *)name);
	(*ti)->Deallocate(ti, (unsigned char *)descriptor);
	(*ti)->Deallocate(ti, (unsigned char *)signature);
	free(dotted);
}

/* Called without the lock: the JVM may stop this thread at a safepoint. */
static struct method *get_method(JNIEnv *env, jmethodID id)
{
	size_t at = ((size_t)id >> 3) * 0x9E3779B97F4A7C15ull >> 48;
	struct method fresh = {};

	for (;; at = (at + 1) % METHODS) {
		jmethodID seen = __atomic_load_n(&methods[at].id, __ATOMIC_ACQUIRE);

		if (seen == id)
			return &methods[at];
		if (!seen)
			break;
	}
	fill_method(env, &fresh, id);
	pthread_mutex_lock(&lock);
	while (methods[at].id && methods[at].id != id)
		at = (at + 1) % METHODS;
	if (!methods[at].id) {
		methods[at].names = fresh.names;
		methods[at].lines = fresh.lines;
		methods[at].table = fresh.table;
		methods[at].is_native = fresh.is_native;
		__atomic_store_n(&methods[at].id, id, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return &methods[at];
}

/* The line table is not sorted: find the entry with the highest start that is not above bci. */
static int get_line(const struct method *m, jlocation bci)
{
	jlocation best = -1;
	int line = -1;
	jint i;

	for (i = 0; i < m->lines; i++) {
		if (m->table[i].start_location <= bci && m->table[i].start_location > best) {
			best = m->table[i].start_location;
			line = m->table[i].line_number;
		}
	}
	return line;
}

static void write_frame(FILE *out, const struct method *m, jlocation bci)
{
	fprintf(out, "F\t%s\t%d\t%d\t?\n", m->names, m->is_native ? -2 : get_line(m, bci), (int)bci);
}

static int intern_text(char *text)
{
	unsigned long long hash = 14695981039346656037ull;
	const char *p;
	size_t at;
	int id;

	for (p = text; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 1099511628211ull;
	pthread_mutex_lock(&lock);
	for (at = hash % (STACKS * 2); slots[at]; at = (at + 1) % (STACKS * 2)) {
		if (stacks[slots[at] - 1].hash == hash && !strcmp(stacks[slots[at] - 1].text, text))
			break;
	}
	id = slots[at] - 1;
	if (id < 0 && used < STACKS) {
		id = used++;
		stacks[id].hash = hash;
		stacks[id].text = text;
		slots[at] = used;
		text = NULL;
	}
	pthread_mutex_unlock(&lock);
	free(text);
	return id;
}

JNIEXPORT jint JNICALL Java_stacks_Native_look(JNIEnv *env, jclass owner, jint max)
{
	jvmtiFrameInfo frames[FRAMES];
	struct method *m;
	char *text = NULL;
	size_t size = 0;
	jint n = 0, i, first = 0, end;
	FILE *out;

	(void)owner;
	if (max > FRAMES - 100)
		max = FRAMES - 100;
	pthread_rwlock_rdlock(&versions);
	if ((*ti)->GetStackTrace(ti, NULL, 0, max + 32, frames, &n)) {
		pthread_rwlock_unlock(&versions);
		return -2;
	}
	for (; first < n; first++) {
		m = get_method(env, frames[first].method);
		if (!strncmp(m->names, "stacks.Probe\thit\t", 17))
			break;
	}
	end = n < first + 1 + max ? n : first + 1 + max;
	out = open_memstream(&text, &size);
	fprintf(out, "%d\n", end < n);
	for (i = first + 1; i < end; i++)
		write_frame(out, get_method(env, frames[i].method), frames[i].location);
	fclose(out);
	pthread_rwlock_unlock(&versions);
	return intern_text(text);
}

JNIEXPORT jint JNICALL Java_stacks_Native_stacks(JNIEnv *env, jclass owner)
{
	(void)env;
	(void)owner;
	return used;
}

JNIEXPORT jstring JNICALL Java_stacks_Native_stack(JNIEnv *env, jclass owner, jint id)
{
	(void)owner;
	return (*env)->NewStringUTF(env, stacks[id].text);
}

static void call_static(JNIEnv *env, jclass type, jmethodID method, int nested)
{
	volatile char frame[256] = {0};

	if (nested > 0)
		call_static(env, type, method, nested - 1);
	else
		(*env)->CallStaticVoidMethod(env, type, method);
	frame[0]++;
}

JNIEXPORT void JNICALL Java_stacks_Native_call(JNIEnv *env, jclass owner, jclass type, jstring name, jint nested)
{
	const char *text = (*env)->GetStringUTFChars(env, name, NULL);
	jmethodID method = (*env)->GetStaticMethodID(env, type, text, "()V");

	(void)owner;
	(*env)->ReleaseStringUTFChars(env, name, text);
	if (method)
		call_static(env, type, method, nested);
}

JNIEXPORT void JNICALL Java_stacks_Native_run(JNIEnv *env, jclass owner, jobject task)
{
	jmethodID method = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, task), "run", "()V");

	(void)owner;
	if (method)
		(*env)->CallVoidMethod(env, task, method);
}

struct attached {
	JavaVM *vm;
	jobject probe, type;
	jlong key;
};

static void *run_attached(void *data)
{
	struct attached *a = data;
	jmethodID method;
	JNIEnv *env;

	if ((*a->vm)->AttachCurrentThread(a->vm, (void **)&env, NULL))
		return NULL;
	method = (*env)->GetStaticMethodID(env, a->probe, "hit", "(J)I");
	(*env)->CallStaticIntMethod(env, a->probe, method, a->key);
	method = (*env)->GetStaticMethodID(env, a->type, "run", "()V"); /* runs <clinit> */
	if (method)
		(*env)->CallStaticVoidMethod(env, a->type, method);
	(*a->vm)->DetachCurrentThread(a->vm);
	return NULL;
}

JNIEXPORT void JNICALL Java_stacks_Native_attached(JNIEnv *env, jclass owner, jclass probe, jlong key, jclass type)
{
	struct attached a = {.key = key};
	pthread_t thread;

	(void)owner;
	(*env)->GetJavaVM(env, &a.vm);
	a.probe = (*env)->NewGlobalRef(env, probe);
	a.type = (*env)->NewGlobalRef(env, type);
	if (!pthread_create(&thread, NULL, run_attached, &a))
		pthread_join(thread, NULL);
	(*env)->DeleteGlobalRef(env, a.probe);
	(*env)->DeleteGlobalRef(env, a.type);
}

/* Clear the cache of methods: another version may have the same jmethodID now. */
static void forget_methods(void)
{
	int i;

	for (i = 0; i < METHODS; i++) {
		free(methods[i].names);
		if (methods[i].table)
			(*ti)->Deallocate(ti, (unsigned char *)methods[i].table);
	}
	memset(methods, 0, sizeof(methods));
}

JNIEXPORT jboolean JNICALL Java_stacks_Native_retransform(JNIEnv *env, jclass owner, jobjectArray types)
{
	jint n = (*env)->GetArrayLength(env, types), i;
	jclass classes[64];
	jvmtiError error;

	(void)owner;
	for (i = 0; i < n && i < 64; i++)
		classes[i] = (*env)->GetObjectArrayElement(env, types, i);
	pthread_rwlock_wrlock(&versions);
	error = (*ti)->RetransformClasses(ti, i, classes);
	forget_methods();
	pthread_rwlock_unlock(&versions);
	return error == JVMTI_ERROR_NONE;
}

JNIEXPORT jboolean JNICALL Java_stacks_Native_redefine(JNIEnv *env, jclass owner, jclass type, jbyteArray bytes)
{
	jvmtiClassDefinition definition = {.klass = type, .class_byte_count = (*env)->GetArrayLength(env, bytes)};
	jbyte *data = (*env)->GetByteArrayElements(env, bytes, NULL);
	jvmtiError error;

	(void)owner;
	definition.class_bytes = (unsigned char *)data;
	pthread_rwlock_wrlock(&versions);
	error = (*ti)->RedefineClasses(ti, 1, &definition);
	forget_methods();
	pthread_rwlock_unlock(&versions);
	(*env)->ReleaseByteArrayElements(env, bytes, data, JNI_ABORT);
	return error == JVMTI_ERROR_NONE;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	jvmtiCapabilities wanted = {
		.can_get_line_numbers = 1,
		.can_retransform_classes = 1,
		.can_redefine_classes = 1,
	};

	(void)options;
	(void)reserved;
	if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_2))
		return 1;
	return (*ti)->AddCapabilities(ti, &wanted) ? 1 : 0;
}
