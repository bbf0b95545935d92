// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/held_time.h"

bool held_time_pass_on(struct held_time *h, int64_t start, int64_t end)
{
	int64_t from = start > h->start ? start : h->start;

	if (end > h->end || end - from < (h->end - h->start) / 2)
		return false;
	h->end = end;
	return true;
}

static bool held_time_is_most(const struct held_time *h, int64_t overlap)
{
	return overlap > 0 && overlap >= (h->end - h->start) / 2;
}

bool held_time_offer(struct held_time *h, int64_t start, int64_t duration)
{
	int64_t from = start > h->start ? start : h->start;
	int64_t overlap = (start + duration < h->end ? start + duration : h->end) - from;
	bool better = overlap > h->overlap;

	if (held_time_is_most(h, overlap) && held_time_is_covered(h))
		better = duration < h->duration;
	if (overlap <= 0 || !better)
		return false;
	h->overlap = overlap;
	h->duration = duration;
	return true;
}

bool held_time_is_covered(const struct held_time *h)
{
	return held_time_is_most(h, h->overlap);
}
