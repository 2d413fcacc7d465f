// The schemas of ops, for Python.
#include <nanobind/stl/string.h>

#include "millrace/client/default_tables.h"
#include "millrace/graph/graph_proto.h"
#include "python/binding/attr_values.h"
#include "python/binding/op_maker.h"
#include "python/binding/parts.h"
#include "python/binding/python_hooks.h"

namespace millrace::python {
namespace {

nb::list Arguments(const std::vector<ArgDef>& args) {
  nb::list list;
  for (const ArgDef& a : args) {
    nb::object type =
        a.type == DataType::kInvalid ? nb::none() : nb::borrow(PyDType(a.type));
    list.append(nb::make_tuple(a.name, type, a.type_attr, a.number_attr,
                               a.type_list_attr, a.is_ref));
  }
  return list;
}

nb::object Schema(const std::string& type) {
  const OpInfo* info = FindOp(type);
  if (!info) return nb::none();
  const OpDef& op = *info->def;
  nb::list attrs, parameters;
  for (const AttrDef& a : op.attrs) {
    attrs.append(
        nb::make_tuple(a.name, a.kind, a.default_value.has_value(),
                       a.default_value ? PyAttr(*a.default_value) : nb::none(),
                       a.minimum ? nb::cast(*a.minimum) : nb::none(),
                       a.allowed.has_value() ? PyAttr(a.allowed) : nb::none()));
  }
  for (const AttrDef* a : info->parameters) parameters.append(a->name);
  return nb::make_tuple(Arguments(op.inputs), Arguments(op.outputs), attrs,
                        parameters, op.Is(kStateful), op.deprecated_version);
}

nb::bytes SchemaMessage(const std::string& type) {
  const OpInfo* info = FindOp(type);
  if (!info) throw nb::key_error(type.c_str());
  GraphDef def;
  def.library.functions.emplace_back().signature = *info->def;
  const std::string bytes = SerializeGraphDef(def);
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

void BindSchemas(nb::module_& m) {
  m.def("op_types", [] {
    nb::list types;
    for (const auto& op : DefaultOps().ops()) types.append(op->name);
    return types;
  });
  m.def("schema", &Schema,
        "(inputs, outputs, attributes, parameters, is stateful, deprecated "
        "version), or None.");
  m.def("schema_bytes", &SchemaMessage,
        "The bytes of a GraphDef whose only function has the op's schema as "
        "its signature.");
}

}  // namespace millrace::python
