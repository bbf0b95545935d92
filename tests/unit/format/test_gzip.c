// SPDX-License-Identifier: BSD-2-Clause
#include "format/gzip.h"
#include "tests/lib/test.h"

static struct bytes packed, unpacked;

static int setup(void **state)
{
	bytes_init(&packed);
	bytes_init(&unpacked);
	return 0;
}

static int teardown(void **state)
{
	bytes_release(&packed);
	bytes_release(&unpacked);
	return 0;
}

static int take(void *context, const void *data, size_t size)
{
	bytes_put(&unpacked, data, size);
	return unpacked.size > 1000000 ? -EFBIG : 0;
}

/* Unpack what is packed, in pieces of that size. */
static int unpack(size_t piece, bool *whole)
{
	struct gunzip *g = gunzip_new();
	int err = 0;

	assert_non_null(g);
	bytes_clear(&unpacked);
	for (size_t at = 0; at < packed.size && !err; at += piece)
		err = gunzip_put(g, packed.data + at, packed.size - at < piece ? packed.size - at : piece, take, NULL);
	*whole = gunzip_is_whole(g);
	gunzip_free(g);
	return err;
}

static void put_text_of(size_t size)
{
	char *text = malloc(size);

	for (size_t i = 0; i < size; i++)
		text[i] = i * i % 251;
	gzip_put(&packed, text, size);
	free(text);
}

CASE(members_are_unpacked_one_behind_the_other, setup, teardown)
{
	static const size_t pieces[] = {1, 7, 1000, 1000000};
	bool whole;

	put_text_of(200000);
	put_text_of(0);
	put_text_of(3);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		assert_int_equal(unpack(pieces[i], &whole), 0);
		assert_true(whole);
		assert_int_equal(unpacked.size, 200003);
		for (size_t at = 0; at < 200000; at++)
			assert_true(unpacked.data[at] == at * at % 251);
	}
}

CASE(zeros_between_and_behind_members_are_skipped, setup, teardown)
{
	static const unsigned char zeros[2000];
	static const size_t pieces[] = {1, 512, 1000000};
	bool whole;

	put_text_of(1000);
	bytes_put(&packed, zeros, sizeof(zeros));
	put_text_of(3);
	bytes_put(&packed, zeros, sizeof(zeros));
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		assert_int_equal(unpack(pieces[i], &whole), 0);
		assert_true(whole);
		assert_int_equal(unpacked.size, 1003);
	}
	bytes_clear(&packed);
	bytes_put(&packed, zeros, sizeof(zeros)); /* no member is before these */
	assert_int_equal(unpack(512, &whole), -EBADMSG);
}

CASE(what_ends_early_is_not_whole, setup, teardown)
{
	bool whole;

	put_text_of(1000);
	packed.size -= 3;
	assert_int_equal(unpack(100, &whole), 0);
	assert_false(whole);
}

CASE(damage_is_noticed, setup, teardown)
{
	bool whole;

	put_text_of(1000);
	packed.data[packed.size - 6] ^= 1; /* of the checksum */
	assert_int_equal(unpack(100, &whole), -EBADMSG);
	packed.size -= 6;
	bytes_put(&packed, "no second member", 16);
	assert_int_equal(unpack(100, &whole), -EBADMSG);
}

CASE(unpacking_ends_when_nobody_takes_it, setup, teardown)
{
	char *zeros = calloc(1, 50000000);
	bool whole;

	gzip_put(&packed, zeros, 50000000);
	free(zeros);
	assert_int_equal(unpack(packed.size, &whole), -EFBIG);
	assert_true(unpacked.size < 1100000);
}
