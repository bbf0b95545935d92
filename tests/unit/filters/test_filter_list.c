// SPDX-License-Identifier: BSD-2-Clause
/* Which texts are filters, and the messages for those that are not. */
#include "filters/suggest.h"
#include "filters/filter_list.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/test.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The parsed filters, joined by ';'; "" and the message on error. */
static const char *read_filters(const char *text, struct diag *d)
{
	static char joined[1024];
	struct filter_list *l = filter_list_new();
	int err;

	memset(d, 0, sizeof(*d));
	joined[0] = 0;
	err = filter_list_add(l, text, FILTER_TRACE, d);
	assert_true(err == 0 || (err == -EINVAL && d->usage));
	assert_true(err == 0 || filter_list_size(l) == 0);
	for (size_t i = 0; i < filter_list_size(l); i++) {
		strcat(joined, i ? ";" : "");
		strcat(joined, filter_list_text(l, i));
	}
	assert_null(filter_list_text(l, filter_list_size(l)));
	filter_list_free(l);
	return joined;
}

static const char *const good[][2] = {
	{"a.b.C", "a.b.C"},
	{"C", "C"},
	{"a.b.C$In", "a.b.C$In"},
	{"a.b.C$In$1", "a.b.C$In$1"},
	{"$", "$"},
	{"a.b.c", "a.b.c"},
	{"a.b.C::m", "a.b.C::m"},
	{"C::m", "C::m"},
	{"C::<init>", "C::<init>"},
	{"C::<clinit>", "C::<clinit>"},
	{"::<clinit>", "::<clinit>"},
	{"::<init>", "::<init>"},
	{"::m", "::m"},
	{"C#m", "C::m"},
	{"a.b.C#<init>", "a.b.C::<init>"},
	{"#m", "::m"},
	{"a.C::access$0", "a.C::access$0"},
	{"a.C::_x1", "a.C::_x1"},
	/* restricted identifiers are names, and so are keywords in another case */
	{"a.record.C::yield", "a.record.C::yield"},
	{"var.sealed.permits", "var.sealed.permits"},
	{"a.Int", "a.Int"},
	{"a.integer", "a.integer"},
	/* all other characters that class files allow, and keywords */
	{"okhttp3.-HostnamesCommonKt", "okhttp3.-HostnamesCommonKt"},
	{"a.b.1C", "a.b.1C"},
	{"a.int.C", "a.int.C"},
	{"a.do::if", "a.do::if"},
	{"_::_", "_::_"},
	{"a+b", "a+b"},
	{"a.b.C?", "a.b.C?"},
	{"Till::is it ok?", "Till::is it ok?"},
	{"Till::is it ok?():10ms", "Till::is it ok?():10ms"},
	{"Till::is it ok:10ms", "Till::is it ok:10ms"},
	{"Till$is it ok$1::in  voke", "Till$is it ok$1::in  voke"},
	{"Till$is it ok$1::*", "Till$is\\u0020it\\u0020ok$1"},
	{"Till$is it ok$1#invoke", "Till$is it ok$1::invoke"},
	{"C::it doesn't fail", "C::it doesn't fail"},
	{"C::buy!", "C::buy!"},
	{"C::+", "C::+"},
	{"\\+C::a\\:b", "\\+C::a\\:b"},
	{"C::\\**", "C::\\**"},
	{"C::\\new", "C::\\new"},
	{"C::m(\\int,a.x-y)", "C::m(\\int,a.x-y)"},
	{"C::\\u0020a", "C::\\u0020a"},
	{"C::m(org/omg/CORBA/Any)", "C::m(org/omg/CORBA/Any)"},
	{"REPL/*", "REPL/*"},
	/* a '*' in a name */
	{"*", "*"},
	{"a.b.*", "a.b.*"},
	{"a.**", "a.*"},
	{"a.b.Foo*", "a.b.Foo*"},
	{"*.Cart", "*.Cart"},
	{"a.b.C$*", "a.b.C$*"},
	{"a.b.C$*1", "a.b.C$*1"},
	{"C::get*", "C::get*"},
	{"C::*", "C"},
	{"a.b.C#*", "a.b.C"},
	{"*::run", "::run"},
	{"::*", "::*"},
	/* supertypes and annotations */
	{"+a.b.I", "+a.b.I"},
	{"+a.b.I$In::m", "+a.b.I$In::m"},
	{"+a.b.I::get*", "+a.b.I::get*"},
	{"+a.b.I#m", "+a.b.I::m"},
	{"@a.b.Anno", "@a.b.Anno"},
	{"@a.b.C$Anno", "@a.b.C$Anno"},
	/* one overload */
	{"C::m()", "C::m()"},
	{"C::m( )", "C::m()"},
	{"C::m(int)", "C::m(int)"},
	{"C::m(int,java.lang.String[])", "C::m(int,java.lang.String[])"},
	{"C::m(int, java.lang.String [][] , a.b.C$In)", "C::m(int,java.lang.String[][],a.b.C$In)"},
	{"C::m(String...)", "C::m(String[])"},
	{"C::m(int...)", "C::m(int[])"},
	{"C::m(a.b.C ...)", "C::m(a.b.C[])"},
	{"C::<init>(long[],double)", "C::<init>(long[],double)"},
	{"C::*(int)", "C::*(int)"},
	/* with what it returns */
	{"C::m()void", "C::m()void"},
	{"C::m(int)java.lang.String[]", "C::m(int)java.lang.String[]"},
	{"C::m( int )boolean [] []", "C::m(int)boolean[][]"},
	{"C::m()a.b.C$In:10ms", "C::m()a.b.C$In:10ms"},
	{"C::m()org/omg/CORBA/Any", "C::m()org/omg/CORBA/Any"},
	{"C::m()\\I", "C::m()\\I"},
	{"C::m()a.I", "C::m()a.I"},
	{"C::m()I.a.B", "C::m()I.a.B"},
	{"C::m()\\10ms", "C::m()\\10ms"},
	{"C::*()void", "C::*()void"},
	/* a threshold of its own */
	{"C::m:10ms", "C::m:10ms"},
	{"C::m:10 ms", "C::m:10ms"},
	{"C:1s", "C:1s"},
	{"::m:0", "::m:0"},
	{"C::m(int):90s", "C::m(int):90s"},
	{"C::m:1000us", "C::m:1ms"},
	{"+a.I::m:5ms", "+a.I::m:5ms"},
	{"@a.A:5ms", "@a.A:5ms"},
	{"a.*:1h", "a.*:1h"},
	{"C::m:120m", "C::m:2h"},
	/* exclusions are not counted */
	{"A;!A::m", "A"},
	{"! A::m ; B", "B"},
	/* lists */
	{"A;B", "A;B"},
	{" A::m ; B ;;", "A::m;B"},
	{";A", "A"},
	{"\tA\n;\r\nB\f", "A;B"},
	{"\xe3\x80\x80"
	 "A\xc2\xa0;\xe2\x80\x83"
	 "B\xe2\x80\xaf",
	 "A;B"},
	{"A;B;A", "A;B"},
	{"C#m;C::m", "C::m"},
	/* UTF-8 */
	{"shop.Größe::größer", "shop.Größe::größer"},
	{"日本.クラス::方法", "日本.クラス::方法"},
	{"\xf0\x90\x90\x80", "\xf0\x90\x90\x80"},
	/* a package with a capital letter: followed by a lower-case part, or in the JVM's form */
	{"com.Acme.shop.Cart", "com.Acme.shop.Cart"},
	{"org/omg/CORBA/ORB", "org/omg/CORBA/ORB"},
	{"org/omg/CORBA/ORB::init", "org/omg/CORBA/ORB::init"},
};

