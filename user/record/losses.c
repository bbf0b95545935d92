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
		.of = {[LOSS_UNWRITTEN] = recorder_counts(from->recorder)->unwritten,
		       [LOSS_UNRECORDED] = t.unrecorded,
		       [LOSS_UNSLOTTED] = t.unslotted,
		       [LOSS_EXITS] = t.lost_exits,
		       [LOSS_OVERWRITTEN] = from->streams->lost,
		       [LOSS_MALFORMED] = from->streams->malformed + from->malformed,
		       [LOSS_EXCESS] = roots->excess,
		       [LOSS_TORN] = roots->torn + ended.lost,
		       [LOSS_NATIVES] = from->natives,
		       [LOSS_TASKS] = segment_header(from->segment)->tasks_missed +
				      recorder_counts(from->recorder)->tasks_torn,
		       [LOSS_UNREAD] = from->unread},
		.stacks = segment_stacks(from->segment).lost || stacks.behind || stacks.missing || stacks.forgotten,
	};
	for (int i = 0; i < LOSSES; i++)
		out->sum += out->of[i];
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
