#!/usr/bin/ruby
# driver.rb - answers queries.sql through Ruby's sqlite3: driver.rb EXTENSION QUERIES; see docs/clients.md.
require 'json'
require 'sqlite3'

extension, path = ARGV
db = SQLite3::Database.new(':memory:')
db.enable_load_extension(true)
db.load_extension(extension)

def plain(value)
  case value
  when Float then value.infinite? ? "#{'-' if value.negative?}1e999" : value.to_s
  when String then value.encoding == Encoding::BINARY ? JSON.generate(blob: value.unpack1('H*')) : JSON.generate(value)
  else JSON.generate(value)
  end
end

# Text that is a blob has to say so.
def bound(value)
  value.is_a?(String) && value.encoding == Encoding::BINARY ? SQLite3::Blob.new(value) : value
end

last = []
File.read(path, encoding: 'UTF-8').split("\n-- ").drop(1).each do |text|
  name, query = text.split("\n", 2)
  begin
    columns, *rows = db.execute2(query, query.include?('?1') ? last.map { |v| bound(v) } : [])
    last = rows.last if rows.any?
    rows = rows.map { |row| "[#{row.map { |v| plain(v) }.join(', ')}]" }
    puts %({"name": #{name.to_json}, "columns": #{columns.to_json}, "rows": [#{rows.join(', ')}]})
  rescue SQLite3::Exception => error
    puts JSON.generate(name: name, error: error.message)
  end
end
