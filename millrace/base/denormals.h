// Flush-to-zero: kernels treat numbers below 1.2e-38 (float) as zero, on input
// and output, as TensorFlow's do; they would cost a hundred times as much.
#pragma once

namespace millrace {

// Sets both bits of this thread for the scope; nothing where the processor has
// no such mode.
class ScopedFlushDenormals {
 public:
  ScopedFlushDenormals();
  ~ScopedFlushDenormals();
  ScopedFlushDenormals(const ScopedFlushDenormals&) = delete;
  ScopedFlushDenormals& operator=(const ScopedFlushDenormals&) = delete;

 private:
  unsigned previous_ = 0;
};

// Whether the calling thread flushes.
bool FlushesDenormals();

}  // namespace millrace
