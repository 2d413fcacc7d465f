// ParseExampleDataset: batches of serialized Example messages as tensors, one
// for each feature.
#include <algorithm>
#include <map>

#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/ops/dataset/derived.h"
#include "millrace/ops/dataset_experimental/element_list.h"
#include "millrace/ops/parse/example_scanner.h"
#include "millrace/tensor/variant/variant_tensor.h"

namespace millrace::ops {
namespace {

// What one parser needs. Immutable.
struct ExampleFormat {
  FeatureSpecs specs;
  std::vector<std::string> keys;  // of sparse columns, then of dense ones
  std::vector<Tensor> defaults;   // of dense columns
  std::vector<size_t> places;     // component of the element, by column
  // The columns are written to the outputs of a node, which has those of
  // ParseExampleV2.
  OpDef op;
  NodeInfo node;
  ColumnOutputs outputs;
};

struct ParseExampleParams {
  std::shared_ptr<const ExampleFormat> format;
};

class ParseExampleIterator final : public DerivedIterator<ParseExampleParams> {
 public:
  using DerivedIterator::DerivedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    std::vector<const Tensor*> defaults;
    for (const Tensor& t : format().defaults) defaults.push_back(&t);
    columns_ = ColumnsOf(format().specs, format().keys, defaults.data());
    for (size_t i = 0; i < columns_.size(); ++i) {
      index_.emplace(columns_[i].key, i);
    }
    return DerivedIterator::Begin(runtime);
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (input_ == nullptr) return Pull::kEnd;
    Element batch;
    MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &batch));
    if (pull == Pull::kEnd) input_ = nullptr;
    if (pull != Pull::kElement) return pull;
    if (batch.size() != 1 || batch[0].dtype() != DataType::kString) {
      return InvalidArgument("an element to parse is not one tensor of string");
    }
    MR_RETURN_IF_ERROR(Parse(ctx.runtime(), batch[0], out));
    return Pull::kElement;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return RestoreInput(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) { return d.input().Cardinality(); }

 private:
  const ExampleFormat& format() const { return *params().format; }

  Status Parse(IteratorRuntime& runtime, const Tensor& serialized,
               Element* out) {
    StepEnvironment environment =
        runtime.Environment(nullptr, nullptr, runtime.scope().get());
    std::vector<EdgeValue> outputs(format().node.output_types.size());
    KernelContext ctx(format().node, runtime.device(), environment, {},
                      absl::MakeSpan(outputs));
    const int64_t examples = serialized.num_elements();
    MemoryCharge charge;
    MR_ASSIGN_OR_RETURN(
        const int64_t bytes,
        (CheckedSize(examples) * static_cast<int64_t>(columns_.size()) *
         sizeof(FeatureCell))
            .Get("the memory of parsed examples"));
    MR_RETURN_IF_ERROR(charge.Set(bytes, "parsed examples"));
    std::vector<FeatureCell> cells(static_cast<size_t>(examples) *
                                   columns_.size());
    MR_RETURN_IF_ERROR(Scan(ctx, serialized, &cells));
    ColumnWriter writer(ctx, format().outputs, examples, true);
    out->assign(columns_.size(), Tensor());
    for (size_t i = 0; i < columns_.size(); ++i) {
      MR_RETURN_IF_ERROR(
          writer.Write(columns_[i], [&](int64_t e) -> const FeatureCell& {
            return cells[static_cast<size_t>(e) * columns_.size() + i];
          }));
      (*out)[format().places[i]] = Component(columns_[i], outputs);
    }
    return OkStatus();
  }

  Status Scan(KernelContext& ctx, const Tensor& serialized,
              std::vector<FeatureCell>* cells) const {
    const auto messages = serialized.flat<StringElement>();
    CountedVector<Status> failed(messages.size());
    size_t bytes = 0;
    for (const StringElement& s : messages) bytes += s.size();
    const auto cost = static_cast<int64_t>(
        2 * bytes / std::max<size_t>(messages.size(), 1) + 100);
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        serialized.num_elements(), cost, [&](int64_t begin, int64_t end) {
          for (auto e = static_cast<size_t>(begin);
               e < static_cast<size_t>(end); ++e) {
            failed[e] = ScanExample(
                columns_, index_, {"<unknown>", static_cast<int64_t>(e)},
                messages[e].view(), cells->data() + e * columns_.size());
          }
        }));
    for (Status& status : failed) {
      if (!status.ok()) return std::move(status);
    }
    return OkStatus();
  }

  // Returns a dense tensor, or a sparse one as three variants.
  Tensor Component(const FeatureColumn& column,
                   std::vector<EdgeValue>& outputs) const {
    const auto taken = [&](int first) -> Tensor& {
      return outputs[static_cast<size_t>(first + column.number)].tensor;
    };
    const ColumnOutputs& o = format().outputs;
    if (column.form == FeatureForm::kDense) {
      return std::move(taken(o.dense_values));
    }
    const VariantElement parts[] = {
        MakeRef<VariantTensor>(std::move(taken(o.sparse_indices))),
        MakeRef<VariantTensor>(std::move(taken(o.sparse_values))),
        MakeRef<VariantTensor>(std::move(taken(o.sparse_shapes)))};
    return Tensor::Vector<VariantElement>(absl::MakeConstSpan(parts));
  }

  std::vector<FeatureColumn> columns_;  // sparse ones, then dense ones
  FeatureIndex index_;
};

