/** Sum, average or median of the numbers among the values; the rest is left out. Null for none, but a sum is 0. */
export function aggregate(values: number[], operation: "sum" | "average" | "median"): number | null {
  const numbers = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);
  if (values.length > 0 && numbers.length === 0) throw new Error("None of the values is a number.");
  const sum = numbers.reduce((total, value) => total + value, 0);
  const tidy = Number.isInteger(sum) ? sum : Number(sum.toPrecision(15)); // 0.1 + 0.2 is 0.3
  if (operation === "sum") return tidy;
  if (numbers.length === 0) return null;
  if (operation === "average") return tidy / numbers.length;
  const middle = Math.floor(numbers.length / 2);
  const upper = numbers[middle] ?? 0;
  return numbers.length % 2 === 1 ? upper : ((numbers[middle - 1] ?? 0) + upper) / 2;
}

/** The least or the greatest value: of the numbers if there are any, else of the texts. Null for none. */
export function extreme(values: unknown[], which: "min" | "max"): unknown {
  const sign = which === "max" ? 1 : -1;
  let best: unknown = null;
  let bestNumber = Number.NaN;
  for (const value of values) {
    if (value === null || value === undefined || String(value).trim() === "") continue;
    const number = Number(String(value).replace(/[$€£%\s]|,(?=\d{3}\b)/g, ""));
    const isBetter = Number.isNaN(bestNumber)
      ? best === null || !Number.isNaN(number) || sign * String(value).localeCompare(String(best), "en") > 0
      : sign * (number - bestNumber) > 0;
    if (!isBetter) continue;
    best = Number.isNaN(number) ? value : number;
    bestNumber = number;
  }
  return best;
}
