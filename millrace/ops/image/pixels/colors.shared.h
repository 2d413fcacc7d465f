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

// Multiplies the saturation and rebuilds the colour from sixths of the circle.
struct Saturate {
  float scale;
  MR_SHARED Triple<float> operator()(const Triple<float>& rgb) const {
    const Triple<float> hsv = ToHsv(rgb);
    const float s = Smaller(1.0f, Larger(0.0f, hsv.b * scale));
    const float chroma = s * hsv.c, low = hsv.c - chroma;
    const float h = hsv.a * 6;
    const float mid = chroma * (1 - Distance(fmodf(h, 2.0f) - 1));
    Triple<float> out{0, 0, 0};
    if (h < 1) {
      out = {chroma, mid, 0};
    } else if (h < 2) {
      out = {mid, chroma, 0};
    } else if (h < 3) {
      out = {0, chroma, mid};
    } else if (h < 4) {
      out = {0, mid, chroma};
    } else if (h < 5) {
      out = {mid, 0, chroma};
    } else if (h < 6) {
      out = {chroma, 0, mid};
    }
    return {out.a + low, out.b + low, out.c + low};
  }
};

// Adds `delta` to the hue. The middle one of the three colours lies between the
// smallest and the largest, and rises or falls along a sixth of the circle.
struct RotateHue {
  float delta;
  MR_SHARED Triple<float> operator()(const Triple<float>& rgb) const {
    const float r = rgb.a, g = rgb.b, b = rgb.c;
    int sixth;
    float low, mid, high;
    if (r < g) {
      sixth = b < r ? 1 : b > g ? 3 : 2;
      low = sixth == 1 ? b : r;
      mid = sixth == 1 ? r : sixth == 3 ? g : b;
      high = sixth == 3 ? b : g;
    } else {
      sixth = b < g ? 0 : b > r ? 4 : 5;
      low = sixth == 0 ? b : g;
      mid = sixth == 0 ? g : sixth == 4 ? r : b;
      high = sixth == 4 ? b : r;
    }
    float hue = 0;
    if (high != low) {
      const float part = (mid - low) / (high - low);
      hue = static_cast<float>(sixth) + (sixth % 2 == 0 ? part : 1 - part);
    }
    hue = fmodf(hue + delta * 6, 6.0f);
    if (hue < 0) hue += 6;
    if (hue >= 6) hue -= 6;
    // The hue is NaN if `delta` is not finite.
    const int to = hue >= 0 ? static_cast<int>(hue) : 5;
    const float along = hue - static_cast<float>(to);
    const float between =
        low + (to % 2 == 0 ? along : 1 - along) * (high - low);
    switch (to) {
      case 0:
        return {high, between, low};
      case 1:
        return {between, high, low};
      case 2:
        return {low, high, between};
      case 3:
        return {low, between, high};
      case 4:
        return {between, low, high};
      default:
        return {high, low, between};
    }
  }
};

// Returns x or the nearer bound. The lower bound wins,
// and NaN stays.
MR_SHARED float WithinBounds(float x, float least, float most) {
  const float low = most < x ? most : x;
  return low < least ? least : low;
}

}  // namespace colors
}  // namespace millrace::ops
