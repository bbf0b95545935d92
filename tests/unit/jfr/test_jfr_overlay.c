// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_overlay.h"
#include "tests/lib/test.h"

static struct jfr_overlay overlay;

static int teardown(void **state)
{
	jfr_overlay_release(&overlay);
	return 0;
}

/* Calls of 1 us, 2 us apart, and events 200 ns long that begin `at` ns into them. */
static void lay(int64_t window, int events, int64_t at)
{
	for (int i = 0; i < events; i++) {
		struct overlay_event e = {window, i * 2000 + at, i * 2000 + at + 200};

		for (int n = -5; n < events + 5; n++)
			assert_int_equal(jfr_overlay_note(&overlay, &e, n * 2000, n * 2000 + 1000), 0);
	}
}

/* With any shift by 2 us all events fit as well; the one that was late fits only with another one. */
CASE(window_keeps_its_shift_for_the_sake_of_one_event, NULL, teardown)
{
	struct overlay_shift s;
	size_t at = 0;

	lay(1, 40, 300);
	lay(2, 20, 300);
	lay(2, 1, 1500);
	assert_true(jfr_overlay_next(&overlay, &at, 0, 4000, &s));
	assert_int_equal(s.window, 1);
	assert_int_equal(s.shift, 0);
	assert_true(jfr_overlay_next(&overlay, &at, 0, 4000, &s));
	assert_int_equal(s.window, 2);
	assert_int_equal(s.shift, 0);
	assert_false(jfr_overlay_next(&overlay, &at, 0, 4000, &s));
}

/* The clock has drifted by 600 ns: nearly all events begin behind their calls. */
CASE(window_leaves_its_shift_if_many_events_gain, NULL, teardown)
{
	struct overlay_shift s;
	size_t at = 0;

	lay(1, 20, 1100);
	assert_true(jfr_overlay_next(&overlay, &at, 0, 900, &s));
	assert_in_range(-s.shift, 300, 900);
}
