// SPDX-License-Identifier: BSD-2-Clause
/*
 * With any layout, the agent's walk ends and loads nothing that it should not (own_stack.h checks each load).
 * FRTRACE_TEST_ROUNDS: number of random layouts.
 */
#include "tests/lib/garble.h"
#include "tests/lib/own_stack.h"

static uint64_t random_state = 1;
static uint32_t ends[FRT_WALK_ENDS], nothing_called, off;
static uint64_t frames_seen;

static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x2545f4914f6cdd1dULL;
}

/* Put code into every corner of the heap: its first block, the last committed bytes, nothing free. */
static void fill_heap(void)
{
	uint32_t last = FAKE_COMMITTED / FAKE_SEGMENT;

	reset();
	fake_blob_new(java, 0, 2, "nmethod", 5, 901);
	for (uint32_t i = 60; i + 3 <= last; i += 3)
		fake_blob_new(java, i, i + 6 > last ? last - i : 3, i % 2 ? "nmethod" : "native nmethod", 3 + i % 7,
			      1000 + i);
}

static uint64_t some_pc(void)
{
	uint64_t heap = (uint64_t)java->heap;

	switch (random_word() % 8) {
	case 0: return heap + random_word() % (FAKE_HEAP + 64) - 32;
	case 1: return heap + FAKE_COMMITTED - 1 - random_word() % 300;
	case 2: return FAKE_INTERPRETER + random_word() % 64;
	case 3: return heap + random_word() % 512;
	case 4: return compiled->handler[random_word() % 2];
	case 5: return FAKE_CALL_STUB;
	default: return fake_pc(other, random_word() % 4000);
	}
}

/* A wrong value that is plausible enough to continue. */
static uint64_t some_word(uint64_t right)
{
	static const int near[] = {1, -1, 2, 4, -4, 8, -8, 16, -16, 0x1000, -0x1000};
	uint64_t stack = (uint64_t)__builtin_frame_address(0), places[] = {
								       0,
								       UINT64_MAX,
								       0xffff,
								       0x7fff,
								       0x8000,
								       (uint64_t)java->heap,
								       (uint64_t)java->heap + FAKE_COMMITTED,
								       (uint64_t)java->heap + FAKE_HEAP,
								       (uint64_t)java,
								       (uint64_t)&java->committed,
								       (uint64_t)java->segmap,
								       (uint64_t)&java->layout.heap[0].high,
								       stack,
								       slot.stack_end,
								       (uint64_t)control,
								       (uint64_t)&thread,
								       (uint64_t)stack_take,
								       1ULL << 47,
								       1ULL << 63,
							       };

	switch (random_word() % 5) {
	case 4: /* from a blob to just before the committed end */
		return FAKE_SEGMENT * (1 + random_word() % 16) - sizeof(compiled->block) - random_word() % 10;
	case 0: return random_word() >> random_word() % 64;
	case 1: return right + near[random_word() % (sizeof(near) / sizeof(near[0]))];
	case 2: return places[random_word() % (sizeof(places) / sizeof(places[0]))];
	default:
		return places[random_word() % (sizeof(places) / sizeof(places[0]))] +
		       near[random_word() % (sizeof(near) / sizeof(near[0]))];
	}
}

static void spoil(struct frt_layout *l, const struct layout_field *f, uint64_t value)
{
	memcpy((char *)l + f->at, &value, f->size);
}

static uint64_t right_value(const struct layout_field *f)
{
	uint64_t value = 0;

	memcpy(&value, (char *)&java->layout + f->at, f->size);
	return value;
}

/* As begin(), without reading the mappings again. */
static void begin_with(const struct frt_layout *l)
{
	config.layout = *l;
	config.stack_depth = 64;
	stack_begin(0, &config);
	stack_thread_begin(&slot, ENV);
	control->recording[0].stack_done = control->stack_next;
}

static void count_end(uint32_t id)
{
	if (!slot.stack_end)
		off++;
	else if (!id)
		nothing_called++;
	else if (id != FROM_JVM) {
		assert_true(row(id)->end < FRT_WALK_ENDS);
		assert_true(row(id)->count <= 65);
		ends[row(id)->end]++;
		frames_seen += row(id)->count;
	}
}

