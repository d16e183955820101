#!/usr/bin/perl
# driver.pl - answers queries.sql through Perl's DBD::SQLite: driver.pl EXTENSION QUERIES; see docs/clients.md.
use strict;
use warnings;
use B;
use DBI qw(:sql_types);
use DBD::SQLite::Constants qw(DBD_SQLITE_STRING_MODE_UNICODE_STRICT);
use JSON::PP;

my $json = JSON::PP->new->allow_nonref;
my ($extension, $path) = @ARGV;
my $db = DBI->connect('dbi:SQLite:dbname=:memory:', '', '',
    {RaiseError => 1, PrintError => 0, sqlite_string_mode => DBD_SQLITE_STRING_MODE_UNICODE_STRICT});
$db->sqlite_enable_load_extension(1);
$db->sqlite_load_extension($extension);

# What Perl holds: text is decoded, a blob is bytes. Parameters are text unless their type is told.
sub type_of {
    my $flags = B::svref_2object(\$_[0])->FLAGS;
    return SQL_INTEGER if $flags & B::SVf_IOK;
    return SQL_DOUBLE if $flags & B::SVf_NOK;
    return utf8::is_utf8($_[0]) ? SQL_VARCHAR : SQL_BLOB;
}

sub real {
    my $text = sprintf '%.17g', $_[0];
    return $text =~ s/Inf/1e999/r if $text =~ /Inf/;
    return $text =~ /[.e]/ ? $text : "$text.0";
}

sub plain {
    my ($value) = @_;
    return 'null' unless defined $value;
    my $type = type_of($value);
    return sprintf '%d', $value if $type == SQL_INTEGER;
    return real($value) if $type == SQL_DOUBLE;
    return $type == SQL_BLOB ? '{"blob": "' . unpack('H*', $value) . '"}' : $json->encode($value);
}

open my $file, '<:encoding(UTF-8)', $path or die "$path: $!";
my (undef, @queries) = split /\n-- /, do { local $/; <$file> };
binmode STDOUT, ':utf8';
my @last;
for (@queries) {
    my ($name, $query) = split /\n/, $_, 2;
    my $answer = eval {
        # DBD::SQLite binds an infinity as text; as a literal it is one.
        $query =~ s/\?(\d)/my $v = $last[$1 - 1]; defined $v && $v =~ m{^-?Inf$} ? real($v) : $&/ge;
        my $found = $db->prepare($query);
        if ($query =~ /\?1/) {
            for my $i (grep { $query =~ /\?$_/ } 1 .. @last) {
                my $value = $last[$i - 1];
                $found->bind_param($i, $value, defined $value ? type_of($value) : undef);
            }
        }
        $found->execute;
        my @rows;
        while (my @row = $found->fetchrow_array) {
            push @rows, '[' . join(', ', map { plain($_) } @row) . ']';
            @last = @row;
        }
        '"columns": ' . $json->encode($found->{NAME}) . ', "rows": [' . join(', ', @rows) . ']';
    } || '"error": ' . $json->encode($@);
    print '{"name": ', $json->encode($name), ", $answer}\n";
}
