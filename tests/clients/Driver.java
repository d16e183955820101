/* Driver.java - answers queries.sql through the JDBC driver of xerial: java -cp sqlite-jdbc.jar Driver.java EXTENSION QUERIES;
   see docs/clients.md. */
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.*;
import java.util.*;

class Driver {
    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t") + '"';
    }

    static String plain(Object value) {
        if (value instanceof byte[] bytes)
            return "{\"blob\": \"" + HexFormat.of().formatHex(bytes) + "\"}";
        if (value instanceof Double number && number.isInfinite())
            return number < 0 ? "-1e999" : "1e999";
        return value instanceof String text ? quoted(text) : String.valueOf(value);
    }

    public static void main(String[] arguments) throws Exception {
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        var queries = Files.readString(Path.of(arguments[1])).split("\n-- ");
        List<Object> last = List.of();
        try (var db = DriverManager.getConnection("jdbc:sqlite::memory:?enable_load_extension=true")) {
            try (var load = db.prepareStatement("SELECT load_extension(?)")) {
                load.setString(1, arguments[0]);
                load.executeQuery();
            }
            for (var text : Arrays.asList(queries).subList(1, queries.length)) {
                var parts = text.split("\n", 2);
                var rows = new ArrayList<String>();
                var columns = new ArrayList<String>();
                try (var statement = db.prepareStatement(parts[1])) {
                    if (parts[1].contains("?1"))
                        for (int i = 0; i < last.size(); i++)
                            statement.setObject(i + 1, last.get(i));
                    var found = statement.executeQuery();
                    var meta = found.getMetaData();
                    for (int i = 1; i <= meta.getColumnCount(); i++)
                        columns.add(quoted(meta.getColumnLabel(i)));
                    while (found.next()) {
                        last = new ArrayList<>();
                        for (int i = 1; i <= columns.size(); i++)
                            last.add(found.getObject(i));
                        rows.add(last.stream().map(Driver::plain).toList().toString());
                    }
                    out.println("{\"name\": " + quoted(parts[0]) + ", \"columns\": " + columns + ", \"rows\": " + rows + "}");
                } catch (SQLException error) {
                    out.println("{\"name\": " + quoted(parts[0]) + ", \"error\": " + quoted(error.getMessage()) + "}");
                }
            }
        }
    }
}
