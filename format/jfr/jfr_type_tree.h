/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of elements in which a chunk describes its types: names, attributes
 * and children, as jfr_schema.c draws it. Whoever wants types takes
 * jfr_metadata.h; this is for it, and for who rewrites a description.
 */
#ifndef FORMAT_JFR_JFR_TYPE_TREE_H
#define FORMAT_JFR_JFR_TYPE_TREE_H

#include "format/bytes.h"

struct jfr_attribute {
	const char *name, *value;
};

struct jfr_element {
	const char *name;
	const struct jfr_attribute *attribute;
	uint32_t attributes;
	uint32_t end; /* index of the first element behind this one and all below it */
};

struct jfr_tree {
	struct jfr_element *element; /* a parent before its children; the first one is the root */
	uint32_t elements;
	struct bytes memory[4]; /* of elements, attributes, strings, and where each string begins */
};

/*
 * Read the tree from its string table on. 0; -ENOMEM; -EINVAL: the cursor says what is wrong, and where. The memory
 * taken is at most a fixed multiple of the bytes read. In every case release it.
 */
int jfr_tree_read(struct jfr_tree *t, struct cursor *c);
void jfr_tree_release(struct jfr_tree *t);

/* The value of an attribute; NULL: it has none of that name. */
const char *jfr_element_get(const struct jfr_element *e, const char *name);

/* The same as a number; `otherwise` when it is none. */
int64_t jfr_element_number(const struct jfr_element *e, const char *name, int64_t otherwise);

/* The first child of that name (NULL: any) of the element `parent` behind the child `after` (0: from the start); 0: no
 * more. */
uint32_t jfr_tree_child(const struct jfr_tree *t, uint32_t parent, uint32_t after, const char *name);

#endif
