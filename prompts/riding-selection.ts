/** What the model is told about the `_select` argument that the platform adds to every tool. */
export const ridingSelectionPrompt =
  'Optional. When you know already which part of a large result you need, name it here: you get that part with its coverage instead of a general preview. The tool itself does not see this; it still runs in full, and its whole result is stored.';
