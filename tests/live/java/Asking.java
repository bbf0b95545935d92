// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Asking DIR N SERVERS: asks each server N times. The file SERVERS has a line "NAME PORT" or "NAME PATH" for each: ask() returns
 * that name, and null for "twice".
 */
public class Asking {
    private static final ByteBuffer question = ByteBuffer.allocateDirect(1);

    static String ask(String name, SocketChannel server) throws Exception {
        question.clear();
        server.write(question);
        question.clear();
        if (server.read(question) != 1) // after a wait
            throw new IllegalStateException(name + " has gone");
        return name.equals("twice") ? null : name;
    }

    private static SocketChannel open(String place) throws Exception {
        if (place.startsWith("/"))
            return SocketChannel.open(UnixDomainSocketAddress.of(place));
        return SocketChannel.open(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), Integer.parseInt(place)));
    }

    public static void main(String[] arguments) throws Exception {
        List<String> names = new ArrayList<>();
        List<SocketChannel> servers = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[2]))) {
            String[] word = line.split(" ");
            names.add(word[0]);
            servers.add(open(word[1]));
        }
        Stage stage = new Stage(arguments[0]);
        stage.awaitGo();
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++)
            for (int k = 0; k < servers.size(); k++)
                ask(names.get(k), servers.get(k));
        stage.finish();
    }
}
