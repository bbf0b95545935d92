/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library that publishes the distributed trace of each thread, as tracing libraries do, and what the program is (OTEP
 * 4719). -DVARIABLE=its name; -DLARGE: there is no room for its variables in the static block of threads.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__thread void *VARIABLE;
#ifdef LARGE
__thread char large[100000];

char *use_large(void)
{
	return large;
}
#endif

void **place(void)
{
	return &VARIABLE;
}

struct message {
	size_t size;
	unsigned char at[1000];
};

/* A field of Protocol Buffers that has data; a length may have more bytes than it needs. */
static void put(struct message *m, int field, const void *data, size_t size)
{
	unsigned char head[] = {field << 3 | 2, size % 128 | 128, size / 128};

	memcpy(m->at + m->size, head, sizeof(head));
	memcpy(m->at + m->size + sizeof(head), data, size);
	m->size += sizeof(head) + size;
}

static void put_attribute(struct message *m, int field, const char *key, const void *value, size_t size)
{
	struct message pair = {0};

	put(&pair, 1, key, strlen(key));
	put(&pair, 2, value, size);
	put(m, field, pair.at, pair.size);
}

static void put_text(struct message *m, int field, const char *key, const char *text)
{
	struct message value = {0};

	put(&value, 1, text, strlen(text));
	put_attribute(m, field, key, value.at, value.size);
}

static void put_context(struct message *m, const char *service, const char *version)
{
	struct message resource = {0};

	put_text(&resource, 1, "service.name", service);
	put_text(&resource, 1, "service.version", version);
	put_attribute(&resource, 1, "replica", "\x18\x03", 2);
	put_attribute(&resource, 1, "debug", "\x10\x01", 2);
	put_attribute(&resource, 1, "share", "\x21\0\0\0\0\0\0\xd0\x3f", 9); /* 0.25 */
	put_text(&resource, 1, "vault.token", "s3cr3t-of-traced");
	put_text(&resource, 1, "process.command_line", "java -Dpin=s3cr3t-of-traced");
	put(m, 1, resource.at, resource.size);
	put_text(m, 2, "threadlocal.schema_version", "tlsdesc_v1_dev");
}

struct header {
	char signature[8];
	uint32_t version, size;
	uint64_t time, payload;
};

static struct header *header_make(void)
{
	int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC);
	struct header *h;

	if (fd < 0 || ftruncate(fd, sizeof(*h)))
		abort();
	h = mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	if (h == MAP_FAILED || madvise(h, sizeof(*h), MADV_DONTFORK))
		abort();
	*h = (struct header){"OTEL_CTX", 2};
	return h;
}

/* It stays when the library goes; then it cannot be changed any more. */
void describe(const char *service, const char *version)
{
	static struct header *header;
	struct message *m = calloc(1, sizeof(*m));
	static uint64_t times;

	if (!header)
		header = header_make();
	put_context(m, service, version);
	__atomic_store_n(&header->time, 0, __ATOMIC_SEQ_CST);
	header->size = m->size;
	header->payload = (uint64_t)m->at;
	__atomic_store_n(&header->time, ++times, __ATOMIC_SEQ_CST);
}
