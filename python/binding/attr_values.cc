#include "python/binding/attr_values.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "millrace/graph/graph_proto.h"
#include "python/binding/graph_object.h"
#include "python/binding/python_hooks.h"
#include "python/binding/values.h"

namespace millrace::python {
namespace {

std::string Repr(nb::handle value) {
  return nb::cast<std::string>(nb::repr(value));
}

[[noreturn]] void Expected(const char* what, absl::string_view argument,
                           nb::handle value) {
  PyErr_Clear();
  throw nb::type_error(absl::StrCat("Expected ", what, " for argument '",
                                    argument, "' not ", Repr(value), ".")
                           .c_str());
}

bool IsText(nb::handle v) {
  return PyUnicode_Check(v.ptr()) || PyBytes_Check(v.ptr());
}

std::string Bytes(nb::handle v) {
  if (PyBytes_Check(v.ptr()))
    return std::string(PyBytes_AS_STRING(v.ptr()),
                       static_cast<size_t>(PyBytes_GET_SIZE(v.ptr())));
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(v.ptr(), &size);
  if (!text) throw nb::python_error();
  return std::string(text, static_cast<size_t>(size));
}

int64_t Int(nb::handle v, absl::string_view argument) {
  if (IsText(v)) Expected("int", argument, v);
  nb::object number = nb::steal(PyLong_Check(v.ptr()) ? Py_NewRef(v.ptr())
                                                      : PyNumber_Long(v.ptr()));
  if (!number.is_valid()) Expected("int", argument, v);
  const int64_t value = PyLong_AsLongLong(number.ptr());
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    throw nb::value_error(
        absl::StrCat("Value out of range: ", Repr(v)).c_str());
  }
  return value;
}

float Float(nb::handle v, absl::string_view argument) {
  const bool number = PyFloat_Check(v.ptr()) || PyLong_Check(v.ptr()) ||
                      (!IsText(v) && PyNumber_Check(v.ptr()));
  if (!number) Expected("float", argument, v);
  const double value = PyFloat_AsDouble(v.ptr());
  if (value == -1.0 && PyErr_Occurred()) Expected("float", argument, v);
  return static_cast<float>(value);
}

bool Bool(nb::handle v, absl::string_view argument) {
  if (!PyBool_Check(v.ptr())) Expected("bool", argument, v);
  return v.ptr() == Py_True;
}

std::string String(nb::handle v, absl::string_view argument) {
  if (!IsText(v)) Expected("string", argument, v);
  return Bytes(v);
}

DataType Type(nb::handle v, absl::string_view argument) {
  try {
    return RemoveRef(TypeOf(v));
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
  }
  Expected("DataType", argument, v);
}

// The bytes of a message, or nothing.
bool ProtoBytes(nb::handle v, std::string* bytes) {
  if (!PyObject_HasAttrString(v.ptr(), "SerializeToString")) return false;
  *bytes = Bytes(v.attr("SerializeToString")());
  return true;
}

AttrValue Message(uint32_t field, const std::string& bytes) {
  ChunkWriter out;
  out.RequiredBytesField(field, bytes);
  return AttrFromProto(std::move(out).Finish().Flatten());
}

PartialShape Shape(nb::handle v, absl::string_view argument) {
  std::string bytes;
  if (ProtoBytes(v, &bytes)) return *Message(7, bytes).get<PartialShape>();
  if (PyLong_Check(v.ptr())) return PartialShape({nb::cast<int64_t>(v)});
  try {
    return ShapeOf(v);
  } catch (const std::exception&) {
    PyErr_Clear();
  }
  try {
    // TensorShape has the words for what is wrong.
    nb::module_ shapes =
        nb::module_::import_("millrace.framework.tensor_shape");
    return ShapeOf(nb::object(shapes.attr("as_shape")(v)));
  } catch (nb::python_error& e) {
    const std::string text = absl::StrCat(
        "Error converting ", argument,
        " to a TensorShape: ", nb::cast<std::string>(nb::str(e.value())), ".");
    if (e.matches(PyExc_ValueError)) throw nb::value_error(text.c_str());
    if (e.matches(PyExc_TypeError)) throw nb::type_error(text.c_str());
    throw;
  }
}

Tensor TensorAttr(nb::handle v, absl::string_view argument) {
  if (const Tensor* value = ValueOf(v)) return *value;
  std::string bytes;
  if (ProtoBytes(v, &bytes))
    return Take(TensorFromProto(bytes), /*building=*/true);
  if (IsArray(v)) return TensorFromArray(v);
  throw nb::type_error(absl::StrCat("Don't know how to convert ", Repr(v),
                                    " to a TensorProto for argument '",
                                    argument, "'.")
                           .c_str());
}

AttrValue::Func Function(nb::handle v, absl::string_view argument) {
  std::string bytes;
  if (ProtoBytes(v, &bytes)) return *Message(10, bytes).get<AttrValue::Func>();
  if (IsText(v))
    return std::make_shared<const NameAttrList>(NameAttrList{Bytes(v), {}});
  if (PyObject_HasAttrString(v.ptr(), "name")) {
    return std::make_shared<const NameAttrList>(
        NameAttrList{Bytes(nb::object(v.attr("name"))), {}});
  }
  throw nb::type_error(absl::StrCat("Don't know how to convert ", Repr(v),
                                    " to a func for argument ", argument)
                           .c_str());
}

template <class T, class F>
std::vector<T> ListOf(nb::handle list, absl::string_view argument, F one) {
  std::vector<T> values;
  for (nb::handle v : list) values.push_back(one(v, argument));
  return values;
}

AttrValue ListFrom(absl::string_view kind, nb::handle value,
                   absl::string_view argument) {
  if (PyObject_HasAttrString(value.ptr(), "as_list")) {
    return ListFrom(kind, nb::object(value.attr("as_list")()), argument);
  }
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr()) &&
      !IsArray(value)) {
    throw nb::type_error(
        absl::StrCat("Expected list for attr ", argument).c_str());
  }
  if (kind == "int") return ListOf<int64_t>(value, argument, Int);
  if (kind == "float") return ListOf<float>(value, argument, Float);
  if (kind == "bool") return ListOf<bool>(value, argument, Bool);
  if (kind == "string") return ListOf<std::string>(value, argument, String);
  if (kind == "type") return ListOf<DataType>(value, argument, Type);
  if (kind == "shape") return ListOf<PartialShape>(value, argument, Shape);
  if (kind == "tensor") return ListOf<Tensor>(value, argument, TensorAttr);
  return ListOf<AttrValue::Func>(value, argument, Function);
}

