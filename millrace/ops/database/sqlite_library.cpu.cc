#include "millrace/ops/database/sqlite_library.h"

#include <dlfcn.h>

#include "millrace/base/threads/thread.h"

namespace millrace::ops {
namespace {

constexpr char kSqliteFile[] = "libsqlite3.so.0";
constexpr char kSqliteAdvice[] =
    "; install SQLite, Debian's package libsqlite3-0";
// The most memory that all databases of the process take.
constexpr int64_t kMostSqliteBytes = int64_t{256} << 20;

template <class F>
bool FindSymbol(void* library, const char* name, F** function) {
  *function = reinterpret_cast<F*>(dlsym(library, name));
  return *function != nullptr;
}

bool FindAll(void* library, SqliteLibrary* l) {
  return FindSymbol(library, "sqlite3_open_v2", &l->open_v2) &&
         FindSymbol(library, "sqlite3_close_v2", &l->close_v2) &&
         FindSymbol(library, "sqlite3_prepare_v2", &l->prepare_v2) &&
         FindSymbol(library, "sqlite3_step", &l->step) &&
         FindSymbol(library, "sqlite3_reset", &l->reset) &&
         FindSymbol(library, "sqlite3_finalize", &l->finalize) &&
         FindSymbol(library, "sqlite3_column_count", &l->column_count) &&
         FindSymbol(library, "sqlite3_column_int64", &l->column_int64) &&
         FindSymbol(library, "sqlite3_column_double", &l->column_double) &&
         FindSymbol(library, "sqlite3_column_blob", &l->column_blob) &&
         FindSymbol(library, "sqlite3_column_bytes", &l->column_bytes) &&
         FindSymbol(library, "sqlite3_bind_int64", &l->bind_int64) &&
         FindSymbol(library, "sqlite3_bind_double", &l->bind_double) &&
         FindSymbol(library, "sqlite3_bind_text", &l->bind_text) &&
         FindSymbol(library, "sqlite3_bind_blob", &l->bind_blob) &&
         FindSymbol(library, "sqlite3_errmsg", &l->errmsg) &&
         FindSymbol(library, "sqlite3_limit", &l->limit) &&
         FindSymbol(library, "sqlite3_busy_timeout", &l->busy_timeout) &&
         FindSymbol(library, "sqlite3_progress_handler",
                    &l->progress_handler) &&
         FindSymbol(library, "sqlite3_set_authorizer", &l->set_authorizer);
}

Status LoadInto(SqliteLibrary* functions) {
  void* const library = dlopen(kSqliteFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    return Unimplemented("SQLite's library ", kSqliteFile,
                         " cannot be loaded: ", why ? why : "", kSqliteAdvice);
  }
  if (!FindAll(library, functions)) {
    return Unimplemented("SQLite's library ", kSqliteFile,
                         " lacks a function that is needed", kSqliteAdvice);
  }
  // Older libraries have no such limit.
  int64_t (*limit_heap)(int64_t) = nullptr;
  if (FindSymbol(library, "sqlite3_hard_heap_limit64", &limit_heap)) {
    limit_heap(kMostSqliteBytes);
  }
  return OkStatus();
}

}  // namespace

StatusOr<const SqliteLibrary*> SqliteLibrary::Load() {
  static constinit Mutex mu;
  static constinit const SqliteLibrary* loaded = nullptr;  // guarded by mu
  MutexLock lock(mu);
  if (loaded == nullptr) {
    SqliteLibrary functions;
    MR_RETURN_IF_ERROR(LoadInto(&functions));
    loaded = new SqliteLibrary(functions);
  }
  return loaded;
}

}  // namespace millrace::ops