CASE(valid_filters_are_parsed)
{
	struct diag d;

	for (size_t i = 0; i < SIZE(good); i++)
		if (strcmp(read_filters(good[i][0], &d), good[i][1]) != 0)
			fail_msg("'%s' is '%s' %s", good[i][0], read_filters(good[i][0], &d), d.text);
}

CASE(printed_filter_parses_to_itself)
{
	struct diag d;

	for (size_t i = 0; i < SIZE(good); i++) {
		assert_string_equal(read_filters(good[i][1], &d), good[i][1]);
	}
}

struct wrong {
	const char *text;
	int column;	   /* of the caret, in characters; -1: no caret */
	const char *what;  /* a part of it */
	const char *right; /* the whole proposal; NULL: none */
};

static const struct wrong wrongs[] = {
	/* pasted from stack traces */
	{"a.b.C.m(C.java:42)", 7, "line of a stack trace", "a.b.C::m"},
	{"at a.b.C.m(C.java:42)", 10, "line of a stack trace", "a.b.C::m"},
	{"\tat a.b.C.m(C.java:42)", 11, "line of a stack trace", "a.b.C::m"},
	{"java.base/java.lang.String.hashCode(String.java:1)", 35, "line of a stack trace",
	 "java.lang.String::hashCode"},
	{"at java.base@17.0.15/java.lang.Thread.run(Thread.java:840)", 41, "stack trace", "java.lang.Thread::run"},
	{"at app//a.b.C.m(C.java:3)", 15, "line of a stack trace", "a.b.C::m"},
	{"at shop/a.b.C.m(C.java:3)", 15, "line of a stack trace", "a.b.C::m"},
	{"a.b.C$In.m(C.java:3)", 10, "line of a stack trace", "a.b.C$In::m"},
	{"a.b.C.<init>(C.java:3)", 12, "line of a stack trace", "a.b.C::<init>"},
	{"a.b.C.<clinit>(C.java:3)", 14, "line of a stack trace", "a.b.C::<clinit>"},
	{"a.b.FileKt.m(File.kt:3)", 12, "line of a stack trace", "a.b.FileKt::m"},
	{"java.lang.Object.wait(Native Method)", 21, "line of a stack trace", "java.lang.Object::wait"},
	{"a.b.C.m(Unknown Source)", 7, "line of a stack trace", "a.b.C::m"},
	{"a.b.C$$Lambda$14/0x0000000800c03000.run(Unknown Source)", 39, "line of a stack trace", NULL},
	/* other forms of the same */
	{"a/b/C", 1, "written with dots", "a.b.C"},
	{"a/b/C::m", 1, "written with dots", "a.b.C::m"},
	{"a/b/C.m", 1, "written with dots", "a.b.C::m"},
	{"a/b/C.m(I)V", 7, "parentheses follow a method", "a.b.C::m"},
	{"a/b/C.m:(I)V", 7, "two colons", "a.b.C::m"},
	{"a/b/C.class", 1, "written with dots", "a.b.C"},
	{"java.base/java.lang.String", 9, "module", "java.lang.String"},
	{"m()", 1, "parentheses follow a method", "::m"},
	{"a.b.C.m()", 7, "parentheses follow a method", "a.b.C::m"},
	{"a.b.C.m(Order, boolean)", 7, "parentheses follow a method", "a.b.C::m(Order, boolean)"},
	{"a.b.C::m(I)V", 11, "as in source code: int, not I", "a.b.C::m"},
	{"public int a.b.C.m(int) throws x.Y", 6, "have no spaces", "a.b.C::m(int)"},
	{"Shop.buy it(int)", 8, "have no spaces", "Shop::buy it(int)"},
	{"int a.Shop.buy it!(int)", 3, "have no spaces", "a.Shop::buy it!(int)"},
	{"at a.Till.is it ok?(Till.kt:5)", 19, "line of a stack trace", "a.Till::is it ok?"},
	{"C::`is it ok`", 3, "without quotes", "C::is it ok"},
	{"C::`is it ok`()", 3, "without quotes", "C::is it ok"},
	{"'a.b.C::m'", 0, "without quotes", "a.b.C::m"},
	{"C::m (int)", 4, "have no spaces", "C::m(int)"},
	{"a.b.C:m", 5, "two colons", "a.b.C::m"},
	{":m", 0, "two colons", "::m"},
	{"a.b.C.java", 5, "two colons", "a.b.C"},
	{"a.b.C.m", 5, "two colons", "a.b.C::m"},
	{"a.b.C.<init>", 6, "follow '::'", "a.b.C::<init>"},
	{"Outer.Inner", 5, "nested class is written with '$'", "Outer$Inner"},
	{"a.b.Outer.Inner", 9, "nested class is written with '$'", "a.b.Outer$Inner"},
	{"a.b.Outer.Inner::m", 9, "nested class is written with '$'", "a.b.Outer$Inner::m"},
	{"a.b.Outer.Inner.Deep", 9, "nested class is written with '$'", "a.b.Outer$Inner$Deep"},
	{"a.b.Outer.Inner.m", 15, "two colons", "a.b.Outer$Inner::m"},
	{"a.b.Outer.Inner.m(Outer.java:7)", 17, "line of a stack trace", "a.b.Outer$Inner::m"},
	{"a.A::m, b.B::n", 6, "separated by ';'", "a.A::m;b.B::n"},
	{"a.A b.B", 3, "separated by ';'", "a.A;b.B"},
	{"bogus name", 5, "separated by ';'", NULL},
	{"a.b.C.*", 5, "two colons", "a.b.C"},
	/* forms that JEP 520 does not have */
	{"a.b.*.Outer.Inner", 11, "nested class is written with '$'", "a.b.*.Outer$Inner"},
	{"+", 1, "part of the class name is missing", NULL},
	{"+::m", 1, "a type is missing after '+'", NULL},
	{"+a.b.*", 5, "a supertype is named in full", NULL},
	{"@a.*", 3, "an annotation is named in full", NULL},
	{"@a.b.A::m", 6, "a filter by annotation has no method", NULL},
	{"@a.B.Anno", 4, "nested class is written with '$'", "@a.B$Anno"},
	{"a.+b", 2, "'+' goes before a name", NULL},
	{"!", 1, "part of the class name is missing", NULL},
	{"!!A", 1, "'!' goes before a name", NULL},
	{"C::m(int", 8, "the ')' is missing", "C::m"},
	{"C::m(int,)", 9, "a type is missing", "C::m"},
	{"C::m(,int)", 5, "a type is missing", "C::m"},
	{"C::m(List<String>)", 9, "without its parameters", "C::m"},
	{"C::m(int x)", 9, "its type alone", "C::m"},
	{"C::m(java.util.Map.Entry)", 18, "nested class is written with '$'", "C::m(java.util.Map$Entry)"},
	{"C::m(void)", 5, "no parameter is of type void", "C::m"},
	{"C::m(a/b)", 6, "written with dots", "C::m"},
	{"C::m(a.*)", 7, "a type is named in full", "C::m"},
	{"C::m(int..)", 8, "varargs", "C::m"},
	{"C::m(int[)", 9, "an array is written", "C::m"},
	{"C::m(int)J", 9, "as in source code", "C::m"},
	{"C::m()10ms", 6, "a threshold follows a colon", "C::m"},
	{"C::m()'", 6, "without quotes", "C::m"},
	{"C::m()a.*", 8, "a type is named in full", "C::m"},
	{"C::m()List<String>", 10, "'<' in a name", "C::m"},
	{"C::m()void[]", 6, "no arrays of void", "C::m"},
	{"C::m()int...", 9, "an array is written with '[]'", "C::m"},
	{"C::m()int[", 10, "an array is written with '[]'", "C::m"},
	{"C::m()java.util.Map.Entry", 19, "nested class is written with '$'", "C::m"},
	{"C::m()int x", 10, "nothing follows", "C::m"},
	{"C::m() int", 6, "have no spaces", "C::m"},
	{"C(int)", 1, "parentheses follow a method", "::C(int)"},
	{"C::m:10", 5, "a threshold is a whole number and a unit", NULL},
	{"C::m:10x", 5, "a threshold is a whole number and a unit", NULL},
	{"C::m:99999999999999999999s", 5, "a threshold is a whole number and a unit", NULL},
	{"C::m:", 5, "a threshold is a whole number and a unit", NULL},
	{"C::m:n", 4, "one colon is followed by a time", NULL},
	{"C:10ms:20ms", 2, "a threshold is a whole number and a unit", NULL},
	{"!C:10ms", 2, "an exclusion has no threshold", NULL},
	/* not names */
	{"", -1, "it is empty", NULL},
	{" ; ;", -1, "it is empty", NULL},
	{"::", 2, "the method's name is missing", NULL},
	{"a.b.C::", 7, "the method's name is missing", NULL},
	{"a.b.C#", 6, "the method's name is missing", NULL},
	{"a..b", 2, "part of the class name is missing", NULL},
	{".a", 0, "part of the class name is missing", NULL},
	{"a.b.", 4, "part of the class name is missing", NULL},
	{"a.::m", 2, "part of the class name is missing", NULL},
	{"a.b.C::new", 7, "constructors are called <init>", "a.b.C::<init>"},
	{"a.b.C::new(int)", 7, "written '\\new'", "a.b.C::<init>(int)"},
	{"a.b.C\x01", 5, "control character", NULL},
	{"C::a<b", 4, "name of a method cannot contain '<'", NULL},
	{"a.b>c", 3, "'>' in a name is written '\\>'", NULL},
	{"a.b[c", 3, "a name cannot contain '['", NULL},
	{"C::a\\", 4, "followed by a character of a name", NULL},
	{"C::a\\.b", 4, "followed by a character of a name", NULL},
	{"C::a\\u12", 4, "followed by a character of a name", NULL},
	{"C::a\\u002f", 4, "followed by a character of a name", NULL},
	{"C::m\xc2\xa0n", 4, "have no spaces", NULL},
	{"<init>", 0, "follow '::'", NULL},
	{"C::<foo>", 3, "are <init> and <clinit>", NULL},
	{"C::<initx>", 3, "are <init> and <clinit>", NULL},
	{"C::<init", 3, "cannot contain '<'", NULL},
	{"C::m::n", 4, "nothing follows the method's name", NULL},
	{"C::m.n", 4, "nothing follows the method's name", NULL},
	{"a.b.C\xff", 5, "not UTF-8", NULL},
	{"a.\xc3", 2, "not UTF-8", NULL},
	{"\xed\xa0\x80", 0, "not UTF-8", NULL},
	{"\xc0\x80", 0, "not UTF-8", NULL},
	/* the fault is in one of several filters; columns count characters, not bytes */
	{"A::m;sem.];B::x", 9, "written '\\]'", NULL},
	{"A;größe.C.m", 9, "two colons", "größe.C::m"},
};

