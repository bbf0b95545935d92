/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's own stack walk, run in this process over a fake JVM (tests/lib/fake_java.h) and frames on the test's
 * real stack. The sources are included, because their tables must start empty in each test and because each direct
 * load is checked: it must be in the thread's own stack, in its JavaThread or in committed code.
 */
#ifndef TESTS_LIB_OWN_STACK_H
#define TESTS_LIB_OWN_STACK_H

#include "uprobes/agent/sys.h"

#include "tests/lib/fake_java.h"
#include "tests/lib/new_control.h"

static uint64_t checked_load(uint64_t address, size_t size);
static bool known_mappings(bool (*visit)(uint64_t, uint64_t, const char *, void *), void *context);
static void between_walks(void);

#define load_word(address)	      checked_load(address, 8)
#define load_u32(address)	      ((uint32_t)checked_load(address, 4))
#define load_u8(address)	      ((uint8_t)checked_load(address, 1))
#define sys_sleep_ms(ms)	      ((void)0)
#define sys_each_mapping(visit, what) known_mappings((bool (*)(uint64_t, uint64_t, const char *, void *))(visit), what)
#include "uprobes/agent/stack_table.c"
#define stack_table_reserve(count, first) (between_walks(), stack_table_reserve(count, first))
#include "uprobes/agent/stack_memory.c"
#include "uprobes/agent/stack.c"
#undef sys_each_mapping
#undef load_word
#undef load_u32
#undef load_u8

#include <pthread.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
/* The frames must be on the real stack. gcc 14 moves locals to fake frames by default. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_stack_use_after_return=0";
}
#endif

#define METHOD	 17u
#define ROOM	 2048u /* words of Java frames */
#define MAPPINGS 4096u
#define FROM_JVM 4242u /* the fake JVM's own answer */

struct mapping {
	uint64_t start, end;
	char permissions[4];
};

static struct mapping mappings[MAPPINGS];
static uint32_t mapping_count;
static struct fake_java *java;
static struct fake_blob *compiled, *other, *native, *stub, *upcall, *barrier, *entry;
static uint64_t interpreted, interpreted2;
static struct frt_config config;
static __thread struct frt_slot slot;
static __thread struct fake_thread thread;
static __thread uint32_t asked_jvm;
static enum stack_jvmti_answer answer; /* result of asking the fake JVM */
static __thread void (*between)(void);

#define ENV ((JNIEnv *)&thread.env)

/* Frames of the running virtual thread in the heap, the newest part first. */
struct heap_part {
	uint64_t *low, *sp, *bottom;
};

static __thread struct heap_part heap_parts[4];
static __thread uint32_t heap_count, heap_at;
static __thread enum stack_chunk_answer heap_end; /* behind the last part */
static __thread int heap_open;			  /* opened and not closed */
static __thread uint64_t heap_unreadable;	  /* an address that gives no word */

static struct frt_frame named_first; /* the frame that virtual threads begin with, by its name */

struct frt_frame stack_named_first(void)
{
	return named_first;
}

static inline enum stack_chunk_answer heap_part_take(struct stack_chunk *c)
{
	const struct heap_part *p = &heap_parts[heap_at];

	if (heap_at == heap_count)
		return heap_end;
	c->sp = (p->sp - p->low) * 8;
	c->bottom = (p->bottom - p->low) * 8;
	return STACK_CHUNK_FOUND;
}

enum stack_chunk_answer stack_chunk_open(struct stack_chunk *c, JNIEnv *env)
{
	assert_ptr_equal(env, ENV);
	heap_open++;
	heap_at = 0;
	return heap_part_take(c);
}

enum stack_chunk_answer stack_chunk_next(struct stack_chunk *c)
{
	heap_at++;
	return heap_part_take(c);
}

void stack_chunk_close(struct stack_chunk *c)
{
	heap_open--;
}

bool stack_chunk_word(struct stack_chunk *c, uint64_t *to, uint64_t address)
{
	if (address % 8 || address < c->sp - 16 || address > c->bottom - 8 || address == heap_unreadable)
		return false;
	*to = heap_parts[heap_at].low[address / 8];
	return true;
}

