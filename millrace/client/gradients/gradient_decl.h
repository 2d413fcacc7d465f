// Declares the gradient of an op, in files x.grad.cc beside its kernels:
//
//   MR_GRADIENT(Tanh)(GradContext& g) {
//     g.Set(0, ops::TanhGrad(g, g.out(0), g.dy()));
//   }
//   MR_NO_GRADIENT(Shape);
//
// The second is for ops whose outputs do not depend on values smoothly, or for
// which TensorFlow gives none. There the gradient ends without an error; at an
// op of which nothing is declared it is an error (client/gradients.h).
#pragma once

namespace millrace {

class GradContext;

struct GradientDecl {
  const char* op;
  // Null: MR_NO_GRADIENT, nothing goes back through the op.
  void (*build)(GradContext&);
};

}  // namespace millrace

#define MR_GRADIENT(Name)                                      \
  static void mr_gradient_fn_##Name(::millrace::GradContext&); \
  extern const ::millrace::GradientDecl mr_gradient_##Name;    \
  constinit const ::millrace::GradientDecl mr_gradient_##Name{ \
      #Name, &mr_gradient_fn_##Name};                          \
  static void mr_gradient_fn_##Name

#define MR_NO_GRADIENT(Name)                                \
  extern const ::millrace::GradientDecl mr_gradient_##Name; \
  constinit const ::millrace::GradientDecl mr_gradient_##Name { #Name, nullptr }
