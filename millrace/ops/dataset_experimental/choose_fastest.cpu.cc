// Kernels of data sets that can be made in several ways. All give the same
// elements, and measuring which is fastest costs more than it may gain, so the
// first is taken.
#include "millrace/kernel/component_types.h"
#include "millrace/ops/data/captured_function.h"
#include "millrace/ops/dataset/same_iterator.h"
#include "millrace/ops/dataset_experimental/element_list.h"

namespace millrace::ops {
namespace {

struct ChoiceParams {
  int64_t cardinality = DatasetValue::kUnknown;
};

class ChooseFastestIterator final : public DeclaredIteratorOf<ChoiceParams> {
 public:
  using SameIteratorOf::SameIteratorOf;
  static int64_t Cardinality(const Parts& d) { return d.params().cardinality; }
};

Status CheckSameElements(const ElementSignature& first,
                         const ElementSignature& other, size_t number) {
  if (other.types != first.types) {
    return InvalidArgument(
        "All inputs to ChooseFastestDataset must have the same output types. "
        "Input ",
        number, " has output types: ", TypesText(other.types),
        ". Expected: ", TypesText(first.types), ".");
  }
  if (other.shapes.size() != first.shapes.size()) {
    return InvalidArgument(
        "All inputs to ChooseFastestDataset must have compatible outputs. "
        "Input ",
        number, " has ", other.shapes.size(), " components. Expected to have ",
        first.shapes.size(), " components.");
  }
  for (size_t i = 0; i < first.shapes.size(); ++i) {
    if (first.shapes[i].IsCompatibleWith(other.shapes[i])) continue;
    return InvalidArgument(
        "All inputs to ChooseFastestDataset must have compatible output "
        "shapes. Component ",
        i, " of input ", number, " has shape: ", other.shapes[i].DebugString(),
        ". Expected to be compatible with shape: ",
        first.shapes[i].DebugString(), ".");
  }
  return OkStatus();
}

StatusOr<Ref<DatasetValue>> BuildChooseFastest(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(DatasetRef first, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(const ElementSignature own, DeclaredSignature(ctx));
  ChoiceParams p;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, i));
    MR_RETURN_IF_ERROR(
        CheckSameElements(own, input->signature(), static_cast<size_t>(i)));
    const int64_t n = input->Cardinality();
    if (p.cardinality == DatasetValue::kUnknown) {
      p.cardinality = n;
    } else if (n != DatasetValue::kUnknown && n != p.cardinality) {
      return InvalidArgument(
          "All inputs to ChooseFastestDataset must have compatible "
          "cardinalities. Input ",
          i, " has cardinality: ", n,
          ", while all prior inputs have cardinality: ", p.cardinality, ".");
    }
  }
  return MakeDataset<ChooseFastestIterator>(ctx, {std::move(first)}, p);
}

struct BranchParams {
  std::shared_ptr<const CapturedFunction> branch;
  int64_t numerator = 1, denominator = 1;
};

class FirstBranchIterator final : public DerivedIterator<BranchParams> {
 public:
  using DerivedIterator::DerivedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    return function_.Bind(runtime, params().branch, {DataType::kVariant});
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (input_ == nullptr) {
      MR_ASSIGN_OR_RETURN(const Pull made, MakeInput(ctx));
      if (made != Pull::kElement) return made;
      if (restored_ != nullptr) {
        StateReader reader(std::exchange(restored_, nullptr), ctx.runtime());
        MR_RETURN_IF_ERROR(
            Prefix("Failed to restore dataset iterator from checkpoint: ",
                   input_->Restore(reader, saved_as_)));
      }
    }
    MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, out));
    if (pull == Pull::kElement) {
      MR_RETURN_IF_ERROR(CheckElementTypes(dataset().signature().types, *out));
    }
    return pull;
  }
  // The branch makes its data set again after a restore.
  Status Save(StateWriter& out, const std::string& prefix) override {
    const bool begun = input_ != nullptr || restored_ != nullptr;
    out.Int(prefix + "begun", begun);
    if (input_ != nullptr) return out.Save(*input_, prefix + "in:");
    if (begun) out.Copy(*restored_, saved_as_, prefix + "in:");
    return OkStatus();
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(const bool begun, in.Flag(prefix + "begun"));
    if (!begun) return OkStatus();
    restored_ = in.state();
    saved_as_ = prefix + "in:";
    return OkStatus();
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality();
    int64_t product = 0;
    if (n < 0) return n;
    if (__builtin_mul_overflow(n, d.params().numerator, &product)) {
      return kUnknown;
    }
    return product / d.params().denominator;
  }

 private:
  // Makes an iterator over the data set that the branch makes.
  StatusOr<Pull> MakeInput(PollContext& ctx) {
    if (!call_.in_progress()) {
      call_.Start(ctx, function_, {TensorOfDataset(dataset().inputs()[0])});
    }
    Element results;
    MR_ASSIGN_OR_RETURN(const Pull done, call_.Finish(ctx, &results));
    if (done != Pull::kElement) return done;
    if (results.size() != 1 || results[0].dtype() != DataType::kVariant ||
        results[0].rank() != 0) {
      return InvalidArgument(
          "Function must return a single scalar of dtype DT_VARIANT.");
    }
    MR_ASSIGN_OR_RETURN(const DatasetRef made, DatasetOfTensor(results[0]));
    MR_ASSIGN_OR_RETURN(input_, ctx.runtime().MakeIterator(*made));
    return Pull::kElement;
  }

  BoundFunction function_;
  FunctionCall call_;
  // Until the first call of Next after a restore: the state, and what the keys
  // of the branch's iterator begin with in it.
  Ref<const IteratorStateValue> restored_;
  std::string saved_as_;
};

