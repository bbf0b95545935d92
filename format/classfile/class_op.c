// SPDX-License-Identifier: BSD-2-Clause
#include "format/classfile/class_op.h"

/* clang-format off */
#define TIMES(first, last, value) [first ... last] = (value)

/* Length of each instruction; 0: it depends on the operands, or there is no such instruction. */
static const uint8_t op_length[202] = {
	TIMES(0, 15, 1),    [16] = 2,	       [17] = 3,	 [18] = 2,	  TIMES(19, 20, 3),
	TIMES(21, 25, 2),   TIMES(26, 53, 1),  TIMES(54, 58, 2), TIMES(59, 131, 1), [OP_IINC] = 3,
	TIMES(133, 152, 1), TIMES(153, 168, 3), [OP_RET] = 2,	 TIMES(172, 177, 1), TIMES(178, 184, 3),
	TIMES(185, 186, 5), [OP_NEW] = 3,      [188] = 2,	 [189] = 3,	  TIMES(190, 191, 1),
	TIMES(192, 193, 3), TIMES(194, 195, 1), [OP_MULTIANEWARRAY] = 4, TIMES(198, 199, 3), TIMES(200, 201, 5),
};

/* Slots popped and pushed, as 0xOFFON; VARIES: depends on a constant, or rearranges the stack. */
enum { VARIES = 0xff };
static const uint8_t op_slots[202] = {
	[0] = 0x00, TIMES(1, 8, 0x01), TIMES(9, 10, 0x02), TIMES(11, 13, 0x01), TIMES(14, 15, 0x02),
	TIMES(16, 19, 0x01), [20] = 0x02,
	/* xload, xload_n, xaload */
	[21] = 0x01, [22] = 0x02, [23] = 0x01, [24] = 0x02, [25] = 0x01,
	TIMES(26, 29, 0x01), TIMES(30, 33, 0x02), TIMES(34, 37, 0x01), TIMES(38, 41, 0x02), TIMES(42, 45, 0x01),
	[46] = 0x21, [47] = 0x22, [48] = 0x21, [49] = 0x22, TIMES(50, 53, 0x21),
	/* xstore, xstore_n, xastore */
	[54] = 0x10, [55] = 0x20, [56] = 0x10, [57] = 0x20, [58] = 0x10,
	TIMES(59, 62, 0x10), TIMES(63, 66, 0x20), TIMES(67, 70, 0x10), TIMES(71, 74, 0x20), TIMES(75, 78, 0x10),
	[79] = 0x30, [80] = 0x40, [81] = 0x30, [82] = 0x40, TIMES(83, 86, 0x30),
	[87] = 0x10, [88] = 0x20, TIMES(OP_DUP, OP_SWAP, VARIES),
	/* add sub mul div rem of int, long, float, double; then neg */
	[96] = 0x21, [97] = 0x42, [98] = 0x21, [99] = 0x42, [100] = 0x21, [101] = 0x42, [102] = 0x21, [103] = 0x42,
	[104] = 0x21, [105] = 0x42, [106] = 0x21, [107] = 0x42, [108] = 0x21, [109] = 0x42, [110] = 0x21, [111] = 0x42,
	[112] = 0x21, [113] = 0x42, [114] = 0x21, [115] = 0x42, [116] = 0x11, [117] = 0x22, [118] = 0x11, [119] = 0x22,
	/* shifts: the distance is an int; and or xor; iinc */
	[120] = 0x21, [121] = 0x32, [122] = 0x21, [123] = 0x32, [124] = 0x21, [125] = 0x32,
	[126] = 0x21, [127] = 0x42, [128] = 0x21, [129] = 0x42, [130] = 0x21, [131] = 0x42, [OP_IINC] = 0x00,
	/* conversions, comparisons */
	[133] = 0x12, [134] = 0x11, [135] = 0x12, [136] = 0x21, [137] = 0x21, [138] = 0x22, [139] = 0x11, [140] = 0x12,
	[141] = 0x12, [142] = 0x21, [143] = 0x22, [144] = 0x21, TIMES(145, 147, 0x11),
	[148] = 0x41, TIMES(149, 150, 0x21), TIMES(151, 152, 0x41),
	TIMES(153, 158, 0x10), TIMES(159, 166, 0x20), [OP_GOTO] = 0x00, TIMES(OP_JSR, OP_RET, VARIES),
	TIMES(OP_TABLESWITCH, OP_LOOKUPSWITCH, 0x10),
	[172] = 0x10, [173] = 0x20, [174] = 0x10, [175] = 0x20, [176] = 0x10, [177] = 0x00,
	TIMES(OP_GETSTATIC, OP_INVOKEDYNAMIC, VARIES),
	[OP_NEW] = 0x01, TIMES(188, 190, 0x11), [OP_ATHROW] = 0x10, TIMES(192, 193, 0x11), TIMES(194, 195, 0x10),
	TIMES(OP_WIDE, OP_MULTIANEWARRAY, VARIES), TIMES(198, 199, 0x10), [OP_GOTO_W] = 0x00, [OP_JSR_W] = VARIES,
};
/* clang-format on */

