// SPDX-License-Identifier: BSD-2-Clause
/*
 * The class, as a Java source would have it:
 *
 *    static int on, pending, coroutines;
 *    static long busy;   // the address of inside_busy, getLong() is Unsafe's; its lower half says how many tasks wait
 *    static Object[] tasks = new Object[TASK_ROWS];
 *    static Reference[] classes = new Reference[TASK_CLASSES]; // weak references to known classes of tasks
 *    static long[] inner = new long[TASK_CLASSES]; // the offset of what objects of that class wrap, or 0; -1: not known yet
 *    static boolean once(Object task) {
 *        return task instanceof FutureTask || task instanceof ForkJoinTask || task instanceof Future;
 *    }
 *    static boolean kotlin(Object task) {
 *        return coroutines != 0 && task != null && getLong(busy) != 0 && dispatched(task) != 0;
 *    }
 *    static int kind(Object task) { // the number of the class of what the program has given, or -1
 *        for (int i = 0; i <= TASK_WRAPPERS; i++) {
 *            Class type = task.getClass();
 *            int k = System.identityHashCode(type) & TASK_CLASSES - 1;
 *            if (classes[k] == null || classes[k].get() != type || inner[k] < 0) return -1;
 *            if (inner[k] == 0) return k;
 *            Object wrapped = getReference(task, inner[k]); // Unsafe's
 *            if (wrapped == null) return k;
 *            task = wrapped;
 *        }
 *        return -1;
 *    }
 *    static void submits(Object task, int place) {
 *        if (task == null || on == 0 || getLong(busy) == 0) return;
 *        int row = ask(place);
 *        if (row < 0) row = shared(task, row);
 *        if (row >= 0) keeps(task, row, 0);
 *    }
 *    static void shares(Object task, int place) {
 *        if (task == null || on == 0) return;
 *        if (once(task)) { submits(task, place); return; }
 *        if (kotlin(task)) { moves(task, place); other(System.identityHashCode(task)); return; }
 *        int row = getLong(busy) == 0 ? TASK_STRANGE : ask(place);
 *        if (row >= 0) { keeps(task, row, 1); return; }
 *        int hash = System.identityHashCode(task);
 *        other(hash);
 *        if (getInt(busy) == 0 && row != TASK_EXCESS) return;
 *        row = shared(task, row == TASK_EXCESS ? row : TASK_STRANGE);
 *        if (row < 0) return;
 *        keeps(task, row, 0);
 *        left(hash);
 *    }
 *    static void moves(Object task, int place) {
 *        if (task == null || on == 0 || getLong(busy) == 0) return;
 *        if (getInt(busy) != 0) {
 *            int hash = System.identityHashCode(task);
 *            long handle = 0;
 *            while ((handle = find(hash, handle)) != 0)
 *                if (tasks[(int) handle & TASK_ROWS - 1] == task) return;
 *        }
 *        if (starts(task) == 0) return;
 *        int row = ask(place);
 *        if (row >= 0) keeps(task, row, 0);
 *    }
 *    static void keeps(Object task, int row, int again) {
 *        tasks[row] = task;
 *        if (put(row, System.identityHashCode(task), again) == TASK_TWINS) twins(task, row);
 *    }
 *    static int shared(Object task, int why) {
 *        if (why == TASK_NOT) return TASK_NOT;
 *        int hash = System.identityHashCode(task);
 *        if (why != TASK_EXCESS) {
 *            long handle = 0;
 *            do {
 *                handle = find(hash, handle);
 *                if (handle == 0) return TASK_NOT;
 *            } while (tasks[(int) handle & TASK_ROWS - 1] != task);
 *        }
 *        return nameless(hash);
 *    }
 *    static void twins(Object task, int row) {
 *        int hash = System.identityHashCode(task);
 *        long handle = 0;
 *        while ((handle = find(hash, handle)) != 0)
 *            if (tasks[(int) handle & TASK_ROWS - 1] == task) twin(row, handle);
 *    }
 *    static long takes(Object task, int place) {
 *        if (pending == 0 || getLong(busy) == 0 || task == null) return 0;
 *        if (getInt(busy) == 0 && any(place) == 0) return 0;
 *        int hash = System.identityHashCode(task);
 *        long handle = 0;
 *        int took = 0;
 *        do {
 *            handle = find(hash, handle);
 *            if (handle == 0) return strange(place);
 *        } while (tasks[(int) handle & TASK_ROWS - 1] != task || (took = take(handle, task, kind(task), place)) == 0);
 *        if (took == TASK_IGNORED) return 1;
 *        tasks[(int) handle & TASK_ROWS - 1] = null;
 *        return handle;
 *    }
 *    static long begins(Object task, int place) {
 *        long handle = takes(task, place);
 *        return handle == 1 ? 0 : handle;
 *    }
 *    static long arrives(Object task, int place) {
 *        long handle = kotlin(task) ? 0 : takes(task, place); // a coroutine has its own place to run
 *        if (handle == 1) return 0;
 *        if (handle == 0 && task != null && on != 0 && !once(task)) left(System.identityHashCode(task));
 *        return handle;
 *    }
 *    static void ends(long handle, int place) { if (handle != 0) end(handle, place); }
 *    static void gets(Object task, int place) { arrives(task, place); }
 *    static void checks(Object task, int place) {
 *        if (task != null && on != 0 && !once(task) && unmet(place) != 0) arrives(task, place);
 *    }
 *    static long asks(int place) { if (pending != 0) idle(place); return 0; }
 *    static void works(Object worker, int place) { if (on != 0) arrives(first(worker), place); }
 *    static void directs(Object task, int place) { if (pending != 0) direct(place); }
 *    static void drops(Object task, int place) { if (getInt(busy) != 0) ends(begins(task, place), place); }
 *    static void refuses(Object task, int place) { ends(arrives(task, place), place); }
 *
 * A row belongs to a task until that has ended, so nobody else uses it when the reference is dropped. Where a native frees
 * it, that has dropped the reference before: afterwards it may be another task's. shares() and arrives() are for places where
 * one object may be handed over again before it has begun: what is in a queue, and in no row, is known by its hash
 * (task_others.c). So is a coroutine, since only while a task is of interest it is known as one.
 */
