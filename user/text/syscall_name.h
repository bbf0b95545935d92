/* SPDX-License-Identifier: BSD-2-Clause */
/* What the system calls of x86-64 are called. */
#ifndef USER_TEXT_SYSCALL_NAME_H
#define USER_TEXT_SYSCALL_NAME_H

#define SYSCALL_NAME_TEXT 32

/* "futex"; of a number that has no name "system call 999", in `text`. */
const char *syscall_name(unsigned int number, char text[SYSCALL_NAME_TEXT]);

#endif
