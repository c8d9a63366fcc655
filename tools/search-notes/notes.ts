import { seededRandom } from '../example-data.ts';

const subjects = ['disk', 'queue', 'certificate', 'deploy', 'cache', 'login', 'backup', 'router', 'invoice', 'index'];
const verbs = ['filled up', 'was replaced', 'recovered by itself', 'failed twice', 'needs a review', 'was rolled back'];
const places = [
  'in the northern hall',
  'on the standby site',
  'after the night run',
  'during the drill',
  'at peak time',
];
const advice = ['See the runbook.', 'No customer was affected.', 'Two customers called.', 'Watch it for a week.'];

/** About 150 KB of notes, one per line; the last names the only follow-up that matters. */
export function notes(seed: number, query: string | undefined): string {
  const random = seededRandom(seed);
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] as string;
  const lines: string[] = [];
  for (let i = 1; i <= 1_600; i += 1) {
    lines.push(
      `note ${String(i).padStart(5, '0')}: The ${pick(subjects)} ${pick(verbs)} ${pick(places)}. ${pick(advice)} Ticket ${Math.floor(random() * 900_000) + 100_000}.`,
    );
  }
  lines.push(`note 01601: Final follow-up: renew certificate ${Math.floor(random() * 9000) + 1000} before Friday.`);
  const words = (query ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const hits =
    words.length === 0 ? lines : lines.filter((line) => words.some((word) => line.toLowerCase().includes(word)));
  return `${hits.join('\n')}\n`;
}
