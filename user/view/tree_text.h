/* SPDX-License-Identifier: BSD-2-Clause */
/* The trees of view_tree.c as text. */
#ifndef USER_VIEW_TREE_TEXT_H
#define USER_VIEW_TREE_TEXT_H

#include "user/trace/holders.h"
#include "user/view/call_tree.h"
#include "user/view/views.h"

#define NO_TREES    "\nNo events found for 'Slowest Calls as Trees'.\n"
#define TREES_SHOWN 5

struct tree_view {
	struct call_tree tree;
	struct threads threads;
	struct method_names names; /* of holders alone: those of `tree` are settled before */
	struct holders holders;
	struct task_runs runs;
	struct jfr_file again; /* roots refer to it */
	const struct view_request *request;
	int64_t utc_offset;
	struct bytes *out;
	bool narrow;	    /* show only total, self and blocked */
	bool throttled;	    /* a node has been printed that lacks calls inside */
	int64_t slow, fast; /* roots in the tree that is printed */
	uint64_t samples;   /* in the tree that is printed */
};

/* Does the longest wait of the node stand below it, rather than below a call inside? */
bool tree_waits_itself(const struct call_tree *t, const struct call_tree_node *n);

/* Who held what the node waited for, or woke it. */
const struct held *tree_held(const struct tree_view *v, const struct call_tree_node *n);

/* Append the slowest trees to v->out. */
void trees_print(struct tree_view *v);

#endif
