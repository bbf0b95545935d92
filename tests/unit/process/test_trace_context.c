// SPDX-License-Identifier: BSD-2-Clause
/* This process publishes, by libraries that the compiler makes here; where their variables are, the loader says. */
#include "tests/lib/machine/machine.h"
#include "tests/lib/test.h"
#include "uprobes/agent/machine/machine.h"
#include "user/process/trace_context.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPPINGS 100
#define OTEL	 "otel_thread_ctx_v1"
#define ELASTIC	 "elastic_apm_profiling_correlation_tls_v1"

static char directory[] = "/tmp/frtrace-context.XXXXXX";
static struct trace_context *context;
static struct frt_context where;
static struct target self;

struct library {
	char path[64];
	void *handle;
	void **(*place)(void);
};

static int setup(void **state)
{
	if (target_read(getpid(), &self))
		return -1;
	context = trace_context_new(&self);
	return !context || !mkdtemp(directory);
}

static int teardown(void **state)
{
	trace_context_free(context);
	return rmdir(directory);
}

static struct library load(const char *name, const char *variable, const char *more)
{
	struct library l;
	char command[512];
	FILE *to;

	snprintf(l.path, sizeof(l.path), "%s/%s.so", directory, name);
	snprintf(command, sizeof(command), COMPILER " -O2 -shared -fPIC " TLS_DESCRIPTORS " -x c -o %s -", l.path);
	to = popen(command, "w");
	fprintf(to, "__thread long before[3]; __thread void *%s; %s void **place(void) { return &%s; }", variable, more,
		variable);
	assert_int_equal(pclose(to), 0);
	l.handle = dlopen(l.path, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(l.handle);
	*(void **)&l.place = dlsym(l.handle, "place");
	return l;
}

static void unload(struct library *l)
{
	dlclose(l->handle);
	unlink(l->path);
}

/* How often this process has a file open. */
static int descriptors_of(const char *path)
{
	char link[64], name[256];
	int count = 0;
	ssize_t n;

	for (int fd = 0; fd < 4096; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, name, sizeof(name) - 1);
		name[n > 0 ? n : 0] = 0;
		count += !strcmp(name, path);
	}
	return count;
}

static uint64_t word_now(void)
{
	return *(const uint64_t *)(where.word & ~(uint64_t)FRT_CONTEXT_FLAGS);
}

CASE(a_variable_in_the_static_block_is_found)
{
	struct library l;

	assert_false(trace_context_find(context, false, &where));
	assert_int_equal(where.word, 0);
	l = load("otel", OTEL, "");
	assert_true(trace_context_find(context, false, &where));
	assert_int_equal(where.word & FRT_CONTEXT_FLAGS, 0);
	assert_true(sys_thread_pointer() + where.value == (uint64_t)l.place());
	assert_true(word_now() == where.value);
	unload(&l);
	assert_false(trace_context_find(context, false, &where));
}

CASE(a_variable_outside_of_the_static_block_is_found)
{
	struct library l = load("large", OTEL, "__thread char large[100000]; char *p(void) { return large; }");
	size_t module;
	void *block;

	l.place(); /* the loader gives the thread its block */
	assert_true(trace_context_find(context, false, &where));
	assert_int_equal(where.word & FRT_CONTEXT_FLAGS, FRT_CONTEXT_DYNAMIC);
	assert_int_equal(dlinfo(l.handle, RTLD_DI_TLS_MODID, &module), 0);
	assert_int_equal(where.module, module);
	assert_int_equal(dlinfo(l.handle, RTLD_DI_TLS_DATA, &block), 0);
	assert_true((uint64_t)block + where.offset == (uint64_t)l.place());
	assert_true(word_now() == where.value);
	unload(&l);
	assert_false(trace_context_find(context, false, &where));
}

CASE(opentelemetry_comes_before_elastic)
{
	struct library elastic = load("elastic", ELASTIC, ""), otel;

	assert_true(trace_context_find(context, false, &where));
	assert_int_equal(where.word & FRT_CONTEXT_FLAGS, FRT_CONTEXT_ELASTIC);
	assert_true(sys_thread_pointer() + where.value == (uint64_t)elastic.place());
	otel = load("otel", OTEL, "");
	assert_true(trace_context_find(context, false, &where));
	assert_int_equal(where.word & FRT_CONTEXT_FLAGS, 0);
	assert_true(trace_context_find(context, true, &where));
	assert_int_equal(where.word & FRT_CONTEXT_FLAGS, FRT_CONTEXT_ELASTIC);
	unload(&otel);
	assert_true(trace_context_find(context, false, &where));
	assert_int_equal(where.word & FRT_CONTEXT_FLAGS, FRT_CONTEXT_ELASTIC);
	unload(&elastic);
	assert_false(trace_context_find(context, false, &where));
}

/* The second one is used when the first one has gone, though it was there all the time. */
CASE(of_two_publishers_either_may_go)
{
	struct library first = load("first", OTEL, ""), second;

	assert_true(trace_context_find(context, false, &where));
	second = load("second", OTEL, "");
	assert_true(trace_context_find(context, false, &where));
	assert_true(sys_thread_pointer() + where.value == (uint64_t)first.place()); /* it stays */
	unload(&first);
	assert_true(trace_context_find(context, false, &where));
	assert_true(sys_thread_pointer() + where.value == (uint64_t)second.place());
	unload(&second);
	assert_false(trace_context_find(context, false, &where));
}

/* However often a file is mapped, it is opened once. */
CASE(a_file_is_looked_into_once)
{
	struct library l = load("often", OTEL, "");
	int fd = open(l.path, O_RDONLY);
	void *more[MAPPINGS];

	assert_true(trace_context_find(context, false, &where));
	for (int i = 0; i < MAPPINGS; i++)
		more[i] = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(trace_context_find(context, false, &where));
	assert_true(sys_thread_pointer() + where.value == (uint64_t)l.place());
	assert_int_equal(descriptors_of(l.path), 1 + 1); /* `fd`, and the one of the first mapping */
	for (int i = 0; i < MAPPINGS; i++)
		munmap(more[i], 4096);
	close(fd);
	unload(&l);
	assert_false(trace_context_find(context, false, &where));
}

int main(void)
{
	return test_main(setup, teardown);
}
