import { dispatch, useModel } from '@flue/runtime';
import { sqlite, start } from '@flue/runtime/node';

function Greeter() {
  useModel('offline/demo');
  return 'Greet.';
}

const flue = await start({ agents: [Greeter], db: sqlite(process.argv[2] as string) });
await dispatch(Greeter, { id: '1', message: 'Hello' });
// Milliseconds since the process began.
console.log(performance.now());
await flue.stop({ timeoutMs: 100 });
