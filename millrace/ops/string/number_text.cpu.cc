#include <algorithm>
#include <charconv>
#include <complex>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/number_text.h"
#include "millrace/ops/string/counted_text.h"
#include "millrace/ops/string/decimal_text.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Wider numbers are refused: each would be as long as its width.
constexpr int64_t kMaxWidth = 1 << 16;
// Numbers of more digits behind the point are written by one thread.
constexpr int kMaxShared = 20;
constexpr int64_t kTextNanos = 40;

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

// How a kernel writes numbers.
struct NumberStyle {
  std::string format;      // for printf; for complex numbers of both parts
  char conversion = 0;     // f, e or g; 0: not a real number
  int precision = 6;       // digits of a real number
  bool has_width = false;  // only printf pads
};

// Writes `v` as printf does; null if only printf itself can.
char* WriteReal(const NumberStyle& style, double v, char* out) {
  if (style.conversion == 'f') return WriteFixed(v, style.precision, out);
  return WriteByExponent(v,
                         style.conversion == 'e' ? std::chars_format::scientific
                                                 : std::chars_format::general,
                         style.precision, out);
}

char* WriteComplex(const NumberStyle& style, double real, double imag,
                   char* out) {
  *out++ = '(';
  out = WriteReal(style, real, out);
  if (out == nullptr) return nullptr;
  *out++ = ',';
  out = WriteReal(style, imag, out);
  if (out == nullptr) return nullptr;
  *out++ = ')';
  return out;
}

// The memory of one text.
struct TextMemory {
  char small[2 * kMaxDecimalText + 3];
  std::string large;
};

// Returns the text of an element, which is in `memory`, in `v` or constant.
template <class T>
absl::string_view TextOf(const NumberStyle& style, const T& v,
                         TextMemory* memory) {
  const auto small = [&](const char* end) {
    return absl::string_view(memory->small,
                             static_cast<size_t>(end - memory->small));
  };
  const auto print = [&](auto... values) {
    memory->large = Print(style.format, values...);
    return absl::string_view(memory->large);
  };
  if constexpr (std::is_same_v<T, bool>) {
    return v ? "true" : "false";
  } else if constexpr (std::is_same_v<T, StringElement>) {
    return style.format.empty() ? v.view() : print(v.str().c_str());
  } else if constexpr (std::is_same_v<T, VariantElement>) {
    memory->large = v ? absl::StrCat("Variant<type: ", v->type_name(), ">")
                      : "Variant<type: Invalid value: Uninitialized>";
    return memory->large;
  } else if constexpr (std::is_same_v<T, Complex64> ||
                       std::is_same_v<T, Complex128>) {
    const auto real = static_cast<double>(v.real());
    const auto imag = static_cast<double>(v.imag());
    const char* const end =
        style.has_width ? nullptr
                        : WriteComplex(style, real, imag, memory->small);
    return end != nullptr ? small(end) : print(real, imag);
  } else if constexpr (std::is_integral_v<T>) {
    if (!style.has_width) {
      return small(
          std::to_chars(memory->small, std::end(memory->small), v).ptr);
    }
    using Long = std::conditional_t<std::is_signed_v<T>, long long,  // NOLINT
                                    unsigned long long>;             // NOLINT
    return print(static_cast<Long>(v));
  } else {
    double real;
    if constexpr (std::is_floating_point_v<T>) {
      real = static_cast<double>(v);
    } else {
      real = static_cast<double>(static_cast<float>(v));
    }
    const char* const end =
        style.has_width ? nullptr : WriteReal(style, real, memory->small);
    return end != nullptr ? small(end) : print(real);
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
    k.style_.format =
        IsComplex(type) ? absl::StrCat("(", format, ",", format, ")") : format;
    k.style_.conversion = real ? format.back() : '\0';
    if (precision > -1) k.style_.precision = static_cast<int>(precision);
    k.style_.has_width = width > -1;
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& input = ctx.input(0);
    if (input.dtype() == DataType::kString && style_.format.empty()) {
      ctx.set_output(0, ctx.TakeInput(0));
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, input.shape()));
    auto text = out->mutable_flat<StringElement>();
    return Dispatch(TextTypes{}, input.dtype(), [&]<class T>() -> Status {
      const auto values = input.flat<T>();
      const auto write = [&](int64_t begin, int64_t end) {
        TextMemory memory;
        for (int64_t i = begin; i < end; ++i) {
          text[i].Assign(TextOf(style_, values[i], &memory));
        }
      };
      const auto count = static_cast<int64_t>(values.size());
      // Long texts are bounded by the memory budget, which only the thread of
      // the kernel is held to.
      if (!style_.has_width && style_.precision <= kMaxShared) {
        return ctx.ParallelFor(count, kTextNanos, write);
      }
      for (int64_t i = 0; i < count; i += 1024) {
        MR_RETURN_IF_ERROR(ctx.CheckCancelled());
        write(i, std::min(count, i + 1024));
      }
      return OkStatus();
    });
  }

 private:
  NumberStyle style_;
};

Status RunToNumber(KernelContext& ctx) {
  const auto strings = ctx.input(0).flat<StringElement>();
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, ctx.input(0).shape()));
  return Dispatch<float, double, int32_t, int64_t, uint32_t, uint64_t>(
      out->dtype(), [&]<class T>() -> Status {
        auto numbers = out->mutable_flat<T>();
        for (size_t i = 0; i < strings.size(); ++i) {
          if (i % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
          if (!ParseNumber(strings[i].view(), &numbers[i])) {
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
    const auto append = [&text](absl::string_view piece) {
      return text.Append(piece);
    };
    MR_RETURN_IF_ERROR(text.Append(parts_[0]));
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      MR_RETURN_IF_ERROR(
          ctx.input(i).Summarize(summarize_, /*print_v2=*/true, append));
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
