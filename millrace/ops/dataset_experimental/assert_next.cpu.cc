// AssertNextDataset: checks which data sets are made from this one.
#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "millrace/ops/dataset/same_iterator.h"

namespace millrace::ops {
namespace {

struct AssertNextParams {
  std::vector<std::string> transformations;
};

// What stock calls the iterators of data sets otherwise than their ops.
constexpr std::pair<absl::string_view, absl::string_view> kOtherNames[] = {
    {"ParallelInterleave", "LegacyParallelInterleave"},
    {"ShuffleAndRepeatV2", "ShuffleAndRepeat"},
    {"ShuffleV2", "Shuffle"},
    {"ShuffleV3", "Shuffle"},
    {"SlidingWindow", "Slide"},
};
// Their iterators number those of their inputs; of a repeated one, the passes.
constexpr absl::string_view kNumbering[] = {
    "FiniteRepeat", "ForeverRepeat",      "Concatenate",
    "Zip",          "DirectedInterleave", "ChooseFastest"};

// Returns the name of a data set over `input` in such assertions, or nothing
// for those that only say how their input should be run.
std::string TransformationOf(const DatasetValue& dataset,
                             const DatasetValue& input) {
  const absl::string_view op = absl::StripPrefix(dataset.op(), "Experimental");
  for (const char* name : {"Options", "Model", "Finalize", "Rewrite"}) {
    if (absl::StartsWith(op, name)) return "";
  }
  std::string name(dataset.NameInPaths());
  if (name.empty()) name = absl::StrReplaceAll(op, {{"Dataset", ""}});
  for (const auto& [of_op, other] : kOtherNames) {
    if (name == of_op) name = std::string(other);
  }
  if (std::find(std::begin(kNumbering), std::end(kNumbering), name) !=
      std::end(kNumbering)) {
    const auto inputs = dataset.inputs();
    const auto at =
        std::find_if(inputs.begin(), inputs.end(),
                     [&](const DatasetRef& i) { return i.get() == &input; });
    absl::StrAppend(&name, "[", at - inputs.begin(), "]");
  }
  return name;
}

// Returns whether `name` is `wanted` of any version, "BatchV2" of "Batch".
bool IsVersionOf(absl::string_view name, absl::string_view wanted) {
  if (!absl::ConsumePrefix(&name, wanted)) return false;
  if (name.empty()) return true;
  return absl::ConsumePrefix(&name, "V") && !name.empty() &&
         std::all_of(name.begin(), name.end(), absl::ascii_isdigit);
}

class AssertNextIterator final : public DeclaredIteratorOf<AssertNextParams> {
 public:
  using SameIteratorOf::SameIteratorOf;
  Status Begin(IteratorRuntime& runtime) override {
    std::vector<std::string> next;
    const auto above = runtime.DatasetsAbove();
    if (above.empty()) return SameIteratorOf::Begin(runtime);
    for (size_t i = above.size(); i-- > 0;) {
      if (above[i] == &dataset()) continue;
      std::string name = TransformationOf(*above[i], *above[i + 1]);
      if (!name.empty()) next.push_back(std::move(name));
    }
    next.push_back("Root");  // the iterator itself
    const std::vector<std::string>& wanted = params().transformations;
    if (wanted.size() > next.size()) {
      return InvalidArgument("Asserted next ", wanted.size(),
                             " transformations but encountered only ",
                             next.size(), ".");
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (IsVersionOf(next[i], wanted[i])) continue;
      return InvalidArgument("Asserted transformation matching ", wanted[i],
                             " at offset ", i, " but encountered ", next[i],
                             " transformation instead.");
    }
    return SameIteratorOf::Begin(runtime);
  }
};

StatusOr<Ref<DatasetValue>> BuildAssertNext(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  const Tensor& names = ctx.input(1);
  if (names.rank() != 1) {
    return InvalidArgument("transformations must be a vector");
  }
  AssertNextParams p;
  for (const StringElement& name : names.flat<StringElement>()) {
    p.transformations.push_back(name.str());
  }
  return MakeDataset<AssertNextIterator>(ctx, {input}, std::move(p));
}

}  // namespace

MR_KERNELS(AssertNextDataset, Cpu){MR_DATASET_KERNEL(BuildAssertNext)};
MR_KERNELS(ExperimentalAssertNextDataset,
           Cpu){MR_DATASET_KERNEL(BuildAssertNext)};

}  // namespace millrace::ops
