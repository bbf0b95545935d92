// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/open_stack.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/recordings.h"
#include "uprobes/agent/stack_jvmti.h"
#include "uprobes/agent/stack_named.h"

#define MOST_FRAMES 4096
#define SELDOM	    100u /* times as long as the answer took */

static uint64_t not_before[FRT_MAX_SLOTS]; /* TSC: until then no thread of that slot asks */

/*
 * An obsolete version has no hooks, unless a class was retransformed during the epoch, for a recording that joined or
 * left. Its frames then count as alive, so that no call that runs counts as lost.
 */
uint32_t open_stack_method(JNIEnv *env, jmethodID method)
{
	uint32_t id = stack_named_method(env, method);
	jboolean obsolete = JNI_FALSE;

	if (!id || !(control_method_row(id)->flags & FRT_METHOD_HOOKED))
		return FRT_NO_METHOD;
	if (!recordings_shared && ((*jvmti)->IsMethodObsolete(jvmti, method, &obsolete) || obsolete))
		return FRT_NO_METHOD;
	return id;
}

uint32_t open_stack_alive(const struct open_stack *o)
{
	uint32_t n = 0;

	for (jint f = 0; f < o->count; f++)
		n += !!open_stack_method(o->env, o->frames[f].method);
	return n;
}

/* Match each frame with the innermost of `kept` open calls that is of its method and that no inner frame has taken. */
static uint32_t find_dead(const struct open_stack *o, uint32_t kept)
{
	uint32_t dead = (1u << kept) - 1, i = kept;

	for (jint f = 0; f < o->count && i; f++) {
		uint32_t id = open_stack_method(o->env, o->frames[f].method), k = i;

		while (id && k && o->open[k - 1].method != id)
			k--;
		if (!id || !k)
			continue;
		i = k - 1;
		dead &= ~(1u << i);
	}
	return dead;
}

static uint32_t find_absent(const struct open_stack *o)
{
	uint32_t dead = (1u << FRT_OPEN_CALLS) - 1;

	for (jint f = 0; f < o->count && dead; f++) {
		uint32_t id = open_stack_method(o->env, o->frames[f].method);

		for (uint32_t i = 0; id && i < FRT_OPEN_CALLS; i++)
			if (o->open[i].method == id)
				dead &= ~(1u << i);
	}
	return dead;
}

uint32_t open_stack_dead(const struct open_stack *o)
{
	return o->depth <= FRT_OPEN_CALLS ? find_dead(o, o->depth) : find_absent(o);
}

/* How many of the open calls remain: all if a frame belongs to one of those that are not kept. */
static uint32_t remaining(const struct open_stack *o)
{
	uint32_t kept = o->depth < FRT_OPEN_CALLS ? o->depth : FRT_OPEN_CALLS, dead = find_dead(o, kept);
	uint32_t alive = 0, left = 0;

	for (uint32_t i = 0; i < kept; i++)
		if (!(dead >> i & 1)) {
			alive++;
			left = i + 1;
		}
	return alive == open_stack_alive(o) ? left : o->depth;
}

uint32_t open_stack_ask(const struct frt_slot *s, JNIEnv *env, uint32_t method)
{
	uint64_t *next = &not_before[(s - control_slot(0)) % FRT_MAX_SLOTS], begin = sys_tsc();
	struct open_stack o = {.env = env, .open = s->open, .depth = s->depth};
	size_t size = MOST_FRAMES * sizeof(jvmtiFrameInfo);
	uint32_t left = s->depth;
	jvmtiFrameInfo *frames;

	if (begin < *next)
		return left;
	frames = sys_map(size);
	if (!frames)
		return left;
	o.frames = frames;
	o.count = stack_jvmti_frames(s, env, method, frames, MOST_FRAMES);
	if (o.count >= 0)
		left = remaining(&o);
	sys_unmap(frames, size);
	if (left == s->depth)
		*next = begin + SELDOM * (sys_tsc() - begin);
	return left;
}
