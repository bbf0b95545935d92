// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "user/capture/agent_build.h"
#include "user/capture/cost.h"
#include "user/capture/hotspot_source.h"
#include "user/text/fold.h"
#include "user/exit.h"
#include "user/text/json.h"
#include "user/text/log.h"
#include "user/jvm/jvm_model.h"
#include "user/jvm/metaspace.h"
#include "user/run/capabilities.h"
#include "user/run/choose_source.h"
#include "user/capture/session.h"
#include "user/capture/uprobe_multi.h"
#include "user/process/launch_socket.h"
#include "user/process/perf_data.h"
#include "user/process/rights.h"
#include "user/process/tsc.h"
#include "user/text/term.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define VALUE_COLUMN 14
#define CAP_PREFIX   "CAP_"

/* "  stacks      no: ...", which a terminal gets broken between words. */
static void check_print_row(const char *what, const char *value, const char *why)
{
	unsigned int width = term_columns(STDOUT_FILENO);
	struct bytes shown;
	char *line = NULL;
	size_t size;
	FILE *to = open_memstream(&line, &size);

	if (!to)
		return;
	fprintf(to, "  %-12s%s%s", what, value, why[0] ? ": " : "");
	term_print(to, why);
	fclose(to);
	bytes_init(&shown);
	fold_words(&shown, line ?: "", width ?: SIZE_MAX, VALUE_COLUMN);
	printf("%.*s\n", shown.failed ? 0 : (int)shown.size, (const char *)shown.data);
	bytes_release(&shown);
	free(line);
}

/*
 * Print a line "  stacks      yes" or "  stacks      no: ...", or with `j` a JSON member {"good":, "why":}. Returns
 * `good`.
 */
static bool print_feature(struct json *j, const char *what, bool good, const char *why)
{
	if (j) {
		json_object(j, what);
		json_bool(j, "good", good);
		json_string(j, "why", why[0] ? why : NULL);
		json_end(j);
	} else {
		check_print_row(what, good ? "yes" : "no", why);
	}
	return good;
}

static bool check_exists(struct json *j, const char *what, const char *path, const char *needs)
{
	bool good = !access(path, F_OK);

	return print_feature(j, what, good, good ? "" : needs);
}

static bool check_uprobes(struct json *j)
{
	bool programs = right_held(RIGHT_BPF) && right_held(RIGHT_PERFMON); /* else uprobe_multi_works() says nothing */
	struct diag refused;
	char why[RIGHT_TEXT];

	if (programs && rights_check_bpf(&refused))
		return print_feature(j, "uprobes", false, refused.text);
	if (programs && !uprobe_multi_works() && !right_held(RIGHT_UPROBES))
		return print_feature(j, "uprobes", false, right_why(RIGHT_UPROBES, EPERM, why));
	return check_exists(j, "uprobes", "/sys/bus/event_source/devices/uprobe/type",
			    "it needs CONFIG_UPROBE_EVENTS=y");
}

/* Name the capabilities that are missing for any JVM, and those without which less works. */
static void check_rights_held(struct json *j)
{
	char missing[RIGHTS_TEXT];

	rights_missing(0, RIGHT_UPROBES, missing);
	if (missing[0])
		print_feature(j, "rights", false, missing);
	rights_missing(RIGHTS_NEEDED, RIGHTS, missing);
	if (missing[0])
		print_feature(j, "optional", false, missing);
}

/* Load and discard the eBPF programs: this checks the queue, privileges and everything else at once. */
static bool check_programs(struct json *j, const struct settings *settings)
{
	struct session *session = NULL;
	struct target nobody = {.pidfd = -1};
	struct clock clock;
	struct diag d = {0};
	int err;

	clock_init(&clock);
	err = session_new(&session, settings, &nobody, &clock, &d);
	print_feature(j, "programs", !err, d.text);
	if (!err && settings->buffer == SETTINGS_BUFFER_PERF)
		print_feature(j, "buffer", true, "perf buffers, not the BPF ring buffer");
	if (!err)
		print_feature(j, "waits", !session_facts(session).no_waits[0], session_facts(session).no_waits);
	session_free(session);
	return !err;
}

