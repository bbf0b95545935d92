// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/digested.h"
#include "tests/lib/test.h"

struct digested it;

int digested_begin(void **state)
{
	static const struct jfr_origin origin = {
		.start_ticks = T0, .start_nanos = NANOS, .kernel = JFR_KERNEL_WAITS, .samples = true};
	struct diag diag;

	it = (struct digested){.r = {.now = T0}, .digest = calloc(1, sizeof(*it.digest))};
	assert_int_equal(jfr_writer_new(&it.r.w, &origin, &diag), 0);
	recording_begin(&it.r);
	bytes_init(&it.text);
	it.worker = recording_thread(&it.r, 11);
	it.other = recording_thread(&it.r, 12);
	it.holder = recording_thread(&it.r, 13);
	return 0;
}

int digested_end(void **state)
{
	stories_release(&it.stories);
	task_runs_release(&it.handed);
	digest_release(it.digest);
	free(it.digest);
	recording_free(&it.r);
	bytes_release(&it.text);
	return 0;
}

void digested_call(uint64_t thread, const char *method, int64_t start, int64_t duration, int64_t cpu, int64_t run_queue)
{
	jfr_method_trace(it.r.w, &(struct jfr_method_trace){.start = T0 + start,
							    .duration = duration,
							    .thread = thread,
							    .method = recording_method(&it.r, method),
							    .cpu = cpu,
							    .run_queue = run_queue,
							    .blocked = duration - cpu - run_queue});
}

void digested_wait(uint64_t thread, int64_t start, int64_t duration, uint64_t waker)
{
	jfr_thread_wait(it.r.w, &(struct jfr_thread_wait){
					.start = T0 + start,
					.duration = duration,
					.thread = thread,
					.waker = waker,
					.reason = "futex",
					.stack = recording_stack(&it.r, recording_method(&it.r, "reserve"), 17)});
}

void digested_wait_for_future(uint64_t thread, int64_t start, int64_t duration, uint64_t waker)
{
	uint64_t class = recording_class(&it.r, "java/util/concurrent/CompletableFuture");
	uint64_t get = jfr_method(it.r.w, &(struct jfr_method_constant){class, "get", "()V", 1, false});
	struct jfr_frame frames[] = {{get, 9, 5, JFR_FRAME_JIT},
				     {recording_method(&it.r, "reserve"), 17, 5, JFR_FRAME_JIT}};

	jfr_thread_wait(it.r.w, &(struct jfr_thread_wait){.start = T0 + start,
							  .duration = duration,
							  .woken_after = duration,
							  .thread = thread,
							  .waker = waker,
							  .reason = "futex",
							  .stack = jfr_stack(it.r.w, frames, 2, false)});
}

void digested_sample(uint64_t thread, const char *method, int64_t at)
{
	uint64_t stack = method ? recording_stack(&it.r, recording_method(&it.r, method), 17) : 0;

	jfr_execution_sample(it.r.w,
			     &(struct jfr_execution_sample){
				     .start = T0 + at, .thread = thread, .stack = stack, .state = JFR_STATE_RUNNABLE});
}

static int digested_take_task(const struct task *task, void *context)
{
	task_runs_add(context, task);
	return 0;
}

void digested_read_stories(size_t wanted)
{
	struct outermost_call longest[LONGEST];
	struct jfr_file file;

	recording_end(&it.r, true);
	jfr_file_init(&file, it.r.file.data, it.r.file.size);
	assert_int_equal(trace_read(&file, &digest_survey, it.digest), 0);
	digest_survey_end(it.digest, file.utc_offset);
	jfr_file_rewind(&file);
	assert_int_equal(trace_read(&file, &digest_fill, it.digest), 0);
	digest_fill_end(it.digest);
	stories_init(&it.stories, longest, digest_longest(it.digest, longest, wanted));
	it.stories.threads = &it.digest->threads;
	it.stories.names = &it.digest->names;
	it.stories.holders = &it.digest->holders;
	it.stories.runs = &it.handed;
	jfr_file_rewind(&file);
	assert_int_equal(trace_read(&file, &(struct trace_ops){.task = digested_take_task}, &it.handed), 0);
	task_runs_settle(&it.handed);
	stories_add_tasks(&it.stories);
	jfr_file_rewind(&file);
	assert_int_equal(trace_read(&file, &stories_ops, &it.stories), 0);
	jfr_file_rewind(&file);
	assert_int_equal(trace_read(&file, &digest_sampled, it.digest), 0);
	stories_end(&it.stories);
	assert_null(file.fault.what);
	jfr_file_release(&file);
	method_names_settle(&it.digest->names);
}

void digested_read(void)
{
	digested_read_stories(0);
}
