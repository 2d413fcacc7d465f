#include "millrace/checkpoint/v1/v1_values.h"

namespace millrace {
namespace {

// Moves elements between a tensor and a repeated field of a TensorProto.
// Complex numbers are stored as two parts, quantized ones as their integers,
// half and bfloat16 as their bits; so T may be narrower than the tensor's type.
class Writer {
 public:
  Writer(const Tensor& tensor, tensorflow::TensorProto* proto)
      : tensor_(tensor), proto_(proto) {}
  tensorflow::TensorProto& proto() { return *proto_; }

  template <class T, class Field>
  Status Move(Field* field) {
    const T* from = reinterpret_cast<const T*>(tensor_.data());
    const size_t count = tensor_.size_bytes() / sizeof(T);
    field->Reserve(static_cast<int>(count));
    for (size_t i = 0; i < count; ++i) field->Add(from[i]);
    return OkStatus();
  }

 private:
  const Tensor& tensor_;
  tensorflow::TensorProto* proto_;
};

class Reader {
 public:
  Reader(tensorflow::TensorProto* proto, Tensor* tensor)
      : proto_(proto), tensor_(tensor) {}
  tensorflow::TensorProto& proto() { return *proto_; }

  template <class T, class Field>
  Status Move(Field* field) {
    const size_t count = tensor_->size_bytes() / sizeof(T);
    if (static_cast<size_t>(field->size()) != count) {
      return DataLoss("A tensor in a checkpoint has ", field->size(),
                      " values, but its shape ", tensor_->shape().DebugString(),
                      " needs ", count);
    }
    T* to = reinterpret_cast<T*>(tensor_->mutable_data());
    for (size_t i = 0; i < count; ++i)
      to[i] = static_cast<T>(field->Get(static_cast<int>(i)));
    return OkStatus();
  }

 private:
  tensorflow::TensorProto* proto_;
  Tensor* tensor_;
};

template <class Mover>
Status MoveValues(DataType dtype, Mover mover) {
  tensorflow::TensorProto& proto = mover.proto();
  switch (dtype) {
    case DataType::kFloat:
      return mover.template Move<float>(proto.mutable_float_val());
    case DataType::kDouble:
      return mover.template Move<double>(proto.mutable_double_val());
    case DataType::kComplex64:
      return mover.template Move<float>(proto.mutable_scomplex_val());
    case DataType::kComplex128:
      return mover.template Move<double>(proto.mutable_dcomplex_val());
    case DataType::kInt8:
    case DataType::kQint8:
      return mover.template Move<int8_t>(proto.mutable_int_val());
    case DataType::kUint8:
    case DataType::kQuint8:
      return mover.template Move<uint8_t>(proto.mutable_int_val());
    case DataType::kInt16:
    case DataType::kQint16:
      return mover.template Move<int16_t>(proto.mutable_int_val());
    case DataType::kUint16:
    case DataType::kQuint16:
      return mover.template Move<uint16_t>(proto.mutable_int_val());
    case DataType::kInt32:
    case DataType::kQint32:
      return mover.template Move<int32_t>(proto.mutable_int_val());
    case DataType::kInt64:
      return mover.template Move<int64_t>(proto.mutable_int64_val());
    case DataType::kUint32:
      return mover.template Move<uint32_t>(proto.mutable_uint32_val());
    case DataType::kUint64:
      return mover.template Move<uint64_t>(proto.mutable_uint64_val());
    case DataType::kBool:
      return mover.template Move<bool>(proto.mutable_bool_val());
    case DataType::kHalf:
    case DataType::kBfloat16:
      return mover.template Move<uint16_t>(proto.mutable_half_val());
    default:
      return Unimplemented("Tensors of dtype ", DataTypeName(dtype),
                           " cannot be in a checkpoint of format V1");
  }
}

}  // namespace

Status ValuesToProto(const Tensor& tensor, tensorflow::TensorProto* proto) {
  if (tensor.dtype() == DataType::kString) {
    for (const StringElement& s : tensor.flat<StringElement>())
      proto->add_string_val(s.str());
    return OkStatus();
  }
  return MoveValues(tensor.dtype(), Writer(tensor, proto));
}

Status ValuesFromProto(tensorflow::TensorProto* proto, Tensor* tensor) {
  if (tensor->dtype() == DataType::kString) {
    const auto to = tensor->mutable_flat<StringElement>();
    if (static_cast<size_t>(proto->string_val_size()) != to.size()) {
      return DataLoss("A string tensor in a checkpoint has ",
                      proto->string_val_size(), " values, but its shape ",
                      tensor->shape().DebugString(), " needs ", to.size());
    }
    for (size_t i = 0; i < to.size(); ++i)
      to[i].Assign(proto->string_val(static_cast<int>(i)));
    return OkStatus();
  }
  return MoveValues(tensor->dtype(), Reader(proto, tensor));
}

int64_t NumValues(const tensorflow::TensorProto& p) {
  return int64_t{0} + p.float_val_size() + p.double_val_size() +
         p.int_val_size() + p.string_val_size() + p.scomplex_val_size() +
         p.int64_val_size() + p.bool_val_size() + p.dcomplex_val_size() +
         p.half_val_size() + p.uint32_val_size() + p.uint64_val_size();
}

}  // namespace millrace
