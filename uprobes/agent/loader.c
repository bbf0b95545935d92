// SPDX-License-Identifier: BSD-2-Clause
/*
 * The number of a loader's row is its JVMTI tag: found without a search, gone with the loader. A loader has one row, because
 * the rows of its classes are found by its number: one thread at a time gives numbers. Inside the monitor no Java code runs,
 * and no event is sent that comes back here; whatever a thread holds when it enters, those inside need none of it.
 */
#include "uprobes/agent/loader.h"
#include "uprobes/agent/hook_class.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/thread.h"

static jfieldID name_field; /* NULL before JDK 9 */
static jrawMonitorID numbering;

bool loader_init(JNIEnv *env)
{
	jclass c;

	if ((*jvmti)->CreateRawMonitor(jvmti, "frtrace", &numbering)) {
		numbering = NULL;
		return false;
	}
	c = (*env)->FindClass(env, "java/lang/ClassLoader");
	if (c)
		name_field = (*env)->GetFieldID(env, c, "name", "Ljava/lang/String;");
	if (jvm_threw(env))
		name_field = NULL;
	return true;
}

void loader_release(void)
{
	if (numbering)
		(*jvmti)->DestroyRawMonitor(jvmti, numbering);
	numbering = NULL;
}

static struct slice well_known_name(struct slice type)
{
	static const char *const names[][2] = {
		{"sun/misc/Launcher$AppClassLoader", "app"},
		{"sun/misc/Launcher$ExtClassLoader", "ext"},
	};

	for (size_t i = 0; i < 2; i++)
		if (slice_is(type, names[i][0]))
			return slice_of(names[i][1]);
	return slice_of(NULL);
}

static uint32_t loader_add_row(JNIEnv *env, jobject loader, struct slice type)
{
	jstring text = name_field ? (*env)->GetObjectField(env, loader, name_field) : NULL;
	const char *name = text ? (*env)->GetStringUTFChars(env, text, NULL) : NULL;
	uint32_t number = control_loader(type, name ? slice_of(name) : well_known_name(type));

	if (name)
		(*env)->ReleaseStringUTFChars(env, text, name);
	jvm_threw(env); /* no memory for the characters */
	if (text)
		(*env)->DeleteLocalRef(env, text);
	return number;
}

static uint32_t loader_describe(JNIEnv *env, jobject loader)
{
	jclass type = (*env)->GetObjectClass(env, loader);
	uint32_t number = 0;
	char *signature;

	if (!(*jvmti)->GetClassSignature(jvmti, type, &signature, NULL)) {
		size_t length = strlen(signature);

		if (length > 2) /* La/b/C; */
			number = loader_add_row(env, loader, (struct slice){signature + 1, length - 2});
		jvm_free(signature);
	}
	(*env)->DeleteLocalRef(env, type);
	return number;
}

bool loader_known(jobject loader, uint32_t *number)
{
	jlong tag = FRT_BOOT_LOADER;

	if (loader && ((*jvmti)->GetTag(jvmti, loader, &tag) || !tag))
		return false;
	*number = tag;
	return true;
}

static bool loader_add(JNIEnv *env, jobject loader, uint32_t *number)
{
	jlong tag;

	if (loader_known(loader, number)) /* another thread was faster */
		return true;
	tag = loader_describe(env, loader);
	if (!tag || (*jvmti)->SetTag(jvmti, loader, tag))
		return false;
	*number = tag;
	return true;
}

bool loader_number(JNIEnv *env, jobject loader, uint32_t *number)
{
	bool added;

	if (loader_known(loader, number))
		return true;
	if ((*jvmti)->RawMonitorEnter(jvmti, numbering))
		return false;
	added = loader_add(env, loader, number);
	(*jvmti)->RawMonitorExit(jvmti, numbering);
	return added;
}

struct loaders {
	jlong tag[FRT_MAX_LOADERS];
	bool alive[FRT_MAX_LOADERS];
};

/* List the live loaders. The JVM creates a reference to each. */
static bool find_alive(struct loaders *l)
{
	jint known = control->loaders - 1, count = 0;
	jlong *found = NULL;

	for (jint i = 0; i < known; i++)
		l->tag[i] = i + 1;
	if (!known || (*jvmti)->GetObjectsWithTags(jvmti, known, l->tag, &count, NULL, &found))
		return !known;
	for (jint i = 0; i < count; i++)
		l->alive[(uint64_t)found[i] % FRT_MAX_LOADERS] = true;
	jvm_free(found);
	return true;
}

bool loader_make_room(JNIEnv *env)
{
	struct loaders *l = sys_map(sizeof(*l));
	bool changed = false;

	if (!l)
		return false;
	l->alive[FRT_BOOT_LOADER] = true;
	if (jvm_push_frame(env, FRT_MAX_LOADERS)) {
		changed = find_alive(l) && control_forget(l->alive);
		(*env)->PopLocalFrame(env, NULL);
	}
	sys_unmap(l, sizeof(*l));
	return changed;
}

static enum loader_answer answer_of(uint32_t state)
{
	if (state == FRT_LOADER_READY)
		return LOADER_READY;
	return state == FRT_LOADER_REFUSES ? LOADER_REFUSES : LOADER_BUSY;
}

enum loader_answer loader_ask(JNIEnv *env, jobject loader, uint32_t number, bool insist)
{
	struct frt_loader *row = control_loader_row(number);
	uint32_t state = load_acquire(&row->state);

	if (state == FRT_LOADER_READY || state == FRT_LOADER_REFUSES || (state == FRT_LOADER_ASKED && !insist))
		return answer_of(state);
	store_release(&row->state, FRT_LOADER_ASKED);
	state = hook_class_resolve(env, loader) ? FRT_LOADER_READY : FRT_LOADER_REFUSES;
	store_release(&row->state, state);
	sys_wake_word(&row->state);
	return answer_of(state);
}

static void JNICALL ask_thread(jvmtiEnv *j, JNIEnv *env, void *loader)
{
	uint32_t number;

	if (loader_number(env, loader, &number))
		loader_ask(env, loader, number, true);
	(*env)->DeleteGlobalRef(env, loader);
}

/* Returns true if the caller has to ask the loader. */
static bool begin_to_ask(JNIEnv *env, jobject loader, struct frt_loader *row)
{
	jobject global = (*env)->NewGlobalRef(env, loader);

	if (!global)
		return false;
	store_release(&row->state, FRT_LOADER_ASKED);
	if (thread_run(env, ask_thread, global, JVMTI_THREAD_NORM_PRIORITY))
		return true;
	store_release(&row->state, FRT_LOADER_NEW);
	(*env)->DeleteGlobalRef(env, global);
	return false;
}

enum loader_answer loader_ask_aside(JNIEnv *env, jobject loader, uint32_t number, uint64_t until_ns)
{
	struct frt_loader *row = control_loader_row(number);
	uint64_t now;

	if (load_acquire(&row->state) == FRT_LOADER_NEW && !begin_to_ask(env, loader, row))
		return LOADER_BUSY;
	while (load_acquire(&row->state) == FRT_LOADER_ASKED && (now = sys_monotonic_ns()) < until_ns)
		sys_wait_word(&row->state, FRT_LOADER_ASKED, (until_ns - now) / 1000000 + 1);
	return answer_of(load_acquire(&row->state));
}