#include "uprobes/agent/tasks/task_code.h"
#include "uprobes/agent/tasks/task_code_parts.h"

char task_native_names[TASK_NATIVES][12] = {[TASK_ASK] = "ask",		 [TASK_NAMELESS] = "nameless",
					    [TASK_PUT] = "put",		 [TASK_TWIN] = "twin",
					    [TASK_ANY] = "any",		 [TASK_FIND] = "find",
					    [TASK_TAKE] = "take",	 [TASK_END] = "end",
					    [TASK_IDLE] = "idle",	 [TASK_FIRST] = "first",
					    [TASK_STRANGER] = "strange", [TASK_DIRECT] = "direct",
					    [TASK_OTHER] = "other",	 [TASK_LEFT] = "left",
					    [TASK_UNMET] = "unmet",	 [TASK_DISPATCHED] = "dispatched",
					    [TASK_STARTS] = "starts"};
char task_native_types[TASK_NATIVES][48] = {[TASK_ASK] = "(I)I",
					    [TASK_NAMELESS] = "(I)I",
					    [TASK_PUT] = "(III)I",
					    [TASK_TWIN] = "(IJ)V",
					    [TASK_ANY] = "(I)I",
					    [TASK_FIND] = "(IJ)J",
					    [TASK_TAKE] = "(J" OBJECT "II)I",
					    [TASK_END] = "(JI)V",
					    [TASK_IDLE] = "(I)V",
					    [TASK_FIRST] = "(" OBJECT ")" OBJECT,
					    [TASK_STRANGER] = "(I)J",
					    [TASK_DIRECT] = "(I)V",
					    [TASK_OTHER] = "(I)V",
					    [TASK_LEFT] = "(I)V",
					    [TASK_UNMET] = "(I)I",
					    [TASK_DISPATCHED] = "(" OBJECT ")I",
					    [TASK_STARTS] = "(" OBJECT ")I"};

