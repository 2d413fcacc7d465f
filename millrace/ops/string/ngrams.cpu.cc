#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "millrace/graph/attr/int32_attr.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/counted_text.h"

namespace millrace::ops {
namespace {

constexpr int64_t kMostPadded = std::numeric_limits<int32_t>::max();

class NGramsKernel {
 public:
  static StatusOr<NGramsKernel> Make(const KernelInit& init) {
    NGramsKernel k;
    MR_ASSIGN_OR_RETURN(k.separator_, init.Attr<std::string>("separator"));
    MR_ASSIGN_OR_RETURN(k.left_pad_, init.Attr<std::string>("left_pad"));
    MR_ASSIGN_OR_RETURN(k.right_pad_, init.Attr<std::string>("right_pad"));
    MR_ASSIGN_OR_RETURN(k.widths_,
                        init.Attr<std::vector<int64_t>>("ngram_widths"));
    MR_ASSIGN_OR_RETURN(k.pad_, init.Attr<int64_t>("pad_width"));
    MR_ASSIGN_OR_RETURN(k.keep_short_,
                        init.Attr<bool>("preserve_short_sequences"));
    for (const int64_t width : k.widths_) {
      MR_RETURN_IF_ERROR(CheckInt32Attr("ngram_widths", width));
    }
    for (const int64_t width : k.widths_) {
      if (width <= 0) {
        return InvalidArgument("ngram_widths must contain positive values");
      }
    }
    MR_RETURN_IF_ERROR(CheckInt32Attr("pad_width", k.pad_));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    return ctx.input(1).dtype() == DataType::kInt32 ? RunFor<int32_t>(ctx)
                                                    : RunFor<int64_t>(ctx);
  }

 private:
  // The n-grams of one part of the texts.
  struct Part {
    absl::Span<const StringElement> texts;
    StringElement* out;
  };

  template <class T>
  Status RunFor(KernelContext& ctx) const {
    const auto texts = ctx.input(0).flat<StringElement>();
    const auto splits = ctx.input(1).flat<T>();
    MR_RETURN_IF_ERROR(CheckSplits(splits, static_cast<int64_t>(texts.size())));
    MR_ASSIGN_OR_RETURN(Tensor* const out_splits,
                        ctx.AllocateOutput(1, ctx.input(1).shape()));
    auto ends = out_splits->mutable_flat<T>();
    if (texts.empty() || splits.empty()) {
      std::fill(ends.begin(), ends.end(), T{0});
      return ctx.AllocateOutput(0, ctx.input(0).shape()).status();
    }
    ends[0] = 0;
    int64_t total = 0;
    for (size_t i = 1; i < splits.size(); ++i) {
      MR_ASSIGN_OR_RETURN(const int64_t count,
                          Count(splits[i] - splits[i - 1]));
      if (count > std::numeric_limits<T>::max() - total) {
        return InvalidArgument("there are too many n-grams for ngrams_splits");
      }
      total += count;
      ends[i] = static_cast<T>(total);
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape({total})));
    StringElement* const ngrams = out->mutable_flat<StringElement>().data();
    CountedText text(ctx);
    for (size_t i = 1; i < splits.size(); ++i) {
      const Part part{
          texts.subspan(static_cast<size_t>(splits[i - 1]),
                        static_cast<size_t>(splits[i] - splits[i - 1])),
          ngrams + ends[i - 1]};
      MR_RETURN_IF_ERROR(Fill(ctx, part, &text));
    }
    return OkStatus();
  }

  template <class T>
  static Status CheckSplits(absl::Span<const T> splits, int64_t size) {
    if (splits.empty()) return OkStatus();
    if (splits[0] != 0) {
      return InvalidArgument("First split value must be 0, got ", splits[0]);
    }
    T previous = 0;
    for (const T split : splits.subspan(1)) {
      if (split < previous || split > size) {
        return InvalidArgument("Invalid split value ", split, ", must be in [",
                               previous, ", ", size, "]");
      }
      previous = split;
    }
    if (previous != size) {
      return InvalidArgument("Last split value must be data size. Expected ",
                             size, ", got ", previous);
    }
    return OkStatus();
  }

