#include <algorithm>
#include <cstring>
#include <string>

#include "millrace/checkpoint/records/byte_stream.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/counted_text.h"

namespace millrace::ops {
namespace {

// A string as a file, for the stream that decompresses it.
class TextFile final : public RandomAccessFile {
 public:
  explicit TextFile(absl::string_view text) : text_(text) {}
  StatusOr<size_t> Read(uint64_t offset, size_t n,
                        char* buffer) const override {
    if (offset >= text_.size()) return size_t{0};
    n = std::min(n, text_.size() - static_cast<size_t>(offset));
    std::memcpy(buffer, text_.data() + offset, n);
    return n;
  }
  StatusOr<uint64_t> Size() const override { return text_.size(); }

 private:
  const absl::string_view text_;
};

class DecodeCompressedKernel {
 public:
  static StatusOr<DecodeCompressedKernel> Make(const KernelInit& init) {
    DecodeCompressedKernel k;
    MR_ASSIGN_OR_RETURN(const std::string type,
                        init.Attr<std::string>("compression_type"));
    if (type != "" && type != "ZLIB" && type != "GZIP") {
      return InvalidArgument(
          "Only ZLIB, GZIP or NONE are supported compressions");
    }
    MR_ASSIGN_OR_RETURN(k.compression_, ParseFileCompression(type));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    if (compression_ == FileCompression::kNone) {
      ctx.set_output(0, ctx.TakeInput(0));
      return OkStatus();
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, ctx.input(0).shape()));
    const auto from = ctx.input(0).flat<StringElement>();
    // A few bytes may stand for thousands of times as many.
    CountedText text(ctx);
    for (size_t i = 0; i < from.size(); ++i) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      const TextFile file(from[i].view());
      const auto stream = NewByteStream(&file, compression_);
      text.Clear();
      while (true) {
        MR_ASSIGN_OR_RETURN(const absl::string_view piece, stream->Peek());
        if (piece.empty()) break;
        MR_RETURN_IF_ERROR(text.Append(piece));
        stream->Consume(piece.size());
      }
      out->mutable_flat<StringElement>()[i].Assign(text.view());
    }
    return OkStatus();
  }

 private:
  FileCompression compression_ = FileCompression::kNone;
};

}  // namespace

MR_KERNELS(DecodeCompressed, Cpu){{.make = MakeKernel<DecodeCompressedKernel>}};

}  // namespace millrace::ops
