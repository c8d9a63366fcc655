import type { ResultStore } from '../store/result-store.ts';
import type { ToolDefinition } from '../tool/tool-definition.ts';
import type { Catalogue, CatalogueEntry } from './catalogue.ts';
import type { VersionedCall } from './versions.ts';

export interface ReuseScope extends VersionedCall {
  /** Digest over the roles that the run was admitted with: other roles may mean another view. */
  readonly rolesDigest: string;
  readonly now: Date;
}

/**
 * A stored result that may answer this call instead of an execution, or `undefined`. Only for tools marked `reuse`,
 * by arguments, tool version, owner and scope (session and roles digest; DESIGN 9), young enough by the tool's own
 * `maxAgeSeconds`, and confirmed to be in the store still. Only the newest version is looked at: when that one does
 * not qualify, an older one is no substitute for it.
 */
export async function findReusable(
  tool: Pick<ToolDefinition, 'name' | 'version' | 'reuse'>,
  scope: ReuseScope,
  ports: { readonly catalogue: Pick<Catalogue, 'session'>; readonly store: Pick<ResultStore, 'headBody'> },
): Promise<CatalogueEntry | undefined> {
  if (tool.reuse === undefined || scope.tool !== tool.name) return undefined;
  const newest = (await ports.catalogue.session(scope.owner, scope.session))
    .filter(
      (entry) =>
        entry.status === 'stored' &&
        entry.tool === tool.name &&
        entry.argumentDigest === scope.argumentDigest &&
        entry.rolesDigest === scope.rolesDigest,
    )
    .reduce<CatalogueEntry | undefined>(
      (best, entry) => (best === undefined || entry.acquiredAt > best.acquiredAt ? entry : best),
      undefined,
    );
  if (newest === undefined || !newest.reusable || newest.toolVersion !== tool.version) return undefined;
  const ageSeconds = (scope.now.getTime() - Date.parse(newest.acquiredAt)) / 1000;
  if (ageSeconds > tool.reuse.maxAgeSeconds || Date.parse(newest.availableUntil) <= scope.now.getTime())
    return undefined;
  const body = await ports.store.headBody({
    owner: scope.owner,
    session: scope.session,
    id: newest.ref.slice(scope.session.length + 1),
  });
  return body?.bytes === newest.bytes ? newest : undefined;
}