struct ToPython {
  template <class List, class F>
  nb::object ListWith(const List& list, F one) const {
    nb::list out;
    for (const auto& v : list) out.append(one(v));
    return out;
  }
  nb::object operator()(const std::string& v) const {
    return nb::bytes(v.data(), v.size());
  }
  nb::object operator()(int64_t v) const { return nb::cast(v); }
  nb::object operator()(float v) const { return nb::cast(v); }
  nb::object operator()(bool v) const { return nb::cast(v); }
  nb::object operator()(DataType v) const { return nb::borrow(PyDType(v)); }
  nb::object operator()(const AttrValue::EmptyList&) const {
    return nb::list();
  }
  nb::object operator()(const AttrValue::StringList& l) const {
    return ListWith(
        l, [](const std::string& v) { return nb::bytes(v.data(), v.size()); });
  }
  nb::object operator()(const AttrValue::IntList& l) const {
    return ListWith(l, [](int64_t v) { return nb::cast(v); });
  }
  nb::object operator()(const AttrValue::FloatList& l) const {
    return ListWith(l, [](float v) { return nb::cast(v); });
  }
  nb::object operator()(const AttrValue::BoolList& l) const {
    return ListWith(l, [](bool v) { return nb::cast(v); });
  }
  nb::object operator()(const AttrValue::TypeList& l) const {
    return ListWith(l, [](DataType v) { return nb::borrow(PyDType(v)); });
  }
  template <class T>
  nb::object operator()(const T& v) const {
    const std::string bytes = SerializeAttrValue(AttrValue(v));
    return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()));
  }
  nb::object operator()(std::monostate) const { return nb::none(); }
};

std::string Allowed(const AttrValue& allowed) {
  if (const auto* types = allowed.get<AttrValue::TypeList>()) {
    return absl::StrJoin(*types, ", ", [](std::string* out, DataType t) {
      nb::object name = nb::borrow(PyDType(t)).attr("name");
      absl::StrAppend(out, nb::cast<std::string>(name));
    });
  }
  if (const auto* texts = allowed.get<AttrValue::StringList>()) {
    return absl::StrCat("\"", absl::StrJoin(*texts, "\", \""), "\"");
  }
  return "";
}

}  // namespace

