// Gradients of diagonals: elements on a diagonal and elements off it take
// different paths.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_GRADIENT(MatrixDiag)(GradContext& g) { g.Set(0, MatrixDiagPart(g, g.dy())); }
MR_GRADIENT(MatrixDiagV2)(GradContext& g) {
  g.Set(0, MatrixDiagPartV2(g, g.dy(), g.in(1), NumberLike(g, g.dy(), 0)));
}
MR_GRADIENT(MatrixDiagV3)(GradContext& g) {
  g.Set(0, MatrixDiagPartV3(g, g.dy(), g.in(1), NumberLike(g, g.dy(), 0),
                            {.align = g.Attr<std::string>("align")}));
}
MR_GRADIENT(MatrixDiagPart)(GradContext& g) {
  g.Set(0, MatrixSetDiag(g, ZerosLike(g, g.in(0)), g.dy()));
}
MR_GRADIENT(MatrixDiagPartV2)(GradContext& g) {
  g.Set(0, MatrixSetDiagV2(g, ZerosLike(g, g.in(0)), g.dy(), g.in(1)));
}
MR_GRADIENT(MatrixDiagPartV3)(GradContext& g) {
  g.Set(0, MatrixSetDiagV3(g, ZerosLike(g, g.in(0)), g.dy(), g.in(1),
                           {.align = g.Attr<std::string>("align")}));
}
MR_GRADIENT(MatrixSetDiag)(GradContext& g) {
  g.Set(0, MatrixSetDiag(g, g.dy(), ZerosLike(g, g.in(1))));
  g.Set(1, MatrixDiagPart(g, g.dy()));
}
MR_GRADIENT(MatrixSetDiagV2)(GradContext& g) {
  g.Set(0, MatrixSetDiagV2(g, g.dy(), ZerosLike(g, g.in(1)), g.in(2)));
  g.Set(1, MatrixDiagPartV2(g, g.dy(), g.in(2), NumberLike(g, g.dy(), 0)));
}
MR_GRADIENT(MatrixSetDiagV3)(GradContext& g) {
  const std::string align = g.Attr<std::string>("align");
  g.Set(0, MatrixSetDiagV3(g, g.dy(), ZerosLike(g, g.in(1)), g.in(2),
                           {.align = align}));
  g.Set(1, MatrixDiagPartV3(g, g.dy(), g.in(2), NumberLike(g, g.dy(), 0),
                            {.align = align}));
}

}  // namespace millrace::ops
