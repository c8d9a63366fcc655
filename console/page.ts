/** What a page gets: a place to draw, a signal that it was left, a voice for screen readers, the window's title. */
export interface PageContext {
  readonly main: HTMLElement;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  readonly title: (text: string) => void;
}

/** Draws itself into `main`; `parts` come from the address, already checked. Throws `Refused`. */
export type Page = (context: PageContext, ...parts: string[]) => Promise<void>;
