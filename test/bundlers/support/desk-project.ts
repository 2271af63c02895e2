/** A desk for orders with a tool, an agent under another name, an app that mounts both, and a database. */
export const deskProject = {
  'src/agents/desk.ts': `'use agent';
import { useModel, useTool } from '@flue/runtime';
import { lookup } from '../tools/lookup.ts';

export function OrderDesk() {
  useModel('offline/demo');
  useTool(lookup);
  return 'Answer about orders.';
}
`,
  'src/agents/local.ts': `'use agent';
import { useModel } from '@flue/runtime';
const Greeter = () => {
  useModel('offline/demo');
};
Greeter.agentName = 'front-door';
export { Greeter as default };
`,
  'src/tools/lookup.ts': `import { defineTool } from '@flue/runtime';
import * as v from 'valibot';

export const lookup = defineTool({
  name: 'lookup_order',
  description: 'Look up one order by its number and return its status.',
  input: v.object({ orderNumber: v.number() }),
  run: ({ data }) => ({ order: data.orderNumber, status: 'on a ship' }),
});
`,
  'src/app.ts': `import { dispatch } from '@flue/runtime';
import { createAgentRouter } from '@flue/runtime/routing';
import { Hono } from 'hono';
import { OrderDesk } from './agents/desk.ts';
import Greeter from './agents/local.ts';

const app = new Hono();
app.route('/desk', createAgentRouter(OrderDesk));
app.route('/door', createAgentRouter(Greeter));
app.post('/later', async (c) => c.json(await dispatch(OrderDesk, { id: 'later', message: 'order 7' })));
export default app;
`,
  'src/db.ts': `import { sqlite } from '@flue/runtime/node';
export default sqlite(process.env.FLUE_DB);
`,
};
