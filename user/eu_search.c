// SPDX-License-Identifier: BSD-2-Clause
/*
 * For the static binary alone. From elfutils 0.192 on, libelf.a and libdw.a use search trees with a lock that are in
 * libeu.a, which Debian 13 does not package. frtrace uses both libraries from one thread, so tsearch(3) does. Weak: a
 * library that has them wins.
 */
#include <search.h>
#include <stddef.h>

struct search_tree {
	void *root; /* followed by the lock */
};

typedef int compare_function(const void *, const void *);

void eu_search_tree_init(struct search_tree *tree);
void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *));
void *eu_tsearch(const void *key, struct search_tree *tree, compare_function *compare);
void *eu_tfind(const void *key, struct search_tree *tree, compare_function *compare);
void *eu_tdelete(const void *key, struct search_tree *tree, compare_function *compare);
void eu_tdestroy(struct search_tree *tree, void (*free_node)(void *));

__attribute__((weak)) void eu_search_tree_init(struct search_tree *tree)
{
	tree->root = NULL;
}

__attribute__((weak)) void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *))
{
	tdestroy(tree->root, free_node);
	tree->root = NULL;
}

__attribute__((weak)) void *eu_tsearch(const void *key, struct search_tree *tree, compare_function *compare)
{
	return tsearch(key, &tree->root, compare);
}

__attribute__((weak)) void *eu_tfind(const void *key, struct search_tree *tree, compare_function *compare)
{
	return tfind(key, &tree->root, compare);
}

__attribute__((weak)) void *eu_tdelete(const void *key, struct search_tree *tree, compare_function *compare)
{
	return tdelete(key, &tree->root, compare);
}

__attribute__((weak)) void eu_tdestroy(struct search_tree *tree, void (*free_node)(void *))
{
	tdestroy(tree->root, free_node);
	tree->root = NULL;
}
