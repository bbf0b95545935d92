// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks go in as rows of a segment made by hand, the file is read with the
 * independent dissector. The resolver is answered here (wrapped by the linker): a
 * raw frame's code says which methods it stands for.
 */
#include "user/stacks/frames.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"

#include "tests/lib/recording.h"
#include "tests/lib/wrap.h"

static struct bench {
	struct segment segment;
	struct recording recording;
	struct method_keys *methods;
	struct frames *frames;
	struct budget *budget; /* NULL: without end */
	uint32_t traced;       /* com.acme.Cart.checkout() */
} *b;

static struct diag d;
static unsigned int resolved; /* calls of the resolver */

#define METHOD(n, class_text, name_text, ...) \
	{.number = n, .class_name = class_text, .name = name_text, .descriptor = "()V", .modifiers = 1, __VA_ARGS__}

static const struct resolved_method checkout =
	METHOD(1, "com/acme/Cart", "checkout", .loader = 0xcafe, .loader_type = "com/acme/Loader");
static const struct resolved_method caller = METHOD(2, "com/acme/Shop", "buy", .loader = 0xcafe);
static const struct resolved_method run = METHOD(3, "java/lang/Thread", "run");
static const struct resolved_method enter = METHOD(4, "jdk/internal/vm/Continuation", "enter");
static const struct resolved_method special = METHOD(5, "jdk/internal/vm/Continuation", "enterSpecial");
static const struct resolved_method lambda = METHOD(6, "a/B$$Lambda+0x0000000098041000", "run", .class_hidden = true);
static const struct resolved_method far_away = METHOD(5000, "a/B", "far");

/* What frames may stand for; their codes are indices. Others cannot be told. */
enum { CHECKOUT = 1, BUY, RUN, CHECKOUT_IN_BUY, ENTER, SPECIAL, FAR, HIDDEN, DEEP };

static const struct resolved_frame deep[] = {
	{&run, 1, 1, RESOLVED_INLINED}, {&run, 2, 1, RESOLVED_INLINED}, {&run, 3, 1, RESOLVED_INLINED},
	{&run, 4, 1, RESOLVED_INLINED}, {&run, 5, 1, RESOLVED_JIT},
};

static const struct answer {
	size_t count;
	struct resolved_frame frame[2];
} answers[] = {
	[CHECKOUT] = {1, {{&checkout, 42, 7, RESOLVED_JIT}}},
	[BUY] = {1, {{&caller, 11, 3, RESOLVED_INTERPRETED}}},
	[RUN] = {1, {{&run, -1, 0, RESOLVED_NATIVE}}},
	[CHECKOUT_IN_BUY] = {2, {{&checkout, 42, 7, RESOLVED_INLINED}, {&caller, 12, 5, RESOLVED_JIT}}},
	[ENTER] = {1, {{&enter, 400, 1, RESOLVED_JIT}}},
	[SPECIAL] = {1, {{&special, -1, 0, RESOLVED_NATIVE}}},
	[HIDDEN] = {1, {{&lambda, -1, 1, RESOLVED_INTERPRETED}}},
	[FAR] = {1, {{&far_away, 1, 1, RESOLVED_JIT}}},
};

WRAP(size_t, resolver_frame, struct resolver *r, const struct frt_frame *f, const struct resolved_frame **out,
     enum resolved_failure *why)
{
	resolved++;
	*why = RESOLVE_CHANGED;
	*out = f->code == DEEP ? deep : f->code < DEEP ? answers[f->code].frame : NULL;
	return f->code == DEEP ? 5 : f->code < DEEP ? answers[f->code].count : 0;
}

static void make_frames(uint32_t depth)
{
	struct frames_setup s = {
		.methods = b->methods, .resolver = (struct resolver *)b, .depth = {depth, depth}, .budget = b->budget};

	frames_free(b->frames);
	assert_int_equal(frames_new(&b->frames, &s, &d), 0);
	frames_next_chunk(b->frames);
}

static int setup(void **state)
{
	uint32_t class_id;

	b = calloc(1, sizeof(*b));
	b->segment = fake_segment_new();
	class_id = fake_class(&b->segment, "com/acme/Cart", fake_loader(&b->segment, "com/acme/Loader", NULL), 0);
	b->traced = fake_method(&b->segment, class_id, "checkout", "()V", FRT_METHOD_HOOKED);
	b->recording = recording_new();
	b->methods = malloc(sizeof(*b->methods));
	method_keys_init(b->methods, b->recording.w, &b->segment);
	make_frames(64);
	recording_begin(&b->recording);
	resolved = 0;
	return 0;
}

