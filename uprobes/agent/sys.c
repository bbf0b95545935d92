// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/sys.h"

#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/socket.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/futex.h>
#include <linux/memfd.h>
#include <linux/mman.h>
#include <linux/poll.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/time_types.h>
#include <linux/un.h>
#include <linux/wait.h>

#define MAP_PRIVATE_ANON (MAP_PRIVATE | MAP_ANONYMOUS)
#define PROT_RW		 (PROT_READ | PROT_WRITE)
#define MFD_FLAGS	 (MFD_CLOEXEC | MFD_ALLOW_SEALING)
#define SEALS		 (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)
#define OPEN_PROC	 (O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
#define CLONE_CHILD	 (CLONE_VM | CLONE_VFORK) /* no signal at its end */

/* What the kernel's headers leave to the libc's. __WALL: also for a child that sends no signal. */
#define AF_UNIX		  1
#define SEQPACKET_CLOEXEC (5 | O_CLOEXEC)
#define MSG_DONTWAIT	  0x40
#define MSG_NOSIGNAL	  0x4000
#define CLOCK_MONOTONIC	  1

static long call3(long nr, long a, long b, long c)
{
	return call6(nr, a, b, c, 0, 0, 0);
}

#define COPIED_BY_WORDS 256 /* bytes */

#ifndef AGENT_HOSTED /* the unit tests have a libc */
static void *copy_upwards(void *to, const void *from, size_t size)
{
	machine_copy(to, from, size);
	return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
	if (size > COPIED_BY_WORDS)
		return copy_upwards(to, from, size);
	copy_words(to, from, size);
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if (t <= f || t >= f + size)
		return copy_upwards(to, from, size);
	while (size--)
		t[size] = f[size];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	machine_fill(to, byte, size);
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < size; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}

size_t strlen(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}
#endif

bool text_is(const char *a, const char *b)
{
	size_t length = strlen(a);

	return length == strlen(b) && !memcmp(a, b, length);
}

bool text_begins(const char *text, const char *prefix)
{
	while (*prefix)
		if (*text++ != *prefix++)
			return false;
	return true;
}

static bool sys_failed(long result)
{
	return result < 0 && result > -4096;
}

void *sys_map(size_t size)
{
	long at = call6(__NR_mmap, 0, size, PROT_RW, MAP_PRIVATE_ANON, -1, 0);

	return sys_failed(at) ? NULL : (void *)at;
}

void sys_unmap(void *at, size_t size)
{
	call3(__NR_munmap, (long)at, size, 0);
}

struct sys_failure sys_failure;

static long sys_note(uint16_t call, long result)
{
	if (sys_failed(result))
		sys_failure = (struct sys_failure){call, -result};
	return result;
}

static int make_memfd(const char *name, size_t size)
{
	int fd = sys_note(__NR_memfd_create, call3(__NR_memfd_create, (long)name, MFD_FLAGS, 0));

	if (fd < 0 || (!sys_note(__NR_ftruncate, call3(__NR_ftruncate, fd, size, 0)) &&
		       !sys_note(__NR_fcntl, call3(__NR_fcntl, fd, F_ADD_SEALS, SEALS))))
		return fd;
	sys_close(fd);
	return -1;
}

void *sys_map_shared(const char *name, size_t size, int *fd)
{
	long at;

	*fd = make_memfd(name, size);
	if (*fd < 0)
		return NULL;
	at = sys_note(__NR_mmap, call6(__NR_mmap, 0, size, PROT_RW, MAP_SHARED, *fd, 0));
	if (!sys_failed(at))
		return (void *)at;
	sys_close(*fd);
	*fd = -1;
	return NULL;
}

static uint32_t trial_word;
static struct __kernel_timespec trial_time;
static const char trial_name[] = "frtrace-try";

/*
 * The files are missing, the sizes 0, and the addresses wrong: a filter sees that only after the number. Where the agent
 * makes a call with different commands, each is here. What the agent has called to find out that there is a filter is not.
 */
