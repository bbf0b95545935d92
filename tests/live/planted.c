// SPDX-License-Identifier: BSD-2-Clause
/*
 * planted FILE CALLS [hostile]: write a recording whose content is known. Eight threads call ten methods. One call in 20
 * of com.acme.Cart.checkout() waits 40 ms for a lock that com.acme.Stock.refresh() holds on the thread "refresher"; the
 * others take 100 to 200 us. Three times all threads are late at once, by a pause of the JVM. `hostile`: names that
 * are markup, and other traps.
 */
#include "format/jfr/jfr_write.h"
#include "user/record/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METHODS	   10
#define WORKERS	   8
#define STACKS	   40
#define CHUNK_SIZE (4u << 20)
#define US	   1000ll
#define MS	   1000000ll

static const char *const names[METHODS] = {"checkout", "price", "load", "save", "render",
					   "parse",    "total", "tax",	"ship", "mail"};
static uint64_t methods[METHODS], stacks[STACKS], workers[WORKERS], refresh, refresher, waiting, idle;
static uint32_t state = 1;
static struct diag d;

static void check(int err)
{
	if (!err)
		return;
	fprintf(stderr, "planted: %s\n", d.text);
	exit(1);
}

static uint32_t random_below(uint32_t limit)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % limit;
}

static uint64_t method(struct jfr_writer *w, uint64_t class_key, const char *name)
{
	return jfr_method(w, &(struct jfr_method_constant){.class_key = class_key, .name = name, .descriptor = "(I)V"});
}

static uint64_t class_of(struct jfr_writer *w, uint64_t loader, const char *name)
{
	return jfr_class(w, &(struct jfr_class_constant){.name = name, .loader = loader});
}

/* Markup, an end of script, a comment, a direction mark, a NUL, and 8 KB. */
static const char *hostile_name(int i)
{
	static char longest[8193];

	memset(longest, 'x', sizeof(longest) - 1);
	switch (i) {
	case 1: return "</script><script>document.title=1</script>";
	case 2: return "<img src=x onerror=document.title=2>";
	case 3: return "<!--<script>";
	case 4:
		return "\xe2\x80\xae"
		       "gnp.exe";
	case 5:
		return "a\xc0\x80"
		       "b";
	case 6: return longest;
	case 7: return "{{cells}}\"'&amp;";
	default: return names[i];
	}
}

static void make_constants(struct jfr_writer *w, bool hostile)
{
	uint64_t app = jfr_loader(w, &(struct jfr_loader_constant){.name = "app"});
	uint64_t cart = class_of(w, app, "com/acme/Cart"), stock = class_of(w, app, "com/acme/Stock");
	char name[64];

	for (int i = 0; i < METHODS; i++)
		methods[i] = method(w, cart, hostile ? hostile_name(i) : names[i]);
	refresh = method(w, stock, "refresh");
	for (int i = 0; i < STACKS; i++) {
		struct jfr_frame frames[5];

		for (int f = 0; f < 5; f++) {
			snprintf(name, sizeof(name), "step%d", (i * 3 + f * f) % (4 + 6 * f));
			frames[f] = (struct jfr_frame){method(w, cart, name), 10 + f, f, JFR_FRAME_JIT};
		}
		stacks[i] = jfr_stack(w, frames, 5, false);
	}
	waiting = jfr_stack(w, (struct jfr_frame[]){{method(w, stock, "take"), 17, 3, JFR_FRAME_JIT}}, 1, false);
	idle = jfr_stack(w, (struct jfr_frame[]){{method(w, stock, "run"), 5, 1, JFR_FRAME_JIT}}, 1, false);
	for (int i = 0; i < WORKERS; i++) {
		snprintf(name, sizeof(name), hostile && i == 0 ? "</script>%d" : "worker-%d", i);
		workers[i] = jfr_thread(
			w, &(struct jfr_thread_constant){.name = name, .os_id = 1000 + i, .java_id = 30 + i});
	}
	refresher = jfr_thread(w, &(struct jfr_thread_constant){.name = "refresher", .os_id = 2000, .java_id = 99});
}

static void put_call(struct jfr_writer *w, int worker, int which, int64_t start, int64_t duration, int64_t blocked)
{
	int64_t run_queue = (duration - blocked) / 10;

	jfr_method_trace(w, &(struct jfr_method_trace){.start = start,
						       .duration = duration,
						       .thread = workers[worker],
						       .stack = stacks[random_below(STACKS)],
						       .method = methods[which],
						       .thrown = random_below(1000) == 0,
						       .cpu = duration - blocked - run_queue,
						       .run_queue = run_queue,
						       .blocked = blocked});
}

