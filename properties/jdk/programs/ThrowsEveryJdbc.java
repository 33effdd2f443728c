import java.sql.*;

/** Every method of closed connections, statements and result sets. */
final class ThrowsEveryJdbc {
    @Found("JdbcConnectionClosed")
    static void connectionCreateStatement() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.createStatement(); }
    @Found("JdbcConnectionClosed")
    static void connectionPrepareStatement() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.prepareStatement((java.lang.String) null); }
    @Found("JdbcConnectionClosed")
    static void connectionPrepareCall() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.prepareCall((java.lang.String) null); }
    @Found("JdbcConnectionClosed")
    static void connectionNativeSQL() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.nativeSQL((java.lang.String) null); }
    @Found("JdbcConnectionClosed")
    static void connectionSetAutoCommit() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.setAutoCommit(true); }
    @Found("JdbcConnectionClosed")
    static void connectionGetAutoCommit() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.getAutoCommit(); }
    @Found("JdbcConnectionClosed")
    static void connectionCommit() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.commit(); }
    @Found("JdbcConnectionClosed")
    static void connectionRollback() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.rollback(); }
    @Found("JdbcConnectionClosed")
    static void connectionGetMetaData() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.getMetaData(); }
    @Found("JdbcConnectionClosed")
    static void connectionSetReadOnly() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.setReadOnly(true); }
    @Found("JdbcConnectionClosed")
    static void connectionIsReadOnly() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.isReadOnly(); }
    @Found("JdbcConnectionClosed")
    static void connectionSetCatalog() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.setCatalog((java.lang.String) null); }
    @Found("JdbcConnectionClosed")
    static void connectionGetCatalog() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.getCatalog(); }
    @Found("JdbcConnectionClosed")
    static void connectionSetTransactionIsolation() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.setTransactionIsolation(1); }
    @Found("JdbcConnectionClosed")
    static void connectionGetTransactionIsolation() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.getTransactionIsolation(); }
    @Found("JdbcConnectionClosed")
    static void connectionGetWarnings() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.getWarnings(); }
    @Found("JdbcConnectionClosed")
    static void connectionClearWarnings() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.clearWarnings(); }
    @Found("JdbcConnectionClosed")
    static void connectionGetTypeMap() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.getTypeMap(); }
    @Found("JdbcConnectionClosed")
    static void connectionSetTypeMap() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.setTypeMap((java.util.Map) null); }
    @Found("JdbcConnectionClosed")
    static void connectionSetHoldability() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.setHoldability(1); }
    @Found("JdbcConnectionClosed")
    static void connectionGetHoldability() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.getHoldability(); }
    @Found("JdbcConnectionClosed")
    static void connectionSetSavepoint() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.setSavepoint(); }
    @Found("JdbcConnectionClosed")
    static void connectionReleaseSavepoint() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.releaseSavepoint((java.sql.Savepoint) null); }
    @Found("JdbcConnectionClosed")
    static void connectionCreateClob() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.createClob(); }
    @Found("JdbcConnectionClosed")
    static void connectionCreateBlob() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.createBlob(); }
    @Found("JdbcConnectionClosed")
    static void connectionCreateNClob() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.createNClob(); }
    @Found("JdbcConnectionClosed")
    static void connectionCreateSQLXML() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.createSQLXML(); }
    @Found("JdbcConnectionClosed")
    static void connectionGetClientInfo() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.getClientInfo((java.lang.String) null); }
    @Found("JdbcConnectionClosed")
    static void connectionCreateArrayOf() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.createArrayOf((java.lang.String) null, (java.lang.Object[]) null); }
    @Found("JdbcConnectionClosed")
    static void connectionCreateStruct() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.createStruct((java.lang.String) null, (java.lang.Object[]) null); }
    @Found("JdbcConnectionClosed")
    static void connectionSetSchema() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.setSchema((java.lang.String) null); }
    @Found("JdbcConnectionClosed")
    static void connectionGetSchema() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.getSchema(); }
    @Found("JdbcConnectionClosed")
    static void connectionSetNetworkTimeout() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.setNetworkTimeout((java.util.concurrent.Executor) null, 1); }
    @Found("JdbcConnectionClosed")
    static void connectionGetNetworkTimeout() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.getNetworkTimeout(); }
    @Found("JdbcConnectionClosed")
    static void connectionSetShardingKeyIfValid() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.setShardingKeyIfValid((java.sql.ShardingKey) null, (java.sql.ShardingKey) null, 1); }
    @Found("JdbcConnectionClosed")
    static void connectionSetShardingKey() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.setShardingKey((java.sql.ShardingKey) null, (java.sql.ShardingKey) null); }
    @Found("JdbcStatementClosed")
    static void statementExecuteQuery() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.executeQuery((java.lang.String) null); }
    @Found("JdbcStatementClosed")
    static void statementExecuteUpdate() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.executeUpdate((java.lang.String) null); }
    @Found("JdbcStatementClosed")
    static void statementGetMaxFieldSize() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getMaxFieldSize(); }
    @Found("JdbcStatementClosed")
    static void statementSetMaxFieldSize() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.setMaxFieldSize(1); }
    @Found("JdbcStatementClosed")
    static void statementGetMaxRows() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getMaxRows(); }
    @Found("JdbcStatementClosed")
    static void statementSetMaxRows() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.setMaxRows(1); }
    @Found("JdbcStatementClosed")
    static void statementSetEscapeProcessing() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.setEscapeProcessing(true); }
    @Found("JdbcStatementClosed")
    static void statementGetQueryTimeout() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getQueryTimeout(); }
    @Found("JdbcStatementClosed")
    static void statementSetQueryTimeout() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.setQueryTimeout(1); }
    @Found("JdbcStatementClosed")
    static void statementCancel() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.cancel(); }
    @Found("JdbcStatementClosed")
    static void statementGetWarnings() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getWarnings(); }
    @Found("JdbcStatementClosed")
    static void statementClearWarnings() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.clearWarnings(); }
    @Found("JdbcStatementClosed")
    static void statementSetCursorName() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.setCursorName((java.lang.String) null); }
    @Found("JdbcStatementClosed")
    static void statementExecute() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.execute((java.lang.String) null); }
    @Found("JdbcStatementClosed")
    static void statementGetResultSet() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getResultSet(); }
    @Found("JdbcStatementClosed")
    static void statementGetUpdateCount() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getUpdateCount(); }
    @Found("JdbcStatementClosed")
    static void statementGetMoreResults() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getMoreResults(); }
    @Found("JdbcStatementClosed")
    static void statementSetFetchDirection() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.setFetchDirection(1); }
    @Found("JdbcStatementClosed")
    static void statementGetFetchDirection() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getFetchDirection(); }
    @Found("JdbcStatementClosed")
    static void statementSetFetchSize() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.setFetchSize(1); }
    @Found("JdbcStatementClosed")
    static void statementGetFetchSize() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getFetchSize(); }
    @Found("JdbcStatementClosed")
    static void statementGetResultSetConcurrency() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getResultSetConcurrency(); }
    @Found("JdbcStatementClosed")
    static void statementGetResultSetType() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getResultSetType(); }
    @Found("JdbcStatementClosed")
    static void statementAddBatch() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.addBatch((java.lang.String) null); }
    @Found("JdbcStatementClosed")
    static void statementClearBatch() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.clearBatch(); }
    @Found("JdbcStatementClosed")
    static void statementExecuteBatch() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.executeBatch(); }
    @Found("JdbcStatementClosed")
    static void statementGetConnection() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getConnection(); }
    @Found("JdbcStatementClosed")
    static void statementGetGeneratedKeys() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getGeneratedKeys(); }
    @Found("JdbcStatementClosed")
    static void statementGetResultSetHoldability() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getResultSetHoldability(); }
    @Found("JdbcStatementClosed")
    static void statementSetPoolable() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.setPoolable(true); }
    @Found("JdbcStatementClosed")
    static void statementIsPoolable() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.isPoolable(); }
    @Found("JdbcStatementClosed")
    static void statementCloseOnCompletion() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.closeOnCompletion(); }
    @Found("JdbcStatementClosed")
    static void statementIsCloseOnCompletion() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.isCloseOnCompletion(); }
    @Found("JdbcStatementClosed")
    static void statementGetLargeUpdateCount() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getLargeUpdateCount(); }
    @Found("JdbcStatementClosed")
    static void statementSetLargeMaxRows() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.setLargeMaxRows(1L); }
    @Found("JdbcStatementClosed")
    static void statementGetLargeMaxRows() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.getLargeMaxRows(); }
    @Found("JdbcStatementClosed")
    static void statementExecuteLargeBatch() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.executeLargeBatch(); }
    @Found("JdbcStatementClosed")
    static void statementExecuteLargeUpdate() throws Exception { Statement s = ThrowsThreads.connection().prepareCall("x"); s.close(); s.executeLargeUpdate((java.lang.String) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetNull() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setNull(1, 1); }
    @Found("JdbcStatementClosed")
    static void preparedSetBoolean() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setBoolean(1, true); }
    @Found("JdbcStatementClosed")
    static void preparedSetByte() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setByte(1, (byte) 1); }
    @Found("JdbcStatementClosed")
    static void preparedSetShort() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setShort(1, (short) 1); }
    @Found("JdbcStatementClosed")
    static void preparedSetInt() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setInt(1, 1); }
    @Found("JdbcStatementClosed")
    static void preparedSetLong() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setLong(1, 1L); }
    @Found("JdbcStatementClosed")
    static void preparedSetFloat() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setFloat(1, 1); }
    @Found("JdbcStatementClosed")
    static void preparedSetDouble() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setDouble(1, 1); }
    @Found("JdbcStatementClosed")
    static void preparedSetBigDecimal() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setBigDecimal(1, (java.math.BigDecimal) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetString() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setString(1, (java.lang.String) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetBytes() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setBytes(1, (byte[]) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetDate() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setDate(1, (java.sql.Date) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetTime() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setTime(1, (java.sql.Time) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetTimestamp() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setTimestamp(1, (java.sql.Timestamp) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetAsciiStream() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setAsciiStream(1, (java.io.InputStream) null, 1); }
    @Found("JdbcStatementClosed")
    static void preparedSetUnicodeStream() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setUnicodeStream(1, (java.io.InputStream) null, 1); }
    @Found("JdbcStatementClosed")
    static void preparedSetBinaryStream() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setBinaryStream(1, (java.io.InputStream) null, 1); }
    @Found("JdbcStatementClosed")
    static void preparedClearParameters() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.clearParameters(); }
    @Found("JdbcStatementClosed")
    static void preparedSetObject() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setObject(1, (java.lang.Object) null, 1); }
    @Found("JdbcStatementClosed")
    static void preparedSetCharacterStream() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setCharacterStream(1, (java.io.Reader) null, 1); }
    @Found("JdbcStatementClosed")
    static void preparedSetRef() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setRef(1, (java.sql.Ref) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetBlob() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setBlob(1, (java.sql.Blob) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetClob() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setClob(1, (java.sql.Clob) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetArray() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setArray(1, (java.sql.Array) null); }
    @Found("JdbcStatementClosed")
    static void preparedGetMetaData() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.getMetaData(); }
    @Found("JdbcStatementClosed")
    static void preparedSetURL() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setURL(1, (java.net.URL) null); }
    @Found("JdbcStatementClosed")
    static void preparedGetParameterMetaData() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.getParameterMetaData(); }
    @Found("JdbcStatementClosed")
    static void preparedSetRowId() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setRowId(1, (java.sql.RowId) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetNString() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setNString(1, (java.lang.String) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetNCharacterStream() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setNCharacterStream(1, (java.io.Reader) null, 1L); }
    @Found("JdbcStatementClosed")
    static void preparedSetNClob() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setNClob(1, (java.sql.NClob) null); }
    @Found("JdbcStatementClosed")
    static void preparedSetSQLXML() throws Exception { PreparedStatement p = ThrowsThreads.connection().prepareCall("x"); p.close(); p.setSQLXML(1, (java.sql.SQLXML) null); }
    @Found("JdbcStatementClosed")
    static void callableRegisterOutParameter() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.registerOutParameter(1, 1); }
    @Found("JdbcStatementClosed")
    static void callableWasNull() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.wasNull(); }
    @Found("JdbcStatementClosed")
    static void callableGetString() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getString(1); }
    @Found("JdbcStatementClosed")
    static void callableGetBoolean() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getBoolean(1); }
    @Found("JdbcStatementClosed")
    static void callableGetByte() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getByte(1); }
    @Found("JdbcStatementClosed")
    static void callableGetShort() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getShort(1); }
    @Found("JdbcStatementClosed")
    static void callableGetInt() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getInt(1); }
    @Found("JdbcStatementClosed")
    static void callableGetLong() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getLong(1); }
    @Found("JdbcStatementClosed")
    static void callableGetFloat() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getFloat(1); }
    @Found("JdbcStatementClosed")
    static void callableGetDouble() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getDouble(1); }
    @Found("JdbcStatementClosed")
    static void callableGetBigDecimal() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getBigDecimal(1, 1); }
    @Found("JdbcStatementClosed")
    static void callableGetBytes() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getBytes(1); }
    @Found("JdbcStatementClosed")
    static void callableGetDate() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getDate(1); }
    @Found("JdbcStatementClosed")
    static void callableGetTime() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getTime(1); }
    @Found("JdbcStatementClosed")
    static void callableGetTimestamp() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getTimestamp(1); }
    @Found("JdbcStatementClosed")
    static void callableGetObject() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getObject(1); }
    @Found("JdbcStatementClosed")
    static void callableGetRef() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getRef(1); }
    @Found("JdbcStatementClosed")
    static void callableGetBlob() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getBlob(1); }
    @Found("JdbcStatementClosed")
    static void callableGetClob() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getClob(1); }
    @Found("JdbcStatementClosed")
    static void callableGetArray() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getArray(1); }
    @Found("JdbcStatementClosed")
    static void callableGetURL() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getURL(1); }
    @Found("JdbcStatementClosed")
    static void callableGetRowId() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getRowId(1); }
    @Found("JdbcStatementClosed")
    static void callableGetNClob() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getNClob(1); }
    @Found("JdbcStatementClosed")
    static void callableGetSQLXML() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getSQLXML(1); }
    @Found("JdbcStatementClosed")
    static void callableGetNString() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getNString(1); }
    @Found("JdbcStatementClosed")
    static void callableGetNCharacterStream() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getNCharacterStream(1); }
    @Found("JdbcStatementClosed")
    static void callableGetCharacterStream() throws Exception { CallableStatement c = ThrowsThreads.connection().prepareCall("x"); c.close(); c.getCharacterStream(1); }
    @Found("JdbcResultSetClosed")
    static void rowsNext() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.next(); }
    @Found("JdbcResultSetClosed")
    static void rowsWasNull() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.wasNull(); }
    @Found("JdbcResultSetClosed")
    static void rowsGetString() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getString(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetBoolean() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getBoolean(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetByte() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getByte(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetShort() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getShort(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetInt() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getInt(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetLong() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getLong(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetFloat() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getFloat(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetDouble() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getDouble(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetBigDecimal() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getBigDecimal(1, 1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetBytes() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getBytes(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetDate() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getDate(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetTime() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getTime(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetTimestamp() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getTimestamp(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetAsciiStream() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getAsciiStream(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetUnicodeStream() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getUnicodeStream(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetBinaryStream() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getBinaryStream(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetWarnings() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getWarnings(); }
    @Found("JdbcResultSetClosed")
    static void rowsClearWarnings() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.clearWarnings(); }
    @Found("JdbcResultSetClosed")
    static void rowsGetCursorName() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getCursorName(); }
    @Found("JdbcResultSetClosed")
    static void rowsGetMetaData() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getMetaData(); }
    @Found("JdbcResultSetClosed")
    static void rowsGetObject() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getObject(1); }
    @Found("JdbcResultSetClosed")
    static void rowsFindColumn() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.findColumn((java.lang.String) null); }
    @Found("JdbcResultSetClosed")
    static void rowsGetCharacterStream() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getCharacterStream(1); }
    @Found("JdbcResultSetClosed")
    static void rowsIsBeforeFirst() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.isBeforeFirst(); }
    @Found("JdbcResultSetClosed")
    static void rowsIsAfterLast() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.isAfterLast(); }
    @Found("JdbcResultSetClosed")
    static void rowsIsFirst() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.isFirst(); }
    @Found("JdbcResultSetClosed")
    static void rowsIsLast() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.isLast(); }
    @Found("JdbcResultSetClosed")
    static void rowsBeforeFirst() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.beforeFirst(); }
    @Found("JdbcResultSetClosed")
    static void rowsAfterLast() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.afterLast(); }
    @Found("JdbcResultSetClosed")
    static void rowsFirst() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.first(); }
    @Found("JdbcResultSetClosed")
    static void rowsLast() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.last(); }
    @Found("JdbcResultSetClosed")
    static void rowsGetRow() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getRow(); }
    @Found("JdbcResultSetClosed")
    static void rowsAbsolute() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.absolute(1); }
    @Found("JdbcResultSetClosed")
    static void rowsRelative() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.relative(1); }
    @Found("JdbcResultSetClosed")
    static void rowsPrevious() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.previous(); }
    @Found("JdbcResultSetClosed")
    static void rowsSetFetchDirection() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.setFetchDirection(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetFetchDirection() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getFetchDirection(); }
    @Found("JdbcResultSetClosed")
    static void rowsSetFetchSize() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.setFetchSize(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetFetchSize() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getFetchSize(); }
    @Found("JdbcResultSetClosed")
    static void rowsGetType() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getType(); }
    @Found("JdbcResultSetClosed")
    static void rowsGetConcurrency() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getConcurrency(); }
    @Found("JdbcResultSetClosed")
    static void rowsRowUpdated() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.rowUpdated(); }
    @Found("JdbcResultSetClosed")
    static void rowsRowInserted() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.rowInserted(); }
    @Found("JdbcResultSetClosed")
    static void rowsRowDeleted() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.rowDeleted(); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateNull() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateNull(1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateBoolean() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateBoolean(1, true); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateByte() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateByte(1, (byte) 1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateShort() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateShort(1, (short) 1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateInt() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateInt(1, 1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateLong() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateLong(1, 1L); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateFloat() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateFloat(1, 1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateDouble() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateDouble(1, 1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateBigDecimal() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateBigDecimal(1, (java.math.BigDecimal) null); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateString() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateString(1, (java.lang.String) null); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateBytes() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateBytes(1, (byte[]) null); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateDate() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateDate(1, (java.sql.Date) null); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateTime() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateTime(1, (java.sql.Time) null); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateTimestamp() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateTimestamp(1, (java.sql.Timestamp) null); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateAsciiStream() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateAsciiStream(1, (java.io.InputStream) null, 1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateBinaryStream() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateBinaryStream(1, (java.io.InputStream) null, 1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateCharacterStream() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateCharacterStream(1, (java.io.Reader) null, 1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateObject() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateObject(1, (java.lang.Object) null, 1); }
    @Found("JdbcResultSetClosed")
    static void rowsInsertRow() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.insertRow(); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateRow() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateRow(); }
    @Found("JdbcResultSetClosed")
    static void rowsDeleteRow() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.deleteRow(); }
    @Found("JdbcResultSetClosed")
    static void rowsRefreshRow() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.refreshRow(); }
    @Found("JdbcResultSetClosed")
    static void rowsCancelRowUpdates() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.cancelRowUpdates(); }
    @Found("JdbcResultSetClosed")
    static void rowsMoveToInsertRow() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.moveToInsertRow(); }
    @Found("JdbcResultSetClosed")
    static void rowsMoveToCurrentRow() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.moveToCurrentRow(); }
    @Found("JdbcResultSetClosed")
    static void rowsGetStatement() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getStatement(); }
    @Found("JdbcResultSetClosed")
    static void rowsGetRef() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getRef(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetBlob() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getBlob(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetClob() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getClob(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetArray() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getArray(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetURL() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getURL(1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateRef() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateRef(1, (java.sql.Ref) null); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateBlob() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateBlob(1, (java.sql.Blob) null); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateClob() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateClob(1, (java.sql.Clob) null); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateArray() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateArray(1, (java.sql.Array) null); }
    @Found("JdbcResultSetClosed")
    static void rowsGetRowId() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getRowId(1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateRowId() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateRowId(1, (java.sql.RowId) null); }
    @Found("JdbcResultSetClosed")
    static void rowsGetHoldability() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getHoldability(); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateNString() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateNString(1, (java.lang.String) null); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateNClob() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateNClob(1, (java.sql.NClob) null); }
    @Found("JdbcResultSetClosed")
    static void rowsGetNClob() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getNClob(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetSQLXML() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getSQLXML(1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateSQLXML() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateSQLXML(1, (java.sql.SQLXML) null); }
    @Found("JdbcResultSetClosed")
    static void rowsGetNString() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getNString(1); }
    @Found("JdbcResultSetClosed")
    static void rowsGetNCharacterStream() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.getNCharacterStream(1); }
    @Found("JdbcResultSetClosed")
    static void rowsUpdateNCharacterStream() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.close(); r.updateNCharacterStream(1, (java.io.Reader) null, 1L); }
    @Found("JdbcConnectionClosed")
    static void connectionSetClientInfo() throws Exception { Connection c = ThrowsThreads.connection(); c.close(); c.setClientInfo("a", "b"); }
    @Found("JdbcAutoCommit")
    static void automaticRollback() throws Exception { Connection c = ThrowsThreads.connection(); c.setAutoCommit(true); c.rollback(); }
    @Found("JdbcAutoCommit")
    static void automaticSetSavepoint() throws Exception { Connection c = ThrowsThreads.connection(); c.setAutoCommit(true); c.setSavepoint(); }
    @Found("JdbcAutoCommit")
    static void automaticCommit() throws Exception { Connection c = ThrowsThreads.connection(); c.setAutoCommit(true); c.commit(); }
    @Found("JdbcRow")
    static void noRowGetBoolean() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.getBoolean(1); }
    @Found("JdbcRow")
    static void noRowGetBytes() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.getBytes(1); }
    @Found("JdbcRow")
    static void noRowGetDate() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.getDate(1); }
    @Found("JdbcRow")
    static void noRowGetLong() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.getLong(1); }
    @Found("JdbcRow")
    static void noRowGetObject() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.getObject(1); }
    @Found("JdbcRow")
    static void noRowGetString() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.getString(1); }
    @Found("JdbcRow")
    static void noRowGetTimestamp() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.getTimestamp(1); }
    @Found("JdbcRow")
    static void noRowUpdateRow() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.updateRow(); }
    @Found("JdbcRow")
    static void noRowDeleteRow() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.deleteRow(); }
    @Found("JdbcRow")
    static void noRowRefreshRow() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.refreshRow(); }
    @Found("JdbcRow")
    static void noRowInsertRow() throws Exception { ResultSet r = ThrowsThreads.connection().createStatement().executeQuery("x"); r.insertRow(); }
}
