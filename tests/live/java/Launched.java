// SPDX-License-Identifier: BSD-2-Clause
package live;

/**
 * Launched DIR STATUS|stay: make calls from its first class on, list them in `truth`, and end with that status at once,
 * or when `quit` exists. `seen` contains the options that it was given.
 */
public class Launched {
    static final int CALLS = 3000;

    static int sum = first();

    static class Part {
        static final int VALUE = Integer.parseInt("7");

        static int twice(int x) {
            return 2 * x;
        }
    }

    static int first() {
        return 1;
    }

    static void fail() {
        throw new IllegalStateException("intended");
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        for (int i = 0; i < CALLS; i++)
            sum += Part.twice(i) + Part.VALUE;
        try {
            fail();
        } catch (IllegalStateException e) {
            sum++;
        }
        for (String method : new String[] {"first", "<clinit>"})
            stage.expect("live.Launched", method, 1, 0);
        stage.expect("live.Launched", "fail", 1, 1);
        stage.expect("live.Launched$Part", "twice", CALLS, 0);
        stage.expect("live.Launched$Part", "<clinit>", 1, 0);
        stage.write("seen", System.getProperty("given", "none") + " " + args.length + "\n");
        if (args[1].equals("stay")) {
            stage.finish();
            return;
        }
        stage.write("truth", stage.truth());
        System.out.println("sum " + sum);
        System.exit(Integer.parseInt(args[1]));
    }
}