static int teardown(void **state)
{
	frames_free(b->frames);
	method_keys_release(b->methods);
	free(b->methods);
	recording_free(&b->recording);
	fake_segment_free(&b->segment);
	free(b);
	return 0;
}

static uint32_t stack_of(uint8_t end, uint8_t flags, unsigned int count, const unsigned int *codes)
{
	struct frt_frame frames[STACK_MOST];

	for (unsigned int i = 0; i < count; i++)
		frames[i] = (struct frt_frame){.code = codes[i], .kind = FRT_FRAME_COMPILED};
	return fake_stack(&b->segment, frames, count, end, flags);
}
#define STACK(end, flags, ...)                                                             \
	stack_of(end, flags, sizeof((unsigned int[]){__VA_ARGS__}) / sizeof(unsigned int), \
		 (unsigned int[]){__VA_ARGS__})

static uint64_t key_of(uint32_t id)
{
	return frames_key(b->frames, FRAMES_AGENTS, id, b->traced);
}

static void begin_chunk(void)
{
	recording_begin(&b->recording);
	frames_next_chunk(b->frames);
}

static struct frames_counts counts(void)
{
	struct frames_counts c;

	frames_count(b->frames, &c);
	return c;
}

static void record(uint64_t key)
{
	recording_call_from(&b->recording, key, method_keys_traced(b->methods, b->traced));
}

static const char *text_at(const struct dissect_event *e, unsigned int i, const char *path)
{
	char whole[64];

	snprintf(whole, sizeof(whole), "stackTrace.frames.%u.%s", i, path);
	return dissect_text(b->recording.d, e, whole);
}

static int number_at(const struct dissect_event *e, unsigned int i, const char *path)
{
	char whole[64];

	snprintf(whole, sizeof(whole), "stackTrace.frames.%u.%s", i, path);
	return event_number(&b->recording, e, whole);
}

/* "Class.method:line@bci/type Class.method... +" of the nth call; + when it is truncated, "null" for no stack. */
static const char *stack_text(unsigned int n)
{
	static char text[8192];
	const struct dissect_event *e = dissect_find(b->recording.d, TRACE, n);
	size_t used = 0;
	int64_t count;

	assert_non_null(e);
	if (!dissect_number(b->recording.d, e, "stackTrace.frames", &count))
		return "null";
	for (unsigned int i = 0; i < count; i++)
		used += snprintf(text + used, sizeof(text) - used, "%s%s.%s:%d@%d/%.3s", i ? " " : "",
				 text_at(e, i, "method.type.name"), text_at(e, i, "method.name"),
				 number_at(e, i, "lineNumber"), number_at(e, i, "bytecodeIndex"),
				 text_at(e, i, "type"));
	if (event_number(&b->recording, e, "stackTrace.truncated"))
		snprintf(text + used, sizeof(text) - used, " +");
	return text;
}

#define UNKNOWN "<unknown>.<unknown>:-1@-1/Unk"

/* Record a call with that stack, read the file, give its text. */
static const char *text_of(uint32_t id)
{
	record(key_of(id));
	recording_end(&b->recording, true);
	recording_read(&b->recording);
	return stack_text(0);
}

#define BUYS   "com/acme/Shop.buy:11@3/Int"
#define RUNS   "java/lang/Thread.run:-1@0/Nat"
#define ENTERS "jdk/internal/vm/Continuation.enter:400@1/JIT"
#define BOTTOM "jdk/internal/vm/Continuation.enterSpecial:-1@0/Nat"

#define CODES(...) {__VA_ARGS__}
#define WHOLE	   FRT_WALK_BOTTOM
#define INCLUSIVE  FRT_STACK_INCLUSIVE

