import java.io.File;
import java.io.FileInputStream;
import java.io.FileWriter;
import java.io.IOException;

/** Writes to a file that was closed, and leaves another one open. */
public class StreamsBad {
    public static void main(String[] args) throws IOException {
        File file = File.createTempFile("watchword", ".txt");
        file.deleteOnExit();
        FileWriter writer = new FileWriter(file);
        writer.write("hello");
        writer.close();
        try {
            writer.write("world");
        } catch (IOException expected) {
            System.out.println("closed");
        }
        FileInputStream input = new FileInputStream(file);
        System.out.println(input.read());
    }
}
