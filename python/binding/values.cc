#include "python/binding/values.h"

#include <atomic>
#include <complex>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "millrace/tensor/pinned_buffer.h"
#include "millrace/tensor/string_block.h"
#include "millrace/tensor/wire.h"
#include "python/binding/big_copy.h"
#include "python/binding/graph_object.h"
#include "python/binding/python_hooks.h"

namespace millrace::python {
namespace {

// numpy's objects; numpy is imported with the extension.
struct Numpy {
  PyObject* ndarray;
  PyObject* ascontiguousarray;
  PyObject* asarray;
  PyObject* uint16;
  // By type number: the dtype of arrays, and the class of scalars.
  PyObject* dtypes[32] = {};
  PyObject* scalars[32] = {};
  absl::flat_hash_map<PyObject*, DataType>
      types;  // dtype objects that were seen, owned
};
Numpy* numpy = nullptr;

// Memory of an array that a tensor reads. The array is released with the GIL,
// which the last user of the tensor may not have.
class ArrayMemory final : public Buffer {
 public:
  explicit ArrayMemory(const Py_buffer& view)
      : Buffer(static_cast<char*>(view.buf), static_cast<size_t>(view.len)),
        view_(view) {
    SetLent();
  }
  ~ArrayMemory() override;

 private:
  Py_buffer view_;
};

struct Unused {
  std::mutex mu;
  std::vector<Py_buffer> views;
  std::atomic<bool> any = false;
};
Unused& unused() {
  static auto& all = *new Unused;
  return all;
}

ArrayMemory::~ArrayMemory() {
  Unused& u = unused();
  std::lock_guard lock(u.mu);
  u.views.push_back(view_);
  u.any = true;
}

// A Python object that is a tensor's memory, for arrays that own a tensor.
struct MemoryObject {
  PyObject_HEAD Tensor* tensor;
};
PyTypeObject* memory_type = nullptr;

int GetMemory(PyObject* self, Py_buffer* view, int flags) {
  Tensor* tensor = reinterpret_cast<MemoryObject*>(self)->tensor;
  return PyBuffer_FillInfo(view, self, const_cast<char*>(tensor->data()),
                           static_cast<Py_ssize_t>(tensor->size_bytes()),
                           /*readonly=*/0, flags);
}
void DeleteMemory(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  delete reinterpret_cast<MemoryObject*>(self)->tensor;
  type->tp_free(self);
  Py_DECREF(type);
}

struct Value {
  Tensor tensor;
};

// The numpy dtype of a type, a borrowed reference. bfloat16's is looked for
// when it is first needed.
PyObject* NumpyType(DataType type) {
  PyObject*& dtype = numpy->dtypes[static_cast<int>(type)];
  if (!dtype) {
    nb::object found = nb::module_::import_("numpy").attr("dtype")(
        nb::handle(PyDType(type)).attr("as_numpy_dtype"));
    numpy->scalars[static_cast<int>(type)] =
        nb::object(found.attr("type")).release().ptr();
    dtype = found.release().ptr();
  }
  return dtype;
}

nb::object Call(PyObject* f, nb::handle a) {
  PyObject* result = PyObject_CallOneArg(f, a.ptr());
  if (!result) throw nb::python_error();
  return nb::steal(result);
}

DataType TypeOfArray(nb::handle array) {
  nb::object dtype = array.attr("dtype");
  const auto found = numpy->types.find(dtype.ptr());
  if (found != numpy->types.end()) return found->second;
  const DataType type = TypeOf(dtype);
  // A dtype object that is made anew for each array would fill the table.
  if (numpy->types.size() < 256)
    numpy->types[nb::borrow(dtype).release().ptr()] = type;
  return type;
}

absl::string_view TextOf(nb::handle element) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyUnicode_Check(element.ptr())) {
    const char* text = PyUnicode_AsUTF8AndSize(element.ptr(), &size);
    if (!text) throw nb::python_error();
    return {text, static_cast<size_t>(size)};
  }
  if (PyBytes_Check(element.ptr())) {
    PyBytes_AsStringAndSize(element.ptr(), &data, &size);
    return {data, static_cast<size_t>(size)};
  }
  if (PyByteArray_Check(element.ptr())) {
    return {PyByteArray_AS_STRING(element.ptr()),
            static_cast<size_t>(PyByteArray_GET_SIZE(element.ptr()))};
  }
  throw nb::type_error(
      absl::StrCat(
          "Unsupported object type ",
          nb::cast<std::string>(nb::object(
              nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(element.ptr())))
                  .attr("__name__"))))
          .c_str());
}

