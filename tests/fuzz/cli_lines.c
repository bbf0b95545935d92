// SPDX-License-Identifier: BSD-2-Clause
#include "tests/fuzz/cli_lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

int frtrace_main(int argc, char **argv); /* user/main.c */

#define CONTEXT "--context=jdk.*,frtrace.*"

/* clang-format off */
const char *const cli_lines[][CLI_WORDS] = {
	{"summary", "F"}, {"summary", "--json", "F"}, {"summary", "D"}, {"summary", "Z"},
	{"print", "F"}, {"print", "--exact", "--stack-depth=64", "F"}, {"print", "--json", "F"}, {"print", "D"},
	{"print", "--events=Method*,ThreadWait", "F"}, {"print", "--categories=JVM,Java*", "--json", "F"},
	{"view", "method-trace", "F"}, {"view", "method-trace", "--json", "F"}, {"view", "method-trace", "--width=20", "--cell-height=3", "F", "G"},
	{"view", "method-timing", "F"}, {"view", "method-timing", "--json", "--method=*", "F"},
	{"view", "slowest", "F"}, {"view", "slowest", "-v", "--top=100", "--width=60", "F"}, {"view", "slowest", "--json", "F"},
	{"view", "slowest", "--thread=*worker*", "--slower=1us", "--from=00:10", "--to=23:50:01.5", "F"},
	{"view", "tree", "F"}, {"view", "tree", "--merged", "--slower=1ms", "F"}, {"view", "tree", "--json", "--min=off", "--top=1000", "--depth=100", "F"},
	{"view", "tree", "--merged", "--json", "D"}, {"view", "tree", "--by=user", "--width=60", "F"}, {"view", "tree", "--merged", "--by=user", "--json", "F"},
	{"view", "latency", "F"}, {"view", "latency", "--top=3", "--method=*::*", "F"},
	{"view", "callers", "F"}, {"view", "callers", "--min=off", "--depth=1000", "F"},
	{"view", "waits", "F"}, {"view", "waits", "--json", "F"}, {"view", "waits", "--by=holder", "--slower=1us", "F"},
	{"view", "waits", "--by=place", "F"}, {"view", "waits", "--by=waker", "--thread=*", "F"},
	{"view", "events", "F"}, {"view", "events", "--json", "F"}, {"view", "events", "jdk.MethodTrace", "F"},
	{"view", "events", "jdk.MethodTrace", "--by=method", "F"}, {"view", "events", "jdk.MethodTrace", "--by=thrown", "--json", "F"},
	{"view", "events", "ThreadWait", "--truncate=beginning", "F"}, {"view", "events", "shop.Order", "--by=user", "F"},
	{"view", "events", "shop.Order", "F"}, {"view", "events", "jdk.JavaMonitorEnter", "--width=2000", "F"},
	{"view", "method-trace", "--by=user", "F"}, {"view", "method-trace", "--by=eventThread", "--json", "F"}, {"view", "latency", "--by=user", "--width=40", "F"},
	{"view", "method-timing", "--by=class-name", "F", "G"}, {"view", "tree", "--by=class-name", "F"}, {"view", "callers", "--by=class-name", "F"},
	{"view", "waits", "--by=user", "F"}, {"view", "waits", "--by=thrown", "--json", "F", "G"},
	{"view", "request", "--by=user", "F"}, {"view", "request", "--by=user", "--json", "--where=user!=x", "F", "G"}, {"view", "request", "--by=traceId", "--width=50", "F"},
	{"view", "slowest", "--where=user!=x", "F"}, {"view", "method-trace", "--where=duration>1us", "F"}, {"view", "waits", "--method=*", "--where=thrown=false", "F"},
	{"view", "events", "shop.Order", "--where=user~a*", "F"}, {"export", "--otlp", "--where=thrown=false", "F"}, {"export", "--csv", "--where=user=N/A", "F"},
	{"view", "open", "F"}, {"view", "open", "--json", "F"},
	{"view", "method-trace", "--fail-if=* p99>1ms", "--fail-if=* thrown>0", "--fail-if=* avg>1us", "--fail-if=* max>1s", "F"},
	{"view", "method-trace", "--fail-if=* cpu>1us", "--fail-if=* runq>1us", "--fail-if=* blocked<1us", "--fail-if=* calls=0", "F"},
	{"report", "-o", "P", "F"}, {"report", "-o", "P", "F"}, {"report", "-o", "P", "D"},
	{"diff", "F", "G"}, {"diff", "G", "F"}, {"diff", "--json", "F", "G"}, {"diff", "--collapsed", "--weight=time", "F", "G"},
	{"diff", "--report=P", "G", "F"}, {"diff", "--norm", "--collapsed", "G", "F"}, {"diff", "--fail-if=* p50>+1%", "--fail-if=* p50>1ns", "F", "F"},
	{"diff", "--by=user", "F", "G"}, {"diff", "--by=thrown", "--json", "F", "G"}, {"diff", "--by=class-name", "--report=P", "F", "G"},
	{"diff", "--method=*", "--top=1000", "--width=50", "F", "F"},
	{"export", "--collapsed", "F"}, {"export", "--collapsed", "--weight=time", "--norm", "F"}, {"export", "--perfetto", "F"},
	{"export", "--pprof", "F"}, {"export", "--otlp", "F"}, {"export", "--csv", "F"},
	{"export", "--csv", "--events=shop.Order", "F"}, {"export", "--csv", "--events=MethodTrace", "F", "G"},
	{"export", "--jdk", "F"}, {"export", "--jdk", "D"}, {"export", "--perfetto", "--norm", "D"}, {"export", "--otlp", "F", "G"},
	{"merge", "-o", "O", "F", "G"}, {"merge", "-o", "O", CONTEXT, "F", "G"}, {"merge", "-o", "O", "D"},
	{"recover", "-o", "O", "F"}, {"recover", "C"},
};
/* clang-format on */

