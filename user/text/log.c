// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/log.h"
#include "user/text/fold.h"
#include "user/text/term.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDED_INDENT 4 /* of what follows in a long line */
#define PROGRESS_GAP  "   "

static bool quiet, verbose;
static bool progress_shown;
static char prefix[32];
static uint64_t lines;

void log_set(bool be_quiet, bool be_verbose)
{
	quiet = be_quiet;
	verbose = be_verbose;
}

void log_set_prefix(const char *text)
{
	snprintf(prefix, sizeof(prefix), "%s", text);
}

static void clear_progress(void)
{
	if (progress_shown)
		fprintf(stderr, "\r\033[K");
	progress_shown = false;
}

/* The text contains names of the target's classes and threads. */
static void log_print_text(FILE *to, char *text)
{
	char *end = text + strcspn(text, "\n\t"), delimiter = *end;

	*end = 0;
	term_print(to, text);
	if (!delimiter)
		return;
	fputc(delimiter, to);
	log_print_text(to, end + 1);
}

/* A terminal would break a long line within a word. Texts of several lines have marks below words: they stay. */
static void log_write(const char *text, size_t size)
{
	unsigned int width = term_columns(STDERR_FILENO);
	struct bytes out;

	bytes_init(&out);
	if (width && !memchr(text, '\n', size))
		fold_words(&out, text, width, FOLDED_INDENT);
	else
		bytes_put(&out, text, size);
	bytes_put_u8(&out, '\n');
	if (!out.failed)
		fwrite(out.data, 1, out.size, stderr); /* in one write: a program may write there too */
	bytes_release(&out);
}

static void log_print_line(const char *format, va_list args)
{
	char *text = NULL, *shown = NULL;
	size_t size = 0;
	FILE *to;

	clear_progress();
	lines++;
	if (vasprintf(&text, format, args) < 0 || !(to = open_memstream(&shown, &size))) {
		free(text);
		return;
	}
	fputs(prefix, to);
	log_print_text(to, text);
	if (!fclose(to))
		log_write(shown, size);
	free(shown);
	free(text);
}

void log_line(const char *format, ...)
{
	va_list args;

	if (quiet)
		return;
	va_start(args, format);
	log_print_line(format, args);
	va_end(args);
}

void log_detail(const char *format, ...)
{
	va_list args;

	if (!verbose)
		return;
	va_start(args, format);
	log_print_line(format, args);
	va_end(args);
}

void log_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_print_line(format, args);
	va_end(args);
}

uint64_t log_lines(void)
{
	return lines;
}

bool log_is_live(void)
{
	return !quiet && !prefix[0] && isatty(STDERR_FILENO);
}

/* Erasing takes one line only, so what does not fit is left out: parts that PROGRESS_GAP separates, from the end. */
static void cut_progress(char *text, unsigned int width)
{
	for (char *end = text + strlen(text); end > text && strlen(text) >= width; end--)
		if (strncmp(end, PROGRESS_GAP, strlen(PROGRESS_GAP)) == 0)
			*end = 0;
	if (width && strlen(text) >= width) {
		for (width--; width && ((unsigned char)text[width] & 0xc0) == 0x80;)
			width--;
		text[width] = 0;
	}
}

void log_progress(const char *format, ...)
{
	char *text = NULL, *shown = NULL;
	size_t size;
	va_list args;
	int length;
	FILE *to;

	if (!log_is_live())
		return;
	clear_progress();
	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return;
	to = open_memstream(&shown, &size);
	if (to) {
		term_print(to, text);
		fclose(to);
	}
	free(text);
	if (!shown)
		return;
	cut_progress(shown, term_columns(STDERR_FILENO));
	fputs(shown, stderr);
	fflush(stderr);
	progress_shown = true;
	free(shown);
}

void log_progress_end(void)
{
	clear_progress();
	fflush(stderr);
}

static char *next_buffer(void)
{
	static char buffers[16][40];
	static unsigned int next;

	return buffers[next++ % 16];
}

const char *log_count(uint64_t n)
{
	char digits[24], *out = next_buffer(), *to = out;
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = 0;
	return out;
}

const char *log_time(uint64_t ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *out = next_buffer();
	size_t i = 0;

	if (ns < 1000) {
		snprintf(out, 40, "%llu ns", (unsigned long long)ns);
		return out;
	}
	while (i < 2 && ns >= 999.5 * units[i].ns)
		i++;
	snprintf(out, 40, ns < 99.95 * units[i].ns ? "%.1f %s" : "%.0f %s", ns / units[i].ns, units[i].name);
	return out;
}

const char *log_bytes(uint64_t bytes)
{
	char *out = next_buffer();

	if (bytes < 100000)
		snprintf(out, 40, "%.1f KB", bytes / 1024.0);
	else if (bytes < 1000ull << 20)
		snprintf(out, 40, "%.1f MB", bytes / 1048576.0);
	else
		snprintf(out, 40, "%.1f GB", bytes / 1073741824.0);
	return out;
}

const char *log_amount(uint64_t bytes)
{
	char *out;

	if (bytes >= 10000)
		return log_bytes(bytes);
	out = next_buffer();
	snprintf(out, 40, "%s B", log_count(bytes));
	return out;
}
