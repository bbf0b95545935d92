// SPDX-License-Identifier: BSD-2-Clause
/* This process publishes its context, in good and in bad states, as OTEP 4719 says or does not say. */
#include "format/proto.h"
#include "tests/lib/test.h"
#include "user/process/process_context.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PAGE 4096

struct header {
	char signature[8];
	uint32_t version, size;
	uint64_t time;
	const void *payload;
};

static struct target self;
static struct process_context_reader *reader;
static struct header *header;
static struct bytes payload;

static int setup(void **state)
{
	if (target_read(getpid(), &self))
		return -1;
	reader = process_context_reader_new(&self, NULL);
	bytes_init(&payload);
	return !reader;
}

static int teardown(void **state)
{
	process_context_reader_free(reader);
	bytes_release(&payload);
	if (header)
		munmap(header, PAGE);
	header = NULL;
	return 0;
}

static void put_value(unsigned int message, const char *key, void (*put)(struct bytes *b, const void *value),
		      const void *value)
{
	size_t resource = message == 1 ? proto_begin(&payload, 1) : 0, pair = proto_begin(&payload, message), any;

	proto_text(&payload, 1, key);
	any = proto_begin(&payload, 2);
	put(&payload, value);
	proto_end(&payload, any);
	proto_end(&payload, pair);
	if (resource)
		proto_end(&payload, resource);
}

static void put_string(struct bytes *b, const void *value)
{
	proto_text(b, 1, value);
}

static void put_bool(struct bytes *b, const void *value)
{
	proto_uint(b, 2, *(const bool *)value);
}

static void put_int(struct bytes *b, const void *value)
{
	proto_uint(b, 3, *(const int64_t *)value);
}

static void put_real(struct bytes *b, const void *value)
{
	uint64_t bits;

	memcpy(&bits, value, sizeof(bits));
	proto_fixed64(b, 4, bits);
}

static void put_list(struct bytes *b, const void *value)
{
	size_t list = proto_begin(b, 5), any = proto_begin(b, 1);

	proto_text(b, 1, value);
	proto_end(b, any);
	proto_end(b, list);
}

static void put(const char *key, const char *text)
{
	put_value(1, key, put_string, text);
}

static void publish_at(void *place)
{
	header = place;
	assert_ptr_not_equal(place, MAP_FAILED);
	*header = (struct header){"OTEL_CTX", 2, payload.size, 1, payload.data};
}

static void publish(void)
{
	int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, PAGE), 0);
	publish_at(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));
	close(fd);
}

static void update(void)
{
	uint64_t time = header->time;

	header->time = 0;
	header->payload = payload.data;
	header->size = payload.size;
	__atomic_store_n(&header->time, time + 1, __ATOMIC_RELEASE);
}

static const char *value_of(const char *key)
{
	const struct process_context *c = process_context_read(reader);

	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->attribute[i].key, key))
			return c->attribute[i].value;
	return NULL;
}

CASE(scalar_attributes_are_read, setup, teardown)
{
	bool yes = true;
	int64_t n = -3;
	double real = 0.25;
	const struct process_context *c;

	assert_int_equal(process_context_read(reader)->count, 0);
	put("service.name", "shop");
	put_value(1, "debug", put_bool, &yes);
	put_value(1, "replica", put_int, &n);
	put_value(1, "share", put_real, &real);
	put_value(1, "list", put_list, "element");
	put_value(2, "not.of.the.resource", put_string, "x");
	put("service.name", "twice");
	put("process.command_line", "java -Dpassword=x");
	put("process.command_args", "java");
	publish();
	c = process_context_read(reader);
	assert_int_equal(c->count, 4);
	assert_string_equal(value_of("service.name"), "shop");
	assert_string_equal(value_of("debug"), "true");
	assert_string_equal(value_of("replica"), "-3");
	assert_string_equal(value_of("share"), "0.25");
	assert_int_equal(c->attribute[0].kind, OTEL_STRING);
	assert_int_equal(c->attribute[1].kind, OTEL_BOOL);
	assert_int_equal(c->attribute[2].kind, OTEL_INT);
	assert_int_equal(c->attribute[3].kind, OTEL_DOUBLE);
	assert_false(c->threads_unknown);
}

