#include <cstdint>
#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/counted_text.h"
#include "millrace/ops/unicode/error_rules.h"
#include "millrace/ops/unicode/text_decoder.h"
#include "millrace/ops/unicode/text_encoder.h"

namespace millrace::ops {
namespace {

class TranscodeKernel {
 public:
  static StatusOr<TranscodeKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(ErrorRules rules, ErrorRules::Read(init));
    MR_ASSIGN_OR_RETURN(const std::string from,
                        init.Attr<std::string>("input_encoding"));
    MR_ASSIGN_OR_RETURN(const std::string to,
                        init.Attr<std::string>("output_encoding"));
    MR_ASSIGN_OR_RETURN(Charset charset, Charset::Find(from));
    return TranscodeKernel(rules, std::move(charset), EncodingOfName(to));
  }

  Status Run(KernelContext& ctx) const {
    const auto texts = ctx.input(0).flat<StringElement>();
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, ctx.input(0).shape()));
    auto written = out->mutable_flat<StringElement>();
    MR_ASSIGN_OR_RETURN(TextDecoder decoder, TextDecoder::Make(charset_));
    CountedText text(ctx);
    for (size_t i = 0; i < texts.size(); ++i) {
      if (i % 1024 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      text.Clear();
      MR_RETURN_IF_ERROR(Transcode(texts[i].view(), &decoder, &text));
      written[i].Assign(text.view());
    }
    return OkStatus();
  }

 private:
  TranscodeKernel(const ErrorRules& rules, Charset charset, TextEncoding to)
      : rules_(rules), charset_(std::move(charset)), to_(to) {}

  Status Transcode(absl::string_view from, TextDecoder* decoder,
                   CountedText* text) const {
    Status status;
    std::string bytes;  // of one character
    decoder->Decode(from, [&](const TextCharacter& decoded) {
      if (rules_.Forbids(decoded)) {
        status = InvalidArgument("Invalid formatting on input string");
        return false;
      }
      TextCharacter c = decoded;
      if (!rules_.Apply(&c)) return true;
      bytes.clear();
      AppendEncoded(to_, c.code, &bytes);
      status = text->Append(bytes);
      return status.ok();
    });
    return status;
  }

  ErrorRules rules_;
  Charset charset_;
  TextEncoding to_;
};

}  // namespace

MR_KERNELS(UnicodeTranscode, Cpu){{.make = MakeKernel<TranscodeKernel>}};

}  // namespace millrace::ops
