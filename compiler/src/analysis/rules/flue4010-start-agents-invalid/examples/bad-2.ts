import { start } from '@flue/runtime/node';
await start({ agents: [() => 'x'] }); // expect: FLUE4010 error
