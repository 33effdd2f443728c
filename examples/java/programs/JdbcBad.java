import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Reads results of a closed statement, queries through a closed connection, leaves one open. */
public class JdbcBad {
    public static void main(String[] args) throws SQLException {
        Database.register();
        Connection connection = DriverManager.getConnection("jdbc:example:one");
        Statement statement = connection.createStatement();
        ResultSet results = statement.executeQuery("select 1");
        statement.close();
        System.out.println(results.next());
        Statement late = connection.createStatement();
        connection.close();
        late.executeQuery("select 2");
        DriverManager.getConnection("jdbc:example:two");
    }
}
