// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/recording.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void companion_events_keep_every_value(void **state)
{
	struct recording r = recording_new();
	const struct dissect_event *e;

	recording_begin(&r);
	recording_companions(r.w);
	recording_end(&r, true);
	assert_int_equal(recording_read(&r)->events, 10);
	e = dissect_find(r.d, "jdk.ActiveRecording", 0);
	assert_int_equal(event_number(&r, e, "id"), 3);
	assert_event_text(&r, e, "destination", "/tmp/x.jfr");
	assert_int_equal(event_number(&r, e, "disk"), 1);
	assert_true(event_number(&r, e, "maxAge") == INT64_MAX &&
		    event_number(&r, e, "recordingDuration") == INT64_MAX);
	assert_true(event_number(&r, e, "maxSize") == 1 << 30 &&
		    event_number(&r, e, "recordingStart") == 1700000000000);
	e = dissect_find(r.d, "jdk.JVMInformation", 0);
	assert_event_text(&r, e, "jvmVersion", "17.0.15");
	assert_null(dissect_text(r.d, e, "jvmFlags"));
	assert_int_equal(event_number(&r, e, "pid"), 4242);
	assert_event_text(&r, dissect_find(r.d, "jdk.OSInformation", 0), "osVersion", "Linux 6.18");
	e = dissect_find(r.d, "jdk.CPUInformation", 0);
	assert_true(event_number(&r, e, "sockets") == 1 && event_number(&r, e, "cores") == 2 &&
		    event_number(&r, e, "hwThreads") == 4);
	e = dissect_find(r.d, "frtrace.Clock", 0);
	assert_true(event_number(&r, e, "tsc") == -5 && event_number(&r, e, "monotonic") == T0 + 1);
	assert_true(event_number(&r, e, "realtime") == NANOS + 1 && event_number(&r, e, "error") == 40);
	assert_true(event_number(&r, dissect_find(r.d, "jdk.DataLoss", 0), "total") == -1);
	assert_event_text(&r, dissect_find(r.d, "jdk.Shutdown", 0), "reason", "killed by signal 9");
	assert_event_text(&r, dissect_find(r.d, "frtrace.Message", 0), "text", "too large");
	e = dissect_find(r.d, "frtrace.OpenCall", 0);
	assert_int_equal(event_number(&r, e, "duration"), 77);
	assert_event_text(&r, e, "remark", "no stack");
	recording_free(&r);
}

static void active_setting_names_its_event_type_and_no_other(void **state)
{
	struct recording r = recording_new();
	const struct dissect_event *e;

	recording_begin(&r);
	recording_call(&r, recording_thread(&r, 1), recording_method(&r, "m"));
	jfr_active_setting(r.w, T0, TRACE, "enabled", "true");
	jfr_active_setting(r.w, T0, "jdk.NoSuchEvent", "enabled", "true");
	recording_end(&r, true);
	assert_int_equal(dissect_count(recording_read(&r), "jdk.ActiveSetting"), 1);
	e = dissect_find(r.d, "jdk.ActiveSetting", 0);
	/* the id with which MethodTrace events begin, in two bytes after their size */
	assert_int_equal(event_number(&r, e, "id"), (r.file.data[69] & 0x7f) | r.file.data[70] << 7);
	recording_free(&r);
}

static void long_texts_are_cut(void **state)
{
	struct recording r = recording_new();
	size_t size = 3 << 20;
	char *text = malloc(size + 1);
	const char *got;

	memset(text, 'x', size);
	text[size] = 0;
	recording_begin(&r);
	jfr_message(r.w, T0, "long", text);
	recording_call(&r, jfr_thread(r.w, &(struct jfr_thread_constant){.name = text, .os_id = 1, .java_id = 1}), 0);
	recording_end(&r, true);
	recording_read(&r);
	got = dissect_text(r.d, dissect_find(r.d, "frtrace.Message", 0), "text");
	assert_int_equal(strlen(got), 1 << 20);
	assert_string_equal(got + (1 << 20) - 4, "x...");
	assert_int_equal(strlen(dissect_text(r.d, dissect_find(r.d, TRACE, 0), "eventThread.javaName")), 1000);
	recording_free(&r);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(companion_events_keep_every_value),
		cmocka_unit_test(active_setting_names_its_event_type_and_no_other),
		cmocka_unit_test(long_texts_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
