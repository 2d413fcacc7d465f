// The gradient of a sum of products is also a sum of products: the equation
// with the output and the operand exchanged.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// A subscript with one character for each label; '.' is an ellipsis.
using Subscript = std::string;

bool Has(const Subscript& s, char label) {
  return s.find(label) != std::string::npos;
}
std::string Equation(absl::string_view inputs, absl::string_view output) {
  return absl::StrReplaceAll(absl::StrCat(inputs, "->", output),
                             {{".", "..."}});
}

// Returns the dimension of a label, counted from the end if it is behind an
// ellipsis.
int AxisOf(const Subscript& s, char label) {
  const int at = static_cast<int>(s.find(label));
  const size_t ellipsis = s.find('.');
  if (ellipsis == std::string::npos || at < static_cast<int>(ellipsis)) {
    return at;
  }
  return at - static_cast<int>(s.size());
}

// Returns the gradient of `x` from `dy`, which has the labels `y`. Labels that
// `y` lacks were summed over, so all their elements have the same gradient.
Output SpreadOver(GradContext& g, const Output& dy, Subscript y,
                  const Output& x, const Subscript& x_labels) {
  Output spread = dy;
  Subscript missing;
  std::vector<Output> sizes;
  for (const char label : x_labels) {
    if (label == '.' || Has(y, label) || Has(missing, label)) continue;
    missing.push_back(label);
    sizes.push_back(Element(g, ShapeOf(g, x), AxisOf(x_labels, label)));
  }
  if (!missing.empty()) {
    spread = BroadcastTo(
        g, dy, ConcatV2(g, {Output(Pack(g, sizes)), ShapeOf(g, dy)}, 0));
    y = missing + y;
  }
  if (y == x_labels) return spread;
  return Einsum(g, {spread}, Equation(y, x_labels));
}

// Returns the gradient of operand `x` of a product with `other`.
Output GradientOf(GradContext& g, const Output& x, const Subscript& x_labels,
                  const Output& other, const Subscript& other_labels,
                  const Subscript& out) {
  Subscript kept;
  for (const char label : x_labels) {
    if (label == '.' || Has(out, label) || Has(other_labels, label)) {
      kept.push_back(label);
    }
  }
  const Output product =
      Einsum(g, {g.dy(), ConjOf(g, other)},
             Equation(absl::StrCat(out, ",", other_labels), kept));
  return kept == x_labels ? product : SpreadOver(g, product, kept, x, x_labels);
}

// Returns the shape of the dimensions of an ellipsis.
Output EllipsisShape(GradContext& g, const Output& x, const Subscript& labels) {
  const int begin = static_cast<int>(labels.find('.'));
  const int after = static_cast<int>(labels.size()) - begin - 1;
  return Part(g, ShapeOf(g, x), begin, after == 0 ? kToEnd : -after);
}
Output SumEllipsis(GradContext& g, const Output& dx, const Output& axes,
                   const Output& x, const Subscript& labels) {
  const int begin = static_cast<int>(labels.find('.'));
  return Reshape(g, Sum(g, dx, AddV2(g, axes, begin)), ShapeOf(g, x));
}

}  // namespace

MR_GRADIENT(Einsum)(GradContext& g) {
  const std::string text =
      absl::StrReplaceAll(g.Attr<std::string>("equation"), {{"...", "."}});
  const std::vector<std::string> sides = absl::StrSplit(text, "->");
  if (sides.size() != 2) return;  // a shape function has refused it
  std::vector<Subscript> inputs = absl::StrSplit(sides[0], ',');
  const Subscript& out = sides[1];
  if (inputs.size() == 1) {
    g.Set(0, SpreadOver(g, g.dy(), out, g.in(0), inputs[0]));
    return;
  }
  // An operand without an ellipsis has an empty one.
  for (Subscript& input : inputs) {
    if (Has(out, '.') && !Has(input, '.')) input.push_back('.');
  }
  const Output dx = GradientOf(g, g.in(0), inputs[0], g.in(1), inputs[1], out);
  const Output dy = GradientOf(g, g.in(1), inputs[1], g.in(0), inputs[0], out);
  if (!Has(out, '.')) {
    g.Set(0, dx);
    g.Set(1, dy);
    return;
  }
  const auto axes =
      BroadcastGradientArgs(g, EllipsisShape(g, g.in(0), inputs[0]),
                            EllipsisShape(g, g.in(1), inputs[1]));
  g.Set(0, SumEllipsis(g, dx, axes.r0, g.in(0), inputs[0]));
  g.Set(1, SumEllipsis(g, dy, axes.r1, g.in(1), inputs[1]));
}

}  // namespace millrace::ops
