// SPDX-License-Identifier: BSD-2-Clause
/*
 * An attach takes, measured on JDK 8 to 28:
 *
 *	threads		the Attach Listener, unless it runs already. HotSpot ends the JVM if it cannot be started. With an agent,
 *			its thread and one that asks class loaders.
 *	descriptors	the listening socket, the connection; with an agent, its file and the shared memory
 *	addresses	the threads' stacks, the shared memory, the agent's own 6.4 MB
 *	memory		2.2 to 3.5 MB
 *	Java heap	the Thread objects and some Strings, below 10 KB
 *
 * The kernel refuses a thread at pids.max of any control group above it, at RLIMIT_NPROC, which counts all threads with the
 * same real user in its user namespace, and at the machine's own limits. Threads that another pid namespace hides from
 * frtrace are not counted, so the room may be less than it seems, but never more.
 */
#include "user/process/attach_room.h"
#include "bpf/frtrace.h"
#include "user/process/cgroup_limit.h"
#include "user/process/find.h"
#include "user/process/maps.h"
#include "user/process/perf_data.h"
#include "user/process/proc.h"
#include "user/process/root_path.h"
#include "user/text/io.h"
#include "user/text/log.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define SPARE_THREADS 2u	    /* HotSpot starts and ends some of its own as it has work */
#define RESERVED_PIDS 300u	    /* the kernel gives numbers below only once */
#define AGENT_DATA    (16ull << 20) /* what it and the JVM allocate for it, private and writable */
#define LISTENER_DATA (2ull << 20)
#define MEMORY_NEEDED (4ull << 20)
#define HEAP_LOOKS    4
#define YOUNG_MS      10000 /* age at which a JVM has certainly started */
#define HEAP_PAUSE_US 80000

struct needs {
	const struct target *target;
	struct proc_status status;
	char *limits; /* /proc/PID/limits */
	bool loads, listens;
	unsigned int threads; /* that have to be started */
	uint64_t stack;
};

/* Its socket, unless it was left by a dead JVM with the same number. */
static bool has_own_socket(const struct target *t)
{
	int root = root_path_open(t, "root"), file = -1;
	char path[64];
	struct stat st;
	bool own;

	snprintf(path, sizeof(path), "/tmp/.java_pid%d", t->ns_pid);
	if (root >= 0)
		file = root_path_open_at(root, path, O_PATH | O_NOFOLLOW);
	own = file >= 0 && !fstat(file, &st) && st.st_mtime * 1000 >= target_start_ms(t) - 2000;
	io_close(file);
	io_close(root);
	return own;
}

/* In JDK 8 threads have no names. */
static bool listens(const struct target *t)
{
	return proc_has_thread(t->pid, "Attach Listener") || (t->jdk_version <= 8 && has_own_socket(t));
}

/* ---- can it answer? */

/*
 * The counter that is set last, unless the file was left by a dead JVM with the same number. Returns 0 while the JVM is
 * still creating the counters that it has mapped, and -1 if it is unknown.
 */
static int start_counter(const struct target *t, int64_t start_ms)
{
	struct perf_data p;
	struct target now = *t;
	int64_t end;
	int known = -1, err;

	if (!now.perf_data[0])
		jvm_find(&now); /* it was found before it had mapped them */
	err = perf_data_read(&now, &p);
	if (err)
		return err == -EAGAIN && now.perf_data[0] ? 0 : -1;
	if (perf_data_long(&p, "sun.rt.createVmEndTime", &end) && (!end || end > start_ms - 2000))
		known = end != 0;
	perf_data_release(&p);
	return known;
}

/*
 * Without counters, which may not exist yet, the evidence is a thread that every JDK starts after all that, or a certain age. The
 * periodic thread was the last one until JDK 20; since 21 it starts before the signal dispatcher.
 */
bool attach_room_has_started(const struct target *t)
{
	int64_t start_ms = target_start_ms(t);
	int known = t->up ? 1 : start_counter(t, start_ms);

	if (known >= 0)
		return known;
	return time(NULL) * 1000 > start_ms + YOUNG_MS || proc_has_thread(t->pid, "Service Thread");
}

int attach_room_check_frozen(const struct target *t, struct diag *why)
{
	struct cgroup_room freezer;

	cgroup_room_of(t->pid, CGROUP_LIMIT_FREEZER, &freezer);
	if (freezer.limit == UINT64_MAX)
		return 0;
	return diag_set(why, EBUSY, "it is frozen by its control group '%s'; it answers when that is thawed",
			freezer.group);
}

/* ---- threads */

static int room_no_threads(const struct needs *n, uint64_t used, uint64_t limit, const char *whose, struct diag *why)
{
	return diag_set(why, EAGAIN,
			"%s of %s threads are in use (%s), and attaching takes room for %u: HotSpot ends a JVM that "
			"cannot start its Attach Listener; raise the limit, or end some threads",
			log_count(used), log_count(limit), whose, n->threads + SPARE_THREADS);
}

