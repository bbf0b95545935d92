// SPDX-License-Identifier: BSD-2-Clause
/*
 * Filters, a method, and the decision: the rules of JEP 520 as in JDK 25, and frtrace's additions. The classes are
 * class files, read as by the agent. The indirect supertypes, which only a JVM knows, are given here.
 */
#include "filters/filter_list.h"
#include "tests/lib/class_builder.h"
#include "filters/policy.h"
#include "tests/lib/test.h"

enum { STATIC = 8, BRIDGE = 0x40, NATIVE = 0x100, INTERFACE = 0x200, ABSTRACT = 0x400, SYNTHETIC = 0x1000 };

#define VISIBLE	  "RuntimeVisibleAnnotations"
#define INVISIBLE "RuntimeInvisibleAnnotations"
#define TIMED	  "Lx/Timed;"

struct member {
	unsigned access;
	const char *name; /* with the descriptor */
	const char *attribute, *annotation;
};

struct type {
	const char *name, *super, *interface;
	const char *above[5]; /* besides those two */
	const char *attribute, *annotation;
	unsigned access;
	struct member members[16];
};

static const struct type types[] = {
	{"a/b/C", .members = {{0, "<init>()V"},
			      {STATIC, "<clinit>()V"},
			      {0, "m()V"},
			      {0, "m(I)V"},
			      {0, "m(ILjava/lang/String;)V"},
			      {0, "m([Ljava/lang/String;)V"},
			      {0, "m([[JLa/b/C$In;)I"},
			      {0, "getName()V"},
			      {NATIVE, "nat()V"},
			      {SYNTHETIC | BRIDGE, "compareTo(Ljava/lang/Object;)I"},
			      {SYNTHETIC | STATIC, "lambda$m$0(Ljava/lang/Object;)V"},
			      {SYNTHETIC | STATIC, "lambda$new$1()V"},
			      {SYNTHETIC | STATIC, "lambda$static$2()V"},
			      {SYNTHETIC | STATIC, "lambda$getName$2b5d1f$1()V"},
			      {SYNTHETIC | STATIC, "access$000()V"},
			      {0, "finalize()V"}}},
	{"a/b/C$In", .members = {{0, "m()V"}, {0, "<init>()V"}}},
	{"a/b/C$1", .members = {{0, "run()V"}}},
	{"a/b/CV2", .members = {{0, "m()V"}}},
	{"a/b/c/D", .members = {{0, "m()V"}, {0, "getName()V"}}},
	{"ab/E", .members = {{0, "m()V"}}},
	{"C", .members = {{0, "m()V"}}},
	/* a hierarchy */
	{"shop/Service", .access = INTERFACE | ABSTRACT,
	 .members = {{ABSTRACT, "run()V"}, {0, "byDefault()V"}, {STATIC, "make()V"}, {STATIC, "<clinit>()V"}}},
	{"shop/Base", .interface = "shop/Service", .members = {{0, "<init>()V"}, {0, "run()V"}, {0, "stop()V"}}},
	{"shop/Cart", "shop/Base", .above = {"shop/Service"},
	 .members = {{0, "run()V"},
		     {0, "add(Lshop/Order;)V"},
		     {0, "add(Lshop/Order;Z)V"},
		     {0, "line(Lshop/Cart$Line;)V"}}},
	{"shop/Deep", "shop/Cart", .above = {"shop/Base", "shop/Service"}, .members = {{0, "run()V"}, {0, "own()V"}}},
	{"shop/Alone", .members = {{0, "run()V"}}},
	/* annotations */
	{"x/OnClass", .attribute = VISIBLE, .annotation = TIMED,
	 .members = {{0, "m()V"}, {0, "<init>()V"}, {STATIC, "<clinit>()V"}, {ABSTRACT, "abs()V"}}},
	{"x/OnMethod", .members = {{0, "m()V", VISIBLE, TIMED}, {0, "n()V"}, {NATIVE, "nat()V", VISIBLE, TIMED}}},
	{"x/ClassFileOnly", .attribute = INVISIBLE, .annotation = TIMED, .members = {{0, "m()V", INVISIBLE, TIMED}}},
	{"x/Sub", "x/OnClass", .members = {{0, "m()V"}}},
	{"x/OnClass$In", .members = {{0, "m()V"}}},
	{"x/Over", "x/OnMethod", .members = {{0, "m()V"}}},
	{"x/Api", .attribute = VISIBLE, .annotation = TIMED, .access = INTERFACE | ABSTRACT,
	 .members = {{0, "byDefault()V"}, {STATIC, "make()V"}, {ABSTRACT, "todo()V"}}},
	{"x/Impl", .interface = "x/Api", .members = {{0, "todo()V"}}},
	{"x/Repeated", .attribute = VISIBLE, .annotation = "Lx/Timed$List;", .members = {{0, "m()V"}}},
	{"x/Stereotype", /* an annotation that is itself annotated, */
	 .interface = "java/lang/annotation/Annotation", .attribute = VISIBLE, .annotation = TIMED,
	 .access = INTERFACE | ABSTRACT, .members = {{ABSTRACT, "value()I"}}},
	{"x/OfStereotype", /* and a class with it */
	 .attribute = VISIBLE, .annotation = "Lx/Stereotype;", .members = {{0, "m()V"}}},
	/* classes of the JDK */
	{"my/Event", "jdk/jfr/Event", .members = {{0, "m()V"}}},
	{"jdk/internal/event/FileReadEvent", "jdk/internal/event/Event", .members = {{0, "m()V"}}},
	{"jdk/jfr/Recording", .members = {{0, "start()V"}}},
	{"jdk/internal/vm/Continuation", .members = {{0, "run()V"}}},
	{"java/util/concurrent/locks/ReentrantLock", .members = {{0, "lock()V"}}},
	{"java/util/concurrent/Semaphore",
	 .members = {{0, "acquire()V", VISIBLE, "Ljdk/internal/vm/annotation/ReservedStackAccess;"}}},
	{"java/lang/VirtualThread",
	 .members = {{0, "mount()V", VISIBLE, "Ljdk/internal/vm/annotation/JvmtiMountTransition;"}, {0, "run()V"}}},
	{"a/b/C$$Lambda$14", .access = SYNTHETIC, .members = {{0, "run()V"}}},
	{"java/lang/invoke/LambdaForm$MH",
	 .members = {{STATIC, "invoke()V", VISIBLE, "Ljava/lang/invoke/LambdaForm$Compiled;"}}},
	{"java/lang/Object", .members = {{0, "<init>()V"}, {0, "finalize()V"}, {NATIVE, "hashCode()I"}}},
	{"java/lang/StringLatin1", .members = {{STATIC, "hashCode([B)I"}}},
	{"java/util/concurrent/ConcurrentHashMap", .members = {{0, "get(Ljava/lang/Object;)Ljava/lang/Object;"}}},
	{"jdk/internal/misc/Unsafe", .members = {{0, "getInt(J)I"}}},
};

