/** Writes two lines with the library that its argument names. */
public class Jobs {
    public static void main(String[] args) {
        switch (args[0]) {
            case "slf4j" -> {
                var log = org.slf4j.LoggerFactory.getLogger("com.example.Jobs");
                log.info("job {} began", 7);
                log.error("job {} failed", 7);
            }
            case "jul" -> {
                var log = java.util.logging.Logger.getLogger("com.example.Jobs");
                log.info("job 7 began");
                log.severe("job 7 failed");
            }
            default -> {
                var log = org.apache.logging.log4j.LogManager.getLogger("com.example.Jobs");
                log.info("job {} began", 7);
                log.error("job {} failed", 7);
            }
        }
    }
}
