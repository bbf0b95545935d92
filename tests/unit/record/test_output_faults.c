// SPDX-License-Identifier: BSD-2-Clause
/*
 * A recording of several chunks is written again and again, while the oldest chunks are dropped. Each time another
 * system call fails, once: the first open, the second, ..., each write (also after half of it), each rename, each
 * allocation. At every moment what is there must be readable, by a reader that knows nothing of the writer, and have
 * every chunk that was reported written and has not been dropped. The JDK's jfr looks at some of them.
 *
 * Then again with a recorder that is killed at that call instead.
 */
#include "format/jfr/jfr_write.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/jdk.h"
#include "tests/lib/jfr_dissect.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"
#include "user/record/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHUNKS 9
#define T0     1000000000000ll

enum fault {
	NONE,
	OPEN,
	OPENAT,
	PWRITE,
	SHORT,
	PREAD,
	FTRUNCATE,
	RENAMEAT,
	RENAMEAT2,
	UNLINKAT,
	FDATASYNC,
	FSYNC,
	FSTAT,
	FSTATAT,
	LOCK,
	MKDIRAT,
	PIPE2,
	FORK,
	FAULTS,
	ALLOCATION = FAULTS
};

/* Shared with the guard, whose calls fail too. */
static struct plan {
	enum fault fault;
	unsigned int left; /* calls until it happens */
	int error;
	bool happened;
	pid_t recorder; /* is killed, and its calls alone count; 0: nobody is */
	int last[2];	/* chunks that were reported before; -1: none */
} *plan;

static bool fails(enum fault f)
{
	if (plan->recorder && plan->recorder != getpid())
		return false;
	if (plan->fault != f || !plan->left || --plan->left)
		return false;
	plan->happened = true;
	if (plan->recorder && f != SHORT) /* which comes again, as PWRITE, when half is there */
		kill(getpid(), SIGKILL);
	errno = plan->error;
	return true;
}

/* NAME(...) of the C library, which fails when its turn has come. */
#define FAILING(type, fault, name, arguments, ...)                  \
	WRAP(type, name, __VA_ARGS__)                               \
	{                                                           \
		return fails(fault) ? -1 : __real_##name arguments; \
	}

FAILING(int, FTRUNCATE, ftruncate, (fd, size), int fd, off_t size)
FAILING(int, RENAMEAT, renameat, (a, from, b, to), int a, const char *from, int b, const char *to)
FAILING(int, RENAMEAT2, renameat2, (a, from, b, to, flags), int a, const char *from, int b, const char *to,
	unsigned int flags)
FAILING(int, UNLINKAT, unlinkat, (at, name, flags), int at, const char *name, int flags)
FAILING(int, FDATASYNC, fdatasync, (fd), int fd)
FAILING(int, FSYNC, fsync, (fd), int fd)
FAILING(int, FSTAT, fstat, (fd, st), int fd, struct stat *st)
FAILING(int, FSTATAT, fstatat, (at, name, st, flags), int at, const char *name, struct stat *st, int flags)
FAILING(int, MKDIRAT, mkdirat, (at, name, mode), int at, const char *name, mode_t mode)
FAILING(int, PIPE2, pipe2, (ends, flags), int *ends, int flags)
FAILING(pid_t, FORK, fork, (), void)
FAILING(ssize_t, PREAD, pread, (fd, data, size, at), int fd, void *data, size_t size, off_t at)

int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, mode_t mode);
int __wrap_open(const char *name, int flags, mode_t mode)
{
	return fails(OPEN) ? -1 : __real_open(name, flags, mode);
}

int __real_openat(int at, const char *name, int flags, ...);
int __wrap_openat(int at, const char *name, int flags, mode_t mode);
int __wrap_openat(int at, const char *name, int flags, mode_t mode)
{
	return fails(OPENAT) ? -1 : __real_openat(at, name, flags, mode);
}

