#include "millrace/ops/arithmetic/special_functions.h"

#include <cmath>

#include "millrace/ops/arithmetic/special_functions.shared.h"

namespace millrace::ops::special {

double LogGamma(double x) {
  int sign;  // plain lgamma writes a global variable
  return ::lgamma_r(x, &sign);
}

}  // namespace millrace::ops::special
