import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../engine/agent.ts';
import { __flueBindAgentModule, createRegistry, parseInitialData, resolveAgentIdentity } from './registry.ts';

/** A new function each time: an identity, once bound, stays with its function. */
function agent(name: string, statics: object = {}): Agent {
  const fn = { [name]: () => {} }[name] as Agent;
  return Object.assign(fn, statics);
}

describe('resolveAgentIdentity', () => {
  it('is the stamp, else agentName, else the function’s name (IDENT-02)', () => {
    expect(resolveAgentIdentity(agent('Triage'))).toBe('Triage');
    expect(resolveAgentIdentity(agent('Triage', { agentName: 'issue-triage' }))).toBe('issue-triage');
    const stamped = __flueBindAgentModule(agent('a'), { identity: 'Support' });
    expect(resolveAgentIdentity(stamped)).toBe('Support');
  });

  it('keeps a stamp whatever agentName says later (IDENT-11)', () => {
    const stamped = __flueBindAgentModule(agent('A'), { identity: 'A' });
    stamped.agentName = 'other';
    expect(resolveAgentIdentity(stamped)).toBe('A');
  });

  it.each([['support:v2'], ['2nd'], ['a_b'], ['a--b'], ['a-'], ['']])(
    'throws for agentName %j (IDENT-03, STATIC-02)',
    (agentName) => {
      expect(() => resolveAgentIdentity(agent('A', { agentName }))).toThrow(/^\[flue\] .*\(FLUE1101\)$/);
    },
  );

  it('throws for an anonymous function, the default export’s name included (IDENT-09)', () => {
    expect(() => resolveAgentIdentity(() => {})).toThrow(
      /^\[flue\] An anonymous agent function.*\(FLUE1007\)$/,
    );
    expect(() => resolveAgentIdentity(agent('default'))).toThrow('An anonymous agent function');
    expect(resolveAgentIdentity(agent('default', { agentName: 'named' }))).toBe('named');
  });

  it('throws for what is no function (IDENT-09)', () => {
    expect(() => resolveAgentIdentity({ agentName: 'A' })).toThrow('[flue] An agent is a function');
  });
});

describe('__flueBindAgentModule', () => {
  it('returns the function and takes the same pair again (IDENT-04)', () => {
    const fn = agent('A');
    expect(__flueBindAgentModule(fn, { identity: 'A' })).toBe(fn);
    expect(__flueBindAgentModule(fn, { identity: 'A' })).toBe(fn);
  });

  it('throws for a non-function, an invalid identity and a second identity (IDENT-05)', () => {
    expect(() => __flueBindAgentModule({}, { identity: 'A' })).toThrow('An agent is a function');
    expect(() => __flueBindAgentModule(agent('A'), { identity: 'a b' })).toThrow('"a b"');
    const fn = __flueBindAgentModule(agent('A'), { identity: 'First' });
    expect(() => __flueBindAgentModule(fn, { identity: 'Second' })).toThrow(/"First".*"Second"/);
    expect(resolveAgentIdentity(fn)).toBe('First');
  });

  it('throws when the agent was used under another identity before its stamp (BIND-04)', () => {
    const fn = agent('Local');
    resolveAgentIdentity(fn);
    expect(() => __flueBindAgentModule(fn, { identity: 'Exported' })).toThrow(/"Local".*"Exported"/);
  });
});

