// SPDX-License-Identifier: BSD-2-Clause
/* The stack of this program itself, copied as the kernel does it, with the C library's backtrace() as the oracle. */
#include "user/stacks/native_stacks.h"
#include "tests/lib/machine/machine.h"
#include "tests/lib/test.h"

#include <execinfo.h>
#include <search.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define MOST 64

static struct native_stacks *natives;
static struct target target;
static struct frt_native copy;
static struct frt_frame frames[MOST];
static void *truth[MOST];
static int depth, truths;
static enum frt_walk_end end;
static uint64_t java_sp; /* of the frame that plays Java's */

static int setup(void **state)
{
	target.pid = getpid();
	natives = native_stacks_new(&target);
	memset(&copy, 0, sizeof(copy));
	return 0;
}

static int teardown(void **state)
{
	native_stacks_free(natives);
	return 0;
}

/* memcpy() of the sanitizers does not read what lies between variables. */
static __attribute__((no_sanitize_address)) void copy_words(void *to, uint64_t from, uint64_t size)
{
	for (uint64_t i = 0; i < size / 8; i++)
		((volatile uint64_t *)to)[i] = ((const volatile uint64_t *)from)[i];
}

static void copy_stack(const ucontext_t *c)
{
	uint64_t size;

	copy = (struct frt_native){.at = registers_of(c), .end = java_sp};
	size = copy.end - copy.at.sp;
	copy.low_size = size < FRT_NATIVE_LOW ? size : FRT_NATIVE_LOW;
	copy_words(copy.low, copy.at.sp, copy.low_size);
	size -= copy.low_size;
	copy.high_size = size < FRT_NATIVE_HIGH ? size : FRT_NATIVE_HIGH;
	copy_words(copy.high, copy.end - copy.high_size, copy.high_size);
}

/* The innermost function, in which the thread waits; qsort() is in between, so the stack goes through libc, too. */
static __attribute__((noinline)) int wait_here(void)
{
	ucontext_t here;

	truths = backtrace(truth, MOST);
	getcontext(&here);
	copy_stack(&here);
	return truths;
}

static __attribute__((noinline)) int with_buffer(size_t size)
{
	volatile char *buffer = __builtin_alloca(size);

	buffer[0] = 1;
	return wait_here() + buffer[0];
}

static size_t buffer_size;

static int compare_numbers(const void *a, const void *b)
{
	return with_buffer(buffer_size) < 0;
}

static __attribute__((noinline)) void wait_below_qsort(size_t size)
{
	int numbers[2] = {2, 1};
	volatile int after;

	buffer_size = size;
	java_sp = (uint64_t)__builtin_frame_address(0) + 16; /* what the stack pointer is after the return */
	qsort(numbers, 2, sizeof(numbers[0]), compare_numbers);
	after = numbers[0];
	(void)after;
}

/* The same below lfind(), which takes next to nothing of the stack: qsort() may take more than is copied of its end. */
static __attribute__((noinline)) void wait_below_lfind(size_t size)
{
	int numbers[2] = {2, 1};
	size_t count = 1;
	volatile void *found;

	buffer_size = size;
	java_sp = (uint64_t)__builtin_frame_address(0) + 16;
	found = lfind(&numbers[1], numbers, &count, sizeof(numbers[0]), compare_numbers);
	(void)found;
}

static void unwind(void)
{
	depth = native_stacks_unwind(natives, &copy, frames, MOST, &end);
}

/* Each frame of ours is one of backtrace(), in its order; the innermost one is in the middle of its function. */
static void assert_true_frames(void)
{
	for (int i = 1; i < depth; i++)
		assert_ptr_equal((void *)frames[i].code, truth[i]);
}

#ifdef __SANITIZE_ADDRESS__
/* The loader keeps what dlopen() of the unwinder allocates where the leak checker does not look. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

/* The sanitizers have a backtrace() of their own, which shows other frames. The tests without them compare. */
static void need_backtrace(void)
{
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
}

