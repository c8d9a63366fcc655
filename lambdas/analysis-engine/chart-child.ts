import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import { parse, View } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { compile, type TopLevelSpec } from 'vega-lite';
import { answerAndExit, readWork } from './child-channel.ts';

export interface ChartWork {
  /** Made by the host from a checked chart; no part of it was written by a model but words and values. */
  readonly spec: TopLevelSpec;
  readonly background: string;
}

export type ChartAnswer = { readonly ok: true; readonly svg: string; readonly png: string } | { readonly ok: false };

/** Nothing is loaded, whatever a specification says; an address becomes no address. */
const refuse = async (): Promise<never> => {
  throw new Error('nothing is loaded');
};
const loader = { load: refuse, http: refuse, file: refuse, sanitize: async () => ({ href: '' }), options: {} };

try {
  const { spec, background } = readWork<ChartWork>();
  const compiled = compile(spec).spec;
  const view = new View(parse(compiled, undefined, { ast: true }), {
    expr: expressionInterpreter,
    loader: loader as never,
    renderer: 'none',
  });
  const svg = await view.toSVG();
  if (/<image\b/i.test(svg)) throw new Error('a chart holds no images');
  const png = new Resvg(svg, {
    background,
    fitTo: { mode: 'zoom', value: 2 },
    font: {
      loadSystemFonts: false,
      fontFiles: ['./DejaVuSans.ttf', './DejaVuSans-Bold.ttf'].map((file) =>
        fileURLToPath(new URL(file, import.meta.url)),
      ),
      defaultFontFamily: 'DejaVu Sans',
      sansSerifFamily: 'DejaVu Sans',
    },
  })
    .render()
    .asPng();
  answerAndExit({ ok: true, svg, png: png.toString('base64') } satisfies ChartAnswer);
} catch {
  answerAndExit({ ok: false } satisfies ChartAnswer);
}