  // Returns the number of texts that are put before and behind a part.
  int64_t Pad(int64_t width) const {
    return pad_ < 0 ? width - 1 : std::min(pad_, width - 1);
  }
  int64_t CountOfWidth(int64_t length, int64_t width) const {
    return std::max<int64_t>(length + 2 * Pad(width) + 1 - width, 0);
  }
  // Returns the width of the only n-gram of a part that is too short for all
  // widths, with its padding. INVALID_ARGUMENT if that does not fit an int32.
  StatusOr<int64_t> ShortWidth(int64_t length) const {
    if (pad_ < 0) {
      return InvalidArgument(
          "Pad width should be >= 0 when preserve_short_sequences is True and "
          "ngram_widths are not provided, got ",
          pad_);
    }
    if (length > kMostPadded || pad_ > (kMostPadded - length) / 2) {
      return InvalidArgument(
          "Pad width could lead to integer overflow, got pad_width = ", pad_);
    }
    return length + 2 * pad_;
  }

  // Returns the number of n-grams of a part.
  StatusOr<int64_t> Count(int64_t length) const {
    int64_t count = 0;
    for (const int64_t width : widths_) {
      const int64_t more = CountOfWidth(length, width);
      if (more > std::numeric_limits<int64_t>::max() - count) {
        return InvalidArgument("there are too many n-grams");
      }
      count += more;
    }
    if (count > 0 || !keep_short_ || length == 0) return count;
    MR_RETURN_IF_ERROR(ShortWidth(length).status());
    return 1;
  }

  Status Fill(KernelContext& ctx, const Part& part, CountedText* text) const {
    const auto length = static_cast<int64_t>(part.texts.size());
    StringElement* out = part.out;
    for (const int64_t width : widths_) {
      const int64_t count = CountOfWidth(length, width);
      for (int64_t i = 0; i < count; ++i) {
        if (i % 256 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
        MR_RETURN_IF_ERROR(Join(ctx, part.texts, width, i, count, text));
        (out++)->Assign(text->view());
      }
    }
    if (out != part.out || !keep_short_ || length == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const int64_t width, ShortWidth(length));
    MR_RETURN_IF_ERROR(Join(ctx, part.texts, width, 0, 1, text));
    out->Assign(text->view());
    return OkStatus();
  }

  // Sets `text` to n-gram `i` of `count` of this width. That of a part that is
  // too short is the only one of its width, which both pads fill up.
  Status Join(const KernelContext& ctx, absl::Span<const StringElement> texts,
              int64_t width, int64_t i, int64_t count,
              CountedText* text) const {
    const int64_t pad = Pad(width);
    const int64_t left = std::max<int64_t>(pad - i, 0);
    const int64_t right = std::max<int64_t>(pad - (count - (i + 1)), 0);
    const int64_t start = left > 0 ? 0 : i - pad;
    text->Clear();
    for (int64_t n = 0; n < width; ++n) {
      if (n > 0) MR_RETURN_IF_ERROR(text->Append(separator_));
      // Empty pieces do not make the text longer, so it checks nothing.
      if (n % 65536 == 65535) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      MR_RETURN_IF_ERROR(text->Append(
          n < left ? absl::string_view(left_pad_)
          : n >= width - right
              ? absl::string_view(right_pad_)
              : texts[static_cast<size_t>(start + n - left)].view()));
    }
    return OkStatus();
  }

  std::string separator_, left_pad_, right_pad_;
  std::vector<int64_t> widths_;
  int64_t pad_ = -1;
  bool keep_short_ = false;
};

}  // namespace

MR_KERNELS(StringNGrams, Cpu){
    {.types = "Tsplits: int32, int64", .make = MakeKernel<NGramsKernel>}};

}  // namespace millrace::ops
