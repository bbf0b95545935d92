// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.ByteBuffer;
import java.nio.file.Files;

/** Nano DIR CALLS: write nanoTime just before each call of stamp() and just inside it. */
public class Nano {
    static long stamp() {
        return System.nanoTime();
    }

    static ByteBuffer pairs(int n) {
        ByteBuffer pairs = ByteBuffer.allocate(n * 16);
        for (int i = 0; i < n; i++) {
            pairs.putLong(System.nanoTime());
            pairs.putLong(stamp());
            if (i % 100 == 0)
                Stage.sleep(5);
        }
        return pairs;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        stage.awaitGo();
        Files.write(stage.file("pairs"), pairs(n).array());
        stage.expect("live.Nano", "stamp", n, 0);
        stage.expectBetween("live.Nano", "stamp", "pairs");
        stage.finish();
    }
}
