// The overlap of two boxes.
#pragma once

#include <algorithm>

namespace millrace::ops {

// Returns the area of the intersection over that of the union (IoU) of two
// boxes, each given by two opposite corners y, x, y, x; 0 if either has no
// area.
template <class T>
float BoxOverlap(const T* a, const T* b) {
  struct Sides {
    explicit Sides(const T* corners)
        : top(std::min(At(corners, 0), At(corners, 2))),
          left(std::min(At(corners, 1), At(corners, 3))),
          bottom(std::max(At(corners, 0), At(corners, 2))),
          right(std::max(At(corners, 1), At(corners, 3))) {}
    static float At(const T* corners, int i) {
      return static_cast<float>(corners[i]);
    }
    float Area() const { return (bottom - top) * (right - left); }
    float top, left, bottom, right;
  };
  const Sides p(a), q(b);
  const float areas[] = {p.Area(), q.Area()};
  if (areas[0] <= 0 || areas[1] <= 0) return 0;
  const float height =
      std::max(std::min(p.bottom, q.bottom) - std::max(p.top, q.top), 0.0f);
  const float width =
      std::max(std::min(p.right, q.right) - std::max(p.left, q.left), 0.0f);
  const float both = height * width;
  return both / (areas[0] + areas[1] - both);
}

}  // namespace millrace::ops
