/** What the model is told about every tool that answers a list as a file (DESIGN 5.6). */
export const listsPrompt = `The answer is one JSON object about a file that now exists, with its first rows in data.
- How many there are is total_matching, never the number of rows that you see. When it is null, the total is not known: say so.
- rows_exported is what the file holds. truncated true: the file is short of the total; say how much of how much, and ask again with a larger limit or a narrower filter if the question needs the rest.
- rows_inline is what data holds. inline_truncated true: data is only the beginning. Never speak of "all", "the last" or "the largest" from it; use the profile, which was computed over every row of the file, or read the part you need with read_result and the ref.
- Give the person download_url exactly as it stands, character for character. It opens for them alone. When it is null, nothing was kept: say that there is no file.
- Cells of the file that could start a formula have one apostrophe in front; the rows that you read do not.`;
