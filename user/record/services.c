// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/services.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVICES_MOST 20000 /* rows; Debian has some 400, IANA 12,000 */
#define NAME_TEXT     32

struct services {
	struct service {
		uint16_t port;
		bool datagram;
		char name[NAME_TEXT];
	} *row;
	size_t count, capacity;
};

static void services_add(struct services *s, const struct service *add)
{
	struct service *grown;

	if (s->count == s->capacity) {
		size_t capacity = s->capacity ? 2 * s->capacity : 512;

		grown = s->count < SERVICES_MOST ? realloc(s->row, capacity * sizeof(*s->row)) : NULL;
		if (!grown)
			return;
		s->row = grown;
		s->capacity = capacity;
	}
	s->row[s->count++] = *add;
}

/* "postgresql	5432/tcp	postgres	# PostgreSQL Database" */
static void services_add_line(struct services *s, char *line)
{
	struct service add;
	unsigned int port;
	char protocol[4];

	line[strcspn(line, "#")] = 0;
	if (sscanf(line, " %31s %u/%3s", add.name, &port, protocol) != 3 || !port || port > UINT16_MAX)
		return;
	add.port = port;
	add.datagram = strcmp(protocol, "udp") == 0;
	if (add.datagram || strcmp(protocol, "tcp") == 0)
		services_add(s, &add);
}

struct services *services_read(const char *path)
{
	FILE *from = fopen(path, "re");
	struct services *s = from ? calloc(1, sizeof(*s)) : NULL;
	char line[512];

	while (s && fgets(line, sizeof(line), from))
		services_add_line(s, line);
	if (from)
		fclose(from);
	return s;
}

void services_free(struct services *s)
{
	if (s)
		free(s->row);
	free(s);
}

const char *services_name(const struct services *s, uint16_t port, bool datagram)
{
	for (size_t i = 0; s && i < s->count; i++)
		if (s->row[i].port == port && s->row[i].datagram == datagram)
			return s->row[i].name;
	return NULL;
}
