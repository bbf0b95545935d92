// SPDX-License-Identifier: BSD-2-Clause
/* Presets: frtrace's own, and those of a directory. */
#include "user/options/presets.h"
#include "tests/lib/test.h"

#include <stdlib.h>
#include <unistd.h>

static char directory[64];

static void put_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	strcpy(directory, "/tmp/frtrace-test-XXXXXX");
	assert_non_null(mkdtemp(directory));
	return setenv("FRTRACE_PRESETS", directory, true);
}

static int teardown(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", directory);
	unsetenv("FRTRACE_PRESETS");
	return system(command);
}

static struct presets all_presets(void)
{
	struct presets all;
	struct diag d;

	assert_int_equal(presets_read(&all, &d), 0);
	return all;
}

/* Every line of them is understood, and each event has the fields of its name. */
CASE(own_presets_have_titles_and_are_understood, .setup = setup, .teardown = teardown)
{
	struct presets all = all_presets();
	struct settings s;
	struct diag d = {0};

	assert_true(all.count > 5);
	for (size_t i = 0; i < all.count; i++) {
		const struct preset *p = &all.preset[i];

		assert_true(!p->path && strcmp(p->title, p->name));
		assert_true(strstr(p->title, " of "));
		assert_true(!i || strcmp(all.preset[i - 1].name, p->name) < 0);
		assert_int_equal(settings_init(&s, &d), 0);
		if (presets_add(&s, p->name, &d))
			fail_msg("%s", d.text);
		assert_true(s.events.count);
		settings_release(&s);
	}
	assert_ptr_equal(presets_find(&all, all.preset[1].name), &all.preset[1]);
	assert_null(presets_find(&all, "nobody"));
	presets_release(&all);
}

CASE(files_of_a_directory_are_presets, .setup = setup, .teardown = teardown)
{
	struct presets all;
	struct settings s;
	struct diag d = {0};

	put_file(
		"shop",
		"# The shop\n\n-m com.acme.*;\n\t!com.acme.Log\n# and\n-e shop.Order\r\n  com.acme.A::m;\n  com.acme.B::m\n   n=arg0\n");
	put_file("h2", "-m org.h2.*\n");
	put_file("old~", "-q\n");
	put_file(".hidden", "-q\n");
	all = all_presets();
	assert_string_equal(presets_find(&all, "shop")->title, "The shop");
	assert_string_equal(presets_find(&all, "h2")->title, "h2");
	assert_non_null(presets_find(&all, "h2")->path);
	assert_null(presets_find(&all, "old~"));
	assert_null(presets_find(&all, ".hidden"));
	presets_release(&all);
	assert_int_equal(settings_init(&s, &d), 0);
	assert_int_equal(presets_add(&s, "h2,shop", &d), 0);
	assert_string_equal(filter_list_text(s.filters, 0), "org.h2.*");
	assert_string_equal(filter_list_text(s.filters, 1), "com.acme.*");
	assert_int_equal(s.events.count, 1);
	assert_string_equal(s.events.event[0].text, "com.acme.A::m;com.acme.B::m");
	assert_string_equal(s.events.event[0].field[0].name, "n");
	settings_release(&s);
}

CASE(only_entry_points_are_roots, .setup = setup, .teardown = teardown)
{
	struct settings s;
	struct diag d = {0};

	put_file("shop", "# The shop\n--inside com.acme.Shop::handle\n-e shop.Order com.acme.Shop::handle\n");
	assert_int_equal(settings_init(&s, &d), 0);
	assert_int_equal(presets_add(&s, "shop", &d), 0);
	assert_int_equal(filter_list_count(s.filters, FILTER_ROOT), 0);
	settings_release(&s);
	assert_int_equal(settings_init(&s, &d), 0);
	s.threshold_ns = 3000000;
	s.threshold_given = true;
	assert_int_equal(presets_add_entries(&s, &d), 0);
	assert_true(s.by_entries && !s.threshold_ns);
	for (size_t i = 0, found = 0; !found; i++) {
		assert_true(i < filter_list_size(s.filters));
		found = !strcmp(filter_list_text(s.filters, i), "com.acme.Shop::handle:3ms");
	}
	settings_release(&s);
}

CASE(a_class_tells_that_a_preset_is_there, .setup = setup, .teardown = teardown)
{
	struct settings s;
	struct diag d = {0};

	put_file("a", "# A\n-e a.A a.A::m\n--loaded a.Server\n-e a.B a.B::m\n");
	put_file("b", "# B\n--loaded none\n-e b.A b.A::m\n");
	put_file("c", "# C\n-e c.A c.A::m\n");
	assert_int_equal(settings_init(&s, &d), 0);
	assert_int_equal(presets_add(&s, "a", &d), 0);
	assert_int_equal(presets_add(&s, "b", &d), 0);
	assert_int_equal(presets_add(&s, "c", &d), 0);
	assert_int_equal(s.events.count, 4);
	assert_null(s.events.event[0].loaded);
	assert_string_equal(s.events.event[1].loaded, "a.Server");
	assert_true(!s.events.event[1].unsaid && s.events.event[2].unsaid && !s.events.event[3].unsaid);
	assert_true(!s.events.event[2].loaded && !s.events.event[3].loaded);
	settings_release(&s);
}

CASE(wrong_presets_are_refused_with_their_line, .setup = setup, .teardown = teardown)
{
	static const char *const rows[][2] = {
		{"# a\n-q\n",
		 "bad, line 2: '-q' begins no line of a preset: it has to be -e, -m, --inside, --loaded or #"},
		{"-m a.A\n\n-e x.Y a.A::m\n   n=arg0\n  m=arg0..b\n", "bad, line 3: wrong expression 'arg0..b'"},
		{"-e jdk.X a.A::m\n", "bad, line 1: wrong event 'jdk.X'"},
		{"-e x.Y a.A::m n=arg0\n-e x.Y a.B::m\n",
		 "bad, line 2: event 'x.Y' is given twice with different fields"},
		{"  a.A\n", "bad, line 1: 'a.A' begins no line"},
		{"# a\n--loaded a.*\n", "bad, line 2: wrong --loaded 'a.*': it has to be the name of a class, or none"},
		{"--loaded\n", "bad, line 1: wrong --loaded ''"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct settings s;
		struct diag d = {0};

		put_file("bad", rows[i][0]);
		assert_int_equal(settings_init(&s, &d), 0);
		assert_true(presets_add(&s, "bad", &d) < 0);
		assert_true(d.usage);
		assert_contains(d.text, rows[i][1]);
		settings_release(&s);
	}
}
