/**
 * A value that is already JSON text and must not be read and written again: a number with more digits than a double
 * holds, or a nested value of a stored document.
 */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
