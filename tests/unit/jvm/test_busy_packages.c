// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/jvm/busy_packages.h"

#define THREAD(id, frames) \
	"\"t" #id "\" #" #id " prio=5 tid=0x1 nid=" #id " runnable\n   java.lang.Thread.State: RUNNABLE\n" frames "\n"
#define AT(what) "\tat " what "\n"
#define SLEEP	 AT("java.lang.Thread.sleep(java.base@17/Native Method)")
#define PARK	 AT("jdk.internal.misc.Unsafe.park(java.base@17/Native Method)")

static void check(const char *const dumps[], const char *filter, const char *where)
{
	struct busy_packages *p = calloc(1, sizeof(*p));
	struct bytes f = {.size = 0}, w = {.size = 0};

	assert_non_null(p);
	for (int i = 0; dumps[i]; i++)
		busy_packages_add(p, dumps[i]);
	busy_packages_put(p, &f, &w);
	assert_string_equal(f.size ? bytes_text(&f) : "", filter);
	assert_string_equal(w.size ? bytes_text(&w) : "", where);
	bytes_release(&f);
	bytes_release(&w);
	busy_packages_release(p);
	free(p);
}

CASE(packages_of_running_threads_are_counted_once_a_stack)
{
	static const char *const dumps[] = {THREAD(1, AT("java.util.HashMap.get(java.base@17/HashMap.java:1)")
							      AT("a.b.C$D.m(C.java:1)") AT("a.b.E.n(E.java:2)"))
						    THREAD(2, AT("a.c.F.m(F.java:1)") AT("a.b.C.m(C.java:7)")),
					    THREAD(1, AT("a.b.C.m(C.java:1)")), NULL};

	check(dumps, "a.b.*", "a.b (100 %), a.c (33 %)");
}

CASE(threads_that_stay_where_they_wait_are_not_busy)
{
	static const char *const dumps[] = {
		THREAD(1, SLEEP AT("a.b.C.m(C.java:1)")) THREAD(2, PARK AT("a.d.C.m(C.java:1)")),
		THREAD(1, SLEEP AT("a.b.C.m(C.java:1)")) THREAD(2, PARK AT("a.d.C.m(C.java:9)")),
		THREAD(1, SLEEP AT("a.b.C.m(C.java:1)")) THREAD(2, PARK AT("a.d.C.m(C.java:9)")), NULL};

	check(dumps, "a.d.*", "a.d (100 %)");
}

CASE(the_innermost_of_packages_in_the_same_stacks_comes_first)
{
	static const char *const dumps[] = {THREAD(1, AT("own.C.m(C.java:1)") AT("frame.work.R.run(R.java:1)")
							      AT("java.lang.Thread.run(java.base@17/Thread.java:1)")),
					    NULL};

	check(dumps, "own.*", "own (100 %), frame.work (100 %)");
}

CASE(classes_without_a_package_and_hidden_ones_have_names_for_filters)
{
	static const char *const alone[] = {THREAD(1, AT("Main$Part.m(Main.java:1)")), NULL};
	static const char *const hidden[] = {THREAD(1, AT("a.b.C$$Lambda/0x000000012.run(a.b/Unknown Source)")), NULL};
	static const char *const capital[] = {THREAD(1, AT("org.REPL.C.m(C.java:3)")), NULL};

	check(alone, "Main", "Main (100 %)");
	check(hidden, "a.b.*", "a.b (100 %)");
	check(capital, "org/REPL/*", "org.REPL (100 %)");
}

CASE(without_busy_threads_there_is_nothing)
{
	static const char *const dumps[] = {THREAD(1, SLEEP AT("a.b.C.m(C.java:1)")),
					    THREAD(1, SLEEP AT("a.b.C.m(C.java:1)")), "\"VM Thread\" nid=7 runnable\n",
					    NULL};

	check(dumps, "", "");
}