static int caret_column(const char *message)
{
	const char *line = strrchr(message, '^');
	int column = 0;

	if (!line)
		return -1;
	while (line > message && line[-1] == ' ') {
		line--;
		column++;
	}
	return line > message && line[-1] == '\n' ? column - 2 : -2;
}

static void check_wrong(const struct wrong *w)
{
	const char *mark = "the right filter: '", *right;
	struct diag d;

	if (*read_filters(w->text, &d))
		fail_msg("'%s' is taken", w->text);
	if (strncmp(d.text, "wrong filter: ", 14) != 0 || !strstr(d.text, w->what))
		fail_msg("'%s': %s", w->text, d.text);
	if (caret_column(d.text) != w->column)
		fail_msg("'%s': caret under column %d: %s", w->text, caret_column(d.text), d.text);
	right = strstr(d.text, mark);
	if (!right != !w->right)
		fail_msg("'%s': %s", w->text, d.text);
	if (!right)
		return;
	right += strlen(mark);
	if (strncmp(right, w->right, strlen(w->right)) != 0 || right[strlen(w->right)] != '\'')
		fail_msg("'%s': %s", w->text, d.text);
	if (!*read_filters(w->right, &d))
		fail_msg("'%s': the right filter is none: %s", w->text, d.text);
}

