// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread takes a scratch row, copies, and releases the row. The program may have closed the agent's descriptor
 * and reused its number, and the agent must not write into that file. So each copy first checks that the
 * descriptor has the segment's seals.
 */
#include "uprobes/agent/own_memory.h"
#include "uprobes/agent/control.h"

#define PAGE	   4096u
#define MOST_PAGES 16384u
#define ROUNDS	   64

static uint8_t rows_held[FRT_SCRATCH_ROWS];

/*
 * Take a row. Returns FRT_SCRATCH_ROWS if there is no segment or all rows are taken. Threads start their search at
 * different rows.
 */
static uint32_t row_take(void)
{
	uint32_t first = (uint64_t)__builtin_frame_address(0) >> 12;

	if (!control || !sys_is_sealed(control_fd()))
		return FRT_SCRATCH_ROWS;
	for (uint32_t i = 0; i < ROUNDS * FRT_SCRATCH_ROWS; i++) {
		uint32_t row = (first + i) % FRT_SCRATCH_ROWS;

		if (!__atomic_exchange_n(&rows_held[row], 1, __ATOMIC_ACQUIRE))
			return row;
	}
	return FRT_SCRATCH_ROWS;
}

static void row_drop(uint32_t row)
{
	__atomic_store_n(&rows_held[row], 0, __ATOMIC_RELEASE);
}

static bool row_fill(uint32_t row, size_t size, uint64_t from)
{
	return sys_write_at(control_fd(), from, size, FRT_SCRATCH_AT + row * FRT_SCRATCH_ROW);
}

static bool row_read(uint32_t row, char *to, size_t size, uint64_t from)
{
	for (size_t part; size; size -= part, to += part, from += part) {
		part = size < FRT_SCRATCH_ROW ? size : FRT_SCRATCH_ROW;
		if (!row_fill(row, part, from))
			return false;
		memcpy(to, control_at(FRT_SCRATCH_AT + row * FRT_SCRATCH_ROW), part);
	}
	return true;
}

static bool row_touch(uint32_t row, uint64_t from, uint64_t to)
{
	for (from &= -(uint64_t)PAGE; from < to; from += PAGE)
		if (!row_fill(row, 1, from))
			return false;
	return true;
}

bool own_memory_read(void *to, size_t size, uint64_t from)
{
	uint32_t row = row_take();
	bool good;

	if (row == FRT_SCRATCH_ROWS)
		return false;
	good = row_read(row, to, size, from);
	row_drop(row);
	return good;
}

bool own_memory_read_two(void *first, size_t first_size, uint64_t first_from, void *second, size_t second_size,
			 uint64_t second_from)
{
	uint32_t row = row_take();
	bool good;

	if (row == FRT_SCRATCH_ROWS)
		return false;
	good = row_read(row, first, first_size, first_from) && row_read(row, second, second_size, second_from);
	row_drop(row);
	return good;
}

bool own_memory_readable(uint64_t from, uint64_t to)
{
	uint32_t row;
	bool good;

	if (to - from > (uint64_t)MOST_PAGES * PAGE)
		return false;
	row = row_take();
	if (row == FRT_SCRATCH_ROWS)
		return false;
	good = row_touch(row, from, to);
	row_drop(row);
	return good;
}
