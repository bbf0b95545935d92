// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/jvm.h"
#include "user/process/java_command.h"
#include "user/process/perf_data.h"
#include "user/process/proc.h"
#include "user/process/root_path.h"
#include "user/text/io.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_WORDS     (4u << 20) /* maximum bytes of a command line or environment */
#define MAX_LIBJVM    64
#define DEFAULT_STACK (1u << 20)
#define MAX_FILE      (1 << 20) /* maximum bytes of a release file or options file */
#define MAX_THREADS   64
#define STACK_WORDS   512

struct code_range {
	uint64_t start, end;
};

struct jvm_mappings {
	struct target *target;
	struct code_range ranges[MAX_LIBJVM]; /* executable mappings named libjvm.so */
	char paths[MAX_LIBJVM][sizeof(((struct target *)0)->libjvm)];
	size_t count;
};

static void note_libjvm(struct jvm_mappings *j, const struct mapping *m)
{
	if (j->count == MAX_LIBJVM)
		return;
	j->ranges[j->count] = (struct code_range){m->start, m->end};
	snprintf(j->paths[j->count++], sizeof(j->paths[0]), "%s", m->path);
}

/*
 * OpenJ9 also has a libjvm.so, in .../j9vm/ or with libj9vm29.so beside it. The launcher's libjvm comes first, so
 * the walk covers all mappings.
 */
static int on_mapping(const struct mapping *m, void *context)
{
	struct jvm_mappings *j = context;
	struct target *t = j->target;
	const char *base = path_base(m->path);
	char own[32];

	if (strncmp(base, "libj9vm", 7) == 0 || (strcmp(base, "libjvm.so") == 0 && strstr(m->path, "/j9vm/")))
		return -ENOTSUP;
	if (strcmp(base, "libjvm.so") == 0 && m->permissions[2] == 'x')
		note_libjvm(j, m);
	snprintf(own, sizeof(own), "%d", t->ns_pid);
	if (strstr(m->path, "/hsperfdata_") && strcmp(base, own) == 0 && strlen(m->path) < sizeof(t->perf_data))
		strcpy(t->perf_data, m->path);
	return 0;
}

/*
 * The stack pointer in /proc/PID/task/TID/syscall: "NUMBER ARGUMENTS SP PC", "-1 SP PC" outside of system calls,
 * or "running". 0: unknown.
 */
static uint64_t stack_pointer(pid_t pid, pid_t tid)
{
	char *text = proc_read_thread(pid, tid, "syscall", 1024), *at = text ? strrchr(text, ' ') : NULL;
	uint64_t sp = 0;

	if (at) {
		*at = 0;
		at = strrchr(text, ' ');
	}
	if (at)
		sp = strtoull(at, NULL, 16);
	free(text);
	return sp;
}

struct vote {
	pid_t pid;
	int memory, threads;
	const struct code_range *ranges;
	size_t count;
	uint32_t *votes;
};

static int count_votes(pid_t tid, void *context)
{
	struct vote *v = context;
	uint64_t words[STACK_WORDS], sp = stack_pointer(v->pid, tid);
	ssize_t n = sp && sp <= INT64_MAX ? pread(v->memory, words, sizeof(words), sp) : 0;

	for (ssize_t i = 0; i < n / (ssize_t)sizeof(words[0]); i++)
		for (size_t r = 0; r < v->count; r++)
			v->votes[r] += words[i] >= v->ranges[r].start && words[i] < v->ranges[r].end;
	return ++v->threads == MAX_THREADS;
}

/*
 * The index of the range that most words at the top of the threads' stacks point into; at most 64 threads are inspected. 0 if
 * there are none, or without rights. A program may map a second file named libjvm.so, even below the JVM's. But most threads
 * of a JVM wait in functions of libjvm, so its return addresses are on their stacks.
 */
