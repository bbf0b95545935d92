// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.JChannel;
import org.jgroups.blocks.MethodCall;
import org.jgroups.blocks.Request;
import org.jgroups.blocks.RequestOptions;
import org.jgroups.blocks.RpcDispatcher;

/** GroupCalls DIR: calls of two members of a JGroups group in this process; `log` has the peer of each. */
public class GroupCalls {
    public String price(int number) {
        return "price " + number;
    }

    static RpcDispatcher member() throws Exception {
        JChannel channel = new JChannel("SHARED_LOOPBACK:PING:pbcast.NAKACK:UNICAST:pbcast.STABLE:pbcast.GMS");
        RpcDispatcher dispatcher = new RpcDispatcher(channel, null, null, new GroupCalls());
        channel.connect("shop");
        return dispatcher;
    }

    public static void main(String[] args) throws Throwable {
        Stage stage = new Stage(args[0]);
        RpcDispatcher caller = member(), first = member(), second = member();
        Address[] peers = {first.getChannel().getAddress(), second.getChannel().getAddress()};
        MethodCall warm = new MethodCall("price", new Object[] {0}, new Class<?>[] {int.class});
        for (Address peer : peers)
            caller.callRemoteMethod(peer, warm, new RequestOptions(Request.GET_ALL, 0));
        stage.awaitGo();
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Address peer = peers[i % 3 % 2];
            MethodCall call = new MethodCall("price", new Object[] {i}, new Class<?>[] {int.class});
            Object price = caller.callRemoteMethod(peer, call, new RequestOptions(Request.GET_ALL, 0));
            if (!price.equals("price " + i))
                throw new IllegalStateException("peer answers " + price);
            java.util.UUID same = java.util.UUID.fromString(((org.jgroups.util.UUID)peer).toStringLong());
            seen.add(same.getMostSignificantBits() + " " + same.getLeastSignificantBits());
        }
        stage.write("log", String.join("\n", seen) + "\n");
        stage.finish();
        Runtime.getRuntime().halt(0);
    }
}
