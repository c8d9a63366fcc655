/** What the model is told about `analyze_result`. */
export const analyzeResultPrompt = `Computes over every record of stored results, without showing them to you: counts, sums, filters, joins, rankings, charts. Use it for any question about all records; use read_result for single records word for word.

inputs names the results, e.g. {"data": "<ref>"}; the names are the tables. Then give one of:
- sql: one DuckDB SELECT (WITH, window functions, joins between inputs, quantiles, SUMMARIZE data, DESCRIBE data). Columns are the fields of a record, so look at fields or profile first, or run DESCRIBE. Fields of an object: details.latency_ms. A name with other characters, or a keyword: "in double quotes". Texts: 'in single quotes'. Records that are no objects are the column value; lines of a text are the columns line and text.
- script: JavaScript statements that return a value, for shapes that SQL does not do. for (const r of rows("data")) goes through the records one by one; keep little of them. No async, no imports.
- chart: {"type": "bar"|"line"|"area"|"point", "x": column, "y": column, …} draws the rows of the sql or script. Alone it draws one input and aggregates it by "aggregate". At most 5,000 marks: group first. "unit" stands on the axis.

The answer holds columns, rows, row_count (all rows of the answer) and rows_shown. Numbers are exact for the whole input: coverage of each input says how many records were taken in, of how many. When rows_shown is less than row_count, group or filter more, or use keep: true, which stores the whole answer under a ref of its own. A chart is stored: name its link and what alt_text says.

AnalysisFailed says what to change in the program, with the tables and columns there are. AnalysisLimit means it took too much time, memory or room: do less.`;

/** What is added where Python can be run. */
export const analyzePythonPrompt = `There is also python: Python statements in a sandbox of their own, for statistics and libraries that sql and script lack. for r in rows("data") goes through the records as dicts; what is left in the variable result, as JSON, is the answer. No chart, at most 32 MB of inputs together, and slower to start: prefer sql.`;