// Returns the features that the node asks for.
StatusOr<FeatureSpecs> SpecsOf(const AttrMap& attrs, size_t sparse_keys) {
  AttrMap asked = attrs;
  asked.Set("num_sparse", static_cast<int64_t>(sparse_keys));
  for (const char* name : {"ragged_value_types", "ragged_split_types"}) {
    if (attrs.Find(name) == nullptr) asked.Set(name, AttrValue::TypeList());
  }
  MR_ASSIGN_OR_RETURN(FeatureSpecs specs,
                      ReadFeatureSpecs(ExampleOp::kV2, asked));
  if (!specs.ragged.empty()) {
    return Unimplemented("data sets of ragged features");
  }
  return specs;
}

// Sets the component of each column, in the order of the keys, and the types of
// the outputs. Returns the types of the components.
StatusOr<std::vector<DataType>> Arrange(ExampleFormat* format) {
  const FeatureSpecs& specs = format->specs;
  std::map<std::string, size_t> columns;
  for (size_t i = 0; i < format->keys.size(); ++i) {
    if (!columns.emplace(format->keys[i], i).second) {
      return InvalidArgument("Duplicate key not allowed: ", format->keys[i]);
    }
  }
  std::vector<DataType> types;
  format->places.resize(format->keys.size());
  for (const auto& [key, column] : columns) {
    format->places[column] = types.size();
    types.push_back(column < specs.sparse.size()
                        ? DataType::kVariant
                        : specs.dense[column - specs.sparse.size()].type);
  }
  const auto sparse = static_cast<int>(specs.sparse.size());
  format->outputs = {.sparse_indices = 0,
                     .sparse_values = sparse,
                     .sparse_shapes = 2 * sparse,
                     .dense_values = 3 * sparse};
  DataTypeVector& outputs = format->node.output_types;
  outputs.assign(specs.sparse.size(), DataType::kInt64);
  outputs.insert(outputs.end(), specs.sparse.begin(), specs.sparse.end());
  outputs.insert(outputs.end(), specs.sparse.size(), DataType::kInt64);
  for (const DenseSpec& spec : specs.dense) outputs.push_back(spec.type);
  return types;
}

StatusOr<Ref<DatasetValue>> BuildParseExample(KernelContext& ctx) {
  const AttrMap& attrs = ctx.node().attrs;
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  if (input->signature().types != std::vector<DataType>{DataType::kString}) {
    return InvalidArgument("a data set to parse must have strings as elements");
  }
  MR_RETURN_IF_ERROR(IsDeterministic(attrs).status());
  MR_ASSIGN_OR_RETURN(const int64_t calls,
                      ScalarInput<int64_t>(ctx, 1, "num_parallel_calls"));
  if (calls <= 0 && calls != -1) {
    return InvalidArgument("num_parallel_calls must be greater than zero.");
  }
  auto format = std::make_shared<ExampleFormat>();
  MR_ASSIGN_OR_RETURN(format->keys,
                      GetAttr<AttrValue::StringList>(attrs, "sparse_keys"));
  MR_ASSIGN_OR_RETURN(const AttrValue::StringList dense_keys,
                      GetAttr<AttrValue::StringList>(attrs, "dense_keys"));
  MR_ASSIGN_OR_RETURN(format->specs, SpecsOf(attrs, format->keys.size()));
  const size_t defaults = static_cast<size_t>(ctx.num_inputs() - 2);
  if (defaults != dense_keys.size()) {
    return InvalidArgument(
        "Expected len(dense_defaults) == len(dense_keys) but got: ", defaults,
        " vs. ", dense_keys.size());
  }
  for (size_t i = 0; i < defaults; ++i) {
    format->defaults.push_back(ctx.input(static_cast<int>(i) + 2));
    MR_RETURN_IF_ERROR(
        CheckFallback(format->specs.dense[i], i, format->defaults[i]));
  }
  format->keys.insert(format->keys.end(), dense_keys.begin(), dense_keys.end());
  MR_ASSIGN_OR_RETURN(const std::vector<DataType> types, Arrange(format.get()));
  MR_ASSIGN_OR_RETURN(const ElementSignature own, SignatureOf(ctx));
  MR_RETURN_IF_ERROR(CheckTypes(own.types, types));
  format->op.name = ctx.node().op->name;
  format->node.name = ctx.node().name;
  format->node.op = &format->op;
  return MakeDataset<ParseExampleIterator>(ctx, {input}, {std::move(format)});
}

}  // namespace

MR_KERNELS(ParseExampleDataset, Cpu){MR_DATASET_KERNEL(BuildParseExample)};
MR_KERNELS(ParseExampleDatasetV2, Cpu){MR_DATASET_KERNEL(BuildParseExample)};
MR_KERNELS(ExperimentalParseExampleDataset,
           Cpu){MR_DATASET_KERNEL(BuildParseExample)};

}  // namespace millrace::ops
