// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a settings file. An accepted file gives the same settings when read again, keeps its words when a
 * control is set to its own value, and applies or says in one line why not.
 */
#include "format/jfc/jfc.h"
#include "tests/fuzz/fuzz.h"

static void check_message(const struct diag *d)
{
	require(d->usage && strncmp(d->text, "wrong ", 6) == 0, "rejected without a message");
	require(!strchr(d->text, '\n'), "a message of several lines");
}

static void check_applied(const struct jfc *j, const char *event)
{
	struct jfc_event e;
	struct diag d = {0};

	jfc_event_init(&e);
	if (jfc_apply(j, event, &e, &d)) {
		check_message(&d);
		return;
	}
	require(e.filter && strlen(e.filter) <= JFC_MAX_SIZE, "no filter, or one that is too long");
	require(e.threshold_ns <= JFC_INFINITY, "a threshold beyond infinity");
	require(e.period.kind != JFC_TIME || (e.period.ns >= 1000000 && e.period.ns <= JFC_INFINITY),
		"a period that is out of range");
}

static void check_settings(const struct jfc *j)
{
	size_t count;
	const struct jfc_setting *s = jfc_settings(j, &count);

	for (size_t i = 0; i < count; i++) {
		require(s[i].event && s[i].name && s[i].value && s[i].line && s[i].column, "an incomplete setting");
		if (i < 16)
			require(jfc_find(j, s[i].event, s[i].name) >= &s[i], "a listed setting is not found");
	}
	check_applied(j, "jdk.MethodTrace");
	check_applied(j, "jdk.MethodTiming");
}

static void set_controls(struct jfc *j)
{
	static const char *const names[] = {"method-trace", "method-timing", "gc", "a"};
	static const char *const values[] = {"a.B::c", "true", "10 ms", "high", ""};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
			struct diag d = {0};

			if (jfc_set_control(j, names[i], values[k], &d))
				check_message(&d);
			else
				require(jfc_has_control(j, names[i]), "a missing control was set");
			check_settings(j);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {0};
	struct jfc *j;

	if (jfc_read(&j, "fuzz.jfc", data, size, &d)) {
		require(!j, "an error and a result");
		check_message(&d);
		return 0;
	}
	check_settings(j);
	set_controls(j);
	jfc_free(j);
	return 0;
}
