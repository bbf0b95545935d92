/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which methods the program at HotSpot's own probes follows (bpf/probes.h): those that the filters match, found in the
 * JVM's memory. They get rows in the segment and entries in the program's maps, and so do all other classes that are
 * loaded, because the program must recognise them at a glance.
 *
 * Classes come and go, and a Symbol that nothing refers to is freed and its address reused. So all of them are read
 * again when the program meets a class that may be chosen, and every ten seconds.
 */
#ifndef USER_CAPTURE_HOTSPOT_METHODS_H
#define USER_CAPTURE_HOTSPOT_METHODS_H

#include "format/diag.h"
#include "user/capture/clock.h"
#include "user/segment/segment.h"
#include "user/options/settings.h"

struct hotspot_methods;

struct hotspot_methods_setup {
	const struct settings *settings;
	const struct target *target;
	const struct clock *clock;
	struct segment *segment;	       /* made by segment_make() */
	int classes_fd, methods_fd, missed_fd; /* the program's maps */
	volatile unsigned long long
		*others;	      /* FRT_OTHER_CLASSES: the program's memory of classes that are not chosen */
	void (*first)(void *context); /* called before the program gets the first method */
	void *context;
};

/* Choose methods of the classes that are loaded. Returns 0, or -errno with the message and *out set to NULL. */
int hotspot_methods_new(struct hotspot_methods **out, const struct hotspot_methods_setup *setup, struct diag *d);
void hotspot_methods_free(struct hotspot_methods *h);

/* The program has met a class for the first time: decide about it now, or have it read with all others. */
void hotspot_methods_ask(struct hotspot_methods *h, uint64_t class_name);

/* Call about twenty times a second: reads the classes again when that is due. */
void hotspot_methods_tick(struct hotspot_methods *h);

/* The probes are gone, and their records have been taken: decide about the last classes, so that what was missed is known. */
void hotspot_methods_finish(struct hotspot_methods *h);

/* At most so many calls of chosen methods were missed, because their class was new. */
uint64_t hotspot_methods_missed(const struct hotspot_methods *h);

struct frt_probe_exceptions;

/* Where the JVM's memory shows that an exception ends a call. */
void hotspot_methods_describe(const struct hotspot_methods *h, struct frt_probe_exceptions *out);

/* The JavaThread with this id in the JVM's pid namespace. 0: it is not there any more, or cannot be found. */
uint64_t hotspot_methods_java_thread(struct hotspot_methods *h, uint32_t tid);

/* Read the name of a JavaThread whose Java id is known, in modified UTF-8. Returns false if it is unknown. */
bool hotspot_methods_thread_name(struct hotspot_methods *h, uint64_t java_thread, uint64_t java_id, char *out,
				 size_t size);

#endif