CASE(a_named_mapping_is_found_without_a_file, setup, teardown)
{
	put("service.name", "shop");
	publish_at(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	assert_null(value_of("service.name"));
	if (prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, header, PAGE, "OTEL_CTX"))
		skip(); /* CONFIG_ANON_VMA_NAME */
	assert_string_equal(value_of("service.name"), "shop");
}

CASE(a_changed_context_is_read_again_and_one_that_is_gone_is_forgotten, setup, teardown)
{
	put("service.name", "shop");
	publish();
	assert_string_equal(value_of("service.name"), "shop");
	bytes_release(&payload);
	put("service.name", "another");
	put("service.version", "2");
	header->time = 0; /* a change has begun */
	header->payload = NULL;
	assert_string_equal(value_of("service.name"), "shop");
	header->time = 1;
	update();
	assert_string_equal(value_of("service.name"), "another");
	assert_string_equal(value_of("service.version"), "2");
	munmap(header, PAGE);
	header = NULL;
	assert_null(value_of("service.name"));
	publish(); /* at the time of the first one */
	assert_string_equal(value_of("service.name"), "another");
}

CASE(secrets_are_redacted_by_their_keys, setup, teardown)
{
	put("acme.client_secret", "s3cr3t");
	put("service.name", "shop");
	put("vault.token.id", "1234");
	publish();
	assert_string_equal(value_of("acme.client_secret"), "[REDACTED]");
	assert_string_equal(value_of("vault.token.id"), "[REDACTED]");
	process_context_reader_free(reader);
	reader = process_context_reader_new(&self, "service");
	assert_string_equal(value_of("service.name"), "[REDACTED]");
	assert_string_equal(value_of("vault.token.id"), "1234");
}

CASE(what_is_too_much_is_left_out, setup, teardown)
{
	static char key[PROCESS_CONTEXT_KEY + 2], text[PROCESS_CONTEXT_VALUE + 2];
	char number[16];

	memset(key, 'k', PROCESS_CONTEXT_KEY);
	memset(text, 't', PROCESS_CONTEXT_VALUE);
	put(key, text);
	publish();
	assert_string_equal(value_of(key), text);
	key[PROCESS_CONTEXT_KEY] = 'k';
	put(key, "x");
	text[PROCESS_CONTEXT_VALUE] = 't';
	put("long", text);
	put("", "no key");
	for (int i = 0; i < 200; i++) {
		snprintf(number, sizeof(number), "n%d", i);
		put(number, number);
	}
	update();
	assert_int_equal(process_context_read(reader)->count, PROCESS_CONTEXT_MOST);
	assert_null(value_of(key));
	assert_null(value_of("long"));
	assert_string_equal(value_of("n126"), "n126");
	assert_null(value_of("n127"));
}

CASE(forged_headers_and_payloads_give_nothing, setup, teardown)
{
	struct header good;

	put("service.name", "shop");
	publish();
	good = *header;
	for (int i = 0; i < 9; i++) {
		*header = good;
		header->time = 100 + i;
		switch (i) {
		case 0: header->signature[7] = 'Y'; break;
		case 1: header->version = 1; break;
		case 2: header->version = 3; break;
		case 3: header->size = UINT32_MAX; break;
		case 4: header->size = PROCESS_CONTEXT_SIZE + 1; break;
		case 5: header->payload = NULL; break;
		case 6: header->payload = (void *)0xdead000000000000; break;
		case 7: header->payload = (void *)UINT64_MAX; break;
		case 8: header->size--; break; /* damaged */
		}
		assert_null(value_of("service.name"));
		*header = good;
		header->time = 200 + i;
		assert_string_equal(value_of("service.name"), "shop");
	}
	header->size = 0;
	header->time++;
	assert_int_equal(process_context_read(reader)->count, 0);
}

