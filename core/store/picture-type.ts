/** The media type of a stored picture; undefined for what has records or lines that somebody may read. */
export function pictureType(contentType: string | undefined): string | undefined {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  return /^image\/[a-z0-9.+-]{1,60}$/.test(type) ? type : undefined;
}