static size_t libjvm_choose(pid_t pid, const struct code_range *ranges, size_t count)
{
	struct vote v = {pid, proc_open(pid, "mem"), 0, ranges, count, calloc(count, sizeof(*v.votes))};
	size_t best = 0;

	if (v.votes && v.memory >= 0)
		proc_each_thread(pid, count_votes, &v);
	for (size_t i = 1; v.votes && i < count; i++)
		if (v.votes[i] > v.votes[best])
			best = i;
	io_close(v.memory);
	free(v.votes);
	return best;
}

int jvm_find(struct target *t)
{
	struct jvm_mappings j;
	size_t chosen = 0;
	char root[512];
	int r;

	t->libjvm[0] = t->perf_data[0] = 0;
	t->libjvm_code = 0;
	j.target = t;
	j.count = 0;
	r = proc_each_mapping(t->pid, on_mapping, &j);
	if (r || !j.count)
		return r;
	if (j.count > 1)
		chosen = libjvm_choose(t->pid, j.ranges, j.count);
	t->libjvm_code = j.ranges[chosen].start;
	strcpy(t->libjvm, j.paths[chosen]);
	root_path_root_name(t, root, sizeof(root));
	root_path_strip_root(root, t->libjvm);
	root_path_strip_root(root, t->perf_data);
	return 1;
}

/* sun.rt.javaCommand is the main class or jar with its arguments; a path with spaces ends after ".jar". */
static void cut_command(char *command)
{
	char *jar = strstr(command, ".jar "), *space = strchr(command, ' ');

	if (jar && command[0] == '/')
		jar[4] = 0;
	else if (space)
		*space = 0;
}

static bool identify_from_counters(const struct target *t, char *full, size_t size)
{
	struct perf_data p;
	bool found;

	if (perf_data_read(t, &p))
		return false;
	found = perf_data_string(&p, "sun.rt.javaCommand", full, size) && full[0];
	perf_data_release(&p);
	if (found)
		cut_command(full);
	return found;
}

enum launcher { NO_LAUNCHER, LAUNCHER_ALONE, LAUNCHER_RUNS };

/*
 * Whether it is a java launcher, and what it runs. LAUNCHER_ALONE: nothing, and there is no @argfile that could
 * say more. `instance` (may be NULL): PATH_MAX bytes for the server's directory, "" if there is none.
 */
static enum launcher read_launcher(const struct target *t, char *full, size_t size, char *instance)
{
	struct java_command command = {0};
	enum launcher kind = NO_LAUNCHER;
	const char **words = NULL;
	char *block;
	size_t length = 0;
	int count;

	block = proc_read(t->pid, "cmdline", MAX_WORDS, &length);
	count = block ? java_command_split(block, length, &words) : 0;
	if (count && strcmp(path_base(words[0]), "java") == 0) {
		java_command_parse(count, words, &command);
		if (command.main)
			kind = LAUNCHER_RUNS;
		else if (!command.has_files)
			kind = LAUNCHER_ALONE;
	}
	if (command.main)
		snprintf(full, size, "%s", command.main);
	if (instance)
		snprintf(instance, PATH_MAX, "%s", command.instance ?: "");
	free(words);
	free(block);
	return kind;
}

bool jvm_has_main(const struct target *t)
{
	char full[4096];

	return read_launcher(t, full, sizeof(full), NULL) != LAUNCHER_ALONE;
}

bool jvm_identify(struct target *t, char *full, size_t size)
{
	char text[4096], instance[PATH_MAX];
	bool launcher = read_launcher(t, text, sizeof(text), instance) == LAUNCHER_RUNS;

	if (!launcher && !identify_from_counters(t, text, sizeof(text)))
		proc_executable(t->pid, text, sizeof(text));
	java_command_name(text, t->name, sizeof(t->name));
	if (full)
		snprintf(full, size, "%s%s%s", text, launcher && instance[0] ? " " : "", launcher ? instance : "");
	return launcher;
}