/* Check 'frtrace -- java ...': create the agent's file and a socket, and remove them. */
static void check_launch(struct json *j)
{
	struct agent_build build;
	struct launch_socket listener;
	struct diag d = {0};
	int err;

	agent_build_name(&build);
	err = launch_socket_open(&listener, build.file_name, agent_image, agent_image_size(), &d);
	if (!err)
		launch_socket_close(&listener, false);
	print_feature(j, "launch", !err, d.text);
}

static bool check_clock(struct json *j)
{
	char how[TSC_TEXT];
	bool good = tsc_usable(how);

	return print_feature(j, "clock", good, how);
}

static bool check_machine(struct json *j, const struct settings *settings)
{
	struct utsname u;
	bool good = true;

	uname(&u);
	if (j) {
		json_string(j, "kernel", u.release);
		json_object(j, "machine");
	} else {
		printf("kernel %s\n", u.release);
	}
	good &= check_exists(j, "BTF", "/sys/kernel/btf/vmlinux", "it needs CONFIG_DEBUG_INFO_BTF=y");
	check_rights_held(j);
	good &= check_uprobes(j);
	good &= check_programs(j, settings);
	good &= check_clock(j);
	check_launch(j);
	if (j)
		json_end(j);
	return good;
}

/* Print features that are lost because the layout is incomplete. */
static void check_layout(struct json *j, const struct target *t)
{
	static const struct {
		unsigned int bit;
		const char *what, *lost;
	} parts[] = {
		{HOTSPOT_NO_METHODS, "inlined", "methods of compiled frames are unknown"},
		{HOTSPOT_NO_LINES, "lines", "frames have no line numbers"},
		{HOTSPOT_NO_LOADERS, "loaders", "classes of frames have no class loader"},
		{HOTSPOT_NO_HIDDEN, "hidden", "hidden frames are not marked"},
		{HOTSPOT_NO_THREADS, "proof", "stacks cannot be compared with the JVM's own"},
		{HOTSPOT_NO_UPCALLS, "upcalls", "stacks end at calls from C by java.lang.foreign"},
		{HOTSPOT_NO_CLASSES, "classes", "'frtrace methods' cannot tell what a filter would hit"},
	};
	struct jvm_model m = {0};
	struct diag d = {0};
	bool good = !jvm_model_open(&m, t, &d);
	char by_jvmti[sizeof(d.text) + 128];

	snprintf(by_jvmti, sizeof(by_jvmti), "by JVMTI, " COST_JVMTI ": %s", d.text);
	print_feature(j, "stacks", true, good ? "walked" : by_jvmti);
	for (size_t i = 0; good && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (m.layout.without & parts[i].bit)
			print_feature(j, parts[i].what, false, parts[i].lost);
	if (good && m.layout.missing[0])
		print_feature(j, "complete", false, m.layout.missing);
	jvm_model_close(&m);
}

static void begin_target(struct json *j, const struct target *t)
{
	if (!j) {
		printf("%d ", (int)t->pid);
		term_print(stdout, t->name);
		printf("\n  version     %s\n", t->version[0] ? t->version : "unknown");
		return;
	}
	json_signed(j, "pid", t->pid);
	json_string(j, "name", t->name);
	json_string(j, "version", t->version[0] ? t->version : NULL);
	json_object(j, "jvm");
}

static void end_target(struct json *j, const struct target *t)
{
	static const char warning[] =
		"this JVM prints three lines about a dynamically loaded agent on its own stderr (JEP 451)";

	if (j)
		json_end(j);
	if (t->jdk_version < 21)
		return;
	if (j)
		json_string(j, "note", warning);
	else
		check_print_row("note", warning, "");
}

/* HotSpot's own probes, for a JVM that takes no agent. Of any other one they are mentioned if it passes them. */
static bool check_probes(struct json *j, const struct target *t, bool agent)
{
	const char *use = agent ? "only with --source=hotspot: every call of every method traps, " COST_PROBE
				: "calls come from them; every call of every method traps, " COST_PROBE;
	struct diag why;
	bool good = !hotspot_source_check(t, &why);

	if (agent && !good)
		return false;
	return print_feature(j, "probes", good, good ? use : why.text);
}

/* A limit of the metaspace, and what of it was in use at the last GC, which is all that can be seen from outside. */
static void check_metaspace(struct json *j, const struct target *t)
{
	uint64_t limit = UINT64_MAX;
	struct perf_data counters;
	int64_t committed = 0;
	char text[256], most[32];
	struct diag ignored;

	if (jvm_model_read_number(t, "MaxMetaspaceSize", &limit, &ignored) ||
	    metaspace_limit(limit) == METASPACE_NO_LIMIT || perf_data_read(t, &counters))
		return;
	perf_data_long(&counters, "sun.gc.metaspace.capacity", &committed);
	perf_data_release(&counters);
	snprintf(most, sizeof(most), "%s", log_bytes(limit));
	snprintf(text, sizeof(text), "at most %s, %s in use at the last GC: hooks may not fit into all classes", most,
		 log_bytes(committed));
	print_feature(j, "metaspace", true, text);
}

static bool check_target(struct json *j, const struct target *t, bool may_mount)
{
	struct diag why;
	bool good;

	begin_target(j, t);
	good = choose_source_agent(t, may_mount, &why);
	print_feature(j, "attach", good, why.text);
	good |= check_probes(j, t, good);
	check_layout(j, t);
	check_metaspace(j, t);
	end_target(j, t);
	return good;
}

static bool check_it(const struct settings *settings, const struct target *t)
{
	struct json json, *j = settings->json ? &json : NULL;
	bool good;

	json_init(&json, stdout);
	if (j)
		json_object(j, NULL);
	good = check_machine(j, settings);
	if (settings->target)
		good &= check_target(j, t, settings->mount);
	if (j) {
		json_bool(j, "good", good);
		json_end(j);
	}
	return good;
}

/* ---- --security-context */

/* uprobe_multi links came with Linux 6.6. Without rights to try them, the version is all there is. */
static bool security_context_by_perf(const struct settings *s, const char *release)
{
	unsigned int major = 0, minor = 0;
	struct diag refused;

	if (s->attach == SETTINGS_ATTACH_PERF)
		return true;
	if (right_held(RIGHT_BPF) && right_held(RIGHT_PERFMON) && !rights_check_bpf(&refused))
		return !uprobe_multi_works();
	sscanf(release, "%u.%u", &major, &minor);
	return major < 6 || (major == 6 && minor < 6);
}

static void put_capability(FILE *to, enum right r, const char *indent)
{
	fprintf(to, "%s- %-15s # %s\n", indent, right_name(r) + strlen(CAP_PREFIX), right_purpose(r));
}

/*
 * Kubernetes gives added capabilities to root only: a container of another user has them in its bounding set alone. So
 * frtrace's container runs as root, with no other capability. `t`: the JVM, NULL: any.
 */
static void security_context_print(FILE *to, const struct settings *s, const struct target *t)
{
	struct utsname u;
	bool by_perf;

	uname(&u);
	by_perf = security_context_by_perf(s, u.release);
	fprintf(to, "# frtrace " FRTRACE_VERSION " on Linux %s, beside a JVM of ", u.release);
	if (t)
		fprintf(to, "user %u, group %u\n", t->uid, t->gid);
	else
		fputs("any user\n", to);
	fputs("securityContext:\n  runAsUser: 0\n  allowPrivilegeEscalation: false\n  capabilities:\n"
	      "    drop: [ALL]\n    add:\n",
	      to);
	for (enum right r = 0; r < RIGHTS_NEEDED; r++)
		if (right_needed_beside(r, t, by_perf))
			put_capability(to, r, "    ");
	if (s->mount && !by_perf)
		fputs("    - SYS_ADMIN       # --mount: the JVM's mount namespace\n", to);
	if (s->mount)
		fputs("    - SYS_CHROOT      # --mount: entering it\n", to);
	fputs("    # optional:\n", to);
	for (enum right r = RIGHTS_NEEDED; r < RIGHTS; r++)
		put_capability(to, r, "    # ");
	fputs("  seccompProfile:\n    type: RuntimeDefault # Unconfined, if this one refuses bpf() or perf_event_open()\n",
	      to);
}

int cmd_check(const struct settings *settings, struct diag *d)
{
	struct target target = {.pidfd = -1};
	bool good;
	int err;

	log_set(settings->quiet, settings->verbose);
	if (settings->target) {
		err = target_open(settings->target, &target, d);
		if (err)
			return err;
	}
	if (settings->security_context) {
		security_context_print(stdout, settings, settings->target ? &target : NULL);
		good = true;
	} else {
		good = check_it(settings, &target);
	}
	target_close(&target);
	return good ? EXIT_DONE : EXIT_FAILED;
}
