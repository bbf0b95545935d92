// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/progress.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include <unistd.h>

#define QUIET_MS  1000
#define PERIOD_MS 200
#define BAR	  20 /* columns */

static const char *progress_name;
static uint64_t progress_size;
static int64_t progress_start, progress_due; /* ms; when the line is shown next */
static bool progress_on;

void progress_begin(const char *name, uint64_t size, bool streams)
{
	progress_name = name;
	progress_size = size;
	progress_start = monotonic_ms();
	progress_due = progress_start + QUIET_MS;
	progress_on = log_is_live() && !(streams && isatty(STDOUT_FILENO));
}

/* "reading shop.jfr [#####               ] 25 %   120 MB a second   3.0 s left" */
static void progress_show(uint64_t at, int64_t ms)
{
	uint64_t done = at < progress_size ? at : progress_size, rate = ms > 0 ? done * 1000 / ms : 0;
	char bar[BAR + 1];

	for (unsigned int i = 0; i < BAR; i++)
		bar[i] = progress_size && (i + 1) * progress_size <= done * BAR ? '#' : ' ';
	bar[BAR] = 0;
	log_progress("reading %s [%s] %u %%   %s a second   %s left", progress_name, bar,
		     progress_size ? (unsigned int)(100 * done / progress_size) : 0, log_bytes(rate),
		     rate ? log_time((progress_size - done) * 1000 / rate * 1000000) : "?");
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
	progress_show(at, now - progress_start);
}

void progress_end(void)
{
	progress_on = false;
	log_progress_end();
}
