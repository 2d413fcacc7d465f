#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/parse/feature_columns.h"

namespace millrace::ops {
namespace {

constexpr size_t kShownSequenceBytes = 200;

using Map = absl::flat_hash_map<absl::string_view, absl::string_view>;

// One serialized SequenceExample.
struct Message {
  absl::string_view bytes, name;
  Map context, lists;

  Status Malformed() const {
    return InvalidArgument("Could not parse example input, value: '",
                           absl::CEscape(bytes.substr(0, kShownSequenceBytes)),
                           "'");
  }
  Status Parse() {
    const bool good =
        VisitFields(bytes, [this](uint32_t number, absl::string_view map) {
          if (number != 1 && number != 2) return true;
          Map& to = number == 1 ? context : lists;
          return VisitMap(map, [&](absl::string_view k, absl::string_view v) {
            to[k] = v;
          });
        });
    return good ? OkStatus() : Malformed();
  }
};

class ParseSingleSequenceKernel {
 public:
  static StatusOr<std::unique_ptr<ParseSingleSequenceKernel>> Make(
      const KernelInit& init) {
    auto k = std::make_unique<ParseSingleSequenceKernel>();
    MR_ASSIGN_OR_RETURN(
        k->specs_, ReadSequenceSpecs(SequenceOp::kSingle, init.node().attrs));
    const auto first = [&](const char* name, int* begin) -> Status {
      MR_ASSIGN_OR_RETURN(const ArgRange range, init.Input(name));
      *begin = range.begin;
      return OkStatus();
    };
    MR_RETURN_IF_ERROR(first("context_sparse_keys", &k->context_sparse_keys_));
    MR_RETURN_IF_ERROR(first("context_dense_keys", &k->context_dense_keys_));
    MR_RETURN_IF_ERROR(
        first("feature_list_sparse_keys", &k->list_sparse_keys_));
    MR_RETURN_IF_ERROR(first("feature_list_dense_keys", &k->list_dense_keys_));
    MR_RETURN_IF_ERROR(first("context_dense_defaults", &k->defaults_));
    MR_RETURN_IF_ERROR(first("debug_name", &k->debug_name_));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckInputs(ctx));
    Message message;
    message.bytes = ctx.input(0).scalar<StringElement>().view();
    const Tensor& name = ctx.input(debug_name_);
    message.name = name.num_elements() > 0
                       ? name.flat<StringElement>()[0].view()
                       : absl::string_view("<unknown>");
    MR_RETURN_IF_ERROR(message.Parse());
    // Outputs are numbered in the order of the schema.
    int next = 0;
    const auto sparse = static_cast<int>(specs_.context.sparse.size());
    const auto dense = static_cast<int>(specs_.context.dense.size());
    const auto list_sparse = static_cast<int>(specs_.lists.sparse.size());
    const int dense_at = 3 * sparse;
    const int list_sparse_at = dense_at + dense;
    const int list_dense_at = list_sparse_at + 3 * list_sparse;
    for (int i = 0; i < dense; ++i) {
      MR_RETURN_IF_ERROR(ContextDense(ctx, message, i, dense_at + i));
    }
    for (int i = 0; i < sparse; ++i, ++next) {
      MR_RETURN_IF_ERROR(ContextSparse(ctx, message, i, next, sparse));
    }
    for (int i = 0; i < static_cast<int>(specs_.lists.dense.size()); ++i) {
      MR_RETURN_IF_ERROR(ListDense(ctx, message, i, list_dense_at + i));
    }
    for (int i = 0; i < list_sparse; ++i) {
      MR_RETURN_IF_ERROR(
          ListSparse(ctx, message, i, list_sparse_at + i, list_sparse));
    }
    return OkStatus();
  }

