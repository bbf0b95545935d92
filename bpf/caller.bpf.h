/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who is in a traced call on a thread of the target. */
#ifndef BPF_CALLER_H
#define BPF_CALLER_H

#include "bpf/slot.bpf.h"
#include "bpf/wait_state.bpf.h"

#define EXITING 0x00000004u /* task_struct.flags: PF_EXITING. An exiting thread has no calls, whatever its slot says */

/* The thread, or the virtual thread that it carries, by the calls in its slot. 0: nobody. */
static __always_inline __u32 caller_of(const struct wait_state *state, const struct slot_calls *calls)
{
	if (calls->thread != state->thread)
		return 0;
	if (state->mounted && state->number == calls->mounts + 1)
		return state->mounted;
	return calls->virtual_key ?: calls->depth || state->natives ? state->thread : 0;
}

#endif
