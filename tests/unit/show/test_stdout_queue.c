// SPDX-License-Identifier: BSD-2-Clause
/* What is printed while it records, to pipes that nobody reads and terminals that the test is. */
#include "user/show/stdout_queue.h"
#include "tests/lib/capture.h"
#include "tests/lib/test.h"
#include "user/text/log.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define MUCH (4u << 20)

static int reader, writer;
static struct stdout_queue *o;
static struct diag d;
static char *much, *got;

static int setup(void **state)
{
	signal(SIGPIPE, SIG_IGN);
	setenv("TERM", "xterm", 1);
	reader = writer = -1;
	much = malloc(MUCH);
	got = malloc(MUCH);
	for (size_t i = 0; much && i < MUCH; i++)
		much[i] = 'a' + i % 23;
	return !much || !got;
}

static int teardown(void **state)
{
	stdout_queue_close(o);
	close(reader);
	close(writer);
	free(much);
	free(got);
	o = NULL;
	return 0;
}

static void open_pipe(void)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	reader = fds[0];
	writer = fds[1];
	fcntl(reader, F_SETFL, O_NONBLOCK);
	assert_int_equal(stdout_queue_open(&o, writer, false, &d), 0);
}

static void open_terminal(unsigned short columns, unsigned short lines)
{
	struct winsize w = {.ws_col = columns, .ws_row = lines};
	struct termios t;

	reader = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	assert_true(reader >= 0 && !grantpt(reader) && !unlockpt(reader));
	writer = open(ptsname(reader), O_RDWR | O_NOCTTY);
	assert_int_equal(tcgetattr(writer, &t), 0);
	cfmakeraw(&t);
	tcsetattr(writer, TCSANOW, &t);
	ioctl(writer, TIOCSWINSZ, &w);
	assert_int_equal(stdout_queue_open(&o, writer, false, &d), 0);
}

/* What can be read now. */
static size_t take(void)
{
	size_t size = 0;
	ssize_t n;

	while ((n = read(reader, got + size, MUCH - size - 1)) > 0)
		size += n;
	got[size] = 0;
	return size;
}

CASE(what_is_put_arrives, setup, teardown)
{
	open_pipe();
	assert_true(stdout_queue_put(o, "one ", 4));
	assert_true(stdout_queue_put(o, "two", 3));
	assert_true(stdout_queue_flush(o));
	take();
	assert_string_equal(got, "one two");
	assert_false(stdout_queue_is_terminal(o));
}

/* All of it or nothing: the reader sees whole lines, however slow it is. */
CASE(reader_that_sleeps_does_not_hold_us_up, setup, teardown)
{
	size_t put = 0, seen = 0;

	open_pipe();
	while (stdout_queue_put(o, much + put, 1000))
		put += 1000;
	assert_true(put > 1000000 && put < MUCH);
	assert_true(stdout_queue_flush(o));
	for (int i = 0; i < 1000 && seen < put; i++) {
		size_t n = take();

		assert_memory_equal(got, much + seen, n);
		seen += n;
		stdout_queue_flush(o);
	}
	assert_int_equal(seen, put);
	assert_true(stdout_queue_finish(o));
	assert_true(stdout_queue_put(o, "more", 4));
}

CASE(reader_that_never_reads_is_given_up, setup, teardown)
{
	open_pipe();
	while (stdout_queue_put(o, much, 1000))
		;
	assert_false(stdout_queue_finish(o));
}

CASE(reader_that_is_gone_is_noticed_without_writing, setup, teardown)
{
	open_pipe();
	assert_true(stdout_queue_flush(o));
	close(reader);
	reader = -1;
	assert_false(stdout_queue_flush(o));
	assert_false(stdout_queue_put(o, "x", 1));
	assert_true(stdout_queue_finish(o));
}

CASE(descriptor_that_is_not_open_is_said, setup, teardown)
{
	struct stdout_queue *none;

	assert_int_equal(stdout_queue_open(&none, 999, false, &d), -EBADF);
	assert_null(none);
	assert_contains(d.text, "cannot print on standard output: Bad file descriptor");
}

CASE(frame_takes_the_place_of_the_one_before, setup, teardown)
{
	unsigned int width, height;

	open_terminal(77, 11);
	stdout_queue_size(o, &width, &height);
	assert_int_equal(width, 77);
	assert_int_equal(height, 11);
	assert_true(stdout_queue_is_in_place(o));
	assert_true(stdout_queue_frame(o, "a\nb\n", 4, 2));
	stdout_queue_flush(o);
	take();
	assert_string_equal(got, "\033[?7la\nb\n\033[?7h");
	assert_true(stdout_queue_frame(o, "c\n", 2, 1));
	stdout_queue_flush(o);
	take();
	assert_string_equal(got, "\033[?7l\033[2A\r\033[Jc\n\033[?7h");
}

CASE(frame_stays_when_somebody_has_written_below_it, setup, teardown)
{
	open_terminal(80, 24);
	stdout_queue_frame(o, "a\n", 2, 1);
	stdout_queue_flush(o);
	take();
	capture_begin(false);
	log_line("something");
	capture_end();
	stdout_queue_frame(o, "b\n", 2, 1);
	stdout_queue_flush(o);
	take();
	assert_string_equal(got, "\033[?7lb\n\033[?7h");
}

CASE(frame_stays_when_the_terminal_has_another_size, setup, teardown)
{
	struct winsize w = {.ws_col = 50, .ws_row = 24};

	open_terminal(80, 24);
	stdout_queue_frame(o, "a\n", 2, 1);
	stdout_queue_flush(o);
	take();
	ioctl(reader, TIOCSWINSZ, &w);
	stdout_queue_frame(o, "b\n", 2, 1);
	stdout_queue_flush(o);
	take();
	assert_string_equal(got, "\033[?7lb\n\033[?7h");
}

/* A terminal that was stopped with Ctrl-S. */
CASE(frames_that_the_terminal_does_not_take_are_refused, setup, teardown)
{
	open_terminal(80, 24);
	tcflow(writer, TCOOFF);
	assert_true(stdout_queue_frame(o, "a\n", 2, 1));
	stdout_queue_flush(o);
	assert_false(stdout_queue_frame(o, "b\n", 2, 1));
	tcflow(writer, TCOON);
	assert_true(stdout_queue_finish(o));
	assert_true(stdout_queue_frame(o, "c\n", 2, 1));
}

CASE(terminal_that_cannot_gets_no_sequences, setup, teardown)
{
	setenv("TERM", "dumb", 1);
	open_terminal(80, 24);
	assert_true(stdout_queue_is_terminal(o));
	assert_false(stdout_queue_is_in_place(o));
	stdout_queue_frame(o, "a\n", 2, 1);
	stdout_queue_frame(o, "b\n", 2, 1);
	stdout_queue_flush(o);
	take();
	assert_string_equal(got, "a\nb\n");
}

CASE(terminal_of_others_too_gets_no_sequences, setup, teardown)
{
	open_terminal(80, 24);
	stdout_queue_close(o);
	stdout_queue_open(&o, writer, true, &d);
	assert_true(stdout_queue_is_terminal(o));
	assert_false(stdout_queue_is_in_place(o));
}

CASE(the_descriptor_stays_as_it_was, setup, teardown)
{
	open_terminal(80, 24);
	assert_false(fcntl(writer, F_GETFL) & O_NONBLOCK);
	stdout_queue_close(o);
	o = NULL;
	assert_true(isatty(writer));
}
