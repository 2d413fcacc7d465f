#include "tests/fuzz/ops/odd_values.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "millrace/kernel/variable.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::fuzz {
namespace {

constexpr int64_t kMostElements = 4096;

constexpr int64_t kOddInts[] = {
    -1,
    -2,
    -100,
    255,
    256,
    46341,
    65536,
    1 << 20,
    1 << 30,
    std::numeric_limits<int32_t>::max(),
    std::numeric_limits<int32_t>::min(),
    int64_t{1} << 31,
    int64_t{1} << 32,
    int64_t{1} << 40,
    int64_t{1} << 62,
    std::numeric_limits<int64_t>::max(),
    std::numeric_limits<int64_t>::max() - 1,
    std::numeric_limits<int64_t>::min(),
};

constexpr int64_t kHugeSizes[] = {
    46341,
    65536,
    std::numeric_limits<int32_t>::max(),
    int64_t{1} << 31,
    int64_t{1} << 32,
    3037000500,
    int64_t{1} << 40,
    int64_t{1} << 62,
    std::numeric_limits<int64_t>::max(),
};

constexpr absl::string_view kOddTexts[] = {
    "",
    " ",
    absl::string_view("\0", 1),
    "\xff\xfe\xfd",
    "\xc3",
    "\xed\xa0\x80",
    "\xf4\x90\x80\x80",
    "a",
    "-1",
    "0",
    "9223372036854775808",
    "-99999999999999999999",
    "1e400",
    "nan",
    "inf",
    "0x1p3",
    "(((((",
    "[a-",
    "(a*)*b",
    "x{1000}{1000}",
    "{\"a\":[",
    "/",
    "/tmp/x",
    "../..",
    "*",
    "%s%n",
    ",,,\"",
    "\n",
    "localhost",
    "float",
    "_private",
    "->",
    "ij,jk->ik",
    "...",
};

// A value that no kernel knows.
class OddVariant final : public VariantValue {
 public:
  absl::string_view type_name() const override { return "odd"; }
};

}  // namespace

OddValues::OddValues(const Material& material, const FuzzedOp& op,
                     uint64_t seed)
    : material_(material), op_(op), rng_(seed) {
  base_ = AnyShape();
}

int64_t OddValues::Int() {
  if (OneIn(3)) return OneOf(kOddInts);
  return static_cast<int64_t>(Below(OneIn(6) ? 40 : 5)) - (OneIn(8) ? 1 : 0);
}

TensorShape OddValues::AnyShape() {
  const uint64_t rank = OneIn(4) ? Below(9) : Below(5);
  DimVector dims;
  int64_t elements = 1;
  for (uint64_t i = 0; i < rank; ++i) {
    int64_t size = 1 + static_cast<int64_t>(Below(4));
    if (OneIn(10)) size = 0;
    if (OneIn(20)) size = 17 + static_cast<int64_t>(Below(50));
    if (elements * size > kMostElements) size = 1;
    elements *= size;
    dims.push_back(size);
  }
  return TensorShape(dims);
}

TensorShape OddValues::HugeShape() {
  DimVector dims(1 + Below(4));
  for (int64_t& size : dims) size = OneIn(3) ? 3 : OneOf(kHugeSizes);
  dims[Below(dims.size())] = 0;
  const StatusOr<TensorShape> shape = TensorShape::Make(dims);
  return shape.ok() ? *shape : TensorShape({0, int64_t{1} << 40});
}

TensorShape OddValues::Shape() {
  if (OneIn(30)) return HugeShape();
  switch (Below(8)) {
    case 0:
    case 1:
      return AnyShape();
    case 2:
      return TensorShape();
    case 3: {
      if (base_.rank() == 0) return TensorShape({1});
      DimVector dims = base_.dims();
      int64_t& size = dims[Below(dims.size())];
      size = OneIn(2) ? 1 : size / 2;
      return TensorShape(dims);
    }
    case 4:
      return TensorShape({static_cast<int64_t>(Below(6))});
    default:
      return base_;
  }
}

