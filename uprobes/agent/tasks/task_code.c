// SPDX-License-Identifier: BSD-2-Clause
/*
 * The class, as a Java source would have it:
 *
 *    static int on, pending;
 *    static long busy, waiting;    // the addresses of inside_busy, task_rows_waiting; getInt() is Unsafe's
 *    static Object[] tasks = new Object[TASK_ROWS];
 *    static void submits(Object task, int place) {
 *        if (task == null || on == 0 || getInt(busy) == 0) return;
 *        int row = ask(place);
 *        if (row < 0) row = shared(task, row);
 *        if (row < 0) return;
 *        tasks[row] = task;
 *        if (put(row, System.identityHashCode(task)) == TASK_TWINS) twins(task, row);
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
 *    static long begins(Object task, int place) {
 *        if (pending == 0 || getInt(busy) == 0 || task == null) return 0;
 *        if (getInt(waiting) == 0 && any(place) == 0) return 0;
 *        int hash = System.identityHashCode(task);
 *        long handle = 0;
 *        int took = 0;
 *        do {
 *            handle = find(hash, handle);
 *            if (handle == 0) return strange(place);
 *        } while (tasks[(int) handle & TASK_ROWS - 1] != task || (took = take(handle, task, place)) == 0);
 *        if (took == TASK_IGNORED) return 0;
 *        tasks[(int) handle & TASK_ROWS - 1] = null;
 *        return handle;
 *    }
 *    static void ends(long handle, int place) { if (handle != 0) end(handle, place); }
 *    static void gets(Object task, int place) { begins(task, place); }
 *    static long asks(int place) { if (pending != 0) idle(place); return 0; }
 *    static void works(Object worker, int place) { if (pending != 0) begins(first(worker), place); }
 *    static void directs(Object task, int place) { if (pending != 0) direct(place); }
 *    static void drops(Object task, int place) { if (getInt(waiting) != 0) ends(begins(task, place), place); }
 *
 * A row belongs to a task until that has ended, so nobody else uses it when the reference is dropped. Where a native frees
 * it, that has dropped the reference before: afterwards it may be another task's. The class has version
 * 49, so no verifier asks for frames.
 */
#include "uprobes/agent/tasks/task_code.h"
#include "uprobes/agent/sys.h"

enum {
	OP_ACONST_NULL = 1,
	OP_ICONST_0 = 3,
	OP_LCONST_0 = 9,
	OP_BIPUSH = 16,
	OP_SIPUSH,
	OP_ILOAD = 21,
	OP_ILOAD_0 = 26,
	OP_ILOAD_1,
	OP_ILOAD_2,
	OP_ILOAD_3,
	OP_LLOAD_0 = 30,
	OP_LLOAD_3 = 33,
	OP_ALOAD_0 = 42,
	OP_AALOAD = 50,
	OP_ISTORE = 54,
	OP_ISTORE_2 = 61,
	OP_LSTORE_3 = 66,
	OP_AASTORE = 83,
	OP_POP2 = 88,
	OP_IAND = 126,
	OP_L2I = 136,
	OP_LCMP = 148,
	OP_IFEQ = 153,
	OP_IFNE = 154,
	OP_IFLT = 155,
	OP_IFGE = 156,
	OP_IF_ICMPEQ = 159,
	OP_IF_ICMPNE,
	OP_IF_ACMPNE = 166,
	OP_GOTO,
	OP_IRETURN = 172,
	OP_LRETURN,
	OP_RETURN = 177,
	OP_GETSTATIC = 178,
	OP_INVOKEVIRTUAL = 182,
	OP_INVOKESTATIC = 184,
	OP_IFNULL = 198,
};

char task_native_names[TASK_NATIVES][12] = {"ask",  "nameless", "put",	"twin",	 "any",	    "find",
					    "take", "end",	"idle", "first", "strange", "direct"};
char task_native_types[TASK_NATIVES][48] = {
	"(I)I", "(I)I", "(II)I", "(IJ)V", "(I)I", "(IJ)J", "(J" OBJECT "I)I", "(JI)V", "(I)V", "(" OBJECT ")" OBJECT,
	"(I)J", "(I)V"};

struct task_writer {
	unsigned char pool[2048], body[2048];
	size_t pool_size, size, code; /* code: where that of the method begins */
	uint16_t constants, this_class, code_name;
	bool full;
	bool is_8;
};

static void pool1(struct task_writer *w, unsigned int v)
{
	if (w->pool_size < sizeof(w->pool))
		w->pool[w->pool_size++] = v;
	else
		w->full = true;
}

