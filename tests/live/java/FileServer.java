// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Keeps files of users, and an account of the bytes that each user's loads have read. It knows nothing of contexts. */
public class FileServer {
    static final int USERS = 5, FILES = 3;
    private final ConcurrentHashMap<String, AtomicLong> account = new ConcurrentHashMap<>();
    private final File root;

    FileServer(File root) {
        this.root = root;
    }

    void register(String user) {
        new File(root, user).mkdirs();
        account.put(user, new AtomicLong());
    }

    void store(String user, String name, byte[] content) throws IOException {
        try (FileOutputStream out = new FileOutputStream(new File(new File(root, user), name))) {
            out.write(content);
        }
    }

    long load(String user, String name) throws IOException {
        byte[] part = new byte[1024];
        long read = 0;
        try (FileInputStream in = new FileInputStream(new File(new File(root, user), name))) {
            for (int n; (n = in.read(part)) > 0;)
                read += n;
        }
        account.get(user).addAndGet(read);
        return read;
    }

    /** A load for somebody inside of a load for somebody else: the inner one counts. */
    long copy(String from, String to, String name) throws IOException {
        return load(from, name) + load(to, name);
    }

    boolean delete(String user, String name) {
        return new File(new File(root, user), name).delete();
    }

    void serve(int first, int calls) {
        try {
            for (int n = 0; n < calls; n++) {
                String user = "user" + (first + n) % USERS, file = "file" + n % FILES, own = "own" + first;
                load(user, file);
                if (n % 7 == 0)
                    copy(user, "user" + (first + n + 1) % USERS, file);
                if (n % 5 == 0) {
                    store(user, own, new byte[100 + first]);
                    load(user, own);
                    delete(user, own);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** DIRECTORY THREADS CALLS [virtual] */
    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[1]), calls = Integer.parseInt(arguments[2]);
        Stage stage = new Stage(arguments[0]);
        FileServer server = new FileServer(new File(arguments[0], "files"));
        List<Thread> all = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (int u = 0; u < USERS; u++) {
            server.register("user" + u);
            for (int f = 0; f < FILES; f++)
                server.store("user" + u, "file" + f, new byte[500 + 700 * u + f]);
        }
        server.copy("user0", "user1", "file0"); // the classes are loaded
        server.account.values().forEach(n -> n.set(0));
        stage.awaitGo();
        for (int t = 0; t < threads; t++) {
            int first = t;
            all.add(Valued.start(arguments.length > 3, () -> server.serve(first, calls)));
        }
        for (Thread t : all)
            t.join();
        server.account.forEach((user, n) -> lines.add(user + " " + n));
        Files.write(Paths.get(arguments[0], "account"), lines, StandardCharsets.US_ASCII);
        stage.finish();
    }
}
