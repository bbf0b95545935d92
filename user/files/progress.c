// SPDX-License-Identifier: BSD-2-Clause
#include "user/files/progress.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include <unistd.h>

#define QUIET_MS  2000
#define PERIOD_MS 200

static const char *progress_name;
static uint64_t progress_size;
static int64_t progress_due; /* ms, when the line is shown next */
static bool progress_on;

void progress_begin(const char *name, uint64_t size, bool streams)
{
	progress_name = name;
	progress_size = size;
	progress_due = monotonic_ms() + QUIET_MS;
	progress_on = log_is_live() && !(streams && isatty(STDOUT_FILENO));
}

void progress_reached(uint64_t at)
{
	int64_t now;

	if (!progress_on)
		return;
	now = monotonic_ms();
	if (now < progress_due)
		return;
	progress_due = now + PERIOD_MS;
	log_progress("reading %s: %s of %s", progress_name, log_bytes(at), log_bytes(progress_size));
}

void progress_end(void)
{
	progress_on = false;
	log_progress_end();
}
