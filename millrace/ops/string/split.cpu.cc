#include <algorithm>
#include <bitset>
#include <string>

#include "absl/strings/ascii.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

using Parts = CountedVector<absl::string_view>;

// Splits at each byte of `delimiters`; if that is empty, between all bytes.
void SplitAtBytes(absl::string_view text, absl::string_view delimiters,
                  bool skip_empty, Parts* parts) {
  if (text.empty()) return;  // no part at all, as in stock
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) {
      parts->push_back(text.substr(i, 1));
    }
    return;
  }
  std::bitset<256> cuts;
  for (const char d : delimiters) cuts.set(static_cast<unsigned char>(d));
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && !cuts[static_cast<unsigned char>(text[i])]) continue;
    if (i > begin || !skip_empty)
      parts->push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
}

void SplitAtSpaces(absl::string_view text, int64_t max_splits, Parts* parts) {
  const auto is_space = [](char c) {
    return absl::ascii_isspace(static_cast<unsigned char>(c));
  };
  text = absl::StripLeadingAsciiWhitespace(text);
  for (int64_t splits = 1; !text.empty(); ++splits) {
    const auto end = std::find_if(text.begin(), text.end(), is_space);
    const auto length = static_cast<size_t>(end - text.begin());
    parts->push_back(text.substr(0, length));
    text = absl::StripLeadingAsciiWhitespace(text.substr(length));
    if (splits == max_splits) {
      parts->push_back(text);
      return;
    }
  }
}

void SplitAtText(absl::string_view text, absl::string_view separator,
                 int64_t max_splits, Parts* parts) {
  int64_t splits = 0;
  for (size_t at; (at = text.find(separator)) != absl::string_view::npos;) {
    parts->push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
    if (++splits == max_splits) break;
  }
  parts->push_back(text);
}

Status CheckInputs(KernelContext& ctx, absl::string_view what) {
  if (ctx.input(0).rank() != 1) {
    return InvalidArgument("input must be a vector, got shape: ",
                           ctx.input(0).shape().DebugString());
  }
  if (ctx.input(1).rank() != 0) {
    return InvalidArgument(what, " must be a scalar, got shape: ",
                           ctx.input(1).shape().DebugString());
  }
  return OkStatus();
}

// Sets the outputs to a sparse matrix of the parts that `split`(text, parts)
// makes of each string.
template <class F>
Status SplitAll(KernelContext& ctx, F split) {
  Parts parts;
  CountedVector<size_t> ends;
  for (const StringElement& text : ctx.input(0).flat<StringElement>()) {
    if (ends.size() % 1024 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    split(text.view(), &parts);
    ends.push_back(parts.size());
  }
  const auto count = static_cast<int64_t>(parts.size());
  MR_ASSIGN_OR_RETURN(Tensor* const indices,
                      ctx.AllocateOutput(0, TensorShape({count, 2})));
  MR_ASSIGN_OR_RETURN(Tensor* const values,
                      ctx.AllocateOutput(1, TensorShape({count})));
  MR_ASSIGN_OR_RETURN(Tensor* const shape,
                      ctx.AllocateOutput(2, TensorShape({2})));
  auto place = indices->mutable_flat<int64_t>();
  auto value = values->mutable_flat<StringElement>();
  size_t at = 0, widest = 0;
  for (size_t row = 0; row < ends.size(); ++row) {
    const size_t begin = at;
    for (; at < ends[row]; ++at) {
      place[2 * at] = static_cast<int64_t>(row);
      place[2 * at + 1] = static_cast<int64_t>(at - begin);
      value[at].Assign(parts[at]);
    }
    widest = std::max(widest, at - begin);
  }
  shape->mutable_flat<int64_t>()[0] = ctx.input(0).num_elements();
  shape->mutable_flat<int64_t>()[1] = static_cast<int64_t>(widest);
  return OkStatus();
}

class StringSplitKernel {
 public:
  static StatusOr<StringSplitKernel> Make(const KernelInit& init) {
    StringSplitKernel k;
    MR_ASSIGN_OR_RETURN(k.skip_empty_, init.Attr<bool>("skip_empty"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckInputs(ctx, "delimiter"));
    const absl::string_view delimiters =
        ctx.input(1).scalar<StringElement>().view();
    return SplitAll(ctx, [&](absl::string_view text, Parts* parts) {
      SplitAtBytes(text, delimiters, skip_empty_, parts);
    });
  }

 private:
  bool skip_empty_ = true;
};

class StringSplitV2Kernel {
 public:
  static StatusOr<StringSplitV2Kernel> Make(const KernelInit& init) {
    StringSplitV2Kernel k;
    MR_ASSIGN_OR_RETURN(k.max_splits_, init.Attr<int32_t>("maxsplit"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckInputs(ctx, "sep"));
    const absl::string_view separator =
        ctx.input(1).scalar<StringElement>().view();
    return SplitAll(ctx, [&](absl::string_view text, Parts* parts) {
      if (max_splits_ == 0) {
        parts->push_back(text);
      } else if (separator.empty()) {
        SplitAtSpaces(text, max_splits_, parts);
      } else {
        SplitAtText(text, separator, max_splits_, parts);
      }
    });
  }

 private:
  int64_t max_splits_ = -1;
};

}  // namespace

MR_KERNELS(StringSplit, Cpu){{.make = MakeKernel<StringSplitKernel>}};
MR_KERNELS(StringSplitV2, Cpu){{.make = MakeKernel<StringSplitV2Kernel>}};

}  // namespace millrace::ops