static void pool2(struct task_writer *w, unsigned int v)
{
	pool1(w, v >> 8);
	pool1(w, v & 255);
}

static void body1(struct task_writer *w, unsigned int v)
{
	if (w->size < sizeof(w->body))
		w->body[w->size++] = v;
	else
		w->full = true;
}

static void body2(struct task_writer *w, unsigned int v)
{
	body1(w, v >> 8);
	body1(w, v & 255);
}

static void body_patch2(struct task_writer *w, size_t at, unsigned int v)
{
	if (w->full)
		return;
	w->body[at] = v >> 8;
	w->body[at + 1] = v & 255;
}

static uint16_t constant_utf8(struct task_writer *w, const char *text)
{
	pool1(w, 1);
	pool2(w, strlen(text));
	while (*text)
		pool1(w, *text++);
	return ++w->constants;
}

/* A Class, or NameAndType, Fieldref, Methodref. */
static uint16_t constant_of(struct task_writer *w, unsigned int tag, uint16_t first, uint16_t second)
{
	pool1(w, tag);
	pool2(w, first);
	if (tag != 7)
		pool2(w, second);
	return ++w->constants;
}

static uint16_t constant_class(struct task_writer *w, const char *name)
{
	return constant_of(w, 7, constant_utf8(w, name), 0);
}

static uint16_t constant_member(struct task_writer *w, unsigned int tag, uint16_t class, const char *name,
				const char *type)
{
	uint16_t name_at = constant_utf8(w, name), type_at = constant_utf8(w, type);

	return constant_of(w, tag, class, constant_of(w, 12, name_at, type_at));
}

static void put_static_field(struct task_writer *w, const char *name, const char *type)
{
	body2(w, 0x0008); /* static */
	body2(w, constant_utf8(w, name));
	body2(w, constant_utf8(w, type));
	body2(w, 0);
}

static void put_native_method(struct task_writer *w, int i)
{
	body2(w, 0x0108); /* static native */
	body2(w, constant_utf8(w, task_native_names[i]));
	body2(w, constant_utf8(w, task_native_types[i]));
	body2(w, 0);
}

static void begin_method(struct task_writer *w, const char *name, const char *type, unsigned int locals)
{
	body2(w, 0x0009); /* public static */
	body2(w, constant_utf8(w, name));
	body2(w, constant_utf8(w, type));
	body2(w, 1);
	body2(w, w->code_name);
	body2(w, 0), body2(w, 0); /* the length of the attribute */
	body2(w, 6);		  /* stack */
	body2(w, locals);
	body2(w, 0), body2(w, 0); /* the length of the code */
	w->code = w->size;
}

static void end_method(struct task_writer *w)
{
	size_t length = w->size - w->code;

	body_patch2(w, w->code - 2, length);
	body_patch2(w, w->code - 10, length + 12);
	body2(w, 0);
	body2(w, 0);
}

static void put_member(struct task_writer *w, unsigned int op, uint16_t member)
{
	body1(w, op);
	body2(w, member);
}

/* A branch forwards, which branch_here() completes. */
static size_t branch(struct task_writer *w, unsigned int op)
{
	body1(w, op);
	body2(w, 0);
	return w->size - 3;
}

static void branch_here(struct task_writer *w, size_t from)
{
	body_patch2(w, from + 1, w->size - from);
}

static void branch_back(struct task_writer *w, unsigned int op, size_t to)
{
	size_t from = w->size;

	body1(w, op);
	body2(w, to - from);
}

/* Members that code refers to. */
struct members {
	uint16_t on, pending, busy, waiting, unsafe, read, tasks, hash, shared, twins, begins, ends,
		native[TASK_NATIVES];
};

/* A branch by the number at the address in a field, `busy` or `waiting`. */
static size_t put_branch_by(struct task_writer *w, const struct members *m, uint16_t address, unsigned int op)
{
	put_member(w, OP_INVOKESTATIC, m->unsafe);
	put_member(w, OP_GETSTATIC, address);
	put_member(w, OP_INVOKEVIRTUAL, m->read);
	return branch(w, op);
}

/* tasks[(int) handle & TASK_ROWS - 1], of the handle in local 3, without the load or store. */
static void put_task_of_handle(struct task_writer *w, const struct members *m)
{
	put_member(w, OP_GETSTATIC, m->tasks);
	body1(w, OP_LLOAD_3);
	body1(w, OP_L2I);
	put_member(w, OP_SIPUSH, TASK_ROWS - 1);
	body1(w, OP_IAND);
}

