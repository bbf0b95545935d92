// SPDX-License-Identifier: BSD-2-Clause
#include "format/diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void write_text(struct diag *d, const char *format, va_list args)
{
	vsnprintf(d->text, sizeof(d->text), format, args);
}

int diag_set(struct diag *d, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_text(d, format, args);
	va_end(args);
	return -err;
}

int diag_usage(struct diag *d, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_text(d, format, args);
	va_end(args);
	d->usage = 1;
	return -EINVAL;
}

int diag_errno(struct diag *d, int err, const char *format, ...)
{
	size_t length;
	va_list args;

	va_start(args, format);
	write_text(d, format, args);
	va_end(args);
	length = strlen(d->text);
	snprintf(d->text + length, sizeof(d->text) - length, ": %s%s", strerror(err),
		 err == EMFILE ? "; raise 'ulimit -n'" : "");
	return -err;
}
