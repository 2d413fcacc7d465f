// SqliteDatabase: an open database file; SqliteStatement: a prepared statement
// of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/ops/database/sqlite_library.h"

namespace millrace::ops {

class SqliteStatement;

// Errors have stock's codes and words. For one thread at a time, which may
// block.
class SqliteDatabase {
 public:
  enum class Access { kRead, kWrite };

  // Opens a file by its real path, which `files` tells. With kWrite, makes it
  // if there is none. `files` and `scope`, whose cancellation ends statements,
  // are used during calls only; `scope` may be null.
  static StatusOr<SqliteDatabase> Open(FileSystem* files,
                                       const std::string& path, Access access);
  SqliteDatabase(SqliteDatabase&& o) noexcept
      : library_(o.library_), db_(std::exchange(o.db_, nullptr)) {}
  SqliteDatabase& operator=(SqliteDatabase&& o) = delete;
  ~SqliteDatabase();

  // Prepares the first statement of a text. Statements must not outlive the
  // database.
  StatusOr<SqliteStatement> Prepare(absl::string_view sql) const;
  // Runs a statement without parameters to its end.
  Status Execute(absl::string_view sql) const;
  // Ends statements that run when the scope is cancelled, until the next call;
  // null: never.
  void EndWith(const CancelScope* scope) const;
  // Refuses statements that would reach other files or change settings.
  void Confine() const;

 private:
  SqliteDatabase(const SqliteLibrary* library, sqlite3* db)
      : library_(library), db_(db) {}

  const SqliteLibrary* const library_;
  sqlite3* db_;
};

// For one thread at a time, which may block.
class SqliteStatement {
 public:
  SqliteStatement(SqliteStatement&& o) noexcept
      : library_(o.library_),
        db_(o.db_),
        statement_(std::exchange(o.statement_, nullptr)),
        sql_(std::move(o.sql_)),
        bound_(std::exchange(o.bound_, OkStatus())) {}
  SqliteStatement& operator=(SqliteStatement&& o) = delete;
  ~SqliteStatement();

  // Set parameter `number`, from 1 on. An error is that of the next Step. The
  // bytes of texts are copied.
  void BindInt(int number, int64_t value);
  void BindDouble(int number, double value);
  void BindText(int number, absl::string_view text);
  void BindBlob(int number, absl::string_view blob);

  // Goes on to the next row. Returns false at the end.
  StatusOr<bool> Step();
  // Runs to the end and starts anew; parameters keep their values.
  Status Run();
  // The columns of the current row.
  int columns() const;
  int64_t Int(int column) const;
  double Double(int column) const;
  absl::string_view Text(int column) const;  // until the next step

 private:
  friend class SqliteDatabase;
  SqliteStatement(const SqliteLibrary* library, sqlite3* db,
                  sqlite3_stmt* statement, std::string sql)
      : library_(library),
        db_(db),
        statement_(statement),
        sql_(std::move(sql)) {}
  void Bound(int code);

  const SqliteLibrary* const library_;
  sqlite3* const db_;
  sqlite3_stmt* statement_;  // null for an empty text
  std::string sql_;
  Status bound_;
};

}  // namespace millrace::ops
