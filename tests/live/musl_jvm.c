// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program with musl that acts as a JVM for an agent: it answers the attach protocol, loads the library with musl's
 * dlopen(), provides the JNI and JVMTI functions that the agent uses, and runs the agent's thread. Debian has no musl
 * build of OpenJDK.
 *
 *	java -cp - live.Speed STAGE CLASS-FILE CALLS
 *
 * STAGE/ready appears when the listener is up. When STAGE/go exists, the program loads the class (ClassFileLoadHook),
 * makes CALLS calls of the first hooked method, as the rewritten code would, and writes STAGE/done. It ends when
 * STAGE/quit exists.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <jni.h>
#include <jvmti.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct JNINativeInterface_ jni;
static jvmtiInterface_1 jvmti;
static struct JNIInvokeInterface_ invoke;
static JavaVM vm = &invoke;
static jvmtiEnv tool = &jvmti;
static __thread JNIEnv thread_env;
static jvmtiEventCallbacks callbacks;
static jlong (*enter)(JNIEnv *, jclass, jint);
static void (*leave)(JNIEnv *, jclass, jlong, jint);
static const char *stage;

/* Objects have no content; only their addresses distinguish them. */
static char helper_class, other_class, thread_object, group_object, a_string;

static void unexpected(void)
{
	fprintf(stderr, "the agent calls a function that this program does not provide\n");
	abort();
}

/* ---- JNI */

static jclass define_class(JNIEnv *env, const char *name, jobject loader, const jbyte *bytes, jsize size)
{
	return (jclass)&helper_class;
}

static jclass find_class(JNIEnv *env, const char *name)
{
	return (jclass)&other_class;
}
static jboolean no_exception(JNIEnv *env)
{
	return JNI_FALSE;
}
static void clear_exception(JNIEnv *env)
{
}
static jobject same_reference(JNIEnv *env, jobject o)
{
	return o;
}
static void drop_reference(JNIEnv *env, jobject o)
{
}
static jint push_frame(JNIEnv *env, jint capacity)
{
	return 0;
}
static jobject pop_frame(JNIEnv *env, jobject o)
{
	return o;
}
static jint jni_version(JNIEnv *env)
{
	return 0x000a0000;
}
static jmethodID method_id(JNIEnv *env, jclass c, const char *name, const char *type)
{
	return (jmethodID)&other_class;
}
static jfieldID field_id(JNIEnv *env, jclass c, const char *name, const char *type)
{
	return (jfieldID)&other_class;
}
static jstring new_string(JNIEnv *env, const char *text)
{
	return (jstring)&a_string;
}
static jboolean is_same(JNIEnv *env, jobject a, jobject b)
{
	return a == b;
}
static jlong get_long(JNIEnv *env, jobject o, jfieldID field)
{
	return 1;
}

/* The only static method called is Class.forName(); it prepares the helper class. */
static jobject call_static_object(JNIEnv *env, jclass c, jmethodID method, ...)
{
	if (callbacks.ClassPrepare)
		callbacks.ClassPrepare(&tool, env, (jthread)&thread_object, (jclass)&helper_class);
	return (jobject)&helper_class;
}

static jobject new_object(JNIEnv *env, jclass c, jmethodID constructor, ...)
{
	return (jobject)&thread_object;
}

static jint register_natives(JNIEnv *env, jclass c, const JNINativeMethod *methods, jint count)
{
	for (jint i = 0; i < count; i++) {
		if (!strcmp(methods[i].name, "enter"))
			enter = (jlong(*)(JNIEnv *, jclass, jint))methods[i].fnPtr;
		if (!strcmp(methods[i].name, "leave"))
			leave = (void (*)(JNIEnv *, jclass, jlong, jint))methods[i].fnPtr;
	}
	return 0;
}

/* ---- JVMTI */

static jvmtiError get_capabilities(jvmtiEnv *j, jvmtiCapabilities *c)
{
	memset(c, 0xff, sizeof(*c));
	return JVMTI_ERROR_NONE;
}

static jvmtiError add_capabilities(jvmtiEnv *j, const jvmtiCapabilities *c)
{
	return JVMTI_ERROR_NONE;
}

static jvmtiError set_callbacks(jvmtiEnv *j, const jvmtiEventCallbacks *c, jint size)
{
	memcpy(&callbacks, c, size);
	return JVMTI_ERROR_NONE;
}

static jvmtiError set_mode(jvmtiEnv *j, jvmtiEventMode mode, jvmtiEvent event, jthread thread, ...)
{
	return JVMTI_ERROR_NONE;
}

static jvmtiError deallocate(jvmtiEnv *j, unsigned char *memory)
{
	free(memory);
	return JVMTI_ERROR_NONE;
}

static jvmtiError allocate(jvmtiEnv *j, jlong size, unsigned char **memory)
{
	*memory = malloc(size);
	return *memory ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
}

static jvmtiError version(jvmtiEnv *j, jint *v)
{
	*v = 0x30000000 | 17 << 16;
	return JVMTI_ERROR_NONE;
}

