// Special functions of double. NaN outside their domains. Relative errors are
// about 1e-13 where the result is not tiny.
#pragma once

namespace millrace::ops::special {

// log |gamma(x)|, from any thread.
double LogGamma(double x);
double Digamma(double x);
// The derivative of order n (a whole number) of Digamma.
double Polygamma(double n, double x);
// Sum of (q + k)^-x over k >= 0. At poles infinite for even x, else NaN.
double Zeta(double x, double q);
// Regularized incomplete gamma functions, lower and upper.
double IncompleteGamma(double a, double x);
double IncompleteGammaComplement(double a, double x);
// Regularized incomplete beta function.
double IncompleteBeta(double a, double b, double x);
// Inverses of erf and erfc.
double InverseErf(double x);
double InverseErfc(double x);

}  // namespace millrace::ops::special