static void put_submits(struct task_writer *w, const struct members *m)
{
	size_t end[5], got;

	begin_method(w, "submits", "(" OBJECT "I)V", 4);
	body1(w, OP_ALOAD_0);
	end[0] = branch(w, OP_IFNULL);
	put_member(w, OP_GETSTATIC, m->on);
	end[1] = branch(w, OP_IFEQ);
	end[4] = put_branch_by(w, m, m->busy, OP_IFEQ);
	body1(w, OP_ILOAD_1);
	put_member(w, OP_INVOKESTATIC, m->native[TASK_ASK]);
	body1(w, OP_ISTORE_2);
	body1(w, OP_ILOAD_2);
	got = branch(w, OP_IFGE);
	body1(w, OP_ALOAD_0);
	body1(w, OP_ILOAD_2);
	put_member(w, OP_INVOKESTATIC, m->shared);
	body1(w, OP_ISTORE_2);
	body1(w, OP_ILOAD_2);
	end[2] = branch(w, OP_IFLT);
	branch_here(w, got);
	put_member(w, OP_GETSTATIC, m->tasks);
	body1(w, OP_ILOAD_2);
	body1(w, OP_ALOAD_0);
	body1(w, OP_AASTORE);
	body1(w, OP_ILOAD_2);
	body1(w, OP_ALOAD_0);
	put_member(w, OP_INVOKESTATIC, m->hash);
	put_member(w, OP_INVOKESTATIC, m->native[TASK_PUT]);
	body1(w, OP_ICONST_0 + TASK_TWINS);
	end[3] = branch(w, OP_IF_ICMPNE);
	body1(w, OP_ALOAD_0);
	body1(w, OP_ILOAD_2);
	put_member(w, OP_INVOKESTATIC, m->twins);
	for (int i = 0; i < 5; i++)
		branch_here(w, end[i]);
	body1(w, OP_RETURN);
	end_method(w);
}

/* hash = System.identityHashCode(task), in local 2. */
static void put_hash(struct task_writer *w, const struct members *m)
{
	body1(w, OP_ALOAD_0);
	put_member(w, OP_INVOKESTATIC, m->hash);
	body1(w, OP_ISTORE_2);
}

/* handle = find(hash, handle), from 0 on. Returns the branch for 0; *loop: the one for the next handle. */
static size_t put_search(struct task_writer *w, const struct members *m, size_t *loop)
{
	body1(w, OP_LCONST_0);
	body1(w, OP_LSTORE_3);
	*loop = w->size;
	body1(w, OP_ILOAD_2);
	body1(w, OP_LLOAD_3);
	put_member(w, OP_INVOKESTATIC, m->native[TASK_FIND]);
	body1(w, OP_LSTORE_3);
	body1(w, OP_LLOAD_3);
	body1(w, OP_LCONST_0);
	body1(w, OP_LCMP);
	return branch(w, OP_IFEQ);
}

/* Go on with the next handle unless that one is of the task. */
static void put_is_task(struct task_writer *w, const struct members *m, size_t loop)
{
	put_task_of_handle(w, m);
	body1(w, OP_AALOAD);
	body1(w, OP_ALOAD_0);
	branch_back(w, OP_IF_ACMPNE, loop);
}

static void put_shared(struct task_writer *w, const struct members *m)
{
	size_t none[2], excess, loop;

	begin_method(w, "shared", "(" OBJECT "I)I", 5);
	body1(w, OP_ILOAD_1);
	body1(w, OP_BIPUSH), body1(w, TASK_NOT & 255);
	none[0] = branch(w, OP_IF_ICMPEQ);
	put_hash(w, m);
	body1(w, OP_ILOAD_1);
	body1(w, OP_BIPUSH), body1(w, TASK_EXCESS & 255);
	excess = branch(w, OP_IF_ICMPEQ);
	none[1] = put_search(w, m, &loop);
	put_is_task(w, m, loop);
	branch_here(w, excess);
	body1(w, OP_ILOAD_2);
	put_member(w, OP_INVOKESTATIC, m->native[TASK_NAMELESS]);
	body1(w, OP_IRETURN);
	for (int i = 0; i < 2; i++)
		branch_here(w, none[i]);
	body1(w, OP_BIPUSH), body1(w, TASK_NOT & 255);
	body1(w, OP_IRETURN);
	end_method(w);
}