TensorShape ShapeOfArray(nb::handle array) {
  DimVector dims;
  for (nb::handle d : nb::object(array.attr("shape")))
    dims.push_back(nb::cast<int64_t>(d));
  return Take(TensorShape::Make(dims), true);
}

Tensor Strings(nb::handle array) {
  const TensorShape shape = ShapeOfArray(array);
  nb::list items =
      nb::cast<nb::list>(nb::object(array.attr("ravel")().attr("tolist")()));
  size_t bytes = 0;
  for (nb::handle item : items) {
    bytes += StringBlock::BytesOf(TextOf(item).size());
  }
  auto block =
      Take(StringBlock::Allocate(HostAllocator(), shape.num_elements(), bytes));
  int64_t i = 0;
  for (nb::handle item : items) block.Fill(i++, TextOf(item));
  return std::move(block).Finish(shape);
}

nb::object ShapeTuple(const TensorShape& shape) {
  return PyShape(PartialShape(shape));
}

// Fetches of quantized numbers are arrays of plain ones, as TensorFlow's are.
DataType FetchedType(DataType type) {
  switch (type) {
    case DataType::kQint8:
      return DataType::kInt8;
    case DataType::kQuint8:
      return DataType::kUint8;
    case DataType::kQint16:
      return DataType::kInt16;
    case DataType::kQuint16:
      return DataType::kUint16;
    case DataType::kQint32:
      return DataType::kInt32;
    default:
      return type;
  }
}

nb::object NewArray(const TensorShape& shape, DataType type,
                    nb::handle buffer) {
  nb::object dims = ShapeTuple(shape);
  PyObject* const dtype = NumpyType(FetchedType(type));
  PyObject* array =
      buffer.is_valid()
          ? PyObject_CallFunctionObjArgs(numpy->ndarray, dims.ptr(), dtype,
                                         buffer.ptr(), nullptr)
          : PyObject_CallFunctionObjArgs(numpy->ndarray, dims.ptr(), dtype,
                                         nullptr);
  if (!array) throw nb::python_error();
  return nb::steal(array);
}

// The bytes of an array that numpy has just made.
template <class F>
void Fill(nb::handle array, DataType type, F fill) {
  nb::object plain = nb::borrow(array);
  if (type == DataType::kBfloat16)
    plain = array.attr("view")(nb::handle(numpy->uint16));
  Py_buffer view;
  if (PyObject_GetBuffer(plain.ptr(), &view,
                         PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) != 0)
    throw nb::python_error();
  fill(static_cast<char*>(view.buf), static_cast<size_t>(view.len));
  PyBuffer_Release(&view);
}

// An array that has the memory of a tensor that nobody else has.
nb::object ArrayThatOwns(Tensor tensor) {
  PyObject* memory = memory_type->tp_alloc(memory_type, 0);
  if (!memory) throw nb::python_error();
  const TensorShape shape = tensor.shape();
  const DataType type = tensor.dtype();
  reinterpret_cast<MemoryObject*>(memory)->tensor =
      new Tensor(std::move(tensor));
  return NewArray(shape, type, nb::steal(memory));
}

nb::object StringArray(const Tensor& tensor) {
  nb::object array = NewArray(tensor.shape(), DataType::kString, nb::handle());
  nb::list list;
  for (const StringElement& s : tensor.flat<StringElement>())
    list.append(nb::bytes(s.data(), s.size()));
  if (tensor.rank() == 1) {
    array[nb::slice(nb::none(), nb::none(), nb::none())] = list;
    return array;
  }
  int64_t i = 0;
  nb::object flat = array.attr("flat");
  for (nb::handle item : list) flat[nb::int_(i++)] = item;
  return array;
}

