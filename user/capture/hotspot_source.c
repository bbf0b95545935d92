// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/hotspot_source.h"
#include "user/capture/session_internal.h"
#include "bpf/probes.h"
#include "bpf/queue.h"
#include "format/recent.h"
#include "user/capture/hotspot_methods.h"
#include "user/capture/kernel_probes.h"
#include "user/segment/segment_make.h"
#include "user/capture/uprobe_multi.h"
#include "user/capture/usdt.h"
#include "user/jvm/jvm_model.h"
#include "user/process/maps.h"
#include "user/text/log.h"

#include "frtrace.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * What the two probes of a chosen method cost its thread, and with a stack of ten frames; see docs/cost.md. One of 4 frames
 * makes it 2,500, one of 21 frames 4,800.
 */
#define CALL_NS		   1600
#define CALL_WITH_STACK_NS 3500

struct hotspot_source {
	struct session *session;
	struct hotspot_methods *methods;
	struct usdt_link *entries, *returns;
	bool chosen;		      /* a method is */
	struct diag failure;	      /* why its exits cannot be probed; "" */
	uint64_t unseen_thrown;	      /* calls without an exit that an exception has ended */
	struct streams *streams;      /* to which spans are delivered */
	struct frt_probe_counts *cpu; /* room for those of all CPUs */
	int cpus;
	struct copied_stacks *copied; /* takes the stacks of calls; NULL: they have none */
	struct recent stacks;	      /* known ones, by identity, with their ids of copied_stacks_take_call() */
	uint32_t stack_id[RECENT_PLACES];
};

/* An exit whose entry was not seen is nothing, so exits are probed first. */
static const struct usdt_site hotspot_sites[] = {{FRT_SITE_METHOD_RETURN, "hotspot", "method__return"},
						 {FRT_SITE_METHOD_ENTRY, "hotspot", "method__entry"}};

static int source_probe(struct hotspot_source *h, struct usdt_link **out, size_t site, struct diag *d);

static void source_detach(struct hotspot_source *h);

/* Each trap costs the JVM, so exits are left alone until a method is chosen. Calls without exits would be of no use. */
static void on_first_method(void *context)
{
	struct hotspot_source *h = context;

	h->chosen = true;
	if (h->entries && !h->returns && source_probe(h, &h->returns, 0, &h->failure))
		source_detach(h);
}

static bool hotspot_may_probe(const struct session *s)
{
	return s->hotspot && !s->hotspot->chosen &&
	       (s->settings->attach == SETTINGS_ATTACH_PERF || !uprobe_multi_works());
}

/* file->path points into *m. The caller closes file->fd. */
static int open_libjvm(const struct target *t, struct mapping *m, struct usdt_file *file, struct diag *d)
{
	int found = target_find_libjvm(t, m, d);

	if (!found)
		found = diag_set(d, ENOENT, "cannot find libjvm.so in the target's mappings");
	if (found < 0)
		return found;
	file->fd = target_open_mapping(t, m, INT64_MAX, d);
	file->path = m->path;
	file->pid = t->pid;
	return file->fd < 0 ? file->fd : 0;
}

int hotspot_source_check(const struct target *t, struct diag *d)
{
	struct usdt_file file;
	struct mapping m;
	bool on = false;
	int err = open_libjvm(t, &m, &file, d);

	if (err)
		return err;
	err = usdt_find(&file, hotspot_sites, 2, d);
	close(file.fd);
	if (err == -ENOENT)
		return diag_set(
			d, ENOTSUP,
			"libjvm.so has no method probes: this JDK was built without them, or the file was stripped of its notes");
	err = err ?: jvm_model_read_flag(t, "DTraceMethodProbes", &on, d);
	return err || on ? err
			 : diag_set(d, ENOTSUP,
				    "the JVM does not pass its method probes: start it with -XX:+DTraceMethodProbes");
}

