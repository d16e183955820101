// Metadata.java - types as JDBC reports them: java -cp sqlite-jdbc.jar Metadata.java FILE.
//
// A line a column: table, column, type of the metadata; and of the answer of SELECT * of each table.
import java.sql.*;

class Metadata {
    public static void main(String[] arguments) throws SQLException {
        try (var db = DriverManager.getConnection("jdbc:sqlite:" + arguments[0])) {
            var columns = db.getMetaData().getColumns(null, null, "%", "%");
            while (columns.next())
                print("schema", columns.getString("TABLE_NAME"), columns.getString("COLUMN_NAME"), columns.getString("TYPE_NAME"));
            var tables = db.getMetaData().getTables(null, null, "%", new String[] {"TABLE", "VIEW"});
            while (tables.next()) {
                var table = tables.getString("TABLE_NAME");
                try (var query = db.createStatement()) {
                    var answer = query.executeQuery("SELECT * FROM " + table).getMetaData();
                    for (int i = 1; i <= answer.getColumnCount(); i++)
                        print("answer", table, answer.getColumnName(i), answer.getColumnTypeName(i));
                }
            }
        }
    }

    static void print(String... fields) {
        System.out.println(String.join("\t", fields));
    }
}
