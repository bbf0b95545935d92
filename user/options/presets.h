/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Presets: what known servers, drivers and clients are traced by. Each is a text, in the words of the command line:
 *
 *     # HTTP requests of com.sun.net.httpserver
 *     --loaded sun.net.httpserver.ServerImpl
 *     --inside sun.net.httpserver.ServerImpl$Exchange$LinkHandler::handle
 *     -e http.Request sun.net.httpserver.ServerImpl$Exchange$LinkHandler::handle
 *        httpMethod=arg0.impl.method url:url=arg0.impl.uri status:number=arg0.impl.rcode
 *
 * The first comment is its title. An option stands at the beginning of a line, and what is indented belongs to the line before:
 * -e, -m, --inside, an entry point, or --loaded, which names a class that is loaded before the first call of the events below:
 * so a server is found that has had no request yet. none: the JDK loads the class of their method for itself, so a loaded
 * class proves nothing. frtrace's own are in presets/. More are in PRESETS_DIRECTORY, where a file's
 * name is that of the preset; one of the same name as an own one stands for it.
 */
#ifndef USER_OPTIONS_PRESETS_H
#define USER_OPTIONS_PRESETS_H

#include "user/options/settings.h"

#define PRESETS_DIRECTORY "/etc/frtrace/presets" /* the environment's FRTRACE_PRESETS replaces it */

struct preset {
	char *name, *title, *text;
	char *path; /* of its file; NULL: it is built in */
};

struct presets {
	struct preset *preset; /* by name */
	size_t count, capacity;
};

/* Read all. A zeroed list is empty. 0, or -errno with the message; no directory is no error. */
int presets_read(struct presets *out, struct diag *d);
void presets_release(struct presets *p);

/* NULL: there is none of that name. */
const struct preset *presets_find(const struct presets *p, const char *name);

/*
 * Add what presets trace to the settings: those of `names`, with ',' between them, or all for "all". Their entry points are not
 * used. 0, or a usage error that names the file and the line.
 */
int presets_add(struct settings *s, const char *names, struct diag *d);

/* The same with all presets, for a recording to which no method was named: only inside of slow calls of their entry points. */
int presets_add_entries(struct settings *s, struct diag *d);

#endif