static void put_twins(struct task_writer *w, const struct members *m)
{
	size_t none, loop;

	begin_method(w, "twins", "(" OBJECT "I)V", 5);
	put_hash(w, m);
	none = put_search(w, m, &loop);
	put_is_task(w, m, loop);
	body1(w, OP_ILOAD_1);
	body1(w, OP_LLOAD_3);
	put_member(w, OP_INVOKESTATIC, m->native[TASK_TWIN]);
	branch_back(w, OP_GOTO, loop);
	branch_here(w, none);
	body1(w, OP_RETURN);
	end_method(w);
}

static void put_begins(struct task_writer *w, const struct members *m)
{
	size_t none[5], strange, loop, some;

	begin_method(w, "begins", "(" OBJECT "I)J", 6);
	put_member(w, OP_GETSTATIC, m->pending);
	none[0] = branch(w, OP_IFEQ);
	none[3] = put_branch_by(w, m, m->busy, OP_IFEQ);
	body1(w, OP_ALOAD_0);
	none[1] = branch(w, OP_IFNULL);
	some = put_branch_by(w, m, m->waiting, OP_IFNE);
	body1(w, OP_ILOAD_1);
	put_member(w, OP_INVOKESTATIC, m->native[TASK_ANY]);
	none[2] = branch(w, OP_IFEQ);
	branch_here(w, some);
	put_hash(w, m);
	strange = put_search(w, m, &loop);
	put_is_task(w, m, loop);
	body1(w, OP_LLOAD_3);
	body1(w, OP_ALOAD_0);
	body1(w, OP_ILOAD_1);
	put_member(w, OP_INVOKESTATIC, m->native[TASK_TAKE]);
	body1(w, OP_ISTORE), body1(w, 5);
	body1(w, OP_ILOAD), body1(w, 5);
	branch_back(w, OP_IFEQ, loop);
	body1(w, OP_ILOAD), body1(w, 5);
	body1(w, OP_ICONST_0 + TASK_IGNORED);
	none[4] = branch(w, OP_IF_ICMPEQ);
	put_task_of_handle(w, m);
	body1(w, OP_ACONST_NULL);
	body1(w, OP_AASTORE);
	body1(w, OP_LLOAD_3);
	body1(w, OP_LRETURN);
	branch_here(w, strange);
	body1(w, OP_ILOAD_1);
	put_member(w, OP_INVOKESTATIC, m->native[TASK_STRANGER]);
	body1(w, OP_LRETURN);
	for (int i = 0; i < 5; i++)
		branch_here(w, none[i]);
	body1(w, OP_LCONST_0);
	body1(w, OP_LRETURN);
	end_method(w);
}

static void put_ends(struct task_writer *w, const struct members *m)
{
	size_t end;

	begin_method(w, "ends", "(JI)V", 3);
	body1(w, OP_LLOAD_0);
	body1(w, OP_LCONST_0);
	body1(w, OP_LCMP);
	end = branch(w, OP_IFEQ);
	body1(w, OP_LLOAD_0);
	body1(w, OP_ILOAD_2);
	put_member(w, OP_INVOKESTATIC, m->native[TASK_END]);
	branch_here(w, end);
	body1(w, OP_RETURN);
	end_method(w);
}

static void put_gets(struct task_writer *w, const struct members *m)
{
	begin_method(w, "gets", "(" OBJECT "I)V", 2);
	body1(w, OP_ALOAD_0);
	body1(w, OP_ILOAD_1);
	put_member(w, OP_INVOKESTATIC, m->begins);
	body1(w, OP_POP2);
	body1(w, OP_RETURN);
	end_method(w);
}

static void put_asks(struct task_writer *w, const struct members *m)
{
	size_t end;

	begin_method(w, "asks", "(I)J", 1);
	put_member(w, OP_GETSTATIC, m->pending);
	end = branch(w, OP_IFEQ);
	body1(w, OP_ILOAD_0);
	put_member(w, OP_INVOKESTATIC, m->native[TASK_IDLE]);
	branch_here(w, end);
	body1(w, OP_LCONST_0);
	body1(w, OP_LRETURN);
	end_method(w);
}

static void put_works(struct task_writer *w, const struct members *m)
{
	size_t end;

	begin_method(w, "works", "(" OBJECT "I)V", 2);
	put_member(w, OP_GETSTATIC, m->pending);
	end = branch(w, OP_IFEQ);
	body1(w, OP_ALOAD_0);
	put_member(w, OP_INVOKESTATIC, m->native[TASK_FIRST]);
	body1(w, OP_ILOAD_1);
	put_member(w, OP_INVOKESTATIC, m->begins);
	body1(w, OP_POP2);
	branch_here(w, end);
	body1(w, OP_RETURN);
	end_method(w);
}

