// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/capabilities.h"
#include "user/jvm/archive.h"
#include "user/jvm/jvm_model.h"
#include "user/capture/agent_build.h"
#include "user/segment/segment.h"
#include "user/capture/uprobe_multi.h"
#include "user/process/agent_file.h"
#include "user/process/attach_room.h"
#include "user/process/jvm.h"
#include "user/process/maps.h"
#include "user/process/rights.h"
#include "user/process/root_path.h"
#include "user/text/io.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

static bool no(struct diag *why, const char *text)
{
	diag_set(why, ENOTSUP, "%s", text);
	return false;
}

/* False for JVMs that frtrace does not support or may not inspect. */
static bool capabilities_is_ours(const struct target *t, enum target_kind kind, struct diag *why)
{
	char name[64], text[RIGHT_TEXT];

	why->text[0] = 0;
	switch (kind) {
	case TARGET_HOTSPOT: return true;
	case TARGET_OPENJ9: return no(why, "it is not a HotSpot JVM but OpenJ9");
	case TARGET_32_BIT: return no(why, "it is a 32-bit JVM");
	case TARGET_HIDDEN:
		diag_set(why, EACCES, "no right to look into a process of user '%s', %s: %s",
			 user_name(t->uid, name, sizeof(name)), right_why(RIGHT_LOOK, EACCES, text), right_advice());
		return false;
	default: return no(why, "it is not a JVM");
	}
}

/* True if the JVM has an attach socket: a tool attached before. */
static bool has_socket(const struct target *t)
{
	char path[64];
	int root = root_path_open(t, "root"), file;

	snprintf(path, sizeof(path), "/tmp/.java_pid%d", t->ns_pid);
	file = root < 0 ? root : root_path_open_at(root, path, O_PATH | O_NOFOLLOW);
	io_close(file);
	io_close(root);
	return file >= 0;
}

static bool answers(const struct target *t, struct diag *why)
{
	struct proc_status status;

	if (proc_read_status(t->pid, &status))
		return no(why, "it has ended");
	if (status.state == 'T' || status.state == 't')
		return no(why, "it is stopped (kill -CONT continues it)");
	if (!(status.caught & 1ull << (SIGQUIT - 1)) && !has_socket(t))
		return no(why, "it does not handle SIGQUIT (-Xrs), and has no socket to attach to in its /tmp");
	return true;
}

/* Could the agent's file be put anywhere? */
static bool has_place(const struct target *t, bool may_mount, struct diag *why)
{
	switch (agent_file_find_place(t)) {
	case AGENT_PLACE_GOOD: return true;
	case AGENT_PLACE_NOEXEC:
		return may_mount ||
		       no(why, "all directories that it can write to are noexec, so it can load no agent from "
			       "there: with --mount it can");
	case AGENT_PLACE_NONE: break;
	}
	return no(why,
		  "it has no directory to put the agent into: /tmp, /var/tmp, its working directory and /dev/shm are "
		  "read-only or not its user's to write");
}

bool capability_trace(const struct target *t, enum target_kind kind, bool may_mount, struct diag *why)
{
	struct jvm_options options;
	struct agent_build build;
	struct diag doubt;

	if (!capabilities_is_ours(t, kind, why) || rights_check(t, !uprobe_multi_works(), true, why))
		return false;
	jvm_read_options(t, &options);
	if (options.attach_disabled)
		return no(why, "it was started with -XX:+DisableAttachMechanism");
	if (archive_check(t, why))
		return false;
	if (!answers(t, why) || attach_room_check(t, &options, true, &doubt, why))
		return false;
	if (!target_maps(t, "libfrtrace-") && !has_place(t, may_mount, why))
		return false;
	agent_build_name(&build);
	return !segment_check_free(t, build.tag, why);
}

bool capability_stacks(const struct target *t, enum target_kind kind, struct diag *why)
{
	struct jvm_model m = {0};

	if (!capabilities_is_ours(t, kind, why))
		return false;
	jvm_model_open(&m, t, why);
	jvm_model_close(&m);
	return true;
}
