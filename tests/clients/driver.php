<?php
// driver.php - answers queries.sql through PHP's SQLite3: php -d sqlite3.extension_dir=FOLDER driver.php EXTENSION QUERIES;
// see docs/clients.md.
[, $extension, $path] = $argv;
$db = new SQLite3(':memory:');
$db->enableExceptions(true);
$db->loadExtension(basename($extension) . '.so');  // looked for in sqlite3.extension_dir alone

const FLAGS = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION;

// Text and blobs are both strings: the column's type tells them apart.
function plain($value, int $type): string {
    if ($type === SQLITE3_BLOB) {
        return '{"blob": "' . bin2hex($value) . '"}';
    }
    if (is_float($value)) {
        return is_infinite($value) ? ($value < 0 ? '-1e999' : '1e999') : json_encode($value, FLAGS);
    }
    return json_encode($value, FLAGS);
}

$last = [];
foreach (array_slice(explode("\n-- ", file_get_contents($path)), 1) as $text) {
    [$name, $query] = explode("\n", $text, 2);
    try {
        $statement = $db->prepare($query);
        if (str_contains($query, '?1')) {
            foreach ($last as $i => [$value, $type]) {
                $statement->bindValue($i + 1, $value, $type);
            }
        }
        $found = $statement->execute();
        $columns = array_map(fn($i) => $found->columnName($i), array_keys(array_fill(0, $found->numColumns(), null)));
        $rows = [];
        while ($row = $found->fetchArray(SQLITE3_NUM)) {
            $last = array_map(fn($value, $i) => [$value, $found->columnType($i)], $row, array_keys($row));
            $rows[] = '[' . implode(', ', array_map(fn($pair) => plain(...$pair), $last)) . ']';
        }
        echo '{"name": ', json_encode($name, FLAGS), ', "columns": ', json_encode($columns, FLAGS), ', "rows": [', implode(', ', $rows), "]}\n";
    } catch (Exception $error) {
        echo json_encode(['name' => $name, 'error' => $error->getMessage()], FLAGS), "\n";
    }
}
