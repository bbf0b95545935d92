// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fail_nth.h"
#include "tests/lib/test.h"

/* volatile: the compiler assumes that malloc() reads no variable of the program */
static __thread volatile unsigned int left;
static __thread volatile bool happened;

void fail_nth(unsigned int n)
{
	left = n;
	happened = false;
}

bool fail_nth_happened(void)
{
	return happened;
}

bool fail_nth_end(void)
{
	left = 0;
	return happened;
}

bool fail_nth_works(void)
{
	void *p;

	fail_nth(1);
	p = malloc(16);
	__asm__ volatile("" : "+r"(p)); /* otherwise the compiler drops malloc() and free() */
	free(p);
	fail_nth(0);
	return !p;
}

void fail_nth_or_skip(void)
{
	if (fail_nth_works())
		return;
	print_message("allocations cannot be failed here\n");
	skip();
}

#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) /* that one cannot start with functions of ours */
/* The names of the real functions when a program defines its own. */
#ifdef __SANITIZE_ADDRESS__
#define real_malloc  __interceptor_malloc
#define real_calloc  __interceptor_calloc
#define real_realloc __interceptor_realloc
#else
#define real_malloc  __libc_malloc
#define real_calloc  __libc_calloc
#define real_realloc __libc_realloc
#endif

void *real_malloc(size_t size);
void *real_calloc(size_t count, size_t size);
void *real_realloc(void *p, size_t size);

static bool fails(void)
{
	if (!left || --left)
		return false;
	happened = true;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : real_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : real_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
	return fails() ? NULL : real_realloc(p, size);
}

void *reallocarray(void *p, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}
#endif
