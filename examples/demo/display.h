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

// On a terminal one live line a worker, elsewhere plain lines every few
// seconds. One thread.
class Display {
 public:
  Display(const DemoOptions& options, bool terminal);
  // A line that stays.
  void Print(const std::string& line);
  // What the workers are doing now; `rate` of all together tells the time left.
  void Show(const std::vector<WorkerView>& workers);
  // Takes the live lines away.
  void Clear();

 private:
  std::string LineOf(size_t index, const WorkerView& view, double rate) const;

  const int64_t last_step_;
  const int64_t batch_;
  const bool terminal_;
  int live_lines_ = 0;
  int64_t shown_nanos_ = 0;
  std::vector<WorkerView> workers_;
};

// "1:05", "12:00:00"
std::string TimeText(double seconds);
// "1.2 MB"
std::string BytesText(int64_t bytes);
// "12,345"
std::string CountText(int64_t count);
// Columns are as wide as they need to be; the first row is the heading.
std::string TableText(const std::vector<std::vector<std::string>>& rows);

}  // namespace millrace::demo
