#include <complex>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/counted_text.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Wider numbers are refused: each would be as long as its width.
constexpr int64_t kMaxWidth = 1 << 16;

// Formats one number by printf, with a format that the kernel made.
template <class... T>
std::string Print(const std::string& format, T... v) {
  char small[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  const int length = std::snprintf(small, sizeof(small), format.c_str(), v...);
  if (length < 0) return "";
  if (static_cast<size_t>(length) < sizeof(small)) {
    return std::string(small, static_cast<size_t>(length));
  }
  std::string text(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), v...);
#pragma GCC diagnostic pop
  text.pop_back();
  return text;
}

template <class T>
std::string TextOf(const std::string& format, const T& v) {
  if constexpr (std::is_same_v<T, bool>) {
    return v ? "true" : "false";
  } else if constexpr (std::is_same_v<T, StringElement>) {
    return format.empty() ? v.str() : Print(format, v.str().c_str());
  } else if constexpr (std::is_same_v<T, VariantElement>) {
    return v ? absl::StrCat("Variant<type: ", v->type_name(), ">")
             : "Variant<type: Invalid value: Uninitialized>";
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
    return Print(format, static_cast<double>(static_cast<float>(v)));
  } else if constexpr (std::is_same_v<T, Complex64> ||
                       std::is_same_v<T, Complex128>) {
    return Print(format, static_cast<double>(v.real()),
                 static_cast<double>(v.imag()));
  } else if constexpr (std::is_floating_point_v<T>) {
    return Print(format, static_cast<double>(v));
  } else if constexpr (std::is_signed_v<T>) {
    return Print(format, static_cast<long long>(v));  // NOLINT
  } else {
    return Print(format, static_cast<unsigned long long>(v));  // NOLINT
  }
}

using TextTypes =
    Join<Join<NumericTypes, Types<bool>>, Types<StringElement, VariantElement>>;

class AsStringKernel {
 public:
  static StatusOr<AsStringKernel> Make(const KernelInit& init) {
    const DataType type = init.input_type(0);
    MR_ASSIGN_OR_RETURN(const int64_t precision,
                        init.Attr<int32_t>("precision"));
    MR_ASSIGN_OR_RETURN(const bool scientific, init.Attr<bool>("scientific"));
    MR_ASSIGN_OR_RETURN(const bool shortest, init.Attr<bool>("shortest"));
    MR_ASSIGN_OR_RETURN(const int64_t width, init.Attr<int32_t>("width"));
    MR_ASSIGN_OR_RETURN(const std::string fill, init.Attr<std::string>("fill"));
    const bool real = IsFloating(type) || IsComplex(type);
    if (!real && (scientific || shortest)) {
      return InvalidArgument(
          "scientific and shortest format not supported for datatype ",
          DataTypeName(type));
    }
    if (!real && precision >= 0) {
      return InvalidArgument("precision not supported for datatype ",
                             DataTypeName(type));
    }
    if (fill.size() > 1) {
      return InvalidArgument("Fill string must be one or fewer characters");
    }
    if (scientific && shortest) {
      return InvalidArgument(
          "Cannot select both scientific and shortest notation");
    }
    if (!fill.empty() &&
        absl::string_view(" +-0").find(fill[0]) == absl::string_view::npos) {
      return InvalidArgument("Fill argument not supported: \"", fill, "\"");
    }
    if (width > kMaxWidth || precision > kMaxWidth) {
      return InvalidArgument("width and precision must be at most ", kMaxWidth,
                             ", got ", width, " and ", precision);
    }
    AsStringKernel k;
    std::string format = "%";
    if (width > -1) absl::StrAppend(&format, fill, width);
    if (precision > -1) absl::StrAppend(&format, ".", precision);
    if (type == DataType::kString) {
      // Without a width the bytes are copied.
      format = width > -1 ? format + "s" : "";
    } else if (real) {
      format += shortest ? "g" : scientific ? "e" : "f";
    } else {
      const bool is_signed =
          type == DataType::kInt8 || type == DataType::kInt16 ||
          type == DataType::kInt32 || type == DataType::kInt64;
      format += is_signed ? "lld" : "llu";
    }
    k.format_ =
        IsComplex(type) ? absl::StrCat("(", format, ",", format, ")") : format;
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& input = ctx.input(0);
    if (input.dtype() == DataType::kString && format_.empty()) {
      ctx.set_output(0, ctx.TakeInput(0));
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, input.shape()));
    auto text = out->mutable_flat<StringElement>();
    return Dispatch(TextTypes{}, input.dtype(), [&]<class T>() -> Status {
      const auto values = input.flat<T>();
      for (size_t i = 0; i < values.size(); ++i) {
        if (i % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
        text[i].Assign(TextOf(format_, values[i]));
      }
      return OkStatus();
    });
  }

 private:
  std::string format_;
};

bool Parse(absl::string_view text, float* v) {
  return absl::SimpleAtof(text, v);
}
bool Parse(absl::string_view text, double* v) {
  return absl::SimpleAtod(text, v);
}
template <class T>
bool Parse(absl::string_view text, T* v) {
  return absl::SimpleAtoi(text, v);
}

Status RunToNumber(KernelContext& ctx) {
  const auto strings = ctx.input(0).flat<StringElement>();
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, ctx.input(0).shape()));
  return Dispatch<float, double, int32_t, int64_t, uint32_t, uint64_t>(
      out->dtype(), [&]<class T>() -> Status {
        auto numbers = out->mutable_flat<T>();
        for (size_t i = 0; i < strings.size(); ++i) {
          if (!Parse(strings[i].view(), &numbers[i])) {
            return InvalidArgument(
                "StringToNumberOp could not correctly convert string: ",
                strings[i].view());
          }
        }
        return OkStatus();
      });
}

class StringFormatKernel {
 public:
  static StatusOr<StringFormatKernel> Make(const KernelInit& init) {
    StringFormatKernel k;
    MR_ASSIGN_OR_RETURN(const std::string text,
                        init.Attr<std::string>("template"));
    MR_ASSIGN_OR_RETURN(const std::string placeholder,
                        init.Attr<std::string>("placeholder"));
    MR_ASSIGN_OR_RETURN(k.summarize_, init.Attr<int32_t>("summarize"));
    k.parts_ = absl::StrSplit(text, placeholder);
    const auto places = static_cast<int64_t>(k.parts_.size()) - 1;
    if (places != init.num_inputs()) {
      return InvalidArgument(
          "num placeholders in template and num inputs must match: ", places,
          " vs. ", init.num_inputs());
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    CountedText text(ctx);
    MR_RETURN_IF_ERROR(text.Append(parts_[0]));
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      MR_RETURN_IF_ERROR(text.Append(
          ctx.input(i).SummarizeValue(summarize_, /*print_v2=*/true)));
      MR_RETURN_IF_ERROR(text.Append(parts_[static_cast<size_t>(i) + 1]));
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape()));
    out->mutable_flat<StringElement>()[0].Assign(text.view());
    return OkStatus();
  }

 private:
  std::vector<std::string> parts_;
  int64_t summarize_ = 3;
};

}  // namespace

MR_KERNELS(AsString,
           Cpu){{.make = MakeKernel<AsStringKernel>, .views = "input"}};
MR_KERNELS(StringToNumber, Cpu){
    {.types = "out_type: float, double, int32, int64, uint32, uint64",
     .make = MakeFunctionKernel<RunToNumber>}};
MR_KERNELS(StringFormat, Cpu){{.make = MakeKernel<StringFormatKernel>}};

}  // namespace millrace::ops
