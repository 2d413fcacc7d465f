#include "millrace/ops/io/csv.h"

namespace millrace::ops {
namespace {

// One field from the front of `rest`, and the delimiter behind it.
Status TakePlain(const CsvOptions& options, absl::string_view* rest,
                 std::string* field) {
  const absl::string_view body = rest->substr(0, rest->find(options.delimiter));
  const absl::string_view refused = options.quotes ? "\"\n\r" : "\n\r";
  if (body.find_first_of(refused) != absl::string_view::npos) {
    return InvalidArgument("Unquoted fields cannot have quotes/CRLFs inside");
  }
  if (field) field->assign(body.data(), body.size());
  rest->remove_prefix(std::min(body.size() + 1, rest->size()));
  return OkStatus();
}

// The same behind an opening quote.
Status TakeQuoted(const CsvOptions& options, absl::string_view* rest,
                  std::string* field) {
  if (field) field->clear();
  for (;;) {
    const size_t quote = rest->find('"');
    if (quote == absl::string_view::npos) break;
    if (field) field->append(rest->data(), quote);
    rest->remove_prefix(quote + 1);
    if (rest->empty() || rest->front() == options.delimiter) {
      if (!rest->empty()) rest->remove_prefix(1);
      return OkStatus();
    }
    if (rest->front() != '"') {
      return InvalidArgument(
          "Quote inside a string has to be escaped by another quote");
    }
    if (field) field->push_back('"');
    rest->remove_prefix(1);
  }
  return InvalidArgument(
      "Quoted field has to end with quote followed by delim or end");
}

}  // namespace

Status SplitCsv(const CsvOptions& options, absl::string_view line,
                std::vector<std::string>* fields) {
  size_t count = 0;
  int64_t column = 0;
  // Where the next field goes; null if it is not selected.
  const auto next = [&]() -> std::string* {
    if (!options.columns.empty() && options.columns[count] != column) {
      return nullptr;
    }
    if (count == fields->size()) fields->emplace_back();
    return &(*fields)[count];
  };
  const auto complete = [&] {
    return !options.columns.empty() && count == options.columns.size();
  };
  absl::string_view rest = line;
  while (!rest.empty() && !complete()) {
    if (rest.front() == '\n' || rest.front() == '\r') {
      rest.remove_prefix(1);
      continue;
    }
    std::string* const field = next();
    if (options.quotes && rest.front() == '"') {
      rest.remove_prefix(1);
      MR_RETURN_IF_ERROR(TakeQuoted(options, &rest, field));
    } else {
      MR_RETURN_IF_ERROR(TakePlain(options, &rest, field));
    }
    count += field != nullptr;
    ++column;
  }
  // A delimiter at the end begins an empty field.
  if (!complete() && !line.empty() && line.back() == options.delimiter) {
    if (std::string* const field = next()) {
      field->clear();
      ++count;
    }
  }
  fields->resize(count);
  return OkStatus();
}

}  // namespace millrace::ops