/* Length of a switch at `at`, 0 if it is malformed. In 64 bits, because a table may claim 2^32 entries. */
static uint64_t switch_length(const struct op *o, uint32_t code_length)
{
	uint32_t at = op_switch_operands(o);
	int64_t low, high;
	uint64_t n;

	if (at + 12 > code_length) {
		if (o->op == OP_TABLESWITCH || at + 8 > code_length)
			return 0;
	}
	low = (int32_t)get_u4(o->code + at + 4);
	if (o->op == OP_LOOKUPSWITCH) {
		n = low < 0 ? UINT32_MAX : (uint64_t)low;
		return at + 8 + n * 8 - o->at;
	}
	high = (int32_t)get_u4(o->code + at + 8);
	return high < low ? 0 : at + 12 + (uint64_t)(high - low + 1) * 4 - o->at;
}

bool op_read(struct op *o, const uint8_t *code, uint32_t code_length, uint32_t at)
{
	uint64_t length;

	*o = (struct op){.code = code, .at = at, .op = code[at]};
	if (o->op > OP_JSR_W)
		return false;
	length = op_length[o->op];
	if (op_is_switch(o))
		length = switch_length(o, code_length);
	else if (o->op == OP_WIDE && at + 1 < code_length)
		length = code[at + 1] == OP_IINC ? 6 : 4;
	o->length = (uint32_t)length;
	return length && length <= code_length - at;
}

bool op_is_subroutine(const struct op *o)
{
	return o->op == OP_JSR || o->op == OP_JSR_W || o->op == OP_RET ||
	       (o->op == OP_WIDE && o->code[o->at + 1] == OP_RET);
}

bool op_falls_through(const struct op *o)
{
	return !op_is_goto(o) && !op_is_switch(o) && !op_is_return(o) && o->op != OP_ATHROW;
}

uint32_t op_targets(const struct op *o)
{
	const uint8_t *operands = o->code + op_switch_operands(o);

	if (o->op == OP_TABLESWITCH)
		return get_u4(operands + 8) - get_u4(operands + 4) + 2;
	if (o->op == OP_LOOKUPSWITCH)
		return get_u4(operands + 4) + 1;
	return op_is_if(o) || op_is_goto(o);
}

int32_t op_distance(const struct op *o, uint32_t number)
{
	const uint8_t *operands = o->code + op_switch_operands(o);

	if (o->op == OP_GOTO_W)
		return (int32_t)get_u4(o->code + o->at + 1);
	if (!op_is_switch(o))
		return (int16_t)get_u2(o->code + o->at + 1);
	if (!number)
		return (int32_t)get_u4(operands);
	if (o->op == OP_TABLESWITCH)
		return (int32_t)get_u4(operands + 12 + (number - 1) * 4);
	return (int32_t)get_u4(operands + 8 + (number - 1) * 8 + 4);
}

static uint32_t type_slots(struct slice type)
{
	return type.at[0] == 'J' || type.at[0] == 'D' ? 2 : 1;
}

/* The descriptor of a Fieldref, Methodref, ... or of a call site (JVMS 4.4.2, 4.4.10). */
static bool member_descriptor(const struct class_file *c, uint32_t index, struct slice *descriptor)
{
	static const uint8_t tags[] = {CONSTANT_FIELDREF, CONSTANT_METHODREF, CONSTANT_INTERFACE_METHODREF,
				       CONSTANT_INVOKE_DYNAMIC};
	const uint8_t *p = NULL;
	uint32_t i;

	for (i = 0; i < sizeof(tags) && !p; i++)
		p = class_constant(c, index, tags[i]);
	if (p)
		p = class_constant(c, get_u2(p + 2), CONSTANT_NAME_AND_TYPE);
	return p && class_utf8(c, get_u2(p + 2), descriptor);
}

static bool field_effect(const struct op *o, const struct class_file *c, uint32_t *pops, uint32_t *pushes)
{
	struct slice descriptor, type;
	bool put = (o->op - OP_GETSTATIC) & 1;

	if (!member_descriptor(c, get_u2(o->code + o->at + 1), &descriptor) ||
	    !class_descriptor_next(&descriptor, &type))
		return false;
	*pops = (o->op >= OP_GETSTATIC + 2) + (put ? type_slots(type) : 0);
	*pushes = put ? 0 : type_slots(type);
	return true;
}

static bool invoke_effect(const struct op *o, const struct class_file *c, uint32_t *pops, uint32_t *pushes)
{
	struct slice d, type;

	if (!member_descriptor(c, get_u2(o->code + o->at + 1), &d) || !d.length || d.at[0] != '(')
		return false;
	d.at++;
	d.length--;
	*pops = o->op != OP_INVOKESTATIC && o->op != OP_INVOKEDYNAMIC;
	while (d.length && d.at[0] != ')') {
		if (!class_descriptor_next(&d, &type))
			return false;
		*pops += type_slots(type);
	}
	if (d.length < 2)
		return false;
	*pushes = d.at[1] == 'V' ? 0 : d.at[1] == 'J' || d.at[1] == 'D' ? 2 : 1;
	return true;
}

bool op_effect(const struct op *o, const struct class_file *c, uint32_t *pops, uint32_t *pushes)
{
	uint8_t op = o->op == OP_WIDE ? o->code[o->at + 1] : o->op;

	if (op >= OP_INVOKEVIRTUAL && op <= OP_INVOKEDYNAMIC)
		return invoke_effect(o, c, pops, pushes);
	if (op >= OP_GETSTATIC && op <= OP_PUTFIELD)
		return field_effect(o, c, pops, pushes);
	if (op == OP_MULTIANEWARRAY) {
		*pops = o->code[o->at + 3];
		*pushes = 1;
		return true;
	}
	if (op > OP_JSR_W || op_slots[op] == VARIES)
		return false;
	*pops = op_slots[op] >> 4;
	*pushes = op_slots[op] & 15;
	return true;
}
