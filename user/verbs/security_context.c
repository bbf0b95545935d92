// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kubernetes gives added capabilities to root only: a container of another user has them in its bounding set alone. So
 * frtrace's container runs as root, with no other capability.
 */
#include "user/verbs/security_context.h"
#include "user/capture/uprobe_multi.h"
#include "user/process/rights.h"

#include <string.h>
#include <sys/utsname.h>

#define CAP_PREFIX "CAP_"

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

void security_context_print(FILE *to, const struct settings *s, const struct target *t)
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
