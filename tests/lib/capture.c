// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static int saved = -1, reader = -1;
static char text[1 << 16];

/* Open a file that `writer` writes and `reader` reads. */
static int open_file(void)
{
	char name[] = "/tmp/frtrace-capture-XXXXXX";
	int writer = mkstemp(name);

	reader = open(name, O_RDONLY | O_CLOEXEC);
	unlink(name);
	return writer;
}

static int open_terminal(void)
{
	struct termios t;
	int writer;

	reader = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (reader < 0 || grantpt(reader) || unlockpt(reader))
		return -1;
	writer = open(ptsname(reader), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (writer >= 0 && !tcgetattr(writer, &t)) {
		cfmakeraw(&t); /* keeps "\n" unchanged */
		tcsetattr(writer, TCSANOW, &t);
	}
	return writer;
}

void capture_begin(bool terminal)
{
	int writer = terminal ? open_terminal() : open_file();

	fflush(stderr);
	saved = dup(STDERR_FILENO);
	if (writer < 0 || reader < 0 || saved < 0 || dup2(writer, STDERR_FILENO) < 0)
		abort();
	close(writer);
}

const char *capture_end(void)
{
	size_t size = 0;
	ssize_t n;

	fflush(stderr);
	while (size < sizeof(text) - 1 && (n = read(reader, text + size, sizeof(text) - 1 - size)) > 0)
		size += n;
	text[size] = 0;
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(reader);
	return text;
}
