// SPDX-License-Identifier: BSD-2-Clause
package live;

import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Asks for a URL by OkHttp. */
public class OkClient implements Fronted.Client {
    final OkHttpClient client = new OkHttpClient();

    @Override
    public int get(String url) throws Exception {
        try (Response response = client.newCall(new Request.Builder().url(url).build()).execute()) {
            response.body().bytes();
            return response.code();
        }
    }
}