static void put_runs_once(struct code_writer *w, const struct task_members *m)
{
	size_t yes[2];

	code_begin_method(w, "once", "(" OBJECT ")I", 1);
	for (int i = 0; i < 2; i++) {
		code_put1(w, OP_ALOAD_0);
		code_put_member(w, OP_INSTANCEOF, m->runs_once[i]);
		yes[i] = code_branch(w, OP_IFNE);
	}
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INSTANCEOF, m->runs_once[2]);
	code_put1(w, OP_IRETURN);
	for (int i = 0; i < 2; i++)
		code_branch_here(w, yes[i]);
	code_put(w, OP_ICONST_1, OP_IRETURN);
	code_end_method(w);
}

static void put_kotlin(struct code_writer *w, const struct task_members *m)
{
	size_t none[3];

	code_begin_method(w, "kotlin", "(" OBJECT ")I", 1);
	code_put_member(w, OP_GETSTATIC, m->coroutines);
	none[0] = code_branch(w, OP_IFEQ);
	code_put1(w, OP_ALOAD_0);
	none[1] = code_branch(w, OP_IFNULL);
	none[2] = task_put_branch_if_idle(w, m);
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_DISPATCHED]);
	code_put1(w, OP_IRETURN);
	for (int i = 0; i < 3; i++)
		code_branch_here(w, none[i]);
	code_put(w, OP_ICONST_0, OP_IRETURN);
	code_end_method(w);
}

static void put_kind(struct code_writer *w, const struct task_members *m)
{
	size_t loop, unknown[4], known, innermost;

	code_begin_method(w, "kind", "(" OBJECT ")I", 6);
	code_put(w, OP_ICONST_0, OP_ISTORE_1);
	loop = w->size;
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INVOKEVIRTUAL, m->get_class);
	code_put(w, OP_ASTORE_2, OP_ALOAD_2);
	code_put_member(w, OP_INVOKESTATIC, m->hash);
	code_put_member(w, OP_SIPUSH, TASK_CLASSES - 1);
	code_put(w, OP_IAND, OP_ISTORE_3);
	code_put_member(w, OP_GETSTATIC, m->classes);
	code_put(w, OP_ILOAD_3, OP_AALOAD);
	unknown[0] = code_branch(w, OP_IFNULL);
	code_put_member(w, OP_GETSTATIC, m->classes);
	code_put(w, OP_ILOAD_3, OP_AALOAD);
	code_put_member(w, OP_INVOKEVIRTUAL, m->get);
	code_put1(w, OP_ALOAD_2);
	unknown[1] = code_branch(w, OP_IF_ACMPNE);
	code_put_member(w, OP_GETSTATIC, m->inner);
	code_put(w, OP_ILOAD_3, OP_LALOAD, OP_LSTORE, 4, OP_LLOAD, 4, OP_LCONST_0, OP_LCMP);
	unknown[2] = code_branch(w, OP_IFLT);
	code_put(w, OP_LLOAD, 4, OP_LCONST_0, OP_LCMP);
	known = code_branch(w, OP_IFEQ);
	code_put_member(w, OP_INVOKESTATIC, m->unsafe);
	code_put(w, OP_ALOAD_0, OP_LLOAD, 4);
	code_put_member(w, OP_INVOKEVIRTUAL, m->get_reference);
	code_put(w, OP_ASTORE_2, OP_ALOAD_2);
	innermost = code_branch(w, OP_IFNULL);
	code_put(w, OP_ALOAD_2, OP_ASTORE_0, OP_IINC, 1, 1, OP_ILOAD_1, OP_BIPUSH, TASK_WRAPPERS + 1);
	code_branch_back(w, OP_IF_ICMPNE, loop);
	for (int i = 0; i < 3; i++)
		code_branch_here(w, unknown[i]);
	code_put(w, OP_ICONST_M1, OP_IRETURN);
	code_branch_here(w, known);
	code_branch_here(w, innermost);
	code_put(w, OP_ILOAD_3, OP_IRETURN);
	code_end_method(w);
}