static const struct row {
	const char *name;
	uint8_t end, flags;
	unsigned int codes[6]; /* up to a 0 */
	uint32_t depth;	       /* 0: 64 */
	uint64_t cut, unknown, mismatched;
	const char *text;
} rows[] = {
	{"frames_become_methods_and_lines", WHOLE, 0, CODES(BUY, CHECKOUT, RUN),
	 .text = BUYS " com/acme/Cart.checkout:42@7/JIT " RUNS},
	{"number_of_a_method_may_be_any", WHOLE, 0, CODES(FAR), .text = "a/B.far:1@1/JIT"},
	{"traced_method_at_the_top_is_left_out", WHOLE, INCLUSIVE, CODES(CHECKOUT_IN_BUY, RUN),
	 .text = "com/acme/Shop.buy:12@5/JIT " RUNS},
	{"top_that_is_not_the_traced_method_makes_the_stack_unknown", WHOLE, INCLUSIVE, CODES(BUY, RUN),
	 .mismatched = 1, .text = UNKNOWN " +"},
	{"unknown_frames_are_shown_and_counted", WHOLE, 0, CODES(BUY, 1000, RUN), .unknown = 1,
	 .text = BUYS " " UNKNOWN " " RUNS},
	{"unknown_code_at_the_top_may_have_had_callers_inlined", WHOLE, INCLUSIVE, CODES(1000, RUN), .unknown = 1,
	 .text = UNKNOWN " " RUNS},
	/* as JEP 520 shows it: seen on JDK 25 */
	{"carrier_of_a_virtual_thread_is_no_part_of_its_stack", FRT_WALK_CODE, 0, CODES(BUY, ENTER, SPECIAL, RUN, RUN),
	 .text = BUYS " " ENTERS " " BOTTOM},
	{"walk_that_ends_above_a_virtual_thread_s_entry_is_completed", WHOLE, 0, CODES(BUY, ENTER),
	 .text = BUYS " " ENTERS " " BOTTOM},
	{"cut_walk_of_a_virtual_thread_is_not_completed", FRT_WALK_CHUNK, 0, CODES(BUY, ENTER), .cut = 1,
	 .text = BUYS " " ENTERS " +"},
	{"entry_of_a_virtual_thread_counts_for_the_depth", WHOLE, 0, CODES(BUY, ENTER), .depth = 2,
	 .text = BUYS " " ENTERS " +"},
	{"early_ends_are_truncated_and_counted", FRT_WALK_CHUNK, 0, CODES(BUY), .cut = 1, .text = BUYS " +"},
	{"depth_is_truncated_and_not_counted", FRT_WALK_DEPTH, 0, CODES(BUY), .text = BUYS " +"},
	{"end_that_is_not_known_is_counted", 99, 0, CODES(BUY), .cut = 1, .text = BUYS " +"},
	{"inlined_methods_count_for_the_depth", WHOLE, 0, CODES(BUY, DEEP, RUN), .depth = 3,
	 .text = BUYS " java/lang/Thread.run:1@1/Inl java/lang/Thread.run:2@1/Inl +"},
	{"stack_of_just_the_depth_is_whole", WHOLE, 0, CODES(BUY, RUN), .depth = 2, .text = BUYS " " RUNS},
	{"whole_stack_without_frames_is_none", WHOLE, INCLUSIVE, CODES(CHECKOUT), .text = "null"},
	{"cut_stack_without_frames_is_not_none", FRT_WALK_UNREADABLE, 0, CODES(0), .cut = 1, .text = UNKNOWN " +"},
};

CASES(stack_has_a_text, rows, setup, teardown)
{
	unsigned int count = 0;

	if (row->depth)
		make_frames(row->depth);
	while (row->codes[count])
		count++;
	assert_string_equal(text_of(stack_of(row->end, row->flags, count, row->codes)), row->text);
	assert_int_equal(counts().stacks, 1);
	assert_int_equal(counts().cut[row->end < FRT_WALK_ENDS ? row->end : FRT_WALK_ENDS], row->cut);
	assert_int_equal(counts().unknown[RESOLVE_CHANGED], row->unknown);
	assert_int_equal(counts().mismatched, row->mismatched);
}

CASE(top_is_compared_with_each_method_that_names_the_stack, setup, teardown)
{
	uint32_t id = STACK(FRT_WALK_BOTTOM, FRT_STACK_INCLUSIVE, CHECKOUT, RUN);
	uint64_t good = key_of(id), bad = frames_key(b->frames, FRAMES_AGENTS, id, b->traced + 1);

	assert_int_not_equal(good, bad);
	assert_int_equal(key_of(id), good);
	assert_int_equal(frames_key(b->frames, FRAMES_AGENTS, id, b->traced + 1), bad);
}

CASE(top_is_not_compared_for_a_stack_of_no_span, setup, teardown)
{
	uint32_t id = STACK(FRT_WALK_BOTTOM, FRT_STACK_INCLUSIVE, CHECKOUT, RUN);

	record(frames_key(b->frames, FRAMES_AGENTS, id, FRT_NO_METHOD));
	recording_end(&b->recording, true);
	recording_read(&b->recording);
	assert_string_equal(stack_text(0), RUNS);
	assert_int_equal(counts().mismatched, 0);
}

