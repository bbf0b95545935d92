// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/sys.h"

/* x86-64 system call numbers (arch/x86/entry/syscalls/syscall_64.tbl) and the constants of their man pages */
enum {
	NR_read = 0,
	NR_open = 2,
	NR_close = 3,
	NR_poll = 7,
	NR_mmap = 9,
	NR_munmap = 11,
	NR_nanosleep = 35,
	NR_getpid = 39,
	NR_socket = 41,
	NR_connect = 42,
	NR_sendto = 44,
	NR_recvfrom = 45,
	NR_setsockopt = 54,
	NR_fcntl = 72,
	NR_ftruncate = 77,
	NR_gettid = 186,
	NR_futex = 202,
	NR_clock_gettime = 228,
	NR_process_vm_readv = 310,
	NR_memfd_create = 319,
};

#define MAP_SHARED_RW	 0x01
#define MAP_PRIVATE_ANON 0x22
#define PROT_RW		 0x3
#define MFD_FLAGS	 0x3 /* MFD_CLOEXEC | MFD_ALLOW_SEALING */
#define F_ADD_SEALS	 1033
#define SEALS		 0x7 /* SEAL | SHRINK | GROW */
#define FUTEX_WAIT	 128 /* private */
#define FUTEX_WAKE	 129

#define O_RDONLY_CLOEXEC 02000000
#define UNIX_SOCKET	 1
#define SEQPACKET_CLOEXEC (5 | 02000000)
#define SOCKET_LEVEL	 1
#define SEND_TIMEOUT	 21
#define NO_SIGNAL	 0x4000
#define DO_NOT_WAIT	 0x40
#define TO_READ		 1
#define INTERRUPTED	 (-4L)
#define TRY_AGAIN	 (-11L)
#define PAGE		 4096u
#define PROBES		 32u /* pages looked at by one call */
#define MOST_PAGES	 16384u

struct part {
	void *at;
	size_t size;
};

struct time {
	int64_t seconds, nanoseconds;
};

static long call6(long nr, long a, long b, long c, long d, long e, long f)
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

static long call3(long nr, long a, long b, long c)
{
	return call6(nr, a, b, c, 0, 0, 0);
}

#ifndef AGENT_HOSTED /* the unit tests have a libc */
void *memcpy(void *to, const void *from, size_t size)
{
	void *start = to;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size)::"memory");
	return start;
}

void *memmove(void *to, const void *from, size_t size)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if (t <= f || t >= f + size)
		return memcpy(to, from, size);
	while (size--)
		t[size] = f[size];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	void *start = to;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
	return start;
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

static bool failed(long result)
{
	return result < 0 && result > -4096;
}

void *sys_map(size_t size)
{
	long at = call6(NR_mmap, 0, size, PROT_RW, MAP_PRIVATE_ANON, -1, 0);

	return failed(at) ? NULL : (void *)at;
}

void sys_unmap(void *at, size_t size)
{
	call3(NR_munmap, (long)at, size, 0);
}

void *sys_map_shared(const char *name, size_t size, int *fd)
{
	long at;

	*fd = call3(NR_memfd_create, (long)name, MFD_FLAGS, 0);
	if (*fd < 0)
		return NULL;
	if (call3(NR_ftruncate, *fd, size, 0) || call3(NR_fcntl, *fd, F_ADD_SEALS, SEALS))
		goto out;
	at = call6(NR_mmap, 0, size, PROT_RW, MAP_SHARED_RW, *fd, 0);
	if (!failed(at))
		return (void *)at;
out:
	call3(NR_close, *fd, 0, 0);
	*fd = -1;
	return NULL;
}

static bool peek(const struct part *to, const struct part *from, size_t parts, size_t size)
{
	return call6(NR_process_vm_readv, sys_getpid(), (long)to, 1, (long)from, parts, 0) == (long)size;
}

bool sys_peek(void *to, size_t size, uint64_t from)
{
	struct part local = { to, size }, remote = { (void *)from, size };

	return peek(&local, &remote, 1, size);
}

bool sys_readable(uint64_t from, uint64_t to)
{
	struct part remote[PROBES], local;
	char bytes[PROBES];
	size_t n;

	if (to - from > (uint64_t)MOST_PAGES * PAGE)
		return false;
	for (from &= -(uint64_t)PAGE; from < to; from += n * PAGE) {
		for (n = 0; n < PROBES && from + n * PAGE < to; n++)
			remote[n] = (struct part){ (void *)(from + n * PAGE), 1 };
		local = (struct part){ bytes, n };
		if (!peek(&local, remote, n, n))
			return false;
	}
	return true;
}

