#include "millrace/ops/parse/json_example.h"

#include <bit>
#include <cmath>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "millrace/base/coding.h"
#include "millrace/base/json/json_reader.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

// Appends field `number` with these bytes.
void PutField(uint32_t number, absl::string_view bytes, std::string* out) {
  PutVarint32(out, number << 3 | 2);
  PutVarint64(out, bytes.size());
  out->append(bytes.data(), bytes.size());
}

class ExampleWriter {
 public:
  explicit ExampleWriter(absl::string_view json) : in_(json) {}

  Status Write(std::string* out) {
    MR_RETURN_IF_ERROR(Member("features", "", 1, out, [this](std::string* f) {
      return Member("feature", "", 0, f, [this](std::string* map) {
        return in_.Object([&](std::string key) { return Entry(key, map); });
      });
    }));
    return in_.ExpectEnd();
  }

 private:
  // Reads an object whose only member is called `name` (or `other`): `write`
  // reads its value, which becomes field `number` (0: it is appended as it is).
  template <class F>
  Status Member(absl::string_view name, absl::string_view other,
                uint32_t number, std::string* out, F write) {
    return in_.Object([&](std::string key) -> Status {
      if (key != name && (other.empty() || key != other)) {
        return Unfit(absl::StrCat("no such field: ", key));
      }
      if (in_.TakeWord("null")) return OkStatus();
      std::string value;
      MR_RETURN_IF_ERROR(write(&value));
      if (number == 0) {
        *out += value;
      } else {
        PutField(number, value, out);
      }
      return OkStatus();
    });
  }

  Status Entry(const std::string& key, std::string* map) {
    std::string entry, feature;
    PutField(1, key, &entry);
    MR_RETURN_IF_ERROR(Feature(&feature));
    PutField(2, feature, &entry);
    PutField(1, entry, map);
    return OkStatus();
  }

  Status Feature(std::string* out) {
    bool has_kind = false;
    return in_.Object([&](std::string kind) -> Status {
      const bool bytes = kind == "bytesList" || kind == "bytes_list";
      const bool floats = kind == "floatList" || kind == "float_list";
      const bool ints = kind == "int64List" || kind == "int64_list";
      if (!bytes && !floats && !ints) {
        return Unfit(absl::StrCat("no such field: ", kind));
      }
      if (in_.TakeWord("null")) return OkStatus();
      if (has_kind) return Unfit("a second kind of value");
      has_kind = true;
      std::string list;
      MR_RETURN_IF_ERROR(
          Member("value", "", 0, &list, [&](std::string* values) {
            return bytes    ? Bytes(values)
                   : floats ? Floats(values)
                            : Ints(values);
          }));
      PutField(bytes ? 1 : floats ? 2 : 3, list, out);
      return OkStatus();
    });
  }

  Status Bytes(std::string* list) {
    return in_.Array([&]() -> Status {
      MR_ASSIGN_OR_RETURN(const std::string text, in_.String());
      std::string bytes;
      if (!absl::Base64Unescape(text, &bytes) &&
          !absl::WebSafeBase64Unescape(text, &bytes)) {
        return Unfit("no base 64");
      }
      PutField(1, bytes, list);
      return OkStatus();
    });
  }
  Status Floats(std::string* list) {
    std::string packed;
    MR_RETURN_IF_ERROR(in_.Array([&]() -> Status {
      MR_ASSIGN_OR_RETURN(const float v, Float());
      PutFixed32(&packed, std::bit_cast<uint32_t>(v));
      return OkStatus();
    }));
    if (!packed.empty()) PutField(1, packed, list);
    return OkStatus();
  }
  Status Ints(std::string* list) {
    std::string packed;
    MR_RETURN_IF_ERROR(in_.Array([&]() -> Status {
      MR_ASSIGN_OR_RETURN(const int64_t v, Int());
      PutVarint64(&packed, static_cast<uint64_t>(v));
      return OkStatus();
    }));
    if (!packed.empty()) PutField(1, packed, list);
    return OkStatus();
  }

  // Returns the text of a number, which may be in quotes.
  StatusOr<std::string> Number() {
    if (in_.Peek() == '"') return in_.String();
    MR_ASSIGN_OR_RETURN(const absl::string_view text, in_.Number());
    return std::string(text);
  }
  StatusOr<float> Float() {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    MR_ASSIGN_OR_RETURN(const std::string text, Number());
    if (text == "NaN") return std::numeric_limits<float>::quiet_NaN();
    if (text == "Infinity") return kInfinity;
    if (text == "-Infinity") return -kInfinity;
    float v = 0;
    if (!absl::SimpleAtof(text, &v) || !std::isfinite(v)) {
      return Unfit(absl::StrCat("no float: ", text));
    }
    return v;
  }
  StatusOr<int64_t> Int() {
    constexpr double kLimit = 9223372036854775808.0;
    MR_ASSIGN_OR_RETURN(const std::string text, Number());
    int64_t v = 0;
    if (absl::SimpleAtoi(text, &v)) return v;
    double d = 0;
    if (!absl::SimpleAtod(text, &d) || !(d >= -kLimit && d < kLimit) ||
        d != std::floor(d)) {
      return Unfit(absl::StrCat("no int64: ", text));
    }
    return static_cast<int64_t>(d);
  }

  // Returns the error for JSON that is not an Example.
  Status Unfit(absl::string_view what) const {
    return InvalidArgument(what, " at ", in_.Place());
  }

  JsonReader in_;
};

Status RunDecode(KernelContext& ctx) {
  const auto json = ctx.input(0).flat<StringElement>();
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, ctx.input(0).shape()));
  std::string bytes;
  for (size_t i = 0; i < json.size(); ++i) {
    if (i % 256 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    bytes.clear();
    const Status status = EncodeJsonExample(json[i].view(), &bytes);
    if (!status.ok()) return Prefix("Error while parsing JSON: ", status);
    out->mutable_flat<StringElement>()[i].Assign(bytes);
  }
  return OkStatus();
}

}  // namespace

Status EncodeJsonExample(absl::string_view json, std::string* out) {
  return ExampleWriter(json).Write(out);
}

MR_KERNELS(DecodeJSONExample, Cpu){{.make = MakeFunctionKernel<RunDecode>}};

}  // namespace millrace::ops
