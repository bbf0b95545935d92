// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/pauses.h"

#include <string.h>

#define PAUSES	    16384u
#define MOST_PAUSES 256 /* in a call, that are looked at one by one */

/* Classes of the timeline. */
enum { PAUSE_SAFEPOINT, PAUSE_GC, PAUSE_OWN };

bool pauses_init(struct wait_timeline *pauses)
{
	pauses->known_from = INT64_MIN;
	return wait_timeline_reserve(pauses, PAUSES);
}

bool pauses_is_own(const struct frt_pause *p)
{
	static const char *const operations[] = {"RedefineClasses", "GetStackTrace"};

	for (size_t i = 0; p->flags & FRT_PAUSE_COMMAND && i < sizeof(operations) / sizeof(operations[0]); i++)
		if (!strncmp(p->name, operations[i], sizeof(p->name)))
			return true;
	return false;
}

static unsigned int pause_class(const struct frt_pause *p)
{
	if (p->what == FRT_PAUSE_GC)
		return PAUSE_GC;
	return pauses_is_own(p) ? PAUSE_OWN : PAUSE_SAFEPOINT;
}

void pauses_add(struct wait_timeline *t, const struct frt_pause *p)
{
	static const int64_t beginning = INT64_MIN;
	unsigned int class = pause_class(p);
	int64_t end = p->end;

	while (t->count && t->interval[t->count - 1].begin >= (int64_t)p->begin) {
		const struct wait_timeline_interval *nested = &t->interval[--t->count];

		end = nested->end > end ? nested->end : end;
		class = nested->class == PAUSE_GC ? PAUSE_GC : class;
	}
	if (t->count == t->capacity)
		wait_timeline_coalesce(t, t->capacity / 2, &beginning, 1);
	wait_timeline_append(t, class, p->begin, end, end);
}

/*
 * The VM thread ends most waits for the end of a pause, and the kernel's half gives these their reason. But in JDK 8 and 11
 * the threads that stand still let each other go (by Threads_lock), and a thread that has no memory while another one asks
 * for a collection waits for that thread (by Heap_lock). So a wait for a futex, or for a lock of the JVM, that lies in a
 * pause for more than half of its time has the pause's reason, too: whatever the thread waited for, nothing in the JVM could
 * have given it to it. A pause that frtrace causes is no fault of the program.
 */
unsigned int pauses_reason(const struct wait_timeline *pauses, unsigned int reason, int64_t off, int64_t wake)
{
	size_t i = wait_timeline_find_end(pauses, off + (wake - off) / 2);
	const struct wait_timeline_interval *p = &pauses->interval[i];
	int64_t from, to;

	if (i == pauses->count || wait_timeline_is_coalesced(pauses, i))
		return reason;
	if (reason != FRT_WAIT_FUTEX && reason != FRT_WAIT_JVM &&
	    !(reason == FRT_WAIT_SAFEPOINT && p->class == PAUSE_OWN))
		return reason;
	from = off > p->begin ? off : p->begin;
	to = wake < p->end ? wake : p->end;
	if (to - from <= (wake - off) / 2)
		return reason;
	return p->class == PAUSE_GC ? FRT_WAIT_GC : p->class == PAUSE_OWN ? FRT_WAIT_TRACER : FRT_WAIT_SAFEPOINT;
}

bool pauses_sum(const struct wait_timeline *pauses, int64_t start, int64_t end, int64_t *ns)
{
	struct wait_timeline_sums sums;

	if (!wait_timeline_sum(pauses, start, end, &sums))
		return false;
	*ns = (int64_t)(sums.first[PAUSE_SAFEPOINT] + sums.first[PAUSE_GC] + sums.first[PAUSE_OWN]);
	return true;
}

/* The time of [from, to) in which the thread was on no CPU, at most `most`, which is also the answer if it is unknown. */
static int64_t time_off_cpu(const struct wait_timeline *waits, int64_t from, int64_t to, int64_t most)
{
	struct wait_timeline_sums sums;
	int64_t ns;

	if (!wait_timeline_sum(waits, from, to, &sums))
		return most;
	ns = (int64_t)sums.second;
	for (unsigned int c = 0; c < WAIT_TIMELINE_CLASSES; c++)
		ns += (int64_t)sums.first[c];
	return ns < most ? ns : most;
}

/*
 * A pause begins when the VM thread asks the others to stop, and ends when it reports that it has let them go: near both
 * ends they run, and in native code all the time.
 */
int64_t pauses_stood_still(const struct wait_timeline *pauses, const struct wait_timeline *waits, int64_t start,
			   int64_t end, int64_t all)
{
	size_t first = wait_timeline_find_end(pauses, start), last = wait_timeline_find_begin(pauses, end);
	int64_t stood = 0, ns;

	if (last > first && last - first > MOST_PAUSES)
		return time_off_cpu(waits, start, end, all);
	for (size_t i = first; i < last; i++) {
		const struct wait_timeline_interval *p = &pauses->interval[i];
		int64_t from = p->begin > start ? p->begin : start, to = p->end < end ? p->end : end;

		if (from < to && pauses_sum(pauses, from, to, &ns))
			stood += time_off_cpu(waits, from, to, ns);
	}
	return stood;
}
