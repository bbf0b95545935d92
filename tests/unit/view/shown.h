/* SPDX-License-Identifier: BSD-2-Clause */
/* What a view shows of a recording that the test has made. */
#ifndef TESTS_UNIT_VIEW_SHOWN_H
#define TESTS_UNIT_VIEW_SHOWN_H

#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "user/view/views.h"

#define US 1000ll
#define MS 1000000ll

static struct recording r;
static bool ended; /* the recording */
static struct bytes out;
static struct call_filter filter;
static struct diag diag;
static struct view_request request;

static int setup(void **state)
{
	r = recording_new_with(JFR_KERNEL_WAITS);
	recording_begin(&r);
	ended = false;
	bytes_init(&out);
	filter = (struct call_filter){0};
	diag = (struct diag){0};
	request = (struct view_request){
		.layout = {.width = 120, .cell_height = 1}, .filter = &filter, .min_share = 1, .diag = &diag};
	return 0;
}

static int teardown(void **state)
{
	recording_free(&r);
	bytes_release(&out);
	call_filter_release(&filter);
	return 0;
}

/* What the last view printed. */
static char *shown(void)
{
	return (char *)out.data;
}

/* Ends the recording. Returns what view_show() returns. */
static inline int try_to_show(const char *view)
{
	struct jfr_file file;
	int err;

	if (!ended)
		recording_end(&r, true);
	ended = true;
	bytes_clear(&out);
	jfr_file_init(&file, r.file.data, r.file.size);
	err = view_show(view_find(view), &file, &request, &out);
	assert_null(file.fault.what);
	jfr_file_release(&file);
	bytes_put_u8(&out, 0);
	return err;
}

static inline char *show(const char *view)
{
	assert_int_equal(try_to_show(view), 0);
	return shown();
}

/* "a/b/C.m" */
static inline uint64_t method_named(const char *name)
{
	const char *dot = strrchr(name, '.');
	char class[64];

	snprintf(class, sizeof(class), "%.*s", (int)(dot - name), name);
	return jfr_method(r.w, &(struct jfr_method_constant){recording_class(&r, class), dot + 1, "()V", 1, false});
}

/* A call of com.acme.Cart.checkout(), from serve(). */
static inline void cart_call(uint64_t thread, int64_t start, int64_t cpu, int64_t run_queue, int64_t blocked)
{
	struct jfr_method_trace e = {.start = start, .duration = cpu + run_queue + blocked, .cpu = cpu};

	e.run_queue = run_queue;
	e.blocked = blocked;
	e.thread = thread;
	e.method = recording_method(&r, "checkout");
	e.stack = recording_stack(&r, recording_method(&r, "serve"), 17);
	jfr_method_trace(r.w, &e);
}

static inline void assert_lines_fit(size_t width)
{
	for (const char *line = shown(); *line; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > width)
			fail_msg("a line of more than %zu columns: %s", width, line);
}

#endif
