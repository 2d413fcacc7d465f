// SqliteLibrary: SQLite's library, loaded when it is first needed.
#pragma once

#include <cstdint>

#include "millrace/base/status.h"

// The library's own types, of which only pointers are used.
struct sqlite3;
struct sqlite3_stmt;

namespace millrace::ops {

// The functions that are used of the library, by their names there without
// "sqlite3_".
struct SqliteLibrary {
  int (*open_v2)(const char* path, sqlite3** db, int flags, const char* vfs);
  int (*close_v2)(sqlite3* db);
  int (*prepare_v2)(sqlite3* db, const char* sql, int bytes,
                    sqlite3_stmt** statement, const char** rest);
  int (*step)(sqlite3_stmt* statement);
  int (*reset)(sqlite3_stmt* statement);
  int (*finalize)(sqlite3_stmt* statement);
  int (*column_count)(sqlite3_stmt* statement);
  int64_t (*column_int64)(sqlite3_stmt* statement, int column);
  double (*column_double)(sqlite3_stmt* statement, int column);
  const void* (*column_blob)(sqlite3_stmt* statement, int column);
  int (*column_bytes)(sqlite3_stmt* statement, int column);
  int (*bind_int64)(sqlite3_stmt* statement, int number, int64_t value);
  int (*bind_double)(sqlite3_stmt* statement, int number, double value);
  int (*bind_text)(sqlite3_stmt* statement, int number, const char* text,
                   int bytes, void (*destructor)(void*));
  int (*bind_blob)(sqlite3_stmt* statement, int number, const void* blob,
                   int bytes, void (*destructor)(void*));
  const char* (*errmsg)(sqlite3* db);
  int (*limit)(sqlite3* db, int what, int value);
  int (*busy_timeout)(sqlite3* db, int millis);
  void (*progress_handler)(sqlite3* db, int steps, int (*called)(void*),
                           void* argument);
  int (*set_authorizer)(sqlite3* db,
                        int (*called)(void*, int, const char*, const char*,
                                      const char*, const char*),
                        void* argument);

  // Returns UNIMPLEMENTED, which names the library, if the machine lacks it.
  // The library stays until the process ends.
  static StatusOr<const SqliteLibrary*> Load();
};

}  // namespace millrace::ops
