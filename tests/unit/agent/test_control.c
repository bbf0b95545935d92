// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rows that the agent enters into the control segment, read back by the collector's readers. All tests share one
 * segment.
 */
#include "uprobes/agent/control.h"
#include "user/segment/segment.h"
#include "tests/lib/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static struct segment seg;

static void assert_string(uint32_t number, const char *want)
{
	char out[256];

	segment_string(&seg, number, out, sizeof(out));
	assert_string_equal(out, want);
}

CASE(segment_is_sealed_and_opened_by_its_name)
{
	struct target t = {.pid = getpid(), .ns_pid = getpid(), .pidfd = -1};
	struct diag d = {0};

	assert_false(control_create("a tag of 16 char"));
	assert_true(control_create("unit"));
	assert_int_equal(segment_open(&seg, &t, "unit", &d), 0); /* checks size, seals, magic number */
	assert_true(fcntl(seg.fd, F_GETFD) >= 0);
	assert_string_equal(segment_header(&seg)->tag, "unit");
	assert_int_equal(segment_header(&seg)->pid, getpid());
	assert_int_equal(segment_loader(&seg, FRT_BOOT_LOADER)->state, FRT_LOADER_READY);
	assert_null(segment_loader(&seg, 1));
	assert_null(segment_class(&seg, 1));
}

CASE(class_is_entered_once_for_each_loader)
{
	uint32_t loader = control_loader(slice_of("com/acme/Loader"), slice_of("app"));
	uint32_t a = control_class(slice_of("com/acme/Cart"), 0, 1),
		 b = control_class(slice_of("com/acme/Cart"), loader, 1);

	assert_true(a && b && a != b);
	assert_int_equal(control_class(slice_of("com/acme/Cart"), 0, 1), a);
	assert_int_equal(control_class(slice_of("com/acme/Cart"), loader, 1), b);
	assert_string(segment_class(&seg, b)->name, "com/acme/Cart");
	assert_int_equal(segment_class(&seg, b)->loader, loader);
	assert_int_equal(segment_class(&seg, a)->name, segment_class(&seg, b)->name); /* one string */
	assert_string(segment_loader(&seg, loader)->type, "com/acme/Loader");
	assert_string(segment_loader(&seg, loader)->name, "app");
	assert_ptr_equal(control_find_class(slice_of("com/acme/Cart"), loader), control_class_row(b));
	assert_null(control_find_class(slice_of("com/acme/Other"), 0));
	assert_null(control_find_class(slice_of("com/acme/Cart"), 77));
}

CASE(method_is_entered_once_by_class_name_and_descriptor)
{
	uint32_t c = control_class(slice_of("a/M"), 0, 1), other = control_class(slice_of("a/N"), 0, 1);
	uint32_t m = control_method(c, slice_of("run"), slice_of("()V"), 9);

	assert_true(m);
	assert_int_equal(control_method(c, slice_of("run"), slice_of("()V"), 9), m);
	assert_int_not_equal(control_method(c, slice_of("run"), slice_of("(I)V"), 9), m);
	assert_int_not_equal(control_method(c, slice_of("runs"), slice_of("()V"), 9), m);
	assert_int_not_equal(control_method(other, slice_of("run"), slice_of("()V"), 9), m);
	assert_string(segment_method(&seg, m)->name, "run");
	assert_string(segment_method(&seg, m)->descriptor, "()V");
	assert_int_equal(segment_method(&seg, m)->class_id, c);
	assert_int_equal(segment_method(&seg, m)->modifiers, 9);
}

CASE(text_has_a_length_and_no_terminator)
{
	uint32_t a = control_class((struct slice){"a/LongName", 6}, 0, 0);

	assert_string(segment_class(&seg, a)->name, "a/Long");
	assert_int_equal(control_class(slice_of("a/Long"), 0, 0), a);
}