static void put_takes(struct code_writer *w, const struct task_members *m)
{
	size_t none[4], strange, ignored, loop, some;

	code_begin_method(w, "takes", "(" OBJECT "I)J", 6);
	code_put_member(w, OP_GETSTATIC, m->pending);
	none[0] = code_branch(w, OP_IFEQ);
	none[1] = task_put_branch_if_idle(w, m);
	code_put1(w, OP_ALOAD_0);
	none[2] = code_branch(w, OP_IFNULL);
	some = task_put_branch_by_waiting(w, m, OP_IFNE);
	code_put1(w, OP_ILOAD_1);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_ANY]);
	none[3] = code_branch(w, OP_IFEQ);
	code_branch_here(w, some);
	task_put_hash(w, m);
	strange = task_put_search(w, m, &loop);
	task_put_is_task(w, m, loop);
	code_put(w, OP_LLOAD_3, OP_ALOAD_0, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->kind);
	code_put1(w, OP_ILOAD_1);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_TAKE]);
	code_put(w, OP_ISTORE, 5, OP_ILOAD, 5);
	code_branch_back(w, OP_IFEQ, loop);
	code_put(w, OP_ILOAD, 5, OP_ICONST_0 + TASK_IGNORED);
	ignored = code_branch(w, OP_IF_ICMPEQ);
	task_put_task_of_handle(w, m);
	code_put(w, OP_ACONST_NULL, OP_AASTORE, OP_LLOAD_3, OP_LRETURN);
	code_branch_here(w, ignored);
	code_put(w, OP_LCONST_1, OP_LRETURN);
	code_branch_here(w, strange);
	code_put1(w, OP_ILOAD_1);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_STRANGER]);
	code_put1(w, OP_LRETURN);
	for (int i = 0; i < 4; i++)
		code_branch_here(w, none[i]);
	code_put(w, OP_LCONST_0, OP_LRETURN);
	code_end_method(w);
}

/* long handle = takes(task, place), in local 2. Returns the branch for one that is not 1. */
static size_t put_taken(struct code_writer *w, const struct task_members *m)
{
	task_put_call_with(w, OP_ILOAD_1, m->takes);
	code_put(w, OP_LSTORE_2, OP_LLOAD_2, OP_LCONST_1, OP_LCMP);
	return code_branch(w, OP_IFNE);
}

static void put_begins(struct code_writer *w, const struct task_members *m)
{
	size_t other;

	code_begin_method(w, "begins", "(" OBJECT "I)J", 4);
	other = put_taken(w, m);
	code_put(w, OP_LCONST_0, OP_LRETURN);
	code_branch_here(w, other);
	code_put(w, OP_LLOAD_2, OP_LRETURN);
	code_end_method(w);
}

static void put_arrives(struct code_writer *w, const struct task_members *m)
{
	size_t coroutine, other, end[4];

	code_begin_method(w, "arrives", "(" OBJECT "I)J", 4);
	code_put(w, OP_LCONST_0, OP_LSTORE_2, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->kotlin);
	coroutine = code_branch(w, OP_IFNE);
	other = put_taken(w, m);
	code_put(w, OP_LCONST_0, OP_LRETURN);
	code_branch_here(w, other);
	code_branch_here(w, coroutine);
	code_put(w, OP_LLOAD_2, OP_LCONST_0, OP_LCMP);
	end[2] = code_branch(w, OP_IFNE);
	task_put_is_on(w, m, end);
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->once);
	end[3] = code_branch(w, OP_IFNE);
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->hash);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_LEFT]);
	for (int i = 0; i < 4; i++)
		code_branch_here(w, end[i]);
	code_put(w, OP_LLOAD_2, OP_LRETURN);
	code_end_method(w);
}

static void put_ends(struct code_writer *w, const struct task_members *m)
{
	size_t end;

	code_begin_method(w, "ends", "(JI)V", 3);
	code_put(w, OP_LLOAD_0, OP_LCONST_0, OP_LCMP);
	end = code_branch(w, OP_IFEQ);
	code_put(w, OP_LLOAD_0, OP_ILOAD_2);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_END]);
	code_branch_here(w, end);
	code_put1(w, OP_RETURN);
	code_end_method(w);
}

static void put_gets(struct code_writer *w, const struct task_members *m)
{
	code_begin_method(w, "gets", "(" OBJECT "I)V", 2);
	task_put_call_with(w, OP_ILOAD_1, m->arrives);
	code_put(w, OP_POP2, OP_RETURN);
	code_end_method(w);
}

