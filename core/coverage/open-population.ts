/** What is said of a search in place of a total: it was executed, and so many hits are held (DESIGN 5.4). */
export function searchExecuted(hits: number): string {
  return `the search was executed, ${hits} ${hits === 1 ? 'hit is' : 'hits are'} held`;
}