CASE(wrong_filter_gets_caret_reason_and_proposal)
{
	for (size_t i = 0; i < SIZE(wrongs); i++)
		check_wrong(&wrongs[i]);
}

CASE(message_is_as_documented)
{
	struct diag d;

	read_filters("com.acme.Cart.checkout(Cart.java:42)", &d);
	assert_string_equal(d.text, "wrong filter: this is a line of a stack trace\n"
				    "  com.acme.Cart.checkout(Cart.java:42)\n"
				    "                        ^\n"
				    "  the right filter: 'com.acme.Cart::checkout'");
}

CASE(capitalised_package_has_a_way_out)
{
	struct diag d;

	read_filters("org.omg.CORBA.ORB::init", &d);
	assert_contains(d.text, "'org.omg.CORBA$ORB::init'");
	assert_contains(d.text, "is a package: 'org/omg/CORBA/ORB::init'");
	assert_string_equal(read_filters("org/omg/CORBA/ORB::init", &d), "org/omg/CORBA/ORB::init");
	read_filters("REPL.*", &d);
	assert_contains(d.text, "the right filter: 'REPL'");
	assert_contains(d.text, "or, if the part before the caret is a package: 'REPL/*'");
}

CASE(long_text_is_cut_around_the_fault)
{
	char text[4001];
	const char *line, *end;
	struct diag d;

	for (size_t at = 1; at < 4000; at += 333) {
		memset(text, 'a', 4000);
		text[4000] = 0;
		text[at] = ',';
		read_filters(text, &d);
		line = strchr(d.text, '\n') + 1;
		end = strchr(line, '\n');
		assert_in_range(end - line, 10, 80);
		/* the caret is under the fault */
		assert_true(line[caret_column(d.text) + 2] == ',');
	}
}

