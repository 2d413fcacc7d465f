#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/parse/example_scanner.h"

namespace millrace::ops {
namespace {

template <ExampleOp kOp>
class ParseExampleKernel {
  static constexpr bool kIsV2 = kOp == ExampleOp::kV2;
  static constexpr bool kIsSingle = kOp == ExampleOp::kSingle;

 public:
  static StatusOr<std::unique_ptr<ParseExampleKernel>> Make(
      const KernelInit& init) {
    auto k = std::make_unique<ParseExampleKernel>();
    MR_ASSIGN_OR_RETURN(k->specs_, ReadFeatureSpecs(kOp, init.node().attrs));
    MR_ASSIGN_OR_RETURN(const ArgRange defaults, init.Input("dense_defaults"));
    k->first_default_ = defaults.begin;
    MR_ASSIGN_OR_RETURN(const ArgRange indices, init.Output("sparse_indices"));
    MR_ASSIGN_OR_RETURN(const ArgRange values, init.Output("sparse_values"));
    MR_ASSIGN_OR_RETURN(const ArgRange shapes, init.Output("sparse_shapes"));
    MR_ASSIGN_OR_RETURN(const ArgRange dense, init.Output("dense_values"));
    k->outputs_ = {.sparse_indices = indices.begin,
                   .sparse_values = values.begin,
                   .sparse_shapes = shapes.begin,
                   .dense_values = dense.begin};
    if (kIsV2) {
      MR_ASSIGN_OR_RETURN(const ArgRange ragged, init.Output("ragged_values"));
      MR_ASSIGN_OR_RETURN(const ArgRange splits,
                          init.Output("ragged_row_splits"));
      k->outputs_.ragged_values = ragged.begin;
      k->outputs_.ragged_splits = splits.begin;
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckSerialized(ctx));
    MR_ASSIGN_OR_RETURN(std::vector<std::string> keys, Keys(ctx));
    std::vector<const Tensor*> defaults;
    for (size_t i = 0; i < specs_.dense.size(); ++i) {
      defaults.push_back(&ctx.input(first_default_ + static_cast<int>(i)));
      MR_RETURN_IF_ERROR(CheckFallback(specs_.dense[i], i, *defaults[i]));
    }
    const std::vector<FeatureColumn> columns =
        ColumnsOf(specs_, std::move(keys), defaults.data());
    FeatureIndex index;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (!index.emplace(columns[i].key, i).second) {
        // The error code is stock's, although the caller is at fault.
        return Internal("Could not avoid collision. This should not happen.");
      }
    }
    const int64_t examples = ctx.input(0).num_elements();
    MemoryCharge charge;
    MR_ASSIGN_OR_RETURN(
        const int64_t bytes,
        (CheckedSize(examples) * static_cast<int64_t>(columns.size()) *
         sizeof(FeatureCell))
            .Get("the memory of parsed examples"));
    MR_RETURN_IF_ERROR(charge.Set(bytes, "parsed examples"));
    std::vector<FeatureCell> cells(static_cast<size_t>(examples) *
                                   columns.size());
    MR_RETURN_IF_ERROR(ScanAll(ctx, columns, index, &cells));
    ColumnWriter writer(ctx, outputs_, examples, ctx.input(0).rank() == 1);
    for (size_t i = 0; i < columns.size(); ++i) {
      MR_RETURN_IF_ERROR(
          writer.Write(columns[i], [&](int64_t e) -> const FeatureCell& {
            return cells[static_cast<size_t>(e) * columns.size() + i];
          }));
    }
    return OkStatus();
  }

 private:
  Status CheckSerialized(KernelContext& ctx) const {
    const TensorShape& shape = ctx.input(0).shape();
    if (kIsSingle && shape.rank() != 0) {
      return InvalidArgument("Expected serialized to be a scalar, got shape: ",
                             shape.DebugString());
    }
    if (kIsV2 && shape.rank() > 1) {
      return InvalidArgument(
          "Expected serialized to be a scalar or vector, got shape: ",
          shape.DebugString());
    }
    if (!kIsSingle && !kIsV2 && shape.rank() != 1) {
      return InvalidArgument("Expected serialized to be a vector, got shape: ",
                             shape.DebugString());
    }
    if (kIsSingle) return OkStatus();
    const Tensor& names = ctx.input(1);
    if (names.num_elements() > 0 && !(names.shape() == shape)) {
      return InvalidArgument(
          "Expected names have the same shape as serialized: name.shape=",
          names.shape().DebugString(),
          ", serialized.shape=", shape.DebugString());
    }
    return OkStatus();
  }

