// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/usdt_cookie.h"
#include "user/capture/machine/machine.h"

/* Of the first one of several; "[x29, 16]" has a space inside. */
static size_t argument_length(const char *text)
{
	size_t inside = strcspn(text, " [");

	if (text[inside] == '[')
		inside += strcspn(text + inside, "]");
	return inside + strcspn(text + inside, " ");
}

/* "8@PLACE". Returns 0 if the argument is anything else. */
static uint32_t argument_place(const char *text, size_t length)
{
	const char *end = text + length, *at = memchr(text, '@', length);
	bool eight = at && ((at == text + 1 && text[0] == '8') || (at == text + 2 && !memcmp(text, "-8", 2)));
	struct usdt_place place;
	uint32_t found = FRT_ARGUMENT_KNOWN;

	if (!eight || ++at == end || !place_parse(at, end, &place) || place.offset != (int16_t)place.offset)
		return 0;
	if (place.memory)
		found |= FRT_ARGUMENT_MEMORY | ((uint32_t)place.offset & FRT_ARGUMENT_OFFSET);
	return found | (uint32_t)place.word * FRT_ARGUMENT_REGISTER_1;
}

/* The word of an argument in a register, or -1. */
static int argument_register(const char *text, size_t length)
{
	uint32_t place = argument_place(text, length);

	return place & FRT_ARGUMENT_KNOWN && !(place & FRT_ARGUMENT_MEMORY)
		       ? (int)((place & FRT_ARGUMENT_REGISTER) / FRT_ARGUMENT_REGISTER_1)
		       : -1;
}

uint64_t usdt_register_cookie(enum frt_site site, const char *arguments)
{
	/* of hotspot:method__entry, from 1: after each text, its length */
	static const int wanted[FRT_SITE_REGISTERS] = {2, 4, 6, 1};
	uint64_t cookie = site;

	for (int i = 0; i < FRT_SITE_REGISTERS; i++) {
		const char *at = arguments + strspn(arguments, " ");
		int word;

		for (int n = 1; n < wanted[i]; n++) {
			at += argument_length(at);
			at += strspn(at, " ");
		}
		word = argument_register(at, argument_length(at));
		if (word < 0)
			return 0;
		cookie |= (uint64_t)word << (FRT_SITE_BITS + i * FRT_REGISTER_BITS);
	}
	return cookie;
}

uint64_t usdt_cookie(enum frt_site site, const char *arguments)
{
	uint64_t cookie = site;

	for (int i = 0; i < FRT_SITE_ARGUMENTS; i++) {
		size_t length = argument_length(arguments);

		cookie |= (uint64_t)argument_place(arguments, length) << (FRT_SITE_BITS + i * FRT_ARGUMENT_BITS);
		arguments += length;
		arguments += strspn(arguments, " ");
	}
	return cookie;
}