CASE(loader_without_a_name_has_none)
{
	uint32_t a = control_loader(slice_of("a/L"), slice_of(NULL)),
		 b = control_loader(slice_of("a/L"), slice_of(NULL));

	assert_int_not_equal(a, b); /* two of the same class are two */
	assert_int_equal(segment_loader(&seg, a)->name, 0);
}

CASE(known_skip_is_not_entered_again)
{
	control_reset_skips(0);
	for (int i = 0; i < 3; i++) {
		control_skip(1, slice_of("a/B"), slice_of("run"), slice_of("()V"), FRT_SKIP_NATIVE);
		control_skip(1, slice_of("a/B"), slice_of(NULL), slice_of(NULL), FRT_SKIP_HIDDEN);
	}
	assert_non_null(segment_skip(&seg, 1));
	assert_null(segment_skip(&seg, 2));
	assert_string(segment_skip(&seg, 0)->class_name, "a/B");
	assert_string(segment_skip(&seg, 0)->method, "run");
	assert_int_equal(segment_skip(&seg, 1)->method, 0);
	assert_int_equal(segment_skip(&seg, 1)->reason, FRT_SKIP_HIDDEN);
	control_reset_skips(0);
	assert_null(segment_skip(&seg, 0));
}

CASE(unhooking_a_class_leaves_others_hooked)
{
	uint32_t a = control_class(slice_of("u/A"), 0, 0), b = control_class(slice_of("u/B"), 0, 0);
	uint32_t m = control_method(a, slice_of("m"), slice_of("()V"), 0),
		 n = control_method(b, slice_of("m"), slice_of("()V"), 0),
		 later = control_method(a, slice_of("later"), slice_of("()V"), 0);

	control_method_row(later)->flags = FRT_METHOD_HOOKED;
	control_class_row(a)->flags = control_class_row(b)->flags = FRT_CLASS_REWRITTEN | FRT_CLASS_SEEN;
	control_method_row(m)->flags = control_method_row(n)->flags = FRT_METHOD_HOOKED | FRT_METHOD_LOWER_BOUND;
	control_unhook_class(a);
	assert_int_equal(control_class_row(a)->flags, FRT_CLASS_SEEN);
	assert_int_equal(control_method_row(m)->flags, FRT_METHOD_LOWER_BOUND);
	assert_int_equal(control_method_row(later)->flags, 0);
	assert_int_equal(control_class_row(b)->flags, FRT_CLASS_REWRITTEN | FRT_CLASS_SEEN);
	assert_int_equal(control_method_row(n)->flags, FRT_METHOD_HOOKED | FRT_METHOD_LOWER_BOUND);
}

CASE(message_is_cut_to_its_buffer)
{
	char text[1000];

	memset(text, 'm', sizeof(text));
	text[999] = 0;
	control_say(text);
	assert_int_equal(strlen(control->message), sizeof(control->message) - 1);
	assert_int_equal(control->recording[0].owner.pid, 0);
	control_say("short");
	assert_string_equal(control->message, "short");
}

enum { THREADS = 4, NAMES = 4000 };
static uint32_t ids[THREADS][NAMES];
static pthread_barrier_t together;

static void *enter_names(void *argument)
{
	uint32_t *mine = ids[(uintptr_t)argument];
	char name[32];

	pthread_barrier_wait(&together);
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "threads/C%d", i);
		mine[i] = control_method(control_class(slice_of(name), 0, 0), slice_of(name), slice_of("()V"), 0);
	}
	return NULL;
}

CASE(threads_that_enter_equal_rows_get_the_same_number)
{
	uint32_t before = control->methods;
	pthread_t t[THREADS];

	pthread_barrier_init(&together, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, enter_names, (void *)i), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(control->methods, before + NAMES);
	for (int i = 1; i < THREADS; i++)
		assert_memory_equal(ids[i], ids[0], sizeof(ids[0]));
}

