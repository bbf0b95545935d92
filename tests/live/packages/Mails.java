// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import javax.mail.Message;
import javax.mail.Session;
import javax.mail.Transport;
import javax.mail.internet.InternetAddress;
import javax.mail.internet.MimeMessage;

/** Mails DIR: mails to an SMTP server in this JVM, by two names of its host; `log` has the names in their order. */
public class Mails {
    static void answer(Socket socket) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)); OutputStream out = socket.getOutputStream()) {
            boolean data = false;
            out.write("220 shop\r\n".getBytes(StandardCharsets.US_ASCII));
            for (String line; (line = in.readLine()) != null;) {
                if (data && !line.equals("."))
                    continue;
                data = line.equals("DATA");
                out.write((data ? "354 go on\r\n" : line.equals("QUIT") ? "221 bye\r\n" : "250 ok\r\n").getBytes(StandardCharsets.US_ASCII));
                out.flush();
            }
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    static void send(int port, String host) throws Exception {
        Properties properties = new Properties();
        properties.put("mail.smtp.host", host);
        properties.put("mail.smtp.port", "" + port);
        properties.put("mail.smtp.localhost", "shop"); // or it looks for a name of this host
        MimeMessage mail = new MimeMessage(Session.getInstance(properties));
        mail.setFrom(new InternetAddress("shop@example.com"));
        mail.setRecipient(Message.RecipientType.TO, new InternetAddress("somebody@example.com"));
        mail.setSubject("an order");
        mail.setText("a thing");
        Transport.send(mail);
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        List<String> log = new ArrayList<>();
        ServerSocket server = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"));
        Thread taker = new Thread(() -> {
            try {
                while (true)
                    answer(server.accept());
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        taker.setDaemon(true);
        taker.start();
        send(server.getLocalPort(), "127.0.0.1");
        stage.awaitGo();
        for (int i = 0; i < 20; i++) {
            String host = i % 3 == 0 ? "127.0.0.1" : "localhost";
            send(server.getLocalPort(), host);
            log.add(host);
        }
        stage.write("log", String.join("\n", log) + "\n");
        stage.finish();
        Runtime.getRuntime().halt(0);
    }
}