bool jvm_is_32_bit(const struct target *t)
{
	unsigned char ident[EI_NIDENT];
	char path[64];
	bool is = false;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", t->pid);
	fd = root_path_open_again(t, open(path, O_PATH | O_CLOEXEC), O_RDONLY, INT64_MAX);
	if (fd < 0)
		return false;
	if (read(fd, ident, sizeof(ident)) == sizeof(ident) && !memcmp(ident, ELFMAG, SELFMAG))
		is = ident[EI_CLASS] == ELFCLASS32;
	close(fd);
	return is;
}

int jvm_jdk_version(const char *version)
{
	int first = 0, second = 0;

	if (sscanf(version, "%d.%d", &first, &second) < 1 || first < 1)
		return 0;
	return first == 1 ? second : first;
}

bool jvm_release_value(const char *text, const char *key, char *out, size_t size)
{
	size_t length = strlen(key);
	const char *line, *end;

	for (line = text; line; line = strchr(line, '\n'), line += line ? 1 : 0) {
		if (strncmp(line, key, length) || line[length] != '=' || line[length + 1] != '"')
			continue;
		line += length + 2;
		end = line + strcspn(line, "\"\n");
		snprintf(out, size, "%.*s", (int)(end - line), line);
		return end > line;
	}
	return false;
}

/* JAVA_HOME/release, two (lib/server) to five (jre/lib/amd64/server) directories above libjvm. */
static char *read_release(const struct target *t)
{
	char path[sizeof(t->libjvm) + 16], *slash, *text = NULL;
	int root = root_path_open(t, "root"), fd;

	snprintf(path, sizeof(path), "%s", t->libjvm);
	for (int up = 0; root >= 0 && up < 6 && !text && (slash = strrchr(path, '/')); up++) {
		strcpy(slash, "/release");
		fd = root_path_open_file(t, root, path, MAX_FILE);
		if (fd >= 0)
			text = proc_read_fd(fd, 65536, NULL);
		io_close(fd);
		*slash = 0;
	}
	io_close(root);
	return text;
}

void jvm_find_version(struct target *t)
{
	struct perf_data p;
	char *release;

	t->version[0] = 0;
	/* a file that the JVM has not mapped (yet) may be left from another JVM with the same number */
	if (t->perf_data[0] && !perf_data_read(t, &p)) {
		perf_data_string(&p, "java.property.java.version", t->version, sizeof(t->version));
		perf_data_release(&p);
	}
	if (!t->version[0] && (release = read_release(t))) {
		jvm_release_value(release, "JAVA_VERSION", t->version, sizeof(t->version));
		free(release);
	}
	for (char *c = t->version; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	t->jdk_version = jvm_jdk_version(t->version);
}

static void note_archive(const char *text, struct jvm_options *out)
{
	static const char *const options[] = {"-XX:AOTCacheOutput",	    "-XX:AOTMode=record",
					      "-XX:AOTMode=create",	    "-XX:ArchiveClassesAtExit",
					      "-XX:+RecordDynamicDumpInfo", "-Xshare:dump"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]) && !out->archive; i++)
		if (strstr(text, options[i]))
			out->archive = options[i];
}

/* The text behind the last option that begins so. NULL: there is none. */
static const char *last_option(const char *text, const char *option)
{
	const char *last = NULL;

	for (const char *at = text; (at = strstr(at, option)); at++)
		last = at + strlen(option);
	return last;
}

/* "512k", "1m", "1048576" bytes; a number alone counts `unit` bytes. */
static uint64_t parse_stack(const char *text, uint64_t unit)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);
	int shift = (*end | 32) == 'k' ? 10 : (*end | 32) == 'm' ? 20 : (*end | 32) == 'g' ? 30 : 0;

	if (n > 1u << 30)
		return DEFAULT_STACK;
	return (n << shift) * (shift ? 1 : unit) ?: DEFAULT_STACK;
}

