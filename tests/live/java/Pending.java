// SPDX-License-Identifier: BSD-2-Clause
package live;

/** DIRECTORY: one class is there from the beginning, another one only after `go`. Calls are made once there is `traced`. */
public class Pending {
    static class Config {
        static String mode = "fast";
    }

    static class Work {
        void call(int id) {}
    }

    public static void main(String[] arguments) {
        Stage stage = new Stage(arguments[0]);
        Work work = new Work();
        work.call(-1);
        stage.awaitGo();
        Config.mode += "est";
        stage.await("traced");
        for (int id = 0; id < 20; id++)
            work.call(id);
        stage.finish();
    }
}