/* The agent's reasons for a selected method without hooks. */
static const char *const reasons[FRT_SKIP_REASONS] = {
	[FRT_SKIP_NATIVE] = "native",
	[FRT_SKIP_ABSTRACT] = "abstract",
	[FRT_SKIP_SYNTHETIC] = "synthetic",
	[FRT_SKIP_FINALIZER] = "finalizer",
	[FRT_SKIP_LOCKS] = "locks",
	[FRT_SKIP_JFR] = "jfr",
	[FRT_SKIP_CONTINUATION] = "continuation",
	[FRT_SKIP_HIDDEN] = "hidden",
	[FRT_SKIP_RESERVED_STACK] = "reserved",
};

struct row {
	const char *filters; /* of -m; "-x", "-M" and "--lambda" as on the command line */
	const char *method;  /* CLASS.NAME, with the descriptor if there are several */
	const char *result;
};

#include "tests/unit/agent/filter_rules.h"

struct loaded {
	struct class_file c;
	uint8_t *bytes;
	unsigned char memory[16384];
};

static void build_method(struct class_builder *b, const struct member *m)
{
	static const uint8_t nop_return[] = {0, 0xb1};
	struct code_spec code = {.max_stack = 2, .max_locals = 8};
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(m->name, "("), m->name);
	if (m->annotation)
		builder_annotate_method(b, m->attribute, m->annotation);
	/* an empty method is one byte of code */
	if (strcmp(name, "finalize") == 0)
		grow_bytes(&code.code, nop_return + 1, 1);
	else
		grow_bytes(&code.code, nop_return, 2);
	if (m->access & (NATIVE | ABSTRACT))
		grow_release(&code.code);
	builder_method(b, m->access, name, strchr(m->name, '('), m->access & (NATIVE | ABSTRACT) ? NULL : &code);
}

static void load(struct loaded *l, const struct type *t)
{
	struct arena arena = {l->memory, sizeof(l->memory)};
	struct class_builder b;
	size_t size;

	builder_init(&b, 61, t->name, t->super);
	b.access = 0x21 | t->access;
	if (t->interface)
		builder_interface(&b, t->interface);
	if (t->annotation)
		builder_annotate(&b, t->attribute, t->annotation);
	for (size_t i = 0; i < 16 && t->members[i].name; i++)
		build_method(&b, &t->members[i]);
	l->bytes = builder_finish(&b, &size);
	assert_int_equal(class_parse(&l->c, l->bytes, size, &arena), CLASS_OK);
}

/* Add the words of one option, up to the next option. */
static void add_option(struct filter_list *l, const char *text, enum filter_kind kind)
{
	struct diag d = {0};

	if (*text && filter_list_add(l, text, kind, &d))
		fail_msg("%s", d.text);
}

static void *compile(const char *filters, struct matcher *p)
{
	static const struct {
		const char *word;
		enum filter_kind kind;
	} options[] = {{"-x ", FILTER_EXCLUDE}, {"-M ", FILTER_TIMING}};
	struct filter_list *l = filter_list_new();
	char *copy = strdup(filters), *lambda = strstr(copy, "--lambda");
	struct diag d = {0};
	void *program;

	filter_list_set_lambda(l, lambda);
	if (lambda)
		*lambda = 0;
	for (size_t i = 0; i < 2; i++) {
		char *at = strstr(copy, options[i].word);

		if (!at)
			continue;
		add_option(l, at + 3, options[i].kind);
		*at = 0;
	}
	add_option(l, copy, FILTER_TRACE);
	assert_int_equal(filter_list_compile(l, &program, &p->size, &d), 0);
	p->program = program;
	filter_list_free(l);
	free(copy);
	return program;
}

