// Display: what a person sees of the training while it goes on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/demo/demo_options.h"

namespace millrace::demo {

struct WorkerView {
  std::string state = "starting";  // shown instead of figures unless "training"
  int64_t step = 0;                // the global step it saw last
  double loss = 0;
  double rate = 0;  // examples a second
};

// On a terminal one live line a worker below everything else, elsewhere plain
// lines every few seconds. One thread.
class Display {
 public:
  // `columns`: of the terminal; 0: it is none; -1: look.
  explicit Display(const DemoOptions& options, int columns = -1);
  // Lines that stay.
  void Print(const std::string& text);
  // The same, with the words of `rest` after `first`, in as many lines as they
  // need.
  void PrintWords(const std::string& first,
                  const std::vector<std::string>& rest);
  // What the workers are doing now; `rate` of all together tells the time left.
  void Show(const std::vector<WorkerView>& workers);
  // Takes the live lines away.
  void Clear();

 private:
  std::string LineOf(size_t index, const WorkerView& view, double rate) const;
  int columns() const;
  std::string EraseLive();
  // At once, so that the lines do not flicker.
  static void Write(const std::string& text);

  const int64_t last_step_;
  const int64_t batch_;
  const int given_columns_;
  const bool terminal_;
  std::vector<std::string> live_;  // the live lines that are shown
  int64_t shown_nanos_ = 0;
};

// "1:05", "12:00:00"
std::string TimeText(double seconds);
// "1.2 MB"
std::string BytesText(int64_t bytes);
// "12,345"
std::string CountText(int64_t count);
// Columns are as wide as they need to be, those from `first_right` on aligned
// to the right; the first row is the heading.
std::string TableText(const std::vector<std::vector<std::string>>& rows,
                      size_t first_right);

}  // namespace millrace::demo
