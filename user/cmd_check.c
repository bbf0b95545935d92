// SPDX-License-Identifier: BSD-2-Clause
#include "user/cmd_check.h"
#include "user/cmd_record.h"
#include "user/log.h"
#include "user/model.h"
#include "user/session.h"
#include "user/target/jvm.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

/* "  stacks      yes", "  stacks      no: ..."; returns `good`. */
static bool say(const char *what, bool good, const char *why)
{
	printf("  %-12s%s%s%s\n", what, good ? "yes" : "no", why[0] ? ": " : "", why);
	return good;
}

static bool say_file(const char *what, const char *path, const char *needs)
{
	bool good = !access(path, F_OK);

	return say(what, good, good ? "" : needs);
}

/* The programs are loaded and thrown away: that asks for ring buffer, rights and all else at once. */
static bool check_programs(const struct settings *settings)
{
	struct session *session = NULL;
	struct target nobody = { .pidfd = -1 };
	struct clock clock;
	struct diag d = { 0 };
	int err;

	clock_init(&clock);
	err = session_new(&session, settings, &nobody, &clock, &d);
	session_free(session);
	return say("programs", !err, d.text);
}

static bool check_machine(const struct settings *settings)
{
	struct utsname u;
	bool good = true;

	uname(&u);
	printf("kernel %s\n", u.release);
	good &= say_file("BTF", "/sys/kernel/btf/vmlinux", "it needs CONFIG_DEBUG_INFO_BTF=y");
	good &= say_file("uprobes", "/sys/bus/event_source/devices/uprobe/type", "it needs CONFIG_UPROBE_EVENTS=y");
	good &= check_programs(settings);
	good &= say("clock", clock_tsc_usable(), clock_tsc_usable() ? "" : "the time stamp counter is not invariant");
	return good;
}

static bool check_attach(const struct target *t)
{
	struct jvm_options options;
	struct diag d = { 0 };

	jvm_read_options(t, &options);
	if (options.attach_disabled)
		return say("attach", false, "it was started with -XX:+DisableAttachMechanism");
	if (segment_check_free(t, &d))
		return say("attach", false, d.text);
	return say("attach", true,
		   options.signals_reduced ? "but with -Xrs only when somebody has attached to it before" : "");
}

/* What else the layout lacks costs single things. */
static void check_layout(const struct target *t)
{
	static const struct {
		unsigned int bit;
		const char *what, *lost;
	} parts[] = {
		{ HOTSPOT_NO_METHODS, "inlined", "compiled frames cannot be told" },
		{ HOTSPOT_NO_LINES, "lines", "frames have no line numbers" },
		{ HOTSPOT_NO_LOADERS, "loaders", "classes of frames have no class loader" },
		{ HOTSPOT_NO_HIDDEN, "hidden", "hidden frames are not marked" },
		{ HOTSPOT_NO_THREADS, "proof", "stacks cannot be compared with the JVM's own" },
		{ HOTSPOT_NO_UPCALLS, "upcalls", "stacks end at calls from C by java.lang.foreign" },
	};
	struct model m = { 0 };
	struct diag d = { 0 };
	bool good = !model_open(&m, t, &d);

	say("stacks", good, d.text);
	for (size_t i = 0; good && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (m.layout.without & parts[i].bit)
			say(parts[i].what, false, parts[i].lost);
	if (good && m.layout.missing[0])
		printf("  missing     %s\n", m.layout.missing);
	model_close(&m);
}

static bool check_target(const struct target *t)
{
	bool good;

	printf("%d %s\n  version     %s\n", (int)t->pid, t->name, t->version[0] ? t->version : "unknown");
	good = check_attach(t);
	check_layout(t);
	if (t->feature >= 21)
		printf("  note        this JVM prints three lines about a dynamically loaded agent on its own stderr (JEP 451)\n");
	return good;
}

int cmd_check(const struct settings *settings, struct diag *d)
{
	struct target target = { .pidfd = -1 };
	bool good;
	int err;

	log_set(settings->quiet, settings->verbose);
	if (settings->target) {
		err = target_open(settings->target, &target, d);
		if (err)
			return err;
	}
	good = check_machine(settings);
	if (settings->target)
		good &= check_target(&target);
	target_close(&target);
	return good ? EXIT_DONE : EXIT_FAILED;
}
