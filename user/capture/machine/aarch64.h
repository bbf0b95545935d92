/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef USER_CAPTURE_MACHINE_AARCH64_H
#define USER_CAPTURE_MACHINE_AARCH64_H

#define STACK_POINTER 31 /* in struct user_pt_regs it follows x0 to x30 */

static inline int register_word(const char *name, size_t length)
{
	int word = 0;

	if (length == 2 && !memcmp(name, "sp", 2))
		return STACK_POINTER;
	if (length < 2 || length > 3 || name[0] != 'x' || (length == 3 && name[1] == '0'))
		return -1;
	for (size_t i = 1; i < length; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -1;
		word = 10 * word + name[i] - '0';
	}
	return word < STACK_POINTER ? word : -1;
}

/* "x0", "[sp]", "[x29, -56]" */
static inline bool place_parse(const char *at, const char *end, struct usdt_place *out)
{
	const char *comma;
	char *after;

	*out = (struct usdt_place){.memory = *at == '['};
	if (out->memory) {
		if (*++at == ']' || *--end != ']')
			return false;
		comma = memchr(at, ',', end - at);
		if (comma) {
			out->offset = strtol(comma + 1, &after, 10);
			if (after == comma + 1 || after != end)
				return false;
			end = comma;
		}
	}
	out->word = register_word(at, end - at);
	return out->word >= 0;
}

#endif
