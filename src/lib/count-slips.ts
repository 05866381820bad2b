/** Counts letters that are missing, added, wrong or swapped with the next one (optimal string alignment). */
export function countSlips(typed: string, meant: string): number {
  let before: number[] = [];
  let above = Array.from({ length: meant.length + 1 }, (_, column) => column);
  for (let row = 1; row <= typed.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= meant.length; column += 1) {
      const mistaken = typed[row - 1] === meant[column - 1] ? 0 : 1;
      const swapped = typed[row - 1] === meant[column - 2] && typed[row - 2] === meant[column - 1];
      line.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (line[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + mistaken,
          swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = above;
    above = line;
  }
  return above[meant.length] ?? 0;
}
