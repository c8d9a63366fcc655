/** What the model is told about `list_results`. */
export const listResultsPrompt = `Lists the stored results that you can read: tool, kind, fields, number of records, size, dates, version. It shows that a result exists and how it is shaped, never its content: to know what is in it, call read_result or analyze_result with its ref.

- Newest first. When next_cursor is not null there is more: call again with it as cursor.
- A refreshed result is a new version: supersedes names the one before it, which stays readable until its own date. status refresh_failed means that a refresh stored nothing.
- population "open" (a search): total is null, because only the hits that are held are known.`;
