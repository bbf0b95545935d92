// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/java_command.h"
#include "user/process/jvm.h"
#include "user/process/perf_data.h"
#include "user/process/proc.h"
#include "user/process/find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_WORDS (4u << 20)

/* Boot time of the machine in seconds since the epoch: btime in /proc/stat. */
static int64_t boot_time(void)
{
	char *text = proc_read(getpid(), "../stat", MAX_WORDS, NULL), *line = text ? strstr(text, "\nbtime ") : NULL;
	int64_t seconds = line ? strtoll(line + strlen("\nbtime "), NULL, 10) : 0;

	free(text);
	return seconds;
}

int64_t target_start_ms(const struct target *t)
{
	return boot_time() * 1000 + t->start_time * 1000 / sysconf(_SC_CLK_TCK);
}

int target_safepoint_ns(const struct target *t, uint64_t *ns)
{
	int64_t ticks, frequency;
	struct perf_data p;
	int r = perf_data_read(t, &p);

	if (r)
		return r == -EAGAIN ? -ENOENT : r;
	if (!perf_data_long(&p, "sun.rt.safepointTime", &ticks) ||
	    !perf_data_long(&p, "sun.os.hrt.frequency", &frequency) || ticks < 0 || frequency <= 0)
		r = -ENOENT;
	else
		*ns = (unsigned __int128)ticks * 1000000000 / frequency;
	perf_data_release(&p);
	return r;
}

/* "OpenJDK 64-Bit Server VM (build 17.0.15+6-Debian-1deb12u1, mixed mode, sharing)" */
static char *version_line(const struct perf_data *p, const struct target *t)
{
	char name[256] = "Java VM", version[256], info[256] = "", *text = NULL;

	snprintf(version, sizeof(version), "%s", t->version);
	perf_data_string(p, "java.property.java.vm.name", name, sizeof(name));
	perf_data_string(p, "java.property.java.vm.version", version, sizeof(version));
	perf_data_string(p, "java.property.java.vm.info", info, sizeof(info));
	if (asprintf(&text, "%s (build %s%s%s)", name, version, info[0] ? ", " : "", info) < 0)
		return NULL;
	return text;
}

/* The text of a counter with its secrets masked, or NULL. */
static char *masked_counter(const struct perf_data *p, const char *name)
{
	char *text = perf_data_strdup(p, name), *masked = text ? text_mask(text) : NULL;

	free(text);
	return masked;
}

/*
 * The command line keeps words separate. The counters do not, but they include argument files and the environment.
 * So the command line is used only if it is complete.
 */
static void describe_command(const struct target *t, const struct perf_data *p, struct target_description *out)
{
	struct java_command command = {0};
	const char **words = NULL;
	size_t length = 0;
	char *block = proc_read(t->pid, "cmdline", MAX_WORDS, &length);
	int count = block ? java_command_split(block, length, &words) : 0;

	if (count && strcmp(path_base(words[0]), "java") == 0)
		java_command_parse(count, words, &command);
	if (command.main) {
		out->jvm_arguments = java_command_mask(command.main_at - 1, words + 1);
		out->java_arguments = java_command_mask(count - command.main_at, words + command.main_at);
	} else {
		out->jvm_arguments = masked_counter(p, "java.rt.vmArgs");
		out->java_arguments = masked_counter(p, "sun.rt.javaCommand");
	}
	free(words);
	free(block);
}

/* Flags that the environment and a flags file add to the command line. */
static char *describe_flags(const struct target *t, const struct perf_data *p)
{
	size_t length = 0, size;
	char *block = proc_read(t->pid, "environ", MAX_WORDS, &length), *text = NULL, *masked;
	char *flags = perf_data_strdup(p, "java.rt.vmFlags");
	FILE *out = open_memstream(&text, &size);
	const char *value;

	for (size_t at = 0; out && block && at < length; at += strlen(block + at) + 1)
		if ((value = jvm_options_of_variable(block + at)))
			fprintf(out, "%s ", value);
	if (out)
		fprintf(out, "%s", flags ? flags : "");
	if (out && fclose(out))
		text = NULL;
	masked = text ? text_mask(text) : NULL;
	free(text);
	free(flags);
	free(block);
	return masked;
}

static char *or_empty(char *text)
{
	return text ? text : strdup("");
}

int target_describe(const struct target *t, struct target_description *out, struct diag *d)
{
	struct perf_data p = {0};

	*out = (struct target_description){0};
	perf_data_read(t, &p); /* on failure the rest comes from the command line */
	out->jvm_name = perf_data_strdup(&p, "java.property.java.vm.name");
	out->jvm_version = version_line(&p, t);
	describe_command(t, &p, out);
	out->jvm_flags = describe_flags(t, &p);
	if (!perf_data_long(&p, "sun.rt.vmInitDoneTime", &out->start_epoch_ms) || out->start_epoch_ms <= 0)
		out->start_epoch_ms = INT64_MIN;
	perf_data_release(&p);
	out->jvm_name = out->jvm_name ? out->jvm_name : strdup("Java VM");
	out->jvm_arguments = or_empty(out->jvm_arguments);
	out->jvm_flags = or_empty(out->jvm_flags);
	out->java_arguments = or_empty(out->java_arguments);
	if (out->jvm_name && out->jvm_version && out->jvm_arguments && out->jvm_flags && out->java_arguments)
		return 0;
	target_description_free(out);
	return diag_set(d, ENOMEM, "out of memory");
}

void target_description_free(struct target_description *description)
{
	free(description->jvm_name);
	free(description->jvm_version);
	free(description->jvm_arguments);
	free(description->jvm_flags);
	free(description->java_arguments);
	*description = (struct target_description){0};
}
