import type { Catalogue } from '../catalogue/catalogue.ts';
import { ClaimcheckError } from '../errors.ts';
import type { Erasures } from '../run/flow-starter.ts';
import type { Run } from '../run/run.ts';
import type { Settings } from '../settings.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';

export interface RoomCheckPorts {
  readonly erasures: Erasures;
  readonly catalogue: Pick<Catalogue, 'usedBytes'>;
  readonly settings: Pick<Settings, 'quota'>;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'count'>;
}

/**
 * May `bytes` more be stored for this run's owner? Asked before anything is written, whoever writes it. Throws
 * `Forbidden` for an erased owner and `QuotaExceeded`, counted here, when there is no room.
 */
export async function checkRoom({ owner }: Pick<Run, 'owner'>, bytes: number, ports: RoomCheckPorts): Promise<void> {
  if (await ports.erasures.isErased(owner)) {
    throw new ClaimcheckError('Forbidden', 'storage: this account was erased');
  }
  const { ownerBytes } = ports.settings.quota;
  const used = await ports.catalogue.usedBytes(owner, ports.clock.now().toISOString());
  if (used + bytes > ownerBytes) {
    ports.telemetry.count('QuotaRefused', 1, { reason: 'owner_bytes' });
    throw new ClaimcheckError('QuotaExceeded', `storage: ${used} of ${ownerBytes} bytes are in use`, {
      usedBytes: used,
      wantedBytes: bytes,
      ownerBytes,
    });
  }
}
