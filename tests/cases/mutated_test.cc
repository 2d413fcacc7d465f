// Cases with inputs and attributes changed by chance: whatever a client sends,
// a kernel gives a result that fits its shape function, or an error that blames
// the graph; it never crashes (run this under the sanitizers).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/random.h"
#include "tests/cases/bind.h"
#include "tests/cases/runner.h"
#include "tests/cases/shapes.h"
#include "tests/cases/suite.h"

namespace millrace::cases {
namespace {

constexpr int kRounds = 3;
constexpr int64_t kBudgetBytes = int64_t{300} << 20;
constexpr int64_t kMaxElements = int64_t{1} << 20;

// Attributes that say how many inputs or outputs there are.
bool IsCount(absl::string_view attr) {
  return attr == "N" || attr == "num" || attr == "num_split" ||
         attr == "num_partitions";
}

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  // Changes one or two things of the case's only node.
  void Change(Case* c) {
    CaseNode& node = c->nodes[0];
    for (uint64_t i = 0; i < 1 + Below(2); ++i) {
      if (Below(4) == 0 && !node.attrs.empty()) {
        ChangeAttr(&node.attrs);
      } else {
        Value& v = node.inputs[Below(node.inputs.size())];
        v.tensor = Below(3) == 0 ? WithOtherShape(v.tensor)
                                 : WithOtherElement(v.tensor);
      }
    }
  }

 private:
  uint64_t Below(uint64_t n) { return random_.Uniform(n); }

  // Small numbers, and those at which sizes and places go wrong.
  template <class I>
  I Number() {
    const I odd[] = {I(-1),
                     I(-2),
                     I(-100),
                     I(int64_t{1} << 40),
                     I(1 << 30),
                     std::numeric_limits<I>::max(),
                     std::numeric_limits<I>::min()};
    return Below(2) == 0 ? odd[Below(std::size(odd))]
                         : static_cast<I>(Below(7));
  }

  void ChangeAttr(AttrMap* attrs) {
    const auto& [name, value] =
        *(attrs->begin() + static_cast<int64_t>(Below(attrs->size())));
    if (value.get<int64_t>() == nullptr || IsCount(name)) return;
    attrs->Set(std::string(name), AttrValue(Number<int64_t>()));
  }

  Tensor WithOtherShape(const Tensor& t) {
    DimVector dims = t.shape().dims();
    const uint64_t kind = dims.empty() ? 0 : Below(4);
    const size_t at = Below(dims.size() + (kind == 0 ? 1 : 0));
    if (kind == 0)
      dims.insert(dims.begin() + static_cast<int64_t>(at), 1 + Below(2));
    if (kind == 1) dims.erase(dims.begin() + static_cast<int64_t>(at));
    if (kind == 2) dims[at] = static_cast<int64_t>(Below(5));
    if (kind == 3) ++dims[at];
    // An empty tensor may have sizes for which nobody has room.
    const StatusOr<TensorShape> shape = TensorShape::Make(dims);
    if (!shape.ok() || shape->num_elements() > kMaxElements) return t;
    Tensor out = Tensor::Zeros(t.dtype(), *shape);
    if (!IsPlain(t.dtype())) return out;
    for (size_t i = 0; i < out.size_bytes() && t.size_bytes() > 0; ++i) {
      out.mutable_data()[i] = t.data()[i % t.size_bytes()];
    }
    return out;
  }

  Tensor WithOtherElement(const Tensor& t) {
    Tensor out = t.DeepCopy(HostAllocator()).value();
    if (out.num_elements() == 0) return out;
    const size_t at = Below(static_cast<uint64_t>(out.num_elements()));
    switch (out.dtype()) {
      case DataType::kInt8:
        out.mutable_flat<int8_t>()[at] = Number<int8_t>();
        break;
      case DataType::kInt16:
        out.mutable_flat<int16_t>()[at] = Number<int16_t>();
        break;
      case DataType::kInt32:
        out.mutable_flat<int32_t>()[at] = Number<int32_t>();
        break;
      case DataType::kInt64:
        out.mutable_flat<int64_t>()[at] = Number<int64_t>();
        break;
      default:
        break;
    }
    return out;
  }

  Rng random_;
};

std::string Describe(const Case& c) {
  std::string text = absl::StrCat(c.op, ", ", c.options.name, ":");
  for (const Value& v : c.nodes[0].inputs)
    absl::StrAppend(&text, " ", v.tensor.DebugString());
  for (const auto& [name, value] : c.nodes[0].attrs) {
    absl::StrAppend(&text, " ", name, "=", value.DebugString());
  }
  return text;
}

// What only a graph's author can be blamed for, or his demand for memory.
bool BlamesTheGraph(StatusCode code) {
  return code == StatusCode::kInvalidArgument ||
         code == StatusCode::kResourceExhausted ||
         code == StatusCode::kUnimplemented || code == StatusCode::kNotFound ||
         code == StatusCode::kFailedPrecondition ||
         code == StatusCode::kOutOfRange;
}

void CheckMutated(const Case& c, const Suite& suite, CaseRunner& runner) {
  const StatusOr<BoundCase> bound = Bind(c, *suite.ops, /*lenient=*/true);
  if (!bound.ok() || bound->runs.empty()) return;
  const CaseOutcome out = runner.Run(*bound, {.width = 2});
  EXPECT_TRUE(out.changed_inputs.empty()) << Describe(c);
  const Status& status = out.runs[0].status;
  if (!status.ok()) {
    EXPECT_TRUE(BlamesTheGraph(status.code())) << Describe(c) << "\n"
                                               << status.ToString();
  }
  for (const Known known : {Known::kValues, Known::kShapes, Known::kTypes}) {
    const auto shapes = InferShapes(*bound, *suite.ops, known);
    if (!shapes.ok() || !status.ok()) continue;
    for (size_t i = 0; i < out.outputs[0].size(); ++i) {
      EXPECT_TRUE((*shapes)[0][i].IsCompatibleWith(out.outputs[0][i].shape()))
          << Describe(c) << "\noutput " << i << ": inferred "
          << (*shapes)[0][i].DebugString() << ", run "
          << out.outputs[0][i].shape().DebugString();
    }
  }
}

// By family: one is added here once it passes.
class Mutated : public testing::TestWithParam<const char*> {};

TEST_P(Mutated, NeverCrashesAndFitsItsShapeFunction) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  budget.set_limit(std::min(limit, budget.used() + kBudgetBytes));
  const std::unique_ptr<Suite> suite = LoadSuite();
  CaseRunner runner(suite->kernels);
  uint64_t seed = 0;
  for (const OpCases& op : suite->op_cases) {
    // Its declared shape is taken on trust, as in stock.
    if (op.family != GetParam() || op.op->name == "PlaceholderWithDefault")
      continue;
    for (const auto& original : op.cases) {
      if (original->nodes.size() != 1 || original->nodes[0].inputs.empty())
        continue;
      for (int round = 0; round < kRounds; ++round) {
        Case mutated = *original;
        Mutator(++seed).Change(&mutated);
        CheckMutated(mutated, *suite, runner);
      }
    }
  }
  budget.set_limit(limit);
}

INSTANTIATE_TEST_SUITE_P(Families, Mutated,
                         testing::Values("array", "blocks", "diagonal",
                                         "indexing", "layout", "slicing"));

}  // namespace
}  // namespace millrace::cases
