import type { PersistenceAdapter } from '../../ports/store.ts';
import { abortScenarios } from './abort.ts';
import { admissionScenarios } from './admission.ts';
import { attachmentScenarios } from './attachments.ts';
import { beatScenarios } from './beat.ts';
import { checkpointScenarios } from './checkpoints.ts';
import { claimScenarios } from './claim.ts';
import { commitScenarios } from './commit.ts';
import { erasureScenarios } from './erasure.ts';
import { fenceScenarios } from './fence.ts';
import { lifecycleScenarios } from './lifecycle.ts';
import { modelScenarios } from './model.ts';
import { notificationScenarios } from './notification.ts';
import { orderingScenarios } from './ordering.ts';
import { renamingScenarios } from './renaming.ts';
import { rowChangeScenarios } from './row-changes.ts';
import { streamScenarios } from './streams.ts';
import type { Fixture, StoreTarget, Suite, TestRunner } from './target.ts';

const GROUPS = {
  lifecycle: lifecycleScenarios,
  admission: admissionScenarios,
  ordering: orderingScenarios,
  claim: claimScenarios,
  fence: fenceScenarios,
  commit: commitScenarios,
  'row changes': rowChangeScenarios,
  abort: abortScenarios,
  beat: beatScenarios,
  streams: streamScenarios,
  checkpoints: checkpointScenarios,
  attachments: attachmentScenarios,
  model: modelScenarios,
  notification: notificationScenarios,
  erasure: erasureScenarios,
  renaming: renamingScenarios,
} as const;

/** Room for the longest scenario, the thousand rounds of racing claims, on a slow disk. */
const TIMEOUT_MS = 120_000;

/**
 * Registers the contract of persistence section 12 against one adapter; the adapter is correct when every test passes.
 * Without a runner it takes Vitest's, which is loaded only then, so await the call at the top level of a test file.
 */
export async function defineStoreContractTests(
  label: string,
  target: StoreTarget,
  runner?: TestRunner,
): Promise<void> {
  const { describe, it, expect } = runner ?? ((await import('vitest')) as unknown as TestRunner);
  const suite: Suite = {
    expect,
    modelSteps: target.modelSteps ?? 10_000,
    scenario: (title, body) => it(title, () => withFixture(target, body), TIMEOUT_MS),
    durableScenario(title, body) {
      if (target.reopen) it(title, () => withFixture(target, body), TIMEOUT_MS);
      else it.skip(title, () => withFixture(target, body));
    },
  };
  describe(label, () => {
    for (const [group, scenarios] of Object.entries(GROUPS)) describe(group, () => scenarios(suite));
  });
}

async function withFixture(target: StoreTarget, body: (fixture: Fixture) => Promise<void>): Promise<void> {
  const clock = { now: Date.UTC(2026, 0, 1) };
  let open: PersistenceAdapter[] = [];
  const connect = async (adapter: PersistenceAdapter) => {
    open.push(adapter);
    await adapter.migrate?.();
    return adapter.connect();
  };
  const closeAll = async () => {
    for (const adapter of open) await adapter.close?.();
    open = [];
  };

  const adapter = await target.create(() => clock.now);
  try {
    await body({
      adapter,
      clock,
      store: await connect(adapter),
      second: async () => connect(await target.connect2()),
      async restart() {
        await closeAll();
        if (!target.reopen) throw new Error('[flue] this store cannot be reopened; use durableScenario().');
        return connect(await target.reopen());
      },
    });
  } finally {
    await closeAll();
    await target.cleanup();
  }
}
