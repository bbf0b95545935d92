// SPDX-License-Identifier: BSD-2-Clause
/* Files of events in the format of JMC Agent: what they become, and what is refused where. */
#include "user/options/event_file.h"
#include "tests/lib/test.h"

static struct event_list events;
static struct diag diag;

static int teardown(void **state)
{
	(void)state;
	event_list_release(&events);
	diag = (struct diag){0};
	return 0;
}

static int parse(const char *text)
{
	return event_file_parse(&events, "probes.xml", text, strlen(text), &diag);
}

/* An event with these elements behind its class. */
static int parse_event(const char *rest)
{
	char text[8192];

	snprintf(text, sizeof(text),
		 "<jfragent><events><event id=\"a.B\"><class>shop.Cart$Line</class>%s</event></events></jfragent>",
		 rest);
	return parse(text);
}

#define METHOD "<method><name>add</name><descriptor>(Ljava/lang/String;[[JLa/B$C;)I</descriptor>"

CASE(an_event_has_all_that_the_file_says, .teardown = teardown)
{
	const struct event_spec *e;

	(void)state;
	assert_int_equal(
		parse_event(
			"<label>Added &amp; counted</label><description> Of\n\ta cart. </description><path>Shop/Orders</path>"
			"<stacktrace>true</stacktrace><rethrow>true</rethrow><location>WRAP</location>" METHOD
			"<parameters><parameter index=\"0\"><name>an item's name</name><description>of it</description>"
			"<contenttype>None</contenttype></parameter><parameter index=\"1\"><name>n</name>"
			"<contenttype>Bytes</contenttype></parameter></parameters><returnvalue/></method>"
			"<fields><field><name>'Line.this.x'</name><expression>Line.this.x.y</expression></field>"
			"<field><name>z</name><expression> other.Line.Z </expression></field></fields>"),
		0);
	e = &events.event[0];
	assert_string_equal(e->name, "a.B");
	assert_string_equal(e->text, "shop.Cart$Line::add(java.lang.String,long[][],a.B$C)int");
	assert_string_equal(e->label, "Added & counted");
	assert_string_equal(e->description, "Of a cart.");
	assert_string_equal(e->category, "Shop/Orders");
	assert_int_equal(e->fields, 5);
	assert_string_equal(e->field[0].name, "fieldAnitemsname");
	assert_string_equal(e->field[0].label, "an item's name");
	assert_string_equal(e->field[0].description, "of it");
	assert_string_equal(e->field[0].expression, "arg0");
	assert_int_equal(e->field[1].unit, EVENT_BYTES);
	assert_string_equal(e->field[1].expression, "arg1");
	assert_string_equal(e->field[2].name, "fieldReturnValue");
	assert_string_equal(e->field[2].expression, "return");
	assert_string_equal(e->field[3].name, "Linethisx");
	assert_string_equal(e->field[3].expression, "Line.this.x.y");
	assert_string_equal(e->field[4].name, "Z");
	assert_string_equal(e->field[4].expression, "other.Line.Z");
	assert_true(e->field[4].any_object);
}

static void assert_refused(const char *rest, const char *why)
{
	diag = (struct diag){0};
	assert_true(parse_event(rest) < 0);
	if (!strstr(diag.text, why))
		fail_msg("'%s' is not in '%s'", why, diag.text);
}

CASE(what_cannot_be_done_is_named, .teardown = teardown)
{
	(void)state;
	assert_refused(METHOD "<parameters><parameter index=\"0\"><name>n</name><converter>a.Converter</converter>",
		       "probes.xml:1: <converter> 'a.Converter' is code");
	assert_refused(METHOD "<parameters><parameter><name>n</name>", "<parameter> lacks its index");
	assert_refused(METHOD "<returnvalue><contenttype>Parsecs</contenttype></returnvalue></method>",
		       "there is no <contenttype> 'Parsecs'");
	assert_refused("<method><name>add</name><descriptor>(X)V</descriptor></method>", "'(X)V' is no <descriptor>");
	assert_refused("<method><name>add</name></method>", "event 'a.B' lacks its <method><descriptor>");
	assert_refused(METHOD "</method><fields><field><name>n</name></field></fields>", "lacks its <expression>");
	assert_refused("<methods>", "<methods> is not known here");
	assert_refused(METHOD
		       "</method><fields><field><name>n</name><expression>a z=b</expression></field></fields></event>",
		       "'a z=b' is no <expression>: it has to be one word");
	assert_refused("<location>MIDDLE</location>", "<location> has to be ENTRY, EXIT or WRAP");
}

static void assert_file_refused(const char *text, const char *why)
{
	diag = (struct diag){0};
	assert_true(parse(text) < 0);
	if (!strstr(diag.text, why))
		fail_msg("'%s' is not in '%s'", why, diag.text);
}

CASE(a_file_that_is_no_such_file_is_refused, .teardown = teardown)
{
	(void)state;
	assert_file_refused("<configuration version=\"2.0\"/>",
			    "it begins with <configuration> and not with <jfragent>");
	assert_file_refused("<jfragent/>", "it has no <event>");
	assert_file_refused("<jfragent><events><event/></events></jfragent>", "<event> lacks its id");
	assert_file_refused("<jfragent>", "no element found");
	assert_file_refused("<jfragent><events><event id=\"a b\"><class>C</class>" METHOD
			    "</method></event></events></jfragent>",
			    "'a b' is no id of an <event>: it has to be one word");
	assert_file_refused("<!DOCTYPE a [<!ENTITY b SYSTEM \"/etc/passwd\">]><jfragent>&b;</jfragent>",
			    "a document type is not allowed");
	assert_file_refused("<jfragent><config><emitonexception>true</emitonexception></config></jfragent>",
			    "give --thrown");
}

#define NAMED(type, method)                                                                          \
	"<jfragent><events><event id=\"a.B\"><class>" type "</class><method><name>" method "</name>" \
	"<descriptor>([I)V</descriptor></method></event></events></jfragent>"

CASE(names_of_classes_and_methods_choose_nothing_else, .teardown = teardown)
{
	(void)state;
	assert_file_refused(NAMED("a.C;a.D", "m"), "wrong filter");
	assert_int_equal(parse(NAMED("a.C*", "*")), 0);
	assert_string_equal(events.event[0].text, "a.C\\*::\\*(int[])void");
	event_list_release(&events);
	assert_int_equal(parse(NAMED("a.C$D", "m n")), 0);
	assert_string_equal(events.event[0].text, "a.C$D::m n(int[])void");
	assert_int_equal(events.event[0].fields, 0);
}
