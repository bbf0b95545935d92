// SPDX-License-Identifier: BSD-2-Clause
package live;

/** Churn DIR THREADS: run all of Exits repeatedly, and check that each call ends as it did the first time. */
public class Churn {
    static volatile String fault;
    static volatile long rounds;

    static String once(Stage scratch) {
        ExitsMain.repeatable(scratch, 400);
        String truth = scratch.truth();
        scratch.forget();
        return truth;
    }

    static void churn(Stage stage) {
        Stage scratch = new Stage(".");
        String first = once(scratch);
        while (!stage.has("quit")) {
            String now = once(scratch);
            if (!now.equals(first))
                fault = "first\n" + first + "\nthen\n" + now;
            rounds++;
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Thread[] all = new Thread[Integer.parseInt(args[1])];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(() -> churn(stage), "churn-" + i);
            all[i].start();
        }
        stage.mark("ready");
        for (Thread thread : all)
            thread.join();
        System.out.println(fault != null ? fault : rounds > 10 ? "churn: every round as the first" : "churn: only " + rounds);
    }
}