/* Of locks; no other use of it may fail. */
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, void *argument);
int __wrap_fcntl(int fd, int command, void *argument)
{
	bool locks = command == F_SETLK || command == F_GETLK;

	return locks && fails(LOCK) ? -1 : __real_fcntl(fd, command, argument);
}

/* A disk that gets full in the middle: half is written, then nothing. */
WRAP(ssize_t, pwrite, int fd, const void *data, size_t size, off_t at)
{
	if (fails(PWRITE))
		return -1;
	if (!fails(SHORT))
		return __real_pwrite(fd, data, size, at);
	plan->fault = PWRITE;
	plan->left = 1;
	return __real_pwrite(fd, data, (size + 1) / 2, at);
}

/* There is room. */
WRAP(int, fstatvfs, int fd, struct statvfs *v)
{
	*v = (struct statvfs){.f_frsize = 1, .f_blocks = 1ULL << 40, .f_bavail = 1ULL << 39};
	return 0;
}

static char directory[64], path[128];
static struct jdk jdks[8];
static size_t jdk_count, looked;

static void append_file(unsigned char **data, size_t *size, const char *name)
{
	int fd = __real_open(name, O_RDONLY);
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(__real_fstat(fd, &st), 0);
	*data = realloc(*data, *size + st.st_size + 1);
	assert_int_equal(read(fd, *data + *size, st.st_size), st.st_size);
	*size += st.st_size;
	close(fd);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* One file, or those of the directory in their order; not what is being written. */
static unsigned char *read_all(bool is_directory, size_t *size)
{
	char names[64][PATH_MAX];
	unsigned char *data = NULL;
	struct dirent *e;
	size_t n = 0;
	DIR *dir;

	*size = 0;
	if (!is_directory) {
		if (!access(path, F_OK))
			append_file(&data, size, path);
		return data;
	}
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (strlen(e->d_name) > 4 && strcmp(e->d_name + strlen(e->d_name) - 4, ".jfr") == 0)
			snprintf(names[n++], sizeof(names[0]), "%s%s", path, e->d_name);
	if (dir)
		closedir(dir);
	qsort(names, n, sizeof(names[0]), compare_names);
	for (size_t i = 0; i < n; i++)
		append_file(&data, size, names[i]);
	return data;
}

/* The chunks that are there: bit n for the one whose call began at T0 + n. */
static uint64_t chunks_there(bool is_directory)
{
	size_t size;
	unsigned char *data = read_all(is_directory, &size);
	struct dissect *d = size ? dissect_new(data, size) : NULL;
	const struct dissect_event *e;
	uint64_t there = 0;
	int64_t start;

	if (d && d->error[0])
		fail_msg("fault %d, %s: %s", plan->fault, is_directory ? "directory" : "file", d->error);
	for (size_t i = 0; d && (e = dissect_find(d, "jdk.MethodTrace", i)); i++) {
		assert_true(dissect_number(d, e, "startTime", &start));
		there |= 1ull << (start - T0);
	}
	dissect_free(d);
	free(data);
	return there;
}

/* It takes a second: now and then. */
static void jdk_looks(bool is_directory)
{
	const struct jdk *jdk = jdk_count ? &jdks[looked % jdk_count] : NULL;
	char *text;

	if (is_directory || !jdk || jdk->version < 17 || looked++ % 12 || access(path, F_OK))
		return;
	if (shell_run(&text, "%s/bin/jfr " JDK_BRIEF_TOOL " summary %s", jdk->home, path))
		fail_msg("JDK %d: %s", jdk->version, text);
	free(text);
}

static struct jfr_writer *new_writer(void)
{
	struct jfr_origin origin = {.start_ticks = T0, .start_nanos = 1700000000000000000, .locale = "en_US"};
	struct jfr_writer *w;
	struct diag d;

	jfr_writer_new(&w, &origin, &d);
	return w;
}

/* A chunk with one call. */
static int build(struct jfr_writer *w, int n, const void **bytes, size_t *size)
{
	struct jfr_method_trace e = {.start = T0 + n, .duration = 1};
	struct diag d;
	int err = jfr_chunk_begin(w, T0 + n, &d);

	if (err)
		return err;
	jfr_method_trace(w, &e);
	return jfr_chunk_finish(w, T0 + n + 1, n == CHUNKS - 1, bytes, size, &d);
}

/* By the thread, and wait for it. */
static int write_finished(struct jfr_writer *w, struct output *o)
{
	struct diag d;

	return output_put(o, jfr_chunk_memory(w), &d) ?: output_result(o, true, &d);
}

static uint64_t limit; /* bytes: five chunks; a recorder makes chunks of a quarter at most */

static int setup(void **state)
{
	struct jfr_writer *w = new_writer();
	const void *bytes;
	size_t size;

	plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	jdk_count = jdk_find(jdks, 8);
	if (plan == MAP_FAILED || !w || build(w, CHUNKS - 1, &bytes, &size))
		return -1;
	limit = 5 * size + 1000;
	jfr_writer_free(w);
	return 0;
}

struct progress {
	int reported[CHUNKS];
	size_t count;
};

static void check(const struct output *o, const struct progress *p, bool is_directory)
{
	uint64_t there;

	if (plan->fault == ALLOCATION && !fail_nth_happened())
		return; /* a look would take memory, too */
	there = chunks_there(is_directory);
	for (size_t i = output_dropped(o); i < p->count; i++)
		if (!(there >> p->reported[i] & 1))
			fail_msg("fault %d: chunk %d was reported written and is not there", plan->fault,
				 p->reported[i]);
}

static void write_chunks(struct jfr_writer *w, struct output *o, struct progress *p, bool is_directory)
{
	for (int n = 0; n < CHUNKS; n++) {
		const void *bytes;
		size_t size;

		if (build(w, n, &bytes, &size))
			continue; /* nobody was told that it is there */
		if (!write_finished(w, o))
			p->reported[p->count++] = n;
		check(o, p, is_directory);
	}
}

static void nothing_is_left_half(void)
{
	char *text;

	assert_int_equal(shell_run(&text, "find %s -name '*.frtrace' -o -name '*.part'", directory), 0);
	if (text[0])
		fail_msg("fault %d leaves %s", plan->fault, text);
	free(text);
}

/* One life of a recording. False: the fault has not come. */
static bool record(bool is_directory)
{
	struct jfr_writer *w = new_writer();
	struct progress p = {.count = 0};
	struct output *o = NULL;
	struct diag d;
	bool happened;

	if (w && !output_open(&o, path, &(struct output_limits){.size = limit}, &d)) {
		if (plan->fault != ALLOCATION) /* which fails in this thread only */
			output_thread_begin(o);
		write_chunks(w, o, &p, is_directory);
		if (p.count < CHUNKS - 2 && plan->fault != ALLOCATION)
			fail_msg("fault %d: %zu of %d chunks were written", plan->fault, p.count, CHUNKS);
	}
	if (o)
		check(o, &p, is_directory);
	output_close(o);
	happened = plan->happened || fail_nth_happened();
	fail_nth(0);
	if (p.count && !(chunks_there(is_directory) >> p.reported[p.count - 1] & 1))
		fail_msg("fault %d: the last chunk is gone at the end", plan->fault);
	if (plan->fault != UNLINKAT)
		nothing_is_left_half();
	if (happened)
		jdk_looks(is_directory);
	jfr_writer_free(w);
	return happened;
}

/* It does not return. */
static void record_alone(void)
{
	struct jfr_writer *w = new_writer();
	struct output *o = NULL;
	struct diag d;

	plan->recorder = getpid();
	if (!w || output_open(&o, path, &(struct output_limits){.size = limit}, &d))
		_exit(1);
	output_thread_begin(o);
	for (int n = 0; n < CHUNKS; n++) {
		const void *bytes;
		size_t size;

		if (build(w, n, &bytes, &size) || write_finished(w, o))
			_exit(1);
		plan->last[0] = plan->last[1];
		plan->last[1] = n;
	}
	output_close(o);
	_exit(0);
}

/* Its guard becomes our child, and we see it end. */
static bool record_killed(bool is_directory)
{
	pid_t child = __real_fork();
	uint64_t there;

	if (!child)
		record_alone();
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	there = chunks_there(is_directory);
	for (int i = 0; i < 2; i++)
		if (plan->last[i] >= 0 && !(there >> plan->last[i] & 1))
			fail_msg("killed at fault %d: chunk %d was reported written and is not there", plan->fault,
				 plan->last[i]);
	nothing_is_left_half();
	if (there)
		jdk_looks(is_directory);
	return plan->happened;
}

static bool kills;

/* True while there is one more call of the kind. */
static bool record_once(bool is_directory, enum fault fault, unsigned int n)
{
	char *text;
	bool happened;

	snprintf(directory, sizeof(directory), "/tmp/frtrace-faults-XXXXXX");
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), is_directory ? "%s/repository/" : "%s/x.jfr", directory);
	*plan = (struct plan){
		.fault = fault, .left = n, .error = fault == SHORT || fault == PWRITE ? ENOSPC : EIO, .last = {-1, -1}};
	fail_nth(fault == ALLOCATION ? n : 0);
	happened = kills ? record_killed(is_directory) : record(is_directory);
	assert_int_equal(shell_run(&text, "rm -r %s", directory), 0);
	free(text);
	return happened;
}