describe('createRegistry', () => {
  it('knows agents by function value, never by name (IDENT-08)', () => {
    const A = agent('A');
    const registry = createRegistry([A]);
    expect(registry.identityOf(A)).toBe('A');
    expect(registry.identityOf(agent('A'))).toBeUndefined();
    expect(registry.get('A')?.agent).toBe(A);
  });

  it('takes the entry’s name, so an anonymous function can be served (STA-01)', () => {
    const registry = createRegistry([
      { agent: () => {}, name: 'probe' },
      { agent: agent('x'), identity: 'built' },
    ]);
    expect(registry.identities).toEqual(['built', 'probe']);
  });

  it('binds, so identity works without a build (IDENT-07)', () => {
    const fn = agent('A');
    createRegistry([{ agent: fn, name: 'given' }]);
    expect(resolveAgentIdentity(fn)).toBe('given');
  });

  it('throws for one identity twice (IDENT-06)', () => {
    expect(() => createRegistry([agent('A'), agent('B', { agentName: 'A' })])).toThrow(
      /^\[flue\] Two agents have the identity "A".*\(FLUE1102\)$/,
    );
  });

  it('throws for one function under two identities (IDENT-06)', () => {
    const fn = agent('A');
    const twice = [
      { agent: fn, name: 'one' },
      { agent: fn, name: 'two' },
    ];
    expect(() => createRegistry(twice)).toThrow(/"one".*"two".*\(FLUE1009\)$/);
    expect(() => createRegistry([fn, fn])).toThrow(/"A" is registered twice.*\(FLUE1009\)$/);
  });

  it('throws for an invalid identity, a non-function and a function bound elsewhere (IDENT-06)', () => {
    expect(() => createRegistry([{ agent: agent('A'), name: 'a_b' }])).toThrow('"a_b"');
    expect(() => createRegistry(['A' as never])).toThrow('An agent is a function');
    expect(() => createRegistry([{ agent: undefined as never, name: 'A' }])).toThrow(
      'An agent is a function',
    );
    const bound = __flueBindAgentModule(agent('A'), { identity: 'First' });
    expect(() => createRegistry([{ agent: bound, name: 'Second' }])).toThrow(/"First".*"Second"/);
  });

  it('throws for identities that differ only in case or hyphens, naming both (IDENT-10)', () => {
    expect(() => createRegistry([agent('IssueTriage'), agent('x', { agentName: 'issue-triage' })])).toThrow(
      /"IssueTriage".*"issue-triage".*\(FLUE1103\)$/,
    );
    expect(() => createRegistry([agent('HTTPBot'), agent('HttpBot')])).toThrow('"HTTPBot"');
  });

  it('validates every static, so a bad one stops the boot (STATIC-07)', () => {
    expect(() => createRegistry([agent('A', { durability: { maxAttempts: 0 } })])).toThrow(
      'durability.maxAttempts',
    );
    expect(() => createRegistry([agent('A', { initialData: {} })])).toThrow('initialData of agent "A"');
    const stamped = __flueBindAgentModule(agent('A', { agentName: 'a b' }), { identity: 'A' });
    expect(() => createRegistry([stamped])).toThrow('"a b"');
  });

  it('reads statics without running the function (STATIC-01)', () => {
    const statics = { durability: { maxAttempts: 3 }, initialData: v.string() };
    const fn = Object.assign(() => {
      throw new Error('ran');
    }, statics) as unknown as Agent;
    expect(createRegistry([{ agent: fn, name: 'A' }]).get('A')).toEqual({
      identity: 'A',
      agent: fn,
      durability: { maxAttempts: 3, timeoutMs: 3_600_000 },
      initialData: statics.initialData,
    });
  });

  it('replaces the whole set, or leaves it in place when the new one is refused (IDENT-07, REG-02)', () => {
    const [first, second, unbound] = [agent('First'), agent('Second'), agent('Unbound')];
    const registry = createRegistry([first]);
    expect(() => registry.register([unbound, agent('A'), agent('A')])).toThrow();
    expect(registry.identities).toEqual(['First']);
    expect(() => __flueBindAgentModule(unbound, { identity: 'Unbound' })).not.toThrow();
    registry.register([second]);
    expect(registry.identities).toEqual(['Second']);
    expect(registry.identityOf(first)).toBeUndefined();
  });

  it('gives a reloaded agent to the next lookup; what was looked up before stays (IDENT-12)', () => {
    const [before, after] = [agent('A'), agent('A')];
    const registry = createRegistry([before]);
    const running = registry.get('A');
    registry.register([after]);
    expect(running?.agent).toBe(before);
    expect(registry.get('A')?.agent).toBe(after);
  });
});

describe('parseInitialData', () => {
  const registered = (initialData?: v.GenericSchema) =>
    createRegistry([agent('Order', initialData && { initialData })]).get('Order')!;

  it('records what the schema makes of the sent value (STATIC-04)', () => {
    const schema = v.object({
      n: v.pipe(v.string(), v.transform(Number)),
      kind: v.optional(v.string(), 'new'),
    });
    expect(parseInitialData(registered(schema), { n: '4' })).toEqual({ n: 4, kind: 'new' });
    expect(parseInitialData(registered(v.optional(v.string(), 'x')), undefined)).toBe('x');
  });

  it('records the sent value as it is without a schema (STATIC-04)', () => {
    const sent = { list: [1] };
    const recorded = parseInitialData(registered(), sent);
    sent.list.push(2);
    expect(recorded).toEqual({ list: [1] });
    expect(parseInitialData(registered(), undefined)).toBeUndefined();
  });

  it('refuses a mismatch with every issue and its path, absence included (STATIC-03)', () => {
    const agent = registered(v.object({ issue: v.number(), labels: v.array(v.string()) }));
    expect(() => parseInitialData(agent, { issue: 'x', labels: [1] })).toThrow(
      expect.objectContaining({
        type: 'invalid_request',
        status: 400,
        meta: expect.objectContaining({
          issues: [
            expect.objectContaining({ path: ['issue'] }),
            expect.objectContaining({ path: ['labels', 0] }),
          ],
        }),
        details: expect.stringMatching(/issue[\s\S]*labels/),
      }),
    );
    expect(() => parseInitialData(agent, undefined)).toThrow(
      expect.objectContaining({ type: 'invalid_request' }),
    );
  });

  it('refuses what JSON cannot hold, naming the path (STATIC-04, JSON-01)', () => {
    expect(() => parseInitialData(registered(), { at: [new Map()] })).toThrow(
      expect.objectContaining({
        details: expect.stringContaining('initialData.at[0] is an instance of Map'),
      }),
    );
  });
});
