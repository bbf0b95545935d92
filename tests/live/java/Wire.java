// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A connection of a program to itself: what is written to one end is read at the other one. */
final class Wire {
    final InputStream in;
    final OutputStream out;

    Wire() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket writer = new Socket(server.getInetAddress(), server.getLocalPort());
            writer.setTcpNoDelay(true);
            out = writer.getOutputStream();
            in = server.accept().getInputStream();
        }
    }
}
