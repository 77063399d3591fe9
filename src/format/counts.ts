/** Writes a count with its noun in the right number. */

/** `counted(1, 'pair', 'pairs')` is "1 pair". */
export function counted(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`;
}
