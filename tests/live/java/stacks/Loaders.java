// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Classes that are loaded, unloaded and changed. */
final class Loaders {
    private static final int LOADERS = Integer.getInteger("stacks.loaders", 400);

    private static final List<ClassLoader> KEPT = new ArrayList<>();

    private Loaders() {
    }

    static byte[] bytes(String resource) throws IOException {
        try (InputStream in = Loaders.class.getResourceAsStream(resource)) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] part = new byte[8192];
            for (int n; (n = in.read(part)) > 0;)
                out.write(part, 0, n);
            return out.toByteArray();
        }
    }

    /** Defines the class of one name, and its nested classes, itself. */
    static final class ThrowAway extends ClassLoader {
        private final String own;

        ThrowAway(String own) {
            super(Loaders.class.getClassLoader());
            this.own = own;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null)
                    return known;
                if (!name.equals(own) && !name.startsWith(own + "$"))
                    return super.loadClass(name, resolve);
                try {
                    byte[] code = bytes("/" + name.replace('.', '/') + ".class");
                    return defineClass(name, code, 0, code.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }

        Class<?> define(byte[] code) {
            return defineClass(null, code, 0, code.length);
        }
    }

    static void hierarchy(long key) throws Exception {
        for (int i = 0; i < 12; i++) {
            KEPT.add(new ThrowAway("stacks.Hierarchy"));
            KEPT.get(i).loadClass("stacks.Hierarchy").getMethod("go", Long.class).invoke(null, key);
        }
    }

    static void initializers(long key) throws Exception {
        Main.initial = key;
        for (int i = 0; i < LOADERS / 4; i++) {
            Class<?> type = new ThrowAway("stacks.Calls$Initial").loadClass("stacks.Calls$Initial");
            if (i % 2 == 0)
                Class.forName(type.getName(), true, type.getClassLoader());
            else
                type.getMethod("touch").invoke(null);
        }
    }

    private static byte[] renamed(byte[] code, int number) {
        String text = new String(code, StandardCharsets.ISO_8859_1);
        return text.replace("T000", String.format("T%03d", number)).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** New classes reuse the memory and code cache of unloaded ones. */
    static void churn(long key) throws Exception {
        byte[] code = bytes("/stacks/ChurnT000.class");
        for (int i = 1; i < LOADERS; i++) {
            Class<?> type = new ThrowAway("").define(renamed(code, i));
            Method go = type.getMethod(String.format("goT%03d", i), Long.class, Integer.class);
            int rounds = i % 5 == 0 ? Shapes.ROUNDS : 200;
            for (int j = 0; j < 3; j++)
                go.invoke(null, key, rounds / 3);
            if (i % 20 == 0)
                System.gc();
        }
    }

    /**
     * Up to JDK 22 a class whose old code is on a stack may get a larger table of jmethodIDs, and the old table is freed
     * while another thread reads it (mended by JDK-8313332): two threads that call GetStackTrace can crash the JVM.
     */
    private static final boolean METHOD_IDS_ARE_SAFE = Double.parseDouble(System.getProperty("java.specification.version")) >= 23;

    /**
     * Retransformed unchanged, and redefined to other code and back, with callers on this stack and on another
     * thread's.
     */
    static void versions(long key) throws Exception {
        byte[][] code = {bytes("/version2/stacks/Changing.class"), bytes("/stacks/Changing.class")};
        int[] version = {0};
        Runnable nothing = () -> { };
        Runnable retransform = () -> check(Native.retransform(Changing.class, Loaders.class, Shapes.class));
        Runnable redefine = () -> check(Native.redefine(Changing.class, code[version[0]++ % 2]));
        AtomicBoolean ended = new AtomicBoolean();
        Thread other = new Thread(() -> {
            for (int i = 0; !ended.get() || i < Shapes.ROUNDS; i++)
                Shapes.sink += Changing.hot(key, i % 4000 == 0 ? 0 : i | 1);
        }, "versions-other");
        if (METHOD_IDS_ARE_SAFE)
            other.start();
        try {
            for (int i = 0; i < LOADERS / 10; i++) {
                Changing.outer(key, nothing, i);
                Changing.outer(key, retransform, i);
                Changing.outer(key, redefine, i);
                Shapes.loop((a, b) -> a % 50 == 0 ? Changing.hot(key, a) : 0);
            }
        } finally {
            ended.set(true);
        }
        other.join();
    }

    private static void check(boolean done) {
        if (!done)
            throw new IllegalStateException("the JVM does not change the class");
    }
}