/* Characters that a terminal would interpret do not reach it, and the message for any fault in any text fits. */
CASE(message_is_printable)
{
	struct diag d;
	char text[64];

	for (int c = 1; c < 256; c++) {
		snprintf(text, sizeof(text), "a.b\x1b[31m%c%cC", c, c);
		read_filters(text, &d);
		for (const char *s = d.text; *s; s++)
			if (((unsigned char)*s < 0x20 && *s != '\n') || *s == 0x7f)
				fail_msg("a control character %d gets out", *s);
	}
	read_filters("a\xc2\x9b"
		     "31m(",
		     &d);
	assert_lacks(strchr(d.text, '\n'), "\xc2\x9b");
}

CASE(too_long_a_name_is_refused)
{
	char *text = malloc(70001);
	struct diag d;

	memset(text, 'a', 70000);
	text[70000] = 0;
	read_filters(text, &d);
	assert_contains(d.text, "no Java name is that long");
	free(text);
}

/* Lists, programs, proposals: 0, or -ENOMEM with a message. LeakSanitizer finds lost memory. */
static int read_and_compile(struct diag *d)
{
	struct filter_list *l = filter_list_new();
	struct suggest *near = NULL;
	void *program = NULL;
	size_t size;
	int err = -ENOMEM;

	if (!l)
		return diag_set(d, ENOMEM, "no list");
	err = filter_list_add(l, "A;B::m(int,C[]);::n;+C::m*:1s;@D;E*;F;G;H;I", FILTER_TRACE, d);
	if (!err)
		err = filter_list_add(l, "J", FILTER_EXCLUDE, d);
	else
		assert_int_equal(filter_list_size(l), 0);
	if (!err)
		err = filter_list_compile(l, &program, &size, d);
	near = err ? NULL : suggest_new(l);
	if (near)
		suggest_offer(near, "p.A", NULL);
	suggest_free(near);
	free(program);
	filter_list_free(l);
	return err;
}

