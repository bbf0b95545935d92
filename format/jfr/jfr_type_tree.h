/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of elements in which a chunk describes its types: names, attributes and children, as shown in
 * jfr_schema.c. Most users want jfr_metadata.h; this header is for that module and for rewriting a description.
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
	uint32_t end; /* index of the first element after this one and its descendants */
};

struct jfr_tree {
	struct jfr_element *element; /* parents before their children; the first one is the root */
	uint32_t elements;
	struct bytes memory[4]; /* elements, attributes, strings, and the position of each string */
};

/*
 * Read the tree, from its string table on. Returns 0; -ENOMEM; -EINVAL with cause and place in the cursor. The
 * memory used is at most a fixed multiple of the bytes read. Release it in any case.
 */
int jfr_tree_read(struct jfr_tree *t, struct cursor *c);
void jfr_tree_release(struct jfr_tree *t);

/* The value of an attribute, or NULL. */
const char *jfr_element_get(const struct jfr_element *e, const char *name);

/* The same as a number; `otherwise` if it is none. */
int64_t jfr_element_number(const struct jfr_element *e, const char *name, int64_t otherwise);

/*
 * The next child of the element `parent` with that name (NULL: any), after the child `after` (0: from the start).
 * Returns 0 if there is none.
 */
uint32_t jfr_tree_child(const struct jfr_tree *t, uint32_t parent, uint32_t after, const char *name);

#endif
