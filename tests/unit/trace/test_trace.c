// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls as they are read: those without a method, as async-profiler's --trace writes them (the stack begins with the
 * method), those with times that no clock shows, and those with names that would be lines.
 */
#include "tests/lib/jfr_builder.h"
#include "tests/lib/test.h"
#include "user/export/export.h"
#include "user/trace/trace.h"
#include "user/print/print.h"
#include "user/view/views.h"

#include <sys/mman.h>
#include <unistd.h>

enum { TRACE = 100, THREAD, STACK, FRAME, METHOD, CLASS, CLOCK, WAIT };

static struct chunk_builder b;
static struct bytes file, out;
static const char *first_method = "take";
static uint64_t second_stack = 2; /* its key */

static void declare(bool ours)
{
	chunk_class(&b, "java.lang.Thread", THREAD, NULL);
	chunk_field(&b, "osName", B_STRING, 0);
	chunk_field(&b, "javaThreadId", B_LONG, 0);
	chunk_class(&b, "java.lang.Class", CLASS, NULL);
	chunk_field(&b, "name", B_STRING, 0);
	chunk_class(&b, "jdk.types.Method", METHOD, NULL);
	chunk_field(&b, "type", CLASS, B_CONSTANT);
	chunk_field(&b, "name", B_STRING, 0);
	chunk_field(&b, "descriptor", B_STRING, 0);
	chunk_stacks(&b, METHOD, FRAME, STACK);
	chunk_event(&b, "jdk.MethodTrace", TRACE);
	chunk_span(&b, "duration");
	chunk_field(&b, "eventThread", THREAD, B_CONSTANT);
	chunk_field(&b, "stackTrace", STACK, B_CONSTANT);
	chunk_field(&b, "method", METHOD, B_CONSTANT);
	chunk_event(&b, "frtrace.ThreadWait", WAIT);
	chunk_span(&b, "duration");
	if (ours)
		chunk_event(&b, "frtrace.Clock", CLOCK);
}

static void put_constants(void)
{
	const char *const names[] = {first_method, "order", "main"};

	chunk_begin_pool(&b, CLASS, 1);
	bytes_put_leb(&b.body, 1);
	bytes_put_text(&b.body, "shop/Order", 1000);
	chunk_end_pool(&b);
	chunk_begin_pool(&b, METHOD, 3);
	for (int i = 0; i < 3; i++) {
		bytes_put_leb(&b.body, 1 + i);
		bytes_put_leb(&b.body, 1);
		bytes_put_text(&b.body, names[i], 1000);
		bytes_put_text(&b.body, "(I)V", 1000);
	}
	chunk_end_pool(&b);
	/* stack 1: take <- order <- main; stack 2: take alone */
	chunk_begin_pool(&b, STACK, 2);
	bytes_put_leb(&b.body, 1);
	bytes_put_u8(&b.body, 0);
	bytes_put_leb(&b.body, 3);
	for (int i = 1; i <= 3; i++) {
		bytes_put_leb(&b.body, i);
		bytes_put_leb(&b.body, 10 * i);
	}
	bytes_put_leb(&b.body, second_stack);
	bytes_put_u8(&b.body, 0);
	bytes_put_leb(&b.body, 1);
	bytes_put_leb(&b.body, 1);
	bytes_put_leb(&b.body, 11);
	chunk_end_pool(&b);
}

static void put_call(uint64_t stack, int method)
{
	chunk_begin_event(&b, TRACE, 1000);
	bytes_put_leb(&b.body, 2000000);
	bytes_put_leb(&b.body, 0);
	bytes_put_leb(&b.body, stack);
	bytes_put_leb(&b.body, method);
	chunk_end_event(&b);
}

/* Three calls from stack 1 and one from stack 2, all with this method. */
static void make(int method, bool ours)
{
	chunk_init(&b);
	bytes_init(&file);
	bytes_init(&out);
	declare(ours);
	put_constants();
	for (int i = 0; i < 4; i++)
		put_call(i < 3 ? 1 : second_stack, method);
	chunk_finish(&b, &file);
}

static int teardown(void **state)
{
	first_method = "take";
	second_stack = 2;
	chunk_release(&b);
	bytes_release(&file);
	bytes_release(&out);
	return 0;
}

static const char *shown(const char *view)
{
	struct call_filter filter = {0};
	const struct view_request request = {.layout = {200, 1, false, false}, .filter = &filter, .min_share = 1};
	struct jfr_file f;

	bytes_clear(&out);
	jfr_file_init(&f, file.data, file.size);
	assert_int_equal(view_show(view_find(view), &f, &request, &out), 0);
	assert_null(f.fault.what);
	jfr_file_release(&f);
	bytes_put_u8(&out, 0);
	return (char *)out.data;
}

static char *exported(bool collapsed)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct jfr_file f;

	jfr_file_init(&f, file.data, file.size);
	if (collapsed)
		export_collapsed(&f, NULL, false, false, to);
	else
		export_csv(&f, NULL, false, to);
	jfr_file_release(&f);
	fclose(to);
	return text;
}

/* The line of `text` that has `word`. */
static const char *line_of(const char *text, const char *word)
{
	static char line[256];
	const char *at = strstr(text, word), *begin = at;

	if (!at)
		fail_msg("'%s' is not in:\n%s", word, text);
	while (begin > text && begin[-1] != '\n')
		begin--;
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(begin, "\n"), begin);
	return line;
}

