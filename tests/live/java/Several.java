// SPDX-License-Identifier: BSD-2-Clause
package live;

/**
 * Several DIR CALLS: in each round, from the file go-N to done-N, a platform thread and a virtual one (before JDK 21
 * another platform thread) each call outer() CALLS times. Each outer() calls both() once and inner() twice; both() throws
 * in every tenth call.
 */
public class Several {
    static volatile int sink;

    static void inner() {
        sink++;
    }

    static void both(int i) {
        sink++;
        if (i % 10 == 0)
            throw new IllegalStateException();
    }

    static void outer(int i) {
        inner();
        try {
            both(i);
        } catch (IllegalStateException e) {
            inner();
            return;
        }
        inner();
    }

    static void calls(int count) {
        for (int i = 0; i < count; i++) {
            outer(i);
            if (i % 50 == 0)
                Stage.sleep(1);
        }
    }

    static Thread start(boolean virtual, Runnable work) throws Exception {
        if (virtual)
            try {
                return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
            } catch (NoSuchMethodException e) {
                // before JDK 21
            }
        Thread t = new Thread(work);
        t.start();
        return t;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int count = Integer.parseInt(args[1]), round = 1;

        stage.mark("ready");
        for (;;) {
            while (!stage.has("go-" + round) && !stage.has("quit"))
                Stage.sleep(5);
            if (stage.has("quit"))
                return;
            Thread a = start(false, () -> calls(count)), b = start(true, () -> calls(count));
            a.join();
            b.join();
            stage.mark("done-" + round++);
        }
    }
}
