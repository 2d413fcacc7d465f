#include "millrace/ops/io/csv.h"

#include <algorithm>

namespace millrace::ops {

CsvSplitter::CsvSplitter(const CsvOptions& options) : options_(options) {
  for (const char c : {options.delimiter, '\n', '\r'}) {
    stops_[static_cast<uint8_t>(c)] = true;
  }
  stops_[static_cast<uint8_t>('"')] |= options.quotes;
}

// Takes one field from the front of `rest`, and the delimiter behind it.
Status CsvSplitter::TakePlain(absl::string_view* rest,
                              absl::string_view* field) const {
  size_t end = 0;
  while (end < rest->size() && !stops_[static_cast<uint8_t>((*rest)[end])]) {
    ++end;
  }
  if (end < rest->size() && (*rest)[end] != options_.delimiter) {
    return InvalidArgument("Unquoted fields cannot have quotes/CRLFs inside");
  }
  *field = rest->substr(0, end);
  rest->remove_prefix(std::min(end + 1, rest->size()));
  return OkStatus();
}

// Takes a field behind an opening quote.
Status CsvSplitter::TakeQuoted(absl::string_view line, absl::string_view* rest,
                               absl::string_view* field) {
  const size_t begin = unescaped_.size();
  for (;;) {
    const size_t quote = rest->find('"');
    if (quote == absl::string_view::npos) break;
    const absl::string_view part = rest->substr(0, quote);
    rest->remove_prefix(quote + 1);
    if (rest->empty() || rest->front() == options_.delimiter) {
      if (!rest->empty()) rest->remove_prefix(1);
      if (unescaped_.size() == begin) {
        *field = part;
      } else {
        unescaped_.append(part.data(), part.size());
        *field = absl::string_view(unescaped_).substr(begin);
      }
      return OkStatus();
    }
    if (rest->front() != '"') {
      return InvalidArgument(
          "Quote inside a string has to be escaped by another quote");
    }
    rest->remove_prefix(1);
    // Fields refer to the string, so it must not move.
    if (unescaped_.empty()) unescaped_.reserve(line.size());
    unescaped_.append(part.data(), part.size());
    unescaped_.push_back('"');
  }
  return InvalidArgument(
      "Quoted field has to end with quote followed by delim or end");
}

StatusOr<absl::Span<const absl::string_view>> CsvSplitter::Split(
    absl::string_view line) {
  fields_.clear();
  unescaped_.clear();
  const std::vector<int64_t>& columns = options_.columns;
  int64_t column = 0;
  const auto selected = [&] {
    return columns.empty() || columns[fields_.size()] == column;
  };
  const auto complete = [&] {
    return !columns.empty() && fields_.size() == columns.size();
  };
  absl::string_view rest = line;
  while (!rest.empty() && !complete()) {
    if (rest.front() == '\n' || rest.front() == '\r') {
      rest.remove_prefix(1);
      continue;
    }
    absl::string_view field;
    if (options_.quotes && rest.front() == '"') {
      rest.remove_prefix(1);
      MR_RETURN_IF_ERROR(TakeQuoted(line, &rest, &field));
    } else {
      MR_RETURN_IF_ERROR(TakePlain(&rest, &field));
    }
    if (selected()) fields_.push_back(field);
    ++column;
  }
  // A delimiter at the end begins an empty field.
  if (!complete() && !line.empty() && line.back() == options_.delimiter &&
      selected()) {
    fields_.emplace_back();
  }
  return absl::MakeConstSpan(fields_);
}

}  // namespace millrace::ops
