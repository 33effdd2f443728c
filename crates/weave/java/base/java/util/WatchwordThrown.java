package java.util;

/**
 * Who has thrown an exception: the method that woven code called, or code of the program that this method
 * called in its turn, such as a comparator. The stack trace tells.
 */
final class WatchwordThrown {
    private WatchwordThrown() {}

    /**
     * Whether the called method has thrown the exception itself, or has had it thrown by methods of the
     * JDK alone. A method of the program may use others of its outermost class, hand on to a method
     * of the same name, and have a class throw that does nothing else. An exception without a trace was not thrown by it, as far as anybody knows;
     * neither was one that was made in another call.
     * With {@code jdk}, a method of the JDK must have made the exception.
     *
     * @param name of the called method; null if it is the woven method itself
     */
    static boolean byCalled(Throwable thrown, String name, boolean jdk) {
        StackTraceElement[] trace = traceOf(thrown);
        if (trace == null || trace.length == 0 || jdk && !isOfPlatform(trace[0])) {
            return false;
        }
        // Tasks of other threads leave a copy that the JDK made in this one; its cause has their trace.
        Throwable cause = thrown.getClass().getClassLoader() == null ? thrown.getCause() : null;
        if (cause != null && cause.getClass() == thrown.getClass() && isOfPlatform(trace[0])) {
            StackTraceElement[] there = traceOf(cause);
            return there != null && there.length > 0 && isOfPlatform(there, 0, there.length);
        }
        int calls = calls(trace, new Throwable().getStackTrace(), name != null);
        if (calls < 0) {
            return false;
        }
        if (name == null) {
            calls++;
        } else if (calls == 0 || !trace[calls - 1].getMethodName().equals(name)) {
            return false;
        }
        StackTraceElement called = trace[calls - 1];
        return isOfPlatform(called) ? isOfPlatform(trace, 0, calls) : isOwnDoing(trace, calls);
    }

    /** Whether only a method of the program, so many calls from what was thrown, has a hand in it. */
    private static boolean isOwnDoing(StackTraceElement[] trace, int calls) {
        int guards = 0;
        while (guards < calls && isGuard(trace[guards])) {
            guards++;
        }
        String name = trace[calls - 1].getMethodName();
        String outermost = outermost(trace[calls - 1]);
        int at = calls;
        while (at > guards && !isOfPlatform(trace[at - 1])) {
            StackTraceElement frame = trace[at - 1];
            if (!outermost(frame).equals(outermost) && !frame.getMethodName().equals(name)) {
                return false;
            }
            at--;
        }
        if (at > guards && !trace[at - 1].getMethodName().equals(name)) {
            return false;
        }
        return isOfPlatform(trace, guards, at);
    }

    /** Whether a frame is of a class that other methods have throw for them: `Preconditions.checkState`. */
    private static boolean isGuard(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.endsWith("Preconditions") || name.endsWith(".Assert")
                || name.endsWith(".Validate");
    }

    /**
     * Whether the message of an exception, or the name of its class, contains a text, in small or capital
     * letters. Nobody is asked if the text is null; a message that a class of the program makes is not asked for.
     */
    static boolean says(Throwable thrown, String text) {
        if (text == null || contains(thrown.getClass().getName(), text)) {
            return true;
        }
        if (thrown.getClass().getClassLoader() != null) {
            return false;
        }
        String message = thrown.getMessage();
        return message != null && contains(message, text);
    }

    private static boolean contains(String all, String text) {
        for (int at = all.length() - text.length(); at >= 0; at--) {
            if (all.regionMatches(true, at, text, 0, text.length())) {
                return true;
            }
        }
        return false;
    }

    /** The trace of an exception; null if a method of the program would have to tell. */
    private static StackTraceElement[] traceOf(Throwable thrown) {
        if (thrown.getClass().getClassLoader() != null) {
            try {
                Class<?> teller = thrown.getClass().getMethod("getStackTrace").getDeclaringClass();
                if (teller != Throwable.class) {
                    return null;
                }
            } catch (ReflectiveOperationException | LinkageError | SecurityException e) {
                return null;
            }
        }
        return thrown.getStackTrace();
    }

    /**
     * How many calls are between the woven method and where the exception was made; -1 if it was made
     * elsewhere. Both traces end at the same frame, unless they are too long and lack some at the end.
     * With {@code line}, the woven method must have been at the line of the call.
     */
    private static int calls(StackTraceElement[] trace, StackTraceElement[] here, boolean line) {
        int woven = 0;
        while (woven < here.length && isOwn(here[woven])) {
            woven++;
        }
        if (woven == here.length) {
            return -1;
        }
        int calls = trace.length - (here.length - woven);
        if (calls >= 0 && calls < trace.length && isSame(trace[calls], here[woven], line)) {
            return calls;
        }
        for (int i = 0; i < trace.length; i++) {
            if (isSame(trace[i], here[woven], line)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isOwn(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.startsWith("java.util.Watchword") || name.startsWith("watchword.");
    }

    private static boolean isSame(StackTraceElement one, StackTraceElement other, boolean line) {
        return one.getMethodName().equals(other.getMethodName())
                && one.getClassName().equals(other.getClassName())
                && (!line || one.getLineNumber() == other.getLineNumber());
    }

    /** Whether some frames of a trace, from one to before another, are of the JDK. */
    private static boolean isOfPlatform(StackTraceElement[] trace, int from, int to) {
        for (int i = from; i < to; i++) {
            if (!isOfPlatform(trace[i])) {
                return false;
            }
        }
        return true;
    }

    /** Whether a frame is of a module that the bootstrap or the platform loader has defined. */
    private static boolean isOfPlatform(StackTraceElement frame) {
        String module = frame.getModuleName();
        String loader = frame.getClassLoaderName();
        return module != null && (module.startsWith("java.") || module.startsWith("jdk."))
                && (loader == null || loader.equals("platform"));
    }

    private static String outermost(StackTraceElement frame) {
        String name = frame.getClassName();
        int inner = name.indexOf('$');
        return inner < 0 ? name : name.substring(0, inner);
    }
}
