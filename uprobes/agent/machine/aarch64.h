/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef AGENT_MACHINE_AARCH64_H
#define AGENT_MACHINE_AARCH64_H

#include "uprobes/elf/usdt.h"

#include <asm/unistd.h>
#include <linux/time_types.h>
#include <stddef.h>
#include <stdint.h>

struct pollfd;

/*
 * The virtual counter, which Linux lets programs read, is one for all CPUs by architecture (Arm ARM, D12.1). It has 1 MHz to
 * 1 GHz, often 24 MHz. A stamp is the counter shifted to 2 to 4 GHz, so that there is room for several between two ticks.
 */
static inline uint32_t machine_stamp_shift(void)
{
	uint64_t frequency;

	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	return (uint32_t)__builtin_clz((uint32_t)frequency | 1u << 20);
}

static inline uint64_t sys_tsc(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
	return ticks << machine_stamp_shift();
}

static inline uint64_t sys_thread_pointer(void)
{
	uint64_t thread_pointer;

	__asm__("mrs %0, tpidr_el0" : "=r"(thread_pointer));
	return thread_pointer;
}

/* The first word that the thread pointer points to. */
static inline const uint64_t *machine_dtv(void)
{
	return *(const uint64_t *const *)sys_thread_pointer();
}

static inline uint64_t machine_stack_pointer(void)
{
	uint64_t sp;

	__asm__ volatile("mov %0, sp" : "=r"(sp));
	return sp;
}

#define order_stores() __asm__ volatile("dmb ishst" ::: "memory")

#define LOAD_U64 "ldr %x0, [%1]"
#define LOAD_U32 "ldr %w0, [%1]"
#define LOAD_U8	 "ldrb %w0, [%1]"

/* The registers are those of a C call. */
#define CALL_SITE_1(name, a)                                                      \
	do {                                                                      \
		register uint64_t x0 __asm__("x0") = (uint64_t)(a);               \
                                                                                  \
		__asm__ volatile(USDT_SITE(name, "8@x0") : : "r"(x0) : "memory"); \
	} while (0)

#define CALL_SITE_2(name, a, b)                                                                 \
	do {                                                                                    \
		register uint64_t x0 __asm__("x0") = (uint64_t)(a);                             \
		register uint64_t x1 __asm__("x1") = (uint64_t)(b);                             \
                                                                                                \
		__asm__ volatile(USDT_SITE(name, "8@x0 8@x1") : : "r"(x0), "r"(x1) : "memory"); \
	} while (0)

#define CALL_SITE_5(name, a, b, c, d, e)                                       \
	do {                                                                   \
		register uint64_t x0 __asm__("x0") = a;                        \
		register uint64_t x1 __asm__("x1") = b;                        \
		register uint64_t x2 __asm__("x2") = c;                        \
		register uint64_t x3 __asm__("x3") = d;                        \
		register uint64_t x4 __asm__("x4") = e;                        \
                                                                               \
		__asm__ volatile(USDT_SITE(name, "8@x0 8@x1 8@x2 8@x3 8@x4")   \
				 :                                             \
				 : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(x4) \
				 : "memory");                                  \
	} while (0)

static inline long call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}

/* There is no poll(2). */
static inline long machine_poll(void *poller, uint64_t ms)
{
	struct __kernel_timespec t = {(long long)(ms / 1000), (long long)(ms % 1000) * 1000000};

	return call6(__NR_ppoll, (long)poller, 1, (long)&t, 0, 0, 0);
}

#define TRY_POLL                                                            \
	{                                                                   \
		__NR_ppoll,                                                 \
		{                                                           \
			0, 0, (long)&(const struct __kernel_timespec){0, 0} \
		}                                                           \
	}

/* The empty statements keep the compiler from calling memcpy() and memset(). */
static inline void machine_copy(void *to, const void *from, size_t size)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), t += sizeof(uint64_t), f += sizeof(uint64_t)) {
		uint64_t word;

		__builtin_memcpy(&word, f, sizeof(word));
		__builtin_memcpy(t, &word, sizeof(word));
		__asm__ volatile("" ::: "memory");
	}
	for (; size; size--) {
		*t++ = *f++;
		__asm__ volatile("" ::: "memory");
	}
}

static inline void machine_fill(void *to, int byte, size_t size)
{
	unsigned char *t = to;
	uint64_t word = 0x0101010101010101ull * (unsigned char)byte;

	for (; size >= sizeof(word); size -= sizeof(word), t += sizeof(word)) {
		__builtin_memcpy(t, &word, sizeof(word));
		__asm__ volatile("" ::: "memory");
	}
	for (; size; size--) {
		*t++ = (unsigned char)byte;
		__asm__ volatile("" ::: "memory");
	}
}

/* The child gets the stack that the call names, so it must need nothing of this function's but registers. */
static inline long spawn(long number, long first, long second, void (*work)(void))
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = first;
	register long x1 __asm__("x1") = second;
	register void (*x19)(void) __asm__("x19") = work;

	__asm__ volatile("mov x2, xzr\n\t"
			 "mov x3, xzr\n\t"
			 "mov x4, xzr\n\t"
			 "svc #0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x29, xzr\n\t"
			 "blr x19\n\t"
			 "mov x0, xzr\n\t"
			 "mov x8, %[end]\n\t"
			 "svc #0\n\t"
			 "1:"
			 : "+r"(x0), "+r"(x1), "+r"(x8)
			 : "r"(x19), [end] "i"(__NR_exit)
			 : "x2", "x3", "x4", "x30", "cc", "memory");
	return x0;
}

#endif