static const struct
try {
	uint16_t number;
	long argument[5];
}
tries[SYS_TRIES] = {
	{__NR_wait4, {-1, 0, WNOHANG | __WALL}},
	{__NR_waitid, {0, 0, 0, WNOHANG | WEXITED | __WALL}},
	/* launches */
	{__NR_socket, {AF_UNIX, SEQPACKET_CLOEXEC}},
	{__NR_setsockopt, {-1, SOL_SOCKET, SO_SNDTIMEO_OLD}},
	{__NR_connect, {-1}},
	TRY_POLL,
	{__NR_recvfrom, {-1, 0, 0, MSG_DONTWAIT}},
	{__NR_sendto, {-1, 0, 0, MSG_NOSIGNAL}},
	/* others */
	{__NR_mmap, {0, 0, PROT_RW, MAP_PRIVATE_ANON, -1}},
	{__NR_mmap, {0, 0, PROT_RW, MAP_SHARED, -1}},
	{__NR_munmap, {1}},
	{__NR_memfd_create, {(long)trial_name, MFD_FLAGS}},
	{__NR_ftruncate, {-1}},
	{__NR_fcntl, {-1, F_ADD_SEALS, SEALS}},
	{__NR_fcntl, {-1, F_GET_SEALS}},
	{__NR_fcntl, {-1, F_OFD_GETLK}},
	{__NR_pwrite64, {-1}},
	{__NR_getpid, {0}},
	{__NR_gettid, {0}},
	{__NR_clock_gettime, {CLOCK_MONOTONIC, (long)&trial_time}},
	{__NR_futex, {(long)&trial_word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 1}},
	{__NR_futex, {(long)&trial_word, FUTEX_WAIT, 1}},
	{__NR_futex, {(long)&trial_word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG}},
	{__NR_futex, {(long)&trial_word, FUTEX_WAKE}},
};

void sys_try(uint32_t index)
{
	const struct try *t = &tries[index];

	call6(t->number, t->argument[0], t->argument[1], t->argument[2], t->argument[3], t->argument[4], 0);
}

uint32_t sys_try_number(uint32_t index)
{
	return tries[index].number;
}

long sys_dumpable(void)
{
	return call3(__NR_prctl, PR_GET_DUMPABLE, 0, 0);
}

bool sys_set_dumpable(long dumpable)
{
	return !call3(__NR_prctl, PR_SET_DUMPABLE, dumpable, 0);
}

int sys_open_proc(const char *path)
{
	return call3(__NR_openat, AT_FDCWD, (long)path, OPEN_PROC);
}

long sys_read(int fd, void *to, size_t size)
{
	return call3(__NR_read, fd, (long)to, size);
}

void sys_unmap_shared(void *at, size_t size, int fd)
{
	sys_unmap(at, size);
	sys_close(fd);
}

bool sys_is_sealed(int fd)
{
	long seals = call3(__NR_fcntl, fd, F_GET_SEALS, 0);

	return seals >= 0 && (seals & SEALS) == SEALS;
}

bool sys_is_locked(int fd, uint64_t byte)
{
	struct flock l = {.l_type = F_WRLCK, .l_start = byte, .l_len = 1};

	return call3(__NR_fcntl, fd, F_OFD_GETLK, (long)&l) || l.l_type != F_UNLCK;
}

bool sys_write_at(int fd, uint64_t from, size_t size, uint64_t at)
{
	return call6(__NR_pwrite64, fd, (long)from, size, at, 0, 0) == (long)size;
}

/* Read a hexadecimal number that ends with `stop`, as in "7f00-7f10 r-xp ...". Returns false if there is none. */
static bool read_hex(const char **at, char stop, uint64_t *out)
{
	const char *c = *at;

	for (*out = 0; *c != stop; c++) {
		if (*c >= '0' && *c <= '9')
			*out = *out << 4 | (*c - '0');
		else if (*c >= 'a' && *c <= 'f')
			*out = *out << 4 | (*c - 'a' + 10);
		else
			return false;
	}
	*at = c + 1;
	return true;
}

#define MAPS_MOST (1l << 30) /* bytes: there may be something else in the place of the file, which never ends */

/* Room for the beginning of a line of /proc/PID/maps (proc_pid_maps(5)). */
struct map_line {
	char *text;
	size_t room, size;
};

