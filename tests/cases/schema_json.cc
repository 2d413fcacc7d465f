#include "tests/cases/schema_json.h"

#include <map>
#include <set>

#include "millrace/client/gradients/all_gradients.h"
#include "tests/cases/bind.h"
#include "tests/cases/json.h"

namespace millrace::cases {
namespace {

std::string Number(DataType t) { return absl::StrCat(static_cast<int>(t)); }

std::string ShapeJson(const PartialShape& s) {
  if (!s.known_rank()) return "null";
  return absl::StrCat("[", absl::StrJoin(s.dims(), ","), "]");
}

template <class T, class F>
std::string ListJson(const std::vector<T>& values, F&& f) {
  std::vector<std::string> texts;
  for (const auto& v : values) texts.push_back(f(v));
  return JsonList(texts);
}

struct AttrWriter {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(const std::string& v) const { return JsonString(v); }
  std::string operator()(int64_t v) const { return absl::StrCat(v); }
  std::string operator()(float v) const {
    return absl::StrFormat("%.9g", static_cast<double>(v));
  }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(DataType v) const { return Number(v); }
  std::string operator()(const PartialShape& v) const { return ShapeJson(v); }
  std::string operator()(const Tensor& v) const {
    return JsonString(v.DebugString());
  }
  std::string operator()(const AttrValue::Func& v) const {
    return JsonString(v->name);
  }
  std::string operator()(const AttrPlaceholder& v) const {
    return JsonString(v.name);
  }
  std::string operator()(AttrValue::EmptyList) const { return "[]"; }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    std::vector<std::string> texts;
    for (size_t i = 0; i < list.size(); ++i)
      texts.push_back((*this)(static_cast<const T&>(list[i])));
    return JsonList(texts);
  }
  std::string operator()(const AttrValue::BoolList& list) const {
    std::vector<std::string> texts;
    for (bool b : list) texts.push_back(b ? "true" : "false");
    return JsonList(texts);
  }
};

// As the Python side writes the same value of an AttrValue message.
std::string AttrJson(const AttrValue& value) {
  return std::visit(AttrWriter(), value.value());
}

std::string ArgJson(const ArgDef& arg) {
  return JsonObject()
      .SetString("name", arg.name)
      .SetInt("type", static_cast<int>(arg.type))
      .SetString("type_attr", arg.type_attr)
      .SetString("number_attr", arg.number_attr)
      .SetString("type_list_attr", arg.type_list_attr)
      .SetBool("is_ref", arg.is_ref)
      .text();
}

std::string AttrDefJson(const AttrDef& attr) {
  JsonObject out;
  out.SetString("name", attr.name).SetString("type", attr.kind);
  out.SetBool("has_default", attr.default_value.has_value());
  if (attr.default_value) out.Set("default", AttrJson(*attr.default_value));
  out.Set("minimum", attr.minimum ? absl::StrCat(*attr.minimum) : "null");
  out.Set("allowed",
          attr.allowed.has_value() ? AttrJson(attr.allowed) : "null");
  return out.text();
}

std::string OpJson(const OpDef& op) {
  return JsonObject()
      .Set("inputs", ListJson(op.inputs, ArgJson))
      .Set("outputs", ListJson(op.outputs, ArgJson))
      .Set("attrs", ListJson(op.attrs, AttrDefJson))
      .SetBool("is_stateful", op.Is(kStateful))
      .SetBool("is_commutative", op.Is(kCommutative))
      .SetBool("is_aggregate", op.Is(kAggregate))
      .SetBool("allows_uninitialized_input", op.Is(kAllowsUninitialized))
      .SetInt("deprecated", op.deprecated_version)
      .text();
}

std::string KernelsJson(const KernelTable& kernels, const std::string& op) {
  std::vector<std::string> rows;
  for (const KernelTable::Row& row : kernels.Rows("CPU", op)) {
    JsonObject types;
    for (const KernelTable::Constraint& c : row.constraints) {
      types.Set(c.attr, ListJson(c.types, Number));
    }
    rows.push_back(types.text());
  }
  return JsonList(rows);
}

// Types with which the op of each node was run: (op, attr) -> types.
using TypesByAttr = std::map<std::string, std::set<int>>;
using CoveredTypes = std::map<std::string, TypesByAttr>;

std::string TypesJson(const TypesByAttr& by_attr) {
  JsonObject types;
  for (const auto& [attr, numbers] : by_attr) {
    types.Set(attr, absl::StrCat("[", absl::StrJoin(numbers, ","), "]"));
  }
  return types.text();
}

void AddCovered(const BoundCase& c, CoveredTypes* covered) {
  for (const BoundNode& node : c.nodes) {
    auto& by_attr = (*covered)[node.info.op->name];
    for (const auto& [name, value] : node.info.attrs) {
      if (const DataType* t = value.get<DataType>())
        by_attr[name].insert(static_cast<int>(*t));
      if (const auto* list = value.get<AttrValue::TypeList>()) {
        for (DataType t : *list) by_attr[name].insert(static_cast<int>(t));
      }
    }
  }
}

}  // namespace

std::string SchemaJson(const Suite& suite) {
  JsonObject ops, kernels, cases;
  for (const auto& op : suite.ops->ops()) {
    ops.Set(op->name, OpJson(*op));
    if (suite.kernels.HasOp("CPU", op->name)) {
      kernels.Set(op->name, KernelsJson(suite.kernels, op->name));
    }
  }
  CoveredTypes covered, refused;
  std::map<std::string, int64_t> count;
  for (const OpCases& list : suite.op_cases) {
    for (const auto& c : list.cases) {
      ++count[list.op->name];
      if (c->runs.empty()) continue;
      const bool fails = c->runs[0].code != StatusCode::kOk;
      const StatusOr<BoundCase> bound = Bind(*c, *suite.ops);
      if (bound.ok()) AddCovered(*bound, fails ? &refused : &covered);
    }
  }
  for (const auto& [op, by_attr] : covered) count.try_emplace(op, 0);
  for (const auto& [op, n] : count) {
    cases.Set(op, JsonObject()
                      .SetInt("count", n)
                      .Set("types", TypesJson(covered[op]))
                      .Set("refused", TypesJson(refused[op]))
                      .text());
  }
  JsonObject gradients;
  for (const GradientDecl* decl : AllGradients()) {
    gradients.SetBool(decl->op, decl->build != nullptr);
  }
  return JsonObject()
      .Set("ops", ops.text())
      .Set("kernels", kernels.text())
      .Set("gradients", gradients.text())
      .Set("cases", cases.text())
      .text();
}

}  // namespace millrace::cases
