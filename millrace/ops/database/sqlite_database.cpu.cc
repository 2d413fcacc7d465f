#include "millrace/ops/database/sqlite_database.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"

namespace millrace::ops {
namespace {

// Numbers of SQLite's interface.
constexpr int kSqliteOk = 0, kSqliteRow = 100, kSqliteDone = 101,
              kSqliteDeny = 1;
constexpr int kOpenReadOnly = 0x1, kOpenReadWrite = 0x2, kOpenCreate = 0x4,
              kOpenFullMutex = 0x10000;
constexpr int kLimitLength = 0, kLimitAttached = 7;
constexpr int kAttach = 24, kDetach = 25, kPragma = 19;

constexpr int kMostValueBytes = 64 << 20;
constexpr int kBusyMillis = 1000;
constexpr int kStepsPerCheck = 10000;

// Returns the code that stock gives to an error of SQLite.
StatusCode CodeOfSqlite(int code) {
  switch (code & 0xff) {
    case 4:  // ABORT
      return StatusCode::kAborted;
    case 8:   // READONLY
    case 20:  // MISMATCH
      return StatusCode::kFailedPrecondition;
    case 2:   // INTERNAL
    case 21:  // MISUSE
      return StatusCode::kInternal;
    case 25:  // RANGE
      return StatusCode::kOutOfRange;
    case 14:  // CANTOPEN
    case 19:  // CONSTRAINT
    case 12:  // NOTFOUND
    case 26:  // NOTADB
      return StatusCode::kInvalidArgument;
    case 11:  // CORRUPT
      return StatusCode::kDataLoss;
    case 3:   // PERM
    case 23:  // AUTH
      return StatusCode::kPermissionDenied;
    case 7:   // NOMEM
    case 13:  // FULL
    case 18:  // TOOBIG
    case 22:  // NOLFS
      return StatusCode::kResourceExhausted;
    case 5:   // BUSY
    case 6:   // LOCKED
    case 15:  // PROTOCOL
    case 10:  // IOERR
      return StatusCode::kUnavailable;
    case 9:  // INTERRUPT
      return StatusCode::kCancelled;
    default:
      return StatusCode::kUnknown;
  }
}

// The words are those of stock: Prepare() failed: [1] no such table: t.
Status SqliteError(const SqliteLibrary& library, sqlite3* db, const char* what,
                   int code, absl::string_view sql) {
  return Status(CodeOfSqlite(code),
                absl::StrCat(what, " failed: [", code, "] ", library.errmsg(db),
                             sql.empty() ? "" : ": ", sql));
}

int IsCancelled(void* scope) {
  return static_cast<const CancelScope*>(scope)->cancelled() ? 1 : 0;
}

int Authorize(void*, int action, const char*, const char*, const char*,
              const char*) {
  return action == kAttach || action == kDetach || action == kPragma
             ? kSqliteDeny
             : kSqliteOk;
}

// Tells SQLite to copy a value.
void (*CopyValue())(void*) {
  return reinterpret_cast<void (*)(void*)>(intptr_t{-1});
}

}  // namespace

StatusOr<SqliteDatabase> SqliteDatabase::Open(FileSystem* files,
                                              const std::string& path,
                                              Access access) {
  MR_ASSIGN_OR_RETURN(const std::string real, files->Canonical(path));
  // Other names are not names of files to SQLite.
  if (real.empty() || real[0] != '/' || files->IsDirectory(path).ok()) {
    return InvalidArgument("not the name of a database: ", path);
  }
  MR_ASSIGN_OR_RETURN(const SqliteLibrary* const library,
                      SqliteLibrary::Load());
  const int flags =
      kOpenFullMutex |
      (access == Access::kRead ? kOpenReadOnly : kOpenReadWrite | kOpenCreate);
  sqlite3* handle = nullptr;
  const int code = library->open_v2(real.c_str(), &handle, flags, nullptr);
  SqliteDatabase db(library, handle);
  if (code != kSqliteOk) {
    if (handle == nullptr) return ResourceExhausted("no memory for a database");
    return Status(CodeOfSqlite(code),
                  absl::StrCat("Sqlite::Open(", path,
                               ") failed: ", library->errmsg(handle)));
  }
  library->busy_timeout(handle, kBusyMillis);
  library->limit(handle, kLimitLength, kMostValueBytes);
  // What does not fit memory is not written to files elsewhere.
  MR_RETURN_IF_ERROR(db.Execute("PRAGMA temp_store = MEMORY"));
  return db;
}

SqliteDatabase::~SqliteDatabase() {
  if (db_ != nullptr) library_->close_v2(db_);
}

StatusOr<SqliteStatement> SqliteDatabase::Prepare(absl::string_view sql) const {
  if (sql.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return InvalidArgument("a statement of ", sql.size(), " bytes is too long");
  }
  sqlite3_stmt* statement = nullptr;
  const int code = library_->prepare_v2(
      db_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != kSqliteOk) {
    return SqliteError(*library_, db_, "Prepare()", code, sql);
  }
  return SqliteStatement(library_, db_, statement, std::string(sql));
}

Status SqliteDatabase::Execute(absl::string_view sql) const {
  MR_ASSIGN_OR_RETURN(SqliteStatement statement, Prepare(sql));
  return statement.Run();
}

void SqliteDatabase::EndWith(const CancelScope* scope) const {
  library_->progress_handler(db_, scope == nullptr ? 0 : kStepsPerCheck,
                             scope == nullptr ? nullptr : IsCancelled,
                             const_cast<CancelScope*>(scope));
}

void SqliteDatabase::Confine() const {
  library_->limit(db_, kLimitAttached, 0);
  library_->set_authorizer(db_, Authorize, nullptr);
}

SqliteStatement::~SqliteStatement() {
  if (statement_ != nullptr) library_->finalize(statement_);
}

void SqliteStatement::Bound(int code) {
  if (code == kSqliteOk || !bound_.ok()) return;
  bound_ = SqliteError(*library_, db_, "Bind()", code, sql_);
}

void SqliteStatement::BindInt(int number, int64_t value) {
  Bound(library_->bind_int64(statement_, number, value));
}
void SqliteStatement::BindDouble(int number, double value) {
  Bound(library_->bind_double(statement_, number, value));
}
void SqliteStatement::BindText(int number, absl::string_view text) {
  // Longer ones are refused by the limit on values.
  const auto size = static_cast<int>(
      std::min<size_t>(text.size(), std::numeric_limits<int>::max()));
  Bound(library_->bind_text(statement_, number, size == 0 ? "" : text.data(),
                            size, CopyValue()));
}
void SqliteStatement::BindBlob(int number, absl::string_view blob) {
  const auto size = static_cast<int>(
      std::min<size_t>(blob.size(), std::numeric_limits<int>::max()));
  Bound(library_->bind_blob(statement_, number, size == 0 ? "" : blob.data(),
                            size, CopyValue()));
}

StatusOr<bool> SqliteStatement::Step() {
  MR_RETURN_IF_ERROR(std::exchange(bound_, OkStatus()));
  if (statement_ == nullptr) return false;
  const int code = library_->step(statement_);
  if (code == kSqliteRow) return true;
  if (code == kSqliteDone) return false;
  return SqliteError(*library_, db_, "Step()", code, sql_);
}

Status SqliteStatement::Run() {
  StatusOr<bool> row = Step();
  while (row.ok() && *row) row = Step();
  if (statement_ != nullptr) library_->reset(statement_);
  return row.status();
}

int SqliteStatement::columns() const {
  return statement_ == nullptr ? 0 : library_->column_count(statement_);
}
int64_t SqliteStatement::Int(int column) const {
  return library_->column_int64(statement_, column);
}
double SqliteStatement::Double(int column) const {
  return library_->column_double(statement_, column);
}
absl::string_view SqliteStatement::Text(int column) const {
  const void* const bytes = library_->column_blob(statement_, column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes),
          static_cast<size_t>(library_->column_bytes(statement_, column))};
}

}  // namespace millrace::ops
