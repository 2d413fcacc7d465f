#include "millrace/graph/int_values.h"

#include <algorithm>

namespace millrace {

bool IntValue::IsKnown() const {
  return std::find(v.begin(), v.end(), kUnknown) == v.end();
}

Tensor IntValue::ToTensor() const {
  Tensor t =
      Tensor::New(type, is_scalar ? TensorShape() : TensorShape({size()}));
  if (type == DataType::kInt32) {
    const auto out = t.mutable_flat<int32_t>();
    for (size_t i = 0; i < v.size(); ++i) out[i] = static_cast<int32_t>(v[i]);
  } else {
    std::copy(v.begin(), v.end(), t.mutable_flat<int64_t>().begin());
  }
  return t;
}

bool IntValue::FromTensor(const Tensor& t, IntValue* out) {
  if (!IsIndexType(t.dtype()) || t.rank() > 1 ||
      t.num_elements() > kMaxElements)
    return false;
  out->type = t.dtype();
  out->is_scalar = t.rank() == 0;
  if (t.dtype() == DataType::kInt32) {
    const auto values = t.flat<int32_t>();
    out->v.assign(values.begin(), values.end());
  } else {
    const auto values = t.flat<int64_t>();
    out->v.assign(values.begin(), values.end());
  }
  return true;
}

}  // namespace millrace
