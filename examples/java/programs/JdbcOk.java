import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Closes everything, in order. */
public class JdbcOk {
    public static void main(String[] args) throws SQLException {
        Database.register();
        try (Connection connection = DriverManager.getConnection("jdbc:example:one");
                Statement statement = connection.createStatement();
                ResultSet results = statement.executeQuery("select 1")) {
            while (results.next()) {
                System.out.println("row");
            }
        }
    }
}
