// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/recording.h"
#include "tests/lib/test.h"

/* Each chunk uses a different half of them, and new ones: the dissector compares keys across all chunks. */
CASE(keys_are_unique_across_chunks_and_each_chunk_has_its_constants)
{
	struct recording r = recording_new();
	uint64_t method[40], thread[40];
	char name[16];
	int i, c;

	for (c = 0; c < 8; c++) {
		recording_begin(&r);
		for (i = 0; i < 5; i++) {
			snprintf(name, sizeof(name), "m%d", c * 5 + i);
			method[c * 5 + i] = recording_method(&r, name);
			thread[c * 5 + i] = recording_thread(&r, c * 5 + i + 1);
		}
		for (i = (c & 1); i < c * 5 + 5; i += 2)
			recording_call(&r, jfr_thread_known(r.w, thread[i]) ? thread[i] : recording_thread(&r, i + 1),
				       method[i]);
		recording_end(&r, c == 7);
	}
	recording_read(&r);
	for (i = 0; i < (int)r.d->events; i++) {
		const struct dissect_event *e = dissect_find(r.d, TRACE, i);

		assert_non_null(dissect_text(r.d, e, "eventThread.javaName"));
		assert_non_null(dissect_text(r.d, e, "method.type.name"));
	}
	assert_int_equal(dissect_constants(r.d, 7, "jdk.types.Method"), 20);
	assert_int_equal(dissect_count(r.d, "frtrace.Message"), 0);
	recording_free(&r);
}

CASE(constants_are_written_with_their_references)
{
	struct recording r = recording_new();
	uint64_t loader, class, method;
	const struct dissect_event *e;
	int64_t v;

	loader = jfr_loader(r.w, &(struct jfr_loader_constant){"org/web/Loader", "web", 77});
	class = jfr_class(r.w, &(struct jfr_class_constant){"a/b/C$D", loader, 0x11, false, NULL});
	method = jfr_method(
		r.w, &(struct jfr_method_constant){class, "run", "([[Ljava/lang/String;J)Ljava/util/List;", 9, true});
	recording_begin(&r);
	recording_end(&r, false);
	recording_begin(&r);
	recording_call(&r, recording_thread(&r, 1), method);
	recording_end(&r, true);
	assert_int_equal(dissect_constants(recording_read(&r), 0, "jdk.types.Symbol"), 0);
	e = dissect_find(r.d, TRACE, 0);
	assert_event_text(&r, e, "method.type.classLoader.name", "web");
	assert_event_text(&r, e, "method.type.classLoader.type.name", "org/web/Loader");
	assert_event_text(&r, e, "method.type.classLoader.type.package.name", "org/web");
	assert_event_text(&r, e, "method.descriptor", "([[Ljava/lang/String;J)Ljava/util/List;");
	assert_true(event_number(&r, e, "method.modifiers") == 9 && event_number(&r, e, "method.hidden") == 1);
	assert_true(event_number(&r, e, "method.type.modifiers") == 0x11 &&
		    event_number(&r, e, "method.type.hidden") == 0);
	assert_false(dissect_number(r.d, e, "method.type.classLoader.type.classLoader.type", &v));
	recording_free(&r);
}

CASE(classes_and_methods_are_equal_by_name_and_loader)
{
	struct recording r = recording_new();
	struct jfr_loader_constant loader = {"L", "app", 1};
	struct jfr_class_constant class = {"C", 0, 1, false, NULL};
	struct jfr_method_constant method = {0, "m", "()V", 1, false};
	uint64_t l1 = jfr_loader(r.w, &loader), l2, c1, c2, m;

	assert_int_equal(jfr_loader(r.w, &loader), l1);
	loader.identity = 2;
	l2 = jfr_loader(r.w, &loader);
	assert_int_not_equal(l1, l2);
	class.loader = l1;
	c1 = jfr_class(r.w, &class);
	class.modifiers = 0x21;
	assert_int_equal(jfr_class(r.w, &class), c1);
	class.loader = l2;
	c2 = jfr_class(r.w, &class);
	assert_int_not_equal(c1, c2);
	method.class_key = c1;
	m = jfr_method(r.w, &method);
	assert_int_equal(jfr_method(r.w, &method), m);
	method.class_key = c2;
	assert_int_not_equal(jfr_method(r.w, &method), m);
	method.class_key = c1;
	method.descriptor = "()I";
	assert_int_not_equal(jfr_method(r.w, &method), m);
	recording_free(&r);
}

