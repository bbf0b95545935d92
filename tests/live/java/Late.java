// SPDX-License-Identifier: BSD-2-Clause
package live;

/** Late DIR CALLS: Latecomer is loaded only after `go`. */
public class Late {
    static class Latecomer {
        static int checkout(int x) {
            return x + 1;
        }
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        stage.awaitGo();
        for (int i = 0; i < n; i++)
            Latecomer.checkout(i);
        stage.expect("live.Late$Latecomer", "checkout", n, 0);
        stage.finish();
    }
}
