/* SPDX-License-Identifier: BSD-2-Clause */
/* What is printed to stderr about a segment and facts that are made by hand. */
#ifndef TESTS_UNIT_RUN_PRINTED_H
#define TESTS_UNIT_RUN_PRINTED_H

#include "user/run/printout.h"
#include "tests/lib/capture.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"
#include "user/capture/cost.h"
#include "user/jvm/metaspace.h"
#include "user/text/log.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define NOW_S 1000000LL

static struct bench {
	struct settings settings;
	struct segment segment;
	struct streams streams;
	struct clock clock;
	struct recording recording;
	struct run_facts facts;
	uint64_t malformed; /* of the queue */
	uint64_t unread;
	char path[64];
	uint32_t class_id;
	bool incomplete; /* set by start() */
} *b;

static struct diag d;

WRAP(int, fstatvfs, int fd, struct statvfs *v)
{
	*v = (struct statvfs){.f_frsize = 1, .f_blocks = 1ULL << 40, .f_bavail = 1ULL << 39};
	return 0;
}

WRAP(int, target_describe, const struct target *t, struct target_description *out, struct diag *diag)
{
	*out = (struct target_description){.jvm_name = strdup("OpenJDK")};
	return 0;
}

static const struct metaspace full = {
	.limit = 24 << 20, .now = {.committed = 22 << 20, .class_committed = 2 << 20, .class_reserved = 16 << 20}};

static int setup(void **state)
{
	struct recorder_setup s;

	log_set(false, false);
	b = calloc(1, sizeof(*b));
	if (!b || settings_init(&b->settings, &d) ||
	    filter_list_add(b->settings.filters, "com.acme.Cart", FILTER_TRACE, &d))
		return -1;
	b->segment = fake_segment_new();
	b->clock = fake_clock();
	b->recording = (struct recording){.settings = &b->settings,
					  .target = {.pid = 4242, .name = "shop.jar", .version = "17.0.15"},
					  .segment = &b->segment,
					  .clock = &b->clock,
					  .begin_ns = (NOW_S - 10) * 1000000000LL};
	b->facts = (struct run_facts){.now_ns = NOW_S * 1000000000LL,
				      .cpu_ns = 1000000,
				      .session = {.cost = {.attach_ms = 61, .pause_ms = 1.2, .pause_known = true},
						  .metaspace = &full,
						  .no_waits = "",
						  .no_pauses = "",
						  .no_usage = ""}};
	b->class_id =
		fake_class(&b->segment, "com/acme/Cart", fake_loader(&b->segment, "a/L", "app"), FRT_CLASS_REWRITTEN);
	snprintf(b->path, sizeof(b->path), "/tmp/frtrace-report-XXXXXX");
	close(mkstemp(b->path));
	if (output_open(&b->recording.output, b->path, &(struct output_limits){.size = 1 << 30}, &d))
		return -1;
	s = (struct recorder_setup){.settings = &b->settings,
				    .target = &b->recording.target,
				    .segment = &b->segment,
				    .clock = &b->clock,
				    .output = b->recording.output,
				    .kernel = JFR_KERNEL_NONE};
	return recorder_new(&b->recording.recorder, &s, &d) ?: recorder_tick(b->recording.recorder, &d);
}

static int teardown(void **state)
{
	recorder_free(b->recording.recorder);
	output_close(b->recording.output);
	unlink(b->path);
	fake_segment_free(&b->segment);
	settings_release(&b->settings);
	free(b);
	return 0;
}

/* What the segment, the streams and the recorder say now, with the rest of b->facts. */
static const struct run_facts *facts(void)
{
	segment_totals(&b->segment, &b->facts.totals);
	losses_of(&b->facts.lost, &(struct loss_sources){.segment = &b->segment,
							 .recorder = b->recording.recorder,
							 .streams = &b->streams,
							 .malformed = b->malformed,
							 .unread = b->unread});
	return &b->facts;
}

static uint32_t hook(const char *name, const char *descriptor, uint16_t flags)
{
	return fake_method(&b->segment, b->class_id, name, descriptor, FRT_METHOD_HOOKED | flags);
}

/* b->incomplete: something is not traced. */
static const char *start(void)
{
	struct notes notes = {.count = 0};
	const char *all;

	b->incomplete = notes_at_start(&notes, &b->recording, facts());
	notes_put(&notes, b->recording.recorder);
	capture_begin(false);
	printout_start(&b->recording, facts(), &notes);
	all = capture_end();
	notes_release(&notes);
	return all;
}

static const char *end_as(bool restored, bool target_ended)
{
	struct notes gaps = {.count = 0};
	const char *all;

	notes_of_gaps(&gaps, &b->recording, facts());
	capture_begin(false);
	printout_end(&b->recording, facts(), &gaps, restored, target_ended);
	all = capture_end();
	notes_release(&gaps);
	return all;
}

static const char *end(void)
{
	return end_as(true, false);
}

static struct frt_slot *calls(uint64_t n, uint64_t thrown)
{
	struct frt_slot *s = fake_slot(&b->segment, 10, 0);

	s->entered = s->exited = n;
	s->thrown = thrown;
	return s;
}

static void trace(unsigned int n)
{
	struct stream_sink sink = recorder_sink(b->recording.recorder);
	struct frt_span s = fake_span(b->recording.begin_ns, 1, 1, 0);

	while (n--)
		sink.spans(sink.context, &s, 1, NULL);
}

#endif