CASE(frames_are_those_of_backtrace, setup, teardown)
{
	need_backtrace();
	wait_below_qsort(64);
	unwind();
	assert_true_frames();
	assert_true(depth >= 6); /* wait_here, with_buffer, compare_numbers, qsort and its own, wait_below_qsort */
}

static void name_of(int i, char *library, char *function)
{
	assert_true(native_stacks_name(natives, &frames[i], library, function));
}

CASE(functions_and_libraries_have_their_names, setup, teardown)
{
	char library[NATIVE_STACKS_NAME], function[NATIVE_STACKS_NAME];
	bool in_libc = false; /* qsort() itself is a jump */

	wait_below_qsort(64);
	unwind();
	name_of(0, library, function);
	assert_string_equal(library, "test_native_stacks");
	assert_string_equal(function, "wait_here");
	for (int i = 1; i < depth; i++) {
		name_of(i, library, function);
		in_libc |= !strncmp(library, "libc", 4) && !strncmp(function, "qsort_r", 7);
	}
	assert_true(in_libc);
}

/* Of a long stack only the ends are copied. The frame with the hole is crossed, because its own words are at its end. */
CASE(a_large_buffer_is_crossed, setup, teardown)
{
	need_backtrace();
	wait_below_lfind(100000);
	unwind();
	assert_true(copy.low_size == FRT_NATIVE_LOW && copy.high_size == FRT_NATIVE_HIGH);
	assert_true_frames();
	assert_true(depth >= 5); /* wait_here, with_buffer, compare_numbers, lfind, wait_below_lfind */
}

CASE(a_stack_that_was_not_copied_is_cut, setup, teardown)
{
	int whole;

	need_backtrace();
	wait_below_qsort(64);
	unwind();
	whole = depth;
	copy.low_size = 0;
	copy.high_size = 0;
	unwind();
	assert_int_equal(depth, 1);
	assert_int_equal(end, FRT_WALK_CODE);
	wait_below_qsort(64);
	copy.low_size -= 400;
	copy.high_size = 0;
	unwind();
	assert_true_frames();
	assert_true(depth < whole);
	assert_int_equal(end, FRT_WALK_CODE);
}

/* What plays compiled Java code: executable memory of no file. */
static void *mmap_code(void)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(code, MAP_FAILED);
	return code;
}

/* The walk is complete only where Java code begins, at the word that its anchor has. */
CASE(the_end_is_where_java_called, setup, teardown)
{
	uint64_t java;

	wait_below_qsort(64);
	unwind();
	assert_int_not_equal(end, FRT_WALK_BOTTOM); /* below that frame there is no Java code, but main() */
	java = (uint64_t)mmap_code();
	for (size_t i = 0; i + 8 <= copy.low_size; i += 8)
		if (!memcmp(copy.low + i, &truth[5], 8)) {
			memcpy(copy.low + i, &java, 8);
			copy.end = copy.at.sp + i + 8;
			break;
		}
	unwind();
	assert_int_equal(end, FRT_WALK_BOTTOM);
	copy.end += 64;
	unwind();
	assert_int_equal(end, FRT_WALK_CODE);
}

CASE(sizes_beyond_the_record_are_refused, setup, teardown)
{
	wait_below_qsort(64);
	copy.low_size = FRT_NATIVE_LOW + 1;
	unwind();
	assert_int_equal(depth, 0);
	copy.low_size = 8;
	copy.high_size = UINT32_MAX;
	unwind();
	assert_int_equal(depth, 0);
}

CASE(forged_copies_end, setup, teardown)
{
	unsigned int seed = 17;

	for (int i = 0; i < 20000; i++) {
		wait_below_qsort(i % 2 ? 64 : 20000);
		for (int k = 0; k < 4; k++) {
			uint64_t *word = (uint64_t *)&copy + rand_r(&seed) % (sizeof(copy) / 8);

			*word ^= 1ull << rand_r(&seed) % 64;
		}
		unwind();
		assert_in_range(depth, 0, MOST);
	}
}