/* `visit` is given the line from the permissions on. */
static bool each_mapping(struct map_line line,
			 bool (*visit)(uint64_t start, uint64_t end, const char *rest, void *context), void *context)
{
	int fd = sys_open_proc("/proc/self/maps");
	bool good = true, more = true;
	char buffer[1024];
	long n = 0, in_all = 0;

	if (fd < 0)
		return false;
	while (good && more && in_all < MAPS_MOST && (n = sys_read(fd, buffer, sizeof(buffer))) > 0) {
		in_all += n;
		for (long i = 0; i < n && good && more; i++) {
			const char *at = line.text;
			uint64_t start, end;

			if (buffer[i] != '\n') {
				if (line.size < line.room - 1)
					line.text[line.size++] = buffer[i];
				continue;
			}
			line.text[line.size] = 0;
			line.size = 0;
			good = read_hex(&at, '-', &start) && read_hex(&at, ' ', &end);
			more = good && visit(start, end, at, context);
		}
	}
	sys_close(fd);
	return good && in_all < MAPS_MOST && (n >= 0 || !more);
}

bool sys_each_mapping(bool (*visit)(uint64_t start, uint64_t end, const char permissions[4], void *context),
		      void *context)
{
	char text[64];

	return each_mapping((struct map_line){text, sizeof(text), 0}, visit, context);
}

static bool block_has(uint64_t at, uint64_t end, const char *text)
{
	size_t length = strlen(text) + 1;

	for (; at + length <= end; at++)
		if (!memcmp((const void *)at, text, length))
			return true;
	return false;
}

static bool path_ends(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !memcmp(text + length - tail, end, tail);
}

/* Ends at the first mapping of glibc, which has the names of its versions. On aarch64 that has code, too. */
static bool is_libc(uint64_t start, uint64_t end, const char *rest, void *context)
{
	bool *clone3 = context;

	if (!(text_begins(rest, "r--p 00000000 ") || text_begins(rest, "r-xp 00000000 ")) ||
	    !(path_ends(rest, "/libc.so.6") || path_ends(rest, "/libc.so.6 (deleted)")))
		return true;
	*clone3 = block_has(start, end, "GLIBC_2.34");
	return false;
}

/*
 * A filter may kill for clone() or for clone3(), and the one that makes the JVM's own threads is safe. glibc calls clone3()
 * since 2.34, and clone() only where the kernel or the filter does not know it; older ones and musl never do.
 */
static bool libc_uses_clone3(void)
{
	char text[1200];
	bool clone3 = false;

	each_mapping((struct map_line){text, sizeof(text), 0}, is_libc, &clone3);
	return clone3;
}

/* A vfork(): clone() and clone3() return when the child has ended. */
long sys_run_child(void (*work)(void), void *stack, size_t size)
{
	struct clone_args a = {.flags = CLONE_CHILD, .stack = (uint64_t)stack, .stack_size = size};
	uint64_t all = ~0ull, before = 0;
	long pid = -ENOSYS;

	call6(__NR_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, sizeof(all), 0, 0);
	if (libc_uses_clone3())
		pid = spawn(__NR_clone3, (long)&a, CLONE_ARGS_SIZE_VER0, work);
	if (pid == -ENOSYS)
		pid = spawn(__NR_clone, CLONE_CHILD, (long)stack + size, work);
	call6(__NR_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof(all), 0, 0);
	return pid;
}

void sys_reap(long pid, uint32_t refused)
{
	long r = -1;

	do {
		if (!(refused & 1u << SYS_TRY_WAITS))
			r = call6(__NR_wait4, pid, 0, __WALL, 0, 0, 0);
	} while (r == -EINTR);
	while (r < 0 && !(refused & 2u << SYS_TRY_WAITS)) {
		r = call6(__NR_waitid, P_PID, pid, 0, WEXITED | __WALL, 0, 0);
		if (r != -EINTR)
			break;
	}
}

/* Ends at the mapping that has this code, with its path in *context. */
static bool is_other_code(uint64_t start, uint64_t end, const char *rest, void *context)
{
	const char **path = context;
	uint64_t here = (uint64_t)is_other_code;

	if (here < start || here >= end)
		return true;
	while (*rest && *rest != '/')
		rest++;
	*path = rest;
	return false;
}

