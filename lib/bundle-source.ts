import type { ToolDefinition } from '../core/tool/tool-definition.ts';

/** What one function's bundle is made from. Paths are relative to the project's root. */
export interface BundleSource {
  readonly entry: string;
  /** Files copied beside the bundle under their base names. */
  readonly files?: readonly string[];
  /** Packages that cannot be bundled (native modules): copied whole from `node_modules`. */
  readonly packages?: readonly string[];
  /** Builds more files into the bundle's folder. */
  readonly build?: (folder: string) => void;
  /** The tools that a prepared function knows (`prepared-bundles.ts`); one bundled from a checkout knows that checkout's. */
  readonly definitions?: readonly ToolDefinition[];
}
