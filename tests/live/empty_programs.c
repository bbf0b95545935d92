// SPDX-License-Identifier: BSD-2-Clause
/* empty_programs FILE: attach the programs in FILE, print "on", and keep running. */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 2 ? bpf_object__open(argv[1]) : NULL;
	struct bpf_program *program;

	if (!object || bpf_object__load(object))
		return 1;
	bpf_object__for_each_program(program, object) if (!bpf_program__attach(program)) return 1;
	puts("on");
	fflush(stdout);
	pause();
	return 0;
}
