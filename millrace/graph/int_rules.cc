#include "millrace/graph/int_rules.h"

#include <algorithm>

namespace millrace::int_rules {
namespace {

constexpr int64_t kUnknown = IntValue::kUnknown;

// Sets the type and the rank of an output; returns false if this arithmetic
// does not support the type.
bool StartVector(const IntRuleInputs& in, int port, IntValue* out) {
  out->type = in.node.output_types[port];
  out->is_scalar = false;
  out->v.clear();
  return IntValue::IsIndexType(out->type);
}

bool StartScalar(const IntRuleInputs& in, int port, IntValue* out) {
  const bool covered = StartVector(in, port, out);
  out->is_scalar = true;
  return covered;
}

bool StartOutput(const IntRuleInputs& in, int port, bool scalar,
                 IntValue* out) {
  return scalar ? StartScalar(in, port, out) : StartVector(in, port, out);
}

// A value that does not fit the type counts as unknown: the kernel will wrap it
// around.
int64_t Fit(DataType type, int64_t v) {
  return type == DataType::kInt32 && v != static_cast<int32_t>(v) ? kUnknown
                                                                  : v;
}

int64_t IntAttr(const Node& node, absl::string_view name) {
  const AttrValue* value = node.attrs.Find(name);
  const int64_t* v = value == nullptr ? nullptr : value->get<int64_t>();
  return v == nullptr ? 0 : *v;
}

bool BoolAttr(const Node& node, absl::string_view name) {
  const AttrValue* value = node.attrs.Find(name);
  const bool* v = value == nullptr ? nullptr : value->get<bool>();
  return v != nullptr && *v;
}

// Returns whether the input is a known scalar, and its value.
bool KnownScalar(const IntRuleInputs& in, int input, int64_t* out) {
  const IntValue* v = in.value(input);
  if (v == nullptr || v->size() != 1 || v->v[0] == kUnknown) return false;
  *out = v->v[0];
  return true;
}

bool KnownVector(const IntRuleInputs& in, int input, const IntValue** out) {
  *out = in.value(input);
  return *out != nullptr && (*out)->IsKnown();
}

// Concatenates inputs [begin, end) as vectors. An input of unknown value
// contributes unknown elements according to its shape.
bool ConcatInputs(const IntRuleInputs& in, int begin, int end, int port,
                  IntValue* out) {
  if (!StartVector(in, port, out)) return false;
  for (int i = begin; i < end; ++i) {
    const IntValue* v = in.value(i);
    if (v != nullptr && !v->is_scalar) {
      out->v.insert(out->v.end(), v->v.begin(), v->v.end());
    } else {
      const PartialShape& s = in.shape(i);
      if (s.rank() != 1 || s.dim(0) < 0 || s.dim(0) > IntValue::kMaxElements)
        return false;
      out->v.resize(out->v.size() + static_cast<size_t>(s.dim(0)), kUnknown);
    }
    if (out->size() > IntValue::kMaxElements) return false;
  }
  return true;
}

}  // namespace

bool Constant(const IntRuleInputs& in, int, IntValue* out) {
  const AttrValue* value = in.node.attrs.Find("value");
  const Tensor* tensor = value == nullptr ? nullptr : value->get<Tensor>();
  return tensor != nullptr && IntValue::FromTensor(*tensor, out);
}

// The rule of Shape and ShapeN.
bool Shape(const IntRuleInputs& in, int port, IntValue* out) {
  const PartialShape& s = in.shape(port);
  if (!s.known_rank() || !StartVector(in, port, out)) return false;
  for (int64_t d : s.dims())
    out->v.push_back(d < 0 ? kUnknown : Fit(out->type, d));
  return true;
}

bool Size(const IntRuleInputs& in, int port, IntValue* out) {
  const int64_t n = in.shape(0).num_elements();
  if (n < 0 || !StartScalar(in, port, out)) return false;
  out->v.push_back(Fit(out->type, n));
  return true;
}

bool Rank(const IntRuleInputs& in, int port, IntValue* out) {
  if (!in.shape(0).known_rank() || !StartScalar(in, port, out)) return false;
  out->v.push_back(in.shape(0).rank());
  return true;
}

bool Same(const IntRuleInputs& in, int port, IntValue* out) {
  const IntValue* v = in.value(0);
  if (v == nullptr || !StartOutput(in, port, v->is_scalar, out)) return false;
  for (int64_t e : v->v)
    out->v.push_back(e == kUnknown ? e : Fit(out->type, e));
  return true;
}

// The value enters a loop, and is the same in each iteration.
bool Enter(const IntRuleInputs& in, int port, IntValue* out) {
  return BoolAttr(in.node, "is_constant") && Same(in, port, out);
}

bool Pack(const IntRuleInputs& in, int port, IntValue* out) {
  const int n = in.node.num_inputs();
  if (n > IntValue::kMaxElements || !StartVector(in, port, out)) return false;
  // All inputs have one shape: if one is a scalar, those of unknown rank are.
  bool scalars = false;
  for (int i = 0; i < n; ++i) {
    const IntValue* v = in.value(i);
    const int rank = v == nullptr ? in.shape(i).rank() : v->is_scalar ? 0 : 1;
    if (rank > 0) return false;
    scalars = scalars || rank == 0;
    out->v.push_back(v == nullptr ? kUnknown : v->v[0]);
  }
  return scalars;
}

bool Unpack(const IntRuleInputs& in, int port, IntValue* out) {
  const IntValue* v = in.value(0);
  if (v == nullptr || v->is_scalar || port >= v->size() ||
      !StartScalar(in, port, out)) {
    return false;
  }
  out->v.push_back(v->v[port]);
  return true;
}

bool Concat(const IntRuleInputs& in, int port, IntValue* out) {
  return ConcatInputs(in, 1, in.node.num_inputs(), port, out);
}
bool ConcatV2(const IntRuleInputs& in, int port, IntValue* out) {
  return ConcatInputs(in, 0, in.node.num_inputs() - 1, port, out);
}

// Supports one dimension, thus one entry of begin, end and strides; with a new
// axis or an ellipsis the kernel computes the value.
bool StridedSlice(const IntRuleInputs& in, int port, IntValue* out) {
  const IntValue* v = in.value(0);
  int64_t begin, end, stride;
  if (v == nullptr || v->is_scalar || !KnownScalar(in, 1, &begin) ||
      !KnownScalar(in, 2, &end) || !KnownScalar(in, 3, &stride) ||
      stride == 0) {
    return false;
  }
  if (IntAttr(in.node, "new_axis_mask") != 0 ||
      IntAttr(in.node, "ellipsis_mask") != 0) {
    return false;
  }
  const bool shrink = (IntAttr(in.node, "shrink_axis_mask") & 1) != 0;
  const int64_t n = v->size();
  if (!StartOutput(in, port, shrink, out)) return false;
  if (shrink) {
    const int64_t at = begin < 0 ? begin + n : begin;
    if (at < 0 || at >= n || stride < 0) return false;
    out->v.push_back(v->v[static_cast<size_t>(at)]);
    return true;
  }
  const int64_t low = stride > 0 ? 0 : -1;
  const int64_t high = stride > 0 ? n : n - 1;
  const auto place = [&](int64_t p, bool masked, int64_t whole) {
    return masked ? whole : std::clamp(p < 0 ? p + n : p, low, high);
  };
  begin = place(begin, (IntAttr(in.node, "begin_mask") & 1) != 0,
                stride > 0 ? low : high);
  end = place(end, (IntAttr(in.node, "end_mask") & 1) != 0,
              stride > 0 ? high : low);
  stride = std::clamp<int64_t>(stride, -IntValue::kMaxElements - 1,
                               IntValue::kMaxElements + 1);
  for (int64_t i = begin; stride > 0 ? i < end : i > end; i += stride) {
    out->v.push_back(v->v[static_cast<size_t>(i)]);
  }
  return true;
}

bool Slice(const IntRuleInputs& in, int port, IntValue* out) {
  const IntValue* v = in.value(0);
  int64_t begin, size;
  if (v == nullptr || v->is_scalar || !KnownScalar(in, 1, &begin) ||
      !KnownScalar(in, 2, &size)) {
    return false;
  }
  if (begin < 0 || begin > v->size()) return false;
  if (size == -1) size = v->size() - begin;
  if (size < 0 || size > v->size() - begin || !StartVector(in, port, out))
    return false;
  out->v.assign(v->v.begin() + begin, v->v.begin() + begin + size);
  return true;
}

// Supports a vector; the axis, if there is one, can only be 0.
bool Gather(const IntRuleInputs& in, int port, IntValue* out) {
  const IntValue* v = in.value(0);
  const IntValue* at;
  if (v == nullptr || v->is_scalar || !KnownVector(in, 1, &at)) return false;
  if (IntAttr(in.node, "batch_dims") != 0 ||
      !StartOutput(in, port, at->is_scalar, out)) {
    return false;
  }
  for (int64_t i : at->v) {
    if (i < 0 || i >= v->size()) return false;
    out->v.push_back(v->v[static_cast<size_t>(i)]);
  }
  return true;
}

bool ExpandDims(const IntRuleInputs& in, int port, IntValue* out) {
  const IntValue* v = in.value(0);
  if (v == nullptr || !v->is_scalar || !StartVector(in, port, out))
    return false;
  out->v = v->v;
  return true;
}

bool Squeeze(const IntRuleInputs& in, int port, IntValue* out) {
  const IntValue* v = in.value(0);
  if (v == nullptr || v->size() != 1 || !StartScalar(in, port, out))
    return false;
  out->v = v->v;
  return true;
}

bool Reshape(const IntRuleInputs& in, int port, IntValue* out) {
  const IntValue* v = in.value(0);
  const IntValue* shape;
  if (v == nullptr || !KnownVector(in, 1, &shape) || shape->is_scalar ||
      shape->size() > 1) {
    return false;
  }
  const bool scalar = shape->size() == 0;
  if (scalar ? v->size() != 1 : shape->v[0] != -1 && shape->v[0] != v->size())
    return false;
  if (!StartOutput(in, port, scalar, out)) return false;
  out->v = v->v;
  return true;
}

bool Fill(const IntRuleInputs& in, int port, IntValue* out) {
  const IntValue* dims;
  const IntValue* v = in.value(1);
  if (v == nullptr || v->size() != 1 || !KnownVector(in, 0, &dims) ||
      dims->size() > 1) {
    return false;
  }
  const bool scalar = dims->size() == 0;
  const int64_t n = scalar ? 1 : dims->v[0];
  if (n < 0 || n > IntValue::kMaxElements ||
      !StartOutput(in, port, scalar, out))
    return false;
  out->v.assign(static_cast<size_t>(n), v->v[0]);
  return true;
}

bool Range(const IntRuleInputs& in, int port, IntValue* out) {
  int64_t start, limit, delta;
  if (!KnownScalar(in, 0, &start) || !KnownScalar(in, 1, &limit) ||
      !KnownScalar(in, 2, &delta) || delta == 0 ||
      !StartVector(in, port, out)) {
    return false;
  }
  for (int64_t i = start; delta > 0 ? i < limit : i > limit;) {
    if (out->size() == IntValue::kMaxElements) return false;
    out->v.push_back(i);
    if (__builtin_add_overflow(i, delta, &i)) break;
  }
  return true;
}

namespace {

int64_t FloorOfQuotient(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

enum class Arithmetic {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kFloorMod,
  kMax,
  kMin
};

template <Arithmetic kOp>
int64_t Apply(int64_t a, int64_t b) {
  if constexpr (kOp == Arithmetic::kMultiply) {
    if (a == 0 || b == 0) return 0;
  }
  if (a == kUnknown || b == kUnknown) return kUnknown;
  int64_t r = 0;
  switch (kOp) {
    case Arithmetic::kAdd:
      return __builtin_add_overflow(a, b, &r) ? kUnknown : r;
    case Arithmetic::kSubtract:
      return __builtin_sub_overflow(a, b, &r) ? kUnknown : r;
    case Arithmetic::kMultiply:
      return __builtin_mul_overflow(a, b, &r) ? kUnknown : r;
    case Arithmetic::kDivide:
      return b == 0 ? kUnknown
                    : a / b;  // a is not the smallest int64, so no overflow
    case Arithmetic::kFloorDivide:
      return b == 0 ? kUnknown : FloorOfQuotient(a, b);
    case Arithmetic::kFloorMod:
      return b == 0 ? kUnknown : a - FloorOfQuotient(a, b) * b;
    case Arithmetic::kMax:
      return std::max(a, b);
    case Arithmetic::kMin:
      return std::min(a, b);
  }
  return kUnknown;
}

template <Arithmetic kOp>
bool Binary(const IntRuleInputs& in, int port, IntValue* out) {
  const IntValue* a = in.value(0);
  const IntValue* b = in.value(1);
  if (a == nullptr || b == nullptr) return false;
  if (a->size() != b->size() && a->size() != 1 && b->size() != 1) return false;
  if (!StartOutput(in, port, a->is_scalar && b->is_scalar, out)) return false;
  const int64_t n = a->size() == 1 ? b->size() : a->size();
  for (int64_t i = 0; i < n; ++i) {
    const int64_t x = a->v[a->size() == 1 ? 0 : static_cast<size_t>(i)];
    const int64_t y = b->v[b->size() == 1 ? 0 : static_cast<size_t>(i)];
    const int64_t r = Apply<kOp>(x, y);
    out->v.push_back(r == kUnknown ? r : Fit(out->type, r));
  }
  return true;
}

// Reduces a whole vector.
template <Arithmetic kOp>
bool Reduce(const IntRuleInputs& in, int port, IntValue* out) {
  const IntValue* v = in.value(0);
  const IntValue* axes;
  if (v == nullptr || v->is_scalar || v->size() == 0 ||
      !KnownVector(in, 1, &axes) || axes->size() != 1 ||
      !StartOutput(in, port, !BoolAttr(in.node, "keep_dims"), out)) {
    return false;
  }
  int64_t r = v->v[0];
  for (int64_t i = 1; i < v->size(); ++i)
    r = Apply<kOp>(r, v->v[static_cast<size_t>(i)]);
  out->v.push_back(r == kUnknown ? r : Fit(out->type, r));
  return true;
}

}  // namespace

bool Add(const IntRuleInputs& in, int port, IntValue* out) {
  return Binary<Arithmetic::kAdd>(in, port, out);
}
bool Subtract(const IntRuleInputs& in, int port, IntValue* out) {
  return Binary<Arithmetic::kSubtract>(in, port, out);
}
bool Multiply(const IntRuleInputs& in, int port, IntValue* out) {
  return Binary<Arithmetic::kMultiply>(in, port, out);
}
bool Divide(const IntRuleInputs& in, int port, IntValue* out) {
  return Binary<Arithmetic::kDivide>(in, port, out);
}
bool FloorDivide(const IntRuleInputs& in, int port, IntValue* out) {
  return Binary<Arithmetic::kFloorDivide>(in, port, out);
}
bool FloorMod(const IntRuleInputs& in, int port, IntValue* out) {
  return Binary<Arithmetic::kFloorMod>(in, port, out);
}
bool Maximum(const IntRuleInputs& in, int port, IntValue* out) {
  return Binary<Arithmetic::kMax>(in, port, out);
}
bool Minimum(const IntRuleInputs& in, int port, IntValue* out) {
  return Binary<Arithmetic::kMin>(in, port, out);
}
bool Sum(const IntRuleInputs& in, int port, IntValue* out) {
  return Reduce<Arithmetic::kAdd>(in, port, out);
}
bool Product(const IntRuleInputs& in, int port, IntValue* out) {
  return Reduce<Arithmetic::kMultiply>(in, port, out);
}
bool ReduceMax(const IntRuleInputs& in, int port, IntValue* out) {
  return Reduce<Arithmetic::kMax>(in, port, out);
}
bool ReduceMin(const IntRuleInputs& in, int port, IntValue* out) {
  return Reduce<Arithmetic::kMin>(in, port, out);
}

}  // namespace millrace::int_rules