static bool is_too_much(const struct needs *n, uint64_t used, uint64_t limit)
{
	return limit != UINT64_MAX && used + n->threads + SPARE_THREADS > limit;
}

static int check_group_threads(const struct needs *n, struct diag *why)
{
	struct cgroup_room pids;
	char whose[300];

	cgroup_room_of(n->target->pid, CGROUP_LIMIT_PIDS, &pids);
	if (!is_too_much(n, pids.used, pids.limit))
		return 0;
	snprintf(whose, sizeof(whose), "pids.max of the control group '%s'", pids.group);
	return room_no_threads(n, pids.used, pids.limit, whose, why);
}

/* Threads of the machine: the second number of "0.20 0.18 0.12 1/80 11206". 0: unknown. */
static uint64_t count_machine_threads(void)
{
	char *text = proc_read(getpid(), "../loadavg", 256, NULL), *slash = text ? strchr(text, '/') : NULL;
	uint64_t count = slash ? strtoull(slash + 1, NULL, 10) : 0;

	free(text);
	return count;
}

static uint64_t read_setting(const char *name)
{
	char path[64], *text;
	uint64_t value;

	snprintf(path, sizeof(path), "../sys/kernel/%s", name);
	text = proc_read(getpid(), path, 64, NULL);
	value = text ? strtoull(text, NULL, 10) : 0;
	free(text);
	return value ?: UINT64_MAX;
}

static int check_machine_threads(const struct needs *n, uint64_t machine, struct diag *why)
{
	uint64_t threads = read_setting("threads-max"), pids = read_setting("pid_max");

	if (pids != UINT64_MAX && pids > RESERVED_PIDS)
		pids -= RESERVED_PIDS;
	if (machine && is_too_much(n, machine, threads))
		return room_no_threads(n, machine, threads, "of the machine, kernel.threads-max", why);
	if (machine && is_too_much(n, machine, pids))
		return room_no_threads(n, machine, pids, "of the machine, kernel.pid_max", why);
	return 0;
}

static ino_t user_namespace(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	return stat(path, &st) ? 0 : st.st_ino;
}

struct thread_count {
	uid_t user;
	ino_t space;
	uint64_t threads;
};

static int count_threads(pid_t pid, void *context)
{
	struct thread_count *c = context;
	struct proc_status status;

	if (!proc_read_status(pid, &status) && status.real_uid == c->user && user_namespace(pid) == c->space)
		c->threads += status.threads;
	return 0;
}

/* Threads of a user in a user namespace, as far as they can be seen. */
static uint64_t count_user_threads(uid_t user, ino_t space)
{
	struct thread_count c = {user, space, 0};

	proc_each_number("/proc", count_threads, &c);
	return c.threads;
}

/* In the first user namespace root and these capabilities have no limit. */
static bool is_unlimited(const struct needs *n, ino_t space)
{
	uint64_t capabilities = 1ull << CAP_SYS_ADMIN | 1ull << CAP_SYS_RESOURCE;

	return space == PROC_INITIAL_USER_NAMESPACE && (!n->status.real_uid || n->status.effective & capabilities);
}

static int check_user_threads(const struct needs *n, uint64_t machine, struct diag *why)
{
	uint64_t limit = proc_parse_limit(n->limits, "Max processes"), used;
	ino_t space = user_namespace(n->target->pid);
	char whose[64];

	if (!space || is_unlimited(n, space) || (machine && !is_too_much(n, machine, limit)))
		return 0;
	used = count_user_threads(n->status.real_uid, space);
	if (!is_too_much(n, used, limit))
		return 0;
	snprintf(whose, sizeof(whose), "ulimit -u of user %u", n->status.real_uid);
	return room_no_threads(n, used, limit, whose, why);
}

static int check_threads(const struct needs *n, struct diag *why)
{
	uint64_t machine = count_machine_threads();

	if (!n->threads)
		return 0;
	return check_group_threads(n, why) ?: check_user_threads(n, machine, why) ?: check_machine_threads(n, machine, why);
}

/* ---- addresses and memory */

static int room_no_addresses(const char *option, uint64_t used, uint64_t limit, uint64_t needed, struct diag *why)
{
	return diag_set(why, ENOMEM,
			"%s of %s of its address space are in use (ulimit %s), and attaching takes %s: raise the limit",
			log_bytes(used), log_bytes(limit), option, log_bytes(needed));
}

static int check_addresses(const struct needs *n, struct diag *why)
{
	uint64_t needed = n->threads * n->stack + (n->loads	? AGENT_DATA
						   : n->threads ? LISTENER_DATA
								: 0),
		 all = needed + (n->loads ? FRT_SEGMENT_SIZE : 0);
	uint64_t most = proc_parse_limit(n->limits, "Max address space"),
		 data = proc_parse_limit(n->limits, "Max data size");

	if (n->status.address_space && most != UINT64_MAX && n->status.address_space + all > most)
		return room_no_addresses("-v", n->status.address_space, most, all, why);
	if (n->status.data && data != UINT64_MAX && n->status.data + needed > data)
		return room_no_addresses("-d", n->status.data, data, needed, why);
	return 0;
}