static void check_package(const char *name, bool hidden, const char *package)
{
	struct recording r = recording_new();
	struct jfr_class_constant class = {name, 0, 1, hidden, NULL};
	const struct dissect_event *e;
	const char *got;

	recording_begin(&r);
	recording_call(&r, 0,
		       jfr_method(r.w, &(struct jfr_method_constant){jfr_class(r.w, &class), "m", "()V", 1, false}));
	recording_end(&r, true);
	e = dissect_find(recording_read(&r), TRACE, 0);
	got = dissect_text(r.d, e, "method.type.package.name");
	assert_true(package ? got && !strcmp(got, package) : !got);
	recording_free(&r);
}

CASE(package_is_a_prefix_of_the_class_name_or_none)
{
	char *long_name = malloc(70001);

	memset(long_name, 'x', 70000);
	long_name[65533] = '/'; /* the cut name ends before it */
	long_name[70000] = 0;
	check_package("com/acme/Cart$Line", false, "com/acme");
	check_package("Main", false, NULL);
	check_package("a/b/C$$Lambda/0x00007f0001", true, "a/b");
	check_package("a/b/C$$Lambda$14+0x00007f0001", true, "a/b");
	check_package("C$$Lambda/0x00007f0001", true, NULL);
	check_package("[Lcom/acme/Cart;", false, NULL);
	check_package("/C", false, NULL);
	check_package("\xff/\xed\xa0\xbd\xed\xb8\x80/C", false, "\xef\xbf\xbd/\xf0\x9f\x98\x80");
	check_package(long_name, false, NULL);
	free(long_name);
}

static void call_of_class(struct recording *r, const char *name, uint64_t loader, const struct jfr_module *module)
{
	struct jfr_class_constant class = {name, loader, 1, false, module};
	uint64_t key = jfr_class(r->w, &class);

	recording_call(r, 0, jfr_method(r->w, &(struct jfr_method_constant){key, "m", "()V", 1, false}));
}

CASE(package_has_the_module_of_the_class_and_its_loader)
{
	static const struct jfr_module shop = {"shop", "1.2", "file:///shop/", true}, unnamed = {.exported = true},
				       closed = {.name = "shop"};
	struct recording r = recording_new();
	uint64_t loader = jfr_loader(r.w, &(struct jfr_loader_constant){"org/web/Loader", "web", 77});
	const struct dissect_event *e;

	recording_begin(&r);
	call_of_class(&r, "a/B", loader, &shop);
	call_of_class(&r, "b/B", loader, &unnamed);
	call_of_class(&r, "a/C", loader, &closed);
	call_of_class(&r, "a/D", loader, NULL);
	call_of_class(&r, "E", loader, &shop);
	recording_end(&r, true);
	e = dissect_find(recording_read(&r), TRACE, 0);
	assert_event_text(&r, e, "method.type.package.module.name", "shop");
	assert_event_text(&r, e, "method.type.package.module.version", "1.2");
	assert_event_text(&r, e, "method.type.package.module.location", "file:///shop/");
	assert_event_text(&r, e, "method.type.package.module.classLoader.name", "web");
	assert_int_equal(event_number(&r, e, "method.type.package.exported"), 1);
	e = dissect_find(r.d, TRACE, 1);
	assert_null(dissect_text(r.d, e, "method.type.package.module.name"));
	assert_event_text(&r, e, "method.type.package.module.classLoader.name", "web");
	assert_int_equal(event_number(&r, e, "method.type.package.exported"), 1);
	e = dissect_find(r.d, TRACE, 2);
	assert_event_text(&r, e, "method.type.package.module.name", "shop");
	assert_null(dissect_text(r.d, e, "method.type.package.module.version"));
	assert_int_equal(event_number(&r, e, "method.type.package.exported"), 0);
	e = dissect_find(r.d, TRACE, 3);
	assert_event_text(&r, e, "method.type.package.name", "a");
	assert_null(dissect_text(r.d, e, "method.type.package.module.classLoader.name"));
	assert_null(dissect_text(r.d, dissect_find(r.d, TRACE, 4), "method.type.package.name"));
	assert_int_equal(dissect_constants(r.d, 0, "jdk.types.Module"), 3);
	assert_int_equal(dissect_constants(r.d, 0, "jdk.types.Package"), 5); /* with the one of org/web/Loader */
	recording_free(&r);
}

