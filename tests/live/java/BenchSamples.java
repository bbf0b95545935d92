// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.Arrays;
import java.util.Scanner;

/**
 * The program of scripts/bench-samples. For each line "CALLS" it makes that many calls of some ms that compute, below DEPTH
 * frames, and prints the ns that a quick one took: of ten, one was quicker.
 */
public class BenchSamples {
    private static final int DEPTH = 20, STEPS = 8_000_000;
    static volatile long sink;

    static long compute(int steps) {
        long x = sink;
        for (int i = 0; i < steps; i++) {
            x = x * 6364136223846793005L + i;
            if (i % 1024 == 0)
                sink = x;
        }
        return x;
    }

    static long call(int depth, int steps) {
        return depth == 0 ? compute(steps) : call(depth - 1, steps) + 1;
    }

    static long outermost(int steps) {
        return call(DEPTH, steps);
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);

        for (int i = 0; i < 3000; i++)
            sink += outermost(10_000);
        while (in.hasNextInt()) {
            long[] ns = new long[in.nextInt()];

            for (int i = 0; i < ns.length; i++) {
                long begin = System.nanoTime();
                sink += outermost(STEPS);
                ns[i] = System.nanoTime() - begin;
            }
            Arrays.sort(ns);
            System.out.println(ns[ns.length / 10]);
        }
    }
}
