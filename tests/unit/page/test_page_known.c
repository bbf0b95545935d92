// SPDX-License-Identifier: BSD-2-Clause
/* The page's tables of what presets record. */
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "user/page/page.h"

#define MS 1000000ll

static struct recording r;
static struct bytes text;

static int setup(void **state)
{
	r = recording_new_with(JFR_KERNEL_WAITS);
	bytes_init(&text);
	return 0;
}

static int teardown(void **state)
{
	recording_free(&r);
	bytes_release(&text);
	return 0;
}

static const char *page(void)
{
	struct jfr_file file;

	recording_end(&r, true);
	jfr_file_init(&file, r.file.data, r.file.size);
	bytes_clear(&text);
	page_write(&file, "x.jfr", &text);
	assert_null(file.fault.what);
	jfr_file_release(&file);
	return bytes_text(&text);
}

/* Requests and statements of presets have tables, and a recording without them has not even the heading. */
CASE(requests_have_a_table_by_url, setup, teardown)
{
	static const struct jfr_user_field fields[] = {{.name = "httpMethod", .type = JFR_STRING},
						       {.name = "url", .type = JFR_STRING}};
	static const struct jfr_user_type type = {.name = "http.Request", .field = fields, .fields = 2, .calls = true};
	static const struct jfr_origin origin = {.start_ticks = T0,
						 .start_nanos = NANOS,
						 .locale = "en_US",
						 .kernel = JFR_KERNEL_WAITS,
						 .user = &type,
						 .users = 1};
	const char *html;
	struct diag d;

	recording_begin(&r);
	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0,
							 .duration = MS,
							 .thread = recording_thread(&r, 11),
							 .method = recording_method(&r, "reserve")});
	assert_lacks(page(), "Requests and statements");
	recording_free(&r);
	r = (struct recording){.now = T0};
	assert_int_equal(jfr_writer_new(&r.w, &origin, &d), 0);
	recording_begin(&r);
	for (int i = 0; i < 5; i++)
		jfr_user_event(r.w, 0,
			       &(struct jfr_method_trace){.start = T0 + i * 100 * MS,
							  .duration = (i + 1) * MS,
							  .thread = recording_thread(&r, 11),
							  .method = recording_method(&r, "handle"),
							  .cpu = MS},
			       (struct jfr_user_value[]){{.text = "GET", .length = 3},
							 {.text = i % 2 ? "/<b>" : "/a", .length = i % 2 ? 4 : 2}});
	html = page();
	assert_contains(
		html,
		"<h2>Requests and statements</h2>\n<div class=\"wide\"><table data-view=\"http.Request by url\">");
	assert_contains(html, "<td>/a</td><td class=\"n\" data-n=\"3\">3</td><td class=\"n\" data-n=\"9000000\">");
	assert_contains(html,
			"<td>/&lt;b&gt;</td><td class=\"n\" data-n=\"2\">2</td><td class=\"n\" data-n=\"6000000\">");
	assert_lacks(html, "sql.Statement by sql");
}

CASE(the_statement_that_takes_the_time_is_named, setup, teardown)
{
	static const struct jfr_user_field url[] = {{.name = "url", .type = JFR_STRING}};
	static const struct jfr_user_field sql[] = {{.name = "sql", .type = JFR_STRING}};
	static const struct jfr_user_type types[] = {
		{.name = "http.Request", .field = url, .fields = 1, .calls = true},
		{.name = "sql.Statement", .field = sql, .fields = 1, .calls = true}};
	static const struct jfr_origin origin = {.start_ticks = T0,
						 .start_nanos = NANOS,
						 .locale = "en_US",
						 .kernel = JFR_KERNEL_WAITS,
						 .user = types,
						 .users = 2};
	static const char *const texts[] = {"/cart", "select <a>"};
	struct jfr_method_trace call = {.start = T0, .duration = 10 * MS};
	struct diag d;

	jfr_writer_free(r.w);
	assert_int_equal(jfr_writer_new(&r.w, &origin, &d), 0);
	recording_begin(&r);
	call.thread = recording_thread(&r, 11);
	call.method = recording_method(&r, "reserve");
	for (int i = 1; i >= 0; i--, call.duration *= 2)
		jfr_user_event(r.w, i, &call, &(struct jfr_user_value){.text = texts[i], .length = strlen(texts[i])});
	assert_contains(page(), "50 % of the time of this call went into 1 of &quot;select &lt;a&gt;&quot; in /cart.");
}
