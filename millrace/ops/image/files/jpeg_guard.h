// JpegGuard: handles errors, which jump, and stops long work while reading and
// writing with libjpeg. For jpeg_*.cpu.cc only.
#pragma once

#include <csetjmp>
#include <cstddef>  // before jpeglib.h, which needs size_t and FILE
#include <cstdio>
//
#include <jpeglib.h>

#include "millrace/ops/image/files/codec.h"

namespace millrace::ops {

// Handles errors of libjpeg, which calls a function that must not return; ours
// jumps back into Guarded. Therefore every call of libjpeg is in a Guarded
// function, which has no variables with destructors and, while libjpeg is above
// it on the stack, calls nothing that has any. For one thread.
class JpegGuard {
 public:
  // More scans than any encoder writes; each costs a pass over the image.
  static constexpr int kMaxScans = 500;

  explicit JpegGuard(StopCheck stop) : stop_(stop) {}
  JpegGuard(const JpegGuard&) = delete;
  JpegGuard& operator=(const JpegGuard&) = delete;

  // Sets the error handling of a struct that is not created yet.
  void Attach(j_common_ptr info);
  // Makes libjpeg ask whether to stop. Requires: the struct is created.
  void Watch(j_common_ptr info);

  // Runs f(p). Returns false if libjpeg failed.
  template <class P>
  bool Guarded(P* p, void (*f)(P*)) {
    if (setjmp(jump_) != 0) return false;
    f(p);
    return true;
  }

  // Returns why the work was stopped; OK if it was not.
  const Status& stopped() const { return stopped_; }
  // Returns libjpeg's message in brackets, or "" if there is none.
  std::string Words() const;

 private:
  static void Fail(j_common_ptr info);
  static void Warn(j_common_ptr info, int level);
  static void Print(j_common_ptr) {}
  static void Progress(j_common_ptr info);
  bool AskStop();

  jpeg_error_mgr errors_ = {};
  jpeg_progress_mgr progress_ = {};
  std::jmp_buf jump_;
  char words_[JMSG_LENGTH_MAX] = {};
  StopCheck stop_;
  Status stopped_;
};

}  // namespace millrace::ops