// Returns the tensors that the first branch captured, which come first.
StatusOr<std::vector<Tensor>> FirstBranchArguments(KernelContext& ctx,
                                                   size_t branches) {
  const AttrMap& attrs = ctx.node().attrs;
  MR_ASSIGN_OR_RETURN(
      const std::vector<int32_t> lengths,
      GetAttr<std::vector<int32_t>>(attrs, "other_arguments_lengths"));
  if (lengths.size() != branches) {
    return InvalidArgument(
        "branches and other_arguments_lengths must have the same length.");
  }
  MR_ASSIGN_OR_RETURN(
      const ArgRange range,
      FindArgRange(ctx.node().op->inputs, attrs, "other_arguments"));
  int64_t left = range.end - range.begin;
  for (const int32_t length : lengths) {
    if (length < 0 || length > left) {
      return InvalidArgument("other_arguments_lengths do not add up to the ",
                             range.end - range.begin, " other arguments");
    }
    left -= length;
  }
  std::vector<Tensor> captured;
  for (int i = 0; i < lengths[0]; ++i) {
    captured.push_back(ctx.input(range.begin + i));
  }
  return captured;
}

StatusOr<Ref<DatasetValue>> BuildFirstBranch(KernelContext& ctx) {
  const AttrMap& attrs = ctx.node().attrs;
  MR_ASSIGN_OR_RETURN(const AttrValue::FuncList branches,
                      GetAttr<AttrValue::FuncList>(attrs, "branches"));
  MR_ASSIGN_OR_RETURN(std::vector<Tensor> captured,
                      FirstBranchArguments(ctx, branches.size()));
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  BranchParams p;
  MR_ASSIGN_OR_RETURN(p.numerator,
                      ScalarInput<int64_t>(ctx, 1, "ratio_numerator"));
  MR_ASSIGN_OR_RETURN(p.denominator,
                      ScalarInput<int64_t>(ctx, 2, "ratio_denominator"));
  if (p.numerator <= 0) {
    return InvalidArgument("`ratio_numerator` must be greater than zero.");
  }
  if (p.denominator <= 0) {
    return InvalidArgument("`ratio_denominator` must be greater than zero.");
  }
  MR_ASSIGN_OR_RETURN(const int64_t elements,
                      GetAttr<int64_t>(attrs, "num_elements_per_branch"));
  if (elements % p.denominator != 0) {
    return InvalidArgument(
        "`num_elements_per_branch` must be divisible by `ratio_denominator`.");
  }
  if (branches.empty()) return InvalidArgument("there are no branches");
  const std::vector<Tensor> kept = captured;
  MR_ASSIGN_OR_RETURN(
      p.branch, CapturedFunction::Make(ctx, branches[0], std::move(captured)));
  return MakeDataset<FirstBranchIterator>(ctx, {input}, std::move(p), kept);
}

}  // namespace

MR_KERNELS(ChooseFastestDataset, Cpu){MR_DATASET_KERNEL(BuildChooseFastest)};
MR_KERNELS(ExperimentalChooseFastestDataset,
           Cpu){MR_DATASET_KERNEL(BuildChooseFastest)};
MR_KERNELS(ChooseFastestBranchDataset,
           Cpu){MR_DATASET_KERNEL(BuildFirstBranch)};

}  // namespace millrace::ops
