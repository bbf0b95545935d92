// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/proc.h"
#include "format/vec.h"
#include "user/text/monotonic.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOUNTS_MOST (16u << 20)
#define STACK_MOST  16384

char *proc_read_fd(int fd, size_t limit, size_t *length)
{
	size_t size = 0, used = 0;
	char *text = NULL;
	ssize_t n = 0;

	while (!vec_reserve(&text, &size, 2 * used + 4096)) {
		n = pread(fd, text + used, size - 1 - used, used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || (used += n) >= limit)
			break;
	}
	if (!text || n < 0) {
		free(text);
		return NULL;
	}
	used = used < limit ? used : limit;
	text[used] = 0;
	if (length)
		*length = used;
	return text;
}

int proc_open(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

char *proc_read(pid_t pid, const char *name, size_t limit, size_t *length)
{
	int fd = proc_open(pid, name), saved;
	char *text;

	if (fd < 0)
		return NULL;
	text = proc_read_fd(fd, limit, length);
	saved = errno;
	close(fd);
	errno = saved;
	return text;
}

const char *proc_status_value(const char *text, const char *key)
{
	size_t length = strlen(key);
	const char *line;

	for (line = text; line && *line; line = strchr(line, '\n'), line += line ? 1 : 0)
		if (strncmp(line, key, length) == 0 && line[length] == ':')
			return line + length + 1 + strspn(line + length + 1, " \t");
	return NULL;
}

/*
 * Parse the numbers up to the end of the line. Returns how many there were (at most `max` are kept, always
 * including the last).
 */
static int line_numbers(const char *at, unsigned long *out, int max)
{
	int count = 0;
	char *end;

	while (at && *(at += strspn(at, " \t")) && isdigit((unsigned char)*at)) {
		out[count < max ? count : max - 1] = strtoul(at, &end, 10);
		count += count < max;
		at = end;
	}
	return count;
}

static void parse_groups(const char *at, struct proc_status *out)
{
	unsigned long numbers[PROC_GROUPS];

	out->group_count = line_numbers(at, numbers, PROC_GROUPS);
	for (int i = 0; i < out->group_count; i++)
		out->groups[i] = numbers[i];
}

/* The mask of a line, or 0. */
static uint64_t status_mask(const char *text, const char *key)
{
	const char *value = proc_status_value(text, key);

	return value ? strtoull(value, NULL, 16) : 0;
}

/* The number of a line, or 0. */
static uint64_t status_number(const char *text, const char *key)
{
	const char *value = proc_status_value(text, key);

	return value ? strtoull(value, NULL, 10) : 0;
}

int proc_parse_status(const char *text, struct proc_status *out)
{
	const char *state = proc_status_value(text, "State");
	unsigned long ids[32];
	int count;

	memset(out, 0, sizeof(*out));
	if (!state || line_numbers(proc_status_value(text, "Tgid"), ids, 1) != 1)
		return -EINVAL;
	out->state = *state;
	out->tgid = out->ns_pid = ids[0];
	if (line_numbers(proc_status_value(text, "Uid"), ids, 4) != 4)
		return -EINVAL;
	out->real_uid = ids[0];
	out->uid = ids[1];
	if (line_numbers(proc_status_value(text, "Gid"), ids, 4) != 4)
		return -EINVAL;
	out->gid = ids[1];
	count = line_numbers(proc_status_value(text, "NSpid"), ids, 32);
	if (count)
		out->ns_pid = ids[count - 1];
	out->caught = status_mask(text, "SigCgt");
	out->permitted = status_mask(text, "CapPrm");
	out->effective = status_mask(text, "CapEff");
	out->threads = status_number(text, "Threads");
	out->fd_table = status_number(text, "FDSize");
	out->address_space = status_number(text, "VmSize") * 1024;
	out->data = status_number(text, "VmData") * 1024;
	parse_groups(proc_status_value(text, "Groups"), out);
	return 0;
}

int proc_read_status(pid_t pid, struct proc_status *out)
{
	char *text = proc_read(pid, "status", 65536, NULL);
	int r = text ? proc_parse_status(text, out) : -errno;

	free(text);
	return r;
}

static bool pulse_is_felt(pid_t pid, struct proc_pulse *p)
{
	char *account = proc_read(pid, "schedstat", sizeof(p->account) - 1, NULL);
	struct proc_status status;
	bool felt = account && strcmp(account, p->account);

	if (felt)
		snprintf(p->account, sizeof(p->account), "%s", account);
	free(account);
	return felt || (!proc_read_status(pid, &status) && status.state == 'R');
}

int64_t proc_rests_ms(pid_t pid, struct proc_pulse *p)
{
	int64_t now = monotonic_ms();

	if (pulse_is_felt(pid, p) || !p->at_ms)
		p->at_ms = now;
	return now - p->at_ms;
}

/* "Max open files            1024                 524288               files" */
uint64_t proc_parse_limit(const char *text, const char *name)
{
	const char *line = strstr(text, name);
	char *end;
	uint64_t v;

	if (!line)
		return UINT64_MAX;
	v = strtoull(line + strlen(name), &end, 10);
	return end == line + strlen(name) ? UINT64_MAX : v;
}

int proc_each_number(const char *directory, int (*visit)(pid_t number, void *context), void *context)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	int r = 0, number;

	if (!dir)
		return -errno;
	while (!r && (entry = readdir(dir)))
		if ((number = atoi(entry->d_name)) > 0)
			r = visit(number, context);
	closedir(dir);
	return r;
}

