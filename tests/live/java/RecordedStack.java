// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.PrintWriter;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import jdk.jfr.Event;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedClassLoader;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * A thread that takes the same path repeatedly. Flight Recorder takes its stack at the end of each path, and the thread
 * stays at the last one. "ready": its id is in "tid", and "recorded" has the callers of leaf from the recording, in the
 * form of tests/live/resolve_probe.c. The argument is the number of rounds.
 */
public class RecordedStack {
    static class Here extends Event {
        int i;
    }

    static volatile boolean last, parked;
    static volatile long nanos = 1;
    static String tid;

    static class Deep {
        protected static class Deeper {
            private final int k;

            Deeper(int k) { this.k = k; }

            int leaf(int i) {
                Here here = new Here();
                here.i = i;
                here.commit();
                parked = last; // not a branch: one that was never taken would invalidate the compiled code
                LockSupport.parkNanos(this, nanos);
                return i + k;
            }

            int four(int i) { return leaf(i) + 1; }
        }

        int three(int i) { return new Deeper(i).four(i); }

        final int two(int i) {
            int s = 0;
            for (int k = 0; k < 1; k++)
                s += three(i);
            return s;
        }
    }

    static int one(int i) { return new Deep().two(i) * 3; }

    static synchronized int locked(int i) {
        return
            one(i);
    }

    static int recur(int n, int i) { return n == 0 ? locked(i) : recur(n - 1, i) + 1; }

    static final IntUnaryOperator LAMBDA = i -> recur(6, i) - 1;
    static MethodHandle handle;
    static Method method;

    static int viaLambda(int i) { return LAMBDA.applyAsInt(i); }

    public static int viaHandle(int i) throws Throwable { return (int) handle.invokeExact(i, "x"); }

    static int viaReflection(int i) throws Exception { return (Integer) method.invoke(null, i); }

    static int often(int times, boolean stay) throws Exception {
        int s = 0;
        for (int i = 0; i < times; i++) {
            last = stay && i == times - 1;
            nanos = last ? Long.MAX_VALUE : 1;
            s += viaReflection(i);
        }
        return s;
    }

    static void work(int times) {
        try {
            tid = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
            often(times, true);
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    /** HotSpot's names have a '+' where JDK 25 writes '/' and JDK 17 the form of Class.getName(). */
    static String name(RecordedClass c) {
        return c.getName().replace('.', '/').replaceAll("(0x[0-9a-f]{16})/[0-9]+$", "$1").replace("/0x", "+0x");
    }

    static String line(RecordedFrame f) {
        RecordedMethod m = f.getMethod();
        RecordedClass c = m.getType();
        RecordedClassLoader l = c.getClassLoader();
        boolean boot = l == null || l.getType() == null;
        return String.join("|", name(c), m.getName(), m.getDescriptor(), "" + m.getModifiers(), m.isHidden() ? "1" : "0",
                "" + c.getModifiers(), c.getBoolean("hidden") ? "1" : "0", boot ? "" : name(l.getType()),
                boot || l.getName() == null ? "" : l.getName(), "" + f.getLineNumber(), "" + f.getBytecodeIndex(), f.getType());
    }

    static void write(Path recording, Path to) throws Exception {
        RecordedEvent newest = null;
        for (RecordedEvent e : RecordingFile.readAllEvents(recording))
            if (newest == null || e.getInt("i") > newest.getInt("i"))
                newest = e;
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(to))) {
            boolean callers = false;
            for (RecordedFrame f : newest.getStackTrace().getFrames()) {
                if (callers)
                    out.println(line(f));
                callers |= f.getMethod().getName().equals("leaf");
            }
        }
    }

    public static void main(String[] args) throws Throwable {
        Stage stage = new Stage(args[0]);
        Path dir = Path.of(args[0]), recording = dir.resolve("own.jfr");
        int times = Integer.parseInt(args[1]);
        handle = MethodHandles.dropArguments(MethodHandles.lookup().findStatic(RecordedStack.class, "viaLambda",
                MethodType.methodType(int.class, int.class)), 1, String.class);
        method = RecordedStack.class.getDeclaredMethod("viaHandle", int.class);
        often(times, false);
        try (Recording r = new Recording()) {
            r.enable(Here.class).withStackTrace().withoutThreshold();
            r.start();
            Thread t = new Thread(() -> work(times), "recorded");
            t.setDaemon(true);
            t.start();
            while (!parked)
                Thread.sleep(10);
            r.dump(recording);
        }
        write(recording, dir.resolve("recorded"));
        Files.writeString(dir.resolve("tid"), tid);
        stage.mark("ready");
        stage.await("quit");
    }
}
