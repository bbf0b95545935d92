// SPDX-License-Identifier: BSD-2-Clause
/*
 * JVMs judge edited classes: each installed JDK runs them with -Xverify:all. A program must print the same as
 * before, and the hooks must have been called exactly once for each call and each end.
 */
#include "tests/lib/class_builder.h"
#include "tests/lib/class_tree.h"
#include "tests/lib/jdk.h"
#include "tests/lib/workdir.h"
#include "tests/lib/test.h"

#include <unistd.h>

enum { JDKS = 8 };

/* workdir/in, workdir/out: classes before and after */
static struct {
	struct jdk jdk[JDKS];
	size_t jdks;
} the;

static int set_up(void **state)
{
	the.jdks = jdk_find(the.jdk, JDKS);
	return workdir_make(state);
}

/* The JDKs from `version` on; skips the test if there are none. */
static const struct jdk *first_jdk(int version, size_t *n)
{
	size_t i;

	for (i = 0; i < the.jdks && the.jdk[i].version < version; i++)
		;
	*n = the.jdks - i;
	if (*n)
		return &the.jdk[i];
	print_message("no JDK of version %d or later in $JAVA_HOME, PATH and /usr/lib/jvm\n", version);
	skip();
	return NULL;
}

static void shell_must(int want, const char *command, const char *text, int status)
{
	if (status != want)
		fail_msg("status %d: %s\n%s", status, command, text);
}

#define SHELL(...)                                                                 \
	do {                                                                       \
		char command_[4096], *text_;                                       \
		snprintf(command_, sizeof(command_), __VA_ARGS__);                 \
		shell_must(0, command_, text_, shell_run(&text_, "%s", command_)); \
		free(text_);                                                       \
	} while (0)

/* Edit in/ into out/, with ids from `first`; every method must be editable. */
static void edit_all(uint32_t first)
{
	struct class_tree t = {.owner = "Hook", .next_id = first, .log = stderr};
	char in[96], out[96], ids[96];
	int i;

	snprintf(in, sizeof(in), "%s/in", workdir);
	snprintf(out, sizeof(out), "%s/out", workdir);
	snprintf(ids, sizeof(ids), "%s/ids", workdir);
	t.ids = fopen(ids, "w");
	assert_non_null(t.ids);
	assert_int_equal(class_tree_edit(&t, in, out), 0);
	assert_int_equal(fclose(t.ids), 0);
	assert_int_equal(t.failed, 0);
	for (i = EDIT_JSR; i <= EDIT_SHAPE; i++)
		assert_int_equal(t.results[i], 0);
}

static char *java(const struct jdk *j, const char *classes, const char *arguments, int want)
{
	char *text;
	int status = shell_run(&text,
			       "'%s/bin/java' -Xverify:all -Xshare:auto -XX:-UsePerfData " JDK_BRIEF " "
			       "-cp '%s/%s' %s 2>'%s/stderr'",
			       j->home, workdir, classes, arguments, workdir);
	char *rest;

	if (status != want) {
		shell_run(&rest, "cat '%s/stderr'", workdir);
		fail_msg("JDK %d: status %d: %s\n%s%s", j->version, status, arguments, text, rest);
	}
	return text;
}

static void assert_edited_prints(const struct jdk *j, const char *before, const char *program,
				 const char *edited_options)
{
	char arguments[256], *after;

	snprintf(arguments, sizeof(arguments), "%s %s", edited_options, program);
	after = java(j, "out", arguments, 0);
	assert_string_equal(before, after);
	free(after);
}

static void assert_same_output(const struct jdk *j, const char *program)
{
	char *before = java(j, "in", program, 0);

	assert_edited_prints(j, before, program, "");
	free(before);
}

static void exits_are_counted_once(const struct jdk *j, const char *options, const uint32_t first[2])
{
	char ids[128], *before;

	SHELL("rm -rf '%s'/in && '%s/bin/javac' " JDK_BRIEF_TOOL " -nowarn %s -d '%s/in' tests/data/edit/*.java",
	      workdir, j->home, options, workdir);
	before = java(j, "in", "Exits", 0);
	for (int i = 0; i < 2; i++) {
		SHELL("rm -rf '%s'/out", workdir);
		edit_all(first[i]);
		snprintf(ids, sizeof(ids), "-Dids='%s/ids'", workdir);
		assert_edited_prints(j, before, "Exits", ids);
	}
	free(before);
}

