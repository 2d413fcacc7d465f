#include <cstdint>
#include <limits>
#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/unicode/error_rules.h"
#include "millrace/ops/unicode/text_decoder.h"

namespace millrace::ops {
namespace {

// Decodes twice: the first pass counts, so that memory is exact.
class DecodeTextKernel {
 public:
  static StatusOr<DecodeTextKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(ErrorRules rules, ErrorRules::Read(init));
    MR_ASSIGN_OR_RETURN(const std::string name,
                        init.Attr<std::string>("input_encoding"));
    MR_ASSIGN_OR_RETURN(Charset charset, Charset::Find(name));
    return DecodeTextKernel(rules, std::move(charset));
  }

  Status Run(KernelContext& ctx) const {
    return ctx.output_type(0) == DataType::kInt32 ? RunFor<int32_t>(ctx)
                                                  : RunFor<int64_t>(ctx);
  }

 private:
  DecodeTextKernel(const ErrorRules& rules, Charset charset)
      : rules_(rules), charset_(std::move(charset)) {}

  template <class T>
  Status RunFor(KernelContext& ctx) const {
    const auto texts = ctx.input(0).flat<StringElement>();
    MR_ASSIGN_OR_RETURN(TextDecoder decoder, TextDecoder::Make(charset_));
    MR_ASSIGN_OR_RETURN(
        Tensor* const splits_out,
        ctx.AllocateOutput(
            0, TensorShape({static_cast<int64_t>(texts.size()) + 1})));
    auto splits = splits_out->mutable_flat<T>();
    splits[0] = 0;
    int64_t total = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
      MR_RETURN_IF_ERROR(ForEach(ctx, &decoder, texts[i].view(),
                                 [&](const TextCharacter&) { ++total; }));
      if (total > std::numeric_limits<T>::max()) {
        return InvalidArgument("there are too many characters for row_splits");
      }
      splits[i + 1] = static_cast<T>(total);
    }
    MR_ASSIGN_OR_RETURN(Tensor* const codes_out,
                        ctx.AllocateOutput(1, TensorShape({total})));
    int32_t* code = codes_out->mutable_flat<int32_t>().data();
    int64_t* offset = nullptr;
    if (ctx.num_outputs() == 3) {
      MR_ASSIGN_OR_RETURN(Tensor* const offsets_out,
                          ctx.AllocateOutput(2, TensorShape({total})));
      offset = offsets_out->mutable_flat<int64_t>().data();
    }
    decoder.Restart();
    for (const StringElement& text : texts) {
      MR_RETURN_IF_ERROR(
          ForEach(ctx, &decoder, text.view(), [&](const TextCharacter& c) {
            *code++ = static_cast<int32_t>(c.code);
            if (offset) *offset++ = static_cast<int64_t>(c.offset);
          }));
    }
    return OkStatus();
  }

  // Calls `f` with each character that is left when the rules are applied.
  template <class F>
  Status ForEach(const KernelContext& ctx, TextDecoder* decoder,
                 absl::string_view text, F f) const {
    Status status = ctx.CheckCancelled();
    int64_t count = 0;
    if (!status.ok()) return status;
    decoder->Decode(text, [&](const TextCharacter& decoded) {
      if (rules_.Forbids(decoded)) {
        status = InvalidArgument("Invalid formatting on input string");
      } else if (++count % (1 << 20) == 0) {
        status = ctx.CheckCancelled();
      }
      TextCharacter c = decoded;
      if (status.ok() && rules_.Apply(&c)) f(c);
      return status.ok();
    });
    return status;
  }

  ErrorRules rules_;
  Charset charset_;
};

}  // namespace

MR_KERNELS(UnicodeDecode, Cpu){
    {.types = "Tsplits: int32, int64", .make = MakeKernel<DecodeTextKernel>}};
MR_KERNELS(UnicodeDecodeWithOffsets, Cpu){
    {.types = "Tsplits: int32, int64", .make = MakeKernel<DecodeTextKernel>}};

}  // namespace millrace::ops