static int source_open(struct hotspot_source *h, struct diag *d)
{
	struct hotspot_methods_setup methods = {.settings = h->session->settings,
						.target = h->session->target,
						.clock = h->session->clock,
						.segment = &h->session->segment,
						.first = on_first_method,
						.context = h,
						.others = h->session->bpf->bss->hotspot_others,
						.classes_fd = bpf_map__fd(h->session->bpf->maps.hotspot_classes),
						.missed_fd = bpf_map__fd(h->session->bpf->maps.hotspot_missed),
						.methods_fd = bpf_map__fd(h->session->bpf->maps.hotspot_methods)};
	const struct target *t = h->session->target;
	int err;

	h->cpus = libbpf_num_possible_cpus();
	h->cpu = h->cpus > 0 ? calloc(h->cpus, sizeof(*h->cpu)) : NULL;
	if (!h->cpu)
		return diag_errno(d, ENOMEM, "cannot begin");
	h->session->bpf->bss->target =
		(struct frt_target){.pid_ns_dev = t->pid_ns_dev, .pid_ns_ino = t->pid_ns_ino, .tgid = t->ns_pid};
	err = segment_make(&h->session->segment, t, d);
	if (!err)
		segment_header(&h->session->segment)->hook_ticks = clock_ticks_of_ns(h->session->clock, CALL_NS);
	err = err ?: hotspot_methods_new(&h->methods, &methods, d);
	if (!err)
		hotspot_methods_describe(h->methods, &h->session->bpf->bss->hotspot_exceptions);
	return err;
}

static void source_detach(struct hotspot_source *h)
{
	usdt_detach(h->entries);
	usdt_detach(h->returns);
	h->entries = h->returns = NULL;
}

static void hotspot_free(struct session *s)
{
	struct hotspot_source *h = s->hotspot;

	if (!h)
		return;
	source_detach(h);
	hotspot_methods_free(h->methods);
	free(h->cpu);
	free(h);
	s->hotspot = NULL;
}

static int source_probe(struct hotspot_source *h, struct usdt_link **out, size_t site, struct diag *d)
{
	struct usdt_file file;
	struct mapping m;
	int err = open_libjvm(h->session->target, &m, &file, d);

	if (err)
		return err;
	err = usdt_attach(out, h->session->bpf->progs.hotspot_site, &file, &hotspot_sites[site], 1, d);
	close(file.fd);
	return err;
}

static bool take_thread(struct hotspot_source *h, const struct frt_probe_thread *r)
{
	struct frt_thread row = {.serial = r->thread, .tid = r->tid, .java_id = r->java_id};
	uint64_t java_thread = hotspot_methods_java_thread(h->methods, r->tid);
	char name[256];

	if (!r->thread)
		return false;
	if (java_thread)
		bpf_map_update_elem(bpf_map__fd(h->session->bpf->maps.hotspot_java_threads), &r->thread, &java_thread,
				    BPF_ANY);
	if (!hotspot_methods_thread_name(h->methods, java_thread, r->java_id, name, sizeof(name)))
		snprintf(name, sizeof(name), "%.*s", (int)sizeof(r->name), r->name);
	native_rows_name_thread(&row, name, h->session->target);
	segment_put_thread(&h->session->segment, &row);
	return true;
}

/*
 * Compiled code that calls the probe has no scope there: what is known is the method that it was compiled for. If that is the
 * traced one, and no other call of it is open, it is the innermost. Else it is unknown what is inlined there.
 */
static uint32_t probed_stack_resolve(const struct hotspot_source *h, const struct frt_probe_stack *r)
{
	struct frt_frame frame[FRT_NATIVE_FRAMES];
	uint32_t count = r->call.frames, end = r->call.flags >> 8, id;

	memcpy(frame, r->frame, sizeof(frame));
	if (frame[0].kind != FRT_FRAME_COMPILED)
		return copied_stacks_take_call(h->copied, frame, count, end);
	frame[0].flags |= FRT_FRAME_LEAF;
	id = copied_stacks_take_call(h->copied, frame, count, end);
	if (!(r->call.flags & FRT_PROBE_NESTED) && copied_stacks_is_call_of(h->copied, id, r->call.method))
		return id;
	frame[0].kind = 0;
	return copied_stacks_take_call(h->copied, frame, count, end);
}

static void probed_stack_take(struct hotspot_source *h, const struct frt_probe_stack *r)
{
	h->stack_id[recent_put(&h->stacks, r->call.stack)] = probed_stack_resolve(h, r);
}

static uint32_t probed_stack_of(struct hotspot_source *h, const struct frt_probe_call *r)
{
	size_t known = r->stack ? recent_find(&h->stacks, r->stack) : RECENT_PLACES;

	if (!r->stack || known < RECENT_PLACES)
		return r->stack ? h->stack_id[known] : 0;
	bpf_map_delete_elem(bpf_map__fd(h->session->bpf->maps.call_stacks), &r->stack); /* have it sent again */
	return FRT_STACK_LOST;
}

