#include <vector>

#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// Marks with 1 or 0 which of three colours is the largest, and which the
// smallest. Of equal ones it is the first, and the last.
struct Marks {
  Output largest[3], smallest[3];
};

Marks Compare(GradContext& g, const std::vector<Output>& rgb) {
  const DataType type = g.in(0).dtype();
  const auto number = [&](const Output& mask) { return Cast(g, mask, type); };
  const auto both = [&](const Output& a, const Output& b) {
    return number(LogicalAnd(g, a, b));
  };
  const Output &r = rgb[0], &gr = rgb[1], &b = rgb[2];
  return {{both(GreaterEqual(g, r, b), GreaterEqual(g, r, gr)),
           both(Greater(g, gr, r), GreaterEqual(g, gr, b)),
           both(Greater(g, b, r), Greater(g, b, gr))},
          {both(Less(g, r, b), Less(g, r, gr)),
           both(LessEqual(g, gr, r), Less(g, gr, b)),
           both(LessEqual(g, b, r), LessEqual(g, b, gr))}};
}

}  // namespace

// With m the smallest colour: value = v, saturation = 1 - m / v, hue = position
// of the largest + (difference of the two others) / 6 (v - m). As in stock, the
// gradient of saturation is 0 for colours of 0 and below, and that of hue is 0
// for all colours if the largest is one of those.
MR_GRADIENT(RGBToHSV)(GradContext& g) {
  const std::vector<Output> rgb = Unpack(g, g.in(0), 3, {.axis = -1});
  const std::vector<Output> dy = Unpack(g, g.dy(), 3, {.axis = -1});
  const Marks marks = Compare(g, rgb);
  const auto sum = [&](const Output& a, const Output& b, const Output& c) {
    return AddV2(g, AddV2(g, a, b), c);
  };
  const auto dot = [&](const Output* weights,
                       const std::vector<Output>& values) {
    return sum(Mul(g, weights[0], values[0]), Mul(g, weights[1], values[1]),
               Mul(g, weights[2], values[2]));
  };
  const Output v = dot(marks.largest, rgb), m = dot(marks.smallest, rgb);
  const Output one = OnesLike(g, v);
  const Output range = Sub(g, v, m);
  const Output three = sum(one, one, one);
  const Output turn = DivNoNan(g, one, Mul(g, AddV2(g, three, three), range));
  const Output differences = dot(
      marks.largest,
      {Sub(g, rgb[1], rgb[2]), Sub(g, rgb[2], rgb[0]), Sub(g, rgb[0], rgb[1])});
  const Output spread = DivNoNan(g, Mul(g, differences, turn), range);
  const Output over_v = DivNoNan(g, one, v);
  const auto positive = [&](const Output& x) {
    return Cast(g, Greater(g, x, 0), x.dtype());
  };
  const Output dy_hue = Mul(g, dy[0], positive(v));
  std::vector<Output> dx;
  for (size_t c = 0; c < 3; ++c) {
    const Output &largest = marks.largest[c], &smallest = marks.smallest[c];
    // The sign is positive if the colour before this one is the largest.
    const Output sign =
        Sub(g, marks.largest[(c + 2) % 3], marks.largest[(c + 1) % 3]);
    const Output hue =
        Sub(g, Mul(g, sign, turn), Mul(g, Sub(g, largest, smallest), spread));
    const Output saturation =
        Mul(g, Sub(g, Mul(g, Mul(g, largest, m), over_v), smallest), over_v);
    const Output dy_saturation = Mul(g, dy[1], positive(rgb[c]));
    dx.push_back(sum(Mul(g, dy_hue, hue), Mul(g, dy_saturation, saturation),
                     Mul(g, dy[2], largest)));
  }
  g.Set(0, Pack(g, dx, {.axis = -1}));
}
MR_NO_GRADIENT(HSVToRGB);

}  // namespace millrace::ops
