// SPDX-License-Identifier: BSD-2-Clause
/*
 * A process that is stopped or killed by a key must restore the terminal first, at any moment: also while it waits for a
 * JVM. So this is done in a signal handler, with calls that POSIX allows there. Only the foreground job may do it: to
 * the settings of a terminal that belongs to a shell, which has its own, nothing is done.
 */
#include "user/show/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

struct keys {
	int fd;
	struct termios before;
	volatile sig_atomic_t taken;
	char text[64]; /* read, not yet looked at */
	size_t size, at;
	enum { KEYS_PLAIN, KEYS_ESCAPE, KEYS_SEQUENCE } state;
};

static struct keys *volatile keys_opened; /* for the signal handler */

static bool keys_in_foreground(const struct keys *k)
{
	return tcgetpgrp(k->fd) == getpgrp();
}

static void keys_give_back(struct keys *k)
{
	if (k->taken && keys_in_foreground(k))
		tcsetattr(k->fd, TCSANOW, &k->before);
	k->taken = false;
}

static void keys_on_signal(int number)
{
	struct sigaction by_default = {.sa_handler = SIG_DFL}, own;
	int error = errno;
	sigset_t one;

	if (keys_opened)
		keys_give_back(keys_opened);
	sigaction(number, &by_default, &own);
	raise(number);
	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_UNBLOCK, &one, NULL); /* here the process stops or ends */
	sigprocmask(SIG_BLOCK, &one, NULL);
	sigaction(number, &own, NULL);
	errno = error;
}

/* A shell without job control has these signals ignored. */
static void keys_catch(int number)
{
	struct sigaction on_signal = {.sa_handler = keys_on_signal, .sa_flags = SA_RESTART}, before;

	if (!sigaction(number, NULL, &before) && before.sa_handler == SIG_DFL)
		sigaction(number, &on_signal, NULL);
}

static void keys_uncatch(int number)
{
	struct sigaction before;

	if (!sigaction(number, NULL, &before) && before.sa_handler == keys_on_signal)
		signal(number, SIG_DFL);
}

struct keys *keys_open(int fd)
{
	char path[] = "/dev/fd/0123456789";
	struct keys *k;

	if (!isatty(fd))
		return NULL;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	/* opened again: O_NONBLOCK of the inherited descriptor would affect everyone who shares it */
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	k->fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (k->fd < 0) {
		free(k);
		return NULL;
	}
	keys_opened = k;
	keys_catch(SIGTSTP);
	keys_catch(SIGQUIT);
	keys_take(k);
	return k;
}

void keys_close(struct keys *k)
{
	if (!k)
		return;
	keys_give_back(k);
	keys_uncatch(SIGTSTP);
	keys_uncatch(SIGQUIT);
	keys_opened = NULL;
	close(k->fd);
	free(k);
}

/* Between the two calls that take the terminal, no signal may give it back. */
static void keys_set(struct keys *k)
{
	struct termios single;

	if (tcgetattr(k->fd, &k->before))
		return;
	single = k->before;
	single.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	single.c_cc[VMIN] = 1;
	single.c_cc[VTIME] = 0;
	k->taken = !tcsetattr(k->fd, TCSANOW, &single);
}

void keys_take(struct keys *k)
{
	sigset_t signals, before;

	if (!k || k->taken == keys_in_foreground(k))
		return;
	sigemptyset(&signals);
	sigaddset(&signals, SIGTSTP);
	sigaddset(&signals, SIGQUIT);
	sigprocmask(SIG_BLOCK, &signals, &before);
	if (!keys_in_foreground(k))
		k->taken = false; /* the shell has set the terminal as it likes */
	else if (!k->taken)
		keys_set(k);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int keys_fd(const struct keys *k)
{
	return k && k->taken && keys_in_foreground(k) ? k->fd : -1;
}

static bool keys_read(struct keys *k)
{
	ssize_t n;

	if (k->at < k->size)
		return true;
	n = keys_fd(k) >= 0 ? read(k->fd, k->text, sizeof(k->text)) : -1;
	k->at = 0;
	k->size = n > 0 ? n : 0;
	return n > 0;
}

static enum key key_of_arrow(char letter)
{
	switch (letter) {
	case 'A': return KEY_UP;
	case 'B': return KEY_DOWN;
	case 'C': return KEY_RIGHT;
	case 'D': return KEY_LEFT;
	default: return KEY_NONE;
	}
}

/* Terminals send arrows as ESC [ A, or ESC O A. */
static enum key keys_feed(struct keys *k, char c)
{
	switch (k->state) {
	case KEYS_ESCAPE: k->state = c == '[' || c == 'O' ? KEYS_SEQUENCE : KEYS_PLAIN; return KEY_NONE;
	case KEYS_SEQUENCE:
		if (c < '@' || c > '~')
			return KEY_NONE;
		k->state = KEYS_PLAIN;
		return key_of_arrow(c);
	case KEYS_PLAIN: break;
	}
	k->state = c == '\033' ? KEYS_ESCAPE : KEYS_PLAIN;
	return c == 'q' ? KEY_END : c == 's' ? KEY_SORT : KEY_NONE;
}

enum key keys_next(struct keys *k)
{
	enum key key = KEY_NONE;

	while (key == KEY_NONE && keys_read(k))
		key = keys_feed(k, k->text[k->at++]);
	return key;
}
