// SPDX-License-Identifier: BSD-2-Clause
/* Times, sizes and file names as people write them. */
#include "user/options/settings.h"
#include "tests/lib/test.h"

#include <limits.h>
#include <unistd.h>

#define WRONG UINT64_MAX

struct row {
	const char *text;
	uint64_t value;
};

typedef int (*parse_function)(const char *, const char *, uint64_t *, struct diag *);

static void check_rows(const struct row *rows, size_t count, parse_function parse)
{
	for (size_t i = 0; i < count; i++) {
		struct diag d = {0};
		uint64_t value = 7;
		int err = parse("--option", rows[i].text, &value, &d);

		if (rows[i].value != WRONG) {
			if (err || value != rows[i].value)
				fail_msg("'%s' is %llu, %s", rows[i].text, (unsigned long long)value, d.text);
			continue;
		}
		if (err != -EINVAL || !d.usage || strchr(d.text, '\n'))
			fail_msg("'%s' is taken, or not refused in one line: %s", rows[i].text, d.text);
		if (!strstr(d.text, "--option '") || !strstr(d.text, rows[i].text))
			fail_msg("'%s': the message names neither option nor text: %s", rows[i].text, d.text);
	}
}

CASE(time_has_a_number_and_a_unit)
{
	static const struct row rows[] = {
		{"10ms", 10000000},
		{"10 ms", 10000000},
		{"1ns", 1},
		{"3us", 3000},
		{"2s", 2000000000},
		{"5m", 300000000000},
		{"1h", 3600000000000},
		{"1d", 86400000000000},
		{"0", 0},
		{"00", 0},
		{"0ms", 0},
		{"007ms", 7000000},
		{"106751d", 106751ULL * 86400000000000},
		{"106752d", WRONG},
		{"9223372036854775807ns", INT64_MAX},
		{"9223372036854775808ns", WRONG},
		{"18446744073709551616", WRONG},
		{"184467440737095516160ns", WRONG},
		{"", WRONG},
		{"10", WRONG},
		{"ms", WRONG},
		{"-1ms", WRONG},
		{"+1ms", WRONG},
		{" 1ms", WRONG},
		{"1ms ", WRONG},
		{"1  ms", WRONG},
		{"1.5s", WRONG},
		{"1e3s", WRONG},
		{"1min", WRONG},
		{"1S", WRONG},
		{"1 ", WRONG},
		{"0x10ms", WRONG},
		{"10msx", WRONG},
	};

	check_rows(rows, sizeof(rows) / sizeof(rows[0]), settings_parse_time);
}

CASE(missing_unit_is_said)
{
	struct diag d = {0};
	uint64_t ns;

	assert_int_equal(settings_parse_time("--threshold", "20", &ns, &d), -EINVAL);
	assert_string_equal(d.text, "wrong --threshold '20': the unit is missing, as in 20ms or 20s");
}

CASE(size_counts_in_powers_of_1024)
{
	static const struct row rows[] = {
		{"1g", 1ULL << 30},
		{"1G", 1ULL << 30},
		{"500m", 500ULL << 20},
		{"2k", 2048},
		{"4096", 4096},
		{"0", 0},
		{"8589934591g", 8589934591ULL << 30},
		{"8589934592g", WRONG},
		{"17179869185g", WRONG},
		{"1t", WRONG},
		{"", WRONG},
		{"g", WRONG},
		{"1.5g", WRONG},
		{"-1g", WRONG},
		{"1gb", WRONG},
	};

	check_rows(rows, sizeof(rows) / sizeof(rows[0]), settings_parse_size);
}

CASE(count_is_a_whole_number)
{
	static const struct row rows[] = {
		{"1", 1},
		{"1000000", 1000000},
		{"9223372036854775807", INT64_MAX},
		{"9223372036854775808", WRONG},
		{"", WRONG},
		{"1k", WRONG},
		{"-1", WRONG},
		{"1.0", WRONG},
		{"all", WRONG},
	};

	check_rows(rows, sizeof(rows) / sizeof(rows[0]), settings_parse_count);
}