const size_t cli_line_count = sizeof(cli_lines) / sizeof(cli_lines[0]);

static char directory[4096], before[4096];

static const char *const files[] = {"F.jfr",  "G.jfr",	 "C.jfr",   "Z.jfr.gz", "O.jfr",
				    "P.html", "D/F.jfr", "D/G.jfr", "stdout",	"stderr"};

static void require(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	_exit(99);
}

void cli_begin(void)
{
	const char *root = getenv("TMPDIR") ?: "/tmp";

	require(getcwd(before, sizeof(before)) != NULL, "getcwd");
	snprintf(directory, sizeof(directory), "%s/frtrace-cli.XXXXXX", root);
	require(mkdtemp(directory) && !chdir(directory) && !mkdir("D", 0700), directory);
}

void cli_end(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(files[i]);
	rmdir("D");
	require(!chdir(before), before);
	rmdir(directory);
}

static void write_file(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size, path);
	close(fd);
}

static void write_compressed(const char *path, const void *data, size_t size)
{
	gzFile to = gzopen(path, "wb1");

	require(to && gzwrite(to, data, size) == (int)size && gzclose(to) == Z_OK, path);
}

static const void *copied;
static size_t copied_size;

void cli_set_files(const void *f, size_t f_size, const void *g, size_t g_size)
{
	write_file("F.jfr", f, f_size);
	write_file("G.jfr", g, g_size);
	write_file("D/F.jfr", f, f_size);
	write_file("D/G.jfr", g, g_size);
	copied = f;
	copied_size = f_size;
}

static const char *cli_word(const char *word)
{
	static char page[] = "--report=P.html";

	if (strcmp(word, "--report=P") == 0)
		return page;
	if (word[0] < 'A' || word[0] > 'Z' || word[1])
		return word;
	switch (word[0]) {
	case 'F': return "F.jfr";
	case 'G': return "G.jfr";
	case 'D': return "D";
	case 'P': return "P.html";
	case 'O': unlink("O.jfr"); return "O.jfr";
	case 'Z': write_compressed("Z.jfr.gz", copied, copied_size); return "Z.jfr.gz";
	}
	write_file("C.jfr", copied, copied_size);
	return "C.jfr";
}

/* Let a descriptor lead to an empty file. */
static void redirect(int to, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);

	require(fd >= 0 && dup2(fd, to) == to, path);
	close(fd);
}

int cli_run_words(const char *const words[CLI_WORDS])
{
	char *argv[CLI_WORDS + 2] = {"frtrace"};
	int argc = 1, out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), status;

	for (; argc <= CLI_WORDS && words[argc - 1]; argc++)
		argv[argc] = (char *)cli_word(words[argc - 1]);
	fflush(NULL);
	redirect(STDOUT_FILENO, "stdout");
	redirect(STDERR_FILENO, "stderr");
	status = frtrace_main(argc, argv);
	fflush(NULL);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	return status;
}

int cli_run(size_t line)
{
	return cli_run_words(cli_lines[line]);
}

const char *cli_text(size_t line)
{
	static char text[512];
	size_t length = 0;

	for (int i = 0; i < CLI_WORDS && cli_lines[line][i]; i++)
		length += snprintf(text + length, sizeof(text) - length, "%s%s", i ? " " : "", cli_lines[line][i]);
	return text;
}
