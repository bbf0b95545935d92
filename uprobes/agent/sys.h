/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a libc would give, as far as the agent needs it: raw system calls,
 * memory functions, a lock, the time stamp. No errno: calls return -errno.
 */
#ifndef AGENT_SYS_H
#define AGENT_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define load_acquire(p)	      __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_release(p, v)   __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define load_relaxed(p)	      __atomic_load_n(p, __ATOMIC_RELAXED)
#define store_relaxed(p, v)   __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define add_relaxed(p, v)     __atomic_fetch_add(p, v, __ATOMIC_RELAXED)

static inline uint64_t sys_tsc(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

/* The word at %fs:0: the thread's own control block, in every Linux ABI for x86-64. */
static inline uint64_t sys_thread_pointer(void)
{
	uint64_t fs;

	__asm__("movq %%fs:0, %0" : "=r"(fs));
	return fs;
}

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);
bool text_is(const char *a, const char *b);
bool text_begins(const char *text, const char *prefix);

/* Anonymous memory; NULL when there is none. */
void *sys_map(size_t size);
void sys_unmap(void *at, size_t size);

/* A sealed (no shrink, no growth) memfd, mapped shared; *fd stays open. NULL on failure. */
void *sys_map_shared(const char *name, size_t size, int *fd);

int sys_gettid(void);
int sys_getpid(void);
void sys_sleep_ms(unsigned int ms);

/* Wait until *word is woken, at most `ms`; at once when it is not `value`. May come back early. */
void sys_wait_word(uint32_t *word, uint32_t value, unsigned int ms);
void sys_wake_word(uint32_t *word);
uint64_t sys_monotonic_ns(void);

/* A lock for short sections without any call into the JVM. */
struct lock {
	uint32_t state; /* 0 free, 1 held, 2 held and waited for */
};
void lock_take(struct lock *l);
bool lock_try(struct lock *l);
void lock_drop(struct lock *l);

#endif
