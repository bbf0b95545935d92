/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An array that grows. Its owner holds the pointer, which free() frees, and the
 * capacity in elements; NULL and 0 are an empty one:
 *
 *	if (vec_reserve(&list->item, &list->capacity, list->count + 1))
 *		return -ENOMEM;
 *	list->item[list->count++] = item;
 */
#ifndef FORMAT_VEC_H
#define FORMAT_VEC_H

#include <stddef.h>

/*
 * The first index below `count` for which `after` is true, `count` if there is none. `i` is its name in `after`, which
 * must be true for all elements behind one for which it is:
 *
 *	n = lower_bound(i, list->count, list->item[i].start >= start);
 */
#define lower_bound(i, count, after)                                   \
	({                                                             \
		size_t i##_from = 0, i##_to = (count);                 \
                                                                       \
		while (i##_from < i##_to) {                            \
			size_t i = i##_from + (i##_to - i##_from) / 2; \
                                                                       \
			if (after)                                     \
				i##_to = i;                            \
			else                                           \
				i##_from = i + 1;                      \
		}                                                      \
		i##_from;                                              \
	})

/* Make room for `count` elements: at least twice as many as before when there is too little. 0, or -ENOMEM and nothing
 * has changed. */
#define vec_reserve(array, capacity, count) vec_reserve_size(array, capacity, count, sizeof(**(array)))

/* For vec_reserve() alone: get more memory. `array` points to the pointer. */
int vec_grow(void *array, size_t *capacity, size_t count, size_t size);

/* The same for elements whose size is known at run time. */
static inline int vec_reserve_size(void *array, size_t *capacity, size_t count, size_t size)
{
	return __builtin_expect(count <= *capacity, 1) ? 0 : vec_grow(array, capacity, count, size);
}

#endif
