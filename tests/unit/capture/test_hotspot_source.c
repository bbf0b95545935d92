// SPDX-License-Identifier: BSD-2-Clause
/* Calls as HotSpot's own probes show them, and what is counted of them. The programs' maps are played by this file. */
#include "user/capture/hotspot_source.c"
#include "tests/lib/fake_segment.h"
#include "tests/lib/fake_streams.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"

static struct frtrace_bpf bpf;
static struct session session;
static struct hotspot_source *h;
static struct frt_probe_counts counts;
static uint32_t method;

WRAP(uint64_t, clock_tsc, struct clock *c, int64_t ns)
{
	return ns;
}

WRAP(uint64_t, clock_ticks_of_ns, const struct clock *c, uint64_t ns)
{
	return ns;
}

WRAP(int, bpf_map__fd, const struct bpf_map *map)
{
	return -1;
}

WRAP(int, bpf_map_lookup_elem, int fd, const void *key, void *value)
{
	memcpy(value, &counts, sizeof(counts));
	return 0;
}

WRAP(void, hotspot_methods_finish, struct hotspot_methods *methods)
{
}

static void on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
}

static void on_cover(void *context, uint64_t tsc)
{
}

static int setup(void **state)
{
	struct stream_sink sink = {on_spans, on_cover, NULL};

	session = (struct session){.bpf = &bpf, .segment = fake_segment_new(), .hotspot = calloc(1, sizeof(*h))};
	method = fake_method(&session.segment, fake_class(&session.segment, "Shop", 0, 0), "run", "()V", 0);
	fake_thread(&session.segment, 1, "main", "main");
	counts = (struct frt_probe_counts){0};
	h = session.hotspot;
	h->session = &session;
	h->cpus = 1;
	h->cpu = calloc(1, sizeof(*h->cpu));
	h->streams = fake_streams_new(&sink);
	return h->streams && h->cpu ? 0 : -1;
}

static int teardown(void **state)
{
	fake_streams_free(h->streams);
	free(h->cpu);
	free(h);
	fake_segment_free(&session.segment);
	return 0;
}

CASE(exceptions_of_the_last_calls_are_counted, setup, teardown)
{
	struct frt_probe_call call = {.kind = FRT_PROBE_CALL,
				      .thread = 1,
				      .method = method,
				      .flags = FRT_PROBE_UNSEEN,
				      .start = 1,
				      .duration = 1};
	struct diag d;

	counts.thrown = 5;
	assert_true(hotspot_take(&session, &call, sizeof(call)));
	assert_int_equal(hotspot_tick(&session, &d), 0);
	assert_int_equal(segment_own_slot(&session.segment)->thrown, 6);
	assert_true(hotspot_take(&session, &call, sizeof(call)));
	counts.unrecorded = 3; /* calls that are open, when they were asked for */
	hotspot_finish(&session, NULL);
	assert_int_equal(segment_own_slot(&session.segment)->thrown, 7);
	assert_int_equal(segment_own_slot(&session.segment)->unrecorded, 3);
}