 private:
  Status CheckInputs(KernelContext& ctx) const {
    const struct {
      int first;
      size_t count;
      const char* name;
    } keys[] = {
        {context_dense_keys_, specs_.context.dense.size(),
         "context_dense_keys"},
        {context_sparse_keys_, specs_.context.sparse.size(),
         "context_sparse_keys"},
        {list_dense_keys_, specs_.lists.dense.size(),
         "feature_list_dense_keys"},
        {list_sparse_keys_, specs_.lists.sparse.size(),
         "feature_list_sparse_keys"},
    };
    for (const auto& list : keys) {
      for (size_t i = 0; i < list.count; ++i) {
        const Tensor& key = ctx.input(list.first + static_cast<int>(i));
        if (key.rank() == 0) continue;
        return InvalidArgument(
            "Expected ", list.name, "[", i,
            "] to be a scalar, got shape: ", key.shape().DebugString());
      }
    }
    if (ctx.input(1).rank() != 1) {
      return InvalidArgument(
          "Expected feature_list_dense_missing_assumed_empty to be a vector, "
          "got shape: ",
          ctx.input(1).shape().DebugString());
    }
    const Tensor& name = ctx.input(debug_name_);
    if (name.num_elements() > 0 && name.rank() != 0) {
      return InvalidArgument("Expected debug_name to be a scalar, got shape: ",
                             name.shape().DebugString());
    }
    if (ctx.input(0).rank() != 0) {
      return InvalidArgument("Expected serialized to be a scalar, got shape: ",
                             ctx.input(0).shape().DebugString());
    }
    for (size_t d = 0; d < specs_.context.dense.size(); ++d) {
      const Tensor& value = ctx.input(defaults_ + static_cast<int>(d));
      const PartialShape& wanted = specs_.context.dense[d].shape;
      if (value.num_elements() > 0 &&
          !(PartialShape(value.shape()) == wanted)) {
        return InvalidArgument(
            "def_value[", d, "].shape() == ", value.shape().DebugString(),
            " != context_dense_shapes_[", d, "] == ", wanted.DebugString());
      }
    }
    return OkStatus();
  }

  static absl::string_view Key(KernelContext& ctx, int input) {
    return ctx.input(input).scalar<StringElement>().view();
  }

  // Returns the feature and its number of values. A feature without a value has
  // type kInvalid.
  static StatusOr<FeatureCell> Read(const Message& message,
                                    absl::string_view bytes) {
    FeatureCell cell;
    if (!ReadFeature(bytes, &cell.feature)) return cell;
    cell.count = CountValues(cell.feature);
    if (cell.count < 0) return message.Malformed();
    return cell;
  }

  static Status WrongType(const Message& message, absl::string_view what,
                          absl::string_view key, absl::string_view where,
                          DataType wanted) {
    return InvalidArgument(
        "Name: ", message.name, ", ", what, ": ", key, where,
        ".  Data types don't match. Expected type: ", DataTypeName(wanted));
  }

  static Status WrongCount(const Message& message, absl::string_view key,
                           int64_t index, const FeatureCell& cell,
                           const PartialShape& shape) {
    const bool bytes = cell.feature.type == DataType::kString;
    const char* const type = bytes                                   ? "bytes"
                             : cell.feature.type == DataType::kFloat ? "float"
                                                                     : "int64";
    return InvalidArgument(
        "Name: ", message.name, bytes ? ", Key " : ", Key: ", key,
        ", Index: ", index, ".  Number of ", type, " values != expected.  ",
        bytes ? "Values" : "values", " size: ", cell.count,
        " but output shape: ", shape.DebugString());
  }

  Status ContextDense(KernelContext& ctx, const Message& message, int i,
                      int output) const {
    const DenseSpec& spec = specs_.context.dense[static_cast<size_t>(i)];
    const absl::string_view key = Key(ctx, context_dense_keys_ + i);
    const Tensor& fallback = ctx.input(defaults_ + i);
    const auto found = message.context.find(key);
    if (found == message.context.end()) {
      if (fallback.num_elements() == 0) {
        return InvalidArgument("Name: ", message.name, ", Context feature '",
                               key, "' is required but could not be found.");
      }
      ctx.set_output(output, fallback);
      return OkStatus();
    }
    MR_ASSIGN_OR_RETURN(const FeatureCell cell, Read(message, found->second));
    if (cell.feature.type != spec.type) {
      return WrongType(message, "Context feature", key, "", spec.type);
    }
    if (cell.count != spec.stride) {
      return WrongCount(message, key, 0, cell, spec.shape);
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape, spec.shape.AsTensorShape());
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(output, std::move(shape)));
    CopyValues(cell.feature, out->mutable_data(), 0);
    return OkStatus();
  }

  Status ContextSparse(KernelContext& ctx, const Message& message, int i,
                       int output, int step) const {
    const DataType type = specs_.context.sparse[static_cast<size_t>(i)];
    const absl::string_view key = Key(ctx, context_sparse_keys_ + i);
    FeatureCell cell;
    const auto found = message.context.find(key);
    if (found != message.context.end()) {
      MR_ASSIGN_OR_RETURN(cell, Read(message, found->second));
      if (cell.feature.type != DataType::kInvalid &&
          cell.feature.type != type) {
        return WrongType(message, "Context feature", key, "", type);
      }
    }
    MR_ASSIGN_OR_RETURN(
        Tensor* const indices,
        ctx.AllocateOutput(output, TensorShape({cell.count, 1})));
    MR_ASSIGN_OR_RETURN(
        Tensor* const values,
        ctx.AllocateOutput(output + step, TensorShape({cell.count})));
    ctx.set_output(output + 2 * step, Tensor::Vector<int64_t>({cell.count}));
    auto place = indices->mutable_flat<int64_t>();
    std::iota(place.begin(), place.end(), int64_t{0});
    if (cell.count > 0) CopyValues(cell.feature, values->mutable_data(), 0);
    return OkStatus();
  }