/* A call that waits for the lock, and the call that holds it meanwhile. */
static int64_t put_held(struct jfr_writer *w, int worker, int64_t start)
{
	int64_t duration = 40 * MS + random_below(5000) * US;

	jfr_thread_wait(w, &(struct jfr_thread_wait){.start = start + 50 * US,
						     .duration = duration - 100 * US,
						     .thread = workers[worker],
						     .stack = waiting,
						     .waker = refresher,
						     .reason = "futex",
						     .system_call = "futex"});
	jfr_method_trace(w, &(struct jfr_method_trace){.start = start + 10 * US,
						       .duration = duration - 50 * US,
						       .thread = refresher,
						       .stack = idle,
						       .method = refresh,
						       .cpu = duration - 50 * US});
	put_call(w, worker, 0, start, duration, duration - 100 * US);
	return duration;
}

static void put_pause(struct jfr_writer *w, int64_t start)
{
	jfr_vm_pause(w, &(struct jfr_vm_pause){.start = start, .duration = 80 * MS, .what = "safepoint", .name = "G1"});
	for (int i = 0; i < WORKERS; i++) {
		jfr_thread_wait(
			w, &(struct jfr_thread_wait){
				   .start = start, .duration = 80 * MS, .thread = workers[i], .reason = "safepoint"});
		jfr_method_trace(w, &(struct jfr_method_trace){.start = start - 20 * US,
							       .duration = 80 * MS + 50 * US,
							       .thread = workers[i],
							       .stack = stacks[i],
							       .method = methods[1],
							       .cpu = 50 * US,
							       .blocked = 80 * MS,
							       .pause = 80 * MS});
	}
}

static void finish(struct jfr_writer *w, struct output *o, int64_t now)
{
	const void *bytes;
	size_t size;

	check(jfr_chunk_finish(w, now, false, &bytes, &size, &d));
	check(output_append(o, bytes, size, &d));
}

/* Calls in turn by all workers. Each has its own clock; a chunk has those that ended. */
static void put_calls(struct jfr_writer *w, struct output *o, int64_t begin, uint64_t count)
{
	int64_t now[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		now[i] = begin + i * 37 * US;
	for (uint64_t i = 0; i < count; i++) {
		int worker = i % WORKERS, which = i / WORKERS % METHODS;
		int64_t duration = (100 + random_below(100)) * US;

		if (which == 0 && random_below(20) == 0)
			duration = put_held(w, worker, now[worker]);
		else
			put_call(w, worker, which, now[worker], duration, 0);
		now[worker] += duration + 20 * US;
		if (i % (count / 3 + 1) == count / 6) {
			int64_t latest = 0;

			for (int k = 0; k < WORKERS; k++)
				latest = now[k] > latest ? now[k] : latest;
			put_pause(w, latest + MS);
			for (int k = 0; k < WORKERS; k++)
				now[k] = latest + 100 * MS;
		}
		if (jfr_chunk_size(w) >= CHUNK_SIZE) {
			finish(w, o, now[worker]);
			check(jfr_chunk_begin(w, now[worker], &d));
		}
	}
	finish(w, o, now[0] + MS);
}

static void put_facts(struct jfr_writer *w, int64_t at, bool hostile)
{
	jfr_jvm_information(
		w, &(struct jfr_jvm_information){.start = at,
						 .jvm_name = "OpenJDK 64-Bit Server VM",
						 .jvm_version = "17.0.15",
						 .java_arguments = hostile ? "</title><script>document.title=3</script>"
									   : "com.acme.Main",
						 .jvm_start_ms = 1699999999000,
						 .pid = 4242});
	jfr_active_setting(w, at, "jdk.MethodTrace", "filter", "com.acme.*");
	jfr_message(w, at, "lower bound", hostile ? "<b onmouseover=1>" : "calls of Math.max are a lower bound");
	jfr_data_loss(w, at, 320, 320);
}

int main(int argc, char **argv)
{
	struct jfr_origin origin = {.start_ticks = 1000000000000000,
				    .start_nanos = 1700000000000000000,
				    .locale = "en_US",
				    .kernel = JFR_KERNEL_WAITS};
	struct output_limits limits = {.size = 1u << 30};
	uint64_t count = argc >= 3 ? strtoull(argv[2], NULL, 10) : 0;
	bool hostile = argc == 4 && strcmp(argv[3], "hostile") == 0;
	struct jfr_writer *w;
	struct output *o;

	if (!count) {
		fprintf(stderr, "usage: planted FILE CALLS [hostile]\n");
		return 2;
	}
	check(jfr_writer_new(&w, &origin, &d));
	check(output_open(&o, argv[1], &limits, &d));
	check(jfr_chunk_begin(w, origin.start_ticks, &d));
	make_constants(w, hostile);
	put_facts(w, origin.start_ticks + US, hostile);
	put_calls(w, o, origin.start_ticks + MS, count);
	output_close(o);
	jfr_writer_free(w);
	return 0;
}
