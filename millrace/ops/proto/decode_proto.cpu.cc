#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/proto/message_source.h"
#include "millrace/ops/proto/wire_values.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

using DecodedTypes =
    Types<double, float, int64_t, uint64_t, int32_t, uint32_t, bool>;

// The fields that are asked for; of those of one number the first.
struct WantedFields {
  std::vector<ProtoField> fields;
  absl::flat_hash_map<uint32_t, size_t> by_number;
};

// Calls f(index of the field, content) for each value of the wanted fields of a
// message, in their order.
template <class F>
Status ForEachValue(const WantedFields& wanted, absl::string_view message,
                    F f) {
  while (!message.empty()) {
    const absl::string_view before = message;
    WireTag tag;
    if (!TakeTag(&message, &tag) || tag.kind == WireKind::kEndGroup) {
      return DataLoss("CountFields: Failed to consume entire buffer");
    }
    WireContent content;
    const auto found = wanted.by_number.find(tag.number);
    if (!TakeContent(tag, &message, &content)) {
      return found == wanted.by_number.end()
                 ? DataLoss("Failed skipping unrequested field")
                 : DataLoss("ReadValue: Failed skipping field when counting");
    }
    if (found == wanted.by_number.end()) continue;
    const size_t index = found->second;
    const ProtoField& field = wanted.fields[index];
    const WireKind kind = WireKindOf(field.type);
    // As in stock, the value of a group has its tags.
    if (tag.kind == WireKind::kStartGroup) {
      content.bytes = before.substr(0, before.size() - message.size());
    }
    if (tag.kind == kind) {
      MR_RETURN_IF_ERROR(f(index, content));
      continue;
    }
    const bool packed =
        field.repeated && !IsText(field.type) && tag.kind == WireKind::kBytes;
    if (!packed) continue;
    absl::string_view rest = content.bytes;
    while (!rest.empty()) {
      WireContent element;
      if (!TakeScalar(kind, &rest, &element)) {
        return DataLoss("Corrupt packed varint");
      }
      MR_RETURN_IF_ERROR(f(index, element));
    }
  }
  return OkStatus();
}

class DecodeProtoKernel {
 public:
  static StatusOr<std::unique_ptr<DecodeProtoKernel>> Make(
      const KernelInit& init) {
    std::unique_ptr<DecodeProtoKernel> k(new DecodeProtoKernel);
    MR_ASSIGN_OR_RETURN(k->source_, MessageSource::Make(init));
    MR_ASSIGN_OR_RETURN(k->names_,
                        init.Attr<std::vector<std::string>>("field_names"));
    MR_ASSIGN_OR_RETURN(k->format_, init.Attr<std::string>("message_format"));
    MR_ASSIGN_OR_RETURN(k->sanitize_, init.Attr<bool>("sanitize"));
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    source_->Use(ctx, std::move(done),
                 [this, &ctx](const ProtoMessageType& type) {
                   return Decode(ctx, type);
                 });
  }

 private:
  StatusOr<WantedFields> Wanted(const KernelContext& ctx,
                                const ProtoMessageType& type) const {
    if (names_.size() != static_cast<size_t>(ctx.num_outputs() - 1)) {
      return InvalidArgument(
          "field_names and output_types attributes must have the same length");
    }
    WantedFields wanted;
    for (size_t i = 0; i < names_.size(); ++i) {
      MR_ASSIGN_OR_RETURN(ProtoField field, type.Field(names_[i]));
      const DataType out = ctx.output_type(static_cast<int>(i) + 1);
      if (!Holds(out, field.type)) {
        return InvalidArgument("Unexpected output type for ", field.full_name,
                               ": ", field.value_type_name, " to ", "DT_",
                               absl::AsciiStrToUpper(DataTypeName(out)));
      }
      wanted.by_number.emplace(field.number, i);
      wanted.fields.push_back(std::move(field));
    }
    return wanted;
  }

  // Returns the message in binary form; a view of `text`, or of `*converted`.
  StatusOr<absl::string_view> Binary(const ProtoMessageType& type,
                                     absl::string_view text,
                                     std::string* converted) const {
    if (format_ == "text") {
      MR_ASSIGN_OR_RETURN(*converted, type.FromText(text));
    } else if (sanitize_) {
      MR_ASSIGN_OR_RETURN(*converted, type.Sanitized(text));
    } else {
      return text;
    }
    return absl::string_view(*converted);
  }

