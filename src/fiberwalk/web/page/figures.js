/** A dataset of JSON-stat as rows and columns. */

/** The grid of a dataset: rows and columns are lists of {labels, places, total}. */
export function gridOf(dims, values, columns, withTotals) {
  const size = dims.map((dim) => dim.labels.length);
  const step = size.map((_, place) => size.slice(place + 1).reduce((all, one) => all * one, 1));
  const total = (place, label) => withTotals && label === size[place] - 1;
  const across = dims.map((dim, place) => place).filter((place) => columns.includes(dims[place].name));
  const down = dims.map((dim, place) => place).filter((place) => !columns.includes(dims[place].name));
  across.sort((a, b) => columns.indexOf(dims[a].name) - columns.indexOf(dims[b].name));
  const lines = (places) => {
    let found = [{ labels: [], start: 0, total: false }];
    for (const place of places) {
      found = found.flatMap((line) => dims[place].labels.map((label, number) => ({
        labels: [...line.labels, label], start: line.start + number * step[place], total: line.total || total(place, number),
      })));
    }
    return found;
  };
  const rows = lines(down);
  rows.forEach((row, number) => { row.number = number; });
  return {
    rows, columns: lines(across), values,
    rowDims: down.map((place) => dims[place].name), columnDims: across.map((place) => dims[place].name),
    place: (row, column) => row.start + column.start,
    value: (row, column) => values[row.start + column.start],
  };
}

export const dimsOf = (dataset) => dataset.id.map((name) => ({ name, labels: dataset.dimension[name].category.index }));

/** Rows in the order of a column, or as they came; rows of totals stay last. */
export function sorted(grid, by) {
  if (by === null) return grid.rows;
  const column = grid.columns[by.column];
  const sign = by.down ? -1 : 1;
  const key = (row) => grid.value(row, column) ?? null;
  const compare = (a, b) => {
    if (a.total !== b.total) return a.total - b.total;
    if (by.column === -1) return sign * (a.number - b.number);
    const [one, other] = [key(a), key(b)];
    if (one === null || other === null) return (one === null) - (other === null) || a.number - b.number;
    return sign * (one - other) || a.number - b.number;
  };
  return [...grid.rows].sort(compare);
}

/** How far totals are at most from what they should add up to; nothing where a figure is withheld. */
export function largestGap(dims, values) {
  const size = dims.map((dim) => dim.labels.length);
  const step = size.map((_, place) => size.slice(place + 1).reduce((all, one) => all * one, 1));
  let gap = 0;
  for (let place = 0; place < size.length; place += 1) {
    for (let cell = 0; cell < values.length; cell += 1) {
      if (Math.floor(cell / step[place]) % size[place] !== size[place] - 1) continue;
      let sum = 0;
      for (let back = 1; back < size[place]; back += 1) {
        const value = values[cell - back * step[place]];
        sum = value === null ? NaN : sum + value;
      }
      const off = Math.abs(sum - (values[cell] ?? NaN));
      if (off > gap) gap = off;
    }
  }
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  return gap > 1e-9 * largest ? gap : 0; // sums of decimals are not exact
}

/** How many decimals figures are shown with. */
export function decimalsOf(values, mean) {
  if (mean) return 2;
  const most = values.reduce((digits, value) => Math.max(digits, value === null || Number.isInteger(value) ? 0 : 1), 0);
  return most;
}
