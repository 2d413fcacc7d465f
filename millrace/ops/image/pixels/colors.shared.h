// Colours of one pixel on any device: C++ includes this behind <cmath> and
// shared_text.h, and it stands before colors.gpu.cu in texts for GPUs. So it
// includes nothing.
#pragma once

namespace millrace::ops {
namespace colors {

template <class S>
struct Triple {
  S a, b, c;
};

// Where one is no number, these return `a`.
template <class S>
MR_SHARED S Smaller(S a, S b) {
  return b < a ? b : a;
}
template <class S>
MR_SHARED S Larger(S a, S b) {
  return a < b ? b : a;
}
template <class S>
MR_SHARED S Distance(S x) {
  return x < 0 ? -x : x;
}

// Converts [red, green, blue] to [hue, saturation, value].
template <class S>
MR_SHARED Triple<S> ToHsv(const Triple<S>& rgb) {
  const S value = Larger(rgb.a, Larger(rgb.b, rgb.c));
  const S range = value - Smaller(rgb.a, Smaller(rgb.b, rgb.c));
  const S norm = S(1) / (S(6) * range);
  S hue;
  if (rgb.a == value) {
    hue = norm * (rgb.b - rgb.c);
  } else if (rgb.b == value) {
    hue = norm * (rgb.c - rgb.a) + S(2) / S(6);
  } else {
    hue = norm * (rgb.a - rgb.b) + S(4) / S(6);
  }
  if (!(range > 0)) hue = 0;
  if (hue < 0) hue += 1;
  return {hue, value > 0 ? range / value : S(0), value};
}

// Returns the intensity of a colour at a distance of `away` sixths of the
// circle from its own hue.
template <class S>
MR_SHARED S Ramp(S away) {
  return Smaller(S(1), Larger(S(0), away));
}

template <class S>
MR_SHARED Triple<S> ToRgb(const Triple<S>& hsv) {
  const S h = hsv.a * 6, s = hsv.b, v = hsv.c;
  const S rest = 1 - s;
  return {(rest + s * Ramp(Distance(h - 3) - 1)) * v,
          (rest + s * Ramp(2 - Distance(h - 2))) * v,
          (rest + s * Ramp(2 - Distance(h - 4))) * v};
}

// Multiplies the saturation. As in stock, a hue that was rounded up to a whole
// circle gives a grey.
struct Saturate {
  float scale;
  MR_SHARED Triple<float> operator()(const Triple<float>& rgb) const {
    const Triple<float> hsv = ToHsv(rgb);
    const float s = Smaller(1.0f, Larger(0.0f, hsv.b * scale));
    const Triple<float> out = ToRgb(Triple<float>{hsv.a, s, hsv.c});
    const float low = hsv.c - s * hsv.c;
    const bool grey = !(hsv.a * 6 < 6);
    return {grey ? low : out.a, grey ? low : out.b, grey ? low : out.c};
  }
};

// Adds `delta`, whose magnitude is at most 1 if kSmall, to the hue. The
// smallest and the largest of the three colours stay what they are. Without
// branches, so that vectors can hold many pixels.
template <bool kSmall>
struct RotateHueBy {
  float delta;
  MR_SHARED Triple<float> operator()(const Triple<float>& rgb) const {
    const float r = rgb.a, g = rgb.b, b = rgb.c;
    const float high = Larger(r, Larger(g, b)), low = Smaller(r, Smaller(g, b));
    const float range = high - low;
    // How far the hue is from that of the largest, in sixths of the circle.
    const float away = (r == high ? g - b : g == high ? b - r : r - g) / range;
    const float of_high = r == high ? 0.0f : g == high ? 2.0f : 4.0f;
    float hue = range > 0 ? of_high + away : 0;
    hue = hue < 0 ? hue + 6 : hue;
    hue = hue + delta * 6;
    if (kSmall) {
      hue = hue >= 6 ? hue - 6 : hue;
    } else {
      hue = fmodf(hue, 6.0f);
    }
    hue = hue < 0 ? hue + 6 : hue;
    hue = hue >= 6 ? hue - 6 : hue;
    return {low + range * Ramp(Distance(hue - 3) - 1),
            low + range * Ramp(2 - Distance(hue - 2)),
            low + range * Ramp(2 - Distance(hue - 4))};
  }
};
using RotateHue = RotateHueBy<false>;

// Returns x or the nearer bound. The lower bound wins,
// and NaN stays.
MR_SHARED float WithinBounds(float x, float least, float most) {
  const float low = most < x ? most : x;
  return low < least ? least : low;
}

}  // namespace colors
}  // namespace millrace::ops