CASE(overhead_is_a_percentage_or_off)
{
	static const struct {
		const char *text;
		uint64_t percent; /* 7: refused */
	} rows[] = {
		{"25%", 25}, {"25", 25},  {"1%", 1},   {"100 %", 100}, {"10000%", 10000},
		{"off", 0},  {"0", 7},	  {"0%", 7},   {"10001%", 7},  {"-1%", 7},
		{"2.5%", 7}, {"", 7},	  {"%", 7},    {"Off", 7},     {"18446744073709551617%", 7},
		{"25%%", 7}, {"25ms", 7}, {"much", 7},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct diag d = {0};
		uint64_t percent = 7;
		int err = settings_parse_percent("--max-overhead", rows[i].text, 10000, &percent, &d);

		if (err != (rows[i].percent == 7 ? -EINVAL : 0) || percent != rows[i].percent)
			fail_msg("'%s': %d, %lu", rows[i].text, err, percent);
	}
}

/* NULL: refused, because it is too long. */
static const char *path(const char *output)
{
	static char text[PATH_MAX];
	struct settings s = {.output = (char *)output};
	struct diag d = {0};
	char *out;
	int err;

	setenv("TZ", "UTC", 1);
	tzset();
	err = settings_output_path(&s, 4242, 1795025105, &out, &d); /* 2026-11-18 18:05:05 UTC */
	assert_true(err == 0 || (err == -ENAMETOOLONG && !out));
	if (err)
		return NULL;
	snprintf(text, sizeof(text), "%s", out);
	free(out);
	return text;
}

CASE(output_name_has_pid_and_time)
{
	assert_string_equal(path(NULL), "frtrace-4242-2026_11_18_18_05_05.jfr");
	assert_string_equal(path("a.jfr"), "a.jfr");
	assert_string_equal(path("%p/%t.jfr"), "4242/2026_11_18_18_05_05.jfr");
	assert_string_equal(path("100%%%p"), "100%4242");
	assert_string_equal(path("%%p"), "%p");
}

CASE(directory_gets_the_default_name)
{
	char directory[] = "/tmp/frtrace-test-XXXXXX", text[64], want[128];

	assert_non_null(mkdtemp(directory));
	snprintf(want, sizeof(want), "%s/frtrace-4242-2026_11_18_18_05_05.jfr", directory);
	assert_string_equal(path(directory), want);
	snprintf(text, sizeof(text), "%s/", directory);
	snprintf(want, sizeof(want), "%s/2026_11_18_18_05_05_4242/", directory);
	assert_string_equal(path(text), want);
	rmdir(directory);
	assert_string_equal(path(directory), directory);
	assert_string_equal(path("not-there/%p/"), "not-there/4242/2026_11_18_18_05_05_4242/");
}

CASE(output_name_that_does_not_fit_is_refused)
{
	char text[PATH_MAX + 1];

	memset(text, 'x', sizeof(text));
	text[PATH_MAX] = 0;
	assert_null(path(text));
	text[PATH_MAX - 1] = 0;
	assert_string_equal(path(text), text);
	text[PATH_MAX - 2] = '/'; /* and what it gets in it */
	assert_null(path(text));
	memcpy(text + PATH_MAX - 4, "%p", 3); /* "4242" */
	assert_null(path(text));
	memcpy(text + PATH_MAX - 6, "%p", 3);
	assert_int_equal(strlen(path(text)), PATH_MAX - 2);
}

CASE(output_text_is_checked)
{
	static const char *const good[] = {"a", "%p", "%t", "%%", "a%p%tb%%", "dir/", "./-"};
	static const char *const bad[] = {"", "%", "a%", "%x", "%%%", "%p%P"};
	struct diag d = {0};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (settings_check_output(good[i], &d))
			fail_msg("'%s' is refused: %s", good[i], d.text);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (settings_check_output(bad[i], &d) != -EINVAL)
			fail_msg("'%s' is taken", bad[i]);
}

CASE(release_takes_zeroes)
{
	struct settings s = {0};
	struct diag d = {0};

	settings_release(&s);
	assert_int_equal(settings_init(&s, &d), 0);
	assert_true(s.max_size == 1ULL << 30);
	settings_release(&s);
	settings_release(&s);
}