CASE(virtual_thread_that_the_agent_has_named_is_completed_too, setup, teardown)
{
	uint32_t class_id = fake_class(&b->segment, "jdk/internal/vm/Continuation", FRT_BOOT_LOADER, 0);
	uint32_t id = fake_method(&b->segment, class_id, "enter", "(Ljdk/internal/vm/Continuation;Z)V", 0);
	struct frt_frame f = {.kind = FRT_FRAME_NAMED, .code = id, .at = 1ULL << 32 | 400};

	assert_string_equal(text_of(fake_stack(&b->segment, &f, 1, FRT_WALK_BOTTOM, 0)),
			    "jdk/internal/vm/Continuation.enter:400@1/Unk " BOTTOM);
}

CASE(hidden_class_is_named_as_jfr_does, setup, teardown)
{
	assert_string_equal(text_of(STACK(FRT_WALK_BOTTOM, 0, HIDDEN)), "a/B$$Lambda/0x0000000098041000.run:-1@1/Int");
	assert_int_equal(event_number(&b->recording, dissect_find(b->recording.d, TRACE, 0),
				      "stackTrace.frames.0.method.hidden"),
			 1);
}

static void assert_named_by_jvmti(const char *name, const char *shown, bool hidden)
{
	uint32_t class_id = fake_class(&b->segment, name, FRT_BOOT_LOADER, 0);
	uint32_t id = fake_method(&b->segment, class_id, "run", "()V", 0);
	struct frt_frame f = {.kind = FRT_FRAME_NAMED, .code = id, .at = 1ULL << 32 | UINT32_MAX};

	assert_string_equal(text_of(fake_stack(&b->segment, &f, 1, FRT_WALK_BOTTOM, 0)), shown);
	assert_int_equal(event_number(&b->recording, dissect_find(b->recording.d, TRACE, 0),
				      "stackTrace.frames.0.method.hidden"),
			 hidden);
}

CASE(hidden_class_that_jvmti_named_is_named_as_jfr_does, setup, teardown)
{
	assert_named_by_jvmti("a/B$$Lambda.0x0000000098041000", "a/B$$Lambda/0x0000000098041000.run:-1@1/Unk", true);
}

CASE(class_of_a_lambda_before_jdk_15_is_hidden, setup, teardown)
{
	assert_named_by_jvmti("a/B$$Lambda$17/1067938912", "a/B$$Lambda$17/1067938912.run:-1@1/Unk", true);
}

CASE(class_with_digits_in_its_name_is_not_hidden, setup, teardown)
{
	assert_named_by_jvmti("a/B1/C2", "a/B1/C2.run:-1@1/Unk", false);
}

CASE(call_by_the_vm_has_no_stack, setup, teardown)
{
	assert_string_equal(text_of(0), "null");
}

CASE(lost_stack_is_unknown, setup, teardown)
{
	assert_string_equal(text_of(FRT_STACK_LOST), UNKNOWN " +");
	assert_int_equal(counts().missing, 0);
}

CASE(stack_that_was_not_taken_is_unknown_and_no_loss, setup, teardown)
{
	assert_string_equal(text_of(FRT_STACK_UNTAKEN), UNKNOWN " +");
	assert_int_equal(counts().missing + counts().behind, 0);
}

CASE(stack_that_is_nowhere_is_unknown_and_counted, setup, teardown)
{
	assert_string_equal(text_of(77), UNKNOWN " +");
	key_of(77);
	assert_int_equal(counts().missing, 2);
}

static uint32_t named(uint64_t method, uint64_t bci, uint32_t line)
{
	struct frt_frame f = {.kind = FRT_FRAME_NAMED, .code = method, .at = bci << 32 | line};

	return fake_stack(&b->segment, &f, 1, FRT_WALK_BOTTOM, 0);
}

CASE(frames_that_the_agent_has_named_need_no_resolver, setup, teardown)
{
	assert_string_equal(text_of(named(b->traced, 5, 42)), "com/acme/Cart.checkout:42@5/Unk");
	assert_int_equal(resolved, 0);
}

CASE(named_native_method_is_as_jfr_has_it, setup, teardown)
{
	uint32_t id = fake_method(&b->segment, 1, "n", "()V", 0);

	((struct frt_method *)(b->segment.base + FRT_METHODS_AT))[id].modifiers = 0x0100;
	assert_string_equal(text_of(named(id, UINT32_MAX, UINT32_MAX)), "com/acme/Cart.n:-1@0/Nat");
}

