/**
 * The error function, which JavaScript lacks: by a series whose terms are all of one sign, to the last digit or two.
 *
 *     erf(x) = 2 / sqrt(pi) * exp(-x^2) * (x + 2 x^3 / 3 + 4 x^5 / (3 * 5) + ...)
 */
export function erf(x: number): number {
  if (Math.abs(x) > 6) return Math.sign(x); // it differs from one by less than a double can say
  let term = x;
  let sum = x;
  for (let odd = 3; Math.abs(term) > Math.abs(sum) * Number.EPSILON * 0.1; odd += 2) {
    term *= (2 * x * x) / odd;
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}