static jvmtiError top_groups(jvmtiEnv *j, jint *count, jthreadGroup **groups)
{
	*groups = malloc(sizeof(**groups));
	(*groups)[0] = (jthreadGroup)&group_object;
	*count = 1;
	return JVMTI_ERROR_NONE;
}

static jvmtiError group_info(jvmtiEnv *j, jthreadGroup group, jvmtiThreadGroupInfo *info)
{
	*info = (jvmtiThreadGroupInfo){.name = strdup("main")};
	return JVMTI_ERROR_NONE;
}

static jvmtiError thread_info(jvmtiEnv *j, jthread thread, jvmtiThreadInfo *info)
{
	*info = (jvmtiThreadInfo){.name = strdup("musl"), .thread_group = (jthreadGroup)&group_object};
	return JVMTI_ERROR_NONE;
}

static jvmtiError current_thread(jvmtiEnv *j, jthread *thread)
{
	*thread = (jthread)&thread_object;
	return JVMTI_ERROR_NONE;
}

static jvmtiError no_classes(jvmtiEnv *j, jint *count, jclass **classes)
{
	*classes = malloc(1);
	*count = 0;
	return JVMTI_ERROR_NONE;
}

static jvmtiError no_threads(jvmtiEnv *j, jint *count, jthread **threads)
{
	*threads = malloc(1);
	*count = 0;
	return JVMTI_ERROR_NONE;
}

static jvmtiError signature(jvmtiEnv *j, jclass c, char **type, char **generic)
{
	*type = strdup("Ljava/lang/Helper;");
	return JVMTI_ERROR_NONE;
}

static jvmtiError boot_loader(jvmtiEnv *j, jclass c, jobject *loader)
{
	*loader = NULL;
	return JVMTI_ERROR_NONE;
}

static jvmtiError retransform(jvmtiEnv *j, jint count, const jclass *classes)
{
	return JVMTI_ERROR_NONE;
}

static pthread_mutex_t monitor = PTHREAD_MUTEX_INITIALIZER; /* the only one; nobody enters it twice */

static jvmtiError create_monitor(jvmtiEnv *j, const char *name, jrawMonitorID *out)
{
	*out = (jrawMonitorID)&monitor;
	return JVMTI_ERROR_NONE;
}

static jvmtiError enter_monitor(jvmtiEnv *j, jrawMonitorID m)
{
	return pthread_mutex_lock((pthread_mutex_t *)m) ? JVMTI_ERROR_INTERNAL : JVMTI_ERROR_NONE;
}

static jvmtiError exit_monitor(jvmtiEnv *j, jrawMonitorID m)
{
	return pthread_mutex_unlock((pthread_mutex_t *)m) ? JVMTI_ERROR_INTERNAL : JVMTI_ERROR_NONE;
}

struct started {
	jvmtiStartFunction function;
	const void *argument;
};

static void *run_agent(void *context)
{
	struct started s = *(struct started *)context;

	thread_env = &jni;
	s.function(&tool, &thread_env, (void *)s.argument);
	return NULL;
}

static jvmtiError run_agent_thread(jvmtiEnv *j, jthread thread, jvmtiStartFunction function, const void *argument,
				   jint priority)
{
	static struct started s;
	pthread_t id;

	s = (struct started){function, argument};
	return pthread_create(&id, NULL, run_agent, &s) ? JVMTI_ERROR_OUT_OF_MEMORY : JVMTI_ERROR_NONE;
}

static jint get_env(JavaVM *v, void **out, jint wanted)
{
	if (wanted >= JVMTI_VERSION_1)
		*out = &tool;
	else
		*out = &thread_env;
	return JNI_OK;
}

/* Let every entry call unexpected(); the known ones are set afterwards. */
static void fill(void *table, size_t size)
{
	for (size_t i = 0; i < size / sizeof(void *); i++)
		((void **)table)[i] = (void *)unexpected;
}

static void fill_tables(void)
{
	fill(&jni, sizeof(jni));
	fill(&jvmti, sizeof(jvmti));
	fill(&invoke, sizeof(invoke));
	invoke.GetEnv = get_env;
	jni.DefineClass = define_class;
	jni.FindClass = find_class;
	jni.ExceptionCheck = no_exception;
	jni.ExceptionClear = clear_exception;
	jni.NewGlobalRef = same_reference;
	jni.DeleteGlobalRef = jni.DeleteLocalRef = drop_reference;
	jni.PushLocalFrame = push_frame;
	jni.PopLocalFrame = pop_frame;
	jni.GetVersion = jni_version;
	jni.GetMethodID = jni.GetStaticMethodID = method_id;
	jni.GetFieldID = field_id;
	jni.NewStringUTF = new_string;
	jni.IsSameObject = is_same;
	jni.GetLongField = get_long;
	jni.CallStaticObjectMethod = call_static_object;
	jni.NewObject = new_object;
	jni.RegisterNatives = register_natives;
	jvmti.GetPotentialCapabilities = get_capabilities;
	jvmti.AddCapabilities = add_capabilities;
	jvmti.SetEventCallbacks = set_callbacks;
	jvmti.SetEventNotificationMode = set_mode;
	jvmti.Allocate = allocate;
	jvmti.Deallocate = deallocate;
	jvmti.GetVersionNumber = version;
	jvmti.GetTopThreadGroups = top_groups;
	jvmti.GetThreadGroupInfo = group_info;
	jvmti.GetThreadInfo = thread_info;
	jvmti.GetCurrentThread = current_thread;
	jvmti.GetLoadedClasses = no_classes;
	jvmti.GetClassSignature = signature;
	jvmti.GetClassLoader = boot_loader;
	jvmti.GetAllThreads = no_threads;
	jvmti.RetransformClasses = retransform;
	jvmti.RunAgentThread = run_agent_thread;
	jvmti.CreateRawMonitor = create_monitor;
	jvmti.RawMonitorEnter = enter_monitor;
	jvmti.RawMonitorExit = exit_monitor;
}

