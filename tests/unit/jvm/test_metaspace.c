// SPDX-License-Identifier: BSD-2-Clause
/* What JVMs say of their metaspace, and what of it hooks may take. */
#include "tests/lib/test.h"
#include "user/jvm/metaspace.h"

#define MB (1ull << 20)

static const char jdk8[] = " PSYoungGen      total 76288K, used 6554K\n"
			   " Metaspace       used 16825K, capacity 18026K, committed 18304K, reserved 1064960K\n"
			   "  class space    used 1827K, capacity 1866K, committed 1920K, reserved 1048576K\n";
static const char jdk25[] = "Metaspace        used 543K, committed 704K, reserved 98304K\n"
			    " class space     used 45K, committed 128K, reserved 32768K\n\nUsage:\n"
			    "  Non-class:    497.57 KB used.\n      Class:     45.89 KB used.\n";

CASE(each_jdk_says_what_it_has_in_use)
{
	struct metaspace_use use;

	assert_true(metaspace_parse(jdk8, &use));
	assert_int_equal(use.used, 16825 << 10);
	assert_int_equal(use.committed, 18304 << 10);
	assert_int_equal(use.class_used, 1827 << 10);
	assert_int_equal(use.class_committed, 1920 << 10);
	assert_int_equal(use.class_reserved, 1048576 << 10);
	assert_true(metaspace_parse(jdk25, &use));
	assert_int_equal(use.committed, 704 << 10);
	assert_int_equal(use.class_reserved, 32768 << 10);
}

CASE(a_jvm_without_class_space_has_no_limit_for_it)
{
	struct metaspace m = {.limit = 30 * MB, .limited = true};
	struct frt_room room = {0};

	assert_true(metaspace_parse(" Metaspace       used 5305K, committed 5376K, reserved 65536K", &m.now));
	assert_int_equal(m.now.class_reserved, 0);
	metaspace_allow(&m, &room);
	assert_true(room.classes > FRT_MAX_CLASSES);
}

CASE(other_answers_are_not_taken_for_one)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"java.lang.IllegalArgumentException: Unknown diagnostic command\n",
		"Metaspace used",
		"Metaspace used K, committed K, reserved K",
		"Metaspace used 1K, committed 2K",
		"Metaspace used 1, committed 2, reserved 3",
		"Metaspace used 1K,\n committed 2K, reserved 3K",
		"Metaspace used 99999999999999999999K, committed 2K, reserved 3K",
	};
	struct metaspace_use use;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(metaspace_parse(texts[i], &use));
}

static struct frt_room allowed(uint64_t limit, uint64_t committed, uint64_t hooked_bytes, uint64_t hooked_classes)
{
	struct metaspace m = {.limit = limit,
			      .limited = true,
			      .now = {.committed = committed, .class_committed = 2 * MB, .class_reserved = 16 * MB}};
	struct frt_room room = {.hooked_bytes = hooked_bytes, .hooked_classes = hooked_classes};

	metaspace_allow(&m, &room);
	return room;
}

CASE(a_tenth_and_the_way_back_are_kept)
{
	assert_int_equal(allowed(100 * MB, 40 * MB, 0, 0).bytes, 50 * MB);
	assert_int_equal(allowed(100 * MB, 40 * MB, 30 * MB, 0).bytes, 20 * MB);
	assert_int_equal(allowed(100 * MB, 60 * MB, 30 * MB, 0).bytes, 0);
	assert_int_equal(allowed(100 * MB, 95 * MB, 0, 0).bytes, 0);
	assert_int_equal(allowed(100 * MB, 200 * MB, 0, 0).bytes, 0);
}

CASE(the_class_space_has_a_limit_of_its_own)
{
	uint64_t all = allowed(METASPACE_NO_LIMIT, 40 * MB, 0, 0).classes;

	assert_in_range(all, 3000, 6000);
	assert_in_range(allowed(METASPACE_NO_LIMIT, 40 * MB, 0, 2000).classes, all - 1010, all - 990);
	assert_int_equal(allowed(METASPACE_NO_LIMIT, 40 * MB, 0, 30000).classes, 0);
	assert_true(allowed(METASPACE_NO_LIMIT, 40 * MB, 0, 0).bytes > 1ull << 60);
}

