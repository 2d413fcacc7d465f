#include "examples/parallel/cpp/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

constexpr char kNoValue[] = "-";
constexpr char kTableFile[] = "TABLE.md";

bool HasValue(double value) { return std::isfinite(value) && value >= 0; }

}  // namespace

std::string Fixed(double value, int digits) {
  return HasValue(value) ? absl::StrFormat("%.*f", digits, value) : kNoValue;
}

std::string Percent(double share) {
  return HasValue(share) ? absl::StrFormat("%.1f %%", 100 * share) : kNoValue;
}

std::string Count(double count) {
  if (!HasValue(count)) return kNoValue;
  std::string text = absl::StrFormat("%.0f", count);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string Bytes(double bytes) {
  if (!HasValue(bytes)) return kNoValue;
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(kUnits)) {
    bytes /= 1000;
    ++unit;
  }
  return absl::StrFormat("%.*f %s", unit == 0 ? 0 : 1, bytes, kUnits[unit]);
}

std::string Seconds(double seconds) {
  if (!HasValue(seconds)) return kNoValue;
  return seconds >= 1 ? absl::StrFormat("%.1f s", seconds)
                      : absl::StrFormat("%.1f ms", 1000 * seconds);
}

Table::Table(std::vector<std::string> columns) {
  rows_.push_back(std::move(columns));
}

void Table::Add(std::vector<std::string> cells) {
  MR_CHECK(cells.size() == rows_[0].size());
  rows_.push_back(std::move(cells));
}

std::string Table::Text() const {
  std::vector<size_t> widths(rows_[0].size());
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      absl::StrAppend(&text, "  ", i == 0 ? row[i] + space : space + row[i]);
    }
    text += "\n";
  }
  return text;
}

std::string Table::Markdown() const {
  std::string text;
  for (const auto& row : rows_) {
    absl::StrAppend(&text, "| ", absl::StrJoin(row, " | "), " |\n");
    if (&row != &rows_[0]) continue;
    text += "|---|";
    for (size_t i = 1; i < row.size(); ++i) text += "---:|";
    text += "\n";
  }
  return text;
}

void Findings::Show(const std::string& title, const Table& table,
                    const std::string& shows) {
  std::printf("%s\n%s%s\n\n", title.c_str(), table.Text().c_str(),
              shows.c_str());
  std::fflush(stdout);
  absl::StrAppend(&markdown_, markdown_.empty() ? "" : "\n", "**", title,
                  "**\n\n", table.Markdown(), "\n", shows, "\n");
}

void Findings::Draw(const std::string& name, std::string svg) {
  pictures_.emplace_back(name, std::move(svg));
}

Status Findings::Write() const {
  if (folder_.empty()) return OkStatus();
  FileSystem* const files = PosixFiles();
  MR_RETURN_IF_ERROR(files->CreateDirRecursively(folder_));
  for (const auto& [name, svg] : pictures_) {
    MR_RETURN_IF_ERROR(
        WriteFileAtomically(files, JoinPath(folder_, name + ".svg"), svg));
  }
  return WriteFileAtomically(files, JoinPath(folder_, kTableFile), markdown_);
}

}  // namespace millrace::parallel
