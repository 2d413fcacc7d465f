#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "millrace/base/log.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/blocking.h"

namespace millrace::ops {
namespace {

enum class TextStream { kStdout, kStderr, kInfo, kWarning, kError, kFile };

constexpr std::pair<const char*, TextStream> kTextStreams[] = {
    {"stdout", TextStream::kStdout},    {"stderr", TextStream::kStderr},
    {"log(info)", TextStream::kInfo},   {"log(warning)", TextStream::kWarning},
    {"log(error)", TextStream::kError},
};

// Writes on the blocking pool: whoever should read the server's output may not
// do so.
class PrintTextKernel {
 public:
  static StatusOr<PrintTextKernel> Make(const KernelInit& init) {
    PrintTextKernel k;
    MR_ASSIGN_OR_RETURN(k.end_, init.Attr<std::string>("end"));
    MR_ASSIGN_OR_RETURN(const std::string stream,
                        init.Attr<std::string>("output_stream"));
    if (absl::StartsWith(stream, "file://")) {
      k.stream_ = TextStream::kFile;
      k.path_ = std::string(absl::StripPrefix(stream, "file://"));
      return k;
    }
    for (const auto& [name, value] : kTextStreams) {
      if (stream != name) continue;
      k.stream_ = value;
      return k;
    }
    std::string names;
    for (const auto& [name, value] : kTextStreams) {
      absl::StrAppend(&names, " ", name);
    }
    return InvalidArgument("Unknown output stream: ", stream,
                           ", Valid streams are:", names);
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done),
                [this, &ctx]() -> Status { return Write(ctx); });
  }

 private:
  Status Write(KernelContext& ctx) const {
    const Tensor& input = ctx.input(0);
    if (input.rank() != 0) {
      return InvalidArgument("Input is expected to be scalar, but got ",
                             input.shape().DebugString());
    }
    const absl::string_view words = input.scalar<StringElement>().view();
    std::string text;
    text.reserve(words.size() + end_.size());
    absl::StrAppend(&text, words, end_);
    switch (stream_) {
      case TextStream::kStdout:
        return WriteTo(stdout, text);
      case TextStream::kStderr:
        return WriteTo(stderr, text);
      case TextStream::kInfo:
        MR_LOG(Info) << text;
        return OkStatus();
      case TextStream::kWarning:
        MR_LOG(Warning) << text;
        return OkStatus();
      case TextStream::kError:
        MR_LOG(Error) << text;
        return OkStatus();
      case TextStream::kFile:
        break;
    }
    MR_ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> file,
                        ctx.step().files->NewAppendableFile(path_));
    MR_RETURN_IF_ERROR(file->Append(text));
    return file->Close();
  }

  // As in stock, nobody hears of a stream that takes no more.
  static Status WriteTo(std::FILE* stream, const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fflush(stream);
    return OkStatus();
  }

  TextStream stream_ = TextStream::kStderr;
  std::string path_, end_;
};

}  // namespace

MR_KERNELS(PrintV2,
           Cpu){{.make = MakeKernel<PrintTextKernel>, .host = "input"}};

}  // namespace millrace::ops
