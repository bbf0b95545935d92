/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folds recorded calls into trees: a node is a method below its callers, and stands for all its calls there, or for those
 * with one value of a field of -e. The roots are outermost calls, each with a tree of its own, or all with one tree for
 * each method.
 *
 * The calls in a task that a root has handed over belong to that root, on whichever thread they were. They stand below the
 * innermost call that handed the task over, and add nothing to that one's times.
 *
 * Slow roots can be compared with fast ones: then all numbers are of slow roots, but for two. A node may have calls in
 * fast roots only.
 *
 * Use: call_tree_init(); call_tree_add_call() for each call of the recording and then call_tree_add_wait() for each
 * wait, and call_tree_add_sample() for each sample; call_tree_fold(). What lies in no root is ignored.
 */
#ifndef USER_VIEW_CALL_TREE_H
#define USER_VIEW_CALL_TREE_H

#include "user/trace/call.h"
#include "user/trace/wait.h"
#include "user/trace/method_names.h"
#include "user/trace/outermost.h"
#include "user/trace/task_runs.h"
#include "user/trace/throttled.h"
#include "user/view/call_samples.h"

struct call_tree_node {
	uint32_t parent, child, next; /* 0: none. Node 0 stands above the roots */
	uint32_t method;	      /* its number in `names` */
	uint32_t value;		      /* `sql="select 1"`, of all its calls, for call_tree_text(); 0: none */
	uint32_t depth;		      /* of a root: 1 */
	uint64_t calls, thrown;
	int64_t total, self;		 /* ns; self: without the calls inside */
	uint64_t throttled;		 /* calls whose self time may have throttled calls in it */
	uint64_t unsplit;		 /* calls whose next three are unknown */
	int64_t cpu, run_queue, blocked; /* ns, of the other calls */
	int64_t allocated,
		self_allocated; /* bytes, in the same way; INT64_MIN: not known of all calls, or of those inside */
	int64_t longest_wait;	/* ns, also of the calls inside; 0: none */
	uint32_t wait_reason, wait_waker, wait_holder; /* of that one, for call_tree_text() */
	uint32_t wait_resource, wait_peer;	       /* the second one as thread_wait_peer() has it */
	uint32_t wait_service, wait_process, wait_container;
	uint32_t wait_number; /* its number of holders_add() */
	struct span longest;  /* of its calls, the one with this number */
	uint32_t values;      /* of that one, a text of the caller's */
	uint64_t fast_calls;  /* in fast roots; of a root: their number */
	int64_t fast_total;
	uint32_t place; /* of a root: index into `place`, the longest of its calls */
	/*
	 * Of the outermost calls in tasks of one class: the class, and of the longest call the thread, both for
	 * call_tree_text(), and how long its task had been in the queue, ns. 0: it is no such node.
	 */
	uint32_t task, thread;
	int64_t queued;
	struct call_samples samples; /* in its calls, outside of the traced calls inside */
	uint64_t all_samples;	     /* also in those, but for tasks */
};

struct call_tree {
	struct call_tree_node *node;
	uint32_t count;
	struct method_names names;
	struct outermost_call *place; /* the roots, by thread and start */
	size_t places;
	struct call *root; /* by place, with a reference to its chunk; chunk NULL: not found */
	uint64_t left_out; /* calls and waits inside roots: too many, or nested too deeply */
	int64_t slow_ns;   /* roots that are shorter are fast; 0: there are none. To be set before call_tree_fold() */
	bool has_values;   /* a call has some by -e */
	bool has_allocated, has_samples;
	const char *
		by; /* calls with different values of this field have nodes of their own; NULL: none. Set it at first */
	bool has_by;		    /* a call has the field */
	struct throttled throttled; /* to be filled before call_tree_fold() */
	size_t capacity;	    /* private from here on */
	bool merged;
	const struct task_runs *runs;
	struct call_tree_branch *branch; /* by begin */
	uint32_t *branch_of;		 /* a run -> its branch + 1 */
	struct call_tree_call *call;
	struct call_tree_wait *wait;
	size_t calls, call_capacity, waits, wait_capacity;
	struct texts texts;
	struct map kinds; /* (method, value) -> number, with `by` */
	uint32_t kind;	  /* the last one */
	struct map index; /* (parent, method or kind) -> node */
};

/* Copies the places; the runs of tasks must stay. With `merged`, roots of one method share a tree. */
void call_tree_init(struct call_tree *t, const struct outermost *roots, const struct task_runs *runs, bool merged);
void call_tree_release(struct call_tree *t); /* takes a zeroed one, too */

/* Calls in the order of the file, all of them. `number`: the wait's of holders_add(). */
void call_tree_add_call(struct call_tree *t, const struct call *call);
void call_tree_add_wait(struct call_tree *t, const struct thread_wait *wait, uint32_t number);

/* `method`: that of sample_method(), with the names of the tree. */
void call_tree_add_sample(struct call_tree *t, uint64_t thread, int64_t moment, uint32_t method);

/* Make the nodes and settle the names. Children have higher indexes than their parents. */
void call_tree_fold(struct call_tree *t);

/* Add a text for a node, and get the text that a node names; "" for 0. */
uint32_t call_tree_add_text(struct call_tree *t, struct bytes *text);
const char *call_tree_text(const struct call_tree *t, uint32_t text);

/* The children of a node that have calls, most time first. *count: their number. Free with free(). */
uint32_t *call_tree_children(struct call_tree *t, uint32_t parent, uint32_t *count);

#endif