CASE(forged_name_is_unknown, setup, teardown)
{
	assert_string_equal(text_of(named(UINT64_MAX, 5, 42)), UNKNOWN);
	assert_int_equal(counts().unknown[RESOLVE_CORRUPT], 1);
}

CASE(name_that_found_no_room_in_the_agents_table_is_unknown, setup, teardown)
{
	assert_string_equal(text_of(named(0, 5, 42)), UNKNOWN);
	assert_int_equal(counts().unknown[RESOLVE_MEMORY], 1);
	assert_int_equal(counts().unknown[RESOLVE_CORRUPT], 0);
}

/* Its key is known from the first stack, its row is gone when the second one comes. */
CASE(named_frame_of_a_table_that_was_emptied_is_unknown, setup, teardown)
{
	struct frt_header *h = segment_header(&b->segment);

	assert_true(key_of(named(b->traced, 5, 42)));
	h->classes = 0;
	assert_true(key_of(named(b->traced, 6, 42)));
	assert_int_equal(counts().unknown[RESOLVE_CORRUPT], 1);
	h->methods = 0;
	assert_string_equal(text_of(named(b->traced, 7, 42)), UNKNOWN);
	assert_int_equal(counts().unknown[RESOLVE_CORRUPT], 2);
}

CASE(stacks_beyond_the_budget_are_taken_in_the_next_round, setup, teardown)
{
	struct budget budget = {.left_ns = 0};
	uint32_t id;

	b->budget = &budget;
	make_frames(64);
	id = STACK(FRT_WALK_BOTTOM, 0, BUY);
	assert_false(frames_read(b->frames, false));
	assert_true(frames_behind(b->frames));
	key_of(id); /* a span that cannot wait */
	assert_int_equal(resolved, 0);
	assert_int_equal(counts().behind, 1);
	assert_int_equal(counts().missing, 0);
	budget_set(&budget, 1000000000);
	assert_true(frames_read(b->frames, false));
	assert_false(frames_behind(b->frames));
	assert_string_equal(text_of(id), BUYS);
}

CASE(stacks_keep_their_frames_when_the_resolver_forgets, setup, teardown)
{
	uint32_t id = STACK(FRT_WALK_BOTTOM, FRT_STACK_INCLUSIVE, CHECKOUT_IN_BUY, RUN);
	uint64_t key = key_of(id);
	struct frt_span span = {.stack = id, .method = b->traced};
	struct frames_caller found;

	assert_true(frames_caller(b->frames, &span, &found));
	frames_forget_resolved(b->frames);
	method_keys_forget_resolved(b->methods);
	assert_false(frames_caller(b->frames, &span, &found));
	assert_int_equal(key_of(id), key);
	assert_int_not_equal(frames_key(b->frames, FRAMES_AGENTS, id, b->traced + 1), key);
	assert_int_equal(counts().mismatched, 1);
	assert_int_equal(counts().forgotten, 0);
}

CASE(without_resolver_all_is_unknown, setup, teardown)
{
	struct frames_setup s = {.methods = b->methods, .depth = {64, 64}};

	frames_free(b->frames);
	frames_new(&b->frames, &s, &d);
	frames_next_chunk(b->frames);
	assert_string_equal(text_of(STACK(FRT_WALK_BOTTOM, 0, BUY)), UNKNOWN);
	assert_int_equal(counts().unknown[RESOLVE_UNKNOWN], 1);
}

CASE(stack_is_resolved_once, setup, teardown)
{
	uint32_t id = STACK(FRT_WALK_BOTTOM, 0, BUY, RUN);

	frames_read(b->frames, false);
	assert_int_equal(resolved, 2);
	key_of(id);
	key_of(id);
	assert_int_equal(resolved, 2);
}

CASE(span_ahead_of_a_row_that_is_being_written_is_served, setup, teardown)
{
	uint32_t first, late = fake_stack_reserve(&b->segment, 1, &first), id = STACK(FRT_WALK_BOTTOM, 0, BUY);
	uint64_t key = key_of(id);

	assert_int_equal(counts().missing, 0);
	*fake_frame(&b->segment, first) = (struct frt_frame){.code = RUN, .kind = FRT_FRAME_COMPILED};
	*fake_stack_row(&b->segment, late) = (struct frt_stack){.id = late, .first = first, .count = 1};
	frames_read(b->frames, false);
	assert_int_equal(resolved, 2); /* the one that was served is not resolved again */
	assert_int_equal(key_of(id), key);
	assert_int_equal(counts().stacks, 2);
}

