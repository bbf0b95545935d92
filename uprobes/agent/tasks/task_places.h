/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where tasks are handed over, begin and end: a table of methods of the JDK. Most are entered anew for each task, so that
 * threads of pools that are older than the recording are seen, too.
 */
#ifndef AGENT_TASK_PLACES_H
#define AGENT_TASK_PLACES_H

#include "bpf/frtrace.h"
#include "uprobes/agent/tasks/task_class.h"

/* The places of a program's own (--handoff) of a recording that begins, besides those of others if `others` run. */
void task_places_begin(uint32_t recording, bool others);

/* True if some of the program's own are in this class. */
bool task_places_are_own(struct slice class_name);

/* True if hooks for tasks go into this class. */
bool task_places_in(struct slice class_name);

#define TASK_PLACES_MOST 12u /* in one class */

/* The edits of the class, for class_edit(), in the order of its methods; `id`: the place. `room`: for how many. Returns their number. */
uint32_t task_places_edits(const struct class_file *c, struct method_edit *edits, uint32_t room);

/* The method at this place has hooks now. */
void task_place_is_hooked(JNIEnv *env, jint place);

/* What becomes of a task that is taken at this place. */
enum frt_task_end task_place_end(jint place);

/* True if it goes on at this place as if it had not been suspended: there is no task. */
bool task_place_resumes(jint place);

/* True if it runs until the thread asks for the next one, or ends. */
bool task_place_is_open(jint place);

/* The number of the place at which a thread runs what it was started for. */
jint task_place_thread(void);

/* True if a thread may run tasks of others here while it is in a task. */
bool task_place_helps(jint place);

/* True if the running thread may be between two carriers there: nothing may be asked of the JVM about it. */
bool task_place_mounts(jint place);

#endif
