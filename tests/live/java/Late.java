// SPDX-License-Identifier: BSD-2-Clause
package live;

/** Late DIR CALLS [chosen]: Latecomer is loaded only after `go`; and CALLS more calls when `chosen` exists. */
public class Late {
    static class Latecomer {
        static int checkout(int x) {
            return x + 1;
        }
    }

    private static void calls(int n) {
        for (int i = 0; i < n; i++)
            Latecomer.checkout(i);
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        stage.awaitGo();
        calls(n);
        if (args.length > 2) {
            stage.await("chosen");
            calls(n);
            n *= 2;
        }
        stage.expect("live.Late$Latecomer", "checkout", n, 0);
        stage.finish();
    }
}
