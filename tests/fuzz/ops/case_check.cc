#include "tests/fuzz/ops/case_check.h"

#include <sys/resource.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "millrace/client/gradients.h"
#include "tests/cases/bind.h"

namespace millrace::fuzz {
namespace {

using cases::BoundCase;
using cases::BoundInput;
using cases::BoundNode;
using cases::Known;
using cases::Value;

// For tensors; small, so that few cases fill gigabytes one byte after the
// other.
constexpr int64_t kBudgetBytes = int64_t{64} << 20;
// What a process may grow by, sanitizers' own memory included.
constexpr int64_t kMostResidentKib = int64_t{1} << 20;
constexpr int64_t kFileBytes = int64_t{8} << 20;
constexpr size_t kKeptFiles = 20;
constexpr int64_t kBlockedMs = 30;

int64_t ResidentKib() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// A constant of handles is none that a client can send.
bool HasHandles(const BoundCase& bound) {
  return std::any_of(bound.feeds.begin(), bound.feeds.end(), [](const auto& f) {
    return f.value.dtype() == DataType::kResource ||
           f.value.dtype() == DataType::kVariant;
  });
}

bool HasGradient(absl::string_view op) {
  const auto decls = AllGradients();
  return std::any_of(decls.begin(), decls.end(), [op](const auto* decl) {
    return op == decl->op && decl->build != nullptr;
  });
}

bool IsSmoothType(DataType type) {
  return IsFloating(RemoveRef(type)) || IsComplex(RemoveRef(type));
}

// The nodes of a case in a graph of the client.
class GradientGraph {
 public:
  GradientGraph(const BoundCase& bound, const OpRegistry& ops)
      : bound_(bound), scope_(Scope::NewRoot(ops)) {}

  void Build(bool shapes_known) {
    for (const cases::BoundFeed& feed : bound_.feeds) {
      if (!Add(feed.name, "Placeholder", {},
               {{"dtype", feed.value.dtype()},
                {"shape", shapes_known ? PartialShape(feed.value.shape())
                                       : PartialShape()}},
               &feeds_)) {
        return;
      }
    }
    for (const cases::BoundVariable& v : bound_.variables) {
      if (!Add(v.name, v.is_ref ? "VariableV2" : "VarHandleOp", {},
               {{"dtype", v.value.dtype()},
                {"shape", PartialShape(v.value.shape())}},
               &variables_)) {
        return;
      }
    }
    for (const BoundNode& node : bound_.nodes) {
      std::vector<Output> inputs;
      for (const BoundInput& in : node.inputs) inputs.push_back(Input(in));
      if (!Add(node.info.name, node.info.op->name, inputs, node.info.attrs,
               &nodes_)) {
        return;
      }
    }
    Differentiate();
  }

 private:
  bool Add(const std::string& name, const std::string& op,
           const std::vector<Output>& inputs, AttrMap attrs,
           std::vector<Operation>* list) {
    ClientGraph::NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.inputs = inputs;
    spec.attrs = std::move(attrs);
    StatusOr<Operation> added = scope_.graph().AddNode(spec);
    if (!added.ok()) return false;
    list->push_back(*added);
    return true;
  }

  Output Input(const BoundInput& in) const {
    const auto& list = in.kind == Value::Kind::kFed    ? feeds_
                       : in.kind == Value::Kind::kNode ? nodes_
                                                       : variables_;
    return list[static_cast<size_t>(in.index)].output(in.port);
  }

  void Differentiate() const {
    std::vector<Output> ys, xs;
    for (const Operation& node : nodes_) {
      for (const Output& y : node.outputs()) {
        if (IsSmoothType(y.dtype())) ys.push_back(y);
      }
    }
    for (const Operation& feed : feeds_) {
      if (IsSmoothType(feed.output(0).dtype())) xs.push_back(feed.output(0));
    }
    for (const Operation& v : variables_) xs.push_back(v.output(0));
    if (ys.empty() || xs.empty()) return;
    // An error stays in the graph.
    (void)ops::Gradients(scope_, ys, xs);
  }