/* ---- attach: "1" command argument argument argument, each ending with a 0 byte */

static void load(const char *path, char *options, char *reply, size_t size)
{
	void *library = dlopen(path, RTLD_LAZY);
	jint (*on_attach)(JavaVM *, char *, void *) = NULL;

	if (library)
		*(void **)&on_attach = dlsym(library, "Agent_OnAttach");
	if (on_attach)
		snprintf(reply, size, "0\nreturn code: %d\n", on_attach(&vm, options, NULL));
	else
		snprintf(reply, size, "100\n%s\n", dlerror());
}

static void answer(int connection)
{
	char request[4096], reply[1024] = "101\n", *word[5];
	size_t size = 0;
	int zeros = 0, words = 0;
	ssize_t n;

	while (zeros < 5 && size < sizeof(request) &&
	       (n = read(connection, request + size, sizeof(request) - size)) > 0) {
		for (size_t i = size; i < size + n; i++)
			zeros += !request[i];
		size += n;
	}
	for (size_t at = 0; zeros >= 5 && words < 5; at += strlen(request + at) + 1)
		word[words++] = request + at;
	if (words == 5 && !strcmp(word[1], "load"))
		load(word[2], word[4], reply, sizeof(reply));
	if (write(connection, reply, strlen(reply)) < 0)
		perror("reply");
	close(connection);
}

static void *listen_to_attach(void *context)
{
	int listener = *(int *)context, connection;

	thread_env = &jni;
	while ((connection = accept(listener, NULL, NULL)) >= 0)
		answer(connection);
	return NULL;
}

static void begin_listening(void)
{
	static int listener;
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	pthread_t id;

	snprintf(a.sun_path, sizeof(a.sun_path), "/tmp/.java_pid%d", getpid());
	unlink(a.sun_path);
	umask(077);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, 5) ||
	    pthread_create(&id, NULL, listen_to_attach, &listener)) {
		perror("listener");
		exit(1);
	}
}

/* HotSpot starts this thread after the attach listener. It marks a JVM without counters as started. */
static void *service(void *unused)
{
	prctl(PR_SET_NAME, "Service Thread");
	for (;;)
		pause();
	return NULL;
}

/* ---- the program */

static int has(const char *what)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", stage, what);
	return !access(path, F_OK);
}

static void mark(const char *what)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", stage, what);
	close(open(path, O_WRONLY | O_CREAT, 0644));
}

static void load_class(const char *file)
{
	static unsigned char bytes[1 << 16];
	int fd = open(file, O_RDONLY);
	ssize_t size = read(fd, bytes, sizeof(bytes));
	unsigned char *made = NULL;
	jint made_size = 0;

	close(fd);
	if (size > 0 && callbacks.ClassFileLoadHook)
		callbacks.ClassFileLoadHook(&tool, &thread_env, NULL, NULL, "live/Speed", NULL, size, bytes, &made_size,
					    &made);
	printf("class of %zd bytes, with hooks %d\n", size, made_size);
	free(made);
}

int main(int argc, char **argv)
{
	char libjvm[4096], *slash;
	pthread_t id;

	if (argc != 7)
		return 2;
	stage = argv[4];
	thread_env = &jni;
	fill_tables();
	snprintf(libjvm, sizeof(libjvm), "%s", argv[0]);
	if ((slash = strrchr(libjvm, '/')))
		snprintf(slash, libjvm + sizeof(libjvm) - slash, "/../lib/server/libjvm.so");
	if (!dlopen(libjvm, RTLD_LAZY)) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	signal(SIGQUIT, SIG_IGN);
	begin_listening();
	pthread_create(&id, NULL, service, NULL);
	mark("ready");
	while (!has("go"))
		usleep(10000);
	load_class(argv[5]);
	for (int i = 0; enter && i < atoi(argv[6]); i++)
		leave(&thread_env, (jclass)&helper_class, enter(&thread_env, (jclass)&helper_class, 1), 1);
	fflush(stdout);
	mark("done");
	while (!has("quit"))
		usleep(10000);
	return 0;
}
