// SPDX-License-Identifier: BSD-2-Clause
package live;

/** Overloads DIR: stay in one of two methods of the same name, three times on the same stack. */
public class Overloads implements Runnable {
    private final Stage stage;

    Overloads(Stage stage) {
        this.stage = stage;
    }

    void rest(int times) {
        if (times > 1)
            rest(times - 1);
        else
            stage.awaitGo();
    }

    void rest(long times) {
        if (times > 0)
            rest(times - 1);
    }

    @Deprecated
    public void run() {
        rest(0L);
        rest(3);
    }

    public static void main(String[] args) {
        new Overloads(new Stage(args[0])).run();
    }
}
