/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of methods that are the same in each run of a program, so that two exports can be compared. */
#ifndef USER_TRACE_NORMAL_NAME_H
#define USER_TRACE_NORMAL_NAME_H

/*
 * Cut out of "a.b.C$$Lambda.0x00007f7040000218.run()" what differs from run to run: the address in the name of a hidden
 * class (JDK 15 on), the numbers in that of a lambda (before), a proxy or a generated accessor. How the JVM makes them:
 * ClassFileParser::mangle_hidden_class_name(), InnerClassLambdaMetafactory, ProxyGenerator, MethodAccessorGenerator.
 */
void normal_name(char *name);

#endif