  // Calls f(row, cell), which returns Status, for the features of a list.
  template <class F>
  static Status VisitRows(const Message& message, absl::string_view list, F f) {
    int64_t row = 0;
    Status first;
    const bool good =
        VisitFields(list, [&](uint32_t number, absl::string_view bytes) {
          if (number != 1 || !first.ok()) return true;
          const StatusOr<FeatureCell> cell = Read(message, bytes);
          first = cell.ok() ? f(row++, *cell) : cell.status();
          return true;
        });
    return good ? first : message.Malformed();
  }

  Status ListDense(KernelContext& ctx, const Message& message, int i,
                   int output) const {
    const DenseSpec& spec = specs_.lists.dense[static_cast<size_t>(i)];
    const absl::string_view key = Key(ctx, list_dense_keys_ + i);
    const auto found = message.lists.find(key);
    absl::string_view list;
    if (found != message.lists.end()) {
      list = found->second;
    } else {
      const auto may_miss = ctx.input(1).flat<StringElement>();
      const bool allowed =
          std::any_of(may_miss.begin(), may_miss.end(),
                      [&](const StringElement& k) { return k.view() == key; });
      if (!allowed) {
        return InvalidArgument(
            "Name: ", message.name, ", Feature list '", key,
            "' is required but could not be found.  Did you mean to include "
            "it in feature_list_dense_missing_assumed_empty or "
            "feature_list_dense_defaults?");
      }
    }
    int64_t rows = 0;
    MR_RETURN_IF_ERROR(VisitRows(
        message, list, [&](int64_t row, const FeatureCell& cell) -> Status {
          rows = row + 1;
          if (cell.feature.type != spec.type) {
            return WrongType(message, "Feature list", key,
                             absl::StrCat(", Index: ", row), spec.type);
          }
          if (cell.count != spec.stride) {
            return WrongCount(message, key, row, cell, spec.shape);
          }
          return OkStatus();
        }));
    DimVector dims = {rows};
    for (const int64_t d : spec.shape.dims()) dims.push_back(d);
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(output, std::move(shape)));
    char* const elements = out->mutable_data();
    return VisitRows(message, list,
                     [&](int64_t row, const FeatureCell& cell) -> Status {
                       if (cell.count > 0) {
                         CopyValues(cell.feature, elements, row * spec.stride);
                       }
                       return OkStatus();
                     });
  }

  Status ListSparse(KernelContext& ctx, const Message& message, int i,
                    int output, int step) const {
    const DataType type = specs_.lists.sparse[static_cast<size_t>(i)];
    const absl::string_view key = Key(ctx, list_sparse_keys_ + i);
    const auto found = message.lists.find(key);
    const absl::string_view list =
        found == message.lists.end() ? absl::string_view() : found->second;
    int64_t rows = 0, total = 0, most = 0;
    MR_RETURN_IF_ERROR(VisitRows(
        message, list, [&](int64_t row, const FeatureCell& cell) -> Status {
          if (cell.feature.type != DataType::kInvalid &&
              cell.feature.type != type) {
            return WrongType(message, "Feature List", key,
                             absl::StrCat(", Index: ", row), type);
          }
          rows = row + 1;
          total += cell.count;
          most = std::max(most, cell.count);
          return OkStatus();
        }));
    MR_ASSIGN_OR_RETURN(Tensor* const indices,
                        ctx.AllocateOutput(output, TensorShape({total, 2})));
    MR_ASSIGN_OR_RETURN(
        Tensor* const values,
        ctx.AllocateOutput(output + step, TensorShape({total})));
    ctx.set_output(output + 2 * step, Tensor::Vector<int64_t>({rows, most}));
    int64_t* place = indices->mutable_flat<int64_t>().data();
    char* const elements = values->mutable_data();
    int64_t at = 0;
    return VisitRows(message, list,
                     [&](int64_t row, const FeatureCell& cell) -> Status {
                       for (int64_t k = 0; k < cell.count; ++k) {
                         *place++ = row;
                         *place++ = k;
                       }
                       if (cell.count > 0) {
                         CopyValues(cell.feature, elements, at);
                       }
                       at += cell.count;
                       return OkStatus();
                     });
  }

  SequenceSpecs specs_;
  int context_sparse_keys_ = 0, context_dense_keys_ = 0;
  int list_sparse_keys_ = 0, list_dense_keys_ = 0;
  int defaults_ = 0, debug_name_ = 0;
};

}  // namespace

MR_KERNELS(ParseSingleSequenceExample,
           Cpu){{.make = MakeKernel<ParseSingleSequenceKernel>}};

}  // namespace millrace::ops