/* Without an exit, an exception has ended it, inlined in code of C1. On a carrier it may be a virtual thread's that has left. */
static bool is_thrown_unseen(const struct hotspot_source *h, const struct frt_probe_call *r)
{
	struct frt_thread row;

	return r->flags & FRT_PROBE_UNSEEN && segment_thread(&h->session->segment, r->thread, &row) && !row.carrier;
}

static bool take_call(struct hotspot_source *h, const struct frt_probe_call *r, size_t size)
{
	struct segment *s = &h->session->segment;
	struct frt_span span = {.method = r->method, .thread = r->thread, .kind = FRT_SPAN};
	bool unseen = is_thrown_unseen(h, r), thrown = unseen || r->flags & FRT_PROBE_THROWN;
	uint64_t rule;

	if (!segment_method(s, r->method) || r->frames > FRT_NATIVE_FRAMES)
		return false;
	if (r->frames && h->copied && size >= sizeof(struct frt_probe_stack))
		probed_stack_take(h, (const struct frt_probe_stack *)r);
	if (h->copied) {
		span.stack = probed_stack_of(h, r);
		span.flags = FRT_SPAN_NATIVE;
	}
	h->unseen_thrown += unseen;
	if (thrown)
		span.flags |= FRT_SPAN_THROWN;
	rule = *segment_rule(s, r->method);
	span.start = clock_tsc(h->session->clock, r->start);
	span.duration = clock_tsc(h->session->clock, r->start + r->duration) - span.start;
	if (rule & FRT_RULE_TIMED)
		segment_add_call(s, r->method, span.duration, thrown);
	if (rule >> FRT_RULE_SHIFT == FRT_RULE_UNTRACED >> FRT_RULE_SHIFT || span.duration < rule >> FRT_RULE_SHIFT)
		return true;
	segment_own_slot(s)->recorded++;
	streams_feed(h->streams, 0, h->streams->next[0], &span, sizeof(span));
	return true;
}

/*
 * Each record gets the next slot. A thread needs several of them in code of C1 alone, where calls that have ended with an
 * exception stay open.
 */
static bool take_open(struct hotspot_source *h, const struct frt_probe_open *r)
{
	struct frt_header *header = segment_header(&h->session->segment);
	struct frt_slot *slot = segment_own_slot(&h->session->segment) + header->slots;

	if (header->slots == FRT_MAX_SLOTS)
		return true;
	slot->epoch = header->epoch;
	slot->thread = r->thread;
	slot->depth = r->count < FRT_OPEN_CALLS ? r->count : FRT_OPEN_CALLS;
	for (uint32_t i = 0; i < slot->depth; i++)
		slot->open[i] = (struct frt_open_call){clock_tsc(h->session->clock, r->start[i]), r->method[i], 0};
	header->slots++;
	return true;
}

static struct frt_probe_counts read_counts(const struct hotspot_source *h)
{
	struct frt_probe_counts sum = {0};
	uint32_t key = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(h->session->bpf->maps.hotspot_counts), &key, h->cpu))
		return sum;
	for (int i = 0; i < h->cpus; i++) {
		sum.entered += h->cpu[i].entered;
		sum.exited += h->cpu[i].exited;
		sum.thrown += h->cpu[i].thrown;
		sum.unseen += h->cpu[i].unseen;
		sum.early_exits += h->cpu[i].early_exits;
		sum.deep += h->cpu[i].deep;
		sum.unrecorded += h->cpu[i].unrecorded;
		sum.unasked += h->cpu[i].unasked;
		if (h->cpu[i].longest > sum.longest)
			sum.longest = h->cpu[i].longest;
	}
	return sum;
}

static void source_put_counts(const struct hotspot_source *h)
{
	struct frt_slot *slot = segment_own_slot(&h->session->segment);
	struct frt_probe_counts c = read_counts(h);

	slot->entered = c.entered;
	slot->exited = c.exited;
	slot->thrown = c.thrown + h->unseen_thrown;
	slot->moved_exits = c.early_exits;
	slot->unrecorded = c.unrecorded;
	segment_recording(&h->session->segment)->unslotted = c.deep;
	slot->longest = clock_ticks_of_ns(h->session->clock, c.longest);
}

void hotspot_source_count(const struct hotspot_source *h, uint64_t *missed, uint64_t *unseen)
{
	struct frt_probe_counts c = h ? read_counts(h) : (struct frt_probe_counts){0};

	*missed = h ? hotspot_methods_missed(h->methods) + c.unasked : 0;
	*unseen = c.unseen;
}

