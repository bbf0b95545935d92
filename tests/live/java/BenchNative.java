// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;

/**
 * The program of scripts/bench-natives: a native method that does nothing. Reads lines "measure CALLS" and answers with
 * the ns per call: the lower quartile of 20 loops, because other work on the machine only adds time.
 */
public class BenchNative {
    static double loop(int calls) {
        long start = System.nanoTime();
        for (int i = 0; i < calls; i++)
            Natives.sink += Natives.brief(0);
        return (double) (System.nanoTime() - start) / calls;
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));

        System.load(args[0]);
        for (int i = 0; i < 20; i++)
            loop(100_000);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            double[] samples = new double[20];

            for (int i = 0; i < samples.length; i++)
                samples[i] = loop(Integer.parseInt(line.split(" ")[1]) / samples.length);
            Arrays.sort(samples);
            System.out.println(samples[samples.length / 4]);
        }
    }
}
