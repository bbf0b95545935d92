// SPDX-License-Identifier: BSD-2-Clause
package live;

/**
 * Speed DIR: call work() forever, in a loop that is entered every 20 ms. Counts its calls: when a file `ask-X` appears,
 * it writes `answer-X` with the calls since the last request and the minimum of ns per call.
 */
public class Speed {
    static int work(int x) {
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
        return x;
    }

    static int loop(int x, int n) {
        for (int i = 0; i < n; i++)
            x = work(x);
        return x;
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        int x = 1, question = 1, n = 200_000;
        long calls = 0;
        double least = Double.MAX_VALUE;
        for (int i = 0; i < 200; i++)
            x = loop(x, 20_000);
        stage.mark("ready");
        while (!stage.has("quit")) {
            long start = System.nanoTime();
            x = loop(x, n);
            least = Math.min(least, (double) (System.nanoTime() - start) / n);
            calls += n;
            Stage.sleep(1);
            if (stage.has("ask-" + question)) {
                stage.write("answer-" + question++, calls + " " + least + "\n");
                calls = 0;
                least = Double.MAX_VALUE;
            }
        }
        System.out.println("speed: " + (x != 0));
    }
}
