// SPDX-License-Identifier: BSD-2-Clause
/* The native methods of live.Natives. One call in four throws. */
#include <jni.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int answer(JNIEnv *env, int n)
{
	if (n % 4 == 3)
		(*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalStateException"), "as it should");
	return n;
}

JNIEXPORT jint JNICALL Java_live_Natives_brief(JNIEnv *env, jclass class, jint n)
{
	return answer(env, n) + 1;
}

JNIEXPORT jint JNICALL Java_live_Natives_over__I(JNIEnv *env, jclass class, jint n)
{
	return Java_live_Natives_brief(env, class, n) + 1; /* a call by C code */
}

JNIEXPORT jint JNICALL Java_live_Natives_over__Ljava_lang_String_2_3I(JNIEnv *env, jclass class, jstring s,
								      jintArray array)
{
	return answer(env, s ? 0 : 3) + 1;
}

JNIEXPORT jint JNICALL Java_live_Natives_00024Late_call(JNIEnv *env, jclass class, jint n)
{
	return n;
}

static jint JNICALL registered(JNIEnv *env, jclass class, jint n)
{
	return answer(env, n) + 1;
}

static jint JNICALL twin(JNIEnv *env, jclass class, jint n)
{
	return answer(env, n) + 1;
}

/* Functions that have other names than their methods. They are exported, so that the test finds them. */
JNIEXPORT jint JNICALL first_of_moved(JNIEnv *env, jclass class, jint n)
{
	return answer(env, n) + 1;
}

JNIEXPORT jint JNICALL second_of_moved(JNIEnv *env, jclass class, jint n)
{
	return answer(env, n) + 1;
}

JNIEXPORT jint JNICALL only_of_late(JNIEnv *env, jclass class, jint n)
{
	return answer(env, n) + 1;
}

JNIEXPORT jint JNICALL Java_live_Natives_critical(JNIEnv *env, jclass class, jint n)
{
	return n;
}

/* Up to JDK 17, with -XX:+CriticalJNINatives, JIT-compiled code calls this one instead. */
JNIEXPORT jint JNICALL JavaCritical_live_Natives_critical(jint n)
{
	return n;
}

static int hanging;

static void JNICALL hang(JNIEnv *env, jclass class)
{
	__atomic_add_fetch(&hanging, 1, __ATOMIC_SEQ_CST);
	while (1)
		pause();
}

JNIEXPORT void JNICALL Java_live_Natives_hang(JNIEnv *env, jclass class)
{
	hang(env, class);
}

JNIEXPORT void JNICALL Java_live_Natives_nest(JNIEnv *env, jclass class)
{
	(*env)->CallStaticVoidMethod(env, class, (*env)->GetStaticMethodID(env, class, "inner", "()V"));
}

JNIEXPORT jint JNICALL Java_live_Natives_hanging(JNIEnv *env, jclass class)
{
	return __atomic_load_n(&hanging, __ATOMIC_SEQ_CST);
}

/* Bind a method to code in memory of no file. */
static void bind_loose(JNIEnv *env, jclass class, const char *name)
{
	/* mov %edx, %eax; ret */
	static const unsigned char code[] = {0x89, 0xd0, 0xc3};
	void *memory = mmap(NULL, sizeof(code), PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const JNINativeMethod loose = {(char *)name, (char *)"(I)I", memory};

	if (memory == MAP_FAILED)
		return;
	memcpy(memory, code, sizeof(code));
	(*env)->RegisterNatives(env, class, &loose, 1);
}

static struct {
	JavaVM *vm;
	jclass class;
	jmethodID attached;
	jint times;
} lives;

static void *live(void *unused)
{
	JNIEnv *env;

	for (jint i = 0; i < lives.times; i++) {
		if ((*lives.vm)->AttachCurrentThread(lives.vm, (void **)&env, NULL))
			break;
		(*env)->CallStaticVoidMethod(env, lives.class, lives.attached);
		(*lives.vm)->DetachCurrentThread(lives.vm);
	}
	return NULL;
}

/* A thread that is in the JVM several times, and calls attached() each time. */
JNIEXPORT void JNICALL Java_live_Natives_attach(JNIEnv *env, jclass class, jint times)
{
	pthread_t thread;

	lives.class = (*env)->NewGlobalRef(env, class);
	lives.attached = (*env)->GetStaticMethodID(env, class, "attached", "()V");
	lives.times = times;
	if (!(*env)->GetJavaVM(env, &lives.vm) && !pthread_create(&thread, NULL, live, NULL))
		pthread_join(thread, NULL);
}

JNIEXPORT void JNICALL Java_live_Natives_registerLate(JNIEnv *env, jclass class)
{
	static const JNINativeMethod methods[] = {{(char *)"moved", (char *)"(I)I", (void *)second_of_moved},
						  {(char *)"late", (char *)"(I)I", (void *)only_of_late}};

	(*env)->RegisterNatives(env, class, methods, 2);
	bind_loose(env, class, "lateLoose");
}

JNIEXPORT void JNICALL Java_live_Natives_register(JNIEnv *env, jclass class)
{
	static const JNINativeMethod methods[] = {{(char *)"registered", (char *)"(I)I", (void *)registered},
						  {(char *)"twinA", (char *)"(I)I", (void *)twin},
						  {(char *)"twinB", (char *)"(I)I", (void *)twin},
						  {(char *)"moved", (char *)"(I)I", (void *)first_of_moved},
						  {(char *)"hangA", (char *)"()V", (void *)hang},
						  {(char *)"hangB", (char *)"()V", (void *)hang}};

	(*env)->RegisterNatives(env, class, methods, 6);
	bind_loose(env, class, "loose");
}