static const struct class_method *find_method(const struct class_file *c, const char *name)
{
	size_t length = strcspn(name, "(");

	for (uint16_t i = 0; i < c->methods; i++) {
		const struct class_method *m = &c->method[i];

		if (m->name.length == length && memcmp(m->name.at, name, length) == 0 &&
		    (!name[length] || slice_is(m->descriptor, name + length)))
			return m;
	}
	return NULL;
}

static void print_verdict(struct matcher_decision v, enum frt_skip_reason reason, char *out, size_t size)
{
	if (!v.trace && !v.timing)
		snprintf(out, size, "no");
	else if (reason)
		snprintf(out, size, "%s", reasons[reason]);
	else
		snprintf(out, size, "%s%s%s", v.trace ? "trace" : "", v.trace && v.timing ? " " : "",
			 v.timing ? "timing" : "");
	if (v.trace && v.threshold_ns != MATCHER_NO_THRESHOLD)
		snprintf(out + strlen(out), size - strlen(out), " %llu", (unsigned long long)v.threshold_ns);
}

/* No class is rejected that has a selected method, unless only a JVM could know that. */
static void check_rejection(const struct matcher *p, const struct loaded *l, const char *filters)
{
	enum matcher_answer answer = matcher_class(p, l->c.name.at, l->c.name.length);

	if (answer == MATCHER_TAGGED &&
	    policy_may_have_tag(p, l->bytes + 10, l->c.size - 10, (uint16_t)(l->bytes[8] << 8 | l->bytes[9])))
		return;
	if (answer != MATCHER_METHODS)
		fail_msg("'%s': class %.*s is passed over", filters, (int)l->c.name.length, l->c.name.at);
}

static void check_method(const struct row *r, const struct type *t, const struct loaded *l, const struct matcher *p)
{
	struct matcher_tags near = {0}, tags;
	enum frt_skip_reason reason, of_class = policy_class(&l->c);
	const struct class_method *m = find_method(&l->c, strchr(r->method, '.') + 1);
	struct matcher_decision v;
	char result[64];

	if (!m)
		fail_msg("no method %s", r->method);
	policy_tag_class(p, &l->c, &near);
	tags = near;
	for (size_t i = 0; i < 5 && t->above[i]; i++)
		matcher_tag_supertype(p, slice_of(t->above[i]), &tags);
	v = policy_method(p, &l->c, m, &tags, &reason);
	print_verdict(v, of_class ? of_class : reason, result, sizeof(result));
	if (strcmp(result, r->result) != 0)
		fail_msg("'%s' and %s: %s instead of %s", r->filters, r->method, result, r->result);
	v = policy_method(p, &l->c, m, &near, &reason);
	if (v.trace || v.timing)
		check_rejection(p, l, r->filters);
}

static void check_row(const struct row *r)
{
	size_t length = strcspn(r->method, "."), i = 0;
	struct loaded *l = calloc(1, sizeof(*l));
	struct matcher p;
	void *program = compile(r->filters, &p);

	while (i < sizeof(types) / sizeof(types[0]) &&
	       (strlen(types[i].name) != length || memcmp(types[i].name, r->method, length) != 0))
		i++;
	if (i == sizeof(types) / sizeof(types[0]))
		fail_msg("no class for %s", r->method);
	load(l, &types[i]);
	check_method(r, &types[i], l, &p);
	free(l->bytes);
	free(l);
	free(program);
}

CASE(filters_follow_the_rules)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
	assert_true(sizeof(rows) / sizeof(rows[0]) >= 150);
}

/* A class that mentions no type of a filter is rejected after a look at the names in its pool. */
CASE(class_that_mentions_no_filtered_type_is_not_inspected)
{
	static const char *const speaks[] = {"shop/Service", "shop/Base", "x/OnClass", "x/OnMethod", "x/Api"};
	struct matcher p;
	void *program = compile("+shop.Service;@x.Timed", &p);

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct loaded *l = calloc(1, sizeof(*l));
		bool speaking = false, may;

		load(l, &types[i]);
		may = policy_may_have_tag(&p, l->bytes + 10, l->c.size - 10,
					  (uint16_t)(l->bytes[8] << 8 | l->bytes[9]));
		for (size_t k = 0; k < sizeof(speaks) / sizeof(speaks[0]); k++)
			speaking |= strcmp(speaks[k], types[i].name) == 0;
		if (speaking && !may)
			fail_msg("%s is passed over", types[i].name);
		if (may && !speaking && strncmp(types[i].name, "x/", 2) != 0)
			fail_msg("%s is looked into", types[i].name);
		assert_int_equal(matcher_class(&p, types[i].name, strlen(types[i].name)), MATCHER_TAGGED);
		free(l->bytes);
		free(l);
	}
	free(program);
}
