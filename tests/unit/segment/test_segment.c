// SPDX-License-Identifier: BSD-2-Clause
/* The readers of the control segment, on a good one and on forged ones. */
#include "user/segment/segment.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static struct segment seg;

static int setup(void **state)
{
	seg = fake_segment_new();
	return 0;
}

static int teardown(void **state)
{
	fake_segment_free(&seg);
	return 0;
}

CASE(rows_are_found_up_to_the_fill, setup, teardown)
{
	uint32_t loader = fake_loader(&seg, "a/L", "app"), c = fake_class(&seg, "a/C", loader, 0);
	uint32_t m = fake_method(&seg, c, "run", "()V", 0);

	fake_skip(&seg, "a/D", NULL, NULL, FRT_SKIP_HIDDEN);
	fake_slot(&seg, 10, 0);
	assert_int_equal(segment_class(&seg, c)->loader, loader);
	assert_int_equal(segment_method(&seg, m)->class_id, c);
	assert_int_equal(segment_skip(&seg, 0)->reason, FRT_SKIP_HIDDEN);
	assert_non_null(segment_loader(&seg, FRT_BOOT_LOADER));
	assert_non_null(segment_slot(&seg, 0));
	assert_null(segment_class(&seg, c + 1));
	assert_null(segment_method(&seg, m + 1));
	assert_null(segment_loader(&seg, loader + 1));
	assert_null(segment_skip(&seg, 1));
	assert_null(segment_slot(&seg, 1));
}

CASE(row_zero_is_no_class_and_no_method, setup, teardown)
{
	fake_method(&seg, fake_class(&seg, "a/C", 0, 0), "run", "()V", 0);
	assert_null(segment_class(&seg, 0));
	assert_null(segment_method(&seg, 0));
}

CASE(forged_fills_end_at_the_tables_ends, setup, teardown)
{
	struct frt_header *h = segment_header(&seg);

	h->loaders = h->classes = h->methods = h->recording[0].skips = h->slots = UINT32_MAX;
	assert_non_null(segment_loader(&seg, FRT_MAX_LOADERS - 1));
	assert_null(segment_loader(&seg, FRT_MAX_LOADERS));
	assert_non_null(segment_class(&seg, FRT_MAX_CLASSES - 1));
	assert_null(segment_class(&seg, FRT_MAX_CLASSES));
	assert_non_null(segment_method(&seg, FRT_MAX_METHODS - 1));
	assert_null(segment_method(&seg, FRT_MAX_METHODS));
	assert_non_null(segment_skip(&seg, FRT_MAX_SKIPS - 1));
	assert_null(segment_skip(&seg, FRT_MAX_SKIPS));
	assert_non_null(segment_slot(&seg, FRT_MAX_SLOTS - 1));
	assert_null(segment_slot(&seg, FRT_MAX_SLOTS));
}

static void assert_string(uint32_t number, const char *want)
{
	char out[16] = "garbage";

	assert_int_equal(segment_string(&seg, number, out, sizeof(out)), strlen(want));
	assert_string_equal(out, want);
}

CASE(string_is_copied_and_cut_to_the_room, setup, teardown)
{
	uint32_t a = fake_string(&seg, "checkout"), b = fake_string(&seg, ""),
		 c = fake_string(&seg, "0123456789abcdefg");

	assert_string(a, "checkout");
	assert_string(b, "");
	assert_string(c, "0123456789abcde");
	assert_string(0, "");
}

CASE(string_outside_of_what_is_filled_is_empty, setup, teardown)
{
	uint32_t a = fake_string(&seg, "one"), b = fake_string(&seg, "two");

	assert_string(segment_header(&seg)->strings, "");
	assert_string(FRT_STRINGS_SIZE, "");
	assert_string(FRT_STRINGS_SIZE - 1, "");
	for (uint32_t back = 1; back < 8; back++) /* where adding to the number begins at 0 again */
		assert_string(-back, "");
	segment_header(&seg)->strings = b + 3; /* its bytes are not covered yet */
	assert_string(b, "");
	assert_string(a, "one");
}

CASE(forged_string_length_ends_at_the_heap, setup, teardown)
{
	unsigned char *heap = (unsigned char *)seg.base + FRT_STRINGS_AT;
	static char out[1 << 17];

	segment_header(&seg)->strings = UINT32_MAX;
	heap[FRT_STRINGS_SIZE - 3] = heap[FRT_STRINGS_SIZE - 2] = 0xff;
	assert_int_equal(segment_string(&seg, FRT_STRINGS_SIZE - 3, out, sizeof(out)), 0);
	heap[8] = heap[9] = 0xff;
	assert_int_equal(segment_string(&seg, 8, out, sizeof(out)), 0xffff);
}

