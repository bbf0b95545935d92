// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Calls through the JDK: lambdas, method handles, reflection, proxies, streams, privileged actions, native code. */
@SuppressWarnings({"removal", "deprecation"})
final class Calls {
    static int sink;

    private Calls() {
    }

    static void lambdas(long key) {
        Supplier<Integer> supplier = () -> Shapes.leaf(key, sink++);
        Function<Integer, Integer> nested = x -> {
            IntUnaryOperator inner = y -> supplier.get() + y;
            return inner.andThen(z -> z + Shapes.leaf(key, z & 63)).applyAsInt(x);
        };
        Function<Object, Integer> reference = new Calls()::instance;
        for (int i = 0; i < Shapes.ROUNDS; i++)
            sink += nested.apply(i) + reference.compose(x -> key).apply(i);
    }

    private int instance(Object key) {
        return Shapes.leaf((Long) key, sink++);
    }

    static void streams(long key) {
        for (int i = 0; i < 40; i++) {
            sink += IntStream.range(0, 30).filter(x -> x % 2 == 0).map(x -> Shapes.leaf(key, x * Shapes.EVERY)).sum();
            List<Integer> list = new ArrayList<>(Arrays.asList(3, 1, 2));
            list.sort(Comparator.comparing(x -> x + Probe.hit(key)));
            list.forEach(x -> sink += Probe.hit(key));
            Map<String, Integer> map = new TreeMap<>();
            sink += map.computeIfAbsent("k", k -> Probe.hit(key));
        }
        IntStream.range(0, 200).parallel().forEach(x -> Probe.hit(key));
    }

    // ---- method handles

    static int target(long key, int i) {
        return Shapes.leaf(key, i);
    }

    static int collect(long key, Object... rest) {
        return Shapes.leaf(key, (Integer) rest[0]);
    }

    static int more(int x) {
        return x + 1;
    }

    int virtual(long key, int i) {
        return Shapes.leaf(key, i);
    }

    static void handles(long key) throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle exact = lookup.findStatic(Calls.class, "target", MethodType.methodType(int.class, long.class, int.class));
        MethodHandle bound = MethodHandles.insertArguments(exact, 0, key);
        MethodHandle filtered = MethodHandles.filterReturnValue(bound,
                lookup.findStatic(Calls.class, "more", MethodType.methodType(int.class, int.class)));
        MethodHandle collector = lookup.findStatic(Calls.class, "collect",
                MethodType.methodType(int.class, long.class, Object[].class)).asVarargsCollector(Object[].class);
        MethodHandle virtual = lookup.findVirtual(Calls.class, "virtual", exact.type()).bindTo(new Calls());
        MethodHandle guarded = MethodHandles.guardWithTest(
                MethodHandles.dropArguments(MethodHandles.constant(boolean.class, true), 0, long.class, int.class), exact, virtual);
        MethodHandle caught = MethodHandles.catchException(exact, RuntimeException.class,
                MethodHandles.dropArguments(exact, 0, RuntimeException.class));
        MethodHandle spread = exact.asSpreader(Object[].class, 2);
        for (int i = 0; i < Shapes.ROUNDS / 4; i++) {
            sink += (int) exact.invokeExact(key, i);
            sink += (int) bound.invokeExact(i);
            sink += (int) filtered.invoke(i);
            sink += (int) collector.invoke(key, i, i, i);
            sink += (int) virtual.invokeExact(key, i);
            sink += (int) guarded.invokeExact(key, i);
            sink += (int) caught.invokeExact(key, i);
            sink += (int) spread.invoke(new Object[] {key, i});
            if (i % Shapes.EVERY == 0)
                sink += (Integer) exact.invokeWithArguments(key, i);
        }
    }

    // ---- reflection: the first 15 calls of a method are native up to JDK 17, generated code afterwards

    public static class Made {
        public Made(Long key, Integer i) {
            sink += Shapes.leaf(key, i);
        }

        public Integer work(Long key, Integer i) {
            return Shapes.leaf(key, i);
        }
    }

    public interface Work {
        Integer work(Long key, Integer i);
    }

    static void reflection(long key) throws Exception {
        for (int round = 0; round < 10; round++) {
            Method method = Made.class.getMethod("work", Long.class, Integer.class);
            Method plain = Calls.class.getDeclaredMethod("target", long.class, int.class);
            Constructor<Made> constructor = Made.class.getConstructor(Long.class, Integer.class);
            for (int i = 0; i < 40; i++) {
                Made made = constructor.newInstance(key, 0);
                sink += (Integer) method.invoke(made, key, 0);
                sink += (Integer) plain.invoke(null, key, 0);
            }
        }
        Method method = Made.class.getMethod("work", Long.class, Integer.class);
        Method invoke = Method.class.getMethod("invoke", Object.class, Object[].class);
        Made made = new Made(key, 1);
        for (int i = 0; i < Shapes.ROUNDS / 4; i++) {
            sink += (Integer) method.invoke(made, key, i);
            if (i % Shapes.EVERY == 0)
                sink += (Integer) invoke.invoke(method, made, new Object[] {key, i});
        }
    }

    static void proxies(long key) {
        Work direct = new Made(key, 1)::work;
        Work proxy = (Work) Proxy.newProxyInstance(Calls.class.getClassLoader(), new Class<?>[] {Work.class},
                (p, method, arguments) -> method.invoke(direct, arguments));
        for (int i = 0; i < Shapes.ROUNDS / 4; i++)
            sink += proxy.work(key, i);
    }

    // ---- static initializers run for Java code; `initialise` loads a new class each time

    public static final class Initial {
        static final int FIRST = Probe.hit(Main.initial);
        static final int SECOND = Nested.VALUE;

        static final class Nested {
            static final int VALUE = Probe.hit(Main.initial);
        }

        public static int touch() {
            return FIRST + SECOND;
        }
    }

    static void privileged(long key) throws Exception {
        for (int i = 0; i < Shapes.ROUNDS / 4; i++) {
            int at = i;
            sink += AccessController.doPrivileged((PrivilegedAction<Integer>) () -> Shapes.leaf(key, at));
            sink += AccessController.doPrivileged((PrivilegedExceptionAction<Integer>) () ->
                    AccessController.doPrivileged((PrivilegedAction<Integer>) () -> Shapes.leaf(key, at), AccessController.getContext()));
        }
    }

    // ---- native code between Java frames

    static void upcalls(long key) {
        for (int i = 0; i < Shapes.ROUNDS / 20; i++) {
            int at = i;
            Native.run(() -> sink += Shapes.leaf(key, at));
            Native.run(() -> Native.run(() -> Native.run(() -> sink += Shapes.leaf(key, at))));
            Native.run(() -> {
                try {
                    Native.run(() -> {
                        throw new IllegalStateException();
                    });
                } catch (IllegalStateException e) {
                    sink += Shapes.leaf(key, at);
                }
            });
        }
        for (int i = 0; i < 200; i++)
            nest(key, i % 12);
    }

    private static void nest(long key, int n) {
        if (n == 0)
            Probe.hit(key);
        else
            Native.run(() -> nest(key, n - 1));
    }
}
