#include "millrace/ops/data/dataset.h"

#include <algorithm>

#include "millrace/graph/graph.h"
#include "millrace/ops/summary/summary_message.h"

namespace millrace::ops {

Status DatasetIterator::Save(StateWriter&, const std::string&) {
  return Unimplemented("the state of this iterator cannot be saved");
}

Status DatasetIterator::Restore(StateReader&, const std::string&) {
  return Unimplemented("the state of this iterator cannot be restored");
}

StatusOr<DatasetRef> DatasetOfTensor(const Tensor& t) {
  if (t.dtype() != DataType::kVariant || t.rank() != 0) {
    return InvalidArgument(
        "Dataset tensor must be a scalar of dtype DT_VARIANT.");
  }
  const VariantElement& element = t.scalar<VariantElement>();
  if (element == nullptr || element->type_name() != DatasetValue::kTypeName) {
    return InvalidArgument("Tensor must be a Dataset object.");
  }
  return DatasetRef::Share(static_cast<const DatasetValue*>(element.get()));
}

std::unique_ptr<const DatasetOrigin> OriginOf(KernelContext& ctx) {
  auto origin = std::make_unique<DatasetOrigin>();
  origin->attrs = ctx.node().attrs;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    // A handle may own its resource, whose life must not change.
    const bool kept = ctx.input_type(i) != DataType::kResource;
    origin->inputs.push_back(kept ? ctx.input(i) : Tensor());
  }
  for (const auto& [name, value] : origin->attrs) {
    const bool calls = value.get<AttrValue::Func>() != nullptr ||
                       value.get<AttrValue::FuncList>() != nullptr;
    if (calls && ctx.step().functions != nullptr) {
      origin->functions = ctx.step().functions->source();
    }
  }
  return origin;
}

StatusOr<DatasetRef> DatasetOfInput(KernelContext& ctx, int i) {
  return DatasetOfTensor(ctx.input(i));
}

Status DatasetValue::Charge(int64_t more) {
  constexpr int64_t kBytes = 1024;  // the object and what it always has
  int64_t bytes = kBytes + more;
  for (const PartialShape& shape : signature_.shapes) {
    bytes += static_cast<int64_t>(sizeof(DataType) + sizeof(PartialShape) +
                                  sizeof(int64_t) * shape.dims().size());
  }
  return charge_.Set(bytes, "a data set");
}

int DepthOf(const Tensor& t) {
  if (t.dtype() != DataType::kVariant) return 0;
  int depth = 0;
  for (const VariantElement& element : t.flat<VariantElement>()) {
    if (element == nullptr) continue;
    const absl::string_view type = element->type_name();
    if (type == DatasetValue::kTypeName) {
      const auto& dataset = static_cast<const DatasetValue&>(*element);
      depth = std::max(depth, dataset.depth());
    } else if (type == WrappedDataset::kTypeName) {
      const auto& wrapped = static_cast<const WrappedDataset&>(*element);
      depth = std::max(depth, wrapped.dataset()->depth() + 1);
    }
  }
  return depth;
}

StatusOr<int> DepthAbove(const std::vector<DatasetRef>& inputs,
                         absl::Span<const Tensor> tensors) {
  int depth = 0;
  for (const DatasetRef& input : inputs)
    depth = std::max(depth, input->depth());
  for (const Tensor& t : tensors) depth = std::max(depth, DepthOf(t));
  if (depth >= DatasetValue::kMaxDepth) {
    return InvalidArgument("data sets nest deeper than ",
                           DatasetValue::kMaxDepth);
  }
  return depth + 1;
}

Tensor TensorOfDataset(const DatasetRef& dataset) {
  // Values of variants are never changed, although their type does not say so.
  return Tensor::Scalar<VariantElement>(
      VariantElement::Share(const_cast<DatasetValue*>(dataset.get())));
}

StatusOr<ElementSignature> DeclaredSignature(const KernelContext& ctx) {
  const AttrMap& attrs = ctx.node().attrs;
  ElementSignature s;
  const char* const types =
      attrs.Find("output_types") != nullptr ? "output_types" : "Toutput_types";
  MR_ASSIGN_OR_RETURN(s.types, GetAttr<AttrValue::TypeList>(attrs, types));
  MR_ASSIGN_OR_RETURN(s.shapes,
                      GetAttr<AttrValue::ShapeList>(attrs, "output_shapes"));
  return s;
}

StatusOr<ElementSignature> SignatureOf(const KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(ElementSignature s, DeclaredSignature(ctx));
  if (s.types.size() != s.shapes.size()) return ComponentsDiffer(s);
  return s;
}

Status ComponentsDiffer(const ElementSignature& declared) {
  return InvalidArgument("Number of components does not match: there are ",
                         declared.types.size(), " types in `output_types` and ",
                         declared.shapes.size(), " shapes in `output_shapes`");
}

