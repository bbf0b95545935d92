/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of x86-64 system calls. */
#ifndef USER_TEXT_SYSCALL_NAME_H
#define USER_TEXT_SYSCALL_NAME_H

#define SYSCALL_NAME_TEXT 32

/* "futex"; a number without a name gives "system call 999", in `text`. */
const char *syscall_name(unsigned int number, char text[SYSCALL_NAME_TEXT]);

#endif
