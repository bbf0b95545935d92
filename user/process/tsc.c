// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/tsc.h"
#include "user/text/monotonic.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES	 4
#define CPUS	 8192
#define SPAN_NS	 2000000 /* between the first reading and the last one, at least */
#define APART_NS 1000	 /* less than a thread needs to get from one CPU to another */

struct tsc_reading tsc_read(void)
{
	struct tsc_reading best = {.width = UINT64_MAX};

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = tsc_now();
		int64_t ns = monotonic_ns();
		uint64_t width = tsc_now() - before + tsc_step();

		if (width < best.width)
			best = (struct tsc_reading){before + width / 2, width, ns};
	}
	return best;
}

int64_t tsc_apart(const struct tsc_reading *reading, size_t count)
{
	const struct tsc_reading *first = reading, *last = &reading[count - 1];
	int64_t most = 0;
	double scale;

	if (last->tsc <= first->tsc || last->monotonic <= first->monotonic)
		return INT64_MAX;
	scale = (double)(last->monotonic - first->monotonic) / (double)(last->tsc - first->tsc);
	for (const struct tsc_reading *r = first + 1; r < last; r++) {
		double expected = (double)(int64_t)(r->tsc - first->tsc) * scale;
		double off = expected - (double)(r->monotonic - first->monotonic);
		double known = (double)(r->width + (first->width > last->width ? first->width : last->width)) * scale;

		if ((off < 0 ? -off : off) - known > (double)most)
			most = (int64_t)((off < 0 ? -off : off) - known);
	}
	return most;
}

static bool tsc_is_promised(void)
{
	char source[32] = "";
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

	if (f && !fgets(source, sizeof(source), f))
		source[0] = '\0';
	if (f)
		fclose(f);
	return tsc_is_invariant() && !strcmp(source, TSC_SOURCE "\n");
}

/* A reading of each CPU that this thread may run on, between two of the first one. Returns their number; 0: none. */
static size_t tsc_read_each(struct tsc_reading *reading, cpu_set_t *one, const cpu_set_t *mine, size_t size)
{
	int64_t start;
	size_t count = 0;
	int first = -1;

	for (int cpu = 0; cpu < CPUS; cpu++) {
		if (!CPU_ISSET_S(cpu, size, mine))
			continue;
		CPU_ZERO_S(size, one);
		CPU_SET_S(cpu, size, one);
		if (sched_setaffinity(0, size, one))
			continue;
		if (first < 0) {
			first = cpu;
			reading[count++] = tsc_read();
		}
		reading[count++] = tsc_read();
	}
	if (first < 0)
		return 0;
	CPU_ZERO_S(size, one);
	CPU_SET_S(first, size, one);
	if (sched_setaffinity(0, size, one))
		return 0;
	start = reading[0].monotonic;
	while (monotonic_ns() - start < SPAN_NS)
		sched_yield();
	reading[count++] = tsc_read();
	return count;
}

bool tsc_measured(char how[static TSC_TEXT])
{
	size_t size = CPU_ALLOC_SIZE(CPUS), count = 0;
	cpu_set_t *mine = CPU_ALLOC(CPUS), *one = CPU_ALLOC(CPUS);
	struct tsc_reading *reading = calloc(CPUS + 2, sizeof(*reading));
	int64_t apart = INT64_MAX;

	if (mine && one && reading && !sched_getaffinity(0, size, mine)) {
		count = tsc_read_each(reading, one, mine, size);
		sched_setaffinity(0, size, mine);
	}
	if (count)
		apart = tsc_apart(reading, count);
	CPU_FREE(mine);
	CPU_FREE(one);
	free(reading);
	if (!count)
		snprintf(how, TSC_TEXT, "the CPUs' time stamp counters cannot be compared");
	else if (apart == INT64_MAX)
		snprintf(how, TSC_TEXT, "the time stamp counter does not run");
	else if (apart > APART_NS)
		snprintf(how, TSC_TEXT, "the CPUs' time stamp counters are %.1f us apart", (double)apart / 1e3);
	else
		snprintf(how, TSC_TEXT, "measured: the time stamp counters of %zu CPU%s agree", count - 2,
			 count == 3 ? "" : "s");
	return apart <= APART_NS;
}

bool tsc_usable(char how[static TSC_TEXT])
{
	how[0] = '\0';
	return tsc_is_promised() || tsc_measured(how);
}
