// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;

/** Pulse FILE: beats each 10 ms until the file exists, and 50 times more, then prints its pid and how often it beat. */
public class Pulse {
    static int beat(int x) {
        return x + 1;
    }

    public static void main(String[] args) throws Exception {
        File quit = new File(args[0]);
        int beats = 0;
        for (int left = 50; left > 0; left -= quit.exists() ? 1 : 0) {
            beats = beat(beats);
            Thread.sleep(10);
        }
        System.out.println(new File("/proc/self").getCanonicalFile().getName() + " " + beats);
    }
}