  // Returns the keys of the sparse, dense and ragged columns.
  StatusOr<std::vector<std::string>> Keys(KernelContext& ctx) const {
    std::vector<std::string> keys;
    if (kIsSingle) {
      keys = specs_.sparse_keys;
      keys.insert(keys.end(), specs_.dense_keys.begin(),
                  specs_.dense_keys.end());
      return keys;
    }
    if (!kIsV2) {
      for (int i = 2; i < first_default_; ++i) {
        if (ctx.input(i).num_elements() != 1) {
          return InvalidArgument("Expected keys to be scalars, got shape: ",
                                 ctx.input(i).shape().DebugString());
        }
        keys.push_back(ctx.input(i).flat<StringElement>()[0].str());
      }
      return keys;
    }
    const auto count = [&](int i) {
      return static_cast<size_t>(ctx.input(i).num_elements());
    };
    if (count(3) != specs_.dense.size()) {
      return InvalidArgument(
          "Expected len(dense_keys) == len(dense_types) but got: ", count(3),
          " vs. ", specs_.dense.size());
    }
    if (count(2) != specs_.sparse.size()) {
      return InvalidArgument(
          "Expected len(sparse_keys) == num_sparse but got: ", count(2),
          " vs. ", specs_.sparse.size());
    }
    if (count(4) != specs_.ragged.size()) {
      return InvalidArgument(
          "Expected len(ragged_keys) == len(ragged_value_types) but got: ",
          count(4), " vs. ", specs_.ragged.size());
    }
    for (int i = 2; i < 5; ++i) {
      for (const StringElement& key : ctx.input(i).flat<StringElement>()) {
        keys.push_back(key.str());
      }
    }
    return keys;
  }

  Status ScanAll(KernelContext& ctx, const std::vector<FeatureColumn>& columns,
                 const FeatureIndex& index,
                 std::vector<FeatureCell>* cells) const {
    const auto serialized = ctx.input(0).flat<StringElement>();
    if (ctx.input(0).rank() == 0) {
      return ScanSingleExample(columns, index, serialized[0].view(),
                               cells->data());
    }
    const auto names = ctx.input(1).flat<StringElement>();
    CountedVector<Status> failed(serialized.size());
    size_t bytes = 0;
    for (const StringElement& s : serialized) bytes += s.size();
    const auto examples = static_cast<int64_t>(serialized.size());
    const auto cost = static_cast<int64_t>(
        2 * bytes / std::max<size_t>(serialized.size(), 1) + 100);
    MR_RETURN_IF_ERROR(
        ctx.ParallelFor(examples, cost, [&](int64_t begin, int64_t end) {
          for (auto e = static_cast<size_t>(begin);
               e < static_cast<size_t>(end); ++e) {
            const absl::string_view name = names.empty()
                                               ? absl::string_view("<unknown>")
                                               : names[e].view();
            failed[e] = ScanExample(
                columns, index, {name, static_cast<int64_t>(e)},
                serialized[e].view(), cells->data() + e * columns.size());
          }
        }));
    for (Status& status : failed) {
      if (!status.ok()) return std::move(status);
    }
    return OkStatus();
  }

  FeatureSpecs specs_;
  int first_default_ = 0;
  ColumnOutputs outputs_;
};

}  // namespace

MR_KERNELS(ParseExample,
           Cpu){{.make = MakeKernel<ParseExampleKernel<ExampleOp::kBatch>>}};
MR_KERNELS(ParseExampleV2,
           Cpu){{.make = MakeKernel<ParseExampleKernel<ExampleOp::kV2>>}};
MR_KERNELS(ParseSingleExample,
           Cpu){{.make = MakeKernel<ParseExampleKernel<ExampleOp::kSingle>>}};

}  // namespace millrace::ops