int sys_open_own_file(void)
{
	const char *path = "";
	char text[1200]; /* the attach protocol has no longer paths */

	each_mapping((struct map_line){text, sizeof(text), 0}, is_other_code, &path);
	return call3(__NR_openat, AT_FDCWD, (long)path, O_PATH | O_CLOEXEC);
}

int sys_gettid(void)
{
	return call3(__NR_gettid, 0, 0, 0);
}

int sys_getpid(void)
{
	return call3(__NR_getpid, 0, 0, 0);
}

void sys_sleep_us(unsigned int us)
{
	struct __kernel_timespec t = {us / 1000000, us % 1000000 * 1000L};
	uint32_t word = 0;

	/* a JVM cannot do without futex(), but without nanosleep() */
	call6(__NR_futex, (long)&word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, (long)&t, 0, 0);
}

void sys_sleep_ms(unsigned int ms)
{
	sys_sleep_us(ms * 1000);
}

void sys_wait_word(uint32_t *word, uint32_t value, unsigned int ms)
{
	struct __kernel_timespec t = {ms / 1000, ms % 1000 * 1000000L};

	call6(__NR_futex, (long)word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, value, (long)&t, 0, 0);
}

void sys_wake_word(uint32_t *word)
{
	call3(__NR_futex, (long)word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT32_MAX);
}

bool sys_wait_shared(uint32_t *word, uint32_t value, unsigned int ms)
{
	struct __kernel_timespec t = {ms / 1000, ms % 1000 * 1000000L};

	return call6(__NR_futex, (long)word, FUTEX_WAIT, value, ms == SYS_FOREVER ? 0 : (long)&t, 0, 0) != -ETIMEDOUT;
}

void sys_wake_shared(uint32_t *word)
{
	call3(__NR_futex, (long)word, FUTEX_WAKE, INT32_MAX);
}

uint64_t sys_monotonic_ns(void)
{
	struct __kernel_timespec t = {0, 0};

	sys_note(__NR_clock_gettime, call3(__NR_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0));
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void sys_close(int fd)
{
	call3(__NR_close, fd, 0, 0);
}

int sys_connect(const char *path, unsigned int seconds)
{
	struct __kernel_timespec patience = {seconds, 0};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);
	int fd;

	if (length >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, path, length + 1);
	fd = call3(__NR_socket, AF_UNIX, SEQPACKET_CLOEXEC, 0);
	call6(__NR_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO_OLD, (long)&patience, sizeof(patience), 0);
	if (fd >= 0 && call3(__NR_connect, fd, (long)&address, sizeof(address))) {
		sys_close(fd);
		return -1;
	}
	return fd;
}

/*
 * Returns 1 if there is something to read or the other end has closed. Signals, as those of a profiler, do not shorten the
 * wait: the kernel restarts such a wait after none.
 */
static long wait_to_read(int fd, unsigned int ms)
{
	uint64_t now = sys_monotonic_ns(), until = now + ms * 1000000ULL;
	struct pollfd poller = {.fd = fd, .events = POLLIN};
	long n;

	do {
		n = machine_poll(&poller, now < until ? (until - now + 999999) / 1000000 : 0);
		now = sys_monotonic_ns();
	} while (n == -EINTR && now < until);
	return n;
}

long sys_receive(int fd, void *to, size_t size, unsigned int ms)
{
	long n = wait_to_read(fd, ms);

	if (n > 0)
		n = call6(__NR_recvfrom, fd, (long)to, size, MSG_DONTWAIT, 0, 0);
	else if (!n)
		n = SYS_NOTHING_YET;
	return n == -EINTR || n == -EAGAIN ? SYS_NOTHING_YET : n;
}

bool sys_send(int fd, const void *from, size_t size)
{
	return call6(__NR_sendto, fd, (long)from, size, MSG_NOSIGNAL, 0, 0) == (long)size;
}

bool lock_try(struct lock *l)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(&l->state, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void lock_take(struct lock *l)
{
	if (lock_try(l))
		return;
	while (__atomic_exchange_n(&l->state, 2, __ATOMIC_ACQUIRE))
		call6(__NR_futex, (long)&l->state, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, 0, 0, 0);
}

void lock_drop(struct lock *l)
{
	if (__atomic_exchange_n(&l->state, 0, __ATOMIC_RELEASE) == 2)
		call3(__NR_futex, (long)&l->state, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}