// A numpy scalar of a plain type.
nb::object Scalar(const Tensor& t) {
  const auto make = [&](PyObject* number) {
    nb::object n = nb::steal(number);
    NumpyType(t.dtype());
    return Call(numpy->scalars[static_cast<int>(t.dtype())], n);
  };
  switch (t.dtype()) {
    case DataType::kFloat:
      return make(PyFloat_FromDouble(t.scalar<float>()));
    case DataType::kDouble:
      return make(PyFloat_FromDouble(t.scalar<double>()));
    case DataType::kInt32:
      return make(PyLong_FromLong(t.scalar<int32_t>()));
    case DataType::kInt64:
      return make(PyLong_FromLongLong(t.scalar<int64_t>()));
    case DataType::kBool:
      return make(PyBool_FromLong(t.scalar<bool>()));
    default: {
      nb::object array = ArrayOf(t);
      return array[nb::tuple()];
    }
  }
}

}  // namespace

bool IsArray(nb::handle value) {
  return PyObject_TypeCheck(value.ptr(),
                            reinterpret_cast<PyTypeObject*>(numpy->ndarray));
}

void DropUnusedArrays() {
  Unused& u = unused();
  if (!u.any.load(std::memory_order_relaxed)) return;
  std::vector<Py_buffer> views;
  {
    std::lock_guard lock(u.mu);
    views.swap(u.views);
    u.any = false;
  }
  for (Py_buffer& view : views) PyBuffer_Release(&view);
}

