// SPDX-License-Identifier: BSD-2-Clause
#include "user/stacks/code_place.h"
#include "user/stacks/machine/machine.h"

enum code_place code_place(const uint8_t *begin, size_t size, uint64_t at, const uint8_t next[CODE_PLACE_NEXT],
			   uint32_t frame)
{
	return place_in_code(begin, size, at, next, frame);
}
