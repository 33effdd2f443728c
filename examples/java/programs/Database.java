import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Properties;
import java.util.logging.Logger;

/** A database driver without a database: every query has two rows. */
public class Database implements Driver {
    static void register() throws SQLException {
        DriverManager.registerDriver(new Database());
    }

    @SuppressWarnings("unchecked")
    static <T> T make(Class<T> type, InvocationHandler handler) {
        return (T) Proxy.newProxyInstance(Database.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    static Object defaultOf(Class<?> type) {
        return type == boolean.class ? (Object) false : type == int.class ? (Object) 0 : null;
    }

    @Override
    public Connection connect(String url, Properties info) {
        if (!acceptsURL(url)) {
            return null;
        }
        return make(Connection.class, (proxy, method, args) ->
                method.getName().equals("createStatement") ? statement() : defaultOf(method.getReturnType()));
    }

    static Statement statement() {
        return make(Statement.class, (proxy, method, args) ->
                method.getName().equals("executeQuery") ? results() : defaultOf(method.getReturnType()));
    }

    static ResultSet results() {
        int[] rows = {2};
        return make(ResultSet.class, (proxy, method, args) ->
                method.getName().equals("next") ? (Object) (rows[0]-- > 0) : defaultOf(method.getReturnType()));
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith("jdbc:example:");
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }
}