  const BoundCase& bound_;
  const Scope scope_;
  std::vector<Operation> feeds_, variables_, nodes_;
};

}  // namespace

const char* StageName(Stage stage) {
  switch (stage) {
    case Stage::kNone:
      return "before a case";
    case Stage::kMake:
      return "making the case";
    case Stage::kShapes:
      return "shape function";
    case Stage::kKernel:
      return "kernel";
    case Stage::kGradient:
      return "gradient";
  }
  return "";
}

CaseCheck::CaseCheck(const Material& material)
    : material_(material),
      runner_(material.suite->kernels),
      resident_kib_(ResidentKib()) {}

std::string CaseCheck::CheckShapes(
    const BoundCase& bound, const std::vector<std::vector<Tensor>>& outputs,
    Known known) const {
  const auto shapes = cases::InferShapes(bound, *material_.suite->ops, known);
  // A step can be right where the graph's builder says no: not the op's fault.
  if (!shapes.ok()) return "";
  for (size_t n = 0; n < outputs.size(); ++n) {
    for (size_t i = 0; i < outputs[n].size(); ++i) {
      const Tensor& t = outputs[n][i];
      if (!t.valid() || (*shapes)[n][i].IsCompatibleWith(t.shape())) continue;
      return absl::StrCat("output ", i, " of ", bound.nodes[n].info.name,
                          " has shape ", t.shape().DebugString(),
                          ", the shape function says ",
                          (*shapes)[n][i].DebugString(),
                          " with inputs known by ", static_cast<int>(known));
    }
  }
  return "";
}

void CaseCheck::BuildGradients(const BoundCase& bound,
                               bool shapes_known) const {
  GradientGraph(bound, *material_.suite->ops).Build(shapes_known);
}

std::string CaseCheck::MemoryProblem() const {
  const int64_t grown = ResidentKib() - resident_kib_;
  if (grown <= kMostResidentKib) return "";
  return absl::StrCat("the process has grown by ", grown >> 10,
                      " MiB, with a limit of ", kBudgetBytes >> 20,
                      " MiB for tensors");
}

Verdict CaseCheck::Check(const FuzzedOp& op, const cases::Case& c,
                         const std::function<void(Stage)>& begins) {
  Verdict verdict;
  begins(Stage::kShapes);
  const StatusOr<BoundCase> bound = cases::Bind(c, *material_.suite->ops);
  if (!bound.ok()) return verdict;
  std::vector<Known> levels = {Known::kShapes, Known::kSome, Known::kTypes};
  if (!HasHandles(*bound)) levels.push_back(Known::kValues);
  bool fits = false;
  for (Known known : levels) {
    fits |= cases::InferShapes(*bound, *material_.suite->ops, known).ok();
  }

  begins(Stage::kKernel);
  files_.push_back(std::make_unique<MemoryFiles>());
  if (files_.size() > kKeptFiles) files_.pop_front();
  files_.back()->SetLimit(kFileBytes);
  (void)files_.back()->CreateDir("/tmp");
  const cases::CaseOutcome outcome =
      runner_.Run(*bound, {.width = 2,
                           .blocked_ms = kBlockedMs,
                           .limit_bytes = kBudgetBytes,
                           .files = files_.back().get()});
  const bool failed = std::any_of(
      outcome.runs.begin(), outcome.runs.end(),
      [](const cases::RunOutcome& run) { return !run.status.ok(); });
  verdict.answer =
      failed ? fits ? Answer::kError : Answer::kRefused : Answer::kResult;
  if (!outcome.broken.empty()) verdict.problem = outcome.broken[0];
  if (!outcome.changed_inputs.empty()) {
    verdict.problem = absl::StrCat("the kernel changed its input ",
                                   outcome.changed_inputs[0]);
  }
  if (verdict.problem.empty()) verdict.problem = MemoryProblem();
  if (!verdict.problem.empty()) return verdict;

  begins(Stage::kShapes);
  for (Known known : levels) {
    if (failed || !op.check_shapes) break;
    verdict.problem = CheckShapes(*bound, outcome.outputs, known);
    if (!verdict.problem.empty()) return verdict;
  }

  if (HasGradient(op.def->name)) {
    begins(Stage::kGradient);
    for (bool shapes_known : {true, false})
      BuildGradients(*bound, shapes_known);
  }
  verdict.problem = MemoryProblem();
  return verdict;
}

}  // namespace millrace::fuzz
