// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "format/vec.h"
#include "user/capture/agent_build.h"
#include "user/segment/segment.h"
#include "user/exit.h"
#include "user/text/json.h"
#include "user/text/log.h"
#include "user/run/capabilities.h"
#include "user/capture/uprobe_multi.h"
#include "user/process/apart.h"
#include "user/process/container.h"
#include "user/process/proc.h"
#include "user/process/user_child.h"
#include "user/text/term.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listed {
	struct target target;
	enum target_kind kind;
	char user[64], container[CONTAINER_TEXT];
	bool trace, stacks;
	char recorders[256];		 /* "frtrace pid 17, frtrace pid 18" */
	struct diag no_trace, no_stacks; /* if `stacks`: why they come from JVMTI */
};

struct list {
	struct listed *jvm;
	size_t count, capacity;
	struct apart looks;
	int error; /* -ENOMEM: it is not complete */
};

/* The names that the list and its JSON use. */
static const char *vm_name(enum target_kind kind)
{
	if (kind == TARGET_HIDDEN || kind == TARGET_MUTE)
		return "unknown";
	return kind == TARGET_OPENJ9 ? "OpenJ9" : "HotSpot";
}

static void find_recorders(const struct target *t, char *out, size_t size)
{
	struct agent_build build;
	struct frt_owner owner;

	agent_build_name(&build);
	for (uint32_t i = 0; i < FRT_RECORDINGS; i++) {
		size_t used = strlen(out);

		if (segment_owner(t, build.tag, i, &owner))
			snprintf(out + used, size - used, "%sfrtrace pid %u", used ? ", " : "", owner.pid);
	}
}

static void list_look(pid_t pid, void *result)
{
	struct listed *j = result;
	const struct target *t = &j->target;

	j->kind = target_look(pid, &j->target);
	if (j->kind == TARGET_NO_JVM)
		return;
	user_name(t->uid, j->user, sizeof(j->user));
	target_container(t, j->container, sizeof(j->container));
	j->trace = capability_trace(t, j->kind, false, &j->no_trace);
	j->stacks = capability_stacks(t, j->kind, &j->no_stacks);
	find_recorders(t, j->recorders, sizeof(j->recorders));
}

/* What can be said of a process without its memory and its files. */
static struct listed listed_mute(pid_t pid, int err)
{
	struct listed j = {.kind = TARGET_MUTE};

	look_name_mute(pid, &j.target);
	user_name(j.target.uid, j.user, sizeof(j.user));
	target_container(&j.target, j.container, sizeof(j.container));
	look_why_mute(err, &j.no_trace);
	j.no_stacks = j.no_trace;
	return j;
}

static void list_add(pid_t pid, int err, const void *result, void *context)
{
	struct listed j = err ? listed_mute(pid, err) : *(const struct listed *)result;
	struct list *l = context;

	if (j.kind == TARGET_NO_JVM || target_ended(&j.target))
		return;
	if (vec_reserve(&l->jvm, &l->capacity, l->count + 1))
		l->error = -ENOMEM;
	else
		l->jvm[l->count++] = j;
}

static void list_begin(pid_t pid, void *context)
{
	struct list *l = context;

	apart_begin(&l->looks, pid);
}

static int by_pid(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return x->target.pid < y->target.pid ? -1 : x->target.pid > y->target.pid;
}

static void print_reason(const char *before, const char *text)
{
	printf("  (%s", before);
	term_print(stdout, text);
	putchar(')');
}

/* A reason that applies to both is printed once. */
static void print_reasons(const struct listed *j)
{
	if (!j->trace)
		print_reason("", j->no_trace.text);
	else if (j->recorders[0])
		print_reason("recorded by ", j->recorders);
	if (j->no_stacks.text[0] && strcmp(j->no_stacks.text, j->no_trace.text))
		print_reason(j->stacks ? "stacks by JVMTI: " : "no stacks: ", j->no_stacks.text);
}

static void list_print_line(const struct listed *j)
{
	const struct target *t = &j->target;

	printf("%7d  %-12s  %-10s  %-12s  %-5s  %-6s  ", t->pid, t->version[0] ? t->version : "?", j->user,
	       j->container[0] ? j->container : "-", j->trace ? "yes" : "no", j->stacks ? "yes" : "no");
	term_print(stdout, t->name);
	print_reasons(j);
	putchar('\n');
}

static void list_print_lines(const struct list *l)
{
	if (l->count)
		printf("%7s  %-12s  %-10s  %-12s  %-5s  %-6s  %s\n", "PID", "JDK", "USER", "CONTAINER", "TRACE",
		       "STACKS", "MAIN CLASS OR JAR");
	for (size_t i = 0; i < l->count; i++)
		list_print_line(&l->jvm[i]);
	if (!l->count)
		log_line("no JVM runs here");
}

static const char *or_null(const char *text)
{
	return text[0] ? text : NULL;
}

static void list_print_object(struct json *json, const struct listed *j)
{
	const struct target *t = &j->target;

	json_object(json, NULL);
	json_signed(json, "pid", t->pid);
	json_signed(json, "pidInside", t->ns_pid);
	json_string(json, "name", t->name);
	json_string(json, "vm", vm_name(j->kind));
	json_string(json, "version", or_null(t->version));
	json_string(json, "user", j->user);
	json_string(json, "container", or_null(j->container));
	json_bool(json, "trace", j->trace);
	json_string(json, "noTrace", or_null(j->no_trace.text));
	json_string(json, "recordedBy", or_null(j->recorders));
	json_bool(json, "stacks", j->stacks);
	json_string(json, "noStacks", j->stacks ? NULL : or_null(j->no_stacks.text));
	json_bool(json, "stacksWalked", j->stacks && !j->no_stacks.text[0]);
	json_end(json);
}

static void print_array(const struct list *l)
{
	struct json json;

	json_init(&json, stdout);
	json_array(&json, NULL);
	for (size_t i = 0; i < l->count; i++)
		list_print_object(&json, &l->jvm[i]);
	json_end(&json);
}

int cmd_list(const struct settings *settings, struct diag *d)
{
	struct list l = {.looks = {.look = list_look, .size = sizeof(struct listed), .done = list_add}};
	int r;

	l.looks.context = &l;
	log_set(settings->quiet, settings->verbose);
	uprobe_multi_works(); /* each child would try it anew */
	r = target_each_process(list_begin, &l, d);
	if (!r && apart_finish(&l.looks))
		r = diag_set(d, EINTR, "cannot list the JVMs: interrupted");
	if (!r && l.error)
		r = diag_errno(d, -l.error, "cannot list the JVMs");
	if (!r) {
		if (l.count)
			qsort(l.jvm, l.count, sizeof(*l.jvm), by_pid);
		(settings->json ? print_array : list_print_lines)(&l);
	}
	free(l.jvm);
	return r ? r : EXIT_DONE;
}
