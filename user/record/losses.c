// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/losses.h"
#include "user/capture/natives.h"

void losses_read(struct losses *out, const struct session *s, const struct recorder *r)
{
	const struct streams *streams = intake_streams(session_intake(s));
	const struct segment *segment = session_segment(s);
	const struct roots_counts *roots = streams_roots(streams);
	struct segment_roots ended;
	struct frames_counts stacks;
	struct segment_totals t;

	segment_totals(segment, &t);
	segment_roots(segment, &ended);
	recorder_count_frames(r, &stacks);
	*out = (struct losses){
		.unwritten = recorder_counts(r)->unwritten,
		.unrecorded = t.unrecorded,
		.unslotted = t.unslotted,
		.exits = t.lost_exits,
		.overwritten = streams->lost,
		.malformed = streams->malformed + intake_malformed(session_intake(s)),
		.natives = natives_counts(session_natives(s)).lost + natives_counts(session_natives(s)).missed,
		.excess = roots->excess,
		.torn = roots->torn + ended.lost,
		.unread = intake_unread(session_intake(s)),
		.stacks = segment_stacks(segment).lost || stacks.behind || stacks.missing || stacks.forgotten,
	};
	out->sum = out->unwritten + out->unrecorded + out->unslotted + out->exits + out->overwritten + out->malformed +
		   out->excess + out->torn + out->natives + out->unread;
}
