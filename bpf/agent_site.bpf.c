// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program at all sites of the agent. There is one, so that one link attaches it: each link that is closed waits for
 * a grace period of the kernel.
 *
 * The agent's USDT notes put the arguments into the registers of a C call, so PT_REGS_PARM reads them without a lookup.
 */
#include "bpf/agent_site.bpf.h"
#include "bpf/queue_out.bpf.h"
#include "bpf/site.bpf.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

static __always_inline int at_agent_site(struct pt_regs *ctx)
{
	switch (site_of(bpf_get_attach_cookie(ctx))) {
	case FRT_SITE_DRAIN:
		return site_drain(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), PT_REGS_PARM3(ctx), PT_REGS_PARM4(ctx),
				  PT_REGS_PARM5(ctx));
	case FRT_SITE_THREAD:
		site_thread(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx));
		return site_thread_usage(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx));
	case FRT_SITE_MOUNT: return site_mount(PT_REGS_PARM1(ctx));
	case FRT_SITE_POLL: return site_poll(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx));
	default: return 0;
	}
}

SEC("uprobe")
int agent_site(struct pt_regs *ctx)
{
	at_agent_site(ctx);
	queue_flush(ctx);
	return 0;
}
