// SPDX-License-Identifier: BSD-2-Clause
/* Names as filters: for each name that a class file can have there is a filter for exactly this method. */
#include "filters/quote.h"
#include "filters/filter_list.h"
#include "format/bytes.h"
#include "tests/lib/test.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))

static void is_filter(const char *class_name, const char *method, const char *descriptor, const char *wanted)
{
	char *filter = quote_filter(class_name, method, descriptor);

	assert_non_null(filter);
	assert_string_equal(filter, wanted);
	free(filter);
}

CASE(filter_of_a_method_selects_this_overload)
{
	is_filter("a/b/C$D", "add", "(ILjava/lang/String;)V", "a.b.C$D::add(int,java.lang.String)");
	is_filter("C", "<init>", "()V", "C::<init>()");
	is_filter("C", "m", "([[Z[La/B$C;JBCDFS)I", "C::m(boolean[][],a.B$C[],long,byte,char,double,float,short)");
	is_filter("C", "m", "(ZZZZZZZZ)V", "C::m(boolean,boolean,boolean,boolean,boolean,boolean,boolean,boolean)");
	is_filter("a.b.C", "m", NULL, "a.b.C::m");
	is_filter("a.b.C", NULL, NULL, "a.b.C");
	assert_null(quote_filter("C", "m", ""));
	assert_null(quote_filter("C", "m", "(Q)V"));
	assert_null(quote_filter("C", "m", "(La/B"));
}

static void is_exact(const char *class_name, const char *method, const char *descriptor, const char *wanted)
{
	char *filter = quote_exact(class_name, method, descriptor);

	assert_non_null(filter);
	assert_string_equal(filter, wanted);
	free(filter);
}

CASE(exact_filter_has_what_the_method_returns)
{
	is_exact("Pro", "a", "(I)I", "Pro::a(int)int");
	is_exact("Pro", "a", "(I)V", "Pro::a(int)void");
	is_exact("Pro", "a", "()[[Ljava/lang/String;", "Pro::a()java.lang.String[][]");
	is_exact("Pro", "a", "()Lorg/omg/CORBA/Any;", "Pro::a()org/omg/CORBA/Any");
	is_exact("Pro", "a", "()LI;", "Pro::a()\\I");
	is_exact("Pro", "a", "()[LV;", "Pro::a()\\V[]");
	is_exact("Pro", "a", "()Lvoid;", "Pro::a()\\void");
	is_exact("Pro", "a", "()L1a;", "Pro::a()\\1a");
	is_exact("Pro", "a", "()Lb/I;", "Pro::a()b.I");
	is_exact("Pro", "a", "()LI/b;", "Pro::a()I/b");
	assert_null(quote_exact("C", "m", "()"));
	assert_null(quote_exact("C", "m", "()[V"));
	assert_null(quote_exact("C", "m", "()La"));
	assert_null(quote_exact("C", "m", "()II"));
}

CASE(only_what_has_a_meaning_is_escaped)
{
	is_filter("okhttp3/-HostnamesCommonKt", "to-host", "()V", "okhttp3.-HostnamesCommonKt::to-host()");
	is_filter("Till", "is it ok?", "()V", "Till::is it ok?()");
	is_filter("Till$is it ok$1", "it doesn't fail", "()V", "Till$is it ok$1::it doesn't fail()");
	is_filter("Shop", "buy it!", "(I)V", "Shop::buy it!(int)");
	is_filter("Money", "plus-KfogCrg", "(II)I", "Money::plus-KfogCrg(int,int)");
	is_filter("a/do/if", "for", "(La/new;Lint;)V", "a.do.if::for(a.new,\\int)");
	is_filter("C", "new", "()V", "C::\\new()");
	is_filter("C", "a:b#c*(d),\\", "()V", "C::a\\:b\\#c\\*\\(d\\)\\,\\\\()");
	is_filter("a/ b", " c ", "()V", "a.\\u0020b::\\u0020c\\u0020()");
	is_filter("a b/c d", NULL, NULL, "a\\u0020b.c\\u0020d");
	is_filter("+A", "\t", "()V", "\\+A::\\u0009()");
	is_filter("org/omg/CORBA/ORB", "init", "(Lorg/omg/CORBA/Any;)V", "org/omg/CORBA/ORB::init(org/omg/CORBA/Any)");
	is_filter("com/Acme/shop", "m", "()V", "com/Acme/shop::m()");
}

/* The name in UTF-8, as it is printed. */
static char *printed(char *java)
{
	char *out;
	size_t length;

	assert_non_null(java);
	out = malloc(3 * strlen(java) + 1);
	length = utf8_from_java(out, java, strlen(java));
	out[length] = 0;
	free(java);
	return out;
}

struct method {
	char class_name[200], name[100], descriptor[600];
	size_t returned; /* where that begins in the descriptor */
};

static bool selects(const struct matcher *p, const struct method *m)
{
	return matcher_selects(p, slice_of(m->class_name), slice_of(m->name), slice_of(m->descriptor));
}

/* Read the filter as an option or as a line of a file; the same text must be printed again. */
static struct filter_list *list_of(const char *filter, bool file)
{
	struct filter_list *l = filter_list_new();
	struct diag d = {0};
	int err = file ? filter_list_add_lines(l, "file", filter, FILTER_TRACE, &d)
		       : filter_list_add(l, filter, FILTER_TRACE, &d);

