/* SPDX-License-Identifier: BSD-2-Clause */
/* The class file of java.lang.FrtraceTasks<tag>; see task_class.h. */
#ifndef AGENT_TASK_CODE_H
#define AGENT_TASK_CODE_H

#include <stddef.h>
#include <stdint.h>

#define TASK_ROWS_LOG2 14
#define TASK_ROWS      (1u << TASK_ROWS_LOG2)

/* The low bits of a task's handle are its row. */
#define TASK_ROW(handle) ((uint32_t)(handle) & (TASK_ROWS - 1))

/* Why a task gets no row. */
enum task_why {
	TASK_NOT = -1,	   /* it is of no interest */
	TASK_STRANGE = -2, /* nor is it, but if the same object waits already, it must be known that it does so twice */
	TASK_EXCESS = -3,  /* there is no room; that it waits must be known */
};

enum task_put {
	TASK_GONE,  /* it is in no row */
	TASK_WAITS, /* no other one has that hash */
	TASK_TWINS, /* others have */
};

enum task_take {
	TASK_LATE,    /* another thread was first */
	TASK_TAKEN,   /* its run is followed to its end */
	TASK_IGNORED, /* it is of no interest, and its row is free again */
};

/* How many classes the Java code knows, and how many of them are around each other at most. */
#define TASK_CLASSES_LOG2 9
#define TASK_CLASSES	  (1u << TASK_CLASSES_LOG2)
#define TASK_WRAPPERS	  6

#define OBJECT	   "Ljava/lang/Object;"
#define OBJECTS	   "[" OBJECT
#define REFERENCES "[Ljava/lang/ref/Reference;"

#define TASK_CODE_SIZE 6144u

/* Its native methods, in this order, which is that of struct task_natives. */
enum task_native {
	TASK_ASK,
	TASK_NAMELESS,
	TASK_PUT,
	TASK_TWIN,
	TASK_ANY,
	TASK_FIND,
	TASK_TAKE,
	TASK_END,
	TASK_IDLE,
	TASK_FIRST,
	TASK_STRANGER,
	TASK_DIRECT,
	TASK_OTHER,
	TASK_LEFT,
	TASK_UNMET,
	TASK_DISPATCHED,
	TASK_STARTS,
	TASK_NATIVES
};
extern char task_native_names[TASK_NATIVES][12], task_native_types[TASK_NATIVES][48];

/* The JDK's class Unsafe, the type of getUnsafe(), and the name of the method (Object, long) that reads a reference. */
struct task_unsafe {
	const char *class_name, *get_unsafe_type, *get_reference;
};

/* Write the class with that internal name. Returns its size, or 0: it does not fit. */
size_t task_code_write(unsigned char *to, size_t room, const char *class_name, const struct task_unsafe *unsafe);

#endif