CASE(descriptors_that_tools_cannot_read_are_replaced)
{
	static const char *const bad[] = {NULL,	   "",	    "V",    "()",   "(",    "(I",    "(Q)V",	"(L)V",
					  "(L;)V", "(La)V", "()VV", "()[V", "(V)V", "(I)II", "(Ljava;", "([)V"};
	struct recording r = recording_new();
	uint64_t class = recording_class(&r, "C");
	char name[16];
	size_t i;

	recording_begin(&r);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(name, sizeof(name), "m%zu", i);
		recording_call(&r, 0, jfr_method(r.w, &(struct jfr_method_constant){class, name, bad[i], 1, false}));
	}
	recording_end(&r, true);
	recording_read(&r);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_event_text(&r, dissect_find(r.d, TRACE, i), "method.descriptor", "()V");
	recording_free(&r);
}

CASE(method_without_usable_class_is_no_constant)
{
	struct recording r = recording_new();

	assert_int_equal(jfr_class(r.w, &(struct jfr_class_constant){.name = NULL}), 0);
	assert_int_equal(jfr_class(r.w, &(struct jfr_class_constant){.name = ""}), 0);
	assert_int_equal(recording_class(&r, "["), 0);
	assert_int_equal(recording_class(&r, "[La;b"), 0);
	assert_int_not_equal(recording_class(&r, "[[I"), 0);
	assert_int_equal(jfr_method(r.w, &(struct jfr_method_constant){0, "m", "()V", 1, false}), 0);
	assert_int_equal(jfr_method(r.w, &(struct jfr_method_constant){99, "m", "()V", 1, false}), 0);
	recording_free(&r);
}

CASE(threads_are_written_as_by_hotspot)
{
	static const struct jfr_thread_constant threads[] = {
		{.name = "virt", .java_id = 40, .is_virtual = true},
		{.name = "", .java_id = 41, .is_virtual = true, .group = "other"},
		{.name = "VM Thread", .os_id = 12},
		{.name = "java", .os_name = "os", .os_id = 13, .java_id = 2},
		{.java_id = 42, .is_virtual = true},
		{.java_id = -1, .is_virtual = true},
	};
	struct recording r = recording_new();
	const struct dissect_event *e;
	size_t i;

	recording_begin(&r);
	for (i = 0; i < 6; i++)
		recording_call(&r, jfr_thread(r.w, &threads[i]), 0);
	recording_end(&r, true);
	e = dissect_find(recording_read(&r), TRACE, 0);
	assert_null(dissect_text(r.d, e, "eventThread.osName"));
	assert_event_text(&r, e, "eventThread.javaName", "virt");
	assert_event_text(&r, e, "eventThread.group.name", "VirtualThreads");
	assert_int_equal(event_number(&r, e, "eventThread.virtual"), 1);
	e = dissect_find(r.d, TRACE, 1);
	assert_event_text(&r, e, "eventThread.javaName", "");
	assert_event_text(&r, e, "eventThread.group.name", "other");
	e = dissect_find(r.d, TRACE, 2);
	assert_event_text(&r, e, "eventThread.osName", "VM Thread");
	assert_null(dissect_text(r.d, e, "eventThread.javaName"));
	assert_null(dissect_text(r.d, e, "eventThread.group.name"));
	e = dissect_find(r.d, TRACE, 3);
	assert_event_text(&r, e, "eventThread.osName", "os");
	assert_event_text(&r, e, "eventThread.javaName", "java");
	/* `jfr view` fails if the name that it shows is null */
	assert_event_text(&r, dissect_find(r.d, TRACE, 4), "eventThread.javaName", "");
	assert_event_text(&r, dissect_find(r.d, TRACE, 5), "eventThread.osName", "");
	recording_free(&r);
}

