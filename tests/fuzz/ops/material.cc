#include "tests/fuzz/ops/material.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "tests/cases/bind.h"

namespace millrace::fuzz {
namespace {

using cases::Case;
using cases::CaseNode;

struct Excuse {
  const char* op;
  const char* reason;
};

// Ops that are not run.
constexpr Excuse kNotRun[] = {
    {"CreateSummaryDbWriter",
     "SQLite's library opens the file itself, on the disk"},
};

// Ops whose declared shapes are taken on trust, as in stock.
constexpr Excuse kTrusted[] = {
    {"LoopCond", "its kernel hands anything on, and Switch refuses it"},
    {"PlaceholderWithDefault", "a client declares its shape"},
};

bool IsListed(absl::Span<const Excuse> list, absl::string_view op) {
  return std::any_of(list.begin(), list.end(),
                     [op](const Excuse& e) { return op == e.op; });
}

bool CanRun(const Case& c) {
  return !c.nodes.empty() &&
         std::none_of(c.nodes.begin(), c.nodes.end(), [](const CaseNode& n) {
           return IsListed(kNotRun, n.op);
         });
}

// Strings of inputs. Longer ones are seldom needed, and take time.
void AddTexts(const Case& c, std::vector<std::string>* texts) {
  constexpr size_t kMostTexts = 64, kLongest = 4096;
  for (const CaseNode& node : c.nodes) {
    for (const cases::Value& value : node.inputs) {
      if (value.tensor.dtype() != DataType::kString) continue;
      for (const StringElement& s : value.tensor.flat<StringElement>()) {
        if (texts->size() < kMostTexts && s.size() > 0 && s.size() <= kLongest)
          texts->push_back(s.str());
      }
    }
  }
}

bool IsAlone(const CaseNode& node) {
  return node.control_inputs.empty() &&
         std::all_of(node.inputs.begin(), node.inputs.end(),
                     [](const cases::Value& v) {
                       return v.kind == cases::Value::Kind::kFed;
                     });
}

// Some nodes of each op are enough.
class MakerCollector {
 public:
  explicit MakerCollector(Material* material) : material_(*material) {}

  void Add(const Case& c) {
    const StatusOr<cases::BoundCase> bound =
        cases::Bind(c, *material_.suite->ops);
    if (!bound.ok()) return;
    for (size_t i = 0; i < c.nodes.size(); ++i) {
      const auto& outputs = bound->nodes[i].info.output_types;
      if (outputs.empty() || !IsAlone(c.nodes[i])) continue;
      const DataType type = outputs[0];
      if (type != DataType::kResource && type != DataType::kVariant &&
          type != MakeRef(DataType::kString))
        continue;
      if (++taken_[c.nodes[i].op] <= kOfEachOp)
        material_.makers[type].push_back(c.nodes[i]);
    }
  }

 private:
  static constexpr int kOfEachOp = 3;
  Material& material_;
  absl::flat_hash_map<std::string, int> taken_;
};

}  // namespace

Material Gather(const cases::Suite& suite) {
  constexpr size_t kTextsOfEachOp = 3;
  Material material;
  material.suite = &suite;
  absl::flat_hash_map<const OpDef*, const cases::OpCases*> samples;
  for (const cases::OpCases& list : suite.op_cases) samples[list.op] = &list;
  MakerCollector makers(&material);
  for (const auto& def : suite.ops->ops()) {
    if (!suite.kernels.HasOp("CPU", def->name) || IsListed(kNotRun, def->name))
      continue;
    FuzzedOp op;
    op.def = def.get();
    op.check_shapes = !IsListed(kTrusted, def->name);
    if (const auto it = samples.find(def.get()); it != samples.end()) {
      op.family = it->second->family;
      for (const auto& c : it->second->cases) {
        if (!CanRun(*c)) continue;
        op.samples.push_back(c.get());
        op.check_shapes &= c->options.shape_check;
        AddTexts(*c, &op.texts);
        makers.Add(*c);
      }
    }
    const auto end = op.texts.begin() + static_cast<int64_t>(std::min(
                                            kTextsOfEachOp, op.texts.size()));
    material.texts.insert(material.texts.end(), op.texts.begin(), end);
    material.ops.push_back(std::move(op));
  }
  return material;
}

StatusOr<std::vector<const FuzzedOp*>> Select(
    const Material& material, const std::vector<std::string>& names) {
  std::vector<bool> used(names.size());
  std::vector<const FuzzedOp*> selected;
  for (const FuzzedOp& op : material.ops) {
    bool wanted = names.empty();
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] != op.def->name && names[i] != op.family) continue;
      wanted = used[i] = true;
    }
    if (wanted) selected.push_back(&op);
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!used[i])
      return NotFound("no op with a CPU kernel and no family is called ",
                      names[i]);
  }
  return selected;
}

}  // namespace millrace::fuzz