CASE(colliding_names_get_different_rows)
{
	char name[16], out[16];

	for (uint32_t i = 6000; i-- > 0;) { /* the longer first: a shorter one is its prefix */
		uint32_t id[3];

		snprintf(name, sizeof(name), "c%u", i);
		for (uint32_t loader = 0; loader < 3; loader++) {
			id[loader] = control_class(slice_of(name), loader, 0);
			assert_int_equal(id[loader], control->classes);
			assert_int_equal(control_class_row(id[loader])->loader, loader);
		}
		segment_string(&seg, control_class_row(id[0])->name, out, sizeof(out));
		assert_string_equal(out, name);
		assert_ptr_equal(control_find_class(slice_of(name), 1), control_class_row(id[1]));
	}
}

/* The last tests, because they fill the tables. */
CASE(loaders_beyond_the_table_are_refused)
{
	while (control->loaders < FRT_MAX_LOADERS)
		assert_true(control_loader(slice_of("a/L"), slice_of("x")));
	assert_int_equal(control_loader(slice_of("a/L"), slice_of("x")), 0);
	assert_int_equal(control->loaders, FRT_MAX_LOADERS);
}

CASE(skips_beyond_the_table_are_dropped)
{
	uint32_t strings;
	char name[32];

	for (uint32_t i = 0; i < FRT_MAX_SKIPS + 10; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		control_skip(1, slice_of("a/B"), slice_of(name), slice_of("()V"), FRT_SKIP_NATIVE);
	}
	assert_int_equal(control->recording[0].skips, FRT_MAX_SKIPS);
	strings = control->strings;
	control_skip(1, slice_of("a/B"), slice_of("beyond"), slice_of("()V"), FRT_SKIP_NATIVE);
	assert_int_equal(control->strings, strings); /* no room is lost for what is dropped */
	control_skip(3, slice_of("a/B"), slice_of("beyond"), slice_of("()V"), FRT_SKIP_NATIVE);
	assert_int_equal(control->recording[1].skips, 1);
	assert_int_equal(((struct frt_thread *)control_at(FRT_THREADS_AT))->serial, 0); /* the memory after them */
}

CASE(methods_beyond_the_table_are_refused_and_others_are_still_found)
{
	uint32_t c = control_class(slice_of("full/M"), 0, 0), first = 0, strings, id;
	char name[32], type[32];

	for (uint32_t i = 0;; i++) { /* few strings, many methods */
		snprintf(name, sizeof(name), "m%u", i / 300);
		snprintf(type, sizeof(type), "(%u)", i % 300);
		id = control_method(c, slice_of(name), slice_of(type), 0);
		if (!id)
			break;
		assert_int_equal(id, control->methods); /* a new one, whatever it collides with */
		first = first ? first : id;
	}
	assert_int_equal(control->methods, FRT_MAX_METHODS - 1);
	assert_int_equal(control_method(c, slice_of("m0"), slice_of("(0)"), 0), first);
	strings = control->strings;
	assert_int_equal(control_method(c, slice_of("a new name"), slice_of("(a new type)"), 0), 0);
	assert_int_equal(control->strings, strings);
}

CASE(classes_and_strings_beyond_their_tables_are_refused)
{
	char name[2001];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 2] = 0;
	for (uint32_t i = 0; i < FRT_MAX_CLASSES + 100; i++) {
		name[snprintf(name, 12, "%08u", i)] = 'n';
		control_class(slice_of(name), 0, 0);
	}
	assert_true(control->strings <= FRT_STRINGS_SIZE);
	assert_true(control->strings > FRT_STRINGS_SIZE - 3000);
	assert_true(control->classes < FRT_MAX_CLASSES);
	for (uint32_t loader = 1; control_class(slice_of("a/B"), loader, 0);)
		loader++;
	assert_int_equal(control->classes, FRT_MAX_CLASSES - 1);
	assert_int_equal(control->slots, 0);
	assert_int_equal(control_slot(0)->head, 0); /* the memory after the strings */
	assert_int_equal(control_class(slice_of(strcat(name, "!")), 0, 0), 0);
	assert_int_not_equal(control_class(slice_of("com/acme/Cart"), 0, 1), 0);
}

