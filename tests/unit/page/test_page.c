// SPDX-License-Identifier: BSD-2-Clause
/* The page as it is written. */
#include "tests/lib/digested.h"
#include "tests/lib/test.h"
#include "user/page/diff_page.h"
#include "user/page/page.h"

static const char *page(void)
{
	struct jfr_file file;

	recording_end(&it.r, true);
	jfr_file_init(&file, it.r.file.data, it.r.file.size);
	bytes_clear(&it.text);
	page_write(&file, "x.jfr", &it.text);
	assert_null(file.fault.what);
	jfr_file_release(&file);
	return memory_text(&it.text);
}

/* A single call says who held the lock that it waited for, which is not who ended the wait. */
CASE(a_call_names_the_holder_of_its_lock, digested_begin, digested_end)
{
	const char *html;

	for (int i = 0; i < 40; i++)
		digested_call(it.worker, "reserve", i * 100 * MS, 100 * US, 100 * US, 0);
	for (int i = 40; i < 43; i++) {
		int64_t at = i * 100 * MS;

		digested_call(it.holder, "report", at - MS, 41 * MS - 10 * US, MS, 0);
		digested_wait(it.other, at, 39 * MS, it.holder);
		digested_call(it.other, "reserve", at - 50 * US, 39 * MS + 100 * US, 100 * US, 0);
		digested_wait(it.worker, at, 40 * MS, it.other);
		digested_call(it.worker, "reserve", at - 50 * US, 40 * MS + 100 * US, 100 * US, 0);
	}
	html = page();
	for (int i = 0; i < 2; i++) {
		unsigned int reason, waker, stack, kernel, held_by, held_in;
		char key[32];
		const char *wait = strstr(html, i ? "[50000,39000000," : "[50000,40000000,");

		assert_non_null(wait);
		assert_int_equal(
			sscanf(wait + 16, "%u,%u,%u,%u,%u,%u", &reason, &waker, &stack, &kernel, &held_by, &held_in),
			6);
		snprintf(key, sizeof(key), "\"%u\":\"worker-13\"", held_by);
		assert_contains(html, key);
		snprintf(key, sizeof(key), "\"%u\":\"com.acme.Cart.report()\"", held_in);
		assert_contains(html, key);
		assert_int_equal(waker == held_by, i);
	}
}

CASE(page_faults_have_a_column_if_they_are_known, digested_begin, digested_end)
{
	digested_call(it.worker, "reserve", 0, MS, MS, 0);
	assert_lacks(page(), "Page Faults");
	recording_free(&it.r);
	it.r = recording_new_with(JFR_KERNEL_FULL);
	recording_begin(&it.r);
	it.worker = recording_thread(&it.r, 11);
	jfr_method_trace(it.r.w, &(struct jfr_method_trace){.start = T0,
							    .duration = MS,
							    .thread = it.worker,
							    .method = recording_method(&it.r, "reserve"),
							    .cpu = MS,
							    .system_calls = 12,
							    .system_call_time = 3000,
							    .major_faults = 2,
							    .minor_faults = 5});
	page();
	assert_contains((char *)it.text.data, "<th class=\"n\">Page Faults</th>");
	assert_contains((char *)it.text.data, "<td class=\"n\">7</td></tr>");
	assert_contains((char *)it.text.data, "\"usage\":[12,3000,7]");
	assert_contains((char *)it.text.data, "\"hasFaults\":true");
}

/* Two runs of one method, whose calls take 1 ms and 2 ms. */
CASE(a_comparison_is_a_page, digested_begin, digested_end)
{
	const char *hostile = "a.B.</style><script>m()";
	struct run runs[2] = {0};
	struct diff d;

	for (int i = 0; i < 2000; i++)
		for (int n = 0; n < 2; n++)
			run_add(&runs[n], 1, 1, (n + 1) * MS + i * 7919ll % 2003 * 10, false);
	for (int n = 0; n < 2; n++) {
		run_settle(&runs[n]);
		runs[n].method[0].name = strdup(hostile);
		runs[n].method[0].tail[RUN_P99] = (struct run_split){10, 10 * MS, 0, n * 10 * MS};
		runs[n].lost = n;
	}
	diff_make(&d, &runs[0], &runs[1]);
	diff_page_put(&it.text, &d, "old.jfr", "<new>.jfr", 20);
	bytes_put_u8(&it.text, 0);
	assert_lacks((char *)it.text.data, "<script");
	assert_contains((char *)it.text.data, "<h1>old.jfr → &lt;new&gt;.jfr</h1>");
	assert_contains((char *)it.text.data, "<h3>a.B.&lt;/style&gt;&lt;script&gt;m()</h3>");
	assert_contains((char *)it.text.data, "the new recording is incomplete: calls were lost");
	assert_contains((char *)it.text.data, "<tr class=\"differs\"><td>p99</td><td class=\"n\">1.0 ms");
	assert_contains((char *)it.text.data, "<span class=\"cpu\" style=\"width:");
	diff_release(&d);
	for (int n = 0; n < 2; n++) {
		free((char *)runs[n].method[0].name);
		run_release(&runs[n]);
	}
}

CASE(names_are_text_and_never_markup, digested_begin, digested_end)
{
	const char *html;

	digested_call(it.worker, "</script><img src=x>", 0, MS, MS, 0);
	digested_call(it.worker,
		      "\xe2\x80\xae"
		      "a\xc0\x80"
		      "b",
		      2 * MS, MS, MS, 0);
	html = page();
	assert_lacks(html, "<img");
	assert_contains(html, "&lt;/script&gt;&lt;img src=x&gt;()");
	assert_contains(html, "\\u003c/script\\u003e");
	assert_contains(html, "\\u202ea");
	assert_int_equal(strlen(html), it.text.size);
}

CASE(a_call_says_what_ran_on_its_cpu, digested_begin, digested_end)
{
	for (int i = 0; i < 4; i++)
		digested_sample(it.worker, i ? "hash" : "copy", 1001 * MS + i);
	digested_sample(it.other, "other", 1001 * MS);
	digested_sample(it.worker, "later", 1011 * MS);
	digested_call(it.worker, "outer", 1000 * MS, 10 * MS, MS, 0);
	assert_contains(page(), "\"samples\":\"4 samples: 75 % com.acme.Cart.hash(), 25 % com.acme.Cart.copy()\"");
}

CASE(a_recording_without_calls_has_a_page, digested_begin, digested_end)
{
	assert_contains(page(), "No call was recorded.");
}
