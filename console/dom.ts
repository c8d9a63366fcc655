type Child = Node | string | null | undefined | false;
type Properties = Readonly<Record<string, string | number | boolean | ((event: Event) => void) | undefined>>;

/**
 * An element with attributes, listeners (`onclick`, …) and children. Strings become text nodes and nothing else: no
 * data is ever read as HTML, so what a tool or model wrote cannot become an element, an address or a script.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(
    ...children.filter((child): child is Node | string => child instanceof Node || typeof child === 'string'),
  );
  return element;
}

/** An SVG element; presentation comes from classes, so that the style policy needs no exception. */
export function svg(
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly Node[]
): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
