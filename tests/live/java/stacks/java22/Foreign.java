// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** C calls back through the Foreign Function API: qsort and its comparison function. */
final class Foreign {
    private static final AddressLayout POINTER = ADDRESS.withTargetLayout(JAVA_INT);
    private static long current;
    private static int nested;
    private static MethodHandle qsort;
    private static MemorySegment compare;

    private Foreign() {
    }

    static void list() {
        Main.SCENARIOS.put("foreign", Foreign::sort);
    }

    static int compare(MemorySegment a, MemorySegment b) {
        Probe.hit(current);
        if (nested < 3) {
            nested++;
            sortOnce();
            nested--;
        }
        return Integer.compare(a.get(JAVA_INT, 0), b.get(JAVA_INT, 0));
    }

    private static void sortOnce() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocateFrom(JAVA_INT, 3, 1, 2);
            qsort.invokeExact(numbers, 3L, 4L, compare);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    static void sort(long key) throws Exception {
        current = key;
        Linker linker = Linker.nativeLinker();
        qsort = linker.downcallHandle(linker.defaultLookup().find("qsort").get(),
                FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS));
        MethodHandle handle = MethodHandles.lookup().findStatic(Foreign.class, "compare",
                MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
        compare = linker.upcallStub(handle, FunctionDescriptor.of(JAVA_INT, POINTER, POINTER), Arena.global());
        for (int i = 0; i < 40; i++)
            sortOnce();
    }
}
