/* SPDX-License-Identifier: BSD-2-Clause */
/* The native methods of live.Traced: the calling thread's record of traced_publish.c, in a good or a bad state. */
#include <dlfcn.h>
#include <stdbool.h>
#include <jni.h>
#include <jvmti.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* OTEP 4947, and elastic/apm's universal-profiling-integration.md */
struct otel {
	uint8_t trace[16], span[8], valid, flags;
	uint16_t attributes;
};

struct elastic {
	uint16_t version;
	uint8_t valid, present, flags, trace[16], span[8], transaction[8];
} __attribute__((packed));

static void *library;
static void **(*place)(void);
static int elastic;

JNIEXPORT void JNICALL Java_live_Traced_load(JNIEnv *env, jclass class, jstring path)
{
	const char *name = (*env)->GetStringUTFChars(env, path, NULL);

	library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	*(void **)&place = library ? dlsym(library, "place") : NULL;
	elastic = strstr(name, "elastic") != NULL;
	(*env)->ReleaseStringUTFChars(env, path, name);
	if (!place)
		(*env)->FatalError(env, dlerror());
}

JNIEXPORT void JNICALL Java_live_Traced_unload(JNIEnv *env, jclass class)
{
	dlclose(library);
	if (dlsym(RTLD_DEFAULT, "place"))
		(*env)->FatalError(env, "the library is still there");
}

JNIEXPORT void JNICALL Java_live_Traced_describe(JNIEnv *env, jclass class, jstring service, jstring version)
{
	void (*describe)(const char *service, const char *version);
	const char *texts[] = {(*env)->GetStringUTFChars(env, service, NULL),
			       (*env)->GetStringUTFChars(env, version, NULL)};

	*(void **)&describe = dlsym(library, "describe");
	describe(texts[0], texts[1]);
	(*env)->ReleaseStringUTFChars(env, service, texts[0]);
	(*env)->ReleaseStringUTFChars(env, version, texts[1]);
}

/* JDK 21's, for the headers of older JDKs: the version of JVMTI, and the word and bit of can_support_virtual_threads */
enum { VERSION_21 = 0x30150000, WORD = 1, BIT = 12 };

static jvmtiEnv *jvmti; /* NULL: nobody follows virtual threads */

/* The storage of JVMTI is the running virtual thread's. */
static void JNICALL on_mount(jvmtiEnv *env, ...)
{
	(*env)->GetThreadLocalStorage(env, NULL, place());
}

static void JNICALL on_unmount(jvmtiEnv *env, ...)
{
	*place() = NULL;
}

static void listen_to(const jvmtiExtensionEventInfo *event, const char *name, jvmtiExtensionEvent callback)
{
	if (!strcmp(event->id, name) &&
	    ((*jvmti)->SetExtensionEventCallback(jvmti, event->extension_event_index, callback) ||
	     (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event->extension_event_index, NULL)))
		abort();
}

/* As Elastic's library does it: from carrier to carrier each virtual thread takes its record along. */
JNIEXPORT void JNICALL Java_live_Traced_follow(JNIEnv *env, jclass class)
{
	uint32_t bits[sizeof(jvmtiCapabilities) / 4] = {[WORD] = 1 << BIT};
	jvmtiCapabilities wanted;
	jvmtiExtensionEventInfo *events;
	JavaVM *vm;
	jint count;

	memcpy(&wanted, bits, sizeof(wanted));
	if ((*env)->GetJavaVM(env, &vm) || (*vm)->GetEnv(vm, (void **)&jvmti, VERSION_21) ||
	    (*jvmti)->AddCapabilities(jvmti, &wanted) || (*jvmti)->GetExtensionEvents(jvmti, &count, &events))
		abort();
	for (jint i = 0; i < count; i++) {
		listen_to(&events[i], "com.sun.hotspot.events.VirtualThreadMount", on_mount);
		listen_to(&events[i], "com.sun.hotspot.events.VirtualThreadUnmount", on_unmount);
	}
}

static bool keep(void *record)
{
	return jvmti && !(*jvmti)->SetThreadLocalStorage(jvmti, NULL, record);
}

enum { NEW, IN_PLACE, NONE, INVALID, NO_TRACE, MALFORMED, NEAR_NULL, NOT_CANONICAL, NOT_READABLE, CUT };

static void fill(void *record, uint64_t hi, uint64_t lo, uint64_t span)
{
	uint64_t ids[3] = {__builtin_bswap64(hi), __builtin_bswap64(lo), __builtin_bswap64(span)};
	struct elastic *e = record;
	struct otel *o = record;

	memcpy(elastic ? e->trace : o->trace, ids, sizeof(ids));
	if (elastic)
		e->present = 1;
	else
		o->attributes = 0;
	*(elastic ? &e->valid : &o->valid) = 1;
}

static void spoil(void *record, int what)
{
	struct elastic *e = record;
	struct otel *o = record;

	if (what == INVALID)
		*(elastic ? &e->valid : &o->valid) = 0;
	else if (what == NO_TRACE)
		memset(elastic ? e->trace : o->trace, 0, 16);
	else if (elastic)
		e->present = 0;
	else
		o->attributes = 613;
}

/* Two pages. The second one is unreadable. */
static char *pages(void)
{
	static char *all;
	char *own = __atomic_load_n(&all, __ATOMIC_ACQUIRE), *other = NULL;

	if (own)
		return own;
	own = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(own, 1, 4096);
	mprotect(own + 4096, 4096, PROT_NONE);
	return __atomic_compare_exchange_n(&all, &other, own, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ? own : other;
}

static void set(jint what, jlong hi, jlong lo, jlong span)
{
	static __thread void *record;
	void **variable = place(), *old = keep(NULL) ? NULL : record; /* a kept one is never freed */

	switch (what) {
	case NONE: *variable = NULL; return;
	case NEAR_NULL: *variable = (void *)16; return;
	case NOT_CANONICAL: *variable = (void *)0xdead000000000000; return;
	case NOT_READABLE: *variable = pages() + 4096; return;
	case CUT: *variable = pages() + 4096 - 20; return;
	}
	if (what == NEW || !old) {
		record = calloc(1, 640);
		fill(record, hi, lo, span);
		*variable = record;
		free(old);
	} else {
		fill(record, hi, lo, span);
		*variable = record;
	}
	if (what > NONE)
		spoil(record, what);
}

JNIEXPORT void JNICALL Java_live_Traced_set(JNIEnv *env, jclass class, jint what, jlong hi, jlong lo, jlong span)
{
	set(what, hi, lo, span);
	keep(*place());
}
