// SPDX-License-Identifier: BSD-2-Clause
package live;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.AsciiString;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** NettyCodec DIR: requests through the codec of a channel without a socket. */
public class NettyCodec {
    static class Shop extends SimpleChannelInboundHandler<Object> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, Object message) throws IOException {
            if (message instanceof HttpRequest) {
                HttpRequest request = (HttpRequest)message;
                Requests.note(request.method().name(), request.uri());
                header(new AsciiString("x-" + request.uri()).subSequence(2, 8, false));
            }
        }

        static void header(CharSequence name) {}
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        EmbeddedChannel channel = new EmbeddedChannel(new HttpServerCodec(), new Shop());
        channel.writeInbound(Unpooled.copiedBuffer("GET /first HTTP/1.1\r\n\r\n", StandardCharsets.US_ASCII));
        stage.awaitGo();
        Requests.seen.clear();
        for (int i = 0; i < Requests.COUNT; i++)
            channel.writeInbound(Unpooled.copiedBuffer((i % 3 == 0 ? "PUT" : "GET") + " /shop/" + i + "?id=" + i + " HTTP/1.1\r\n\r\n", StandardCharsets.US_ASCII));
        stage.write("log", Requests.log());
        stage.finish();
    }
}