/* Ids of each length, so that switches get each padding and branches each distance. */
CASE(every_kind_of_exit_is_counted_once)
{
	const struct jdk *j;
	size_t n, i;

	j = first_jdk(17, &n);
	for (i = 0; i < n; i++) {
		exits_are_counted_once(&j[i], "-g -parameters", (const uint32_t[]){0, 140});
		exits_are_counted_once(&j[i], "-g:none", (const uint32_t[]){7, 70000});
	}
}

/* 300 locals of each type that are live across branches; and 40 KiB of code with jumps over all of it. */
static void write_large_source(void)
{
	char path[96];
	FILE *f;
	int i;

	snprintf(path, sizeof(path), "%s/Large.java", workdir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f,
		"public class Large {\n\tpublic static Object run(int n) { return locals(n, \"s\", 2.5) + far(n) + each(n); }\n");
	fprintf(f, "\tstatic String locals(int n, String s, double d) {\n");
	for (i = 0; i < 100; i++)
		fprintf(f, "\t\tint i%d = n + %d; long l%d = n > %d ? i%d : -1; String s%d = l%d > 50 ? s : null;\n", i,
			i, i, i % 5, i, i, i);
	fprintf(f, "\t\tlong sum = (long) d;\n");
	for (i = 0; i < 100; i++)
		fprintf(f, "\t\tsum += i%d + l%d; if (s%d != null) { double x = sum; sum += (long) (x / 2) %% 7; }\n",
			i, i, i);
	fprintf(f, "\t\treturn s + sum;\n\t}\n");
	fprintf(f, "\tstatic int far(int n) {\n\t\tint sum = 0;\n\t\tint k = 0;\n\t\tdo {\n\t\t\tif (n == 3) break;\n");
	fprintf(f, "\t\t\tif (n == 2 && k == 1) { k++; sum += 5; continue; }\n");
	for (i = 0; i < 2000; i++)
		fprintf(f, "\t\t\tsum += n * %d + (k ^ %d);\n", i + 40000, i);
	fprintf(f,
		"\t\t\tif (sum == 12) continue;\n\t\t\tif (sum == 13) break;\n\t\t\tk++;\n\t\t} while (k < 3);\n\t\treturn sum;\n\t}\n");
	fprintf(f, "\tstatic int each(int n) {\n\t\tswitch (n) {\n");
	for (i = 0; i < 300; i++)
		fprintf(f, "\t\tcase %d: return %d;\n", i * 3, i * 7);
	fprintf(f, "\t\t}\n\t\treturn -1;\n\t}\n}\n");
	assert_int_equal(fclose(f), 0);
}

CASE(many_locals_and_far_jumps_work)
{
	const struct jdk *j;
	size_t n, i;

	j = first_jdk(9, &n);
	write_large_source();
	for (i = 0; i < n; i++) {
		/* javac 17 and later cannot write versions before 7 */
		SHELL("rm -rf '%s'/in '%s'/out && '%s/bin/javac' " JDK_BRIEF_TOOL
		      " -nowarn --release 8 -d '%s/in' '%s/Large.java' tests/data/edit/Run.java "
		      "tests/data/edit/Hook.java",
		      workdir, workdir, j[i].home, workdir, workdir);
		edit_all(300);
		assert_same_output(&j[i], "Run Large");
	}
}

/* Hand-made classes. Each has public static int run(int). */
struct hand {
	struct class_builder b;
	struct code_spec s;
	const char *name;
};

static struct hand hand(const char *name, unsigned major)
{
	struct hand h = {.name = name, .s = {.max_stack = 6, .max_locals = 4}};

	builder_init(&h.b, major, name, NULL);
	return h;
}

static void hand_write(struct hand *h)
{
	char path[160];
	uint8_t *bytes;
	size_t size;

	bytes = builder_finish(&h->b, &size);
	snprintf(path, sizeof(path), "%s/in/%s.class", workdir, h->name);
	assert_int_equal(file_write(path, bytes, size), 0);
	free(bytes);
}

static void code(struct hand *h, const void *bytes, size_t size)
{
	grow_bytes(&h->s.code, bytes, size);
}

/*
 * A conditional branch cannot span more than 32 KiB. So there are just below 32 KiB between these, and returns,
 * which grow:
 *
 *     if (n > 1) goto far; rows: 2000 times { if (n == 0) return 0; }
 */
enum { FAR = 32760, ROWS = 2000, NOPS = 5 + ROWS * 6 };

static void begin_far(struct hand *h, struct grow *frames)
{
	grow_u2(frames, ROWS + 2);
	code(h, "\x1a\x04\xa3", 3); /* 0: iload_0 iconst_1 if_icmpgt far */
	grow_u2(&h->s.code, FAR - 2);
	grow_u1(frames, 5);
	for (unsigned i = 0; i < ROWS; i++) {
		code(h, "\x1a\x9a\0\5\3\xac", 6); /* iload_0 ifne +5; iconst_0 ireturn */
		grow_u1(frames, 5);
	}
}

