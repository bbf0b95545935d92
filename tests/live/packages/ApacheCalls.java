// SPDX-License-Identifier: BSD-2-Clause
package live;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;

/** ApacheCalls DIR: calls by Apache HttpClient 5, also redirected ones; `log` has what the client says of each that goes to the network. */
public class ApacheCalls
{
	static final List<String> seen = new ArrayList<>();
	static String request;

	static void sent(HttpRequest r)
	{
		try {
			request = r.getMethod() + " " + r.getUri().toString().replaceAll("[?].*", "");
		} catch (URISyntaxException e) {
			throw new IllegalStateException(e);
		}
	}

	static HttpServer serve(String address) throws IOException
	{
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName(address), 0), 0);
		server.createContext("/", exchange -> {
			String path = exchange.getRequestURI().getPath();
			if (path.startsWith("/moved/"))
				exchange.getResponseHeaders().set("Location",
								  "/here" + path.substring(6) + "?from=moved");
			exchange.sendResponseHeaders(path.startsWith("/moved/")	 ? 302
						     : path.startsWith("/none/") ? 404
										 : 200,
						     -1);
			exchange.close();
		});
		server.start();
		return server;
	}

	public static void main(String[] args) throws Exception
	{
		Stage stage = new Stage(args[0]);
		HttpServer v4 = serve("127.0.0.1"), v6 = serve("::1");
		String[] roots = {"http://127.0.0.1:" + v4.getAddress().getPort(),
				  "http://localhost:" + v4.getAddress().getPort(),
				  "http://[::1]:" + v6.getAddress().getPort()};
		try (CloseableHttpClient client =
			     HttpClients.custom()
				     .addRequestInterceptorLast((r, entity, context) -> sent(r))
				     .addResponseInterceptorLast(
					     (r, entity, context) -> seen.add(request + " " + r.getCode()))
				     .build()) {
			stage.awaitGo();
			for (int i = 0; i < 60; i++) {
				String url = roots[i % 3] +
					     (i % 4 == 0   ? "/moved/"
					      : i % 4 == 1 ? "/none/"
							   : "/here/") +
					     i + "?id=" + i;
				client.execute(i % 5 == 0 ? ClassicRequestBuilder.put(url).build() : new HttpGet(url),
					       response -> null);
			}
		}
		v4.stop(0);
		v6.stop(0);
		stage.write("log", String.join("\n", seen) + "\n");
		stage.finish();
	}
}