CASE(a_call_without_method_is_one_of_its_top_frame, .teardown = teardown)
{
	char *text;

	make(0, false);
	assert_contains(line_of(shown("method-trace"), "shop.Order.take(int)"), " 4 ");
	assert_contains(shown("slowest"), "shop.Order.take(int)");
	assert_contains(line_of(shown("slowest"), "shop.Order.order(int):20"), "shop.Order.take(int)");
	assert_lacks(shown("slowest"), "take(int):");
	assert_contains(line_of(shown("method-calls"), "shop.Order.order(int)"), "shop.Order.take(int)");
	assert_contains(line_of(shown("method-calls"), "N/A"), "shop.Order.take(int)");
	assert_contains(shown("callers"), "    shop.Order.order(int)\n");
	text = exported(true);
	assert_contains(text, "shop.Order.main(int);shop.Order.order(int);shop.Order.take(int) 3\n");
	assert_contains(text, "\nshop.Order.take(int) 1\n");
	free(text);
	text = exported(false);
	assert_contains(text, ",shop.Order.take(int),0,");
	assert_contains(text, ",shop.Order.order(int),20,,,,,,,,,,,\r\n");
	free(text);
}

CASE(stacks_whose_keys_differ_in_one_bit_differ, .teardown = teardown)
{
	char *text;

	second_stack = 1ull << 63 | 1;
	make(3, false);
	text = exported(false);
	assert_contains(text, ",shop.Order.take(int),10,");
	assert_contains(text, ",shop.Order.take(int),11,");
	free(text);
}

CASE(a_method_that_is_there_is_not_on_the_stack, .teardown = teardown)
{
	make(3, false);
	assert_contains(line_of(shown("method-calls"), "shop.Order.main(int)"), "shop.Order.take(int)");
}

/* The stack of frtrace's calls begins with the caller. */
CASE(a_method_that_frtrace_does_not_know_is_not_known, .teardown = teardown)
{
	make(0, true);
	assert_contains(line_of(shown("method-trace"), "N/A"), " 4 ");
	assert_lacks(shown("method-trace"), "take");
}

static void assert_cut(int64_t start, int64_t duration)
{
	assert_true(start >= 0 && start <= JFR_LATEST);
	assert_true(duration >= 0 && duration <= JFR_LATEST - start);
}

static int check_call(const struct call *call, void *context)
{
	assert_cut(call->start, call->duration);
	++*(unsigned int *)context;
	return 0;
}

static int check_wait(const struct thread_wait *wait, void *context)
{
	assert_cut(wait->start, wait->duration);
	++*(unsigned int *)context;
	return 0;
}

static void put_strange_times(int type)
{
	static const int64_t times[] = {0, -1, 1000, 1ll << 62, INT64_MAX - BUILDER_T0, INT64_MIN, -BUILDER_NANOS};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++) {
			chunk_begin_event(&b, type, times[i]);
			bytes_put_leb(&b.body, times[k]);
			for (int n = 0; n < 3 && type == TRACE; n++)
				bytes_put_leb(&b.body, n);
			chunk_end_event(&b);
		}
}

CASE(times_that_no_sum_has_room_for_are_cut, .teardown = teardown)
{
	unsigned int calls = 0, waits = 0;
	struct jfr_file f;

	make(1, true);
	put_constants();
	put_strange_times(TRACE);
	put_strange_times(WAIT);
	bytes_clear(&file);
	chunk_finish(&b, &file);
	jfr_file_init(&f, file.data, file.size);
	assert_int_equal(trace_read(&f, &(struct trace_ops){.call = check_call}, &calls), 0);
	jfr_file_rewind(&f);
	assert_int_equal(trace_read(&f, &(struct trace_ops){.wait = check_wait}, &waits), 0);
	jfr_file_release(&f);
	assert_int_equal(calls, 49);
	assert_int_equal(waits, 49);
}

static char *printed(void)
{
	int fd = memfd_create("printed", MFD_CLOEXEC);
	struct select select = {.events = "*"};
	struct printer p;
	struct jfr_file f;
	char *text;
	off_t size;

	printer_init(&p, fd);
	jfr_file_init(&f, file.data, file.size);
	print_text(&f, &select, &p);
	size = lseek(fd, 0, SEEK_END);
	text = calloc(1, size + 1);
	assert_int_equal(pread(fd, text, size, 0), size);
	jfr_file_release(&f);
	select_release(&select);
	printer_release(&p);
	close(fd);
	return text;
}

/* The names of a recording are chosen by whoever wrote the program, or the file. */
CASE(a_name_is_no_line_of_its_own, .teardown = teardown)
{
	const char *const views_of_names[] = {"method-trace", "slowest", "method-calls", "callers", "latency"};
	char *text;

	first_method = "a\n9 forged;rows";
	make(1, false);
	for (size_t i = 0; i < sizeof(views_of_names) / sizeof(views_of_names[0]); i++) {
		assert_lacks(shown(views_of_names[i]), "\n9 forged");
		assert_contains((char *)out.data, "a\\u000a9 forged;rows");
	}
	for (int collapsed = 0; collapsed < 2; collapsed++) {
		text = exported(collapsed);
		assert_lacks(text, "\n9 forged");
		assert_contains(text, collapsed ? ";shop.Order.a\\u000a9 forged\\u003brows(int) 3\n"
						: ",shop.Order.a\\u000a9 forged;rows(int),");
		free(text);
	}
	text = printed();
	assert_lacks(text, "\n9 forged");
	assert_contains(text, "method = shop.Order.a\\u000a9 forged;rows(int)\n");
	free(text);
}

/* As a spreadsheet takes them for formulas. */
CASE(a_name_begins_no_cell_with_a_tab, .teardown = teardown)
{
	char *text;

	first_method = "\t=1+1";
	make(0, false);
	text = exported(false);
	assert_null(strchr(text, '\t'));
	free(text);
}
