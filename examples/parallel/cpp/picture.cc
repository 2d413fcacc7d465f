#include "examples/parallel/cpp/picture.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace millrace::parallel {
namespace {

// In pixels.
constexpr double kPanelWidth = 560;
constexpr double kPanelHeight = 380;
constexpr double kTitleHeight = 30;
constexpr double kLeft = 60;
constexpr double kRight = 20;
constexpr double kTop = 30;
constexpr double kBottom = 46;
constexpr double kRow = 26;         // of a bar, and of a name in the legend
constexpr double kBarNames = 200;   // left of the bars
constexpr double kBarValues = 70;   // right of them
constexpr double kLetterWidth = 7;  // about

// Those of the Python programs' pictures, too.
constexpr const char* kColours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                    "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f"};
constexpr char kGrid[] = "#e4e4e4";
constexpr char kInk[] = "black";

const char* Colour(size_t i) { return kColours[i % std::size(kColours)]; }

struct Place {
  double x = 0;
  double y = 0;
};

// `anchor`: start, middle or end.
std::string Word(Place at, const char* anchor, const std::string& text) {
  return absl::StrFormat(
      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", at.x, at.y,
      anchor,
      absl::StrReplaceAll(
          text,
          {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}}));
}

std::string Stroke(Place from, Place to, const char* colour) {
  return absl::StrFormat(
      "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
      "stroke=\"%s\"/>\n",
      from.x, from.y, to.x, to.y, colour);
}

std::string Box(Place at, double width, double height, const char* colour) {
  return absl::StrFormat(
      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
      "fill=\"%s\"/>\n",
      at.x, at.y, width, height, colour);
}

// A range of numbers, with ticks at equal distances that are short to write.
struct Axis {
  double from = 0;
  double to = 1;
  double tick = 0.25;

  double Share(double value) const { return (value - from) / (to - from); }
  std::vector<double> Ticks() const {
    const auto count = static_cast<int64_t>(std::round((to - from) / tick));
    std::vector<double> ticks;
    for (int64_t i = 0; i <= count; ++i) {
      ticks.push_back(from + static_cast<double>(i) * tick);
    }
    return ticks;
  }
};

Axis AxisFor(double least, double most) {
  constexpr double kTicks = 6;
  if (!(least <= most)) return {};  // nothing is shown
  if (least > 0 && most < 2 * (most - least)) least = 0;
  if (least == most) most = least + (least == 0 ? 1 : std::abs(least));
  const double rough = (most - least) / kTicks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  Axis axis;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    axis.tick = factor * power;
    if (axis.tick >= rough) break;
  }
  axis.from = std::floor(least / axis.tick) * axis.tick;
  axis.to = std::ceil(most / axis.tick) * axis.tick;
  return axis;
}

// "0.25", without the digits that rounding leaves.
std::string TickText(double value) { return absl::StrFormat("%.6g", value); }

struct Frame {
  Axis x;
  Axis y;

  Place At(double at_x, double at_y) const {
    return {kLeft + x.Share(at_x) * (kPanelWidth - kLeft - kRight),
            kPanelHeight - kBottom -
                y.Share(at_y) * (kPanelHeight - kTop - kBottom)};
  }
};

Frame FrameOf(const std::vector<Line>& lines) {
  double most_x = 0;
  double least_y = std::numeric_limits<double>::infinity();
  double most_y = -least_y;
  for (const Line& line : lines) {
    for (const auto& [x, y] : line.points) {
      most_x = std::max(most_x, x);
      least_y = std::min(least_y, y);
      most_y = std::max(most_y, y);
    }
  }
  return {.x = AxisFor(0, most_x), .y = AxisFor(least_y, most_y)};
}

std::string Axes(const Frame& frame, const std::string& x_axis,
                 const std::string& y_axis) {
  std::string svg;
  for (const double x : frame.x.Ticks()) {
    const Place at = frame.At(x, frame.y.from);
    svg += Stroke(at, frame.At(x, frame.y.to), kGrid);
    svg += Word({at.x, at.y + 16}, "middle", TickText(x));
  }
  for (const double y : frame.y.Ticks()) {
    const Place at = frame.At(frame.x.from, y);
    svg += Stroke(at, frame.At(frame.x.to, y), kGrid);
    svg += Word({at.x - 6, at.y + 4}, "end", TickText(y));
  }
  const Place corner = frame.At(frame.x.from, frame.y.from);
  svg += Stroke(corner, frame.At(frame.x.to, frame.y.from), kInk);
  svg += Stroke(corner, frame.At(frame.x.from, frame.y.to), kInk);
  svg += Word({kPanelWidth - kRight, kPanelHeight - 10}, "end", x_axis);
  return svg + Word({10, kTop - 12}, "start", y_axis);
}

// At the lower right, where curves that rise are not.
std::string Legend(const std::vector<Line>& lines) {
  size_t longest = 0;
  for (const Line& line : lines) longest = std::max(longest, line.name.size());
  Place at = {
      kPanelWidth - kRight - 30 - kLetterWidth * static_cast<double>(longest),
      kPanelHeight - kBottom - kRow * static_cast<double>(lines.size())};
  std::string svg;
  for (size_t i = 0; i < lines.size(); ++i, at.y += kRow) {
    svg += Box(at, 16, 4, Colour(i));
    svg += Word({at.x + 22, at.y + 6}, "start", lines[i].name);
  }
  return svg;
}

}  // namespace

Panel LinesPanel(const std::string& x_axis, const std::string& y_axis,
                 const std::vector<Line>& lines) {
  const Frame frame = FrameOf(lines);
  std::string svg = Axes(frame, x_axis, y_axis);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string points;
    for (const auto& [x, y] : lines[i].points) {
      const Place at = frame.At(x, y);
      absl::StrAppendFormat(&points, "%s%.1f,%.1f", points.empty() ? "" : " ",
                            at.x, at.y);
    }
    absl::StrAppendFormat(&svg,
                          "<polyline points=\"%s\" fill=\"none\" "
                          "stroke=\"%s\" stroke-width=\"2\"/>\n",
                          points, Colour(i));
  }
  return {.svg = svg + Legend(lines)};
}

Panel BarsPanel(const std::string& axis, const std::vector<Bar>& bars) {
  double most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.value);
  std::string svg = Word({kBarNames, kTop - 12}, "start", axis);
  double y = kTop;
  for (size_t i = 0; i < bars.size(); ++i, y += kRow) {
    const double value = bars[i].value;
    const double length =
        most > 0 && value > 0
            ? value / most * (kPanelWidth - kBarNames - kBarValues)
            : 0;
    svg += Word({kBarNames - 8, y + 14}, "end", bars[i].name);
    svg += Box({kBarNames, y}, length, kRow - 8, Colour(i));
    svg += Word({kBarNames + length + 6, y + 14}, "start",
                value < 0 ? "-" : absl::StrFormat("%.4g", value));
  }
  return {.svg = svg};
}

std::string Picture(const std::string& title,
                    const std::vector<Panel>& panels) {
  const double width = kPanelWidth * static_cast<double>(panels.size());
  const double height = kTitleHeight + kPanelHeight;
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
      "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n",
      width, height, width, height);
  svg += Box({}, width, height, "white");
  svg += Word({width / 2, kTitleHeight - 8}, "middle", title);
  for (size_t i = 0; i < panels.size(); ++i) {
    absl::StrAppendFormat(
        &svg, "<g transform=\"translate(%.0f,%.0f)\">\n%s</g>\n",
        kPanelWidth * static_cast<double>(i), kTitleHeight, panels[i].svg);
  }
  return svg + "</svg>\n";
}

}  // namespace millrace::parallel
