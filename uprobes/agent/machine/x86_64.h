/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef AGENT_MACHINE_X86_64_H
#define AGENT_MACHINE_X86_64_H

#include "uprobes/elf/usdt.h"

#include <asm/unistd.h>
#include <stddef.h>
#include <stdint.h>

struct pollfd;

static inline uint64_t sys_tsc(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

/* The word at %fs:0, the thread's control block in every Linux ABI for x86-64. */
static inline uint64_t sys_thread_pointer(void)
{
	uint64_t thread_pointer;

	__asm__("movq %%fs:0, %0" : "=r"(thread_pointer));
	return thread_pointer;
}

/* The second word of the control block. */
static inline const uint64_t *machine_dtv(void)
{
	return ((const uint64_t *const *)sys_thread_pointer())[1];
}

static inline uint64_t machine_stack_pointer(void)
{
	uint64_t sp;

	__asm__ volatile("mov %%rsp, %0" : "=r"(sp));
	return sp;
}

/* The machine keeps stores in order; so must the compiler. */
#define order_stores() __asm__ volatile("" ::: "memory")

#define LOAD_U64 "movq (%1), %0"
#define LOAD_U32 "movl (%1), %0"
#define LOAD_U8	 "movb (%1), %0"

/* The registers are those of a C call. */
#define CALL_SITE_1(name, a) __asm__ volatile(USDT_SITE(name, "8@%%rdi") : : "D"(a) : "memory")

#define CALL_SITE_2(name, a, b) __asm__ volatile(USDT_SITE(name, "8@%%rdi 8@%%rsi") : : "D"(a), "S"(b) : "memory")

#define CALL_SITE_5(name, a, b, c, d, e)                                                   \
	do {                                                                               \
		register uint64_t r8 __asm__("r8") = e;                                    \
                                                                                           \
		__asm__ volatile(USDT_SITE(name, "8@%%rdi 8@%%rsi 8@%%rdx 8@%%rcx 8@%%r8") \
				 :                                                         \
				 : "D"(a), "S"(b), "d"(c), "c"(d), "r"(r8)                 \
				 : "memory");                                              \
	} while (0)

static inline long call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static inline long machine_poll(void *poller, uint64_t ms)
{
	return call6(__NR_poll, (long)poller, 1, ms, 0, 0, 0);
}

#define TRY_POLL {__NR_poll, {0}}

/* Both take some 10 ns to begin. */
static inline void machine_copy(void *to, const void *from, size_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size)::"memory");
}

static inline void machine_fill(void *to, int byte, size_t size)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
}

static inline long spawn(long number, long first, long second, void (*work)(void))
{
	long result;

	__asm__ volatile("xorl %%edx, %%edx\n\t"
			 "xorl %%r10d, %%r10d\n\t"
			 "xorl %%r8d, %%r8d\n\t"
			 "syscall\n\t"
			 "testq %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xorl %%ebp, %%ebp\n\t"
			 "call *%[work]\n\t"
			 "xorl %%edi, %%edi\n\t"
			 "movl %[end], %%eax\n\t"
			 "syscall\n\t"
			 "1:"
			 : "=a"(result)
			 : "a"(number), "D"(first), "S"(second), [work] "b"(work), [end] "i"(__NR_exit)
			 : "rcx", "rdx", "r8", "r9", "r10", "r11", "memory");
	return result;
}

#endif