int proc_each_thread(pid_t pid, int (*visit)(pid_t tid, void *context), void *context)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return proc_each_number(path, visit, context);
}

char *proc_read_thread(pid_t pid, pid_t tid, const char *name, size_t limit)
{
	char path[64];

	snprintf(path, sizeof(path), "task/%d/%s", tid, name);
	return proc_read(pid, path, limit, NULL);
}

/* A question to the threads of a process. */
struct thread_search {
	pid_t pid;
	const char *name;
	const char *const *parts;
};

static int thread_has_name(pid_t tid, void *context)
{
	const struct thread_search *s = context;
	char *comm = proc_read_thread(s->pid, tid, "comm", 64);
	bool has = comm && !strncmp(comm, s->name, strlen(s->name));

	free(comm);
	return has;
}

bool proc_has_thread(pid_t pid, const char *name)
{
	return proc_each_thread(pid, thread_has_name, &(struct thread_search){pid, .name = name}) > 0;
}

static int thread_wants_cpu(pid_t tid, void *context)
{
	const struct thread_search *s = context;
	char *stat = proc_read_thread(s->pid, tid, "stat", 1024), *at = stat ? strrchr(stat, ')') : NULL;
	bool does = at && !strncmp(at, ") R", 3);

	free(stat);
	return does;
}

bool proc_wants_cpu(pid_t pid)
{
	return proc_each_thread(pid, thread_wants_cpu, &(struct thread_search){.pid = pid}) > 0;
}

static int thread_sleeps_in(pid_t tid, void *context)
{
	const struct thread_search *s = context;
	char *stack = proc_read_thread(s->pid, tid, "stack", STACK_MOST);
	bool does = false;

	for (const char *const *part = s->parts; stack && *part; part++)
		does |= strstr(stack, *part) != NULL;
	free(stack);
	return does;
}

bool proc_sleeps_in(pid_t pid, const char *const *parts)
{
	return proc_each_thread(pid, thread_sleeps_in, &(struct thread_search){pid, .parts = parts}) > 0;
}

int proc_parse_start_time(const char *text, uint64_t *start_time)
{
	const char *at = strrchr(text, ')');

	/* after the command: " S ppid ..."; the state is field 3 */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at || !isdigit((unsigned char)at[1]))
		return -EINVAL;
	*start_time = strtoull(at + 1, NULL, 10);
	return 0;
}

