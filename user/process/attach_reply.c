// SPDX-License-Identifier: BSD-2-Clause
/*
 * Parsing replies to requests. The first line and the rest:
 *
 *	JDK 8	load	"0\n0\n"		code, return value of Agent_OnAttach
 *	JDK 8	load	"-1\n"			dlopen failed, or there is no Agent_OnAttach
 *	JDK 9+	load	"0\nreturn code: 0\n"
 *	JDK 9+	load	"-1\n/a/x.so was not loaded.\n/a/x.so: cannot open shared object file ...\n"
 *	JDK 21+	load	"0\n/a/x.so was not loaded.\n..."	the code is always 0
 *	any	any	"101\n"			another protocol version; text follows since 9
 *	any	any	"100\nOperation x not recognized!\n"
 */
#include "user/process/attach_reply.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int attach_reply_put(char *out, size_t *at, const char *word, size_t max, struct diag *d)
{
	size_t length = strlen(word);

	if (length > max)
		return diag_set(d, E2BIG, "cannot send '%.40s...' to the JVM: %zu bytes, the attach protocol takes %zu",
				word, length, max);
	memcpy(out + *at, word, length + 1);
	*at += length + 1;
	return 0;
}

int attach_request_write(const char *command, const char *const *arguments, char out[ATTACH_REQUEST_MAX],
			 struct diag *d)
{
	const char *const *next = arguments;
	size_t at = 0;
	int r = attach_reply_put(out, &at, "1", 1, d);

	r = r ?: attach_reply_put(out, &at, command, 16, d);
	for (int i = 0; !r && i < ATTACH_ARGUMENTS; i++)
		r = attach_reply_put(out, &at, next && *next ? *next++ : "", ATTACH_ARGUMENT, d);
	if (!r && next && *next)
		r = diag_set(d, E2BIG, "cannot send more than %d arguments to the JVM", ATTACH_ARGUMENTS);
	return r ? r : (int)at;
}

/* A decimal number on a line of its own; *next is the start of the next line. */
static int parse_number_line(const char *text, const char **next, int *out)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)text[text[0] == '-']))
		return -EPROTO;
	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || n < INT_MIN || n > INT_MAX || (*end && *end != '\n'))
		return -EPROTO;
	*out = n;
	*next = *end ? end + 1 : end;
	return 0;
}

/* Quote the JVM's text in one line of at most some 400 characters, without anything that a terminal would interpret. */
static void quote(const char *text, char *out, size_t size)
{
	size_t n = 0;

	for (; *text && n + 3 < size; text++) {
		if (*text == '\n' && text[1])
			out[n++] = ';', out[n++] = ' ';
		else if (*text != '\n')
			out[n++] = iscntrl((unsigned char)*text) ? '?' : *text;
	}
	out[n] = 0;
}

int attach_reply_parse(char *text, size_t *length, int *code, struct diag *d)
{
	const char *rest;
	char words[400];

	if (!*length)
		return diag_set(d, EPROTO,
				"cannot attach: the JVM closed the connection without an answer (does it take us for "
				"another user?)");
	if (parse_number_line(text, &rest, code)) {
		quote(text, words, sizeof(words));
		return diag_set(d, EPROTO, "cannot attach: the JVM answered '%.80s'", words);
	}
	*length -= rest - text;
	memmove(text, rest, *length + 1);
	return 0;
}

/* What is left where the JVM loads no agents. */
static const char *other_way(const char *words)
{
	return strstr(words, "Dynamic agent loading is not enabled")
		       ? " Or start it as 'frtrace -- java ...', or with -XX:+DTraceMethodProbes, for --source=hotspot"
		       : "";
}

int attach_load_parse(int code, const char *text, int *result, struct diag *d)
{
	static const char label[] = "return code: ";
	const char *at = strstr(text, label), *rest;
	char words[400];

	if (code == 0 && at && (at == text || at[-1] == '\n') && !parse_number_line(at + strlen(label), &rest, result))
		return 0;
	if (code == 0 && !parse_number_line(text, &rest, result))
		return 0;
	quote(text, words, sizeof(words));
	if (!words[0])
		return diag_set(d, EIO, "the JVM did not load the agent (code %d)", code);
	return diag_set(d, EIO, "the JVM did not load the agent: %s%s", words, other_way(words));
}
