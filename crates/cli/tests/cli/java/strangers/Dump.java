import java.io.File;
import java.util.Arrays;
import java.util.TreeSet;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.tools.ExecFileLoader;

/** Prints what JaCoCo has recorded: the identity of each class, and which of its probes were hit. */
public class Dump {
    public static void main(String[] args) throws Exception {
        ExecFileLoader loader = new ExecFileLoader();
        loader.load(new File(args[0]));
        TreeSet<String> lines = new TreeSet<>();
        for (ExecutionData data : loader.getExecutionDataStore().getContents()) {
            lines.add(data.getName() + " " + Long.toHexString(data.getId()) + " " + Arrays.toString(data.getProbes()));
        }
        lines.forEach(System.out::println);
    }
}