static void put_checks(struct code_writer *w, const struct task_members *m)
{
	size_t end[4];

	code_begin_method(w, "checks", "(" OBJECT "I)V", 2);
	task_put_is_on(w, m, end);
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->once);
	end[2] = code_branch(w, OP_IFNE);
	code_put1(w, OP_ILOAD_1);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_UNMET]);
	end[3] = code_branch(w, OP_IFEQ);
	task_put_call_with(w, OP_ILOAD_1, m->arrives);
	code_put1(w, OP_POP2);
	for (int i = 0; i < 4; i++)
		code_branch_here(w, end[i]);
	code_put1(w, OP_RETURN);
	code_end_method(w);
}

static void put_asks(struct code_writer *w, const struct task_members *m)
{
	size_t end;

	code_begin_method(w, "asks", "(I)J", 1);
	code_put_member(w, OP_GETSTATIC, m->pending);
	end = code_branch(w, OP_IFEQ);
	code_put1(w, OP_ILOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_IDLE]);
	code_branch_here(w, end);
	code_put(w, OP_LCONST_0, OP_LRETURN);
	code_end_method(w);
}

static void put_works(struct code_writer *w, const struct task_members *m)
{
	size_t end;

	code_begin_method(w, "works", "(" OBJECT "I)V", 2);
	code_put_member(w, OP_GETSTATIC, m->on);
	end = code_branch(w, OP_IFEQ);
	code_put1(w, OP_ALOAD_0);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_FIRST]);
	code_put1(w, OP_ILOAD_1);
	code_put_member(w, OP_INVOKESTATIC, m->arrives);
	code_put1(w, OP_POP2);
	code_branch_here(w, end);
	code_put1(w, OP_RETURN);
	code_end_method(w);
}

static void put_directs(struct code_writer *w, const struct task_members *m)
{
	size_t end;

	code_begin_method(w, "directs", "(" OBJECT "I)V", 2);
	code_put_member(w, OP_GETSTATIC, m->pending);
	end = code_branch(w, OP_IFEQ);
	code_put1(w, OP_ILOAD_1);
	code_put_member(w, OP_INVOKESTATIC, m->native[TASK_DIRECT]);
	code_branch_here(w, end);
	code_put1(w, OP_RETURN);
	code_end_method(w);
}

static void put_drops(struct code_writer *w, const struct task_members *m)
{
	size_t end;

	code_begin_method(w, "drops", "(" OBJECT "I)V", 2);
	end = task_put_branch_by_waiting(w, m, OP_IFEQ);
	code_put(w, OP_ALOAD_0, OP_ILOAD_1);
	code_put_member(w, OP_INVOKESTATIC, m->begins);
	code_put1(w, OP_ILOAD_1);
	code_put_member(w, OP_INVOKESTATIC, m->ends);
	code_branch_here(w, end);
	code_put1(w, OP_RETURN);
	code_end_method(w);
}

static void put_refuses(struct code_writer *w, const struct task_members *m)
{
	code_begin_method(w, "refuses", "(" OBJECT "I)V", 2);
	task_put_call_with(w, OP_ILOAD_1, m->arrives);
	code_put1(w, OP_ILOAD_1);
	code_put_member(w, OP_INVOKESTATIC, m->ends);
	code_put1(w, OP_RETURN);
	code_end_method(w);
}