CASE(a_payload_ends_where_the_memory_ends, setup, teardown)
{
	unsigned char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + PAGE, PAGE);
	put("service.name", "shop");
	publish();
	memcpy(pages + PAGE - payload.size, payload.data, payload.size);
	header->payload = pages + PAGE - payload.size;
	assert_string_equal(value_of("service.name"), "shop");
	header->time++;
	header->payload = pages + PAGE - payload.size + 1;
	assert_null(value_of("service.name"));
	munmap(pages, PAGE);
}

CASE(the_form_of_thread_contexts_is_known_or_not, setup, teardown)
{
	static const struct {
		const char *name;
		bool unknown;
	} forms[] = {{"tlsdesc_v1_dev", false},
		     {"tls_v1", false},
		     {"go_pprof_labels_v1", true},
		     {"tls_v2", true},
		     {"", true}};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		bytes_release(&payload);
		put_value(2, "threadlocal.schema_version", put_string, forms[i].name);
		if (header)
			update();
		else
			publish();
		assert_int_equal(process_context_read(reader)->threads_unknown, forms[i].unknown);
	}
}

/* A publisher that others have made: the npm package @datadog/libdatadog 0.9, if it is in NODE_PATH. */
CASE(what_libdatadog_publishes_is_read, setup, teardown)
{
	struct process_context_reader *of_node;
	const struct process_context *c;
	struct target node;
	int pid = 0;
	FILE *from = popen(
		"exec node -e '"
		"const d = require(\"@datadog/libdatadog\").load(\"process-discovery\");"
		"const kept = d.storeMetadata(new d.TracerMetadata(\"id-1\", \"1.0\", \"host-1\", \"cart\", \"test\", \"2.3\", \"\", \"\"));"
		"console.log(process.pid); setTimeout(() => kept, 20000)' 2>/dev/null",
		"r");

	if (fscanf(from, "%d", &pid) != 1) {
		pclose(from);
		skip();
	}
	assert_int_equal(target_read(pid, &node), 0);
	of_node = process_context_reader_new(&node, NULL);
	c = process_context_read(of_node);
	assert_true(c->count >= 4);
	assert_string_equal(c->attribute[0].key, "service.name");
	assert_string_equal(c->attribute[0].value, "cart");
	assert_string_equal(c->attribute[1].key, "service.instance.id");
	assert_string_equal(c->attribute[1].value, "id-1");
	assert_string_equal(c->attribute[2].value, "2.3");
	process_context_reader_free(of_node);
	kill(pid, SIGKILL);
	pclose(from);
}

static bool stop;

/* Two payloads of different lengths in turn, in one place, which is rewritten while the time is 0. */
static void *change_all_the_time(void *place)
{
	static const char *const texts[] = {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "b"};

	for (unsigned int i = 0; !__atomic_load_n(&stop, __ATOMIC_ACQUIRE); i++) {
		uint64_t time = header->time;

		bytes_release(&payload);
		put("one", texts[i % 2]);
		put("two", texts[i % 2]);
		__atomic_store_n(&header->time, 0, __ATOMIC_SEQ_CST);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		memset(place, 0xff, PAGE);
		memcpy(place, payload.data, payload.size);
		header->size = payload.size;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		__atomic_store_n(&header->time, time + 1, __ATOMIC_SEQ_CST);
		if (i % 3 == 2) /* after either text */
			usleep(50);
	}
	return NULL;
}

CASE(what_is_read_while_it_changes_is_of_one_moment, setup, teardown)
{
	static char place[PAGE];
	unsigned int seen[2] = {0, 0};
	pthread_t changer;

	put("one", "b");
	put("two", "b");
	memcpy(place, payload.data, payload.size);
	publish();
	header->payload = place;
	pthread_create(&changer, NULL, change_all_the_time, place);
	for (int i = 0; i < 2000000 && (i < 5000 || !seen[0] || !seen[1]); i++) {
		const struct process_context *c = process_context_read(reader);

		if (!c->count)
			continue; /* nothing was whole so far */
		assert_int_equal(c->count, 2);
		assert_string_equal(c->attribute[0].value, c->attribute[1].value);
		seen[c->attribute[0].value[0] == 'b']++;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(changer, NULL);
	assert_true(seen[0] && seen[1]);
}
