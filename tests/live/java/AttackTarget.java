// SPDX-License-Identifier: BSD-2-Clause
package live;

/** AttackTarget DIR: call some methods in some threads until DIR/quit exists. */
public class AttackTarget {
    private static volatile long sum;

    static long leaf(long n) {
        return n ^ n << 3;
    }

    static long deep(int more) {
        return more == 0 ? leaf(more) : deep(more - 1) + 1;
    }

    static void work(int i) throws InterruptedException {
        sum += deep(i % 20) + leaf(i);
        if (i % 100 == 0)
            Thread.sleep(1);
    }

    private static void workOn() {
        try {
            for (int i = 0;; i++)
                work(i);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(AttackTarget::workOn, i == 0 ? "evil \033]0;pwned\007" : "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        stage.awaitGo();
        stage.finish();
    }
}