/* The writer forgets a stack that two chunks have not used. */
CASE(forgotten_key_is_made_anew_without_resolving, setup, teardown)
{
	uint32_t id = STACK(FRT_WALK_BOTTOM, 0, BUY, RUN);
	uint64_t key = key_of(id);

	record(key);
	for (int i = 0; i < 4; i++) {
		recording_end(&b->recording, false);
		begin_chunk();
	}
	assert_false(jfr_stack_known(b->recording.w, key));
	record(key_of(id));
	recording_end(&b->recording, true);
	recording_read(&b->recording);
	assert_string_equal(stack_text(1), stack_text(0));
	assert_string_equal(stack_text(1), BUYS " " RUNS);
	assert_int_equal(resolved, 2);
}

/* 2 million frames on, in chunks that do not use it. */
CASE(stack_that_was_resolved_too_long_ago_is_unknown, setup, teardown)
{
	unsigned int codes[FRT_MAX_DEPTH] = {0};
	uint32_t id = STACK(FRT_WALK_BOTTOM, 0, BUY, RUN);

	make_frames(FRT_MAX_DEPTH);
	segment_header(&b->segment)->stack_next = 1ULL << 32;
	id = STACK(FRT_WALK_BOTTOM, 0, BUY, RUN);
	key_of(id);
	for (int i = 0; i < 4; i++) {
		recording_end(&b->recording, false);
		begin_chunk();
	}
	for (unsigned int i = 0; i < FRT_MAX_DEPTH; i++)
		codes[i] = RUN;
	for (int i = 0; i < 1024; i++) {
		assert_int_equal(counts().forgotten, 0);
		stack_of(FRT_WALK_BOTTOM, 0, FRT_MAX_DEPTH, codes);
		frames_read(b->frames, false);
	}
	assert_string_equal(text_of(id), UNKNOWN " +");
	assert_int_equal(counts().forgotten, 1);
}

CASE(rows_that_are_never_written_are_given_up_at_the_end, setup, teardown)
{
	uint32_t first;

	fake_stack_reserve(&b->segment, 1, &first);
	frames_read(b->frames, true);
	assert_int_equal(counts().given_up, 1);
}

static uint64_t loader_of(uint64_t identity, const char *type, const char *name)
{
	struct resolved_method m = checkout;
	uint64_t key;

	m.number = 100 + identity;
	m.loader = identity;
	m.loader_type = type;
	m.loader_name = name;
	key = method_keys_resolved(b->methods, &m);
	assert_int_not_equal(key, 0);
	return key;
}

static uint64_t traced_of(const char *type, const char *name)
{
	uint32_t loader = type ? fake_loader(&b->segment, type, name) : FRT_BOOT_LOADER;
	uint32_t class_id = fake_class(&b->segment, "com/acme/Cart", loader, 0);

	return method_keys_traced(b->methods, fake_method(&b->segment, class_id, "checkout", "()V", 0));
}

CASE(methods_of_loaders_that_a_jvm_has_once_are_the_same, setup, teardown)
{
	static const char app[] = "jdk/internal/loader/ClassLoaders$AppClassLoader";

	assert_int_equal(traced_of(NULL, NULL), loader_of(0, NULL, NULL));
	assert_int_equal(traced_of(app, "app"), loader_of(1, app, "app"));
	assert_int_not_equal(traced_of("com/acme/Loader", NULL), loader_of(2, "com/acme/Loader", NULL));
	assert_int_not_equal(loader_of(3, NULL, NULL), loader_of(0, NULL, NULL));
	assert_int_not_equal(loader_of(4, "com/acme/Loader", NULL), loader_of(5, "com/acme/Loader", NULL));
}

static void use_all(void)
{
	struct frames_setup s = {.methods = b->methods, .resolver = (struct resolver *)b, .depth = {64, 64}};
	struct frames *f;

	if (frames_new(&f, &s, &d))
		return;
	frames_next_chunk(f);
	frames_key(f, FRAMES_AGENTS, STACK(FRT_WALK_BOTTOM, FRT_STACK_INCLUSIVE, CHECKOUT_IN_BUY, FAR), b->traced);
	frames_free(f);
}

CASE(no_memory_is_borne, setup, teardown)
{
	unsigned int n = 0;

	fail_nth_or_skip();
	do {
		method_keys_release(b->methods);
		method_keys_init(b->methods, b->recording.w, &b->segment);
		fail_nth(++n);
		use_all();
	} while (fail_nth_end());
	assert_in_range(n, 3, 1000);
}
