const maxCharacters = 1_200;

/**
 * An engine's own words without anything of the host: the files that it read stand as `input`, any other path as
 * `[path]`. Positions, names of columns and the marked place in the query stay.
 */
export function cleanMessage(message: string, files: readonly string[]): string {
  let clean = message;
  for (const file of files) clean = clean.split(file).join('input');
  return clean
    .replace(/\b(?:https?|s3):\/\/[^\s"')]+/g, '[address]')
    .replace(/(?:file:\/\/)?(?<![A-Za-z0-9_<>)\]])\/(?:[\w.@+-]+\/)+[\w.@+-]*/g, '[path]')
    .replace(/\n\s*at .+$/gm, '')
    .slice(0, maxCharacters);
}
