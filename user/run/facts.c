// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/facts.h"
#include "user/capture/natives.h"
#include "user/text/monotonic.h"

void run_facts_read(struct run_facts *out, const struct recording *r)
{
	const struct intake *in = session_intake(r->session);

	*out = (struct run_facts){.now_ns = monotonic_ns(),
				  .cpu_ns = target_cpu_ns(&r->target),
				  .session = session_facts(r->session),
				  .waits_lost = intake_waits_lost(in),
				  .values_torn = intake_streams(in)->torn};
	segment_totals(r->segment, &out->totals);
	out->calls_unnamed = natives_counts(out->session.natives).unnamed;
	losses_read(&out->lost, r->session, r->recorder);
	intake_drops(in, out->drops);
}
