/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the methods of java.lang.FrtraceTasks<tag>, written in Java at the top of task_code_write.c. */
#ifndef AGENT_TASK_CODE_PARTS_H
#define AGENT_TASK_CODE_PARTS_H

#include "uprobes/agent/tasks/code_writer.h"
#include "uprobes/agent/tasks/task_code.h"

/* Members that code refers to. */
struct task_members {
	uint16_t on, pending, coroutines, busy, unsafe, get_long, get_int, get_reference, tasks, classes, inner,
		get_class, get, kind, hash, once, kotlin, moves, submits, shared, keeps, twins, takes, begins, arrives,
		ends, runs_once[3], native[TASK_NATIVES];
};

/* A branch by how many tasks wait. */
size_t task_put_branch_by_waiting(struct code_writer *w, const struct task_members *m, unsigned int op);

/* A branch for when no task is of interest. */
size_t task_put_branch_if_idle(struct code_writer *w, const struct task_members *m);

/* tasks[(int) handle & TASK_ROWS - 1], of the handle in local 3, without the load or store. */
void task_put_task_of_handle(struct code_writer *w, const struct task_members *m);

/* Branches to the end of a method that gets a task: it is null, or tasks are of no interest. */
void task_put_is_on(struct code_writer *w, const struct task_members *m, size_t off[2]);

/* A call with the task, and with the number in a local. */
void task_put_call_with(struct code_writer *w, unsigned int load, uint16_t method);

/* hash = System.identityHashCode(task), in local 2. */
void task_put_hash(struct code_writer *w, const struct task_members *m);

/* handle = find(hash, handle), from 0 on. Returns the branch for 0; *loop: the one for the next handle. */
size_t task_put_search(struct code_writer *w, const struct task_members *m, size_t *loop);

/* Go on with the next handle unless that one is of the task. */
void task_put_is_task(struct code_writer *w, const struct task_members *m, size_t loop);

/* The methods that an object passes when it is handed over: submits, shares, moves, shared, keeps, twins. */
#define TASK_SUBMIT_METHODS 6
void task_code_put_submits(struct code_writer *w, const struct task_members *m);

#endif