static void nops_until(struct hand *h, unsigned end)
{
	for (unsigned i = NOPS; i < end; i++)
		grow_u1(&h->s.code, 0);
}

/* ... nops; return 2; far: if (--n >= 2) goto rows; return n + 3; */
static void write_far_conditionals(unsigned major)
{
	struct hand h = hand(major < 50 ? "FarOld" : "FarNew", major);
	struct grow table = {0};

	begin_far(&h, &table);
	nops_until(&h, FAR - 2);
	code(&h, "\5\xac", 2);		     /* iconst_2 ireturn */
	code(&h, "\x84\0\xff\x1a\5\xa2", 6); /* far: iinc 0 -1; iload_0 iconst_2 if_icmpge rows */
	grow_u2(&h.s.code, 65536 + 5 - (FAR + 5));
	code(&h, "\x1a\6\x60\xac", 4); /* iload_0 iconst_3 iadd ireturn */
	grow_u1(&table, 251);
	grow_u2(&table, FAR - NOPS - 1);
	if (major >= 50)
		code_attribute(&h.b, &h.s, "StackMapTable", table);
	else
		grow_release(&table);
	builder_method(&h.b, 9, "run", "(I)I", &h.s);
	hand_write(&h);
}

/*
 * ... nops; if (n < 0) goto rows; return 2; far: return 3, with different frames: at the far target not even the
 * parameter is known, at the next target it is. So no frame of a goto_w may be written as "same as the previous one".
 */
static void write_far_frames(void)
{
	struct hand h = hand("FarFrames", 52);
	struct grow table = {0};

	begin_far(&h, &table);
	nops_until(&h, FAR - 7);
	code(&h, "\x1a\x9b", 2); /* iload_0 iflt rows; iconst_2 ireturn */
	grow_u2(&h.s.code, 65536 + 5 - (FAR - 6));
	code(&h, "\0\5\xac", 3);
	code(&h, "\6\xac", 2); /* far: iconst_3 ireturn */
	grow_u1(&table, 255);
	grow_u2(&table, FAR - NOPS - 1);
	grow_u4(&table, 0);
	code_attribute(&h.b, &h.s, "StackMapTable", table);
	builder_method(&h.b, 9, "run", "(I)I", &h.s);
	hand_write(&h);
}

/* run(n) { new C(n); return n; } */
static void write_run_of_constructor(struct hand *h, unsigned own)
{
	code(h, "\xbb", 1);
	grow_u2(&h->s.code, h->b.this_class);
	code(h, "\x59\x1a\xb7", 3);
	grow_u2(&h->s.code, own);
	code(h, "\x57\x1a\xac", 3);
	builder_method(&h->b, 9, "run", "(I)I", &h->s);
	hand_write(h);
}

/* A constructor of version 49, where one handler covers everything. */
static void write_old_constructor(void)
{
	struct hand h = hand("Old", 49);
	struct code_spec s = {.max_stack = 3, .max_locals = 2};
	unsigned init = builder_member(&h.b, 10, "java/lang/Object", "<init>", "()V");
	unsigned own = builder_member(&h.b, 10, "Old", "<init>", "(I)V");

	grow_bytes(&s.code, "\x2a\xb7", 2); /* aload_0 invokespecial */
	grow_u2(&s.code, init);
	grow_bytes(&s.code, "\6\x1b\x6c\x57\xb1", 5); /* iconst_3 iload_1 idiv pop return */
	builder_method(&h.b, 1, "<init>", "(I)V", &s);
	write_run_of_constructor(&h, own);
}

/*
 * A constructor of version 52 that calls this(1) or super() on two branches, and one that pushes its own class
 * first.
 */
static void write_two_super_calls(void)
{
	struct hand h = hand("TwoCalls", 52);
	struct code_spec s = {.max_stack = 4, .max_locals = 2};
	unsigned init = builder_member(&h.b, 10, "java/lang/Object", "<init>", "()V");
	unsigned own = builder_member(&h.b, 10, "TwoCalls", "<init>", "(I)V");
	struct grow frames = {0};

	grow_bytes(&s.code, "\x1b\x9a\0\x0d\x2a\xb7", 6); /* 0: iload_1 ifne 14; 4: aload_0 super() */
	grow_u2(&s.code, init);
	grow_bytes(&s.code, "\4\x1b\x60\x57\0\xb1", 6);	     /* 8: iconst_1 iload_1 iadd pop nop return */
	grow_bytes(&s.code, "\x2a\x6\x1b\x6c\3\x68\xb7", 7); /* 14: aload_0; 3 / n * 0; this() */
	grow_u2(&s.code, own);
	grow_bytes(&s.code, "\xb1", 1);
	grow_u2(&frames, 1);
	grow_u1(&frames, 14);
	code_attribute(&h.b, &s, "StackMapTable", frames);
	builder_method(&h.b, 1, "<init>", "(I)V", &s);
	write_run_of_constructor(&h, own);
}

