// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/interrupt.h"
#include "user/text/monotonic.h"

#include <signal.h>
#include <stdint.h>
#include <time.h>

#define SAME_PRESS_MS 1000

static int64_t deaf_until;

/* Consume pending signals. They must be blocked. */
static void drop_pending(void)
{
	const struct timespec at_once = {0};
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	while (sigtimedwait(&ends, NULL, &at_once) > 0)
		;
}

bool interrupted(void)
{
	sigset_t pending;

	if (sigpending(&pending))
		return false;
	if (!sigismember(&pending, SIGINT) && !sigismember(&pending, SIGTERM) && !sigismember(&pending, SIGHUP))
		return false;
	if (monotonic_ms() >= deaf_until)
		return true;
	drop_pending();
	return false;
}

void interrupt_forget(void)
{
	drop_pending();
	deaf_until = monotonic_ms() + SAME_PRESS_MS;
}

int interrupt_slice(int timeout_ms)
{
	return timeout_ms < 0 || timeout_ms > INTERRUPT_POLL_MS ? INTERRUPT_POLL_MS : timeout_ms;
}
