// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.List;

/** Full DIR: after `go`, keep the heap so full that almost nothing can be allocated, until `quit`. */
public class Full {
    static volatile Object garbage;

    static int work(int x) {
        return x + 1;
    }

    static List<Object> fill() {
        List<Object> held = new ArrayList<>(400_000);
        byte[] left = new byte[64 << 10];
        for (int size = 1 << 20; size >= 64 && held.size() < 400_000;) {
            try {
                held.add(new byte[size]);
            } catch (OutOfMemoryError e) {
                size /= 2;
            }
        }
        garbage = left;
        garbage = null;
        return held;
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        java.io.File quit = stage.file("quit").toFile();
        long calls = 0;
        stage.mark("ready");
        stage.await("go");
        stage.mark("done");
        List<Object> held = fill();
        while (!quit.exists())
            calls = work((int) calls);
        held.clear();
        System.out.println("full: fine");
    }
}
