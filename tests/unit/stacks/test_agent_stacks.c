// SPDX-License-Identifier: BSD-2-Clause
#include "user/stacks/agent_stacks.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"

static struct segment segment;
static struct stacks *stacks;
static char seen[4096]; /* "id:count/first frame's code " for each that was handed out */

static int setup(void **state)
{
	segment = fake_segment_new();
	stacks = calloc(1, sizeof(*stacks));
	stacks_begin(stacks, &segment);
	return 0;
}

static int teardown(void **state)
{
	free(stacks);
	fake_segment_free(&segment);
	return 0;
}

static void on_stack(void *context, const struct stack *s)
{
	size_t used = strlen(seen);

	assert_null(context);
	snprintf(seen + used, sizeof(seen) - used, "%u:%u/%llu ", s->id, s->count,
		 s->count ? (unsigned long long)s->frame[0].code : 0);
}

static const char *read_all(bool all)
{
	seen[0] = 0;
	stacks_read(stacks, all, on_stack, NULL);
	return seen;
}

/* `count` frames whose codes are `code`, code + 1, ... */
static uint32_t add(uint64_t code, uint32_t count)
{
	struct frt_frame frames[STACK_MOST];

	for (uint32_t i = 0; i < count; i++)
		frames[i] = (struct frt_frame){.code = code + i, .kind = FRT_FRAME_COMPILED};
	return fake_stack(&segment, frames, count, FRT_WALK_DEPTH, FRT_STACK_INCLUSIVE);
}

static void assert_done(uint32_t id, uint32_t frame)
{
	assert_int_equal(segment_header(&segment)->recording[0].stack_done, (uint64_t)id << 32 | frame);
}

static void begin_at(uint32_t id, uint32_t frame)
{
	segment_header(&segment)->stack_next = (uint64_t)id << 32 | frame;
	stacks_begin(stacks, &segment);
}

CASE(stacks_are_handed_out_once_and_in_order, setup, teardown)
{
	add(100, 3);
	add(200, 1);
	assert_string_equal(read_all(false), "1:3/100 2:1/200 ");
	assert_done(3, 4);
	assert_string_equal(read_all(false), "");
	add(300, 2);
	assert_string_equal(read_all(false), "3:2/300 ");
	assert_done(4, 6);
	assert_int_equal(stacks->given_up, 0);
}

CASE(copy_says_what_the_row_says, setup, teardown)
{
	const struct stack *s;
	uint32_t id = add(100, 3);

	s = stacks_find(stacks, id);
	assert_non_null(s);
	assert_int_equal(s->id, id);
	assert_int_equal(s->count, 3);
	assert_int_equal(s->end, FRT_WALK_DEPTH);
	assert_int_equal(s->flags, FRT_STACK_INCLUSIVE);
	assert_int_equal(s->frame[2].code, 102);
	assert_int_equal(s->frame[2].kind, FRT_FRAME_COMPILED);
}

CASE(stacks_of_an_earlier_recording_are_left_out, setup, teardown)
{
	add(100, 3);
	stacks_begin(stacks, &segment);
	assert_done(2, 3);
	add(200, 1);
	assert_string_equal(read_all(false), "2:1/200 ");
}

CASE(reading_stops_at_a_row_that_is_being_written, setup, teardown)
{
	uint32_t first, id;

	add(100, 3);
	id = fake_stack_reserve(&segment, 2, &first);
	add(300, 1);
	assert_string_equal(read_all(false), "1:3/100 ");
	assert_done(2, 3);
	assert_non_null(stacks_find(stacks, 3)); /* a span may name it already */
	assert_null(stacks_find(stacks, id));
	*fake_frame(&segment, first) = (struct frt_frame){.code = 200};
	*fake_stack_row(&segment, id) = (struct frt_stack){.id = id, .first = first, .count = 2};
	assert_string_equal(read_all(false), "2:2/200 3:1/300 ");
	assert_done(4, 6);
}

CASE(row_that_is_never_written_is_given_up_at_the_end, setup, teardown)
{
	uint32_t first;

	fake_stack_reserve(&segment, 2, &first);
	add(300, 1);
	fake_stack_reserve(&segment, 7, &first);
	assert_string_equal(read_all(true), "2:1/300 ");
	assert_int_equal(stacks->given_up, 2);
	assert_done(4, 10);
}