std::string OddValues::Text() {
  const uint64_t kind = Below(10);
  if (kind < 4 && !op_.texts.empty())
    return OneIn(3) ? OneOf(op_.texts) : Damaged(OneOf(op_.texts));
  if (kind == 4 && !material_.texts.empty())
    return Damaged(OneOf(material_.texts));
  if (kind == 5) {
    std::string bytes(Below(40), ' ');
    for (char& c : bytes) c = static_cast<char>(rng_());
    return bytes;
  }
  if (kind == 6 && OneIn(4)) return std::string(70'000, OneIn(2) ? 'x' : '(');
  return std::string(OneOf(kOddTexts));
}

std::string OddValues::Damaged(std::string text) {
  for (uint64_t i = 0, n = 1 + Below(3); i < n; ++i) {
    if (text.empty()) return text;
    const size_t at = Below(text.size());
    const size_t size = 1 + Below(std::min<size_t>(8, text.size() - at));
    switch (Below(6)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << Below(8)));
        break;
      case 1:
        text.erase(at, size);
        break;
      case 2:
        text.insert(at, text.substr(at, size));
        break;
      case 3:
        text[at] = static_cast<char>(0xff);
        break;
      case 4:
        text.resize(at);
        break;
      case 5:  // the largest number of a serialized message
        text.insert(at, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f");
        break;
    }
  }
  return text;
}

Tensor OddValues::Handles(const TensorShape& shape) {
  Tensor t = Tensor::New(DataType::kResource, shape);
  for (ResourceElement& element : t.mutable_flat<ResourceElement>()) {
    if (OneIn(4)) continue;  // a null handle
    auto handle = MakeRef<ResourceHandle>();
    handle->device = OneIn(4) ? "/job:other/replica:0/task:7/device:CPU:0"
                              : "/job:localhost/replica:0/task:0/device:CPU:0";
    handle->container = OneIn(3) ? Text() : "localhost";
    handle->name = OneIn(2) ? "op/0" : Text();
    handle->hash_code = rng_();
    handle->type_name = OneIn(2) ? "N10tensorflow3VarE" : Text();
    if (OneIn(3)) handle->dtypes_and_shapes.push_back({DataType::kFloat, {}});
    if (OneIn(3)) handle->owned = MakeRef<Variable>(DataType::kFloat, "owned");
    element = std::move(handle);
  }
  return t;
}

Tensor OddValues::Variants(const TensorShape& shape) {
  Tensor t = Tensor::New(DataType::kVariant, shape);
  for (VariantElement& element : t.mutable_flat<VariantElement>()) {
    if (!OneIn(3)) element = MakeRef<OddVariant>();
  }
  return t;
}

void OddValues::ChangeElement(Tensor* t) {
  if (t->num_elements() == 0) return;
  const size_t at = Below(static_cast<uint64_t>(t->num_elements()));
  if (t->dtype() == DataType::kString) {
    t->mutable_flat<StringElement>()[at].Assign(Text());
    return;
  }
  // Of types that hold no whole numbers, an element of odd values.
  const Status set = Dispatch(IntegerTypes{}, t->dtype(), [&]<class T>() {
    t->mutable_flat<T>()[at] = static_cast<T>(Int());
    return OkStatus();
  });
  if (set.ok() || !IsPlain(t->dtype())) return;
  const Tensor odd = cases::Mixed(t->dtype(), TensorShape({30})).tensor;
  const size_t size = SizeOf(t->dtype());
  std::copy_n(odd.data() + 3 * Below(10) * size, size,
              t->mutable_data() + at * size);
}

Tensor OddValues::Numbers(DataType type, const TensorShape& shape) {
  switch (Below(6)) {
    case 0:
      return cases::Mixed(type, shape).tensor;
    case 1:
      return Tensor::Zeros(type, shape);
    case 2:
      return cases::Full(type, shape, static_cast<double>(Below(5)) - 1).tensor;
    case 3:
      return cases::Rand(type, shape).tensor;
    case 4: {
      Tensor t = cases::Rand(type, shape, 0, 4).tensor;
      for (uint64_t i = 0; i < 2; ++i) ChangeElement(&t);
      return t;
    }
    default:
      return cases::Rand(type, shape, 0, 4).tensor;
  }
}

Tensor OddValues::Of(DataType type, const TensorShape& shape) {
  if (type == DataType::kResource) return Handles(shape);
  if (type == DataType::kVariant) return Variants(shape);
  if (type != DataType::kString) return Numbers(type, shape);
  Tensor t = Tensor::New(type, shape);
  // Few different ones, so that many elements take little memory.
  const std::string texts[] = {Text(), Text(), Text()};
  for (StringElement& s : t.mutable_flat<StringElement>())
    s.Assign(OneOf(texts));
  return t;
}

Tensor OddValues::Changed(const Tensor& t) {
  if (!IsPlain(t.dtype()) && t.dtype() != DataType::kString)
    return OneIn(2) ? t : Of(t.dtype());
  switch (Below(5)) {
    case 0:
      return Of(t.dtype());
    case 1:
      return Of(t.dtype(), t.shape());
    case 2: {
      DimVector dims = t.shape().dims();
      const size_t at = Below(dims.size() + 1);
      if (at == dims.size() || OneIn(3)) {
        dims.insert(dims.begin() + static_cast<int64_t>(at),
                    1 + static_cast<int64_t>(Below(2)));
      } else if (OneIn(2)) {
        dims.erase(dims.begin() + static_cast<int64_t>(at));
      } else {
        dims[at] = static_cast<int64_t>(Below(5));
      }
      const StatusOr<TensorShape> shape = TensorShape::Make(dims);
      if (!shape.ok() || shape->num_elements() > kMostElements) return t;
      return Of(t.dtype(), *shape);
    }
    default: {
      Tensor copy = t.DeepCopy(HostAllocator()).value();
      ChangeElement(&copy);
      return copy;
    }
  }
}

}  // namespace millrace::fuzz
