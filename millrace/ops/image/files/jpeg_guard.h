// What reading and writing with libjpeg share: errors that jump, and the end of
// long work. Only for jpeg_*.cpu.cc.
#pragma once

#include <csetjmp>
#include <cstddef>  // before jpeglib.h, which needs size_t and FILE
#include <cstdio>
//
#include <jpeglib.h>

#include "millrace/ops/image/files/codec.h"

namespace millrace::ops {

// libjpeg reports an error by a function that must not return. Ours jumps back
// into Guarded. So every call of libjpeg lies in a Guarded function, which has
// no variables with destructors and calls nothing that has them on the stack
// while libjpeg is above it. One thread.
class JpegGuard {
 public:
  // More scans than any encoder writes; each costs a pass over the picture.
  static constexpr int kMaxScans = 500;

  explicit JpegGuard(StopCheck stop) : stop_(stop) {}
  JpegGuard(const JpegGuard&) = delete;
  JpegGuard& operator=(const JpegGuard&) = delete;

  // Sets error handling of a struct that is not created yet.
  void Attach(j_common_ptr info);
  // Lets libjpeg ask for a stop. After creation.
  void Watch(j_common_ptr info);

  // Runs f(p). False if libjpeg gave up.
  template <class P>
  bool Guarded(P* p, void (*f)(P*)) {
    if (setjmp(jump_) != 0) return false;
    f(p);
    return true;
  }

  // Why work was stopped, OK if it was not.
  const Status& stopped() const { return stopped_; }
  // libjpeg's words in brackets, if there are any.
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