CASE(frames_go_round_the_end_of_their_table, setup, teardown)
{
	const struct stack *s;

	begin_at(7, 3 * FRT_STACK_FRAMES - 2);
	add(100, 5);
	assert_string_equal(read_all(false), "7:5/100 ");
	assert_done(8, 3 * FRT_STACK_FRAMES + 3);
	s = stacks_find(stacks, 7);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(s->frame[i].code, 100 + i);
}

CASE(ids_and_frames_go_round_too, setup, teardown)
{
	begin_at(FRT_STACK_UNTAKEN - 1, UINT32_MAX);
	add(100, 2);
	add(200, 2);
	assert_string_equal(read_all(false), "4294967293:2/100 1:2/200 ");
	assert_done(2, 3);
	assert_int_equal(stacks->given_up, 0);
}

CASE(longest_stack_is_read, setup, teardown)
{
	add(100, STACK_MOST);
	assert_string_equal(read_all(false), "1:2049/100 ");
}

CASE(count_that_is_too_big_is_refused, setup, teardown)
{
	uint32_t id = add(100, 3);

	fake_stack_row(&segment, id)->count = STACK_MOST + 1;
	assert_null(stacks_find(stacks, id));
	fake_stack_row(&segment, id)->count = UINT16_MAX;
	assert_null(stacks_find(stacks, id));
	add(200, 1);
	assert_string_equal(read_all(false), "2:1/200 ");
	assert_int_equal(stacks->given_up, 1);
}

CASE(frames_that_were_given_out_again_are_refused, setup, teardown)
{
	uint32_t id = add(100, 3);

	segment_header(&segment)->stack_next = (uint64_t)2 << 32 | FRT_STACK_FRAMES;
	assert_non_null(stacks_find(stacks, id));
	segment_header(&segment)->stack_next = (uint64_t)2 << 32 | (FRT_STACK_FRAMES + 1);
	assert_null(stacks_find(stacks, id));
}

CASE(row_of_another_id_is_not_taken, setup, teardown)
{
	add(100, 3);
	assert_null(stacks_find(stacks, 1 + FRT_STACKS));
	assert_null(stacks_find(stacks, 0));
	assert_null(stacks_find(stacks, FRT_STACK_LOST));
	fake_stack_row(&segment, FRT_STACK_LOST)->id = FRT_STACK_LOST;
	assert_null(stacks_find(stacks, FRT_STACK_LOST));
	fake_stack_row(&segment, FRT_STACK_UNTAKEN)->id = FRT_STACK_UNTAKEN;
	assert_null(stacks_find(stacks, FRT_STACK_UNTAKEN));
}

CASE(end_that_is_not_known_is_no_known_one, setup, teardown)
{
	uint32_t id = add(100, 1);

	fake_stack_row(&segment, id)->end = 200;
	assert_int_equal(stacks_find(stacks, id)->end, FRT_WALK_ENDS);
}

CASE(forged_distance_ends, setup, teardown)
{
	segment_header(&segment)->stack_next = 5; /* id 0, four billion ahead */
	assert_string_equal(read_all(false), "");
	assert_string_equal(read_all(true), "");
	assert_done(0, 5);
	segment_header(&segment)->stack_next = (uint64_t)FRT_STACK_LOST << 32;
	read_all(true);
	assert_done(FRT_STACK_LOST, 0);
}

CASE(forged_rows_cannot_keep_the_reader_for_ever, setup, teardown)
{
	uint32_t handed_out = 0;

	for (uint32_t id = 1; id < FRT_STACKS; id++)
		*fake_stack_row(&segment, id) = (struct frt_stack){.id = id, .count = FRT_MAX_DEPTH};
	segment_header(&segment)->stack_next = (uint64_t)FRT_STACKS << 32;
	for (const char *c = read_all(false); *c; c++)
		handed_out += *c == ' ';
	assert_in_range(handed_out, 1, FRT_STACK_FRAMES / FRT_MAX_DEPTH);
	assert_done(FRT_STACKS, 0);
}
