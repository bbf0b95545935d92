// SPDX-License-Identifier: BSD-2-Clause
/* empty_uprobe FILE.bpf.o PID LIBRARY OFFSET...: attach the program to these places, print "on", and keep running. */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct bpf_object *object = argc > 4 ? bpf_object__open(argv[1]) : NULL;

	if (!object || bpf_object__load(object))
		return 1;
	for (int i = 4; i < argc; i++)
		if (!bpf_program__attach_uprobe(bpf_object__next_program(object, NULL), false, atoi(argv[2]), argv[3],
						strtoull(argv[i], NULL, 0)))
			return 1;
	puts("on");
	fflush(stdout);
	pause();
	return 0;
}
