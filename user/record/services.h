/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of services by their ports, as in services(5). */
#ifndef USER_RECORD_SERVICES_H
#define USER_RECORD_SERVICES_H

#include <stdbool.h>
#include <stdint.h>

struct services;

/* Read such a file. NULL: it cannot be read, or no memory. */
struct services *services_read(const char *path);
void services_free(struct services *s);

/* The first name of a port of TCP, or of UDP (`datagram`). NULL: there is none; `s` may be NULL. It lives as long as `s`. */
const char *services_name(const struct services *s, uint16_t port, bool datagram);

#endif
