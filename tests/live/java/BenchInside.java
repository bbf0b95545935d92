// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;

/**
 * BenchInside THREADS: the service of scripts/bench-inside. Its threads serve requests of Layered without a pause. Every 100th
 * request waits, for so long that few others take as long, even on a busy machine. For each line "measure WARM-MS MS" it prints
 * the requests a second and the us of CPU a request.
 */
public class BenchInside {
    private static final long SLOW_MS = 300;
    private static volatile long[] served;

    private static void serve(int thread) {
        long[] of = served;

        for (int i = 1, x = 1;; i++) {
            x = Layered.request(x | 1, i % 100 == 0 ? SLOW_MS : 0, null);
            of[thread * 16] = i;
        }
    }

    private static long sum() {
        long sum = 0;

        for (long n : served)
            sum += n;
        return sum;
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));

        served = new long[threads * 16];
        for (int i = 0; i < threads; i++) {
            int thread = i;
            Thread t = new Thread(() -> serve(thread), "worker-" + i);

            t.setDaemon(true);
            t.start();
        }
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");

            Stage.sleep(Long.parseLong(words[1]));
            long requests = sum(), cpu = cpu(), begin = System.nanoTime();
            Stage.sleep(Long.parseLong(words[2]));
            requests = sum() - requests;
            System.out.println(requests * 1e9 / (System.nanoTime() - begin) + " " + (cpu() - cpu) / 1e3 / requests);
        }
    }
}
