#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(Transpose)(GradContext& g) {
  g.Set(0, Transpose(g, g.dy(), InvertPermutation(g, g.in(1))));
}

MR_GRADIENT(ConjugateTranspose)(GradContext& g) {
  g.Set(0, ConjugateTranspose(g, g.dy(), InvertPermutation(g, g.in(1))));
}

MR_NO_GRADIENT(InvertPermutation);

}  // namespace millrace::ops
