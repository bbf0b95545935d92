// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/dwarf/cfi_check.h"
#include "format/cursor.h"

#include <dwarf.h>
#include <string.h>

#define LONG_LENGTH  0xffffffffu
#define DEBUG_CIE_ID 0xffffffffu
#define AUGMENTATION 16u /* bytes of the text */

/* What a CIE says about its FDEs. */
struct cie {
	size_t at; /* offset of the entry */
	uint8_t encoding, lsda_encoding;
	bool has_data, has_lsda; /* an FDE's own augmentation data */
};

static uint64_t take_le(struct cursor *c, size_t size)
{
	const unsigned char *p = cursor_take(c, size);
	uint64_t v = 0;

	for (size_t i = size; p && i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

/* A number in LEB128. Of a signed one the value is meaningless; it is read past. */
static uint64_t take_leb(struct cursor *c)
{
	uint64_t v = 0;
	uint8_t byte;

	for (unsigned int shift = 0; shift < 70; shift += 7) {
		byte = cursor_u8(c);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	cursor_fail(c, c->at, "number too long");
	return 0;
}

static void skip_encoded(struct cursor *c, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8: cursor_take(c, 8); break;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4: cursor_take(c, 4); break;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2: cursor_take(c, 2); break;
	case DW_EH_PE_uleb128:
	case DW_EH_PE_sleb128: take_leb(c); break;
	default: cursor_fail(c, c->at, "unknown encoding");
	}
}

static void check_register(struct cursor *c)
{
	if (take_leb(c) >= CFI_REGISTERS_MOST)
		cursor_fail(c, c->at, "register too large");
}

static void check_block(struct cursor *c)
{
	uint64_t size = take_leb(c);

	if (size > CFI_BLOCK_MOST)
		cursor_fail(c, c->at, "expression too long");
	else
		cursor_take(c, size);
}

/* The operands of an instruction whose opcode takes the whole byte. */
static void check_operands(struct cursor *c, uint8_t op, const struct cie *cie)
{
	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save: break;
	case DW_CFA_set_loc: skip_encoded(c, cie->encoding); break;
	case DW_CFA_advance_loc1: cursor_take(c, 1); break;
	case DW_CFA_advance_loc2: cursor_take(c, 2); break;
	case DW_CFA_advance_loc4: cursor_take(c, 4); break;
	case DW_CFA_restore_extended:
	case DW_CFA_undefined:
	case DW_CFA_same_value:
	case DW_CFA_def_cfa_register: check_register(c); break;
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_GNU_negative_offset_extended:
		check_register(c);
		take_leb(c);
		break;
	case DW_CFA_register:
		check_register(c);
		check_register(c);
		break;
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_GNU_args_size: take_leb(c); break;
	case DW_CFA_def_cfa_expression: check_block(c); break;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		check_register(c);
		check_block(c);
		break;
	default: cursor_fail(c, c->at, "unknown instruction");
	}
}

static void check_program(struct cursor *c, const struct cie *cie)
{
	unsigned int remembered = 0;

	while (cursor_ok(c) && c->at < c->size) {
		uint8_t op = cursor_u8(c);

		if (op == DW_CFA_remember_state && ++remembered > CFI_REMEMBERED_MOST)
			cursor_fail(c, c->at, "too many states");
		else if (op == DW_CFA_restore_state && remembered-- == 0)
			cursor_fail(c, c->at, "no state");
		else if ((op & 0xc0) == DW_CFA_offset)
			take_leb(c);
		else if (!(op & 0xc0) && op != DW_CFA_remember_state && op != DW_CFA_restore_state)
			check_operands(c, op, cie);
	}
}

/* "zPLR": data of this length follows, with one item for each letter. */
static void check_augmentation(struct cursor *c, const char *text, struct cie *cie)
{
	uint64_t size = take_leb(c);
	size_t end = c->at + size;

	if (!cursor_has(c, size))
		return;
	cie->has_data = true;
	for (const char *letter = text + 1; *letter && cursor_ok(c); letter++) {
		if (*letter == 'R')
			cie->encoding = cursor_u8(c);
		else if (*letter == 'P')
			skip_encoded(c, cursor_u8(c));
		else if (*letter == 'L')
			cursor_u8(c);
		else if (*letter != 'S' && *letter != 'B')
			cursor_fail(c, c->at, "unknown augmentation");
	}
	if (c->at > end)
		cursor_fail(c, c->at, "augmentation ends early");
	cursor_seek(c, end);
}

static void check_cie(struct cursor *c, bool eh_frame, struct cie *cie)
{
	uint8_t version = cursor_u8(c);
	char text[AUGMENTATION] = "";
	size_t n = 0;

	while (n < sizeof(text) - 1 && (text[n] = cursor_u8(c)))
		n++;
	if (text[n] || (text[0] && text[0] != 'z') || (version != 1 && version != 3 && version != 4))
		cursor_fail(c, c->at, "unknown version or augmentation");
	if (version == 4 && (cursor_u8(c) != 8 || cursor_u8(c)))
		cursor_fail(c, c->at, "not of 64 bits");
	take_leb(c); /* code alignment */
	take_leb(c); /* data alignment */
	if ((version == 1 ? cursor_u8(c) : take_leb(c)) >= CFI_REGISTERS_MOST)
		cursor_fail(c, c->at, "register too large");
	if (text[0])
		check_augmentation(c, text, cie);
	check_program(c, cie);
}

static void check_fde(struct cursor *c, const struct cie *cie)
{
	uint64_t size;

	skip_encoded(c, cie->encoding);
	skip_encoded(c, cie->encoding & 0x0f);
	if (cie->has_data) {
		size = take_leb(c);
		cursor_take(c, size);
	}
	check_program(c, cie);
}

/* The CIE at an offset, or the one of the FDE before, which is nearly always the same. */
static bool find_cie(const unsigned char *section, size_t size, bool eh_frame, size_t at, struct cie *cie)
{
	struct cursor c = cursor_at(section, at, size);
	uint32_t length = take_le(&c, 4), id = take_le(&c, 4);

	if (cie->at == at)
		return true;
	*cie = (struct cie){.at = at};
	if (!cursor_ok(&c) || length < 4 || length > CFI_ENTRY_MOST || id != (eh_frame ? 0 : DEBUG_CIE_ID))
		return false;
	c = cursor_at(section, at + 8, at + 4 + length < size ? at + 4 + length : size);
	check_cie(&c, eh_frame, cie);
	return cursor_ok(&c);
}

/* `at`: of the entry. */
static bool check_entry(const unsigned char *section, size_t size, bool eh_frame, size_t at, size_t end,
			struct cie *cie)
{
	struct cursor c = cursor_at(section, at + 4, end);
	uint32_t id = take_le(&c, 4);
	size_t of = eh_frame ? at + 4 - id : id;

	if (!cursor_ok(&c))
		return false;
	if (id == (eh_frame ? 0 : DEBUG_CIE_ID))
		return find_cie(section, size, eh_frame, at, cie);
	if ((eh_frame && id > at + 4) || !find_cie(section, size, eh_frame, of, cie))
		return false;
	check_fde(&c, cie);
	return cursor_ok(&c);
}

bool cfi_check(const void *section, size_t size, bool eh_frame)
{
	struct cie cie = {.at = SIZE_MAX};
	size_t at = 0, length;

	while (size - at >= 4) {
		uint32_t word;

		memcpy(&word, (const unsigned char *)section + at, 4);
		length = word;
		if (!length) { /* in .eh_frame the end, between two parts that the linker joined */
			at += 4;
			continue;
		}
		if (length == LONG_LENGTH || length > CFI_ENTRY_MOST || length > size - at - 4)
			return false;
		if (!check_entry(section, size, eh_frame, at, at + 4 + length, &cie))
			return false;
		at += 4 + length;
	}
	return at == size;
}
