// SPDX-License-Identifier: BSD-2-Clause
/* Reads lines "class name descriptor hidden" and prints those that contradict user/jvm/hidden.c. */
#include "user/jvm/hidden.h"

#include <stdio.h>

int main(void)
{
	char class_name[256], name[256], descriptor[1024];
	int hidden;

	while (scanf("%255s %255s %1023s %d", class_name, name, descriptor, &hidden) == 4)
		if (hidden_method(class_name, name, descriptor) != hidden)
			printf("%s.%s%s: %d\n", class_name, name, descriptor, hidden);
	return 0;
}
