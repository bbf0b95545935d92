// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.concurrent.Callable;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Every way in which a method can begin and end, each in a method of its own. Java 8. */
public class Exits {
    static int sink;
    static final Object LOCK = new Object();

    // ---- returns
    static int normal(int x) {
        return x + 1;
    }

    static int several(int x) {
        if (x % 3 == 0)
            return 1;
        if (x % 3 == 1)
            return 2;
        return 3;
    }

    static void returnsNothing(int x) {
        sink += x;
    }

    static long returnsLong(long a, double b, int c) {
        return a + (long) b + c;
    }

    static double returnsDouble(double a, long b) {
        return a * b;
    }

    static float returnsFloat(float a) {
        return a / 2;
    }

    static int[] returnsArray(int n) {
        return new int[n & 7];
    }

    static boolean returnsBoolean(Object o) {
        return o == LOCK;
    }

    static int loopAtStart(int x) {
        do {
            x--;
        } while (x > 0);
        return x;
    }

    static int newWithBranch(int x) {
        return new Base(x > 3 ? 2 : 4).value;
    }

    // ---- exceptions
    static int ownThrow(int x) {
        throw new IllegalStateException("own");
    }

    static int sometimesThrow(int x) {
        if (x % 4 == 0)
            throw new IllegalStateException("sometimes");
        return x;
    }

    static int ownThrowCaught(int x) {
        try {
            throw new IllegalStateException("caught inside");
        } catch (IllegalStateException e) {
            return x;
        }
    }

    static int caughtAndThrownAnew(int x) {
        try {
            return callee(x);
        } catch (IllegalStateException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static int tryFinally(int x) {
        try {
            return x;
        } finally {
            sink++;
        }
    }

    static int tryFinallyThrows(int x) {
        try {
            return callee(x);
        } finally {
            sink++;
        }
    }

    @SuppressWarnings("finally")
    static int finallySwallows(int x) {
        try {
            throw new IllegalStateException("swallowed");
        } finally {
            return x;
        }
    }

    static int callee(int x) {
        throw new IllegalStateException("callee");
    }

    static int calleeThrows(int x) {
        return callee(x) + 1;
    }

    static int calleeCaught(int x) {
        try {
            return callee(x);
        } catch (RuntimeException e) {
            return 2;
        }
    }

    static int nullPointer(int[] a) {
        return a.length;
    }

    static int arrayIndex(int[] a, int i) {
        return a[i];
    }

    static int division(int a, int b) {
        return a / b;
    }

    static String classCast(Object o) {
        return (String) o;
    }

    static int[] negativeSize(int n) {
        return new int[n];
    }

    static void arrayStore(Object[] a, Object o) {
        a[0] = o;
    }

    static int implicitCaught(int[] a) {
        try {
            return a[a.length];
        } catch (ArrayIndexOutOfBoundsException e) {
            return -1;
        }
    }

    // ---- recursion
    static int recursion(int depth) {
        return depth == 0 ? 0 : 1 + recursion(depth - 1);
    }

    static int recursionThrows(int depth) {
        if (depth == 0)
            throw new IllegalStateException("bottom");
        return 1 + recursionThrows(depth - 1);
    }

    // ---- locks
    static synchronized int synchronizedStatic(int x) {
        return x;
    }

    synchronized int synchronizedInstance(int x) {
        if (x % 5 == 0)
            throw new IllegalStateException("with the monitor");
        return x;
    }

    static int synchronizedBlock(int x) {
        synchronized (LOCK) {
            synchronized (Exits.class) {
                if (x % 2 == 0)
                    throw new IllegalStateException("with two monitors");
                return x;
            }
        }
    }

    // ---- switches
    static int switches(int x, String s) {
        int y = 0;
        switch (x & 15) {
        case 0: y = 3; break;
        case 1: y = 5; break;
        case 2: return 7;
        case 3: y = 8;
        case 4: y += 2; break;
        case 5: case 6: case 7: y = 4; break;
        case 9: throw new IllegalStateException("in a switch");
        default: y = 1;
        }
        switch (x) {
        case -100000: y++; break;
        case 12: y += 2; break;
        case 5000: return y;
        case 2000000000: y += 4; break;
        }
        switch (s) {
        case "one": return y;
        case "two": return y + 1;
        case "AaAa": case "BBBB": return y + 2; // equal hash codes
        default: return y + 3;
        }
    }

    // ---- constructors
    static class Base {
        final int value;

        Base(int x) {
            if (x % 4 == 1)
                throw new IllegalStateException("in the super constructor");
            value = x;
        }
    }

    static class Sub extends Base {
        Sub(int x) {
            super(x % 2 == 0 ? checked(x) : x);
            if (x % 4 == 2)
                throw new IllegalStateException("after super()");
        }

        static int checked(int x) {
            if (x % 4 == 0)
                throw new IllegalStateException("before super()");
            return x;
        }
    }

    static class Chain extends Base {
        Chain() {
            this(3);
        }

        Chain(int x) {
            super(x);
            try {
                callee(x);
            } catch (IllegalStateException e) {
                sink++;
            }
        }
    }

    static class Fields {
        int a = 3, b = normal(a);
        final int[] c = {1, 2, 3};
    }

    // ---- initializers
    static class InitBefore {
        static int value = normal(1);
    }

    static class InitAfter {
        static int value;
        static {
            for (int i = 0; i < 10; i++)
                value += i;
        }
    }

    static class InitThrows {
        static int value;
        static {
            if (sink >= 0 || LOCK != null)
                throw new IllegalStateException("initializer");
        }
    }

    // ---- interfaces, enums, lambdas, bridges
    interface Shape {
        default int area(int x) {
            return x * x;
        }

        static int unit(int x) {
            return x + 1;
        }

        int sides();
    }

    static class Square implements Shape {
        @Override
        public int sides() {
            return 4;
        }
    }

    enum Color {
        RED {
            @Override
            int code(int x) {
                return x;
            }
        },
        GREEN {
            @Override
            int code(int x) {
                if (x % 2 == 0)
                    throw new IllegalStateException("green");
                return x;
            }
        };

        abstract int code(int x);

        static Color of(int x) {
            return x % 2 == 0 ? RED : GREEN;
        }
    }

    static int lambdas(int x) {
        IntUnaryOperator twice = y -> y * 2 + x;
        Callable<Integer> three = () -> 3;
        try {
            return twice.applyAsInt(x) + three.call() + IntStream.range(0, 3).map(i -> i + x).sum();
        } catch (Exception e) {
            return 0;
        }
    }

    static class Key implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            return 0;
        }
    }

    static int varargs(Object... all) {
        return all.length;
    }
}
