// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/process/dump.h"

static char seen[4096];

static int note(const struct active_frame *f, void *context)
{
	size_t used = strlen(seen);

	snprintf(seen + used, sizeof(seen) - used, "%s|%s|%s\n", f->thread, f->class_name, f->method);
	return 0;
}

static void check(const char *text, const char *expected)
{
	seen[0] = 0;
	assert_int_equal(dump_each_frame(text, note, NULL), 0);
	assert_string_equal(seen, expected);
}

CASE(frames_of_jdk_8_are_parsed)
{
	check("2026-11-20 19:22:28\nFull thread dump OpenJDK 64-Bit Server VM (25.412-b08 mixed mode):\n\n"
	      "\"main\" #1 prio=5 os_prio=0 tid=0x00007f nid=0x18a7 waiting on condition [0x00007f]\n"
	      "   java.lang.Thread.State: TIMED_WAITING (sleeping)\n"
	      "\tat java.lang.Thread.sleep(Native Method)\n"
	      "\t- locked <0x000000069ec02f40> (a java.lang.Object)\n"
	      "\tat com.acme.Cart$Line.<init>(Cart.java:42)\n\n"
	      "\"VM Thread\" os_prio=0 tid=0x00007f nid=0x1 runnable \n\nJNI global references: 6\n",
	      "main|java.lang.Thread|sleep\nmain|com.acme.Cart$Line|<init>\n");
}

CASE(module_in_the_parentheses_does_not_matter)
{
	check("\"x\" #1 prio=5\n\tat java.lang.Object.wait(java.base@17.0.15/Native Method)\n"
	      "\tat java.lang.ref.ReferenceQueue.remove(java.base@17.0.15/ReferenceQueue.java:155)\n",
	      "x|java.lang.Object|wait\nx|java.lang.ref.ReferenceQueue|remove\n");
}

CASE(loader_and_module_in_front_are_left_out)
{
	check("\"x\" #1\n\tat java.base@17.0.15/java.util.HashMap.get(HashMap.java:1)\n\tat "
	      "app//com.acme.A.m(A.java:1)\n"
	      "\tat my loader/shop@1.0/com.acme.B.m(B.java)\n\tat C.m(Unknown Source)\n",
	      "x|java.util.HashMap|get\nx|com.acme.A|m\nx|com.acme.B|m\nx|C|m\n");
}

CASE(hidden_classes_keep_their_address)
{
	check("\"x\" #1\n\tat com.acme.Foo$$Lambda$14/0x0000000800c.run(Unknown Source)\n\tat "
	      "a.Foo$$Lambda/0x1b.run(a/Unknown Source)\n"
	      "\tat app//a.Foo$$Lambda$1/1234.run(Unknown Source)\n",
	      "x|com.acme.Foo$$Lambda$14/0x0000000800c|run\nx|a.Foo$$Lambda/0x1b|run\nx|a.Foo$$Lambda$1/1234|run\n");
}

CASE(thread_names_may_contain_quotes_and_signs)
{
	check("\"say \"hi\" #2\" #31 daemon prio=5\n\tat A.m(A.java)\n\"\" #3 prio=5\n\tat "
	      "A.n(A.java)\n\"plain\"\n\tat A.o(A.java)\n"
	      "\"http (1\" #4 [77] prio=5\n\tat A.p(A.java)\n",
	      "say \"hi\" #2|A|m\n|A|n\nplain|A|o\nhttp (1|A|p\n");
}

CASE(other_lines_are_ignored)
{
	check("\"x\" #1\n\tat \n\tat nothing\n\tat .m(A.java)\n\tat A.(A.java)\n\tat "
	      "(A.java)\nat\n\tattic.A.m(A.java)\n   at A.m(A.java)",
	      "x|A|m\n");
	check("", "");
	check("\"", "");
}

CASE(too_long_names_are_cut)
{
	char text[2048];

	memset(text, 'a', sizeof(text));
	memcpy(text, "\tat ", 4);
	strcpy(text + 1500, ".m(A.java)");
	seen[0] = 0;
	assert_int_equal(dump_each_frame(text, note, NULL), 0);
	assert_int_equal(strlen(seen), 1 + 255 + 1 + 1 + 1);
}

