// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;

/** A client, and what the server has seen: a line for each request. */
final class Requests {
    static final int COUNT = 100;
    static final List<String> seen = new ArrayList<>();

    private Requests() {}

    static synchronized void note(String method, String uri) {
        seen.add(method + " " + uri);
    }

    /** One after the other, all on a few connections that are kept. */
    static void send(int port) throws Exception {
        for (int i = 0; i < COUNT; i++) {
            HttpURLConnection c = (HttpURLConnection)new URL("http://127.0.0.1:" + port + "/shop/" + i + "?id=" + i).openConnection();
            c.setRequestMethod(i % 3 == 0 ? "PUT" : "GET");
            try (InputStream in = c.getInputStream()) {
                while (in.read() >= 0)
                    continue;
            }
        }
    }

    static synchronized String log() {
        return String.join("\n", seen) + "\n";
    }
}