/* "7f00-7f10 r-xp ...": the number up to `stop`; false: no number there */
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

/* The first bytes of one line of /proc/PID/maps (proc_pid_maps(5)). */
struct map_line {
	char text[64];
	size_t size;
};

bool sys_each_mapping(bool (*see)(uint64_t start, uint64_t end, const char permissions[4], void *context), void *context)
{
	long fd = call3(NR_open, (long)"/proc/self/maps", O_RDONLY_CLOEXEC, 0), n;
	struct map_line line = { .size = 0 };
	bool good = true, more = true;
	char buffer[1024];

	if (failed(fd))
		return false;
	while (good && more && (n = call3(NR_read, fd, (long)buffer, sizeof(buffer))) > 0) {
		for (long i = 0; i < n && good && more; i++) {
			const char *at = line.text;
			uint64_t start, end;

			if (buffer[i] != '\n') {
				if (line.size < sizeof(line.text) - 1)
					line.text[line.size++] = buffer[i];
				continue;
			}
			line.text[line.size] = 0;
			line.size = 0;
			good = read_hex(&at, '-', &start) && read_hex(&at, ' ', &end);
			more = good && see(start, end, at, context);
		}
	}
	call3(NR_close, fd, 0, 0);
	return good && (n >= 0 || !more);
}

int sys_gettid(void)
{
	return call3(NR_gettid, 0, 0, 0);
}

int sys_getpid(void)
{
	return call3(NR_getpid, 0, 0, 0);
}

void sys_sleep_ms(unsigned int ms)
{
	struct time t = { ms / 1000, ms % 1000 * 1000000L };

	call3(NR_nanosleep, (long)&t, 0, 0);
}

void sys_wait_word(uint32_t *word, uint32_t value, unsigned int ms)
{
	struct time t = { ms / 1000, ms % 1000 * 1000000L };

	call6(NR_futex, (long)word, FUTEX_WAIT, value, (long)&t, 0, 0);
}

void sys_wake_word(uint32_t *word)
{
	call3(NR_futex, (long)word, FUTEX_WAKE, INT32_MAX);
}

uint64_t sys_monotonic_ns(void)
{
	struct time t = { 0, 0 };

	call3(NR_clock_gettime, 1, (long)&t, 0);
	return t.seconds * 1000000000ULL + t.nanoseconds;
}

void sys_close(int fd)
{
	call3(NR_close, fd, 0, 0);
}

int sys_connect(const char *path, unsigned int seconds)
{
	struct time patience = { seconds, 0 };
	struct {
		uint16_t family;
		char path[108];
	} address = { .family = UNIX_SOCKET };
	size_t length = strlen(path);
	int fd;

	if (length >= sizeof(address.path))
		return -1;
	memcpy(address.path, path, length + 1);
	fd = call3(NR_socket, UNIX_SOCKET, SEQPACKET_CLOEXEC, 0);
	call6(NR_setsockopt, fd, SOCKET_LEVEL, SEND_TIMEOUT, (long)&patience, sizeof(patience), 0);
	if (fd >= 0 && call3(NR_connect, fd, (long)&address, sizeof(address))) {
		sys_close(fd);
		return -1;
	}
	return fd;
}

/* 1: there is something to read, or the other end has gone. */
static long wait_to_read(int fd, unsigned int ms)
{
	struct {
		int fd;
		short events, found;
	} poller = { fd, TO_READ, 0 };

	return call3(NR_poll, (long)&poller, 1, ms);
}

long sys_receive(int fd, void *to, size_t size, unsigned int ms)
{
	long n = wait_to_read(fd, ms);

	if (n > 0)
		n = call6(NR_recvfrom, fd, (long)to, size, DO_NOT_WAIT, 0, 0);
	else if (!n)
		n = SYS_NOTHING_YET;
	return n == INTERRUPTED || n == TRY_AGAIN ? SYS_NOTHING_YET : n;
}

bool sys_send(int fd, const void *from, size_t size)
{
	return call6(NR_sendto, fd, (long)from, size, NO_SIGNAL, 0, 0) == (long)size;
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
		call6(NR_futex, (long)&l->state, FUTEX_WAIT, 2, 0, 0, 0);
}

void lock_drop(struct lock *l)
{
	if (__atomic_exchange_n(&l->state, 0, __ATOMIC_RELEASE) == 2)
		call3(NR_futex, (long)&l->state, FUTEX_WAKE, 1);
}
