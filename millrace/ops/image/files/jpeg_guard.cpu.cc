#include "millrace/ops/image/files/jpeg_guard.h"

#include <cstring>

namespace millrace::ops {

void JpegGuard::Attach(j_common_ptr info) {
  info->err = jpeg_std_error(&errors_);
  errors_.error_exit = &Fail;
  errors_.emit_message = &Warn;
  errors_.output_message = &Print;
  info->client_data = this;
}

void JpegGuard::Watch(j_common_ptr info) {
  progress_.progress_monitor = &Progress;
  info->progress = &progress_;
}

void JpegGuard::Fail(j_common_ptr info) {
  auto* const guard = static_cast<JpegGuard*>(info->client_data);
  info->err->format_message(info, guard->words_);
  std::longjmp(guard->jump_, 1);
}

// Called for damaged data only: libjpeg continues with grey.
void JpegGuard::Warn(j_common_ptr info, int level) {
  if (level < 0) ++info->err->num_warnings;
}

bool JpegGuard::AskStop() {
  stopped_ = stop_();
  return !stopped_.ok();
}

void JpegGuard::Progress(j_common_ptr info) {
  auto* const guard = static_cast<JpegGuard*>(info->client_data);
  if (info->is_decompressor &&
      reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMaxScans) {
    std::strcpy(guard->words_, "too many scans");
    std::longjmp(guard->jump_, 1);
  }
  if (guard->AskStop()) std::longjmp(guard->jump_, 1);
}

std::string JpegGuard::Words() const {
  return words_[0] == 0 ? "" : absl::StrCat(" (", words_, ")");
}

}  // namespace millrace::ops
