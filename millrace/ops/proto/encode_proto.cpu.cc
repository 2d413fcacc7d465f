#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/proto/message_source.h"
#include "millrace/ops/proto/wire_values.h"
#include "millrace/ops/string/counted_text.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

using EncodedTypes =
    Types<double, float, int64_t, uint64_t, int32_t, uint32_t, bool>;

Status AppendVarint(uint64_t v, CountedText* out) {
  char bytes[kMaxVarint64Bytes];
  const char* const end = EncodeVarint64(bytes, v);
  return out->Append({bytes, static_cast<size_t>(end - bytes)});
}

Status AppendTag(const ProtoField& field, WireKind kind, CountedText* out) {
  return AppendVarint(uint64_t{field.number} << 3 | static_cast<uint64_t>(kind),
                      out);
}

Status AppendBits(WireKind kind, uint64_t bits, CountedText* out) {
  if (kind == WireKind::kVarint) return AppendVarint(bits, out);
  char bytes[sizeof(bits)];
  StoreFixed(bytes, bits);
  return out->Append(
      {bytes, kind == WireKind::kFixed32 ? size_t{4} : size_t{8}});
}

class EncodeProtoKernel {
 public:
  static StatusOr<std::unique_ptr<EncodeProtoKernel>> Make(
      const KernelInit& init) {
    std::unique_ptr<EncodeProtoKernel> k(new EncodeProtoKernel);
    MR_ASSIGN_OR_RETURN(k->source_, MessageSource::Make(init));
    MR_ASSIGN_OR_RETURN(k->names_,
                        init.Attr<std::vector<std::string>>("field_names"));
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    source_->Use(ctx, std::move(done),
                 [this, &ctx](const ProtoMessageType& type) {
                   return Encode(ctx, type);
                 });
  }

 private:
  Status Encode(KernelContext& ctx, const ProtoMessageType& type) const {
    std::vector<ProtoField> fields;
    for (const std::string& name : names_) {
      MR_ASSIGN_OR_RETURN(ProtoField field, type.Field(name));
      fields.push_back(std::move(field));
    }
    MR_ASSIGN_OR_RETURN(const TensorShape shape, CheckValues(ctx, fields));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    // As in stock, messages have their fields in the order of their numbers.
    std::vector<size_t> order(fields.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return fields[a].number < fields[b].number;
    });
    const auto sizes = ctx.input(0).flat<int32_t>();
    CountedText text(ctx), packed(ctx);
    int64_t message = 0;
    for (StringElement& encoded : out->mutable_flat<StringElement>()) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      text.Clear();
      for (const size_t i : order) {
        const Tensor& values = ctx.input(static_cast<int>(i) + 1);
        const int64_t width = values.dim(values.rank() - 1);
        const int64_t size =
            sizes[static_cast<size_t>(message) * fields.size() + i];
        if (size <= 0) continue;
        if (size > width) {
          return InvalidArgument(
              "Size to write must not be larger than value tensor; but saw: ",
              size, " > ", width, " at message ", message, " field ", i);
        }
        MR_RETURN_IF_ERROR(WriteField(fields[i], values, message * width, size,
                                      &text, &packed));
      }
      encoded.Assign(text.view());
      ++message;
    }
    return OkStatus();
  }

  // Returns the shape of the messages.
  static StatusOr<TensorShape> CheckValues(
      const KernelContext& ctx, const std::vector<ProtoField>& fields) {
    if (fields.size() != static_cast<size_t>(ctx.num_inputs() - 1)) {
      return InvalidArgument("Length of inputs list must match field_names");
    }
    DimVector batch;
    for (size_t i = 0; i < fields.size(); ++i) {
      const Tensor& values = ctx.input(static_cast<int>(i) + 1);
      if (!Holds(values.dtype(), fields[i].type)) {
        return InvalidArgument("Incompatible type for field ", fields[i].name,
                               ".  Saw dtype: ", DataTypeName(values.dtype()),
                               " but field type is: ", fields[i].type_name);
      }
      if (values.rank() < 2) {
        return InvalidArgument("Invalid shape for field ", fields[i].name,
                               ".  Saw shape ", values.shape().DebugString(),
                               " but it should be at least a matrix.");
      }
      DimVector rows = values.shape().dims();
      rows.pop_back();
      if (i > 0 && rows != batch) {
        return InvalidArgument("Values must match up to the last dimension");
      }
      batch = std::move(rows);
    }
    DimVector expected = batch;
    expected.push_back(static_cast<int64_t>(fields.size()));
    MR_ASSIGN_OR_RETURN(const TensorShape sizes, TensorShape::Make(expected));
    if (!(ctx.input(0).shape() == sizes)) {
      return InvalidArgument(
          "sizes should be batch_size + [len(field_names)].  Saw: ",
          ctx.input(0).shape().DebugString(),
          " but expected: ", sizes.DebugString());
    }
    return TensorShape::Make(batch);
  }

  // Appends `size` values of a field, which begin with element `from`.
  static Status WriteField(const ProtoField& field, const Tensor& values,
                           int64_t from, int64_t size, CountedText* text,
                           CountedText* packed) {
    const WireKind kind = WireKindOf(field.type);
    const auto begin = static_cast<size_t>(from);
    const auto count = static_cast<size_t>(size);
    if (IsText(field.type)) {
      for (const StringElement& value :
           values.flat<StringElement>().subspan(begin, count)) {
        MR_RETURN_IF_ERROR(AppendTag(field, kind, text));
        if (kind == WireKind::kBytes) {
          MR_RETURN_IF_ERROR(AppendVarint(value.size(), text));
        }
        MR_RETURN_IF_ERROR(text->Append(value.view()));
        if (kind == WireKind::kStartGroup) {
          MR_RETURN_IF_ERROR(AppendTag(field, WireKind::kEndGroup, text));
        }
      }
      return OkStatus();
    }
    if (field.packed) packed->Clear();
    CountedText* const to = field.packed ? packed : text;
    MR_RETURN_IF_ERROR(
        Dispatch(EncodedTypes{}, values.dtype(), [&]<class T>() -> Status {
          for (const T value : values.flat<T>().subspan(begin, count)) {
            if (!field.packed) {
              MR_RETURN_IF_ERROR(AppendTag(field, kind, to));
            }
            MR_RETURN_IF_ERROR(
                AppendBits(kind, WireBits(field.type, value), to));
          }
          return OkStatus();
        }));
    if (!field.packed) return OkStatus();
    MR_RETURN_IF_ERROR(AppendTag(field, WireKind::kBytes, text));
    MR_RETURN_IF_ERROR(AppendVarint(packed->view().size(), text));
    return text->Append(packed->view());
  }

  EncodeProtoKernel() = default;

  std::unique_ptr<MessageSource> source_;
  std::vector<std::string> names_;
};

}  // namespace

MR_KERNELS(EncodeProto, Cpu){{.make = MakeKernel<EncodeProtoKernel>}};

}  // namespace millrace::ops
