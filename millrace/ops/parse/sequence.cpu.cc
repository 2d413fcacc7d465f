// Kernels of ParseSequenceExample and ParseSequenceExampleV2.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/parse/sequence_messages.h"

namespace millrace::ops {
namespace {

template <SequenceOp kOp>
class ParseSequenceKernel {
  static constexpr bool kIsV2 = kOp == SequenceOp::kV2;

 public:
  static StatusOr<std::unique_ptr<ParseSequenceKernel>> Make(
      const KernelInit& init) {
    auto k = std::make_unique<ParseSequenceKernel>();
    MR_ASSIGN_OR_RETURN(k->specs_, ReadSequenceSpecs(kOp, init.node().attrs));
    MR_ASSIGN_OR_RETURN(const ArgRange defaults,
                        init.Input("context_dense_defaults"));
    k->first_default_ = defaults.begin;
    MR_RETURN_IF_ERROR(FindOutputs(init, "context", &k->context_));
    MR_RETURN_IF_ERROR(FindOutputs(init, "feature_list", &k->lists_.columns));
    MR_ASSIGN_OR_RETURN(const ArgRange lengths,
                        init.Output("feature_list_dense_lengths"));
    k->lists_.dense_lengths = lengths.begin;
    if (kIsV2) {
      MR_ASSIGN_OR_RETURN(const ArgRange context_values,
                          init.Output("context_ragged_values"));
      MR_ASSIGN_OR_RETURN(const ArgRange context_splits,
                          init.Output("context_ragged_row_splits"));
      MR_ASSIGN_OR_RETURN(const ArgRange values,
                          init.Output("feature_list_ragged_values"));
      MR_ASSIGN_OR_RETURN(const ArgRange outer,
                          init.Output("feature_list_ragged_outer_splits"));
      MR_ASSIGN_OR_RETURN(const ArgRange inner,
                          init.Output("feature_list_ragged_inner_splits"));
      k->context_.ragged_values = context_values.begin;
      k->context_.ragged_splits = context_splits.begin;
      k->lists_.columns.ragged_values = values.begin;
      k->lists_.columns.ragged_splits = inner.begin;
      k->lists_.outer_splits = outer.begin;
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& serialized = ctx.input(0);
    const Tensor& names = ctx.input(1);
    if (serialized.rank() > 1) {
      return InvalidArgument(
          "Expected serialized to be a scalar or vector, got shape: ",
          serialized.shape().DebugString());
    }
    if (kIsV2) MR_RETURN_IF_ERROR(CheckKeys(ctx));
    std::vector<const Tensor*> defaults;
    for (size_t d = 0; d < specs_.context.dense.size(); ++d) {
      defaults.push_back(&ctx.input(first_default_ + static_cast<int>(d)));
      const PartialShape shape(defaults[d]->shape());
      const PartialShape& wanted = specs_.context.dense[d].shape;
      if (defaults[d]->num_elements() > 0 && !(shape == wanted)) {
        return InvalidArgument(
            "default_value[", d, "].shape() == ", shape.DebugString(),
            " != context_dense_shapes[", d, "] == ", wanted.DebugString());
      }
    }
    if (names.num_elements() != 0 &&
        names.num_elements() != serialized.num_elements()) {
      return InvalidArgument(
          "example_names must be empty or have the correct number of elements");
    }
    const std::vector<FeatureColumn> context = ColumnsOf(
        specs_.context, Keys(ctx, specs_.context, 2), defaults.data());
    const std::vector<FeatureColumn> lists =
        ColumnsOf(specs_.lists, Keys(ctx, specs_.lists, 5), nullptr);
    SequenceMessages messages(serialized.flat<StringElement>(),
                              names.flat<StringElement>(),
                              serialized.rank() == 1);
    MR_RETURN_IF_ERROR(messages.Find(context, lists));
    MR_RETURN_IF_ERROR(WriteContext(ctx, messages, context, context_));
    return WriteLists(ctx, messages, lists, lists_, MayMiss(ctx, lists));
  }

 private:
  static Status FindOutputs(const KernelInit& init, absl::string_view part,
                            ColumnOutputs* out) {
    const auto find = [&](absl::string_view what) {
      return init.Output(absl::StrCat(part, what));
    };
    MR_ASSIGN_OR_RETURN(const ArgRange indices, find("_sparse_indices"));
    MR_ASSIGN_OR_RETURN(const ArgRange values, find("_sparse_values"));
    MR_ASSIGN_OR_RETURN(const ArgRange shapes, find("_sparse_shapes"));
    MR_ASSIGN_OR_RETURN(const ArgRange dense, find("_dense_values"));
    *out = {.sparse_indices = indices.begin,
            .sparse_values = values.begin,
            .sparse_shapes = shapes.begin,
            .dense_values = dense.begin};
    return OkStatus();
  }

  Status CheckKeys(KernelContext& ctx) const {
    const struct {
      int input;
      size_t count;
      const char* text;
    } checks[] = {
        {3, specs_.context.dense.size(),
         "context_dense_keys) to match len(Tcontext_dense)"},
        {2, specs_.context.sparse.size(),
         "context_sparse_keys) to match Ncontext_sparse"},
        {4, specs_.context.ragged.size(),
         "context_ragged_keys) to match len(context_ragged_value_types)"},
        {6, specs_.lists.dense.size(),
         "feature_list_dense_keys) to match Nfeature_list_dense"},
        {8, specs_.lists.dense.size(),
         "feature_list_dense_missing_assumed_empty to match "
         "Nfeature_list_dense"},
        {5, specs_.lists.sparse.size(),
         "feature_list_sparse_keys) to match Nfeature_list_sparse"},
        {7, specs_.lists.ragged.size(),
         "feature_list_ragged_keys) to match "
         "len(feature_list_ragged_value_types)"},
    };
    for (const auto& check : checks) {
      if (static_cast<size_t>(ctx.input(check.input).num_elements()) !=
          check.count) {
        return InvalidArgument("Expected len(", check.text);
      }
    }
    return OkStatus();
  }

  // Returns the keys of sparse, dense and ragged columns, which V2 has in the
  // inputs from `first` on.
  std::vector<std::string> Keys(KernelContext& ctx, const FeatureSpecs& specs,
                                int first) const {
    std::vector<std::string> keys;
    if (!kIsV2) {
      keys = specs.sparse_keys;
      keys.insert(keys.end(), specs.dense_keys.begin(), specs.dense_keys.end());
      return keys;
    }
    for (int i = first; i < first + 3; ++i) {
      for (const StringElement& key : ctx.input(i).flat<StringElement>()) {
        keys.push_back(key.str());
      }
    }
    return keys;
  }

  std::vector<bool> MayMiss(KernelContext& ctx,
                            const std::vector<FeatureColumn>& lists) const {
    std::vector<bool> may_miss;
    for (const FeatureColumn& column : lists) {
      if (column.form != FeatureForm::kDense) continue;
      const auto& names = specs_.may_be_missing;
      may_miss.push_back(kIsV2 ? ctx.input(8).flat<bool>()[may_miss.size()]
                               : std::find(names.begin(), names.end(),
                                           column.key) != names.end());
    }
    return may_miss;
  }

  SequenceSpecs specs_;
  int first_default_ = 0;
  ColumnOutputs context_;
  ListOutputs lists_;
};

}  // namespace

MR_KERNELS(ParseSequenceExample,
           Cpu){{.make = MakeKernel<ParseSequenceKernel<SequenceOp::kBatch>>}};
MR_KERNELS(ParseSequenceExampleV2,
           Cpu){{.make = MakeKernel<ParseSequenceKernel<SequenceOp::kV2>>}};

}  // namespace millrace::ops
