// SPDX-License-Identifier: BSD-2-Clause
/*
 * frtrace with a wrong layout: either the one that goes to the agent, in the way that FRTRACE_GARBLE names
 * (tests/lib/garble.h), or the one that is read from the JVM's tables, in the way that FRTRACE_LAYOUT names, as could
 * happen with a JVM newer than frtrace. Linked with -Wl,--wrap=session_take_stacks,--wrap=hotspot_layout_read.
 */
#include "tests/lib/garble.h"
#include "tests/lib/wrap.h"
#include "user/hotspot/layout.h"
#include "user/capture/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WRAP(void, session_take_stacks, struct session *s, uint32_t sources, const struct frt_layout *layout)
{
	const char *number = getenv("FRTRACE_GARBLE");
	struct frt_layout l = {0};
	char log[1024] = " nothing";

	if (layout)
		l = *layout;
	if (number)
		garble_layout(&l, strtoul(number, NULL, 10), log, sizeof(log));
	fprintf(stderr, "garbled:%s\n", log);
	__real_session_take_stacks(s, sources, &l);
}

WRAP(int, hotspot_layout_read, struct hotspot_layout *out, const struct mem *m,
     const uint64_t symbols[VMSTRUCTS_SYMBOLS], struct diag *d)
{
	int err = __real_hotspot_layout_read(out, m, symbols, d);
	const char *how = getenv("FRTRACE_LAYOUT");

	if (err || !how)
		return err;
	if (!strcmp(how, "missing")) {
		out->without |= HOTSPOT_NO_STACKS;
		snprintf(out->missing, sizeof(out->missing), "nmethod._nothing (stacks)");
	} else if (!strcmp(how, "unreadable")) {
		out->walk.method_const += 8;
	} else if (!strcmp(how, "different")) {
		out->walk.const_name = out->walk.const_signature;
	}
	return 0;
}