static int note_thread(const struct dump_thread *t, void *context)
{
	size_t used = strlen(seen);

	snprintf(seen + used, sizeof(seen) - used, "%s|%llu|%u\n", t->name, (unsigned long long)t->java_id, t->tid);
	return 0;
}

/* Of JDK 8, 17, 21 and 25; threads of the JVM itself have no number. */
CASE(threads_have_their_ids)
{
	seen[0] = 0;
	assert_int_equal(
		dump_each_thread(
			"\"main\" #1 prio=5 os_prio=0 tid=0x00007f1 nid=0x1a2b waiting on condition [0x00007f]\n"
			"\tat A.m(A.java)\n"
			"\"a \" #7\" #31 daemon prio=5 os_prio=0 cpu=3.1ms tid=0x00007f nid=0x10 runnable  [0x0]\n"
			"\"b\" #22 [4711] prio=5 os_prio=0 cpu=1.0ms elapsed=1.0s tid=0x00007f nid=4711 waiting\n"
			"\"GC Thread#0\" os_prio=0 cpu=4.3ms elapsed=9.2s tid=0x00007f nid=0x2b runnable\n"
			"\"late\" #40 prio=5 os_prio=0 tid=0x00007f nid=NA runnable\n",
			note_thread, NULL),
		0);
	assert_string_equal(seen, "main|1|6699\na \" #7|31|16\nb|22|4711\n");
}

static char places[1024];

static int note_place(const struct active_frame *f, void *context)
{
	size_t used = strlen(places);

	snprintf(places + used, sizeof(places) - used, "%u:%d%s ", f->tid, f->line, f->native ? "n" : "");
	return 0;
}

CASE(threads_have_ids_and_frames_have_lines)
{
	places[0] = 0;
	dump_each_frame(
		"\"a nid=7\" #1 prio=5 tid=0x00007f nid=0x18a7 waiting on condition [0x00007f]\n"
		"\tat java.lang.Object.wait(java.base@17.0.15/Native Method)\n"
		"\tat a.B.m(B.java:155)\n\tat a.B.m(B.java)\n\tat a.B.m(Unknown Source)\n"
		"\tat a.B.m(shop@1.0:2/B.java:7)\n\tat a.B.m(B.java:8\n\tat a.B.m(B.java:)\n"
		"\"b\" #2 [6700] daemon prio=5 os_prio=0 tid=0x7f nid=6700 runnable  [0x7f]\n\tat a.B.m(B.java:1)\n"
		"\"c\" #3 prio=5\n\tat a.B.m(B.java:2)\n",
		note_place, NULL);
	assert_string_equal(places, "6311:-1n 6311:155 6311:-1 6311:-1 6311:7 6311:-1 6311:-1 6700:1 0:2 ");
}

static int stop(const struct active_frame *f, void *context)
{
	++*(int *)context;
	return -7;
}

CASE(walk_ends_on_request)
{
	int calls = 0;

	assert_int_equal(dump_each_frame("\tat A.m(A.java)\n\tat A.m(A.java)\n", stop, &calls), -7);
	assert_int_equal(calls, 1);
}

CASE(threads_are_found_by_their_kernel_ids)
{
	struct java_threads t = {.count = 0};

	assert_null(java_threads_find(&t, 16));
	java_threads_read(&t,
			  "\"b\" #31 prio=5 nid=0x20 runnable\n\tat A.m(A.java)\n\"a\" #9 prio=5 nid=0x10 runnable\n");
	assert_string_equal(java_threads_find(&t, 32)->name, "b");
	assert_int_equal(java_threads_find(&t, 16)->java_id, 9);
	assert_null(java_threads_find(&t, 17));
	java_threads_read(&t, "\"c\" #1 prio=5 nid=0x11 runnable\n");
	assert_null(java_threads_find(&t, 16));
	assert_string_equal(java_threads_find(&t, 17)->name, "c");
	java_threads_release(&t);
}