static void note_options(const char *text, struct jvm_options *out)
{
	const char *stack = last_option(text, "-Xss"), *kilobytes = last_option(text, "-XX:ThreadStackSize=");
	const char *rs = strstr(text, "-Xrs");
	int set;

	if ((set = jvm_flag_set(text, "DisableAttachMechanism")) >= 0)
		out->attach_disabled = set;
	if ((set = jvm_flag_set(text, "ReduceSignalUsage")) >= 0)
		out->signals_reduced = set;
	if (stack)
		out->stack = parse_stack(stack, 1);
	if (kilobytes)
		out->stack = parse_stack(kilobytes, 1024);
	if (rs && (!rs[4] || isspace((unsigned char)rs[4])))
		out->signals_reduced = true;
	note_archive(text, out);
}

const char *jvm_options_of_variable(const char *word)
{
	static const char *const names[] = {"JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS=", "_JAVA_OPTIONS="};

	for (int i = 0; i < 3; i++)
		if (strncmp(word, names[i], strlen(names[i])) == 0)
			return word + strlen(names[i]);
	return NULL;
}

/* Read a file of options, by the target's path. */
static void note_file(const struct target *t, const char *path, struct jvm_options *out)
{
	int base = root_path_open(t, path[0] == '/' ? "root" : "cwd"), fd = -1;
	char *text;

	if (base >= 0)
		fd = root_path_open_file(t, base, path, MAX_FILE);
	text = fd < 0 ? NULL : proc_read_fd(fd, MAX_FILE, NULL);
	if (text)
		note_options(text, out);
	free(text);
	io_close(fd);
	io_close(base);
}

static void note_word(const struct target *t, const char *word, struct jvm_options *out)
{
	static const char file[] = "-XX:VMOptionsFile=";

	if (word[0] == '@')
		note_file(t, word + 1, out);
	else if (strncmp(word, file, strlen(file)) == 0)
		note_file(t, word + strlen(file), out);
	else
		note_options(word, out);
}

/* Parse the words of /proc/PID/NAME. In the environment only the three variables with options matter. */
static void note_words(const struct target *t, const char *name, bool environment, struct jvm_options *out)
{
	size_t length = 0;
	char *block = proc_read(t->pid, name, MAX_WORDS, &length);

	for (size_t at = 0; block && at < length; at += strlen(block + at) + 1)
		if (!environment || jvm_options_of_variable(block + at))
			note_word(t, block + at, out);
	free(block);
}

static void note_counters(const struct target *t, struct jvm_options *out)
{
	static const char *const names[] = {"java.rt.vmFlags", "java.rt.vmArgs"};
	char capabilities[64] = "", *text;
	struct perf_data p;

	if (perf_data_read(t, &p))
		return;
	for (int i = 0; i < 2; i++) {
		text = perf_data_strdup(&p, names[i]);
		if (text)
			note_options(text, out);
		free(text);
	}
	/* its first digit says whether the JVM can be attached to, wherever the flag came from */
	if (perf_data_string(&p, "sun.rt.jvmCapabilities", capabilities, sizeof(capabilities)) && capabilities[0])
		out->attach_disabled = capabilities[0] == '0';
	perf_data_release(&p);
}

void jvm_read_options(const struct target *t, struct jvm_options *out)
{
	*out = (struct jvm_options){.stack = DEFAULT_STACK};
	note_words(t, "environ", true, out);
	note_words(t, "cmdline", false, out);
	note_counters(t, out);
}

void jvm_read_own_options(char *const *argv, struct jvm_options *out)
{
	struct java_command command = {0};
	struct target self;
	int count = 0;

	*out = (struct jvm_options){0};
	if (target_read(getpid(), &self))
		return;
	note_words(&self, "environ", true, out);
	while (argv[count])
		count++;
	if (strcmp(path_base(argv[0]), "java") == 0)
		java_command_parse(count, (const char *const *)argv, &command);
	if (command.main)
		count = command.main_at; /* the rest is the program's own */
	for (int i = 0; i < count; i++)
		note_word(&self, argv[i], out);
}
