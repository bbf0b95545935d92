/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's substitute for libc: raw system calls, memory functions, a lock; with the machine's header,
 * the time stamp counter. There is no errno: functions return -errno.
 */
#ifndef AGENT_SYS_H
#define AGENT_SYS_H

#include "uprobes/agent/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define load_acquire(p)	    __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define load_relaxed(p)	    __atomic_load_n(p, __ATOMIC_RELAXED)
#define store_relaxed(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define add_relaxed(p, v)   __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define set_bits(p, v)	    __atomic_fetch_or(p, v, __ATOMIC_RELAXED)
#define clear_bits(p, v)    __atomic_fetch_and(p, ~(v), __ATOMIC_RELAXED)

/* Copy bytes that do not overlap, without a call. */
static inline void copy_words(unsigned char *to, const unsigned char *from, size_t size)
{
	for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), to += sizeof(uint64_t), from += sizeof(uint64_t)) {
		uint64_t word;

		__builtin_memcpy(&word, from, sizeof(word));
		__builtin_memcpy(to, &word, sizeof(word));
		__asm__ volatile("" ::: "memory"); /* or the compiler calls memcpy() */
	}
	for (; size; size--) {
		*to++ = *from++;
		__asm__ volatile("" ::: "memory");
	}
}

/* A load from any readable address. It need not be a C object, so sanitizers must not check it. */
#ifdef AGENT_HOSTED
#define LOAD(instruction, type, address)                                                \
	({                                                                              \
		type loaded;                                                            \
		__asm__ volatile(instruction : "=r"(loaded) : "r"(address) : "memory"); \
		loaded;                                                                 \
	})
#else
#define LOAD(instruction, type, address) (*(const volatile type *)(address))
#endif

static inline uint64_t load_word(uint64_t address)
{
	return LOAD(LOAD_U64, uint64_t, address);
}

static inline uint32_t load_u32(uint64_t address)
{
	return LOAD(LOAD_U32, uint32_t, address);
}

static inline uint8_t load_u8(uint64_t address)
{
	return LOAD(LOAD_U8, uint8_t, address);
}

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);
bool text_is(const char *a, const char *b);
bool text_begins(const char *text, const char *prefix);

/* Anonymous memory, or NULL. */
void *sys_map(size_t size);
void sys_unmap(void *at, size_t size);

/* A memfd sealed against shrinking and growing, mapped shared; *fd stays open. NULL on failure, and sys_failure says why. */
void *sys_map_shared(const char *name, size_t size, int *fd);

/* The last call of sys_map_shared() or sys_monotonic_ns() that failed. */
extern struct sys_failure {
	uint16_t call, error; /* its number; 0: none */
} sys_failure;

/*
 * Make one system call of each kind that the agent makes, in a way that changes nothing: sys_try() the one with this
 * index. First come those that sys_reap() may choose from, then those for launches only.
 */
enum sys_tries { SYS_TRY_WAITS = 0, SYS_TRY_LAUNCHES = 2, SYS_TRY_OTHERS = 8, SYS_TRIES = 24 };
void sys_try(uint32_t index);
uint32_t sys_try_number(uint32_t index); /* of the system call */

/*
 * Run `work` in a child process that shares this process's memory, on the `size` bytes of stack. Returns when it has
 * ended, by itself or by a signal: its pid, for sys_reap(), or -errno. The calling thread and its signals wait meanwhile.
 */
long sys_run_child(void (*work)(void), void *stack, size_t size);

/* `refused`: bit SYS_TRY_WAITS + n means that this call must not be made. */
void sys_reap(long pid, uint32_t refused);

/* The dumpable attribute of this process: 0, 1, 2, or -errno (prctl(2), PR_GET_DUMPABLE). */
long sys_dumpable(void);
bool sys_set_dumpable(long dumpable);

/*
 * Open a file of /proc for reading. Returns a descriptor or -errno. Does not block, also if a container has mounted
 * something else there, such as a FIFO.
 */
int sys_open_proc(const char *path);
long sys_read(int fd, void *to, size_t size);

/* Open, with O_PATH, the file that this code is mapped from, while it has its name. Returns a descriptor or -errno. */
int sys_open_own_file(void);

/* Undo sys_map_shared(). */
void sys_unmap_shared(void *at, size_t size, int fd);

/*
 * True if `fd` is a memfd with the seals that sys_map_shared() sets. The kernel may add others: F_SEAL_EXEC with
 * vm.memfd_noexec.
 */
bool sys_is_sealed(int fd);

/* True if another process has an open file description's lock on this byte of the file, or on error. */
bool sys_is_locked(int fd, uint64_t byte);

/*
 * Copy `size` bytes from address `from`, which need not be readable, into the file at offset `at`. Returns false
 * unless all of them were copied.
 */
bool sys_write_at(int fd, uint64_t from, size_t size, uint64_t at);

/*
 * Call `visit` for each mapping of this process, in ascending order, until it returns false. Returns false if the
 * mappings cannot be read.
 */
bool sys_each_mapping(bool (*visit)(uint64_t start, uint64_t end, const char permissions[4], void *context),
		      void *context);

int sys_gettid(void);
int sys_getpid(void);
void sys_sleep_ms(unsigned int ms);
void sys_sleep_us(unsigned int us);

/*
 * Wait until another thread wakes *word, at most `ms`. Returns at once if *word is not `value`, and may return
 * early.
 */
void sys_wait_word(uint32_t *word, uint32_t value, unsigned int ms);
void sys_wake_word(uint32_t *word);

/* The same for a word that several processes map. Returns false on timeout. SYS_FOREVER: no timeout. */
#define SYS_FOREVER 0xffffffffu
bool sys_wait_shared(uint32_t *word, uint32_t value, unsigned int ms);
void sys_wake_shared(uint32_t *word);
uint64_t sys_monotonic_ns(void);

/*
 * Connect to the SOCK_SEQPACKET socket at `path`. Returns a descriptor, or a negative number, also if the socket's
 * queue stays full for `seconds`.
 */
int sys_connect(const char *path, unsigned int seconds);

/*
 * Receive a packet, cut at `size`. Returns its size; 0 if the other end has closed; SYS_NOTHING_YET after `ms`;
 * another negative number on error.
 */
#define SYS_NOTHING_YET (-110L)
long sys_receive(int fd, void *to, size_t size, unsigned int ms);
bool sys_send(int fd, const void *from, size_t size);
void sys_close(int fd);

/* A lock for short sections that do not call into the JVM. */
struct lock {
	uint32_t state; /* 0: free, 1: held, 2: held with waiters */
};
void lock_take(struct lock *l);
bool lock_try(struct lock *l);
void lock_drop(struct lock *l);

#endif
