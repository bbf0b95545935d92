// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/garble.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FIELD(f) {#f, offsetof(struct frt_layout, f), sizeof(((struct frt_layout *)NULL)->f)}

const struct layout_field layout_fields[] = {
	FIELD(jdk_version),
	FIELD(heaps),
	FIELD(heap[0].low),
	FIELD(heap[0].high),
	FIELD(heap[0].committed),
	FIELD(heap[0].segmap),
	FIELD(interpreter),
	FIELD(interpreter_end),
	FIELD(call_stub_return),
	FIELD(continuation_return),
	FIELD(return_barrier),
	FIELD(segment_log2),
	FIELD(thread_anchor),
	FIELD(thread_env),
	FIELD(thread_stack_base),
	FIELD(anchor_sp),
	FIELD(anchor_pc),
	FIELD(anchor_fp),
	FIELD(wrapper_anchor),
	FIELD(call_wrapper),
	FIELD(interpreter_method),
	FIELD(interpreter_bcp),
	FIELD(interpreter_sender_sp),
	FIELD(block_size),
	FIELD(block_used),
	FIELD(blob_name),
	FIELD(blob_size),
	FIELD(blob_frame_size),
	FIELD(upcall_frame_data),
	FIELD(nmethod_compile_id),
	FIELD(nmethod_orig_pc),
	FIELD(nmethod_deopt[0]),
	FIELD(nmethod_deopt[1]),
	FIELD(nmethod_deopt_is_offset),
	FIELD(method_const),
	FIELD(const_pool),
	FIELD(const_flags),
	FIELD(const_code_size),
	FIELD(const_name),
	FIELD(const_signature),
	FIELD(const_size),
	FIELD(const_has_lines),
	FIELD(pool_holder),
	FIELD(pool_size),
	FIELD(klass_name),
	FIELD(symbol_length),
	FIELD(symbol_body),
	FIELD(symbol_length_shift),
};

#define FIELDS ((uint32_t)(sizeof(layout_fields) / sizeof(layout_fields[0])))

const uint32_t layout_field_count = FIELDS;

static uint64_t random_word(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 32) * 0x9e3779b97f4a7c15ULL;
}

static uint64_t wrong_value(const struct frt_layout *l, uint64_t right, uint32_t kind, uint64_t *state)
{
	switch (kind) {
	case 0: return 0;
	case 1: return FRT_NO_OFFSET;
	case 2: return right + 8;
	case 3: return right - 8;
	case 4: return random_word(state);
	case 5: return right + random_word(state) % 128 - 64;
	case 6: return random_word(state) % 4096;
	case 7: return random_word(state) % 256 - 128;
	case 8: return l->heap[0].low + random_word(state) % (l->heap[0].high - l->heap[0].low + 1);
	case 9: return l->heap[l->heaps - 1].high - random_word(state) % 9;
	case 10: return 0x800000000000 - random_word(state) % 4096;
	default: return right + 1;
	}
}

#define KINDS 12u

static int spoil(struct frt_layout *l, const struct frt_layout *good, uint32_t field, uint32_t kind, uint64_t *state,
		 char *log, uint32_t log_size)
{
	const struct layout_field *f = &layout_fields[field];
	uint64_t right = 0, wrong;

	memcpy(&right, (char *)l + f->at, f->size);
	wrong = wrong_value(good, right, kind, state);
	memcpy((char *)l + f->at, &wrong, f->size);
	wrong &= UINT64_MAX >> (64 - 8 * f->size);
	return snprintf(log, log_size, " %s: %#llx for %#llx", f->name, (unsigned long long)wrong,
			(unsigned long long)right);
}

void garble_layout(struct frt_layout *l, uint32_t number, char *log, uint32_t log_size)
{
	uint64_t state = number * 0x2545f4914f6cdd1dULL;
	const struct frt_layout right = *l;
	uint32_t used = 0, n;

	*log = 0;
	if (number < GARBLE_SEVERAL) {
		spoil(l, &right, number % FIELDS, (number / FIELDS + number % FIELDS * 5) % KINDS, &state, log,
		      log_size);
		return;
	}
	n = 2 + random_word(&state) % 6;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t field = random_word(&state) % FIELDS, kind = random_word(&state) % KINDS;

		if (used < log_size)
			used += spoil(l, &right, field, kind, &state, log + used, log_size - used);
	}
}
