// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/choose_source.h"
#include "user/capture/hotspot_source.h"
#include "user/jvm/archive.h"
#include "user/jvm/jvm_model.h"
#include "user/process/find.h"
#include "user/process/maps.h"
#include "user/text/log.h"
#include "user/run/capabilities.h"

#include <errno.h>
#include <time.h>

#define LOOKS 25 /* half a second */

bool choose_source_agent(const struct target *t, bool may_mount, struct diag *why)
{
	struct diag ignored;
	bool loads = true;

	if (!capability_trace(t, target_look(t->pid, &(struct target){0}), may_mount, why))
		return false;
	if (target_maps(t, "libfrtrace-"))
		return true;
	jvm_model_read_flag(t, "EnableDynamicAgentLoading", &loads, &ignored);
	if (!loads)
		diag_set(why, EPERM, "it was started with -XX:-EnableDynamicAgentLoading");
	return loads;
}

/* What was asked for by name, and needs the agent. */
static int check_options(const struct settings *s, struct diag *d)
{
	const char *option = s->events.count	     ? "-e"
			     : settings_has_roots(s) ? "--inside"
			     : s->thrown	     ? "--thrown"
			     : s->with_jfr	     ? "--with-jfr"
			     : s->lossless_ns	     ? "--lossless"
						     : NULL;

	return option ? diag_usage(d,
				   "%s does not go with HotSpot's own probes (--source=hotspot), which tell little "
				   "more than when a call begins and ends",
				   option)
		      : 0;
}

/* System calls and page faults are counted for threads that the agent knows. */
static void leave_out_the_rest(struct settings *s)
{
	s->source = SETTINGS_SOURCE_HOTSPOT;
	if (s->kernel == SETTINGS_KERNEL_FULL)
		s->kernel = SETTINGS_KERNEL_ON;
	s->skip_active = false;
	s->max_overhead = 0;
}

/* A JVM that has just been started, as with --wait, has not read its flags yet. */
static int check_starting(const struct target *t, struct diag *why)
{
	const struct timespec pause = {0, 20000000};
	int err = hotspot_source_check(t, why);

	for (int look = 0; err == -ENOTSUP && look < LOOKS; look++) {
		nanosleep(&pause, NULL);
		err = hotspot_source_check(t, why);
	}
	return err;
}

static int choose_hotspot(struct settings *s, const struct target *t, struct diag *d)
{
	struct diag why;
	int err = check_starting(t, &why);

	if (err)
		return diag_set(d, -err, "cannot trace process %d '%s' by --source=hotspot: %s", (int)t->pid, t->name,
				why.text);
	err = check_options(s, d);
	if (!err)
		leave_out_the_rest(s);
	return err;
}

/* The agent would be loaded, and the archive be spoiled. */
static int choose_agent(struct settings *s, const struct target *t, struct diag *d)
{
	struct diag why;
	int err = t ? archive_check(t, &why) : 0;

	s->source = SETTINGS_SOURCE_AGENT;
	return err ? diag_set(d, -err, "cannot trace process %d '%s': %s", (int)t->pid, t->name, why.text) : 0;
}

int choose_source(struct settings *s, const struct target *t, struct diag *d)
{
	struct diag why, ignored;

	if (s->source == SETTINGS_SOURCE_HOTSPOT)
		return t ? choose_hotspot(s, t, d)
			 : diag_usage(d, "--source=hotspot is for a JVM that runs: name it with -p");
	if (s->source == SETTINGS_SOURCE_AGENT || !t || choose_source_agent(t, s->mount, &why) ||
	    hotspot_source_check(t, &ignored))
		return choose_agent(s, t, d);
	log_line("no agent can be loaded: %s; tracing by HotSpot's own probes instead (--source=hotspot)", why.text);
	return choose_hotspot(s, t, d);
}
