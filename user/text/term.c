// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/term.h"
#include "user/text/io.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The character at `at`, which is UTF-8, and its length. */
static unsigned int term_character(const unsigned char *at, size_t *length)
{
	unsigned int c = *at;

	*length = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (*length > 1)
		c &= 0xff >> (*length + 1);
	for (size_t i = 1; i < *length; i++)
		c = c << 6 | (at[i] & 0x3f);
	return c;
}

static bool is_obeyed(unsigned int c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

void term_print(FILE *to, const char *text)
{
	size_t size = strlen(text), length, n;
	unsigned char *utf8 = malloc(3 * size + 1);

	length = utf8 ? utf8_from_java((char *)utf8, text, size) : 0;
	for (size_t i = 0; i < length; i += n) {
		unsigned int c = term_character(utf8 + i, &n);

		if (is_obeyed(c))
			fprintf(to, "\\u%04x", c);
		else
			fwrite(utf8 + i, 1, n, to);
	}
	free(utf8);
}

#define NO_CHARACTER 0xfffdu

/* Length of a character with this first byte; 0: it is no first byte. */
static size_t term_length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	return first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

/* The character at `at`, with `size` bytes available, and its length; 0: it is incomplete. */
static unsigned int checked_character(const unsigned char *at, size_t size, size_t *length)
{
	size_t wanted = term_length_of(*at);

	*length = 1;
	for (size_t i = 1; i < wanted; i++) {
		if (i == size) {
			*length = 0;
			return NO_CHARACTER;
		}
		if ((at[i] & 0xc0) != 0x80)
			return NO_CHARACTER;
	}
	return wanted ? term_character(at, length) : NO_CHARACTER;
}

static void term_show_character(struct bytes *out, unsigned int c, const char *utf8, size_t length)
{
	char mark[8];

	if (is_obeyed(c))
		bytes_put(out, mark, snprintf(mark, sizeof(mark), "\\u%04x", c));
	else if (c == NO_CHARACTER)
		bytes_put(out, "\xef\xbf\xbd", 3);
	else
		bytes_put(out, utf8, length);
}

size_t text_show(struct bytes *out, const char *text, size_t size)
{
	size_t at, length;

	for (at = 0; at < size; at += length) {
		unsigned int c = checked_character((const unsigned char *)text + at, size - at, &length);

		if (!length)
			break;
		if (c == '\r' && at + 1 == size)
			break;
		if (c == '\n' || c == '\t' || (c == '\r' && text[at + 1] == '\n'))
			bytes_put_u8(out, c);
		else
			term_show_character(out, c, text + at, length);
	}
	return at;
}

/* Most names have nothing to escape. C2 and E2 begin the other characters that a terminal obeys. */
static bool may_be_obeyed(const unsigned char *text, size_t size)
{
	static const bool obeyed[256] = {[0 ... 0x1f] = true, [0x7f] = true, [0xc2] = true, [0xe2] = true};
	bool any = false;

	for (size_t i = 0; i < size; i++)
		any |= obeyed[text[i]];
	return any;
}

/* A reader of text takes it for the end of a line, or of a cell. */
static bool ends_cell(unsigned int c)
{
	return (c >= '\t' && c <= '\r') || c == 0x85 || c == 0x2028 || c == 0x2029;
}

void text_show_name(struct bytes *out, const char *text, size_t size)
{
	size_t length;

	if (!may_be_obeyed((const unsigned char *)text, size)) {
		bytes_put(out, text, size);
		return;
	}
	for (size_t at = 0; at < size; at += length ?: size) {
		unsigned int c = checked_character((const unsigned char *)text + at, size - at, &length);

		if (ends_cell(c) || c == NO_CHARACTER)
			term_show_character(out, c, text + at, length);
		else
			bytes_put(out, text + at, length);
	}
}

/* State of the stream: what was written but not yet shown. */
struct shown {
	struct bytes waiting, text;
	int error;
};

static void term_write_all(struct shown *s)
{
	if (s->waiting.failed || s->text.failed)
		s->error = ENOMEM;
	if (!s->error)
		s->error = -io_write_all(STDOUT_FILENO, s->text.data, s->text.size);
	bytes_clear(&s->text);
}

static ssize_t put_shown(void *cookie, const char *bytes, size_t size)
{
	struct shown *s = cookie;
	size_t taken;

	bytes_put(&s->waiting, bytes, size);
	taken = text_show(&s->text, (const char *)s->waiting.data, s->waiting.size);
	term_write_all(s);
	if (s->error) {
		errno = s->error;
		return 0;
	}
	memmove(s->waiting.data, s->waiting.data + taken, s->waiting.size - taken);
	s->waiting.size -= taken;
	return size;
}

static int close_shown(void *cookie)
{
	struct shown *s = cookie;

	for (size_t i = 0; i < s->waiting.size; i++)
		term_show_character(&s->text, NO_CHARACTER, NULL, 0);
	term_write_all(s);
	errno = s->error;
	bytes_release(&s->waiting);
	bytes_release(&s->text);
	free(s);
	return errno ? -1 : 0;
}

int text_open_output(FILE **out, struct diag *d)
{
	cookie_io_functions_t functions = {.write = put_shown, .close = close_shown};
	struct shown *s = NULL;

	*out = stdout;
	if (!isatty(STDOUT_FILENO))
		return 0;
	s = calloc(1, sizeof(*s));
	*out = s ? fopencookie(s, "w", functions) : NULL;
	if (*out)
		return 0;
	free(s);
	return diag_errno(d, ENOMEM, "cannot print");
}

int text_close_output(FILE *out)
{
	bool failed = fflush(out) || ferror(out);
	int error = failed ? errno : 0;

	if (out != stdout && fclose(out) && !error)
		error = errno;
	return error;
}

unsigned int term_columns(int fd)
{
	struct winsize w;

	if (!isatty(fd))
		return 0;
	return ioctl(fd, TIOCGWINSZ, &w) || !w.ws_col ? 80 : w.ws_col;
}

bool term_has_colours(int fd)
{
	const char *term = getenv("TERM"), *refused = getenv("NO_COLOR");

	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0 && !(refused && *refused);
}
