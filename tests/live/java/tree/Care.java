// SPDX-License-Identifier: BSD-2-Clause
// exceptions: resources, finally within finally, several types in one catch
package PACKAGE;

import java.io.*;

public class Care implements AutoCloseable {
    private int open = NUMBER;

    static class Trouble extends Exception {
        final int code;

        Trouble(int code, Throwable t) {
            super("code " + code, t);
            this.code = code;
        }
    }

    public void close() throws IOException {
        if (--open < 0)
            throw new IOException("closed");
    }

    public int read(Reader in) throws Trouble {
        try (Care a = new Care(); BufferedReader r = new BufferedReader(in); Care b = new Care()) {
            String line;
            int n = 0;
            while ((line = r.readLine()) != null)
                n += line.length();
            return n;
        } catch (UncheckedIOException | ArithmeticException e) {
            throw new Trouble(NUMBER, e);
        } catch (IOException e) {
            return -1;
        } finally {
            open++;
            try {
                if (open > 100)
                    return 7;
            } finally {
                open--;
            }
        }
    }

    public <X extends Exception> void raise(X x) throws X {
        synchronized (this) {
            if (open > 0)
                throw x;
        }
    }
}
