#include "millrace/base/log.h"

#include <pthread.h>
#include <unistd.h>

#include <ctime>
#include <mutex>

#include "absl/strings/str_format.h"
#include "millrace/base/clock.h"
#include "millrace/base/sim/sim_hooks.h"
#include "millrace/base/threads/thread.h"

namespace millrace {
namespace {

// Not our Mutex: a log line must not be a switch point of a simulation.
constinit std::mutex sink_mu;
constinit std::atomic<bool> has_sink{false};

LogSink& Sink() {
  static LogSink* sink = new LogSink;  // never destroyed, threads may log late
  return *sink;
}

}  // namespace

namespace internal {

constinit std::atomic<int> log_level{0};

bool LogDue(std::atomic<int64_t>& next, double seconds) {
  // The lines that one run suppressed must not depend on the previous run.
  if (InSim()) return true;
  const int64_t now = NowNanos();
  int64_t expected = next.load(std::memory_order_relaxed);
  return now >= expected &&
         next.compare_exchange_strong(expected,
                                      now + static_cast<int64_t>(seconds * 1e9),
                                      std::memory_order_relaxed);
}

LogLine::~LogLine() {
  const int64_t micros = WallMicros();
  const time_t seconds = micros / 1'000'000;
  tm parts;
  if (InSim()) {
    gmtime_r(&seconds, &parts);
  } else {
    localtime_r(&seconds, &parts);
  }
  const absl::string_view path(file_);
  const absl::string_view base = path.substr(path.rfind('/') + 1);
  std::string line = absl::StrFormat(
      "%c%02d%02d %02d:%02d:%02d.%06d %d %s:%d] %s",
      "IWE"[static_cast<int>(level_)], parts.tm_mon + 1, parts.tm_mday,
      parts.tm_hour, parts.tm_min, parts.tm_sec, micros % 1'000'000,
      CurrentThreadId(), base, line_, text_);
  if (has_sink.load(std::memory_order_acquire)) {
    std::lock_guard<std::mutex> lock(sink_mu);
    if (Sink()) {
      Sink()(level_, line);
      return;
    }
  }
  if (InSim()) {
    SimTrace(line);
    if (!SimLogsToStderr()) return;
  }
  line.push_back('\n');
  // Nothing can be done about a failing stderr.
  [[maybe_unused]] ssize_t n = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace internal

void SetLogLevel(LogLevel level) {
  internal::log_level.store(static_cast<int>(level), std::memory_order_relaxed);
}

void SetLogSink(LogSink sink) {
  std::lock_guard<std::mutex> lock(sink_mu);
  const bool has = static_cast<bool>(sink);
  Sink() = std::move(sink);
  has_sink.store(has, std::memory_order_release);
}

}  // namespace millrace
