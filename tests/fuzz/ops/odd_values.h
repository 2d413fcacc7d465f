// OddValues: numbers, shapes, strings, tensors and attributes as nobody means
// them.
#pragma once

#include <string>

#include "millrace/base/random.h"
#include "tests/fuzz/ops/material.h"

namespace millrace::fuzz {

// Values of one case; the same seed gives the same ones. One thread.
class OddValues {
 public:
  // Requires: `material` and `op` outlive this.
  OddValues(const Material& material, const FuzzedOp& op, uint64_t seed);

  // Returns a number in [0, n). Requires: n > 0.
  uint64_t Below(uint64_t n) { return rng_.Uniform(n); }
  // Returns true once in n times.
  bool OneIn(uint64_t n) { return Below(n) == 0; }
  template <class C>
  const auto& OneOf(const C& list) {
    return list[Below(std::size(list))];
  }

  // Returns a small number mostly, otherwise one at which sizes and places go
  // wrong.
  int64_t Int();
  // Returns a shape of at most some thousand elements; often the same one
  // within a case, so that inputs fit each other, and now and then one without
  // elements whose other sizes are huge.
  TensorShape Shape();
  std::string Text();
  // Returns a tensor of any type but references. Handles in it are of no
  // resource, or of a wrong one.
  Tensor Of(DataType type) { return Of(type, Shape()); }
  Tensor Of(DataType type, const TensorShape& shape);
  // Returns `t` with another shape, another element, or other values.
  Tensor Changed(const Tensor& t);

  // Returns a type that a kernel of the op takes for the attribute; sometimes
  // any other one.
  DataType Type(const AttrDef& attr);
  // Returns a value for an attribute, mostly of the right kind.
  AttrValue Attr(const AttrDef& attr);

 private:
  TensorShape AnyShape();
  TensorShape HugeShape();
  PartialShape DeclaredShape();
  std::string Damaged(std::string text);
  Tensor Numbers(DataType type, const TensorShape& shape);
  Tensor Handles(const TensorShape& shape);
  Tensor Variants(const TensorShape& shape);
  void ChangeElement(Tensor* t);
  AttrValue Element(const AttrDef& attr, absl::string_view kind);
  AttrValue List(const AttrDef& attr);

  const Material& material_;
  const FuzzedOp& op_;
  Rng rng_;
  TensorShape base_;
};

}  // namespace millrace::fuzz
