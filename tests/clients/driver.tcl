#!/usr/bin/tclsh
# driver.tcl - answers queries.sql through Tcl's sqlite3: driver.tcl EXTENSION QUERIES; see docs/clients.md.
package require sqlite3

lassign $argv extension path
sqlite3 db :memory:
db enable_load_extension 1
db eval {SELECT load_extension($extension)}
# NULL comes as this text; as a parameter it is a variable that is not set.
set null "\ufdd0"
db nullvalue $null

proc quoted {text} {
    return "\"[string map {\\ \\\\ \" \\\" \n \\n \t \\t \r \\r} $text]\""
}

# To Tcl every value is text; what SQLite made of it is in its internal representation alone.
proc plain {value} {
    global null
    regexp {^value is a (\S+)} [::tcl::unsupported::representation $value] -> kind
    if {$kind eq "bytearray"} {
        binary scan $value H* digits
        return "{\"blob\": \"$digits\"}"
    } elseif {$kind in {int wideInt}} {
        return $value
    } elseif {$kind eq "double"} {
        # Compared as a number, since as text it would stay text and be bound as text.
        if {abs($value) < Inf} {return $value}
        return [expr {$value < 0 ? "-" : ""}]1e999
    } elseif {$value eq $null} {
        return null
    }
    return [quoted $value]
}

fconfigure stdout -encoding utf-8
set file [open $path]
fconfigure $file -encoding utf-8
foreach text [lrange [split [string map [list "\n-- " $null] [read $file]] $null] 1 end] {
    regexp {^([^\n]*)\n(.*)} $text -> name query
    regsub -all {\?(\d)} $query {$last(\1)} query
    set rows {}
    set failed [catch {
        db eval $query row {
            set values {}
            array unset kept
            set i 0
            foreach column $row(*) {
                lappend values [plain $row($column)]
                incr i
                if {[lindex $values end] ne "null"} {
                    set kept($i) $row($column)
                }
            }
            lappend rows "\[[join $values ", "]\]"
        }
    } message]
    if {$failed} {
        puts "{\"name\": [quoted $name], \"error\": [quoted $message]}"
        continue
    }
    if {$rows ne {}} {
        array unset last
        array set last [array get kept]
    }
    set columns [lmap column $row(*) {quoted $column}]
    puts "{\"name\": [quoted $name], \"columns\": \[[join $columns ", "]\], \"rows\": \[[join $rows ", "]\]}"
    array unset row
}
