// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/losses.h"
#include "user/capture/natives.h"

void losses_of(struct losses *out, const struct loss_sources *from)
{
	const struct roots_counts *roots = streams_roots(from->streams);
	struct segment_roots ended;
	struct frames_counts stacks;
	struct segment_totals t;

	segment_totals(from->segment, &t);
	segment_roots(from->segment, &ended);
	recorder_count_frames(from->recorder, &stacks);
	*out = (struct losses){
		.unwritten = recorder_counts(from->recorder)->unwritten,
		.unrecorded = t.unrecorded,
		.unslotted = t.unslotted,
		.exits = t.lost_exits,
		.overwritten = from->streams->lost,
		.malformed = from->streams->malformed + from->malformed,
		.natives = from->natives,
		.excess = roots->excess,
		.torn = roots->torn + ended.lost,
		.unread = from->unread,
		.stacks = segment_stacks(from->segment).lost || stacks.behind || stacks.missing || stacks.forgotten,
	};
	out->sum = out->unwritten + out->unrecorded + out->unslotted + out->exits + out->overwritten + out->malformed +
		   out->excess + out->torn + out->natives + out->unread;
}

void losses_read(struct losses *out, const struct session *s, const struct recorder *r)
{
	const struct intake *in = session_intake(s);
	struct natives_counts natives = natives_counts(session_facts(s).natives);

	losses_of(out, &(struct loss_sources){.segment = session_segment(s),
					      .recorder = r,
					      .streams = intake_streams(in),
					      .malformed = intake_malformed(in),
					      .natives = natives.lost + natives.missed,
					      .unread = intake_unread(in)});
}
