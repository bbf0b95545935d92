/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of the C functions to which the JVM binds a native method when it is called first (JNI specification,
 * "Resolving Native Method Names"): Java_CLASS_METHOD, and with the types of its arguments for an overloaded one,
 * Java_CLASS_METHOD__TYPES.
 */
#ifndef USER_JVM_JNI_NAME_H
#define USER_JVM_JNI_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define JNI_NAME 1024 /* bytes with the 0; functions with longer names are not looked for */

/*
 * The short or long name of the function, with another prefix in place of "Java_" if that is not NULL. Names have the
 * form of class files, in modified UTF-8. False: it does not fit, or the descriptor is none.
 */
bool jni_name(char out[JNI_NAME], const char *prefix, const char *class_name, const char *method,
	      const char *descriptor, bool long_name);

#endif