/*
 * new StringBuilder(n > 0 ? 1 : 2).length(): frames with uninitialised objects, which contain the offset of their
 * `new`.
 */
static void write_uninitialised(void)
{
	struct hand h = hand("Uninit", 52);
	unsigned class = builder_class(&h.b, "java/lang/StringBuilder");
	unsigned init = builder_member(&h.b, 10, "java/lang/StringBuilder", "<init>", "(I)V");
	unsigned length = builder_member(&h.b, 10, "java/lang/StringBuilder", "capacity", "()I");
	struct grow frames = {0};

	code(&h, "\xbb", 1); /* 0: new */
	grow_u2(&h.s.code, class);
	code(&h, "\x59\x1a\x9e\0\7\4\xa7\0\4\5\xb7",
	     11); /* 3: dup iload_0 ifle 12; 8: iconst_1 goto 13; 12: iconst_2; 13: <init> */
	grow_u2(&h.s.code, init);
	code(&h, "\xb6", 1);
	grow_u2(&h.s.code, length);
	code(&h, "\xac", 1);
	grow_u2(&frames, 2);
	grow_bytes(&frames, "\xff\0\xc\0\1\1\0\2\x8\0\0\x8\0\0", 14);
	grow_bytes(&frames, "\xff\0\0\0\1\1\0\3\x8\0\0\x8\0\0\1", 15);
	code_attribute(&h.b, &h.s, "StackMapTable", frames);
	builder_method(&h.b, 9, "run", "(I)I", &h.s);
	hand_write(&h);
}

/* try { return n / n } catch: the handler covers the return; and a second return after an empty range. */
static void write_covered_return(void)
{
	struct hand h = hand("Covered", 52);
	struct grow frames = {0};

	code(&h, "\x1a\x1a\x6c\xac\x57\x10\x63\xac", 8); /* 0: n / n ireturn; 4: pop bipush 99 ireturn */
	grow_bytes(&h.s.exceptions, "\0\0\0\4\0\4\0\0\0\3\0\4\0\4\0\0", 16); /* the second one covers only the return */
	grow_u2(&frames, 1);
	grow_bytes(&frames, "\x44\7\0\4", 4); /* at 4: {Object} */
	frames.bytes[5] = (uint8_t)builder_class(&h.b, "java/lang/Throwable");
	code_attribute(&h.b, &h.s, "StackMapTable", frames);
	builder_method(&h.b, 9, "run", "(I)I", &h.s);
	hand_write(&h);
}

CASE(code_that_javac_never_writes_works)
{
	const struct jdk *j;
	size_t n, i;

	j = first_jdk(9, &n);
	for (i = 0; i < n; i++) {
		SHELL("rm -rf '%s'/in '%s'/out && '%s/bin/javac' " JDK_BRIEF_TOOL
		      " -nowarn --release 8 -d '%s/in' tests/data/edit/Run.java tests/data/edit/Hook.java",
		      workdir, workdir, j[i].home, workdir);
		write_far_conditionals(49);
		write_far_conditionals(52);
		write_far_frames();
		write_old_constructor();
		write_two_super_calls();
		write_uninitialised();
		write_covered_return();
		edit_all(1000);
		assert_same_output(&j[i], "Run FarOld FarNew FarFrames Old TwoCalls Uninit Covered");
	}
}

CASE(javap_accepts_the_result)
{
	const struct jdk *j;
	size_t n, i;

	j = first_jdk(17, &n);
	for (i = 0; i < n; i++) {
		SHELL("rm -rf '%s'/in '%s'/out && '%s/bin/javac' " JDK_BRIEF_TOOL
		      " -nowarn -g -d '%s/in' tests/data/edit/*.java",
		      workdir, workdir, j[i].home, workdir);
		edit_all(0);
		SHELL("'%s/bin/javap' " JDK_BRIEF_TOOL
		      " -v -p '%s'/out/*.class >'%s/javap' && test -s '%s/javap' && ! grep -E '^Error|^Warning' '%s/javap'",
		      j[i].home, workdir, workdir, workdir, workdir);
	}
}

int main(void)
{
	return test_main(set_up, workdir_remove);
}