AttrValue AttrFrom(absl::string_view kind, nb::handle value,
                   absl::string_view argument) {
  if (kind == "bool") return Bool(value, argument);
  if (kind == "int") return Int(value, argument);
  if (kind == "type") return Type(value, argument);
  if (kind == "float") return Float(value, argument);
  if (kind == "string") return String(value, argument);
  if (kind == "shape") return Shape(value, argument);
  if (kind == "tensor") return TensorAttr(value, argument);
  if (kind == "func") return Function(value, argument);
  if (absl::StartsWith(kind, "list("))
    return ListFrom(kind.substr(5, kind.size() - 6), value, argument);
  throw nb::type_error(
      absl::StrCat("Unrecognized attr type ", kind, " for ", argument).c_str());
}

void CheckConstraints(const AttrDef& def, const AttrValue& value,
                      const std::string& op, const std::string& parameter) {
  if (def.minimum) {
    const int64_t* number = value.get<int64_t>();
    if (number && *number < *def.minimum) {
      throw nb::value_error(
          absl::StrCat("Attr '", def.name, "' of '", op, "' Op passed ",
                       *number, " less than minimum ", *def.minimum, ".")
              .c_str());
    }
    if (value.is_list() && value.list_size() < *def.minimum) {
      throw nb::value_error(
          absl::StrCat("Attr '", def.name, "' of '", op,
                       "' Op passed list of length ", value.list_size(),
                       " less than minimum ", *def.minimum, ".")
              .c_str());
    }
  }
  if (!def.allowed.has_value()) return;
  const auto check_type = [&](DataType type) {
    const auto& types = *def.allowed.get<AttrValue::TypeList>();
    if (std::find(types.begin(), types.end(), type) != types.end()) return;
    const std::string name = nb::cast<std::string>(
        nb::object(nb::borrow(PyDType(type)).attr("name")));
    const std::string where = parameter.empty()
                                  ? absl::StrCat("attr '", def.name, "'")
                                  : absl::StrCat("parameter '", parameter, "'");
    throw nb::type_error(
        absl::StrCat("Value passed to ", where, " has DataType ", name,
                     " not in list of allowed values: ", Allowed(def.allowed))
            .c_str());
  };
  if (def.allowed.get<AttrValue::TypeList>()) {
    if (const DataType* type = value.get<DataType>()) check_type(*type);
    if (const auto* list = value.get<AttrValue::TypeList>()) {
      for (DataType type : *list) check_type(type);
    }
  } else if (const auto* texts = def.allowed.get<AttrValue::StringList>()) {
    const auto check_text = [&](const std::string& text) {
      if (std::find(texts->begin(), texts->end(), text) != texts->end()) return;
      const std::string allowed = absl::StrJoin(*texts, "\", \"");
      throw nb::value_error(absl::StrCat("Attr '", def.name, "' of '", op,
                                         "' Op passed string '", text,
                                         "' not in: \"", allowed, "\".")
                                .c_str());
    };
    if (const std::string* text = value.get<std::string>()) check_text(*text);
    if (const auto* list = value.get<AttrValue::StringList>()) {
      for (const std::string& text : *list) check_text(text);
    }
  }
}

nb::object PyAttr(const AttrValue& value) {
  return std::visit(ToPython(), value.value());
}

AttrValue AttrFromProto(absl::string_view bytes) {
  // The only decoder is that of graphs: node { name: "n" op: "n" attr { key:
  // "a" value: <bytes> } }.
  ChunkWriter entry, node, graph;
  entry.RequiredBytesField(1, "a");
  entry.RequiredBytesField(2, bytes);
  node.RequiredBytesField(1, "n");
  node.RequiredBytesField(2, "n");
  node.RequiredBytesField(5, std::move(entry).Finish().Flatten());
  graph.RequiredBytesField(1, std::move(node).Finish().Flatten());
  const GraphDef def = Take(ParseGraphDef(std::move(graph).Finish().Flatten()),
                            /*building=*/true);
  const AttrValue* value = def.nodes.at(0).attrs.Find("a");
  return value ? *value : AttrValue();
}

}  // namespace millrace::python