static void find_members(struct code_writer *w, struct task_members *m, const struct task_unsafe *u)
{
	uint16_t unsafe = code_class(w, u->class_name);

	m->on = code_member(w, 9, w->this_class, "on", "I");
	m->pending = code_member(w, 9, w->this_class, "pending", "I");
	m->coroutines = code_member(w, 9, w->this_class, "coroutines", "I");
	m->busy = code_member(w, 9, w->this_class, "busy", "J");
	m->unsafe = code_member(w, 10, unsafe, "getUnsafe", u->get_unsafe_type);
	m->get_long = code_member(w, 10, unsafe, "getLong", "(J)J");
	m->get_int = code_member(w, 10, unsafe, "getInt", "(J)I");
	m->get_reference = code_member(w, 10, unsafe, u->get_reference, "(" OBJECT "J)" OBJECT);
	m->tasks = code_member(w, 9, w->this_class, "tasks", OBJECTS);
	m->classes = code_member(w, 9, w->this_class, "classes", REFERENCES);
	m->inner = code_member(w, 9, w->this_class, "inner", "[J");
	m->get_class = code_member(w, 10, code_class(w, "java/lang/Object"), "getClass", "()Ljava/lang/Class;");
	m->get = code_member(w, 10, code_class(w, "java/lang/ref/Reference"), "get", "()" OBJECT);
	m->kind = code_member(w, 10, w->this_class, "kind", "(" OBJECT ")I");
	m->hash = code_member(w, 10, code_class(w, "java/lang/System"), "identityHashCode", "(" OBJECT ")I");
	m->once = code_member(w, 10, w->this_class, "once", "(" OBJECT ")I");
	m->kotlin = code_member(w, 10, w->this_class, "kotlin", "(" OBJECT ")I");
	m->moves = code_member(w, 10, w->this_class, "moves", "(" OBJECT "I)V");
	m->submits = code_member(w, 10, w->this_class, "submits", "(" OBJECT "I)V");
	m->shared = code_member(w, 10, w->this_class, "shared", "(" OBJECT "I)I");
	m->keeps = code_member(w, 10, w->this_class, "keeps", "(" OBJECT "II)V");
	m->twins = code_member(w, 10, w->this_class, "twins", "(" OBJECT "I)V");
	m->takes = code_member(w, 10, w->this_class, "takes", "(" OBJECT "I)J");
	m->begins = code_member(w, 10, w->this_class, "begins", "(" OBJECT "I)J");
	m->arrives = code_member(w, 10, w->this_class, "arrives", "(" OBJECT "I)J");
	m->ends = code_member(w, 10, w->this_class, "ends", "(JI)V");
	m->runs_once[0] = code_class(w, "java/util/concurrent/FutureTask");
	m->runs_once[1] = code_class(w, "java/util/concurrent/ForkJoinTask");
	m->runs_once[2] = code_class(w, "java/util/concurrent/Future");
	for (int i = 0; i < TASK_NATIVES; i++)
		m->native[i] = code_member(w, 10, w->this_class, task_native_names[i], task_native_types[i]);
}

/* Everything behind the constants. */
static void put_members(struct code_writer *w, uint16_t object, const struct task_unsafe *unsafe)
{
	struct task_members m;

	find_members(w, &m, unsafe);
	code_put2(w, 0x1031); /* public final super synthetic */
	code_put2(w, w->this_class);
	code_put2(w, object);
	code_put2(w, 0);
	code_put2(w, 7);
	code_put_field(w, "busy", "J");
	code_put_field(w, "on", "I");
	code_put_field(w, "pending", "I");
	code_put_field(w, "coroutines", "I");
	code_put_field(w, "tasks", OBJECTS);
	code_put_field(w, "classes", REFERENCES);
	code_put_field(w, "inner", "[J");
	code_put2(w, TASK_NATIVES + TASK_SUBMIT_METHODS + 14);
	for (int i = 0; i < TASK_NATIVES; i++)
		code_put_native(w, task_native_names[i], task_native_types[i]);
	put_runs_once(w, &m);
	put_kotlin(w, &m);
	task_code_put_submits(w, &m);
	put_kind(w, &m);
	put_takes(w, &m);
	put_begins(w, &m);
	put_arrives(w, &m);
	put_ends(w, &m);
	put_gets(w, &m);
	put_checks(w, &m);
	put_asks(w, &m);
	put_works(w, &m);
	put_drops(w, &m);
	put_refuses(w, &m);
	put_directs(w, &m);
	code_put2(w, 0);
}

size_t task_code_write(unsigned char *to, size_t room, const char *class_name, const struct task_unsafe *unsafe)
{
	struct code_writer w = {.full = false};

	w.this_class = code_class(&w, class_name);
	w.code_name = code_utf8(&w, "Code");
	put_members(&w, code_class(&w, "java/lang/Object"), unsafe);
	return code_finish(&w, to, room);
}