/* Frames of every kind, with some random ones in the middle. Twice: the second time all cached entries are verified. */
static void walk_some(void)
{
	uint64_t *word;
	uint32_t id;
	FRAMES(f);

	memset(room_, 0, sizeof(room_));
	lay_call_stub(&f);
	lay_interpreted(&f, interpreted2, 0xbc8);
	lay_fixed(&f, compiled, compiled->handler[0]);
	lay_upcall(&f, upcall);
	for (uint32_t n = random_word() % 8 * (random_word() % 2); n > 0; n--)
		lay_fixed(&f, n % 2 ? other : stub, some_pc());
	if (random_word() % 16 == 0)
		f.pc = fake_pc(barrier, 8);
	lay_fixed(&f, native, fake_pc(native, 30));
	lay_call_stub(&f);
	lay_fixed(&f, other, fake_pc(other, random_word() % 4000));
	for (uint32_t n = random_word() % 8 * (random_word() % 2); n > 0; n--) {
		word = &room_[ROOM - 1 - random_word() % (room_ + ROOM - f.sp)];
		*word = random_word() % 2 ? some_pc() : some_word(*word);
	}
	for (int i = 0; i < 2; i++) {
		if (random_word() % 2)
			lay_interpreted(&f, interpreted, 0xbc1);
		id = stack_depth ? take(&f) : 0;
		count_end(id);
	}
}

WALK(each_wrong_field_in_turn_causes_no_fault)
{
	static const uint64_t wrong[] = {0, 1, 0xffff, 0x7fff, 0x8000, 0xfff8, 4095, UINT64_MAX, 1ULL << 47};
	struct frt_layout l;

	fill_heap();
	for (uint32_t i = 0; i < layout_field_count; i++) {
		for (uint32_t n = 0; n < 9 + 40; n++) {
			l = java->layout;
			spoil(&l, &layout_fields[i], n < 9 ? wrong[n] : some_word(right_value(&layout_fields[i])));
			begin_with(&l);
			for (int k = 0; k < 4; k++)
				walk_some();
		}
	}
}

/* The agent checks the heaps itself; all other fields reach a walk. */
WALK(several_wrong_fields_cause_no_fault)
{
	const char *wanted = getenv("FRTRACE_TEST_ROUNDS");
	uint32_t rounds = wanted ? atoi(wanted) : 4000;
	struct frt_layout l;

	fill_heap();
	for (uint32_t i = 0; i < rounds; i++) {
		l = java->layout;
		for (uint32_t n = random_word() % 5 + 1; n > 0; n--) {
			const struct layout_field *f = &layout_fields[random_word() % layout_field_count];

			spoil(&l, f, some_word(right_value(f)));
		}
		begin_with(&l);
		for (int k = 0; k < 3; k++)
			walk_some();
	}
}

WALK(layout_of_garbage_causes_no_fault)
{
	const char *wanted = getenv("FRTRACE_TEST_ROUNDS");
	uint32_t rounds = wanted ? atoi(wanted) : 4000;
	struct frt_layout l, good;

	fill_heap();
	for (uint32_t i = 0; i < rounds; i++) {
		good = java->layout;
		for (uint32_t n = 0; n < sizeof(l); n += 8)
			memcpy((char *)&l + n, &(uint64_t){random_word()}, sizeof(l) - n < 8 ? sizeof(l) - n : 8);
		if (i % 8) { /* otherwise stacks are off at once */
			l.jdk_version = good.jdk_version;
			l.heaps = i % 3 + 1;
			for (uint32_t n = 0; n < l.heaps; n++) {
				l.heap[n] = good.heap[0];
				if (random_word() % 4 == 0)
					l.heap[n].committed = some_word(l.heap[n].committed);
				if (random_word() % 4 == 0)
					l.heap[n].segmap = some_word(l.heap[n].segmap);
			}
			l.segment_log2 = random_word() % 32;
			l.thread_anchor = good.thread_anchor;
			l.thread_env = good.thread_env;
			l.anchor_sp = random_word() % 2 ? good.anchor_sp : random_word() % 64;
			l.anchor_pc = random_word() % 2 ? good.anchor_pc : random_word() % 64;
			l.anchor_fp = random_word() % 64;
			l.nmethod_compile_id %= 4096;
			if (random_word() % 2)
				l.blob_name = good.blob_name, l.block_size = good.block_size,
				l.block_used = good.block_used, l.segment_log2 = good.segment_log2;
		}
		begin_with(&l);
		for (int k = 0; k < 3; k++)
			walk_some();
	}
}

static int say_what_was_seen(void **state)
{
	printf("stacks off %u, nothing called %u, frames %lu; ended by", off, nothing_called,
	       (unsigned long)frames_seen);
	for (uint32_t i = 0; i < FRT_WALK_ENDS; i++)
		printf(" %u", ends[i]);
	printf("\n");
	return 0;
}

int main(void)
{
	return test_main(NULL, say_what_was_seen);
}