CASE(failed_allocation_is_an_error)
{
	unsigned int n = 0;

	fail_nth_or_skip();
	do {
		struct diag d = {0};
		int err;

		fail_nth(++n);
		err = read_and_compile(&d);
		assert_true(err == 0 || (err == -ENOMEM && d.text[0] && !d.usage));
	} while (fail_nth_end());
	assert_in_range(n, 20, 200);
}

static struct filter_list *l;
static struct diag d;

static int setup(void **state)
{
	l = filter_list_new();
	d = (struct diag){0};
	return !l;
}

static int teardown(void **state)
{
	filter_list_free(l);
	return 0;
}

/* A list with a wrong filter is refused as a whole. */
CASE(list_is_added_whole_or_not_at_all, setup, teardown)
{
	assert_int_equal(filter_list_add(l, "A;B", FILTER_TRACE, &d), 0);
	assert_int_equal(filter_list_add(l, "C;D;e f;G", FILTER_TRACE, &d), -EINVAL);
	assert_int_equal(filter_list_size(l), 2);
	assert_int_equal(filter_list_add(l, "C", FILTER_TRACE, &d), 0);
	assert_int_equal(filter_list_size(l), 3);
	assert_string_equal(filter_list_text(l, 2), "C");
}

CASE(exclusions_have_the_same_grammar_and_are_not_counted, setup, teardown)
{
	assert_int_equal(filter_list_add(l, "A;B::m;::n", FILTER_EXCLUDE, &d), 0);
	assert_int_equal(filter_list_size(l), 0);
	assert_int_equal(filter_list_add(l, "a.b.C.m", FILTER_EXCLUDE, &d), -EINVAL);
	assert_contains(d.text, "'a.b.C::m'");
}

