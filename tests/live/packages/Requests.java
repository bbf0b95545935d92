// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** A client, and what the server has seen: a line for each request. */
final class Requests {
    static final int COUNT = 100;
    static final List<String> seen = new ArrayList<>();

    private Requests() {}

    /** What a request does, with its number. */
    interface Work {
        void run(int number) throws IOException;
    }

    private static Work work = number -> {};

    /** Arguments of the server: DIR [CLASS ARGUMENT], a Work and the argument of its constructor. */
    static void prepare(String[] args) throws Exception {
        if (args.length > 1)
            work = (Work)Class.forName("live." + args[1]).getDeclaredConstructor(String.class).newInstance(args[2]);
    }

    static void note(String method, String uri) throws IOException {
        int number;
        synchronized (seen) {
            number = seen.size();
            seen.add(method + " " + uri);
        }
        work.run(number);
    }

    /** One after the other, all on a few connections that are kept. */
    static void send(int port) throws Exception {
        for (int i = 0; i < COUNT; i++)
            if (send(port, i) >= 400)
                throw new IllegalStateException("refused: " + i);
    }

    /** The same with any answers. */
    static void sendAll(int port) throws Exception {
        for (int i = 0; i < COUNT; i++)
            send(port, i);
    }

    private static int send(int port, int i) throws IOException {
        HttpURLConnection c = (HttpURLConnection)new URL("http://127.0.0.1:" + port + "/shop/" + i + "?id=" + i).openConnection();
        c.setRequestMethod(i % 3 == 0 ? "PUT" : "GET");
        int status = c.getResponseCode();
        try (InputStream in = status < 400 ? c.getInputStream() : c.getErrorStream()) {
            while (in != null && in.read() >= 0)
                continue;
        }
        return status;
    }

    /** Servers write the line of a request after their answer. */
    static void awaitLines(String file) throws IOException {
        Path log = Paths.get(file);
        while (!Files.exists(log) || Files.readAllLines(log).size() < COUNT)
            Stage.sleep(5);
    }

    static String log() {
        synchronized (seen) {
            return String.join("\n", seen) + "\n";
        }
    }
}