CASE(thread_row_is_its_own_serials, setup, teardown)
{
	struct frt_thread row;

	fake_thread(&seg, 5, "worker", "main");
	assert_true(segment_thread(&seg, 5, &row));
	assert_int_equal(row.tid, 4005);
	assert_memory_equal(row.name, "worker", 6);
	assert_false(segment_thread(&seg, 6, &row));
	assert_false(segment_thread(&seg, FRT_NO_THREAD, &row));
	assert_false(segment_thread(&seg, 5 + FRT_MAX_THREADS, &row));
	fake_thread(&seg, 5 + FRT_MAX_THREADS, "later", "main");
	assert_false(segment_thread(&seg, 5, &row));
	assert_true(segment_thread(&seg, 5 + FRT_MAX_THREADS, &row));
}

CASE(forged_lengths_of_a_thread_stay_within_its_texts, setup, teardown)
{
	struct frt_thread *forged = fake_thread(&seg, 5, "w", "m"), row;

	forged->name_length = forged->group_length = 255;
	assert_true(segment_thread(&seg, 5, &row));
	assert_int_equal(row.name_length, sizeof(row.name));
	assert_int_equal(row.group_length, sizeof(row.group));
}

CASE(totals_are_sums_over_the_present_recording, setup, teardown)
{
	struct frt_slot *a = fake_slot(&seg, 10, 0), *b = fake_slot(&seg, 10, 0), *old = fake_slot(&seg, 10, 0);
	struct segment_totals t;

	a->entered = 10, a->exited = 7, a->thrown = 2, a->recorded = 6, a->longest = 50, a->lost_exits = 1;
	b->entered = 5, b->exited = 4, b->unrecorded = 3, b->longest = 90, b->moved_exits = 2;
	*old = *a;
	old->epoch = 0;
	segment_header(&seg)->recording[0].unslotted = 11;
	segment_totals(&seg, &t);
	assert_int_equal(t.entered, 15);
	assert_int_equal(t.exited, 11);
	assert_int_equal(t.thrown, 2);
	assert_int_equal(t.recorded, 6);
	assert_int_equal(t.unrecorded, 3);
	assert_int_equal(t.lost_exits, 1);
	assert_int_equal(t.moved_exits, 2);
	assert_int_equal(t.longest, 90);
	assert_int_equal(t.unslotted, 11);
	assert_int_equal(t.open, 3);
	assert_int_equal(t.ring_bytes, 3 * 1024);
}

CASE(more_exits_than_entries_are_no_open_calls, setup, teardown)
{
	struct segment_totals t;

	fake_slot(&seg, 10, 0)->exited = 3;
	segment_totals(&seg, &t);
	assert_int_equal(t.open, 0);
}

CASE(oldest_open_call_is_of_the_lowest_frame, setup, teardown)
{
	struct frt_slot *a = fake_slot(&seg, 10, 0), *b = fake_slot(&seg, 10, 0), *carrier = fake_slot(&seg, 10, 0);
	struct segment_totals t;

	segment_totals(&seg, &t);
	assert_int_equal(t.oldest_start, 0);
	a->depth = 2, a->open[0].start = 500, a->open[0].method = 1, a->open[1].start = 600;
	b->depth = UINT32_MAX, b->open[0].start = 400, b->open[0].method = 2;
	carrier->depth = 1, carrier->open[0].start = 1, carrier->flags = FRT_SLOT_CARRIER; /* best effort only */
	segment_totals(&seg, &t);
	assert_int_equal(t.oldest_start, 400);
	assert_int_equal(t.oldest_method, 2);
}

/* A constructor that an exception out of super() has ended stays among the open calls until an outer call ends. */
CASE(oldest_open_call_is_on_a_stack, setup, teardown)
{
	struct frt_slot *a = fake_slot(&seg, 10, 0), *b = fake_slot(&seg, 10, 0);
	struct segment_totals t;

	segment_header(&seg)->recording[0].open_dump = 3;
	a->depth = 3, a->open_dump_epoch = 3, a->open_dump_dead = 3, a->open_dump_at = 700;
	a->open[0].start = 100, a->open[1].start = 200, a->open[2].start = 600, a->open[2].method = 7;
	b->depth = FRT_OPEN_CALLS + 5, b->open_dump_epoch = 3, b->open_dump_dead = UINT32_MAX, b->open_dump_at = 700;
	segment_totals(&seg, &t);
	assert_int_equal(t.oldest_start, 600);
	assert_int_equal(t.oldest_method, 7);
	a->open_dump_epoch = 2; /* an earlier dump */
	segment_totals(&seg, &t);
	assert_int_equal(t.oldest_start, 100);
	a->open_dump_epoch = 3, a->open_dump_at = 150; /* the second call began since */
	segment_totals(&seg, &t);
	assert_int_equal(t.oldest_start, 200);
}

