import type { OwnerRecord } from './store.ts';

/** What a platform can say about the process that owns work, and about other owners of the same machine (OWN-08). */
export interface HostProbe {
  /** Identifies this process; fields that the platform cannot supply are absent. */
  describe(): Omit<OwnerRecord, 'ownerId' | 'runtimeStart' | 'agents'>;
  /**
   * Judges another owner from its row alone (OWN-09). `unproven` wherever a field is missing: a wrong guess may cost an
   * attempt, so silence decides instead (OWN-13).
   */
  judge(owner: OwnerRecord): 'dead' | 'alive' | 'unproven';
}
