// SPDX-License-Identifier: BSD-2-Clause
/* Spans as lines of OTLP's JSON. */
#include "user/export/otlp.h"
#include "tests/lib/test.h"

static char *text;
static size_t size;
static FILE *to;
static struct otlp o;

static int setup(void **state)
{
	to = open_memstream(&text, &size);
	otlp_init(&o, to, &(struct otlp_resource){.service = "shop", .pid = 42});
	return 0;
}

static int teardown(void **state)
{
	fclose(to);
	free(text);
	return 0;
}

static struct otlp_span span_of(const char *method)
{
	return (struct otlp_span){
		.trace = {0xab, 0xcd},
		.id = 0x12,
		.method = method,
		.start = 1700000000000000000,
		.end = 1700000000000000009,
		.thread = "main",
		.cpu = INT64_MIN,
		.run_queue = INT64_MIN,
		.blocked = INT64_MIN,
		.pause = INT64_MIN,
		.queued = INT64_MIN,
	};
}

static void finish(void)
{
	otlp_finish(&o);
	fflush(to);
}

#define BEGIN                                                              \
	"{\"resourceSpans\":[{\"resource\":{\"attributes\":["              \
	"{\"key\":\"service.name\",\"value\":{\"stringValue\":\"shop\"}}," \
	"{\"key\":\"process.pid\",\"value\":{\"intValue\":\"42\"}}]},"     \
	"\"scopeSpans\":[{\"scope\":{\"name\":\"frtrace\"},\"spans\":["
#define TIMES "\"kind\":1,\"startTimeUnixNano\":\"1700000000000000000\",\"endTimeUnixNano\":\"1700000000000000009\","

CASE(what_is_unknown_is_left_out, setup, teardown)
{
	struct otlp_span s = span_of("a.b.C.m(int)");

	otlp_begin_span(&o, &s);
	otlp_end_span(&o, &s, 0);
	finish();
	assert_string_equal(text, BEGIN
			    "{\"traceId\":\"00000000000000ab00000000000000cd\",\"spanId\":\"0000000000000012\","
			    "\"name\":\"C.m\"," TIMES "\"attributes\":["
			    "{\"key\":\"code.function.name\",\"value\":{\"stringValue\":\"a.b.C.m\"}},"
			    "{\"key\":\"thread.name\",\"value\":{\"stringValue\":\"main\"}}],\"events\":[]}]}]}]}\n");
}

CASE(a_span_has_its_parent_times_and_waits, setup, teardown)
{
	struct otlp_span s = span_of("m()");

	s.parent = 0x34;
	s.thread_id = 7;
	s.thrown = true;
	s.cpu = 1;
	s.run_queue = 2;
	s.blocked = 3;
	s.pause = 4;
	otlp_begin_span(&o, &s);
	otlp_event(&o, &(struct otlp_event){5, 6, "lock", "writer", {"", "", "", ""}});
	otlp_event(&o, &(struct otlp_event){7, 8, "sleep", "", {"", "", "", ""}});
	otlp_end_span(&o, &s, 9);
	finish();
	assert_string_equal(text,
			    BEGIN "{\"traceId\":\"00000000000000ab00000000000000cd\",\"spanId\":\"0000000000000012\","
				  "\"parentSpanId\":\"0000000000000034\",\"name\":\"m\"," TIMES "\"attributes\":["
				  "{\"key\":\"code.function.name\",\"value\":{\"stringValue\":\"m\"}},"
				  "{\"key\":\"thread.id\",\"value\":{\"intValue\":\"7\"}},"
				  "{\"key\":\"thread.name\",\"value\":{\"stringValue\":\"main\"}},"
				  "{\"key\":\"frtrace.cpu_ns\",\"value\":{\"intValue\":\"1\"}},"
				  "{\"key\":\"frtrace.run_queue_ns\",\"value\":{\"intValue\":\"2\"}},"
				  "{\"key\":\"frtrace.blocked_ns\",\"value\":{\"intValue\":\"3\"}},"
				  "{\"key\":\"frtrace.pause_ns\",\"value\":{\"intValue\":\"4\"}}],\"events\":["
				  "{\"timeUnixNano\":\"5\",\"name\":\"frtrace.wait\",\"attributes\":["
				  "{\"key\":\"frtrace.duration_ns\",\"value\":{\"intValue\":\"6\"}},"
				  "{\"key\":\"frtrace.reason\",\"value\":{\"stringValue\":\"lock\"}},"
				  "{\"key\":\"frtrace.waker\",\"value\":{\"stringValue\":\"writer\"}}]},"
				  "{\"timeUnixNano\":\"7\",\"name\":\"frtrace.wait\",\"attributes\":["
				  "{\"key\":\"frtrace.duration_ns\",\"value\":{\"intValue\":\"8\"}},"
				  "{\"key\":\"frtrace.reason\",\"value\":{\"stringValue\":\"sleep\"}}]}],"
				  "\"droppedEventsCount\":9,\"status\":{\"code\":2}}]}]}]}\n");
}