static void each_call(bool is_directory, enum fault fault)
{
	unsigned int n = 1;

	while (record_once(is_directory, fault, n))
		n++;
	if (n == 1)
		fail_msg("fault %d never comes", fault);
}

static void each_kind(bool is_directory, const enum fault *faults)
{
	record_once(is_directory, NONE, 0);
	for (; *faults; faults++)
		if (*faults != ALLOCATION || fail_nth_works())
			each_call(is_directory, *faults);
}

CASE(a_file_survives_each_fault)
{
	static const enum fault faults[] = {OPEN,  OPENAT, PWRITE,  SHORT, PREAD, RENAMEAT, RENAMEAT2,	FDATASYNC,
					    FSYNC, FSTAT,  FSTATAT, LOCK,  PIPE2, FORK,	    ALLOCATION, NONE};

	each_kind(false, faults);
}

CASE(a_directory_survives_each_fault)
{
	static const enum fault faults[] = {OPEN,  OPENAT,  PWRITE, SHORT,   RENAMEAT2, UNLINKAT, FDATASYNC,  FSYNC,
					    FSTAT, FSTATAT, LOCK,   MKDIRAT, PIPE2,	FORK,	  ALLOCATION, NONE};

	each_kind(true, faults);
}

static int kill_recorders(void **state)
{
	kills = true;
	return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static int spare_recorders(void **state)
{
	kills = false;
	return prctl(PR_SET_CHILD_SUBREAPER, 0);
}

CASE(a_file_survives_its_recorder, kill_recorders, spare_recorders)
{
	static const enum fault faults[] = {OPENAT,  PWRITE, SHORT, RENAMEAT, RENAMEAT2, FSTAT,
					    FSTATAT, LOCK,   PIPE2, FORK,     NONE};

	each_kind(false, faults);
}

CASE(a_directory_survives_its_recorder, kill_recorders, spare_recorders)
{
	static const enum fault faults[] = {OPENAT, PWRITE,  SHORT, RENAMEAT2, UNLINKAT, FSTAT,
					    LOCK,   MKDIRAT, PIPE2, FORK,      NONE};

	each_kind(true, faults);
}

int main(void)
{
	return test_main(setup, NULL);
}
