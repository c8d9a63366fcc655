/** What the model is told about `read_result`. */
export const readResultPrompt = `Reads part of a stored result by its ref, word for word as the tool gave it. Ask for just what the question needs; for sums, counts or filters over many records use analyze_result instead.

- offset and limit: records (lines, for text) from offset on. offset counts from 0.
- fields: only these fields of each record; dotted paths reach inside ("address.city", "tags.0"). Pick fields to get more records into one answer.
- ids: the records with these identifiers, wherever they are. coverage names the missing and the duplicate ones.
- lines "A-B" (text results, first line is 1) and bytes "A-B" (any result, first byte is 0): both ends included.
- part: a record too wide for one answer comes as {"part": 1, "of": n, "text": …}. Read on with the same offset and part 2, 3, …; or pick fields.

Every answer has coverage: loaded records of total, from offset. selection_complete says whether you got all that you asked for, input_complete whether that is everything there is. When next_offset is not null, the rest starts there: read on before you say anything about all records. What you have not read, you do not know.`;
