// SPDX-License-Identifier: BSD-2-Clause
package live;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** StubCalls DIR: calls of two methods by gRPC; `log` has their names in their order. */
public class StubCalls {
    static final class Texts implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String text) {
            return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            return "text";
        }
    }

    static MethodDescriptor<String, String> method(String name) {
        return MethodDescriptor.<String, String>newBuilder().setType(MethodDescriptor.MethodType.UNARY).setFullMethodName("shop.Prices/" + name)
                .setRequestMarshaller(new Texts()).setResponseMarshaller(new Texts()).build();
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        List<MethodDescriptor<String, String>> methods = List.of(method("get"), method("put"));
        List<String> log = new ArrayList<>();
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder("shop.Prices");
        for (MethodDescriptor<String, String> m : methods)
            service.addMethod(m, ServerCalls.asyncUnaryCall((String request, io.grpc.stub.StreamObserver<String> answer) -> {
                answer.onNext("answer");
                answer.onCompleted();
            }));
        Server server = InProcessServerBuilder.forName("prices").addService(service.build()).build().start();
        ManagedChannel channel = InProcessChannelBuilder.forName("prices").build();
        ClientCalls.blockingUnaryCall(channel, methods.get(0), CallOptions.DEFAULT, "first");
        stage.awaitGo();
        for (int i = 0; i < 40; i++) {
            MethodDescriptor<String, String> m = methods.get(i % 3 == 0 ? 1 : 0);
            ClientCalls.blockingUnaryCall(channel, m, CallOptions.DEFAULT, "request " + i);
            log.add(m.getFullMethodName());
        }
        channel.shutdownNow();
        server.shutdownNow();
        stage.write("log", String.join("\n", log) + "\n");
        stage.finish();
        Runtime.getRuntime().halt(0);
    }
}
