#include <cstdint>
#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/counted_text.h"
#include "millrace/ops/unicode/error_rules.h"
#include "millrace/ops/unicode/text_encoder.h"

namespace millrace::ops {
namespace {

class EncodeTextKernel {
 public:
  static StatusOr<EncodeTextKernel> Make(const KernelInit& init) {
    EncodeTextKernel k;
    MR_ASSIGN_OR_RETURN(k.rules_, ErrorRules::Read(init));
    MR_ASSIGN_OR_RETURN(const std::string to,
                        init.Attr<std::string>("output_encoding"));
    k.to_ = EncodingOfName(to);
    return k;
  }

  Status Run(KernelContext& ctx) const {
    if (ctx.input(0).rank() != 1 || ctx.input(1).rank() != 1) {
      return InvalidArgument(
          "Both the input_tensor and input_splits should be of rank 1. ");
    }
    return ctx.input_type(1) == DataType::kInt32 ? RunFor<int32_t>(ctx)
                                                 : RunFor<int64_t>(ctx);
  }

 private:
  template <class T>
  static Status CheckTextSplits(absl::Span<const T> splits, size_t size) {
    if (splits.empty()) {
      return InvalidArgument(
          "Input_splits should contain elements, but given input_values has 0 "
          "elements");
    }
    if (splits.front() != 0) {
      return InvalidArgument("First value in input_splits must be zero.");
    }
    if (splits.back() != static_cast<int64_t>(size)) {
      return InvalidArgument(
          "Last value in input_splits must be equal to length of "
          "input_tensor.");
    }
    for (size_t i = 1; i < splits.size(); ++i) {
      if (splits[i] < splits[i - 1]) {
        return InvalidArgument(
            "Values in input_splits must be equal or in ascending order.");
      }
      if (splits[i] > static_cast<int64_t>(size)) {
        return InvalidArgument(
            "Values in input_splits must be less than or equal to "
            "input_tensor length.");
      }
    }
    return OkStatus();
  }

  template <class T>
  Status RunFor(KernelContext& ctx) const {
    const auto codes = ctx.input(0).flat<int32_t>();
    const auto splits = ctx.input(1).flat<T>();
    MR_RETURN_IF_ERROR(CheckTextSplits(splits, codes.size()));
    MR_ASSIGN_OR_RETURN(
        Tensor* const out,
        ctx.AllocateOutput(
            0, TensorShape({static_cast<int64_t>(splits.size()) - 1})));
    auto texts = out->mutable_flat<StringElement>();
    CountedText text(ctx);
    for (size_t i = 0; i < texts.size(); ++i) {
      if (i % 1024 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      text.Clear();
      MR_RETURN_IF_ERROR(
          Encode(codes.subspan(static_cast<size_t>(splits[i]),
                               static_cast<size_t>(splits[i + 1] - splits[i])),
                 &text));
      texts[i].Assign(text.view());
    }
    return OkStatus();
  }

  Status Encode(absl::Span<const int32_t> codes, CountedText* text) const {
    std::string bytes;  // of one character
    for (const int32_t code : codes) {
      TextCharacter c{.code = static_cast<char32_t>(code)};
      c.malformed = !IsScalarValue(c.code);
      if (rules_.Forbids(c)) {
        return InvalidArgument(
            "Code point is out of range for Unicode, or is a surrogate.");
      }
      if (!rules_.Apply(&c)) continue;
      bytes.clear();
      AppendEncoded(to_, c.code, &bytes);
      MR_RETURN_IF_ERROR(text->Append(bytes));
    }
    return OkStatus();
  }

  ErrorRules rules_;
  TextEncoding to_ = TextEncoding::kUtf8;
};

}  // namespace

MR_KERNELS(UnicodeEncode, Cpu){
    {.types = "Tsplits: int32, int64", .make = MakeKernel<EncodeTextKernel>}};

}  // namespace millrace::ops