/* The attributes of a wait behind frtrace.resource. */
static void assert_peer(const struct otlp_peer *peer, const char *reason, const char *attributes)
{
	struct otlp_span s = span_of("m()");
	char expected[1024];

	otlp_begin_span(&o, &s);
	otlp_event(&o, &(struct otlp_event){5, 6, reason, "", *peer});
	otlp_end_span(&o, &s, 0);
	finish();
	snprintf(expected, sizeof(expected), "{\"key\":\"frtrace.resource\",\"value\":{\"stringValue\":\"%s\"}}%s]}]",
		 peer->resource, attributes);
	assert_non_null(strstr(text, expected));
}

static void assert_resource(const char *resource, const char *reason, const char *attributes)
{
	assert_peer(&(struct otlp_peer){resource, "", "", ""}, reason, attributes);
}

#define ATTRIBUTE(key, kind, value) ",{\"key\":\"" key "\",\"value\":{\"" kind "\":\"" value "\"}}"

CASE(a_wait_names_what_it_was_for, setup, teardown)
{
	assert_resource("10.0.0.7:5432", "socket",
			ATTRIBUTE("server.address", "stringValue", "10.0.0.7")
				ATTRIBUTE("server.port", "intValue", "5432"));
	assert_resource("[fe80::1]:80", "poll",
			ATTRIBUTE("server.address", "stringValue", "fe80::1")
				ATTRIBUTE("server.port", "intValue", "80"));
	assert_resource("/run/db.sock", "socket", ATTRIBUTE("server.address", "stringValue", "/run/db.sock"));
	assert_resource("/run/db.sock", "poll", "");
	assert_resource("/var/a:1", "disk", ATTRIBUTE("file.path", "stringValue", "/var/a:1"));
	assert_resource("pipe:[7]", "pipe", "");
	assert_resource("[eventfd]", "poll", "");
}

CASE(a_wait_names_the_service_and_the_process_of_its_peer, setup, teardown)
{
	assert_peer(&(struct otlp_peer){"/run/db.sock", "", "postgres", "0123456789ab"}, "socket",
		    ATTRIBUTE("server.address", "stringValue", "/run/db.sock")
			    ATTRIBUTE("frtrace.peer.process", "stringValue", "postgres")
				    ATTRIBUTE("frtrace.peer.container", "stringValue", "0123456789ab"));
	assert_peer(&(struct otlp_peer){"pipe:[7]", "postgresql", "", ""}, "poll",
		    ATTRIBUTE("service.peer.name", "stringValue", "postgresql"));
}

static void put_value_of(struct bytes *values, enum otlp_kind kind, const char *name, const char *value,
			 size_t value_size)
{
	struct bytes copy = {.data = (unsigned char *)value, .size = value_size};

	otlp_put_value(values, kind, name, &copy);
}

CASE(what_the_program_says_of_itself_counts_first, setup, teardown)
{
	struct otlp_span s = span_of("m()");
	struct bytes b;

	bytes_init(&b);
	put_value_of(&b, OTLP_TEXT, "service.version", "2", 1);
	put_value_of(&b, OTLP_INTEGER, "process.pid", "7", 1);
	o.resource.attributes = b.data;
	o.resource.attributes_size = b.size;
	otlp_begin_span(&o, &s);
	otlp_end_span(&o, &s, 0);
	otlp_finish(&o);
	put_value_of(&b, OTLP_TEXT, "service.name", "cart", 4);
	o.resource.attributes = b.data;
	o.resource.attributes_size = b.size;
	otlp_begin_span(&o, &s);
	otlp_end_span(&o, &s, 0);
	finish();
	assert_contains(text, "{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"shop\"}},"
			      "{\"key\":\"service.version\",\"value\":{\"stringValue\":\"2\"}},"
			      "{\"key\":\"process.pid\",\"value\":{\"intValue\":\"7\"}}]},");
	assert_contains(strchr(text, '\n'),
			"{\"attributes\":[{\"key\":\"service.version\",\"value\":{\"stringValue\":\"2\"}},"
			"{\"key\":\"process.pid\",\"value\":{\"intValue\":\"7\"}},"
			"{\"key\":\"service.name\",\"value\":{\"stringValue\":\"cart\"}}]},");
	bytes_release(&b);
}