/* This very process as target: it holds a memfd of the agent's name. */
static struct target myself(void)
{
	return (struct target){.pid = getpid(), .ns_pid = getpid(), .pidfd = -1};
}

static int make_memfd(const char *name, size_t size, int seals, uint64_t magic)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(pwrite(fd, &magic, sizeof(magic), 0), sizeof(magic));
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

CASE(segment_of_the_agent_is_opened_and_shared)
{
	int fd = make_memfd("frtrace-unit1", FRT_SEGMENT_SIZE, SEALS, FRT_MAGIC);
	struct target t = myself();
	struct segment s;
	struct diag d;
	uint32_t epoch = 0;

	assert_int_equal(segment_open(&s, &t, "unit1", &d), 0);
	segment_header(&s)->epoch = 77;
	assert_int_equal(pread(fd, &epoch, 4, offsetof(struct frt_header, epoch)), 4);
	assert_int_equal(epoch, 77);
	segment_close(&s);
	assert_null(s.base);
	segment_close(&s);
	close(fd);
}

CASE(segment_that_is_not_there_is_enoent)
{
	struct target t = myself();
	struct segment s;
	struct diag d;

	assert_int_equal(segment_open(&s, &t, "unit2", &d), -ENOENT);
	segment_close(&s);
	assert_int_equal(segment_check_free(&t, "unit4", &d), 0);
}

/* A mapping of a file that can shrink would kill us with SIGBUS. */
CASE(segment_not_as_made_is_refused)
{
	static const struct {
		size_t size;
		int seals;
		uint64_t magic;
	} rows[] = {
		{FRT_SEGMENT_SIZE, 0, FRT_MAGIC},
		{FRT_SEGMENT_SIZE, F_SEAL_GROW, FRT_MAGIC},
		{FRT_SEGMENT_SIZE, F_SEAL_SHRINK, FRT_MAGIC},
		{FRT_SEGMENT_SIZE - 4096, SEALS, FRT_MAGIC},
		{FRT_SEGMENT_SIZE + 4096, SEALS, FRT_MAGIC},
		{FRT_SEGMENT_SIZE, SEALS, FRT_MAGIC ^ 1},
	};
	struct target t = myself();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int fd = make_memfd("frtrace-unit3", rows[i].size, rows[i].seals, rows[i].magic);
		struct segment s;
		struct diag d = {0};

		assert_int_equal(segment_open(&s, &t, "unit3", &d), -EPROTO);
		assert_memory_equal(d.text, "refuse the agent's control segment", 34);
		assert_null(s.base);
		assert_int_equal(s.fd, -1);
		close(fd);
	}
}

CASE(as_many_recordings_as_there_are_rows_then_it_is_told_who_records)
{
	int fd = make_memfd("frtrace-unit4", FRT_SEGMENT_SIZE, SEALS, FRT_MAGIC);
	struct segment s[FRT_RECORDINGS + 1];
	struct frt_owner owner;
	struct target t = myself();
	struct diag d = {0};

	for (uint32_t i = 0; i <= FRT_RECORDINGS; i++)
		assert_int_equal(segment_open(&s[i], &t, "unit4", &d), 0);
	strcpy(segment_header(&s[0])->tag, "unit4");
	assert_false(segment_owner(&t, "unit4", 0, &owner));
	for (uint32_t i = 0; i < FRT_RECORDINGS; i++) {
		assert_int_equal(segment_check_free(&t, "unit4", &d), 0);
		assert_int_equal(segment_claim(&s[i], &d), 0);
		assert_int_equal(s[i].recording, i);
		segment_recording(&s[i])->owner = (struct frt_owner){.pid = 4321 + i, .uid = 17};
		memset(segment_recording(&s[i])->owner.what, 'w', sizeof(owner.what));
	}
	assert_true(segment_owner(&t, "unit4", 2, &owner) && owner.pid == 4323);
	assert_false(segment_owner(&t, "other", 2, &owner));
	assert_int_equal(segment_claim(&s[FRT_RECORDINGS], &d), -EBUSY);
	assert_contains(d.text, "pid 4321 (uid 17)");
	assert_contains(d.text, "pid 4324 (uid 17)");
	d.text[0] = 0;
	assert_int_equal(segment_check_free(&t, "unit4", &d), -EBUSY);
	assert_contains(d.text, "pid 4322 (uid 17)");
	segment_close(&s[2]); /* the lock ends with its holder */
	assert_int_equal(segment_check_free(&t, "unit4", &d), 0);
	assert_int_equal(segment_claim(&s[FRT_RECORDINGS], &d), 0);
	assert_int_equal(s[FRT_RECORDINGS].recording, 2);
	for (uint32_t i = 0; i <= FRT_RECORDINGS; i++)
		segment_close(&s[i]);
	close(fd);
}

