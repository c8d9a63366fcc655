import type { ColumnProfile, Profile } from '../../../core/profile/profile.ts';
import { ProfileBuilder, type ProfileFormat, type ProfileOptions } from '../../../core/profile/profile-builder.ts';

/** The profile of records given as text, each in the middle of a larger buffer, as a scanner hands them over. */
export function profileOf(
  records: readonly string[],
  format: ProfileFormat = { format: 'json' },
  options?: ProfileOptions,
): Profile {
  const builder = new ProfileBuilder(format, options);
  for (const text of records) {
    const bytes = Buffer.from(`"}]${text}[{"`, 'utf8');
    builder.record(bytes, 3, bytes.length - 3);
  }
  return builder.build();
}

export function column(profile: Profile, path: string): ColumnProfile {
  const found = profile.columns.find((candidate) => candidate.path === path);
  if (found === undefined) throw new Error(`no column ${path} among ${profile.columns.map((c) => c.path).join(', ')}`);
  return found;
}
