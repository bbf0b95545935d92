// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.lang.reflect.Method;

/** Threads of a test program. If one fails, so does the program. */
final class Cast {
    interface Body {
        void run() throws Exception;
    }

    private Cast() {
    }

    static Runnable of(Body body) {
        return () -> {
            try {
                body.run();
            } catch (Exception e) {
                System.err.println("in thread " + Thread.currentThread().getName());
                e.printStackTrace();
                System.exit(1);
            }
        };
    }

    static Thread start(String name, Body body) {
        Thread t = new Thread(of(body), name);
        t.start();
        return t;
    }

    /** A virtual thread, which is not started. JDK 21 and later; by reflection, to compile for older ones. */
    static Thread virtual(String name, Body body) {
        try {
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            Object builder = type.getMethod("name", String.class).invoke(Thread.class.getMethod("ofVirtual").invoke(null), name);
            Method unstarted = type.getMethod("unstarted", Runnable.class);
            return (Thread) unstarted.invoke(builder, of(body));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static Thread startVirtual(String name, Body body) {
        Thread t = virtual(name, body);
        t.start();
        return t;
    }
}