Tensor TensorFromArray(nb::handle array, bool share, DataType type) {
  if (type == DataType::kInvalid) type = TypeOfArray(array);
  if (type == DataType::kString) return Strings(array);
  if (!IsPlain(type) || type == DataType::kInvalid) {
    throw nb::type_error(
        "an array cannot have elements that are resources or variants");
  }
  nb::object plain = nb::borrow(array);
  if (type == DataType::kBfloat16)
    plain = array.attr("view")(nb::handle(numpy->uint16));
  Py_buffer view;
  if (PyObject_GetBuffer(plain.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    plain = Call(numpy->ascontiguousarray, plain);
    if (PyObject_GetBuffer(plain.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0)
      throw nb::python_error();
  }
  DimVector dims(view.shape, view.shape + view.ndim);
  auto shape = TensorShape::Make(dims);
  if (!shape.ok()) {
    PyBuffer_Release(&view);
    Raise(shape.status(), true);
  }
  // ascontiguousarray makes a vector of a scalar.
  if (array.attr("ndim").equal(nb::int_(0))) shape = TensorShape();
  const size_t bytes = static_cast<size_t>(view.len);
  if (bytes != static_cast<size_t>(shape->num_elements()) * SizeOf(type)) {
    PyBuffer_Release(&view);
    throw nb::type_error(
        "an array's elements have another size than its type says");
  }
  const bool aligned = reinterpret_cast<uintptr_t>(view.buf) %
                           std::min<size_t>(SizeOf(type), 16) ==
                       0;
  if (share && aligned && bytes >= 1024) {
    char* const data = static_cast<char*>(view.buf);
    return Tensor::FromBuffer(type, *shape, MakeRef<ArrayMemory>(view), data);
  }
  auto tensor = Tensor::Allocate(HostAllocator(), type, *shape);
  if (tensor.ok() && bytes > 0)
    std::memcpy(tensor->mutable_data(), view.buf, bytes);
  PyBuffer_Release(&view);
  return Take(std::move(tensor));
}

nb::object ArrayOf(Tensor tensor) {
  const DataType type = tensor.dtype();
  if (type == DataType::kString) return StringArray(tensor);
  if (!IsPlain(type)) return PyValue(std::move(tensor));
  if (type != DataType::kBfloat16) {
    // A program may keep the array as long as it likes, which pinned memory is
    // not for.
    if (tensor.size_bytes() >= 4096 && tensor.IsUnshared() && tensor.buffer() &&
        !IsPinned(tensor))
      return ArrayThatOwns(std::move(tensor));
    if (tensor.size_bytes() >= kBigCopyBytes) {
      StatusOr<Tensor> copy = BigCopy(tensor);
      if (copy.ok()) return ArrayThatOwns(*std::move(copy));
    }
  }
  nb::object array = NewArray(tensor.shape(), type, nb::handle());
  if (tensor.size_bytes() > 0) {
    Fill(array, type,
         [&](char* to, size_t size) { std::memcpy(to, tensor.data(), size); });
  }
  return array;
}

nb::object ArrayFromTensor(Tensor tensor) {
  if (tensor.rank() > 0) return ArrayOf(std::move(tensor));
  if (tensor.dtype() == DataType::kString) {
    const absl::string_view text = tensor.scalar<StringElement>().view();
    return nb::bytes(text.data(), text.size());
  }
  if (!IsPlain(tensor.dtype())) return PyValue(std::move(tensor));
  return Scalar(tensor);
}

const Tensor* ValueOf(nb::handle value) {
  Value* v = nullptr;
  return nb::try_cast<Value*>(value, v) && v ? &v->tensor : nullptr;
}
nb::object PyValue(Tensor tensor) { return nb::cast(Value{std::move(tensor)}); }

StatusOr<Tensor> TensorFromProto(absl::string_view bytes) {
  return DecodeTensor(bytes, HostAllocator());
}

void BindValues(nb::module_& m) {
  nb::module_ np = nb::module_::import_("numpy");
  numpy = new Numpy;
  const auto keep = [&](const char* name) {
    return nb::object(np.attr(name)).release().ptr();
  };
  numpy->ndarray = keep("ndarray");
  numpy->ascontiguousarray = keep("ascontiguousarray");
  numpy->asarray = keep("asarray");
  numpy->uint16 = keep("uint16");

  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(DeleteMemory)},
                         {Py_bf_getbuffer, reinterpret_cast<void*>(GetMemory)},
                         {0, nullptr}};
  PyType_Spec spec{"millrace._binding.Memory", sizeof(MemoryObject), 0,
                   Py_TPFLAGS_DEFAULT, slots};
  memory_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!memory_type) throw nb::python_error();

  nb::class_<Value>(m, "Value", "A tensor as the runtime has it.")
      .def_prop_ro(
          "dtype",
          [](const Value& v) { return nb::borrow(PyDType(v.tensor.dtype())); })
      .def_prop_ro("shape",
                   [](const Value& v) { return ShapeTuple(v.tensor.shape()); })
      .def(
          "numpy", [](const Value& v) { return ArrayFromTensor(v.tensor); },
          "An array, or a scalar.")
      .def(
          "array", [](const Value& v) { return ArrayOf(v.tensor); },
          "An array, also of a scalar.")
      .def(
          "proto",
          [](const Value& v) {
            const std::string bytes =
                Take(EncodeTensor(v.tensor), true).Flatten();
            return nb::bytes(bytes.data(), bytes.size());
          },
          "The bytes of a TensorProto.")
      .def("__repr__", [](const Value& v) { return v.tensor.DebugString(); });
  m.def(
      "value_from_array",
      [](nb::handle array) { return PyValue(TensorFromArray(array)); },
      "A copy of an array.");
  m.def(
      "value_from_array",
      [](nb::handle array, nb::handle dtype) {
        return PyValue(TensorFromArray(array, false, TypeOf(dtype)));
      },
      "A copy of an array, whose elements are of a type.");
  m.def(
      "value_from_proto",
      [](nb::bytes bytes) {
        return PyValue(
            Take(TensorFromProto({bytes.c_str(), bytes.size()}), true));
      },
      "Decodes a TensorProto.");
}

}  // namespace millrace::python