ElementSignature SignatureOfAny(absl::Span<const DatasetRef> datasets) {
  ElementSignature any = datasets[0]->signature();
  for (const DatasetRef& dataset : datasets.subspan(1)) {
    const std::vector<PartialShape>& shapes = dataset->signature().shapes;
    for (size_t i = 0; i < any.shapes.size() && i < shapes.size(); ++i) {
      PartialShape& common = any.shapes[i];
      if (common.rank() != shapes[i].rank()) common = PartialShape();
      for (int d = 0; d < common.rank(); ++d) {
        if (common.dim(d) != shapes[i].dim(d)) common.set_dim(d, kUnknownDim);
      }
    }
  }
  return any;
}

StatusOr<bool> IsDeterministic(const AttrMap& attrs) {
  if (attrs.Find("sloppy") != nullptr) {
    MR_ASSIGN_OR_RETURN(const bool sloppy, GetAttr<bool>(attrs, "sloppy"));
    return !sloppy;
  }
  if (attrs.Find("deterministic") == nullptr) return true;
  MR_ASSIGN_OR_RETURN(const std::string text,
                      GetAttr<std::string>(attrs, "deterministic"));
  if (text == "true" || text == "default") return true;
  if (text == "false") return false;
  return InvalidArgument("Unrecognized determinism policy: ", text);
}

namespace {

Status CheckFunction(const FunctionLibrary& library,
                     const AttrValue::Func& function) {
  if (function == nullptr || library.Find(function->name) != nullptr) {
    return OkStatus();
  }
  return FailedPrecondition("Could not find required function definition ",
                            function->name);
}

}  // namespace

Status CheckDatasetNode(KernelContext& ctx) {
  const AttrMap& attrs = ctx.node().attrs;
  const AttrValue* const metadata = attrs.Find("metadata");
  if (metadata != nullptr) {
    MR_ASSIGN_OR_RETURN(const std::string bytes,
                        GetAttr<std::string>(attrs, "metadata"));
    if (!IsMessage(bytes)) {
      return InvalidArgument("Could not parse the 'metadata' attribute.");
    }
  }
  if (ctx.step().functions != nullptr) {
    const auto source = ctx.step().functions->source();
    for (const auto& [name, value] : attrs) {
      if (const auto* const one = value.get<AttrValue::Func>()) {
        MR_RETURN_IF_ERROR(CheckFunction(source->library(), *one));
      }
      if (const auto* const several = value.get<AttrValue::FuncList>()) {
        for (const AttrValue::Func& f : *several) {
          MR_RETURN_IF_ERROR(CheckFunction(source->library(), f));
        }
      }
    }
  }
  return IsDeterministic(attrs).status();
}

Status CheckTypes(absl::Span<const DataType> expected,
                  absl::Span<const DataType> got) {
  if (expected.size() != got.size()) {
    return InvalidArgument("Number of components does not match: expected ",
                           expected.size(), " types but got ", got.size(), ".");
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] != got[i]) {
      return InvalidArgument("Data type mismatch at component ", i,
                             ": expected ", DataTypeName(expected[i]),
                             " but got ", DataTypeName(got[i]), ".");
    }
  }
  return OkStatus();
}

Status CheckShapes(absl::Span<const PartialShape> expected,
                   absl::Span<const PartialShape> got) {
  if (expected.size() != got.size()) {
    return InvalidArgument("Number of components does not match: expected ",
                           expected.size(), " shapes but got ", got.size(),
                           ".");
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!expected[i].IsCompatibleWith(got[i])) {
      return InvalidArgument("Incompatible shapes at component ", i,
                             ": expected ", expected[i].DebugString(),
                             " but got ", got[i].DebugString(), ".");
    }
  }
  return OkStatus();
}

Status CheckElement(const ElementSignature& expected, const Element& got) {
  if (got.size() != expected.types.size()) {
    return InvalidArgument("Number of components does not match: expected ",
                           expected.types.size(), " types but got ", got.size(),
                           ".");
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i].dtype() != expected.types[i]) {
      return InvalidArgument("Data type mismatch at component ", i,
                             ": expected ", DataTypeName(expected.types[i]),
                             " but got ", DataTypeName(got[i].dtype()), ".");
    }
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (!expected.shapes[i].IsCompatibleWith(got[i].shape())) {
      return InvalidArgument("Incompatible shapes at component ", i,
                             ": expected ", expected.shapes[i].DebugString(),
                             " but got ", got[i].shape().DebugString(), ".");
    }
  }
  return OkStatus();
}

Status SetOutputs(KernelContext& ctx, Element element) {
  MR_ASSIGN_OR_RETURN(const ElementSignature expected, SignatureOf(ctx));
  MR_RETURN_IF_ERROR(CheckElement(expected, element));
  for (size_t i = 0; i < element.size(); ++i) {
    ctx.set_output(static_cast<int>(i), std::move(element[i]));
  }
  return OkStatus();
}

StatusOr<std::string> StringInput(KernelContext& ctx, int i,
                                  absl::string_view name) {
  const Tensor& t = ctx.input(i);
  if (t.rank() != 0) return InvalidArgument(name, " must be a scalar");
  return t.scalar<StringElement>().str();
}

}  // namespace millrace::ops
