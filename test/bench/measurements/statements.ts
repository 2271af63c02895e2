import { init } from '@flue/runtime';
import { type Line, lineOf, type Measurement } from '../support/measurement.ts';
import { Orders, playAnswers, withOrders } from '../support/orders.ts';
import { callsDuring, type SqliteCalls, statementsBySource } from '../support/sqlite-calls.ts';

const REPLIES = 20;
/** What one settled reply with one tool call may cost; beside it stands what it does cost. */
const BUDGET: SqliteCalls = { statements: 25, transactions: 6, prepares: 1 };

/** What reaches the driver per settled reply while nothing else runs. */
export const statements: Measurement = {
  name: 'statements',
  async run({ verbose }) {
    playAnswers();
    const counts = await withOrders(async () => {
      const orders = init(Orders, { id: 'counted' });
      await orders.dispatch('Where is order 7?');
      const each: SqliteCalls[] = [];
      for (let reply = 0; reply < REPLIES; reply++) {
        each.push(await callsDuring(() => orders.dispatch('And now?')));
      }
      return each;
    });
    if (verbose)
      console.error(
        statementsBySource()
          .map(([source, times]) => `${times}  ${source}`)
          .join('\n'),
      );
    const line = (field: keyof SqliteCalls, target: string): Line =>
      lineOf(
        { what: `${field} per reply`, unit: '', beside: 'budget', target },
        counts.map((calls) => ({ ours: calls[field], peer: BUDGET[field] })),
      );
    return [
      line('statements', '<= 25'),
      line('transactions', '<= 6'),
      line('prepares', '0: all prepared once'),
    ];
  },
};