  Status Decode(KernelContext& ctx, const ProtoMessageType& type) const {
    MR_ASSIGN_OR_RETURN(const WantedFields wanted, Wanted(ctx, type));
    if (format_ != "binary" && format_ != "text") {
      return InvalidArgument("format must be one of binary or text");
    }
    const auto messages = ctx.input(0).flat<StringElement>();
    if (messages.empty()) {
      return InvalidArgument("Bufs argument must contain at least one value");
    }
    const size_t count = wanted.fields.size();
    MR_ASSIGN_OR_RETURN(
        TensorShape shape,
        WithLast(ctx.input(0).shape(), static_cast<int64_t>(count)));
    MR_ASSIGN_OR_RETURN(Tensor* const sizes_out,
                        ctx.AllocateOutput(0, std::move(shape)));
    auto sizes = sizes_out->mutable_flat<int32_t>();
    std::fill(sizes.begin(), sizes.end(), 0);
    MR_RETURN_IF_ERROR(Count(ctx, type, wanted, sizes));

    std::vector<Tensor*> values(count);
    std::vector<int64_t> widths(count);
    for (size_t i = 0; i < count; ++i) {
      int64_t width = 1;
      for (size_t m = 0; m < messages.size(); ++m) {
        width = std::max<int64_t>(width, sizes[m * count + i]);
      }
      widths[i] = width;
      MR_ASSIGN_OR_RETURN(TensorShape value_shape,
                          WithLast(ctx.input(0).shape(), width));
      MR_ASSIGN_OR_RETURN(
          values[i],
          ctx.AllocateOutput(static_cast<int>(i) + 1, std::move(value_shape)));
      MR_RETURN_IF_ERROR(FillDefault(ctx, wanted.fields[i], values[i]));
    }
    std::vector<int64_t> next(count);
    std::string converted;
    for (size_t m = 0; m < messages.size(); ++m) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      for (size_t i = 0; i < count; ++i) {
        next[i] = static_cast<int64_t>(m) * widths[i];
      }
      MR_ASSIGN_OR_RETURN(const absl::string_view message,
                          Binary(type, messages[m].view(), &converted));
      MR_RETURN_IF_ERROR(ForEachValue(
          wanted, message, [&](size_t i, const WireContent& content) {
            // The last value of a field that has one counts.
            const int64_t at = wanted.fields[i].repeated ? next[i]++ : next[i];
            return SetValue(wanted.fields[i], content, at, values[i]);
          }));
    }
    return OkStatus();
  }

  Status Count(KernelContext& ctx, const ProtoMessageType& type,
               const WantedFields& wanted, absl::Span<int32_t> sizes) const {
    const auto messages = ctx.input(0).flat<StringElement>();
    const size_t count = wanted.fields.size();
    std::string converted;
    for (size_t m = 0; m < messages.size(); ++m) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      MR_ASSIGN_OR_RETURN(const absl::string_view message,
                          Binary(type, messages[m].view(), &converted));
      MR_RETURN_IF_ERROR(ForEachValue(
          wanted, message, [&](size_t i, const WireContent&) -> Status {
            int32_t& size = sizes[m * count + i];
            if (!wanted.fields[i].repeated) {
              size = 1;
            } else if (size == std::numeric_limits<int32_t>::max()) {
              return InvalidArgument("field ", wanted.fields[i].name,
                                     " has too many values");
            } else {
              ++size;
            }
            return OkStatus();
          }));
    }
    return OkStatus();
  }

  static StatusOr<TensorShape> WithLast(const TensorShape& shape,
                                        int64_t last) {
    DimVector dims = shape.dims();
    dims.push_back(last);
    return TensorShape::Make(dims);
  }

  static Status FillDefault(KernelContext& ctx, const ProtoField& field,
                            Tensor* out) {
    if (out->dtype() == DataType::kString) {
      size_t i = 0;
      for (StringElement& element : out->mutable_flat<StringElement>()) {
        if (i++ % 65536 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
        if (!field.repeated) element.Assign(field.default_text);
      }
      return OkStatus();
    }
    return Dispatch(DecodedTypes{}, out->dtype(), [&]<class T>() -> Status {
      const auto values = out->mutable_flat<T>();
      std::fill(values.begin(), values.end(),
                WireNumber<T>(field.type, field.default_bits));
      return OkStatus();
    });
  }

  static Status SetValue(const ProtoField& field, const WireContent& content,
                         int64_t at, Tensor* out) {
    const auto index = static_cast<size_t>(at);
    if (out->dtype() == DataType::kString) {
      out->mutable_flat<StringElement>()[index].Assign(content.bytes);
      return OkStatus();
    }
    return Dispatch(DecodedTypes{}, out->dtype(), [&]<class T>() -> Status {
      out->mutable_flat<T>()[index] = WireNumber<T>(field.type, content.bits);
      return OkStatus();
    });
  }

  DecodeProtoKernel() = default;

  std::unique_ptr<MessageSource> source_;
  std::vector<std::string> names_;
  std::string format_;
  bool sanitize_ = false;
};

}  // namespace

MR_KERNELS(DecodeProtoV2, Cpu){{.make = MakeKernel<DecodeProtoKernel>}};

}  // namespace millrace::ops
