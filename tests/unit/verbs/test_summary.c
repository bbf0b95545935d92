// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "tests/lib/jfr_builder.h"
#include "tests/lib/json.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"

#include <fcntl.h>
#include <unistd.h>

static char path[] = "/tmp/frtrace-summary-XXXXXX";

static int setup(void **state)
{
	struct recording r = recording_new();
	int fd = mkstemp(path);
	bool written;

	recording_begin(&r);
	recording_call(&r, recording_thread(&r, 1), recording_method(&r, "checkout"));
	recording_end(&r, true);
	written = write(fd, r.file.data, r.file.size) == (ssize_t)r.file.size;
	close(fd);
	recording_free(&r);
	return !written;
}

static int teardown(void **state)
{
	unlink(path);
	return 0;
}

/* What the verb prints on stdout. */
static const char *summary(bool json)
{
	static char text[4096];
	struct verb_args args = {.operand = (const char *[]){path}, .operands = 1, .json = json};
	FILE *to = tmpfile();
	int own = dup(STDOUT_FILENO);
	struct diag d;

	fflush(stdout);
	dup2(fileno(to), STDOUT_FILENO);
	assert_int_equal(cmd_summary(&args, &d), 0);
	fflush(stdout);
	dup2(own, STDOUT_FILENO);
	close(own);
	rewind(to);
	text[fread(text, 1, sizeof(text) - 1, to)] = 0;
	fclose(to);
	return text;
}

CASE(times_are_in_ns_and_named_so)
{
	const char *all = summary(true);
	char start[40];

	snprintf(start, sizeof(start), "%lld", NANOS);
	assert_string_equal(json_text(all, "startNs"), start);
	assert_true(atoll(json_text(all, "durationNs")) > 0);
	assert_lacks(all, "Nanos");
}

CASE(text_counts_events_by_type)
{
	assert_contains(summary(false), " jdk.MethodTrace ");
}

/* A merged file may have frtrace's type and the JVM's. */
CASE(types_of_one_name_are_one_line)
{
	struct chunk_builder b;
	struct bytes file;
	const char *text;
	char *line;
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	bytes_init(&file);
	chunk_init(&b);
	chunk_event(&b, "jdk.ActiveSetting", 100);
	chunk_event(&b, "jdk.ActiveSetting", 101);
	chunk_event(&b, "jdk.Other", 102);
	for (int i = 0; i < 7; i++) {
		chunk_begin_event(&b, i < 2 ? 100 : 101, i);
		chunk_end_event(&b);
	}
	chunk_finish(&b, &file);
	assert_int_equal(write(fd, file.data, file.size), file.size);
	close(fd);
	chunk_release(&b);
	bytes_release(&file);
	text = summary(false);
	line = strstr(text, " jdk.ActiveSetting ");
	assert_non_null(line);
	assert_int_equal(atoi(line + strlen(" jdk.ActiveSetting ")), 7);
	assert_lacks(line + 2, "jdk.ActiveSetting");
	assert_contains(text, " jdk.Other ");
	line = strstr(text, " jdk.Metadata ");
	assert_non_null(line);
	assert_int_equal(atoi(line + strlen(" jdk.Metadata ")), 1);
	assert_lacks(text, "missing");
}

int main(void)
{
	return test_main(setup, teardown);
}