	if (err)
		fail_msg("'%s': %s", filter, d.text);
	assert_int_equal(filter_list_size(l), 1);
	assert_string_equal(filter_list_text(l, 0), filter);
	return l;
}

static void check_method(const struct method *m, bool file, bool exact)
{
	char *filter = printed((exact ? quote_exact : quote_filter)(m->class_name, m->name, m->descriptor));
	struct filter_list *l = list_of(filter, file);
	struct matcher p;
	struct method other;
	struct diag d = {0};
	void *program;

	assert_int_equal(filter_list_compile(l, &program, &p.size, &d), 0);
	p.program = program;
	if (!selects(&p, m))
		fail_msg("'%s' does not select its method", filter);
	for (int i = 0; i < 3; i++) {
		other = *m;
		strcat(i == 0 ? other.class_name : other.name, "x");
		if (i == 2)
			strcpy(other.descriptor, "(BBBBBBBB)V");
		if (selects(&p, &other))
			fail_msg("'%s' selects %s %s", filter, other.class_name, other.name);
	}
	other = *m;
	strcpy(other.descriptor + m->returned, "[Lfrtrace/Other;");
	if (selects(&p, &other) == exact)
		fail_msg("'%s' and what is returned: %s", filter, other.descriptor);
	other = *m;
	for (char *s = other.name; (s = strchr(s, '*'));)
		*s = 'x';
	if (strcmp(other.name, m->name) != 0 && selects(&p, &other))
		fail_msg("'%s' has a wildcard", filter);
	free(program);
	filter_list_free(l);
	free(filter);
}

static const char *const atoms[] = {
	"a",
	"B",
	"$",
	"0",
	"10ms",
	"é",
	"\xe6\x97\xa5",
	" ",
	"  ",
	"-",
	"!",
	"+",
	"@",
	"'",
	"\"",
	"`",
	"*",
	"**",
	":",
	"::",
	"(",
	")",
	"()",
	",",
	"#",
	" #",
	"\\",
	"\\u",
	"u0041",
	"new",
	"int",
	"void",
	"class",
	"?",
	"=",
	"%",
	"&",
	"|",
	"~",
	"{",
	"}",
	"]",
	"\t",
	"\n",
	"\r",
	"\x01",
	"\x7f",
	"\xc0\x80", /* U+0000 */
	"\xc2\x85",
	"\xc2\xa0", /* next line, no-break space */
	"\xe3\x80\x80",
	"\xe2\x80\x8e",		    /* ideographic space, left-to-right mark */
	"\xed\xa0\x81\xed\xb0\x80", /* U+10400 as two surrogates */
	"\xed\xa0\x80",
	"\xed\xb0\x80", /* surrogates alone */
	"<",
	">", /* not in methods */
};

static uint32_t random_below(uint32_t limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % limit;
}

static void name_append(char *out, bool method)
{
	for (uint32_t n = 1 + random_below(4); n; n--)
		strcat(out, atoms[random_below(SIZE(atoms) - (method ? 2 : 0))]);
}

static void class_append(char *out)
{
	static const char *const packages[] = {"a/", "Acme/", "org/omg/CORBA/"};

	for (uint32_t n = random_below(3); n; n--) {
		if (random_below(2)) {
			strcat(out, packages[random_below(SIZE(packages))]);
			continue;
		}
		name_append(out, false);
		strcat(out, "/");
	}
	name_append(out, false);
}

CASE(each_name_of_a_class_file_has_a_filter_for_exactly_its_method)
{
	static const char *const types[] = {"I", "[Z", "[[J", "Ljava/lang/String;"};

	for (int round = 0; round < 20000; round++) {
		struct method m = {.descriptor = "("};

		class_append(m.class_name);
		name_append(m.name, true);
		for (uint32_t n = random_below(3); n; n--) {
			if (random_below(2)) {
				strcat(m.descriptor, types[random_below(SIZE(types))]);
				continue;
			}
			strcat(m.descriptor, random_below(2) ? "[L" : "L");
			class_append(m.descriptor);
			strcat(m.descriptor, ";");
		}
		strcat(m.descriptor, ")");
		m.returned = strlen(m.descriptor);
		strcat(m.descriptor, random_below(4) ? "" : "[");
		if (random_below(2)) {
			strcat(m.descriptor, "L");
			class_append(m.descriptor);
			strcat(m.descriptor, ";");
		} else {
			strcat(m.descriptor, types[random_below(SIZE(types))]);
		}
		check_method(&m, round % 2, round & 2);
	}
}

CASE(quoted_word_reaches_the_program)
{
	static const char text[] = "Till$1::it doesn't \"fail\" `!` \\$x*(int)";
	char *word = quote_shell(text), *command, out[200];
	FILE *shell;
	size_t n;

	assert_non_null(word);
	assert_string_equal(word, "'Till$1::it doesn'\\''t \"fail\" `!` \\$x*(int)'");
	assert_true(asprintf(&command, "printf %%s %s", word) > 0);
	shell = popen(command, "r");
	assert_non_null(shell);
	n = fread(out, 1, sizeof(out) - 1, shell);
	out[n] = 0;
	assert_int_equal(pclose(shell), 0);
	assert_string_equal(out, text);
	free(command);
	free(word);
}