enum stack_jvmti_answer stack_jvmti_take(const struct frt_slot *s, JNIEnv *env, uint32_t method, uint32_t depth,
					 uint32_t *id)
{
	assert_ptr_equal(s, &slot);
	assert_int_equal(method, METHOD);
	asked_jvm = depth;
	if (answer == STACK_JVMTI_TAKEN)
		*id = FROM_JVM;
	return answer;
}

static inline void between_walks(void)
{
	if (between)
		between();
}

static inline bool keep_mapping(uint64_t start, uint64_t end, const char permissions[4], void *context)
{
	struct mapping *m = &mappings[mapping_count++];

	*m = (struct mapping){.start = start, .end = end};
	memcpy(m->permissions, permissions, 4);
	return mapping_count < MAPPINGS;
}

/* The same mappings as from the system, 100 times faster. */
static inline bool known_mappings(bool (*visit)(uint64_t, uint64_t, const char *, void *), void *context)
{
	for (uint32_t i = 0; i < mapping_count; i++)
		if (!visit(mappings[i].start, mappings[i].end, mappings[i].permissions, context))
			break;
	return true;
}

static inline bool lies_in(uint64_t address, size_t size, uint64_t low, uint64_t high)
{
	return address >= low && address <= high - size;
}

static inline bool may_load(uint64_t address, size_t size)
{
	if (lies_in(address, size, (uint64_t)__builtin_frame_address(0), slot.stack_end) ||
	    lies_in(address, size, (uint64_t)&thread, (uint64_t)(&thread + 1)))
		return true;
	for (uint32_t i = 0; i < mapping_count; i++)
		if (lies_in(address, size, mappings[i].start, mappings[i].end))
			return !memcmp(mappings[i].permissions, "rwx", 3);
	return false;
}

/* Garbled frames may point anywhere, also between the objects that a sanitizer knows. */
static inline __attribute__((no_sanitize("address"))) uint64_t checked_load(uint64_t address, size_t size)
{
	uint64_t word = 0;

	if (!may_load(address, size)) {
		fprintf(stderr, "a direct load of %zu bytes at %#lx\n", size, (long)address);
		abort();
	}
	for (size_t i = 0; i < size; i++)
		((volatile unsigned char *)&word)[i] = ((const volatile unsigned char *)address)[i];
	return word;
}

static inline void make_code(void)
{
	compiled = fake_blob_new(java, 2, 3, "nmethod", 6, 101);
	other = fake_blob_new(java, 8, 20, "nmethod", 11, 102);
	native = fake_blob_new(java, 30, 1, "native nmethod", 9, 103);
	stub = fake_blob_new(java, 40, 2, "RuntimeStub - a stub", 4, 0);
	upcall = fake_blob_new(java, 44, 2, "upcall_stub_(I)V", 7, 0);
	barrier = fake_blob_new(java, 48, 2, "StubRoutines (continuation stubs)", 0, 0);
	entry = fake_blob_new(java, 52, 2, "native nmethod", 5, 104);
	java->layout.continuation_return = fake_pc(entry, 41);
	interpreted = fake_java_method(java, 0, "a/B", "run", "()V");
	interpreted2 = fake_java_method(java, 1, "a/B", "call", "(I)V");
}

static inline void begin(uint32_t depth)
{
	mapping_count = 0;
	sys_each_mapping(keep_mapping, NULL);
	config.layout = java->layout;
	config.stack_depth = depth;
	config.stack_frames = FRT_STACK_FRAMES;
	memcpy(control_at(FRT_CONFIG_AT), &config, sizeof(config));
	stack_begin(0, &config);
	stack_thread_begin(&slot, ENV);
}

