// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/facts.h"
#include "user/capture/natives.h"
#include "user/text/monotonic.h"

void run_facts_read(struct run_facts *out, const struct recording *r)
{
	const struct session *s = r->session;
	const struct intake *in = session_intake(s);

	*out = (struct run_facts){.now_ns = monotonic_ns(),
				  .cpu_ns = target_cpu_ns(&r->target),
				  .cost = *session_cost(s),
				  .metaspace = session_metaspace(s),
				  .natives = session_natives(s),
				  .no_waits = session_no_waits(s),
				  .no_pauses = session_no_pauses(s),
				  .no_usage = session_no_usage(s),
				  .waits_lost = intake_waits_lost(in),
				  .values_torn = intake_streams(in)->torn,
				  .calls_unnamed = natives_counts(session_natives(s)).unnamed,
				  .missed = session_missed(s),
				  .unseen = session_unseen(s),
				  .ran_early = session_ran_early(s)};
	segment_totals(r->segment, &out->totals);
	losses_read(&out->lost, s, r->recorder);
	intake_drops(in, out->drops);
}
