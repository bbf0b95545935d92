// SPDX-License-Identifier: BSD-2-Clause
/*
 * frtrace, but that the layout which goes to the agent is wrong in the way that FRTRACE_GARBLE
 * names (tests/lib/garble.h). Linked with -Wl,--wrap=session_take_stacks.
 */
#include "tests/lib/garble.h"
#include "user/session.h"

#include <stdio.h>
#include <stdlib.h>

void __real_session_take_stacks(struct session *s, uint32_t sources, const struct frt_layout *layout);
void __wrap_session_take_stacks(struct session *s, uint32_t sources, const struct frt_layout *layout);

void __wrap_session_take_stacks(struct session *s, uint32_t sources, const struct frt_layout *layout)
{
	const char *number = getenv("FRTRACE_GARBLE");
	struct frt_layout l = { 0 };
	char log[1024] = " nothing";

	if (layout)
		l = *layout;
	if (number)
		garble_layout(&l, strtoul(number, NULL, 10), log, sizeof(log));
	fprintf(stderr, "garbled:%s\n", log);
	__real_session_take_stacks(s, sources, &l);
}
