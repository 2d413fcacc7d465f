// MR_LOG: logs an event as one line to stderr, in one write.
//
//   MR_LOG(Warning) << "task " << name << " does not answer: " << status;
//   MR_LOG_EVERY_SECONDS(Info, 10) << "waiting for " << names;
//
// A line is `I1121 11:02:03.123456 4711 file.cc:42] text` with local time and
// the id of the thread. In a simulation time and thread are virtual, and lines
// go to the trace of the run (to stderr with SimOptions::log_to_stderr).
// Thread-safe. Nothing is formatted for a line below the level.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/functional/any_invocable.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace millrace {

enum class LogLevel : int { kInfo = 0, kWarning = 1, kError = 2, kOff = 3 };

// Sets the lowest level that is written; initially kInfo.
void SetLogLevel(LogLevel level);

// Sets a function that receives every line (without the newline) instead of
// stderr; an empty sink restores stderr. It is called under a lock and must not
// log. For tests.
using LogSink = absl::AnyInvocable<void(LogLevel, absl::string_view line)>;
void SetLogSink(LogSink sink);

namespace internal {

extern constinit std::atomic<int> log_level;

inline bool LogEnabled(LogLevel level) {
  return static_cast<int>(level) >= log_level.load(std::memory_order_relaxed);
}

// Returns true once in `seconds` for each `next` (always true in a simulation).
bool LogDue(std::atomic<int64_t>& next, double seconds);

// Collects one line and writes it at the end of the statement.
class LogLine {
 public:
  LogLine(const char* file, int line, LogLevel level)
      : file_(file), line_(line), level_(level) {}
  ~LogLine();
  LogLine(const LogLine&) = delete;
  LogLine& operator=(const LogLine&) = delete;

  // Appends a number, a text, a bool, a char, a pointer, an enum, or anything
  // with ToString().
  template <class T>
  LogLine& operator<<(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      absl::StrAppend(&text_, value ? "true" : "false");
    } else if constexpr (std::is_same_v<T, char>) {
      text_.push_back(value);
    } else if constexpr (std::is_convertible_v<const T&, const char*>) {
      const char* text = value;
      absl::StrAppend(&text_, text ? text : "(null)");
    } else if constexpr (std::is_pointer_v<T>) {
      absl::StrAppend(&text_, "0x",
                      absl::Hex(reinterpret_cast<uintptr_t>(value)));
    } else if constexpr (requires { value.ToString(); }) {
      absl::StrAppend(&text_, value.ToString());
    } else if constexpr (std::is_enum_v<T>) {
      absl::StrAppend(&text_, static_cast<int64_t>(value));
    } else {
      absl::StrAppend(&text_, value);
    }
    return *this;
  }

 private:
  const char* file_;
  int line_;
  LogLevel level_;
  std::string text_;
};

struct LogVoidify {
  void operator&(const LogLine&) {}
};

}  // namespace internal
}  // namespace millrace

#define MR_LOG_IF_(level, condition)                                    \
  !(::millrace::internal::LogEnabled(::millrace::LogLevel::k##level) && \
    (condition))                                                        \
      ? (void)0                                                         \
      : ::millrace::internal::LogVoidify() &                            \
            ::millrace::internal::LogLine(__FILE__, __LINE__,           \
                                          ::millrace::LogLevel::k##level)

#define MR_LOG(level) MR_LOG_IF_(level, true)

// Logs at most one line in `seconds` from this place of the code.
#define MR_LOG_EVERY_SECONDS(level, seconds)                          \
  MR_LOG_IF_(level, ([]() -> bool {                                   \
               static constinit std::atomic<int64_t> mr_next{0};      \
               return ::millrace::internal::LogDue(mr_next, seconds); \
             }()))
