// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/tasks/task_code_parts.h"

static void put_keeps_row(struct code_writer *w, const struct task_members *m, unsigned int again)
{
	code_put(w, OP_ALOAD_0, OP_ILOAD_2, again);
	code_put_member(w, OP_INVOKESTATIC, m->keeps);
}

static void put_submits(struct code_writer *w, const struct task_members *m)
{
	size_t end[4], got;

	code_begin_method(w, "submits", "(" OBJECT "I)V", 3);
	task_put_is_on(w, m, end);
	end[2] = task_put_branch_if_idle(w, m);
	code_put1(w, OP_ILOAD_1);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_ASK]);
	code_put(w, OP_ISTORE_2, OP_ILOAD_2);
	got = code_branch(w, OP_IFGE);
	task_put_call_with(w, OP_ILOAD_2, m->shared);
	code_put(w, OP_ISTORE_2, OP_ILOAD_2);
	end[3] = code_branch(w, OP_IFLT);
	code_branch_here(w, got);
	put_keeps_row(w, m, OP_ICONST_0);
	for (int i = 0; i < 4; i++)
		code_branch_here(w, end[i]);
	code_put1(w, OP_RETURN);
	code_end_method(w);
}

static void put_shares(struct code_writer *w, const struct task_members *m)
{
	size_t end[4], other, idle, excess;

	code_begin_method(w, "shares", "(" OBJECT "I)V", 4);
	task_put_is_on(w, m, end);
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->once);
	other = code_branch(w, OP_IFEQ);
	task_put_call_with(w, OP_ILOAD_1, m->submits);
	code_put1(w, OP_RETURN);
	code_branch_here(w, other);
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->kotlin);
	other = code_branch(w, OP_IFEQ);
	task_put_call_with(w, OP_ILOAD_1, m->moves);
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->hash);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_OTHER]);
	code_put1(w, OP_RETURN);
	code_branch_here(w, other);
	code_put(w, OP_BIPUSH, TASK_STRANGE & 255, OP_ISTORE_2);
	idle = task_put_branch_if_idle(w, m);
	code_put1(w, OP_ILOAD_1);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_ASK]);
	code_put(w, OP_ISTORE_2, OP_ILOAD_2);
	other = code_branch(w, OP_IFLT);
	put_keeps_row(w, m, OP_ICONST_1);
	code_put1(w, OP_RETURN);
	code_branch_here(w, idle);
	code_branch_here(w, other);
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->hash);
	code_put(w, OP_ISTORE_3, OP_ILOAD_3);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_OTHER]);
	code_put(w, OP_ILOAD_2, OP_BIPUSH, TASK_EXCESS & 255);
	excess = code_branch(w, OP_IF_ICMPEQ);
	end[2] = task_put_branch_by_waiting(w, m, OP_IFEQ);
	code_put(w, OP_BIPUSH, TASK_STRANGE & 255, OP_ISTORE_2);
	code_branch_here(w, excess);
	task_put_call_with(w, OP_ILOAD_2, m->shared);
	code_put(w, OP_ISTORE_2, OP_ILOAD_2);
	end[3] = code_branch(w, OP_IFLT);
	put_keeps_row(w, m, OP_ICONST_0);
	code_put1(w, OP_ILOAD_3);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_LEFT]);
	for (int i = 0; i < 4; i++)
		code_branch_here(w, end[i]);
	code_put1(w, OP_RETURN);
	code_end_method(w);
}

static void put_moves(struct code_writer *w, const struct task_members *m)
{
	size_t end[5], idle, none, loop;

	code_begin_method(w, "moves", "(" OBJECT "I)V", 5);
	task_put_is_on(w, m, end);
	end[2] = task_put_branch_if_idle(w, m);
	idle = task_put_branch_by_waiting(w, m, OP_IFEQ);
	task_put_hash(w, m);
	none = task_put_search(w, m, &loop);
	task_put_is_task(w, m, loop);
	code_put1(w, OP_RETURN);
	code_branch_here(w, idle);
	code_branch_here(w, none);
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_STARTS]);
	end[3] = code_branch(w, OP_IFEQ);
	code_put1(w, OP_ILOAD_1);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_ASK]);
	code_put(w, OP_ISTORE_2, OP_ILOAD_2);
	end[4] = code_branch(w, OP_IFLT);
	put_keeps_row(w, m, OP_ICONST_0);
	for (int i = 0; i < 5; i++)
		code_branch_here(w, end[i]);
	code_put1(w, OP_RETURN);
	code_end_method(w);
}

static void put_keeps(struct code_writer *w, const struct task_members *m)
{
	size_t end;

	code_begin_method(w, "keeps", "(" OBJECT "II)V", 3);
	code_put_member(w, OP_GETSTATIC, m->tasks);
	code_put(w, OP_ILOAD_1, OP_ALOAD_0, OP_AASTORE, OP_ILOAD_1, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->hash);
	code_put1(w, OP_ILOAD_2);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_PUT]);
	code_put1(w, OP_ICONST_0 + TASK_TWINS);
	end = code_branch(w, OP_IF_ICMPNE);
	task_put_call_with(w, OP_ILOAD_1, m->twins);
	code_branch_here(w, end);
	code_put1(w, OP_RETURN);
	code_end_method(w);
}

static void put_shared(struct code_writer *w, const struct task_members *m)
{
	size_t none[2], excess, loop;

	code_begin_method(w, "shared", "(" OBJECT "I)I", 5);
	code_put(w, OP_ILOAD_1, OP_BIPUSH, TASK_NOT & 255);
	none[0] = code_branch(w, OP_IF_ICMPEQ);
	task_put_hash(w, m);
	code_put(w, OP_ILOAD_1, OP_BIPUSH, TASK_EXCESS & 255);
	excess = code_branch(w, OP_IF_ICMPEQ);
	none[1] = task_put_search(w, m, &loop);
	task_put_is_task(w, m, loop);
	code_branch_here(w, excess);
	code_put1(w, OP_ILOAD_2);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_NAMELESS]);
	code_put1(w, OP_IRETURN);
	for (int i = 0; i < 2; i++)
		code_branch_here(w, none[i]);
	code_put(w, OP_BIPUSH, TASK_NOT & 255, OP_IRETURN);
	code_end_method(w);
}

static void put_twins(struct code_writer *w, const struct task_members *m)
{
	size_t none, loop;

	code_begin_method(w, "twins", "(" OBJECT "I)V", 5);
	task_put_hash(w, m);
	none = task_put_search(w, m, &loop);
	task_put_is_task(w, m, loop);
	code_put(w, OP_ILOAD_1, OP_LLOAD_3);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_TWIN]);
	code_branch_back(w, OP_GOTO, loop);
	code_branch_here(w, none);
	code_put1(w, OP_RETURN);
	code_end_method(w);
}

void task_code_put_submits(struct code_writer *w, const struct task_members *m)
{
	put_submits(w, m);
	put_shares(w, m);
	put_moves(w, m);
	put_shared(w, m);
	put_keeps(w, m);
	put_twins(w, m);
}
