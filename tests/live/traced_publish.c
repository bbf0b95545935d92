/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library that publishes the distributed trace of each thread, as tracing libraries do. -DVARIABLE=its name; -DLARGE: there
 * is no room for its variables in the static block of threads.
 */
__thread void *VARIABLE;
#ifdef LARGE
__thread char large[100000];

char *use_large(void)
{
	return large;
}
#endif

void **place(void)
{
	return &VARIABLE;
}