CASE(another_builds_tracer_is_respected)
{
	int fd = make_memfd("frtrace-unit5", FRT_SEGMENT_SIZE, SEALS, FRT_MAGIC), other;
	struct segment holder;
	struct target t = myself();
	struct diag d = {0};
	char path[64];

	assert_int_equal(segment_open(&holder, &t, "unit5", &d), 0);
	strcpy(segment_header(&holder)->tag, "unit5");
	assert_int_equal(segment_check_free(&t, "mine", &d), 0);
	assert_int_equal(segment_claim(&holder, &d), 0);
	assert_int_equal(segment_check_free(&t, "mine", &d), -EBUSY);
	segment_close(&holder);
	assert_int_equal(segment_check_free(&t, "mine", &d), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	other = open(path, O_RDWR | O_CLOEXEC); /* an earlier build locks the whole file */
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(segment_check_free(&t, "mine", &d), -EBUSY);
	close(other);
	close(fd);
}

/* One command at a time, whoever sends it. */
CASE(command_lock_has_one_holder)
{
	int fd = make_memfd("frtrace-unit6", FRT_SEGMENT_SIZE, SEALS, FRT_MAGIC);
	struct segment a, b;
	struct target t = myself();
	struct diag d = {0};

	assert_int_equal(segment_open(&a, &t, "unit6", &d), 0);
	assert_int_equal(segment_open(&b, &t, "unit6", &d), 0);
	assert_true(segment_lock_command(&a));
	assert_false(segment_lock_command(&b));
	assert_int_equal(segment_claim(&b, &d), 0); /* a row is another lock */
	segment_unlock_command(&a);
	assert_true(segment_lock_command(&b));
	segment_close(&b);
	assert_true(segment_lock_command(&a));
	segment_close(&a);
	close(fd);
}

/* The slots' own counters are those of the recording that began the epoch. All shares count for their recording only. */
CASE(recordings_have_counts_of_their_own, setup, teardown)
{
	struct frt_slot *slot = fake_slot(&seg, 10, 0);
	struct frt_share *shares = (struct frt_share *)(seg.base + FRT_SHARES_AT);
	struct segment second = seg;
	struct segment_totals t;

	second.recording = 1;
	segment_recording(&seg)->number = 5;
	segment_recording(&second)->number = 6;
	segment_recording(&second)->since = 1000;
	segment_recording(&second)->unslotted = 4;
	slot->entered = 10, slot->exited = 9;
	shares[0] = (struct frt_share){.entered = 3, .exited = 2, .longest = 70, .number = 5};
	shares[1] = (struct frt_share){.entered = 8, .exited = 4, .lost_exits = 1, .recorded = 2, .number = 6};
	segment_totals(&seg, &t);
	assert_int_equal(t.entered, 13);
	assert_int_equal(t.exited, 11);
	assert_int_equal(t.open, 2);
	assert_int_equal(t.longest, 70);
	segment_totals(&second, &t);
	assert_int_equal(t.entered, 8);
	assert_int_equal(t.open, 3);
	assert_int_equal(t.recorded, 2);
	assert_int_equal(t.unslotted, 4);
	shares[1].number = 4; /* of a recording that had the row before */
	segment_totals(&second, &t);
	assert_int_equal(t.entered, 0);
}

CASE(call_belongs_to_those_that_want_its_method_from_their_begin_on, setup, teardown)
{
	struct segment second = seg;

	second.recording = 1;
	segment_recording(&second)->since = 1000;
	*segment_rule(&second, 7) = FRT_RULE_UNTRACED;
	*segment_rule(&second, 8) = FRT_RULE_UNTRACED | FRT_RULE_TIMED;
	assert_true(segment_has_call(&seg, 7, 900));
	assert_false(segment_has_call(&second, 7, 1100));
	assert_false(segment_has_call(&second, 8, 999));
	assert_true(segment_has_call(&second, 8, 1000));
}