CASE(renamed_thread_gets_a_new_key)
{
	struct recording r = recording_new();
	struct jfr_thread_constant t = {.name = "before", .os_id = 5, .java_id = 9};
	uint64_t key = jfr_thread(r.w, &t);

	assert_int_equal(jfr_thread(r.w, &t), key);
	t.name = "after";
	assert_int_not_equal(jfr_thread(r.w, &t), key);
	recording_free(&r);
}

CASE(names_from_a_jvm_become_true_utf8)
{
	struct recording r = recording_new();
	uint64_t class = recording_class(&r, "p/\xed\xa0\xbd\xed\xb8\x80"), method, thread;
	const struct dissect_event *e;

	method = jfr_method(r.w, &(struct jfr_method_constant){class, "\xc3\xa9\xff", "()V", 1, false});
	thread = jfr_thread(r.w, &(struct jfr_thread_constant){.name = "\xed\xa0\xbd", .os_id = 1, .java_id = 1});
	recording_begin(&r);
	recording_call(&r, thread, method);
	recording_end(&r, true);
	e = dissect_find(recording_read(&r), TRACE, 0);
	assert_event_text(&r, e, "method.type.name", "p/\xf0\x9f\x98\x80");
	assert_event_text(&r, e, "method.name", "\xc3\xa9\xef\xbf\xbd");
	assert_event_text(&r, e, "eventThread.javaName", "\xef\xbf\xbd");
	recording_free(&r);
}

/* 9 MB of names: more than one checkpoint. */
CASE(many_constants_make_a_chain_of_checkpoints)
{
	struct recording r = recording_new();
	char name[301];
	int i, n = 30000;

	recording_begin(&r);
	memset(name, 'n', 300);
	for (i = 0; i < n; i++) {
		snprintf(name + 290, 11, "%d", i);
		recording_call(&r, recording_thread(&r, i + 1), recording_method(&r, name));
	}
	recording_end(&r, true);
	assert_int_equal(dissect_count(recording_read(&r), TRACE), n);
	assert_true(r.d->chunk[0].checkpoints > 2);
	assert_int_equal(dissect_constants(r.d, 0, "jdk.types.Method"), n);
	assert_event_text(&r, dissect_find(r.d, TRACE, n - 1), "method.name", name);
	recording_free(&r);
}

/* Thousands of threads begin and end; each chunk contains only its own. */
CASE(chunk_does_not_carry_the_threads_of_others)
{
	struct recording r = recording_new();
	uint64_t method = recording_method(&r, "m");
	int64_t id = 1;
	int c, i;

	for (c = 0; c < 5; c++) {
		recording_begin(&r);
		for (i = 0; i < 2000; i++)
			recording_call(&r, recording_thread(&r, id++), method);
		recording_end(&r, c == 4);
	}
	recording_read(&r);
	for (c = 0; c < 5; c++)
		assert_int_equal(dissect_constants(r.d, c, "java.lang.Thread"), 2000);
	assert_int_equal(event_number(&r, &r.d->event[r.d->events - 1], "eventThread.javaThreadId"), 10000);
	recording_free(&r);
}
