#include "tests/gpu/cases/stock_kernels.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "millrace/base/files/file.h"

namespace millrace::cases {
namespace {

// Types from here on are refused by name everywhere.
constexpr int kTypeLimit = 24;

DataType TypeCalled(absl::string_view name) {
  for (int i = 1; i < kTypeLimit; ++i) {
    const StatusOr<DataType> type = CheckedDataType(i);
    if (type.ok() && DataTypeName(*type) == name) return *type;
  }
  return DataType::kInvalid;
}

StatusOr<std::vector<std::string>> Lines(const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string text,
                      ReadFileToString(DefaultFiles(), path));
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!line.empty() && line[0] != '#') lines.emplace_back(line);
  }
  return lines;
}

using Choice = std::vector<std::pair<std::string, DataType>>;  // by attribute

// All combinations of the types that a kernel allows.
std::vector<Choice> Choices(const StockKernel& kernel) {
  std::vector<Choice> choices = {{}};
  for (const auto& [attr, types] : kernel.types) {
    std::vector<Choice> longer;
    for (const Choice& choice : choices) {
      for (const DataType type : types) {
        longer.push_back(choice);
        longer.back().emplace_back(attr, type);
      }
    }
    choices = std::move(longer);
  }
  return choices;
}

// Attributes of a node of the op: those of the choice, float for other types.
AttrMap AttrsOf(const OpDef& op, const Choice& choice) {
  AttrMap attrs;
  for (const AttrDef& attr : op.attrs) {
    DataType type = DataType::kFloat;
    for (const auto& [name, chosen] : choice) {
      if (name == attr.name) type = chosen;
    }
    if (attr.kind == "type") attrs.Set(attr.name, type);
    if (attr.kind == "list(type)")
      attrs.Set(attr.name, AttrValue::TypeList{type});
  }
  return attrs;
}

std::string TextOf(const std::string& op, const Choice& choice) {
  std::string text = op;
  for (const auto& [attr, type] : choice)
    absl::StrAppend(&text, " ", attr, "=", DataTypeName(type));
  return text;
}

}  // namespace

StatusOr<std::vector<StockKernel>> ReadStockKernels(const std::string& path) {
  MR_ASSIGN_OR_RETURN(const auto lines, Lines(path));
  std::vector<StockKernel> kernels;
  for (const std::string& line : lines) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    StockKernel kernel;
    kernel.op = words[0];
    for (size_t i = 1; i < words.size(); ++i) {
      const std::pair<std::string, std::string> parts =
          absl::StrSplit(words[i], absl::MaxSplits('=', 1));
      for (const absl::string_view value : absl::StrSplit(parts.second, ',')) {
        if (parts.first == "host") {
          kernel.host.insert(std::string(value));
          continue;
        }
        const DataType type = TypeCalled(value);
        if (type == DataType::kInvalid)
          return InvalidArgument(path, ": ", line);
        kernel.types[parts.first].push_back(type);
      }
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

StatusOr<std::set<std::string>> ReadListedKernels(const std::string& path) {
  MR_ASSIGN_OR_RETURN(const auto lines, Lines(path));
  return std::set<std::string>(lines.begin(), lines.end());
}

namespace {

// Returns whether stock's kernel takes and gives nothing that lies on a GPU.
bool IsAllOnHost(const StockKernel& kernel, const OpDef& op) {
  const auto on_host = [&](const ArgDef& arg) {
    return kernel.host.count(arg.name) > 0 || arg.type == DataType::kResource ||
           arg.type == DataType::kString || arg.type == DataType::kVariant;
  };
  return std::all_of(op.inputs.begin(), op.inputs.end(), on_host) &&
         std::all_of(op.outputs.begin(), op.outputs.end(), on_host);
}

}  // namespace

std::vector<std::string> MissingKernels(const std::vector<StockKernel>& stock,
                                        const OpRegistry& ops,
                                        const KernelTable& kernels) {
  struct Op {
    bool some = false;             // of its kernels are there
    bool by_host = false;          // one of these is the CPU's
    std::set<std::string> others;  // of two attributes and more
    std::set<std::string> types;   // of one attribute
    std::string attr;
  };
  std::map<std::string, Op> by_op;
  for (const StockKernel& kernel : stock) {
    const OpDef* const op = ops.Find(kernel.op);
    if (op == nullptr) continue;
    Op& row = by_op[kernel.op];
    for (const Choice& choice : Choices(kernel)) {
      const auto ours = kernels.FindRow("GPU", *op, AttrsOf(*op, choice));
      if (ours.ok()) {
        row.some = true;
        row.by_host |=
            (*ours)->entry->only_if_asked && !IsAllOnHost(kernel, *op);
      } else if (choice.size() == 1 &&
                 (row.attr.empty() || row.attr == choice[0].first)) {
        row.attr = choice[0].first;
        row.types.insert(DataTypeName(choice[0].second));
      } else {
        row.others.insert(TextOf(kernel.op, choice));
      }
    }
  }
  std::vector<std::string> lines;
  for (const auto& [name, row] : by_op) {
    if (row.by_host) lines.push_back(absl::StrCat(name, " by the host"));
    if (row.types.empty() && row.others.empty()) continue;
    if (!row.some) {
      lines.push_back(name);
      continue;
    }
    if (!row.types.empty()) {
      lines.push_back(absl::StrCat(name, " ", row.attr, "=",
                                   absl::StrJoin(row.types, ",")));
    }
    lines.insert(lines.end(), row.others.begin(), row.others.end());
  }
  return lines;
}

}  // namespace millrace::cases