static void put_directs(struct task_writer *w, const struct members *m)
{
	size_t end;

	begin_method(w, "directs", "(" OBJECT "I)V", 2);
	put_member(w, OP_GETSTATIC, m->pending);
	end = branch(w, OP_IFEQ);
	body1(w, OP_ILOAD_1);
	put_member(w, OP_INVOKESTATIC, m->native[TASK_DIRECT]);
	branch_here(w, end);
	body1(w, OP_RETURN);
	end_method(w);
}

static void put_drops(struct task_writer *w, const struct members *m)
{
	size_t end;

	begin_method(w, "drops", "(" OBJECT "I)V", 2);
	end = put_branch_by(w, m, m->waiting, OP_IFEQ);
	body1(w, OP_ALOAD_0);
	body1(w, OP_ILOAD_1);
	put_member(w, OP_INVOKESTATIC, m->begins);
	body1(w, OP_ILOAD_1);
	put_member(w, OP_INVOKESTATIC, m->ends);
	branch_here(w, end);
	body1(w, OP_RETURN);
	end_method(w);
}

#define UNSAFE_8 "sun/misc/Unsafe"
#define UNSAFE	 "jdk/internal/misc/Unsafe"

static void find_members(struct task_writer *w, struct members *m)
{
	uint16_t unsafe = constant_class(w, w->is_8 ? UNSAFE_8 : UNSAFE);

	m->on = constant_member(w, 9, w->this_class, "on", "I");
	m->pending = constant_member(w, 9, w->this_class, "pending", "I");
	m->busy = constant_member(w, 9, w->this_class, "busy", "J");
	m->waiting = constant_member(w, 9, w->this_class, "waiting", "J");
	m->unsafe = constant_member(w, 10, unsafe, "getUnsafe", w->is_8 ? "()L" UNSAFE_8 ";" : "()L" UNSAFE ";");
	m->read = constant_member(w, 10, unsafe, "getInt", "(J)I");
	m->tasks = constant_member(w, 9, w->this_class, "tasks", OBJECTS);
	m->hash = constant_member(w, 10, constant_class(w, "java/lang/System"), "identityHashCode", "(" OBJECT ")I");
	m->shared = constant_member(w, 10, w->this_class, "shared", "(" OBJECT "I)I");
	m->twins = constant_member(w, 10, w->this_class, "twins", "(" OBJECT "I)V");
	m->begins = constant_member(w, 10, w->this_class, "begins", "(" OBJECT "I)J");
	m->ends = constant_member(w, 10, w->this_class, "ends", "(JI)V");
	for (int i = 0; i < TASK_NATIVES; i++)
		m->native[i] = constant_member(w, 10, w->this_class, task_native_names[i], task_native_types[i]);
}

/* Everything behind the constants. */
static void put_members(struct task_writer *w, uint16_t object)
{
	struct members m;

	find_members(w, &m);
	body2(w, 0x1031); /* public final super synthetic */
	body2(w, w->this_class);
	body2(w, object);
	body2(w, 0);
	body2(w, 5);
	put_static_field(w, "busy", "J");
	put_static_field(w, "waiting", "J");
	put_static_field(w, "on", "I");
	put_static_field(w, "pending", "I");
	put_static_field(w, "tasks", OBJECTS);
	body2(w, TASK_NATIVES + 10);
	for (int i = 0; i < TASK_NATIVES; i++)
		put_native_method(w, i);
	put_submits(w, &m);
	put_shared(w, &m);
	put_twins(w, &m);
	put_begins(w, &m);
	put_ends(w, &m);
	put_gets(w, &m);
	put_asks(w, &m);
	put_works(w, &m);
	put_drops(w, &m);
	put_directs(w, &m);
	body2(w, 0);
}

/* JVMS 4.1. Returns the size, or 0 if it does not fit. */
size_t task_code_write(unsigned char *to, size_t room, const char *class_name, bool is_8)
{
	struct task_writer w = {.is_8 = is_8};
	unsigned char head[10] = {0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 49};

	w.this_class = constant_class(&w, class_name);
	w.code_name = constant_utf8(&w, "Code");
	put_members(&w, constant_class(&w, "java/lang/Object"));
	head[8] = (w.constants + 1) >> 8;
	head[9] = (w.constants + 1) & 255;
	if (w.full || sizeof(head) + w.pool_size + w.size > room)
		return 0;
	memcpy(to, head, sizeof(head));
	memcpy(to + sizeof(head), w.pool, w.pool_size);
	memcpy(to + sizeof(head) + w.pool_size, w.body, w.size);
	return sizeof(head) + w.pool_size + w.size;
}
