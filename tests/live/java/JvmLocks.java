// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * JvmLocks DIR THREADS CLASSES: waits for locks of the JVM, not of the program. Threads call large methods for the first
 * time, each in CLASSES copies of a class, so that they wait for the queue of a single compiler. Then a thread waits for
 * another one to initialize a class.
 */
public class JvmLocks {
    /** C1 has part() sixteen times in the code of each of the other two. */
    public static class Large implements Runnable {
        static int x;

        static void part(int k) {
            x += k * 3;
            if (x % 7 == 3)
                x ^= k;
        }

        static void first(int k) {
            part(k); part(k + 1); part(k + 2); part(k + 3); part(k + 4); part(k + 5); part(k + 6); part(k + 7);
            part(k); part(k + 1); part(k + 2); part(k + 3); part(k + 4); part(k + 5); part(k + 6); part(k + 7);
        }

        static void second(int k) {
            part(k); part(k + 1); part(k + 2); part(k + 3); part(k + 4); part(k + 5); part(k + 6); part(k + 7);
            part(k); part(k + 1); part(k + 2); part(k + 3); part(k + 4); part(k + 5); part(k + 6); part(k + 7);
        }

        @Override
        public void run() {
            for (int k = 0; k < 400; k++) {
                first(k);
                second(k);
            }
        }
    }

    static class Slow {
        static int x = JvmLocks.slowly();

        static int get() {
            return x;
        }
    }

    static class Copies extends ClassLoader {
        private final byte[] bytes;

        Copies(byte[] bytes) {
            super(null);
            this.bytes = bytes;
        }

        Runnable large() throws ReflectiveOperationException {
            return (Runnable) defineClass(null, bytes, 0, bytes.length).getDeclaredConstructor().newInstance();
        }
    }

    static void compiled(Runnable large) {
        large.run();
    }

    private static final AtomicInteger arrived = new AtomicInteger();

    /** The other thread waits for most of the time. */
    static int slowly() {
        try {
            while (arrived.get() < 2)
                Thread.sleep(1);
            Thread.sleep(200);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return 1;
    }

    static int initialized() {
        arrived.incrementAndGet();
        return Slow.get();
    }

    static byte[] bytesOf(Class<?> c) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = c.getResourceAsStream("/" + c.getName().replace('.', '/') + ".class")) {
            for (int b; (b = in.read()) >= 0;)
                out.write(b);
        }
        return out.toByteArray();
    }

    static void callCopies(byte[] bytes, int classes) {
        try {
            for (int i = 0; i < classes; i++)
                compiled(new Copies(bytes).large());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static void together(int threads, Runnable what) throws InterruptedException {
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            all[i] = new Thread(what, "caller-" + i);
            all[i].start();
        }
        for (Thread thread : all)
            thread.join();
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int classes = Integer.parseInt(args[2]);
        byte[] bytes = bytesOf(Large.class);
        stage.awaitGo();
        together(Integer.parseInt(args[1]), () -> callCopies(bytes, classes));
        together(2, JvmLocks::initialized);
        stage.finish();
    }
}
