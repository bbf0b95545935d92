// SPDX-License-Identifier: BSD-2-Clause
/*
 * edit_classes [-i IDSFILE] [-n FIRSTID] OWNER OUTDIR DIR...
 *
 * Edit every method of every .class file below each DIR, with the hooks enter, leave and thrown of the class OWNER
 * (internal form), and write the classes to the same paths below OUTDIR. Prints each method that could not be edited,
 * with the reason, and totals. Status 1 if a class failed.
 */
#include "tests/lib/class_tree.h"

#include <stdlib.h>
#include <unistd.h>

static int usage(void)
{
	fprintf(stderr, "usage: edit_classes [-i IDSFILE] [-n FIRSTID] OWNER OUTDIR DIR...\n");
	return 2;
}

static void print_sums(const struct class_tree *t)
{
	int i;

	printf("%u classes, %u failed, %llu to %llu bytes; methods: %u left alone", t->classes, t->failed, t->old_size,
	       t->new_size, t->left_alone);
	for (i = 0; i <= EDIT_SHAPE; i++)
		printf(", %u %s", t->results[i], edit_result_text[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct class_tree t = {.log = stdout};
	int c, i;

	while ((c = getopt(argc, argv, "i:n:")) != -1) {
		if (c == 'n')
			t.next_id = (uint32_t)strtoul(optarg, NULL, 0);
		else if (c != 'i' || !(t.ids = fopen(optarg, "w")))
			return usage();
	}
	if (argc - optind < 3)
		return usage();
	t.owner = argv[optind];
	for (i = optind + 2; i < argc; i++)
		if (class_tree_edit(&t, argv[i], argv[optind + 1]))
			return 1;
	print_sums(&t);
	if (t.ids && fclose(t.ids))
		return 1;
	return t.failed != 0;
}
