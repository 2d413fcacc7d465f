#include "examples/demo/display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "millrace/millrace.h"

namespace millrace::demo {
namespace {

constexpr int64_t kTerminalNanos = 200'000'000;
constexpr int64_t kPlainNanos = 5'000'000'000;
constexpr int kPlainColumns = 100;

// A row of the terminal; one column stays free, as some wrap at the last one.
std::string Cut(const std::string& line, int columns) {
  return line.substr(0, static_cast<size_t>(std::max(1, columns - 1)));
}

}  // namespace

Display::Display(const DemoOptions& options, int columns)
    : last_step_(options.epochs * StepsPerEpoch(options)),
      batch_(options.batch),
      given_columns_(columns),
      terminal_(columns > 0 || (columns < 0 && isatty(STDOUT_FILENO) == 1)) {}

int Display::columns() const {
  if (given_columns_ > 0) return given_columns_;
  winsize size = {};
  const bool known =
      terminal_ && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col;
  return known ? size.ws_col : kPlainColumns;
}

void Display::Write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string Display::EraseLive() {
  return live_.empty() ? "" : absl::StrFormat("\x1b[%dA\x1b[J", live_.size());
}

void Display::Clear() {
  Write(EraseLive());
  live_.clear();
}

void Display::Print(const std::string& text) {
  std::string out = EraseLive() + text + "\n";
  for (const std::string& line : live_) absl::StrAppend(&out, line, "\n");
  Write(out);
}

void Display::PrintWords(const std::string& first,
                         const std::vector<std::string>& rest) {
  const size_t width = static_cast<size_t>(std::max(1, columns() - 1));
  std::string line = first;
  bool empty = true;
  for (const std::string& word : rest) {
    if (!empty && line.size() + 1 + word.size() > width) {
      Print(line);
      line = std::string(first.size(), ' ');
    }
    absl::StrAppend(&line, " ", word);
    empty = false;
  }
  Print(line);
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
  std::vector<std::string> lines;
  for (size_t i = 0; i < workers.size(); ++i) {
    lines.push_back(LineOf(i, workers[i], rate));
  }
  if (!terminal_) return Write(absl::StrJoin(lines, "\n") + "\n");
  for (std::string& line : lines) line = Cut(line, columns());
  // Over the old lines, each only where it differs in length.
  std::string out =
      live_.empty() ? "" : absl::StrFormat("\x1b[%dA", live_.size());
  for (const std::string& line : lines) {
    absl::StrAppend(&out, line, "\x1b[K\n");
  }
  live_ = std::move(lines);
  Write(out);
}

std::string Display::LineOf(size_t index, const WorkerView& view,
                            double rate) const {
  const std::string name = absl::StrFormat("  worker %-2d  ", index);
  if (view.state != "training") return name + view.state;
  const double left = static_cast<double>(
      std::max<int64_t>(0, last_step_ - view.step) * batch_);
  const std::string all = absl::StrCat(last_step_);
  return absl::StrFormat("%sstep %*d of %s  %7s examples/s  loss %.3f  %s left",
                         name, static_cast<int>(all.size()), view.step, all,
                         CountText(static_cast<int64_t>(view.rate)), view.loss,
                         rate > 0 ? TimeText(left / rate) : "?");
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

std::string TableText(const std::vector<std::vector<std::string>>& rows,
                      size_t first_right) {
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
      const size_t space = widths[i] - row[i].size();
      text.append(i >= first_right ? space + 1 : 1, ' ');
      text += row[i];
      if (i + 1 < row.size())
        text.append(i >= first_right ? 1 : space + 1, ' ');
    }
    text += "\n";
  }
  return text;
}

}  // namespace millrace::demo
