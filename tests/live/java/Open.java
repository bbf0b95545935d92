// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Open DIR all | crowd N | virtual N | deep N | broken: calls of open*() that do not return. The file `open` lists them, one
 * per line: thread, method, System.nanoTime() before the call and in it; `stacks` has the stack of each thread: name and
 * frames.
 */
public class Open {
    private static final Object NEVER = new Object(), END = new Object();
    private static final List<String> open = Collections.synchronizedList(new ArrayList<>());
    private static final List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    private static volatile long spun;
    private static boolean over;
    private static Socket silent;
    private static int deeper = 15;

    static void note(String method, long before) {
        long in = System.nanoTime();
        open.add(Thread.currentThread().getName() + "\t" + method + "\t" + before + "\t" + in);
    }

    static void openWait(long before) throws InterruptedException {
        note("openWait", before);
        synchronized (NEVER) {
            while (true)
                NEVER.wait();
        }
    }

    static void openPark(long before) {
        note("openPark", before);
        while (true)
            LockSupport.park();
    }

    static void openSpin(long before) {
        note("openSpin", before);
        while (spun != -1)
            spun++;
    }

    static void openRead(long before) throws IOException {
        note("openRead", before);
        silent.getInputStream().read();
    }

    static void openDeep(long before, int more) {
        note("openDeep", before);
        if (more > 0)
            openDeep(System.nanoTime(), more - 1);
        else
            openPark(System.nanoTime());
    }

    static void openOuter(long before) throws InterruptedException {
        note("openOuter", before);
        openAndClose();
        openInner(System.nanoTime());
    }

    static void openInner(long before) throws InterruptedException {
        note("openInner", before);
        openAndClose();
        openWait(System.nanoTime());
    }

    /** Returns, so it is never open. */
    static int openAndClose() {
        return open.size();
    }

    static class Whole {
        /** Ends by a StackOverflowError after some thousand nested constructors, or at once. */
        Whole(boolean nested) {
            if (!nested)
                throw new IllegalStateException("in the super constructor");
            new Part(true);
        }
    }

    /** The exception comes out of super(), where no hook sees it. */
    static class Part extends Whole {
        Part(boolean nested) {
            super(nested);
        }
    }

    /** Leaves constructors that have ended unseen, and then calls a method that hangs. */
    static void breakParts(boolean nested) {
        for (int i = 0; i < 40; i++)
            try {
                new Part(nested);
            } catch (StackOverflowError | IllegalStateException e) {
                continue;
            }
        openPark(System.nanoTime());
    }

    /** A class whose name is the thread's task. */
    static final class Work implements Runnable {
        private final String what;

        Work(String what) {
            this.what = what;
        }

        @Override
        public void run() {
            try {
                hang();
            } catch (InterruptedException | IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void hang() throws InterruptedException, IOException {
            switch (what) {
            case "wait":
                openWait(System.nanoTime());
                break;
            case "park":
                openPark(System.nanoTime());
                break;
            case "spin":
                openSpin(System.nanoTime());
                break;
            case "read":
                openRead(System.nanoTime());
                break;
            case "deep":
                openDeep(System.nanoTime(), deeper);
                break;
            case "overflow":
            case "broken":
                breakParts(what.equals("overflow"));
                break;
            case "nested":
                openOuter(System.nanoTime());
                break;
            default:
                throw new IllegalArgumentException(what);
            }
        }
    }

    static void start(String what, String name) {
        Thread t = new Thread(null, new Work(what), name, 256 << 10);
        t.setDaemon(true);
        t.start();
        threads.add(t);
    }

    /** JDK 21 and later; by reflection, to compile for older ones. */
    static void startVirtual(String what, String name) throws ReflectiveOperationException {
        Class<?> builder = Class.forName("java.lang.Thread$Builder$OfVirtual");
        Object named = builder.getMethod("name", String.class).invoke(Thread.class.getMethod("ofVirtual").invoke(null), name);
        Method start = builder.getMethod("start", Runnable.class);
        threads.add((Thread) start.invoke(named, new Work(what)));
    }

    static void awaitOpen(int calls) {
        while (open.size() < calls)
            Stage.sleep(1);
        Stage.sleep(100);
    }

    static void startAll() throws IOException {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        silent = new Socket(server.getInetAddress(), server.getLocalPort());
        String[] works = {"wait", "park", "spin", "read", "deep", "nested"};
        for (String work : works)
            start(work, "o-" + work);
        awaitOpen(4 + 17 + 3);
    }

    static String frames(Thread t) {
        StringBuilder text = new StringBuilder(t.getName()).append('\t');
        for (StackTraceElement f : t.getStackTrace())
            text.append(f.getClassName()).append('.').append(f.getMethodName()).append(':').append(f.getLineNumber()).append(' ');
        return text.toString();
    }

    /** Its stack is the same at any time while it waits: another thread checks the files. */
    static void waitForEnd() {
        synchronized (END) {
            while (!over)
                try {
                    END.wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
        }
    }

    static void watch(Stage stage) {
        Thread watch = new Thread(() -> {
            stage.await("quit");
            synchronized (END) {
                over = true;
                END.notifyAll();
            }
        }, "watch");
        watch.setDaemon(true);
        watch.start();
    }

    /** The program waits for its end in this method. */
    static void openMain(Stage stage, long before) {
        note("openMain", before);
        StringBuilder stacks = new StringBuilder();
        for (Thread t : threads)
            stacks.append(frames(t)).append('\n');
        stage.write("stacks", stacks.toString());
        stage.write("open", String.join("\n", open) + "\n");
        stage.mark("done");
        waitForEnd();
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = args.length > 2 ? Integer.parseInt(args[2]) : 0;
        stage.awaitGo();
        if (args[1].equals("all"))
            startAll();
        if (args[1].equals("deep")) {
            deeper = n - 2;
            start("deep", "o-deep");
        }
        for (int i = 0; i < n; i++)
            if (args[1].equals("crowd"))
                start(i % 2 == 0 ? "wait" : "park", "o-" + i);
            else if (args[1].equals("virtual"))
                startVirtual(i % 100 == 0 ? "nested" : "park", "v-" + i);
        if (args[1].equals("virtual"))
            startVirtual("spin", "v-spin");
        if (args[1].equals("broken"))
            for (String work : new String[] {"overflow", "broken"}) {
                start(work, "o-" + work);
                n++;
            }
        awaitOpen(n);
        watch(stage);
        openMain(stage, System.nanoTime());
    }
}
