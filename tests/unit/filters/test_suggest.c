// SPDX-License-Identifier: BSD-2-Clause
/* Proposals for filters that match nothing. */
#include "filters/suggest.h"
#include "tests/lib/test.h"

struct bench {
	struct filter_list *list;
	struct suggest *near;
};

static struct bench bench(const char *filters)
{
	struct bench b = {.list = filter_list_new()};
	struct diag d = {0};

	assert_int_equal(filter_list_add(b.list, filters, FILTER_TRACE, &d), 0);
	b.near = suggest_new(b.list);
	assert_non_null(b.near);
	return b;
}

static void bench_release(struct bench *b)
{
	suggest_free(b->near);
	filter_list_free(b->list);
}

struct row {
	const char *filter, *class_name, *method;
	const char *proposed; /* NULL: nothing */
};

static const struct row rows[] = {
	/* letter case */
	{"com.acme.Cart", "com.acme.cart", NULL, "com.acme.cart"},
	{"com.acme.Cart::checkout", "com.ACME.Cart", "checkout", "com/ACME/Cart::checkout"},
	{"com.acme.Cart::checkOut", "com.acme.Cart", "checkout", "com.acme.Cart::checkout"},
	{"::checkOut", "com.acme.Cart", "checkout", "com.acme.Cart::checkout"},
	/* another package, the JVM's form */
	{"com.acme.Cart", "com.acme.shop.Cart", NULL, "com.acme.shop.Cart"},
	{"Cart::checkout", "com/acme/Cart", "checkout", "com.acme.Cart::checkout"},
	/* nested classes, and what a shell leaves of C$In */
	{"com.acme.Cart::add", "com.acme.Cart$Line", "add", "com.acme.Cart$Line::add"},
	{"com.acme.Cart::add", "com.acme.Cart$Line", "remove", NULL},
	{"com.acme.Cart", "com.acme.Cart$Line", NULL, "com.acme.Cart$Line"},
	{"com.acme.Cart$Lime", "com.acme.Cart$Line", NULL, "com.acme.Cart$Line"},
	/* a few letters */
	{"com.acme.Crat", "com.acme.Cart", NULL, "com.acme.Cart"},
	{"com.acme.Cart::chekcout", "com.acme.Cart", "checkout", "com.acme.Cart::checkout"},
	{"com.acme.Cart::chekout", "com.acme.Cart", "checkout", "com.acme.Cart::checkout"},
	{"com.acme.Cart::checkout", "com.acme.CartV2", "checkout", "com.acme.CartV2::checkout"},
	{"com.acme.Cart", "com.acme.CartServiceImpl", NULL, "com.acme.CartServiceImpl"},
	{"com.acme.Checkout", "org.other.Chekout", NULL, "org.other.Chekout"},
	/* supertypes, overloads; filters for many classes get no proposals */
	{"+com.acme.Stroe", "com.acme.Store", NULL, "+com.acme.Store"},
	{"+com.acme.Store::sav", "com.acme.Store", "save", "+com.acme.Store::save"},
	{"com.acme.Cart::add(int)", "com.acme.Cart", "add", "com.acme.Cart::add"},
	{"com.acme.Cart::add(int)", "com.acme.Cart", "remove", NULL},
	{"com.acme.Cart:10ms", "com.acme.Crat", NULL, "com.acme.Crat"},
	{"com.acme.Car*", "com.acme.Cart", NULL, NULL},
	{"com.acme.Cart::ad*", "com.acme.Cart", "add", NULL},
	{"@com.acme.Cart", "com.acme.Crat", NULL, NULL},
	/* not near */
	{"com.acme.Cart", "com.acme.Order", NULL, NULL},
	{"com.acme.Cart", "com.acme.Card$Visa", NULL, NULL},
	{"com.acme.Cart", "org.other.CartServiceImpl", NULL, NULL},
	{"com.acme.Cart::checkout", "com.acme.Cart", "add", NULL},
	{"com.acme.Cart::checkout", "com.acme.Cart", "<init>", NULL},
	{"com.acme.Cart::checkout", "com.acme.Crat", "chekout", NULL},
	{"com.acme.A", "com.acme.B", NULL, NULL},
	{"com.acme.A::b", "com.acme.A", "c", NULL},
	{"::run", "com.acme.Cart", "sun", "com.acme.Cart::sun"},
	{"::checkout", "com.acme.Cart", NULL, NULL},
	/* matched */
	{"com.acme.Cart", "com.acme.Cart", NULL, NULL},
	{"com.acme.Cart", "com/acme/Cart", "add", NULL},
	{"com.acme.Cart::add", "com.acme.Cart", "add", NULL},
	{"com.acme.Cart::add", "com.acme.Cart", NULL, NULL},
};

