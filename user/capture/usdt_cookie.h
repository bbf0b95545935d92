/* SPDX-License-Identifier: BSD-2-Clause */
/* The attach cookie of a site: which one it is, and where its first arguments are (bpf/sites.h). */
#ifndef USER_CAPTURE_USDT_COOKIE_H
#define USER_CAPTURE_USDT_COOKIE_H

#include "bpf/sites.h"

#include <stdint.h>

/*
 * `arguments` is the text of a USDT note, such as "8@%r12 8@-56(%rbp) -4@%eax" or "8@x1 8@[x29, 16] -4@w0". Arguments of another size than eight
 * bytes, and places other than a register or a word at a register plus an offset, are unknown to the program.
 */
uint64_t usdt_cookie(enum frt_site site, const char *arguments);

/*
 * The same for a site whose arguments are all in registers, FRT_SITE_METHOD_ENTRY or FRT_SITE_METHOD_RETURN: the program
 * gets the names of class, method and descriptor, and the Java thread's id. 0: they are elsewhere.
 */
uint64_t usdt_register_cookie(enum frt_site site, const char *arguments);

#endif