/* ---- the source */

/* Choose the methods; the probes come later. */
static int hotspot_attach(struct session *s, struct diag *d)
{
	const struct mapping no_agent = {.start = 0};
	int err;

	s->hotspot = calloc(1, sizeof(*s->hotspot));
	if (!s->hotspot)
		return diag_errno(d, ENOMEM, "cannot begin");
	s->hotspot->session = s;
	err = source_open(s->hotspot, d);
	if (err)
		hotspot_free(s);
	else if (s->with_kernel)
		kernel_probes_attach(&s->kernel, s->bpf, s->target, &s->segment, &no_agent);
	return err;
}

/* The layout has a jdk_version if stacks can be walked. */
static void source_choose_stacks(struct hotspot_source *h, struct session *s)
{
	const struct frt_layout *l = &s->layout;

	if (l->jdk_version && s->call_stacks) {
		h->copied = s->call_stacks;
		s->bpf->bss->hotspot_layout = *l;
		segment_header(&s->segment)->hook_ticks = clock_ticks_of_ns(s->clock, CALL_WITH_STACK_NS);
	}
	if (s->kernel.count && s->waits.wait)
		s->bpf->bss->hotspot_waits = (struct frt_probe_waits){.wanted = 1,
								      .stacks = !!l->jdk_version,
								      .thread_anchor = l->thread_anchor,
								      .thread_stack_base = l->thread_stack_base};
}

static int hotspot_start(struct session *s, struct diag *d)
{
	struct hotspot_source *h = s->hotspot;
	int err;

	h->streams = intake_feed(s->intake);
	source_choose_stacks(h, s);
	clock_sample(s->clock);
	segment_recording(&s->segment)->since = clock_last(s->clock)->tsc;
	err = h->chosen ? source_probe(h, &h->returns, 0, d) : 0;
	s->cost.pause_known = true; /* there is none */
	return err ?: source_probe(h, &h->entries, 1, d);
}

static int hotspot_tick(struct session *s, struct diag *d)
{
	struct hotspot_source *h = s->hotspot;

	source_put_counts(h);
	if (h->entries)
		hotspot_methods_tick(h->methods);
	if (!h->failure.text[0])
		return 0;
	*d = h->failure;
	return -ECANCELED;
}

/* The records come into the segment's slots. */
static int hotspot_dump(struct session *s, struct diag *d)
{
	struct frt_header *header = segment_header(&s->segment);

	for (uint32_t i = 1; i < header->slots; i++)
		segment_own_slot(&s->segment)[i].depth = 0;
	header->slots = 1;
	kernel_probes_run_for_tasks(s->bpf->progs.hotspot_open, "the calls that are open");
	return 0;
}

static int hotspot_stop(struct session *s, struct diag *d)
{
	struct diag ignored;

	source_detach(s->hotspot);
	hotspot_tick(s, &ignored);
	intake_drain(s->intake);
	return hotspot_dump(s, d);
}

static int hotspot_finish(struct session *s, struct diag *d)
{
	source_put_counts(s->hotspot); /* the last records were taken since the last tick */
	hotspot_methods_finish(s->hotspot->methods);
	return 0;
}

static bool hotspot_take(struct session *s, const void *record, size_t size)
{
	const struct frt_probe_class *c = record;

	switch (c->kind) {
	case FRT_PROBE_CALL: return size >= sizeof(struct frt_probe_call) && take_call(s->hotspot, record, size);
	case FRT_PROBE_THREAD: return size >= sizeof(struct frt_probe_thread) && take_thread(s->hotspot, record);
	case FRT_PROBE_OPEN: return size >= sizeof(struct frt_probe_open) && take_open(s->hotspot, record);
	case FRT_PROBE_CLASS:
		if (size < sizeof(*c))
			return false;
		hotspot_methods_ask(s->hotspot->methods, c->name);
		return true;
	}
	return false;
}

const struct call_source source_hotspot = {.step = {[SOURCE_ATTACH] = hotspot_attach,
						    [SOURCE_START] = hotspot_start,
						    [SOURCE_TICK] = hotspot_tick,
						    [SOURCE_DUMP] = hotspot_dump,
						    [SOURCE_STOP] = hotspot_stop,
						    [SOURCE_FINISH] = hotspot_finish},
					   .take = hotspot_take,
					   .may_probe = hotspot_may_probe,
					   .release = hotspot_free};