int64_t proc_parse_monotonic_offset(const char *text)
{
	const char *at = strstr(text, "monotonic");
	long long seconds, nanoseconds;

	if (!at || sscanf(at + strlen("monotonic"), "%lld %lld", &seconds, &nanoseconds) != 2)
		return 0;
	return seconds * 1000000000LL + nanoseconds;
}

int64_t proc_monotonic_offset(pid_t pid)
{
	char *text = proc_read(pid ?: getpid(), "timens_offsets", 4096, NULL);
	int64_t offset = text ? proc_parse_monotonic_offset(text) : 0;

	free(text);
	return offset;
}

/* In a path the kernel writes a newline as \012, and it appends " (deleted)". */
static void copy_path(char *out, size_t size, const char *in)
{
	static const char deleted[] = " (deleted)";
	size_t n = 0, tail = sizeof(deleted) - 1;

	while (*in && *in != '\n' && n + 1 < size) {
		if (strncmp(in, "\\012", 4) == 0) {
			out[n++] = '\n';
			in += 4;
		} else {
			out[n++] = *in++;
		}
	}
	out[n] = 0;
	if (n > tail && strcmp(out + n - tail, deleted) == 0)
		out[n - tail] = 0;
}

bool proc_parse_named_mapping(const char *line, struct mapping *out)
{
	unsigned int major, minor;
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &out->start, &out->end,
		   out->permissions, &out->offset, &major, &minor, &out->inode, &path) < 7 ||
	    !path || (line[path] != '/' && line[path] != '['))
		return false;
	out->device = (uint64_t)major << 32 | minor;
	copy_path(out->path, sizeof(out->path), line + path);
	return true;
}

int proc_each_named_mapping(pid_t pid, int (*visit)(const struct mapping *m, void *context), void *context)
{
	char path[64], *line = NULL;
	struct mapping m = {0};
	size_t size = 0;
	int r = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	errno = 0;
	while (!r && getline(&line, &size, f) > 0)
		if (proc_parse_named_mapping(line, &m))
			r = visit(&m, context);
	if (!r && ferror(f))
		r = errno ? -errno : -EIO;
	free(line);
	fclose(f);
	return r;
}

struct mapping_visit {
	int (*visit)(const struct mapping *m, void *context);
	void *context;
};

static int visit_path(const struct mapping *m, void *context)
{
	struct mapping_visit *v = context;

	return m->path[0] == '/' ? v->visit(m, v->context) : 0;
}

int proc_each_mapping(pid_t pid, int (*visit)(const struct mapping *m, void *context), void *context)
{
	return proc_each_named_mapping(pid, visit_path, &(struct mapping_visit){visit, context});
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw": the type follows the hyphen. */
bool proc_parse_mount_is_fuse(const char *text, uint64_t device)
{
	unsigned int major, minor;

	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const char *type;

		end = strchrnul(line, '\n');
		type = memmem(line, end - line, " - ", 3);
		if (sscanf(line, "%*d %*d %u:%u", &major, &minor) == 2 && device == ((uint64_t)major << 32 | minor) &&
		    type && !strncmp(type + 3, "fuse", 4))
			return true;
	}
	return false;
}

int proc_parse_mount_is_shared(const char *text, uint64_t id)
{
	unsigned long long number;

	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const char *type;

		end = strchrnul(line, '\n');
		type = memmem(line, end - line, " - ", 3);
		if (type && sscanf(line, "%llu ", &number) == 1 && number == id)
			return memmem(line, type - line, " shared:", 8) != NULL;
	}
	return -ENOENT;
}

bool proc_mount_is_fuse(pid_t pid, uint64_t device)
{
	char *text = proc_read(pid, "mountinfo", MOUNTS_MOST, NULL);
	bool is_fuse = text && proc_parse_mount_is_fuse(text, device);

	free(text);
	return is_fuse;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void proc_executable(pid_t pid, char *name, size_t size)
{
	char path[64], target[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = 0;
	snprintf(name, size, "%s", path_base(target));
}
