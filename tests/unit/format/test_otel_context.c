// SPDX-License-Identifier: BSD-2-Clause
/* A process context that protoc has encoded. */
#include "format/otel_context.h"
#include "format/proto.h"
#include "tests/lib/test.h"

#include <inttypes.h>

/*
 * resource { attributes: service.name = "shop", debug = true, replica = -3, share = 0.25, process.command_args = ["java",
 * "-jar"], empty = {}, none without a value; dropped_attributes_count: 300 }, and two attributes of OTEP 4947
 */
static const char encoded[] =
	"\x0a\x93\x01\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop\x0a\x0b\x0a\x05"
	"debug\x12\x02\x10\x01\x0a\x16\x0a\x07replica\x12\x0b\x18\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01\x0a\x12\x0a\x05share"
	"\x12\x09!\x00\x00\x00\x00\x00\x00\xd0?\x0a*\x0a\x14process.command_args\x12\x12*\x10\x0a\x06\x0a\x04java\x0a\x06\x0a"
	"\x04-jar\x0a\x09\x0a\x05"
	"empty\x12\x00\x0a\x06\x0a\x04none\x10\xac\x02\x12.\x0a\x1athreadlocal.schema_version\x12\x10\x0a\x0etlsdesc_v1_dev\x12"
	"1\x0a\x1dthreadlocal.attribute_key_map\x12\x10*\x0e\x0a\x0c\x0a\x0ahttp_route";

static char said[1000];
static size_t at;

static int say(const struct otel_attribute *a, void *context)
{
	at += snprintf(said + at, sizeof(said) - at, "%s%.*s=", a->of_resource ? "" : "*", (int)a->key.length,
		       a->key.at);
	switch (a->kind) {
	case OTEL_STRING:
		at += snprintf(said + at, sizeof(said) - at, "'%.*s' ", (int)a->text.length, a->text.at);
		break;
	case OTEL_BOOL: at += snprintf(said + at, sizeof(said) - at, "%s ", a->integer ? "true" : "false"); break;
	case OTEL_INT: at += snprintf(said + at, sizeof(said) - at, "%" PRId64 " ", a->integer); break;
	case OTEL_DOUBLE: at += snprintf(said + at, sizeof(said) - at, "%g ", a->real); break;
	case OTEL_OTHER: at += snprintf(said + at, sizeof(said) - at, "? "); break;
	}
	return context && slice_is(a->key, context) ? 7 : 0;
}

static int parse(const void *message, size_t size, const char *last)
{
	at = 0;
	said[0] = 0;
	return otel_context_each(message, size, say, (void *)last);
}

CASE(attributes_have_their_kinds_and_values)
{
	assert_int_equal(parse(encoded, sizeof(encoded) - 1, NULL), 0);
	assert_string_equal(
		said, "service.name='shop' debug=true replica=-3 share=0.25 process.command_args=? empty=? none=? "
		      "*threadlocal.schema_version='tlsdesc_v1_dev' *threadlocal.attribute_key_map=? ");
	assert_int_equal(parse("", 0, NULL), 0);
	assert_string_equal(said, "");
}

CASE(the_visitor_ends_the_walk)
{
	assert_int_equal(parse(encoded, sizeof(encoded) - 1, "debug"), 7);
	assert_string_equal(said, "service.name='shop' debug=true ");
	assert_int_equal(parse(encoded, sizeof(encoded) - 1, "threadlocal.schema_version"), 7);
}

/* Between two fields of the outermost message it is a shorter message. */
CASE(a_message_that_is_cut_is_damaged)
{
	unsigned int whole = 0;

	for (size_t size = 0; size < sizeof(encoded) - 1; size++) {
		char *copy = malloc(size ?: 1);
		int err;

		memcpy(copy, encoded, size);
		err = parse(copy, size, NULL);
		assert_true(err == 0 || err == -EBADMSG);
		whole += !err;
		free(copy);
	}
	assert_int_equal(whole, 3); /* nothing, the resource, and one attribute more */
}

CASE(fields_of_the_wrong_kind_and_unknown_ones_are_passed_over)
{
	struct bytes b;
	size_t outer, pair, value;

	bytes_init(&b);
	proto_uint(&b, 1, 5); /* no resource */
	proto_text(&b, 9, "unknown");
	outer = proto_begin(&b, 1);
	proto_uint(&b, 1, 5); /* no attribute */
	pair = proto_begin(&b, 1);
	proto_text(&b, 1, "a");
	value = proto_begin(&b, 2);
	proto_text(&b, 3, "no integer");
	proto_end(&b, value);
	proto_end(&b, pair);
	pair = proto_begin(&b, 1);
	value = proto_begin(&b, 2); /* before its key; the last of two values counts */
	proto_uint(&b, 2, 2);
	proto_uint(&b, 3, INT64_MAX);
	proto_end(&b, value);
	proto_text(&b, 1, "b");
	proto_end(&b, pair);
	proto_end(&b, outer);
	assert_int_equal(parse(b.data, b.size, NULL), 0);
	assert_string_equal(said, "a=? b=9223372036854775807 ");
	bytes_release(&b);
}
