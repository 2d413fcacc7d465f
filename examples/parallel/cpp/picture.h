// Pictures as SVG, which any browser shows: panels side by side, of lines or of
// bars.
//
//   Picture("Spare replicas", {BarsPanel("median step in ms", {...}),
//                              LinesPanel("seconds", "accuracy", {...})})
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace millrace::parallel {

struct Line {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x and y, in their order
};

struct Bar {
  std::string name;
  double value = 0;  // below 0: none
};

// A part of a picture, as SVG of a fixed size.
struct Panel {
  std::string svg;
};

// The x axis begins at 0, and so does the y axis if that leaves at most half of
// the panel empty.
Panel LinesPanel(const std::string& x_axis, const std::string& y_axis,
                 const std::vector<Line>& lines);
// Bars from 0, one below the other, each with its number.
Panel BarsPanel(const std::string& axis, const std::vector<Bar>& bars);

// Characters that SVG would take for its own are replaced in all texts.
std::string Picture(const std::string& title, const std::vector<Panel>& panels);

}  // namespace millrace::parallel