static int teardown(void **state)
{
	segment_close(&seg);
	return 0;
}

CASE(full_heap_of_strings_is_crowded)
{
	uint32_t classes = control->classes, methods = control->methods, loaders = control->loaders;

	control->classes = control->methods = control->loaders = 1;
	assert_true(control->strings > FRT_STRINGS_SIZE / 2);
	assert_true(control_is_crowded());
	control->classes = classes;
	control->methods = methods;
	control->loaders = loaders;
}

CASE(crowded_tables_are_emptied_unless_a_live_class_has_hooks)
{
	bool alive[FRT_MAX_LOADERS] = {true};
	uint32_t used = segment_header(&seg)->loaders, dead, last;
	struct frt_class *c = control_class_row(1), *left = control_find_class(slice_of("com/acme/Cart"), 1),
			 *gone = control_class_row(control->classes);

	assert_non_null(left);
	assert_true(control_is_crowded());
	for (uint32_t i = 1; i <= segment_header(&seg)->classes; i++)
		control_class_row(i)->flags = 0;
	c->flags = FRT_CLASS_REWRITTEN;
	c->loader = FRT_BOOT_LOADER;
	assert_false(control_forget(alive));
	assert_int_equal(control_class(slice_of("com/acme/Late"), 0, 1), 0);
	c->loader = 2; /* its loader is gone */
	alive[1] = true;
	left->flags = gone->flags = FRT_CLASS_REWRITTEN | FRT_CLASS_MOUNTS | FRT_CLASS_SEEN;
	gone->loader = 2;
	assert_false(control_forget(alive));
	control_leave_class(left - control_class_row(0));
	control_leave_class(gone - control_class_row(0));
	assert_int_equal(left->flags, FRT_CLASS_LEFT | FRT_CLASS_SEEN);
	assert_true(control_forget(alive));
	assert_false(control_is_crowded());
	assert_int_equal(segment_header(&seg)->classes, 1); /* ClassPrepare may still find it, by its name and loader */
	assert_string(segment_class(&seg, 1)->name, "com/acme/Cart");
	assert_ptr_equal(control_find_class(slice_of("com/acme/Cart"), 1), control_class_row(1));
	assert_int_equal(segment_class(&seg, 1)->flags, FRT_CLASS_LEFT);
	assert_string(segment_loader(&seg, 1)->type, "com/acme/Loader"); /* the strings are new, too */
	assert_string(segment_loader(&seg, 1)->name, "app");
	assert_in_range(control->strings, 1, 100);
	assert_null(segment_method(&seg, 1));
	assert_null(control_find_class(slice_of("com/acme/Cart"), 0));
	assert_int_equal(control_class(slice_of("com/acme/Late"), 0, 1), 2); /* refused above */
	assert_string(segment_class(&seg, 2)->name, "com/acme/Late");
	assert_int_equal(segment_class(&seg, 2)->flags, 0);
	assert_int_equal(control_method(2, slice_of("work"), slice_of("()V"), 1), 1);
	control_unhook_class(2); /* works with the new methods only */
	dead = control_loader(slice_of("com/acme/Loader"), slice_of(NULL));
	assert_true(dead > 1 && dead < used);
	assert_string(segment_loader(&seg, dead)->type, "com/acme/Loader");
	assert_int_equal(segment_loader(&seg, dead)->state, FRT_LOADER_NEW);
	for (last = dead; (dead = control_loader(slice_of("com/acme/Loader"), slice_of(NULL))); last = dead)
		assert_int_not_equal(dead, 1);
	assert_int_equal(last, FRT_MAX_LOADERS - 1);
}

int main(void)
{
	return test_main(NULL, teardown);
}
