// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.function.IntFunction;

/** Classes that are loaded after tracing has begun, by many loaders; and fields that only the object's own class has. */
public class Later {
    public static class Part {
        int size;
    }

    public static class Above {
        String above = "above";
        Object same = "of above";
    }

    public static class Plug extends Above implements IntFunction<String> {
        int n;
        boolean flag;
        char letter = 'x';
        String text;
        String same = "of plug";
        Part part = new Part();

        public String apply(int id) {
            n = 2 * id;
            flag = id % 2 == 0;
            text = "text " + id;
            part.size = id;
            if (id % 10 == 9)
                throw new IllegalStateException();
            return "back " + id;
        }

        static int twice(int id) {
            return 2 * id;
        }
    }

    /** Its fields hide those of Plug. */
    public static class Sub extends Plug {
        long n = -1;
        Object same = "of sub";
    }

    interface Query {}

    static class TextQuery implements Query {
        String text;
        boolean flag = true;
    }

    static class NumberQuery implements Query {
        int text;
        char flag = 'f';
    }

    static class OtherQuery implements Query {
        static String text = "static";
    }

    /** The text is its own. */
    static class LateQuery extends TextQuery {
        String text = "late";
    }

    /** No class of it is loaded before the first call. */
    interface Titled {
        int MOST = 3;
    }

    static class Book implements Titled {
        String title;
        Part part = new Part();
        Object own = this;
        String gone;
    }

    static class Caller {
        Query query;

        void read(int id, Titled titled) {
            ((Book)titled).gone = null;
        }

        void call(int id, Object any) {}
    }

    static Query query(int id) {
        if (id % 4 == 0)
            return new LateQuery();
        if (id % 4 == 1)
            return new OtherQuery();
        if (id % 4 == 2) {
            NumberQuery number = new NumberQuery();
            number.text = id;
            return number;
        }
        TextQuery text = new TextQuery();
        text.text = "text " + id;
        return text;
    }

    static Titled book(int id) {
        Book book = new Book();
        book.title = "title " + id;
        book.part.size = id;
        book.gone = "gone " + id;
        return book;
    }

    @SuppressWarnings("unchecked")
    static IntFunction<String> plug(int id) throws Exception {
        URL[] path = {new File(System.getProperty("java.class.path")).toURI().toURL()};
        ClassLoader loader = new URLClassLoader(path, null);
        Class<?> c = Class.forName(id % 20 < 10 ? "live.Later$Plug" : "live.Later$Sub", true, loader);
        return (IntFunction<String>) c.getConstructor().newInstance();
    }

    /** DIRECTORY CALLS */
    public static void main(String[] arguments) throws Exception {
        Stage stage = new Stage(arguments[0]);
        Caller caller = new Caller();
        for (int id = 1; id < 4; id++)
            caller.query = query(id);
        caller.call(0, null);
        stage.awaitGo();
        IntFunction<String> plug = null;
        for (int id = 0; id < Integer.parseInt(arguments[1]); id++) {
            if (id % 10 == 0)
                plug = plug(id);
            try {
                plug.apply(id);
            } catch (IllegalStateException e) {
                // wanted
            }
            caller.query = query(id);
            caller.call(id, caller.query);
            caller.read(id, book(id));
        }
        stage.finish();
    }
}
