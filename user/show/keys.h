/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single keys of a terminal: no line end is needed, and nothing is echoed. Ctrl-C, Ctrl-Z and Ctrl-\ keep their meaning.
 * The terminal gets its settings back when the keys are closed, while the process is stopped by Ctrl-Z, and by Ctrl-\.
 * While another job has the terminal, it is left alone.
 */
#ifndef USER_SHOW_KEYS_H
#define USER_SHOW_KEYS_H

struct keys;

enum key { KEY_NONE, KEY_END, KEY_SORT, KEY_LEFT, KEY_RIGHT, KEY_UP, KEY_DOWN };

/* One in a process. NULL if the descriptor is no terminal, or without memory. `fd` remains the caller's. */
struct keys *keys_open(int fd);
void keys_close(struct keys *k);

/* Call now and then: takes the terminal after the process has come back to the foreground. NULL is fine. */
void keys_take(struct keys *k);

/* Poll this descriptor for input; -1: not now. NULL is fine. */
int keys_fd(const struct keys *k);

/* The next key that was pressed and has a meaning; KEY_NONE: none is left. Never waits. */
enum key keys_next(struct keys *k);

#endif
