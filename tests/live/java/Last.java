// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Last DIR: each time that a file `go` appears, which contains a process id, make calls with new stacks and end that
 * process at once, until `quit`.
 */
public class Last {
    static int sink;

    static void inner(int n) {
        if (n > 0)
            inner(n - 1);
        else
            sink++;
    }

    static void outer(int n) {
        inner(n);
    }

    public static void main(String[] args) throws Exception {
        Path go = Path.of(args[0], "go"), quit = Path.of(args[0], "quit");
        Files.createFile(Path.of(args[0], "ready"));
        for (int round = 1; !Files.exists(quit); Thread.sleep(1)) {
            if (!Files.exists(go))
                continue;
            ProcessHandle tracer = ProcessHandle.of(Long.parseLong(Files.readString(go).trim())).get();
            Files.delete(go);
            for (int i = 0; i < 5; i++, round++) {
                outer(i);
                inner(round % 50);
            }
            tracer.destroy();
        }
    }
}
