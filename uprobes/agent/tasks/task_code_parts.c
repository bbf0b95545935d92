// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/tasks/task_code_parts.h"

size_t task_put_branch_by_waiting(struct code_writer *w, const struct task_members *m, unsigned int op)
{
	code_put_member(w, OP_INVOKESTATIC, m->unsafe);
	code_put_member(w, OP_GETSTATIC, m->busy);
	code_put_member(w, OP_INVOKEVIRTUAL, m->get_int);
	return code_branch(w, op);
}

size_t task_put_branch_if_idle(struct code_writer *w, const struct task_members *m)
{
	code_put_member(w, OP_INVOKESTATIC, m->unsafe);
	code_put_member(w, OP_GETSTATIC, m->busy);
	code_put_member(w, OP_INVOKEVIRTUAL, m->get_long);
	code_put(w, OP_LCONST_0, OP_LCMP);
	return code_branch(w, OP_IFEQ);
}

void task_put_task_of_handle(struct code_writer *w, const struct task_members *m)
{
	code_put_member(w, OP_GETSTATIC, m->tasks);
	code_put(w, OP_LLOAD_3, OP_L2I);
	code_put_member(w, OP_SIPUSH, TASK_ROWS - 1);
	code_put1(w, OP_IAND);
}

void task_put_is_on(struct code_writer *w, const struct task_members *m, size_t off[2])
{
	code_put1(w, OP_ALOAD_0);
	off[0] = code_branch(w, OP_IFNULL);
	code_put_member(w, OP_GETSTATIC, m->on);
	off[1] = code_branch(w, OP_IFEQ);
}

void task_put_call_with(struct code_writer *w, unsigned int load, uint16_t method)
{
	code_put(w, OP_ALOAD_0, load);
	code_put_member(w, OP_INVOKESTATIC, method);
}

void task_put_hash(struct code_writer *w, const struct task_members *m)
{
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->hash);
	code_put1(w, OP_ISTORE_2);
}

size_t task_put_search(struct code_writer *w, const struct task_members *m, size_t *loop)
{
	code_put(w, OP_LCONST_0, OP_LSTORE_3);
	*loop = w->size;
	code_put(w, OP_ILOAD_2, OP_LLOAD_3);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_FIND]);
	code_put(w, OP_LSTORE_3, OP_LLOAD_3, OP_LCONST_0, OP_LCMP);
	return code_branch(w, OP_IFEQ);
}

void task_put_is_task(struct code_writer *w, const struct task_members *m, size_t loop)
{
	task_put_task_of_handle(w, m);
	code_put(w, OP_AALOAD, OP_ALOAD_0);
	code_branch_back(w, OP_IF_ACMPNE, loop);
}
