// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fail_nth.h"
#include "tests/lib/fake_classes.h"
#include "user/hotspot/classes.h"
#include "tests/lib/test.h"

#define OBJECT "java/lang/Object"

struct seen {
	char names[512];
	int count, stop_at;
	uint8_t state;
};

static int on_class(const struct loaded_class *c, void *context)
{
	struct seen *s = context;
	size_t used = strlen(s->names);

	assert_int_equal(strlen(c->name), c->length);
	snprintf(s->names + used, sizeof(s->names) - used, "%s%s%s", used ? " " : "", c->boot ? "boot:" : "", c->name);
	s->state = c->state;
	return ++s->count == s->stop_at ? 77 : 0;
}

static int walk(struct fake_code *f, struct seen *s)
{
	*s = (struct seen){.stop_at = s->stop_at};
	return hotspot_each_class(&f->layout, &f->mem, on_class, s);
}

static uint64_t add(struct fake_code *f, uint64_t loader, const char *name)
{
	return fake_class_add(f, &(struct fake_class){.name = name, .loader = loader});
}

static struct fake_code the;

static int setup(void **state)
{
	fake_classes_init(&the, FAKE_17);
	return 0;
}

static int teardown(void **state)
{
	fake_code_release(&the);
	return 0;
}

CASE(each_class_of_each_loader_is_reported_newest_first, setup, teardown)
{
	struct seen s = {.count = 0};
	uint64_t boot, app;

	assert_int_equal(walk(&the, &s), 0);
	assert_string_equal(s.names, "");
	boot = fake_loader_add(&the, NULL, NULL);
	app = fake_loader_add(&the, "a/Loader", "app");
	add(&the, boot, OBJECT);
	add(&the, app, "a/B");
	fake_array_add(&the, app);
	add(&the, app, "a/C");
	assert_int_equal(walk(&the, &s), 0);
	assert_string_equal(s.names, "a/C a/B boot:" OBJECT);
	s.stop_at = 2;
	assert_int_equal(walk(&the, &s), 77);
	assert_string_equal(s.names, "a/C a/B");
}

CASE(class_being_created_is_not_reported, setup, teardown)
{
	struct seen s = {.count = 0};
	uint64_t boot, klass;

	boot = fake_loader_add(&the, NULL, NULL);
	add(&the, boot, OBJECT);
	klass = add(&the, boot, "a/New");
	fake_set(&the, klass + the.layout.klass_state, 0, 1);
	fake_set(&the, klass + the.layout.walk.klass_name, 0, 8);
	assert_int_equal(walk(&the, &s), 0);
	assert_string_equal(s.names, "boot:" OBJECT);
	fake_set(&the, klass + the.layout.klass_shape, 0, 4);
	assert_int_equal(walk(&the, &s), 0);
}

CASE(circles_and_foreign_classes_end_the_walk, setup, teardown)
{
	struct seen s = {.count = 0};
	uint64_t boot, app, a, b;

	boot = fake_loader_add(&the, NULL, NULL);
	app = fake_loader_add(&the, "a/Loader", NULL);
	a = add(&the, boot, "a/A");
	b = add(&the, boot, "a/B");
	fake_set(&the, a + the.layout.klass_next, b, 8);
	assert_int_equal(walk(&the, &s), -EAGAIN);
	fake_set(&the, a + the.layout.klass_next, 0, 8);
	fake_set(&the, boot + the.layout.loader_next, app, 8);
	assert_int_equal(walk(&the, &s), -EAGAIN);
	fake_set(&the, boot + the.layout.loader_next, 0, 8);
	assert_int_equal(walk(&the, &s), 0);
	fake_set(&the, a + the.layout.klass_loader_data, app, 8);
	assert_int_equal(walk(&the, &s), -EAGAIN);
	fake_set(&the, a + the.layout.klass_loader_data, boot, 8);
	fake_set(&the, b + the.layout.klass_next, 0xdead, 8);
	assert_int_equal(walk(&the, &s), -EAGAIN);
	fake_set(&the, b + the.layout.klass_next, a, 8);
	fake_set(&the, a + the.layout.walk.klass_name, fake_code_symbol(&the, "no;name"), 8);
	assert_int_equal(walk(&the, &s), -EAGAIN);
}

CASE(any_failed_read_ends_the_walk, setup, teardown)
{
	struct seen s = {.count = 0};
	uint64_t boot;
	unsigned int reads;

	the.spread = true;
	boot = fake_loader_add(&the, NULL, NULL);
	add(&the, boot, "a/A");
	add(&the, boot, "a/B");
	assert_int_equal(walk(&the, &s), 0);
	reads = the.reads;
	for (unsigned int i = 1; i <= reads; i++) {
		the.reads = 0;
		the.fail_first = i;
		the.fail_last = i + 1; /* a page, and the fallback */
		assert_int_not_equal(walk(&the, &s), 0);
	}
}

CASE(layout_without_classes_is_refused, setup, teardown)
{
	struct seen s = {.count = 0};

	the.layout.without = HOTSPOT_NO_CLASSES;
	assert_int_equal(walk(&the, &s), -ENOTSUP);
	the.layout.without = HOTSPOT_NO_LOADERS;
	assert_int_equal(walk(&the, &s), -ENOTSUP);
	the.layout.without = HOTSPOT_NO_LINES | HOTSPOT_NO_UPCALLS;
	assert_int_equal(walk(&the, &s), 0);
}

CASE(missing_memory_is_reported)
{
	struct seen s = {.count = 0};
	struct fake_code f;
	unsigned int n = 0;
	int r;

	fail_nth_or_skip();
	fake_classes_init(&f, FAKE_17);
	add(&f, fake_loader_add(&f, NULL, NULL), "a/A");
	do {
		fail_nth(++n);
		r = walk(&f, &s);
		assert_int_equal(r, fail_nth_happened() ? -ENOMEM : 0);
	} while (fail_nth_end());
	assert_true(n > 2);
	fake_code_release(&f);
}
