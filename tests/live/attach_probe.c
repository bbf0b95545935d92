// SPDX-License-Identifier: BSD-2-Clause
/*
 * user/process from the command line, for the live test of attaching.
 *
 *	attach_probe show TARGET
 *	attach_probe command TARGET TIMEOUT_MS COMMAND [ARGUMENT...]
 *	attach_probe load TARGET TIMEOUT_MS FILE [OPTIONS]
 *	attach_probe frames TARGET
 *	attach_probe memfd TARGET PREFIX
 *
 * Prints the result, or "error: ..." and ends with status 1 or 2. The status is 9 whenever a child process was left
 * behind.
 */
#include "user/process/attach.h"
#include "user/process/find.h"
#include "user/process/dump.h"
#include "user/process/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define FILE_NAME "libattachprobe.so"

static int show(const struct target *t, struct diag *d)
{
	struct target_description about;
	uint64_t safepoint = 0;
	int r = target_describe(t, &about, d);

	if (r)
		return r;
	printf("pid=%d\nns_pid=%d\nuid=%u\nname=%s\nversion=%s\nfeature=%d\nlibjvm=%s\nperf_data=%s\nmonotonic_offset="
	       "%" PRId64 "\n",
	       t->pid, t->ns_pid, t->uid, t->name, t->version, t->jdk_version, t->libjvm, t->perf_data,
	       t->monotonic_offset);
	printf("jvm_name=%s\njvm_version=%s\njvm_arguments=%s\njvm_flags=%s\njava_arguments=%s\nstart=%" PRId64 "\n",
	       about.jvm_name, about.jvm_version, about.jvm_arguments, about.jvm_flags, about.java_arguments,
	       about.start_epoch_ms);
	r = target_safepoint_ns(t, &safepoint);
	printf("safepoint=%d %" PRIu64 "\ncpu=%" PRIu64 "\nmemory_limit=%" PRIu64 "\n", r, safepoint, target_cpu_ns(t),
	       target_memory_limit(t));
	target_description_free(&about);
	return 0;
}

static int command(const struct target *t, char **argv, struct diag *d)
{
	char *reply;
	int code, r = attach_command(t, argv[1], (const char *const *)argv + 2, atoi(argv[0]), &code, &reply, d);

	if (!r)
		printf("code=%d\n%s", code, reply);
	free(reply);
	return r;
}

static int load(const struct target *t, char **argv, struct diag *d)
{
	static char image[1 << 20];
	FILE *f = fopen(argv[1], "re");
	size_t size = f ? fread(image, 1, sizeof(image), f) : 0;
	struct mapping m;
	int r, result;

	if (f)
		fclose(f);
	r = attach_load_agent(t, FILE_NAME, image, size, false, argv[2], atoi(argv[0]), &result, d);
	if (r)
		return r;
	printf("result=%d\n", result);
	if (target_find_mapping(t, FILE_NAME, &m, d) == 1)
		printf("path=%s\n", m.path);
	return 0;
}

static int on_frame(const struct active_frame *f, void *context)
{
	printf("%s | %s | %s\n", f->thread, f->class_name, f->method);
	return 0;
}

static int frames(const struct target *t, struct diag *d)
{
	char *reply;
	int code, r = attach_command(t, "threaddump", NULL, 10000, &code, &reply, d);

	if (!r)
		dump_each_frame(reply, on_frame, NULL);
	free(reply);
	return r;
}

static int memfd(const struct target *t, const char *prefix, struct diag *d)
{
	int fd = target_open_memfd(t, prefix, d);

	return fd < 0 ? fd : 0;
}

static int run(const char *verb, const struct target *t, char **argv, struct diag *d)
{
	if (strcmp(verb, "show") == 0)
		return show(t, d);
	if (strcmp(verb, "command") == 0)
		return command(t, argv, d);
	if (strcmp(verb, "load") == 0)
		return load(t, argv, d);
	if (strcmp(verb, "frames") == 0)
		return frames(t, d);
	if (strcmp(verb, "memfd") == 0)
		return memfd(t, argv[0], d);
	return -EINVAL;
}

int main(int argc, char **argv)
{
	struct diag d = {0};
	struct target t;
	int r;

	if (argc < 3)
		return 2;
	r = target_open(argv[2], &t, &d);
	if (!r)
		r = run(argv[1], &t, argv + 3, &d);
	if (r)
		printf("error: %s\n", d.text);
	target_close(&t);
	apart_settle(NULL, 0); /* the child that looks at processes */
	if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
		return 9;
	return r ? d.usage ? 2 : 1 : 0;
}
