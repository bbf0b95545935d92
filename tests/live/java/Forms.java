// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Forms DIR: a JVM with classes for lambdas and method handles; calls some of them again after `go`. */
public class Forms {
    static int add(int a, int b) {
        return a + b;
    }

    static int sum(MethodHandle handle) throws Throwable {
        Runnable nothing = () -> add(0, 0);
        int sum = 0;
        for (int i = 0; i < 3000; i++)
            sum += (int) handle.invokeExact(i) + (Integer) handle.invoke((Integer) i);
        nothing.run();
        return sum;
    }

    public static void main(String[] args) throws Throwable {
        Stage stage = new Stage(args[0]);
        MethodHandle handle = MethodHandles.insertArguments(MethodHandles.lookup().findStatic(Forms.class, "add",
                MethodType.methodType(int.class, int.class, int.class)), 0, 7);
        int before = sum(handle);
        stage.awaitGo();
        if (sum(handle) != before)
            throw new IllegalStateException("another sum");
        stage.expect("live.Forms", "sum", 1, 0);
        stage.finish();
    }
}