static inline void reset(void)
{
	fake_java_free(java);
	if (!new_control())
		abort();
	memset(known, 0, sizeof(known));
	memset(&layout, 0, sizeof(layout));
	class_count = 0;
	between = NULL;
	asked_jvm = 0;
	heap_count = heap_unreadable = 0;
	heap_end = STACK_CHUNK_UNKNOWN;
	named_first = (struct frt_frame){.kind = FRT_FRAME_NAMED, .code = 33, .at = UINT32_MAX};
	answer = STACK_JVMTI_TAKEN;
	config.stacks = FRT_STACKS_WALK;
	java = fake_java_new();
	make_code();
	begin(64);
}

/* Each test runs twice: in the process's first thread and in another one, because their stacks end differently. */
struct own_walk {
	const char *name;
	void (*walk)(void);
	bool in_thread;
};

static inline void *own_walk_run(void *context)
{
	const struct own_walk *w = context;

	reset();
	w->walk();
	return context;
}

static inline void own_walk_check(const struct own_walk *w)
{
	pthread_t t;
	void *done;

	if (!w->in_thread) {
		own_walk_run((void *)w);
		return;
	}
	assert_int_equal(pthread_create(&t, NULL, own_walk_run, (void *)w), 0);
	assert_int_equal(pthread_join(t, &done), 0);
	assert_ptr_equal(done, w);
}

/* A case that runs twice: here, and in a later thread. */
#define WALK(f)                                                                                         \
	static void f(void);                                                                            \
	static const struct own_walk f##_walks[] = {{#f, f, false}, {#f " (a later thread)", f, true}}; \
	CASES(f##_twice, f##_walks)                                                                     \
	{                                                                                               \
		own_walk_check(row);                                                                    \
	}                                                                                               \
	static void f(void)

/* Take a stack, with the interpreted traced method and the hook on top of the frames. */
static inline uint32_t take(const struct frames *callers)
{
	struct frames f = *callers;

	lay_interpreted(&f, interpreted, 0xbc1);
	lay_fixed(&f, native, fake_pc(native, 9));
	lay_leave(&f, &thread);
	return stack_take(&slot, ENV, METHOD);
}

static inline uint32_t take_compiled(const struct frames *callers)
{
	struct frames f = *callers;

	lay_fixed(&f, compiled, fake_pc(compiled, 50));
	lay_fixed(&f, native, fake_pc(native, 9));
	lay_leave(&f, &thread);
	return stack_take(&slot, ENV, METHOD);
}

static inline const struct frt_stack *row(uint32_t id)
{
	const struct frt_stack *r = table_row_of(id);

	assert_int_equal(r->id, id);
	return r;
}

static inline void expect_end(uint32_t id, uint32_t count, enum frt_walk_end end)
{
	assert_int_equal(row(id)->count, count);
	assert_int_equal(row(id)->end, end);
}

static inline const struct frt_frame *frame(uint32_t id, uint32_t i)
{
	assert_true(i < row(id)->count);
	return stack_table_frame(row(id)->first, i);
}

static inline void expect_code(uint32_t id, uint32_t i, uint16_t kind, const struct fake_blob *b, uint64_t at)
{
	const struct frt_frame *f = frame(id, i);

	assert_int_equal(f->kind, kind);
	assert_int_equal(f->code, (uint64_t)&b->nothing);
	assert_int_equal(f->at, at);
	assert_int_equal(f->cookie, b->compile_id);
}

static inline void expect_method(uint32_t id, uint32_t i, uint64_t method, uint64_t bcp)
{
	const struct frt_frame *f = frame(id, i);
	struct walk w = {.layout = &java->layout};

	assert_int_equal(f->kind, FRT_FRAME_INTERPRETED);
	assert_int_equal(f->code, method);
	assert_int_equal(f->at, bcp);
	assert_int_equal(f->cookie, walk_fingerprint(&w, method));
	assert_int_not_equal(f->cookie, 0);
}

#define FRAMES(f)             \
	uint64_t room_[ROOM]; \
	struct frames f = lay_begin(room_ + ROOM)

static inline uint32_t one_caller(uint64_t pc)
{
	FRAMES(f);

	lay_call_stub(&f);
	lay_interpreted(&f, interpreted2, 0xbc7);
	lay_fixed(&f, other, pc);
	return take(&f);
}

#endif