CASE(proposal_follows_from_name_and_filter)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct bench b = bench(r->filter);
		const char *best;

		suggest_offer(b.near, r->class_name, r->method);
		best = suggest_best(b.near, 0);
		if (!best != !r->proposed || (best && strcmp(best, r->proposed) != 0))
			fail_msg("'%s', known %s %s: '%s' is proposed", r->filter, r->class_name,
				 r->method ? r->method : "", best ? best : "nothing");
		bench_release(&b);
	}
}

CASE(best_comes_first_in_any_order)
{
	static const char *const known[] = {"com.acme.CartServiceImpl", "com.acme.Card", "org.old.Cart",
					    "com.acme.CART", "com.acme.Cart$Line"};
	static const char *const wanted[] = {"com.acme.CART", "org.old.Cart", "com.acme.Cart$Line", "com.acme.Card",
					     "com.acme.CartServiceImpl"};

	for (size_t first = 0; first < 5; first++) {
		struct bench b = bench("com.acme.Cart");

		for (size_t i = 0; i < 5; i++)
			suggest_offer(b.near, known[(first + i) % 5], NULL);
		for (size_t i = 0; i < 5; i++)
			assert_string_equal(suggest_best(b.near, i), wanted[i]);
		assert_null(suggest_best(b.near, 5));
		bench_release(&b);
	}
}

CASE(nested_class_that_has_the_method_beats_all)
{
	struct bench b = bench("com.acme.Cart::add");

	suggest_offer(b.near, "com.acme.Cart", "adds");
	suggest_offer(b.near, "org.old.Cart", "add");
	suggest_offer(b.near, "com.acme.Cart$Line", "add");
	assert_string_equal(suggest_best(b.near, 0), "com.acme.Cart$Line::add");
	bench_release(&b);
}

CASE(matched_filter_loses_its_proposals)
{
	struct bench b = bench("com.acme.Cart;com.acme.Order");

	suggest_offer(b.near, "com.acme.CART", NULL);
	suggest_offer(b.near, "com.acme.ORDER", NULL);
	suggest_offer(b.near, "com.acme.Cart", NULL);
	suggest_offer(b.near, "com.acme.cart", NULL);
	assert_string_equal(suggest_best(b.near, 0), "com.acme.ORDER");
	assert_null(suggest_best(b.near, 1));
	bench_release(&b);
}

CASE(same_name_is_proposed_once)
{
	struct bench b = bench("com.acme.Cart");

	for (int i = 0; i < 3; i++)
		suggest_offer(b.near, "com.acme.CART", "m");
	assert_non_null(suggest_best(b.near, 0));
	assert_null(suggest_best(b.near, 1));
	bench_release(&b);
}

CASE(only_a_few_are_kept)
{
	struct bench b = bench("com.acme.Cart");
	char name[64];

	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "p%d.Cart", i);
		suggest_offer(b.near, name, NULL);
	}
	for (size_t i = 0; i < SUGGEST_BEST; i++)
		assert_non_null(suggest_best(b.near, i));
	assert_null(suggest_best(b.near, SUGGEST_BEST));
	bench_release(&b);
}

CASE(odd_names_are_ignored)
{
	struct bench b = bench("com.acme.Cart;::m");
	char *name = malloc(70000);

	memset(name, 'a', 69999);
	name[69999] = 0;
	suggest_offer(b.near, name, NULL);
	suggest_offer(b.near, "com.acme.X", name);
	suggest_offer(b.near, "", "m");
	suggest_offer(b.near, ".", NULL);
	suggest_offer(b.near, "com.acme.", NULL);
	suggest_offer(b.near, "$", "");
	assert_null(suggest_best(b.near, 0));
	free(name);
	bench_release(&b);
}
