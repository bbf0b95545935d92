// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/native_entry.h"
#include "user/jvm/machine/machine.h"

size_t native_entry_skip(const uint8_t *code, size_t size)
{
	return entry_skip(code, size);
}
