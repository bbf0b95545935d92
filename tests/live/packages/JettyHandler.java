// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.ByteBuffer;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.eclipse.jetty.server.CustomRequestLog;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/**
 * JettyHandler DIR HOW: a handler of Jetty 12, without servlets. It answers itself, or with HOW "later" on another thread, every
 * fourth after 60 ms. Its own log of accesses is `access`.
 */
public class JettyHandler {
    static final ExecutorService threads = Executors.newCachedThreadPool();

    static class Shop extends Handler.Abstract {
        private final boolean later;

        Shop(boolean later) {
            this.later = later;
        }

        static void answer(int number, Response response, Callback callback, boolean slow) {
            if (slow)
                Stage.sleep(60);
            response.setStatus(number % 7 == 0 ? 404 : number % 11 == 0 ? 503 : 200);
            response.write(true, ByteBuffer.wrap(new byte[] {'o', 'k'}), callback);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            int number = Integer.parseInt(request.getHttpURI().getPath().split("/")[2]);
            if (number % 13 == 0)
                return false;
            if (later)
                threads.execute(() -> answer(number, response, callback, number % 4 == 0));
            else
                answer(number, response, callback, false);
            return true;
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Server server = new Server(0);
        server.setHandler(new Shop(args[1].equals("later")));
        server.setRequestLog(new CustomRequestLog(args[0] + "/access", "%m %U %s"));
        server.start();
        stage.awaitGo();
        Requests.sendAll(((ServerConnector)server.getConnectors()[0]).getLocalPort());
        Requests.awaitLines(args[0] + "/access");
        server.stop();
        stage.finish();
        Runtime.getRuntime().halt(0);
    }
}
