// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/syscall_name.h"
#include "user/text/machine/machine.h"

#include <stddef.h>
#include <stdio.h>

const char *syscall_name(unsigned int number, char text[SYSCALL_NAME_TEXT])
{
	if (number < sizeof(syscall_names) / sizeof(syscall_names[0]) && syscall_names[number])
		return syscall_names[number];
	snprintf(text, SYSCALL_NAME_TEXT, "system call %u", number);
	return text;
}