static bool machine_swaps(void)
{
	char *text = proc_read(getpid(), "../meminfo", 16384, NULL), *at = text ? strstr(text, "SwapFree:") : NULL;
	bool swaps = !at || strtoull(at + strlen("SwapFree:"), NULL, 10);

	free(text);
	return swaps;
}

/* With swap space the kernel may make room. */
static int check_group_memory(const struct needs *n, struct diag *why)
{
	struct cgroup_room memory;

	if (!n->loads)
		return 0;
	cgroup_room_of(n->target->pid, CGROUP_LIMIT_MEMORY, &memory);
	if (memory.limit == UINT64_MAX || memory.used + MEMORY_NEEDED <= memory.limit || machine_swaps())
		return 0;
	return diag_set(
		why, ENOMEM,
		"%s of %s of the memory of its control group '%s' are in use, and attaching takes %s: the kernel "
		"would kill it; raise the limit",
		log_bytes(memory.used), log_bytes(memory.limit), memory.group, log_bytes(MEMORY_NEEDED));
}

/* ---- descriptors */

/* Those below the limit: it may have been lowered. */
static uint64_t count_descriptors(const struct target *t, uint64_t limit)
{
	struct dirent *entry;
	uint64_t count = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", t->pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		count += entry->d_name[0] != '.' && strtoull(entry->d_name, NULL, 10) < limit;
	if (dir)
		closedir(dir);
	return count;
}

static int check_descriptors(const struct needs *n, struct diag *why)
{
	uint64_t limit = proc_parse_limit(n->limits, "Max open files"), needed = 1 + !n->listens + 2 * n->loads, used;

	if (limit == UINT64_MAX || (n->status.fd_table && n->status.fd_table + needed <= limit))
		return 0;
	used = count_descriptors(n->target, limit);
	if (used + needed <= limit)
		return 0;
	return diag_set(why, EMFILE,
			"%s of %s file descriptors are open, and attaching takes %u: raise the limit (prlimit --pid=%d "
			"--nofile=...), or let it close some",
			log_count(used), log_count(limit), (unsigned int)needed, n->target->pid);
}

/* ---- the Java heap */

static bool heap_is_full(const struct target *t, struct heap_room *room)
{
	struct perf_data p;
	bool full;

	if (perf_data_read(t, &p))
		return false;
	full = perf_data_heap_is_full(&p, t->jdk_version, room);
	perf_data_release(&p);
	return full;
}

/* A heap just before a collection looks full, too, for a moment. */
static bool heap_stays_full(const struct target *t, struct heap_room *room)
{
	for (int look = 1; heap_is_full(t, room); look++) {
		if (look == HEAP_LOOKS)
			return true;
		usleep(HEAP_PAUSE_US);
	}
	return false;
}

/* What an attach takes of a full heap is missing in the program. */
static int check_java_heap(const struct needs *n, struct diag *why)
{
	struct heap_room room;

	if ((n->listens && !n->loads) || !heap_stays_full(n->target, &room))
		return 0;
	return diag_set(
		why, ENOMEM,
		"its Java heap is full (%s of %s in use), and attaching takes some of it, too: wait, or give it a "
		"larger heap",
		log_bytes(room.limit - room.left), log_bytes(room.limit));
}

/* There is no sign from outside that it is suspended. */
static void doubt_debugger(const struct needs *n, struct diag *doubt)
{
	if (target_maps(n->target, "libjdwp.so"))
		diag_set(doubt, EBUSY, "perhaps a debugger has suspended it (it was started with JDWP)");
}

int attach_room_check(const struct target *t, const struct jvm_options *options, bool loads, struct diag *doubt,
		      struct diag *why)
{
	struct needs n = {.target = t,
			  .loads = loads && !target_maps(t, "libfrtrace-"),
			  .listens = listens(t),
			  .stack = options->stack};
	int err = 0;

	doubt->text[0] = why->text[0] = 0;
	if (proc_read_status(t->pid, &n.status))
		return diag_set(why, ESRCH, "it has ended");
	n.limits = proc_read(t->pid, "limits", 65536, NULL);
	n.threads = !n.listens + 2 * n.loads;
	err = attach_room_check_frozen(t, why) ?: check_threads(&n, why);
	if (!err && n.limits)
		err = check_descriptors(&n, why) ?: check_addresses(&n, why);
	err = err ?: check_group_memory(&n, why) ?: check_java_heap(&n, why);
	if (!err)
		doubt_debugger(&n, doubt);
	free(n.limits);
	return err;
}
