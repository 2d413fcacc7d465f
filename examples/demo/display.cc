#include "examples/demo/display.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "millrace/base/clock.h"

namespace millrace::demo {
namespace {

constexpr int64_t kTerminalNanos = 200'000'000;
constexpr int64_t kPlainNanos = 5'000'000'000;

}  // namespace

Display::Display(const DemoOptions& options, bool terminal)
    : last_step_(options.epochs * StepsPerEpoch(options)),
      batch_(options.batch),
      terminal_(terminal) {}

void Display::Clear() {
  if (live_lines_ > 0) std::printf("\x1b[%dA\x1b[J", live_lines_);
  live_lines_ = 0;
  std::fflush(stdout);
}

void Display::Print(const std::string& line) {
  Clear();
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
  shown_nanos_ = terminal_ ? 0 : shown_nanos_;
}

void Display::Show(const std::vector<WorkerView>& workers) {
  const int64_t now = NowNanos();
  if (now - shown_nanos_ < (terminal_ ? kTerminalNanos : kPlainNanos)) return;
  const bool first = shown_nanos_ == 0;
  shown_nanos_ = now;
  double rate = 0;
  bool training = false;
  for (const WorkerView& view : workers) {
    if (view.state != "training") continue;
    rate += view.rate;
    training = true;
  }
  // A pipe needs no line before there is something to tell.
  if (!terminal_ && (first || !training)) return;
  Clear();
  for (size_t i = 0; i < workers.size(); ++i) {
    std::printf("%s\n", LineOf(i, workers[i], rate).c_str());
  }
  if (terminal_) live_lines_ = static_cast<int>(workers.size());
  std::fflush(stdout);
}

std::string Display::LineOf(size_t index, const WorkerView& view,
                            double rate) const {
  const std::string name = absl::StrFormat("  worker %-2d  ", index);
  if (view.state != "training") return name + view.state;
  const double left = static_cast<double>(
      std::max<int64_t>(0, last_step_ - view.step) * batch_);
  return absl::StrFormat(
      "%sstep %6d of %d   %6s examples/s   loss %.3f   %s left", name,
      view.step, last_step_, CountText(static_cast<int64_t>(view.rate)),
      view.loss, rate > 0 ? TimeText(left / rate) : "?");
}

std::string TimeText(double seconds) {
  const int64_t all = static_cast<int64_t>(seconds + 0.5);
  constexpr int64_t kMinute = 60;
  constexpr int64_t kHour = 3600;
  if (all >= kHour) {
    return absl::StrFormat("%d:%02d:%02d", all / kHour, all % kHour / kMinute,
                           all % kMinute);
  }
  return absl::StrFormat("%d:%02d", all / kMinute, all % kMinute);
}

std::string BytesText(int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return absl::StrFormat("%.*f %s", unit == 0 ? 0 : 1, value, kUnits[unit]);
}

std::string CountText(int64_t count) {
  std::string text = absl::StrCat(count);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string TableText(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    text += " ";
    for (size_t i = 0; i < row.size(); ++i) {
      absl::StrAppend(&text, " ", row[i]);
      if (i + 1 < row.size()) text.append(widths[i] - row[i].size() + 2, ' ');
    }
    text += "\n";
  }
  return text;
}

}  // namespace millrace::demo
