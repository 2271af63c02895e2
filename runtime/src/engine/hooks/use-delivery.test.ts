import { describe, expect, it } from 'vitest';
import { hookValue, renderHooks } from './probe.test.support.ts';
import { useDelivery } from './use-delivery.ts';

const signal = {
  kind: 'signal',
  type: 'order.paid',
  body: '{}',
  attributes: { customerId: 'c1' },
} as const;

describe('useDelivery', () => {
  it('is the message of the cursor, in the shape of every transport (DLV-01)', () => {
    expect(hookValue(() => useDelivery(), { delivery: { ...signal } })).toEqual(signal);
  });

  it('is constant in one render, and a copy of the recorded message (DLV-02)', () => {
    const delivery = { kind: 'user' as const, body: 'hi' };
    renderHooks(
      'root',
      () => {
        const first = useDelivery();
        first.body = 'changed';
        expect(useDelivery()).toBe(first);
      },
      { delivery },
    );
    expect(delivery.body).toBe('hi');
  });

  it('is the task prompt in a subagent frame (DLV-05)', () => {
    const delivery = { kind: 'user' as const, body: 'classify this' };
    renderHooks('subagent', () => expect(useDelivery()).toEqual(delivery), { delivery });
  });

  it('throws on a render without one (DLV-05)', () => {
    expect(() => renderHooks('bare', () => useDelivery())).toThrow(
      '[flue] useDelivery(): this render has no delivery',
    );
  });
});