/* Then all that hooks take is known from class files only: on the way in, and on the way out. */
CASE(in_a_jvm_that_begins_hooks_count_twice)
{
	struct metaspace m = {.limit = 100 * MB, .limited = true, .begins = true, .now = {.committed = 10 * MB}};
	struct frt_room room = {.hooked_bytes = 20 * MB};

	metaspace_allow(&m, &room);
	assert_int_equal(room.bytes, 40 * MB);
}

/* The agent's sums come from the target. */
CASE(no_sum_of_the_target_gives_room)
{
	assert_int_equal(allowed(100 * MB, 40 * MB, UINT64_MAX, UINT64_MAX).bytes, 0);
	assert_true(allowed(100 * MB, 40 * MB, UINT64_MAX, UINT64_MAX).classes <= 6000);
	assert_true(allowed(METASPACE_NO_LIMIT, 0, 0, 0).bytes <= INT64_MAX);
}

CASE(a_full_metaspace_takes_no_agent)
{
	struct target t = {.pid = 7, .name = "Full"};
	struct metaspace m = {
		.target = &t, .limit = 24 * MB, .limited = true, .now = {.used = 20 * MB, .committed = 22 * MB}};
	struct diag d = {0};

	assert_int_equal(metaspace_check(&m, &d), 0);
	m.now.used = m.now.committed = 24 * MB - 1000;
	assert_int_equal(metaspace_check(&m, &d), -ENOSPC);
	assert_string_equal(d.text, "cannot trace process 7 'Full': its metaspace is full: 24.0 MB of 24.0 MB "
				    "(-XX:MaxMetaspaceSize)");
	m.limited = false;
	assert_int_equal(metaspace_check(&m, &d), 0);
}

/* The flag of a JVM without a limit: UINT64_MAX, and up to JDK 15 that aligned down to pages, or to larger units. */
CASE(what_no_memory_has_is_no_limit)
{
	assert_true(metaspace_limit(UINT64_MAX) == METASPACE_NO_LIMIT);
	assert_true(metaspace_limit(0xfffffffffffff000) == METASPACE_NO_LIMIT);
	assert_true(metaspace_limit(0xffffffffffc00000) == METASPACE_NO_LIMIT);
	assert_true(metaspace_limit(0) == 0);
	assert_true(metaspace_limit(64 * MB) == 64 * MB);
}

/* Less than the agent needs, in all. */
CASE(the_smallest_limit_is_full)
{
	struct target t = {.pid = 7, .name = "Full"};
	struct metaspace m = {.target = &t, .limit = 4096, .limited = true, .now = {.used = 1000, .committed = 4096}};
	struct diag d = {0};

	assert_int_equal(metaspace_check(&m, &d), -ENOSPC);
	m.limit = METASPACE_NO_LIMIT;
	m.now.class_reserved = 4096;
	assert_int_equal(metaspace_check(&m, &d), -ENOSPC);
}

CASE(the_tighter_limit_is_named)
{
	struct metaspace m = {.limit = 24 * MB,
			      .limited = true,
			      .now = {.committed = 20 * MB, .class_committed = 15 * MB, .class_reserved = 16 * MB}};
	char text[METASPACE_TEXT];

	metaspace_text(&m, text);
	assert_string_equal(text, "15.0 MB of 16.0 MB (-XX:CompressedClassSpaceSize)");
	m.now.class_committed = 2 * MB;
	metaspace_text(&m, text);
	assert_string_equal(text, "20.0 MB of 24.0 MB (-XX:MaxMetaspaceSize)");
	m.begins = true;
	metaspace_text(&m, text);
	assert_string_equal(text, "at most 24.0 MB (-XX:MaxMetaspaceSize)");
}
