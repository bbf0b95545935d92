// SPDX-License-Identifier: BSD-2-Clause
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES  (1ULL << 40) /* more than any machine has for one array: a count from a damaged file */
#define FIRST_BYTES 64u
#define FIRST	    8u /* of larger elements */

int vec_grow(void *array, size_t *capacity, size_t count, size_t size)
{
	size_t wanted = *capacity ? *capacity : size < FIRST_BYTES / FIRST ? FIRST_BYTES / size : FIRST;
	void *old, *grown;

	if (count > MOST_BYTES / 2 / size)
		return -ENOMEM;
	while (wanted < count)
		wanted *= 2;
	memcpy(&old, array, sizeof(old)); /* a pointer to some other type */
	grown = reallocarray(old, wanted, size);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	*capacity = wanted;
	return 0;
}