CASE(values_keep_their_types, setup, teardown)
{
	struct otlp_span s = span_of("m()");
	struct bytes values;

	bytes_init(&values);
	put_value_of(&values, OTLP_TEXT, "user", "a\0b", 3);
	put_value_of(&values, OTLP_INTEGER, "items", "-9223372036854775808", 20);
	put_value_of(&values, OTLP_REAL, "price", "1.5E-4", 6);
	put_value_of(&values, OTLP_REAL, "none", "NaN", 3);
	put_value_of(&values, OTLP_BOOLEAN, "new", "true", 4);
	put_value_of(&values, OTLP_BOOLEAN, "old", "false", 5);
	s.values = values.data;
	s.values_size = values.size;
	otlp_begin_span(&o, &s);
	otlp_end_span(&o, &s, 0);
	finish();
	assert_contains(text, "{\"key\":\"user\",\"value\":{\"stringValue\":\"a\\u0000b\"}},"
			      "{\"key\":\"items\",\"value\":{\"intValue\":\"-9223372036854775808\"}},"
			      "{\"key\":\"price\",\"value\":{\"doubleValue\":0.00015}},"
			      "{\"key\":\"none\",\"value\":{\"doubleValue\":\"NaN\"}},"
			      "{\"key\":\"new\",\"value\":{\"boolValue\":true}},"
			      "{\"key\":\"old\",\"value\":{\"boolValue\":false}}]");
	bytes_release(&values);
}

static void put_event_value(struct bytes *values, const char *event, enum otlp_kind kind, const char *field,
			    const char *value)
{
	struct bytes copy = {.data = (unsigned char *)value, .size = strlen(value)};

	otlp_put_event_value(values, event, kind, field, &copy);
}

/* A span of a call with these values. */
static void put_span_of(const struct bytes *values)
{
	struct otlp_span s = span_of("a.B.m()");

	s.values = values->data;
	s.values_size = values->size;
	otlp_begin_span(&o, &s);
	otlp_end_span(&o, &s, 0);
}

CASE(requests_calls_and_statements_follow_the_semantic_conventions, setup, teardown)
{
	struct bytes values;
	const char *at;

	bytes_init(&values);
	put_event_value(&values, "http.Request", OTLP_TEXT, "httpMethod", "GET");
	put_event_value(&values, "http.Request", OTLP_TEXT, "url", "/a?b=c?d");
	put_event_value(&values, "http.Request", OTLP_INTEGER, "status", "404");
	put_event_value(&values, "http.Request", OTLP_TEXT, "more", "x");
	put_span_of(&values);
	bytes_clear(&values);
	put_event_value(&values, "http.Call", OTLP_TEXT, "httpMethod", "POST");
	put_event_value(&values, "http.Call", OTLP_TEXT, "url", "http://a/b?c");
	put_span_of(&values);
	bytes_clear(&values);
	put_event_value(&values, "sql.Statement", OTLP_TEXT, "sql", "select ?");
	put_span_of(&values);
	bytes_clear(&values);
	put_event_value(&values, "my.Event", OTLP_TEXT, "sql", "select 1");
	put_span_of(&values);
	finish();
	assert_non_null(at = strstr(text, "\"name\":\"GET\",\"kind\":2,"));
	assert_non_null(at = strstr(at, "{\"key\":\"http.request.method\",\"value\":{\"stringValue\":\"GET\"}},"
					"{\"key\":\"url.query\",\"value\":{\"stringValue\":\"b=c?d\"}},"
					"{\"key\":\"url.path\",\"value\":{\"stringValue\":\"/a\"}},"
					"{\"key\":\"http.response.status_code\",\"value\":{\"intValue\":\"404\"}},"
					"{\"key\":\"more\",\"value\":{\"stringValue\":\"x\"}}]"));
	assert_non_null(at = strstr(at, "\"name\":\"POST\",\"kind\":3,"));
	assert_non_null(at = strstr(at, "{\"key\":\"url.full\",\"value\":{\"stringValue\":\"http://a/b?c\"}}]"));
	assert_non_null(at = strstr(at, "\"name\":\"B.m\",\"kind\":3,"));
	assert_non_null(at = strstr(at, "{\"key\":\"db.query.text\",\"value\":{\"stringValue\":\"select ?\"}}]"));
	assert_non_null(at = strstr(at, "\"name\":\"B.m\",\"kind\":1,"));
	assert_non_null(strstr(at, "{\"key\":\"sql\",\"value\":{\"stringValue\":\"select 1\"}}]"));
	bytes_release(&values);
}

CASE(lines_are_short_enough_for_a_receiver, setup, teardown)
{
	struct otlp_span s = span_of("m()");
	unsigned int lines = 0;

	for (unsigned int i = 0; i < 1000; i++) {
		s.id = i + 1;
		otlp_begin_span(&o, &s);
		otlp_end_span(&o, &s, 0);
	}
	finish();
	for (const char *c = text; (c = strchr(c, '\n')); c++)
		lines++;
	assert_int_equal(lines, 4);
	assert_int_equal(text[size - 1], '\n');
}

CASE(nothing_is_no_line, setup, teardown)
{
	finish();
	assert_int_equal(size, 0);
}
