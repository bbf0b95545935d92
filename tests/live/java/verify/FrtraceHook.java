// SPDX-License-Identifier: BSD-2-Clause
package java.lang;

/*
 * Hooks that do nothing, for a JVM that starts with every method of java.base edited: none of their lines may need
 * another class.
 */
public final class FrtraceHook {
	public static long enter(int id) {
		return 1;
	}

	public static void leave(long start, int id) { }

	public static void thrown(long start, int id) { }
}
