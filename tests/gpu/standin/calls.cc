#include "tests/gpu/standin/calls.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "tests/gpu/standin/settings.h"

namespace millrace::cuda::standin {
namespace {

struct Failure {
  unsigned long long from, to;  // numbers of calls
  int error;
};

struct Calls {
  std::mutex mu;
  std::map<std::string, unsigned long long> counts;
  std::map<std::string, std::vector<Failure>> failures;
};

// Adds one failure. Requires: `calls.mu` is held.
bool AddFailure(Calls& calls, const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  const std::string name = text.substr(0, colon);
  char* end = nullptr;
  const unsigned long long number =
      std::strtoull(text.c_str() + colon + 1, &end, 10);
  if (number == 0) return false;
  const unsigned long long from = calls.counts[name] + number;
  Failure failure{from, from, 999};
  if (*end == '-') {
    failure.to = ~0ull;
    ++end;
  }
  if (*end == '=')
    failure.error = static_cast<int>(std::strtol(end + 1, &end, 10));
  if (*end != '\0') return false;
  calls.failures[name].push_back(failure);
  return true;
}

bool AddAll(Calls& calls, const std::string& text) {
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.find(';', begin);
    if (end == std::string::npos) end = text.size();
    if (end > begin && !AddFailure(calls, text.substr(begin, end - begin)))
      return false;
    begin = end + 1;
  }
  return true;
}

Calls& GetCalls() {
  static Calls* const calls = [] {
    auto* made = new Calls;
    if (!AddAll(*made, Variable("FAIL", ""))) std::abort();
    return made;
  }();
  return *calls;
}

}  // namespace

int CountCall(const char* name) {
  Calls& calls = GetCalls();
  const std::lock_guard<std::mutex> lock(calls.mu);
  const unsigned long long number = ++calls.counts[name];
  const auto failures = calls.failures.find(name);
  if (failures == calls.failures.end()) return 0;
  for (const Failure& failure : failures->second) {
    if (failure.from <= number && number <= failure.to) return failure.error;
  }
  return 0;
}

void AddCount(const std::string& name, unsigned long long more) {
  Calls& calls = GetCalls();
  const std::lock_guard<std::mutex> lock(calls.mu);
  calls.counts[name] += more;
}

bool AddFailures(const std::string& text) {
  Calls& calls = GetCalls();
  const std::lock_guard<std::mutex> lock(calls.mu);
  if (text.empty()) calls.failures.clear();
  return AddAll(calls, text);
}

unsigned long long CountOf(const std::string& name) {
  Calls& calls = GetCalls();
  const std::lock_guard<std::mutex> lock(calls.mu);
  const auto found = calls.counts.find(name);
  return found == calls.counts.end() ? 0 : found->second;
}

void ResetCalls() {
  Calls& calls = GetCalls();
  const std::lock_guard<std::mutex> lock(calls.mu);
  calls.counts.clear();
  calls.failures.clear();
}

}  // namespace millrace::cuda::standin

using namespace millrace::cuda::standin;  // NOLINT: C functions follow

extern "C" {
__attribute__((visibility("default"))) int millraceStandInFail(
    const char* failures) {
  return AddFailures(failures) ? 0 : -1;
}
__attribute__((visibility("default"))) unsigned long long millraceStandInCalls(
    const char* name) {
  return CountOf(name);
}
__attribute__((visibility("default"))) void millraceStandInReset() {
  ResetCalls();
}
__attribute__((visibility("default"))) int millraceStandInSet(
    const char* name, const char* value) {
  return ChangeSetting(name, value) ? 0 : -1;
}
}