/* The message for the content of a file; "" if it is accepted. */
static const char *read_lines(const char *content)
{
	d = (struct diag){0};
	if (filter_list_add_lines(l, "my.filters", content, FILTER_TRACE, &d) == 0)
		return "";
	assert_true(d.usage);
	return d.text;
}

CASE(file_has_filters_in_lines_and_comments, setup, teardown)
{
	static const char *const read[] = {"a.b.C::m", "C::m", "D", "E", "F"};
	assert_string_equal(read_lines("# all of the shop\n\n  a.b.C::m\t# but not this\r\nC#m\n!G; D;E\n#H\nF"), "");
	assert_int_equal(filter_list_size(l), SIZE(read));
	for (size_t i = 0; i < SIZE(read); i++)
		assert_string_equal(filter_list_text(l, i), read[i]);
}

CASE(fault_in_a_file_is_reported_with_its_line, setup, teardown)
{
	assert_string_equal(read_lines("A\n\n  a.b.C.m # here\nD"),
			    "wrong filter in my.filters, line 3: a method is written after two colons\n"
			    "    a.b.C.m \n"
			    "         ^\n"
			    "  the right filter: 'a.b.C::m'");
	assert_string_equal(read_lines("# nothing\n\n ; ;\n"), "wrong filters: no filter in my.filters");
	assert_string_equal(read_lines(""), "wrong filters: no filter in my.filters");
	assert_contains(read_lines("A\nB\xff"), "my.filters, line 2: it is not UTF-8");
	assert_int_equal(filter_list_size(l), 0);
}

CASE(list_contains_trace_and_timing_filters, setup, teardown)
{
	assert_int_equal(filter_list_add(l, "A;B", FILTER_TRACE, &d), 0);
	assert_int_equal(filter_list_add(l, "A", FILTER_TIMING, &d), 0);
	assert_int_equal(filter_list_add(l, "A", FILTER_TRACE, &d), 0);
	assert_int_equal(filter_list_size(l), 3);
	assert_int_equal(filter_list_kind(l, 1), FILTER_TRACE);
	assert_int_equal(filter_list_kind(l, 2), FILTER_TIMING);
	assert_string_equal(filter_list_text(l, 2), "A");
}

CASE(shortest_threshold_is_that_of_the_filters_that_record, setup, teardown)
{
	assert_int_equal(filter_list_threshold(l, 5), UINT64_MAX);
	assert_int_equal(filter_list_add(l, "A;!B", FILTER_TIMING, &d), 0);
	assert_int_equal(filter_list_threshold(l, 0), UINT64_MAX);
	assert_int_equal(filter_list_add(l, "C:20ms", FILTER_TRACE, &d), 0);
	assert_int_equal(filter_list_threshold(l, 0), 20000000);
	assert_int_equal(filter_list_add(l, "D", FILTER_TRACE, &d), 0);
	assert_int_equal(filter_list_threshold(l, 0), 0);
	assert_int_equal(filter_list_threshold(l, 5), 5);
	assert_int_equal(filter_list_threshold(l, 30000000), 20000000);
}

CASE(exclusion_has_one_mark_and_no_threshold, setup, teardown)
{
	assert_int_equal(filter_list_add(l, "A;!B", FILTER_EXCLUDE, &d), -EINVAL);
	assert_contains(d.text, "excluded already");
	assert_int_equal(filter_list_add(l, "B:10ms", FILTER_EXCLUDE, &d), -EINVAL);
	assert_contains(d.text, "no threshold");
	assert_int_equal(filter_list_add(l, "A;B:10ms", FILTER_TIMING, &d), -EINVAL);
	assert_contains(d.text, "all calls are timed");
	assert_int_equal(filter_list_size(l), 0);
}
